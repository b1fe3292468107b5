"""Belief probes: each living seat says aside with which probability it takes each other one for a deceiver.

A probe is asked on a fork of the agent's context and leaves nothing in it; what it brings is recorded for the
engine alone. So games with and without probes are played alike, move by move.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from liecraft.agents.budget import BudgetSpent
from liecraft.agents.parsing import Answer, spoken
from liecraft.agents.running import BROKEN, one_line
from liecraft.engine.agent import Agent, Believer
from liecraft.engine.env import DeceptionEnv
from liecraft.engine.errors import UnknownName
from liecraft.engine.ledger import Event
from liecraft.engine.seats import Seat
from liecraft.models.base import ModelError
from liecraft.trace.schema import TraceError

Beliefs = dict[Seat, float]


class Probes(BaseModel):
    """When beliefs are asked for: between moves, once enough has happened since the last time."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    every: int | None = Field(default=None, ge=1)
    """After so many events of the ledger, probes not counted."""
    after: tuple[str, ...] = ()
    """After a move that brought an event of one of these kinds, such as `speech` or `ballots`."""

    @model_validator(mode="after")
    def _some_time(self) -> Self:
        if self.every is None and not self.after:
            raise ValueError("say when: every: N events, or after: [kinds of events]")
        return self


def check_kinds(probes: Probes | None, known: Collection[str]) -> None:
    """See that the events are there after which beliefs are asked for.

    Raises:
        UnknownName: The game has no such kind of events.
    """
    for kind in probes.after if probes else ():
        if kind not in known:
            raise UnknownName("kind of events in probes.after", kind, known)


class ProbeClock:
    """Says after each move whether it is time for a probe.

    Args:
        probes: When to ask.
    """

    def __init__(self, probes: Probes) -> None:
        self._every = probes.every
        self._after = frozenset(probes.after)
        self._since = 0

    def due(self, events: Iterable[Event]) -> bool:
        """Take in what the latest move brought."""
        kinds = [event.kind for event in events if event.kind != "probe"]
        self._since += len(kinds)
        timed = self._every is not None and self._since >= self._every
        if timed or not self._after.isdisjoint(kinds):
            self._since = 0
            return True
        return False


class ProbeError(Exception):
    """An agent's own code broke down when it was asked, or answered with something else than probabilities."""

    def __init__(self, seat: Seat, fault: str) -> None:
        super().__init__(f"asked for its beliefs: {fault}")
        self.seat = seat


async def ask_all(env: DeceptionEnv[Any, Any], agents: Mapping[Seat, Agent]) -> None:
    """Ask every living seat whose agent can say, models at the same time, and record in seat order.

    A model that fails to answer, or answers with what is no belief, is passed over.

    Raises:
        ProbeError: An agent's own code is at fault.
        TraceError: A call can't be recorded.
        BudgetSpent: The whole run is over.
    """
    said: dict[Seat, Any] = {}
    for seat in env.seats:
        agent = agents[seat]
        if seat in env.living and isinstance(agent, Believer):
            with _blaming(seat):
                said[seat] = agent.probe(env.view(seat), _others(env, seat))
    waiting = [seat for seat, answer in said.items() if inspect.isawaitable(answer)]
    if waiting:  # without one there may be no event loop
        asked = (_answered(seat, said[seat]) for seat in waiting)
        # All are waited for, whatever becomes of one: what has been asked shall be recorded.
        answers = await asyncio.gather(*asked, return_exceptions=True)
        for seat, answer in zip(waiting, answers, strict=True):
            if isinstance(answer, BaseException):
                raise answer
            said[seat] = answer
    for seat, answer in said.items():
        if answer is None:
            continue
        try:
            beliefs = checked_beliefs(answer, _others(env, seat))
        except (TypeError, ValueError) as error:
            raise ProbeError(seat, str(error)[:200]) from None
        if beliefs:
            env.probed(seat, beliefs)


def _others(env: DeceptionEnv[Any, Any], seat: Seat) -> tuple[Seat, ...]:
    """All other seats, the dead among them: to leave them out would tell who has died unseen."""
    return tuple(other for other in env.seats if other != seat)


async def _answered(
    seat: Seat, answer: Awaitable[Mapping[Seat, float] | None]
) -> Mapping[Seat, float] | None:
    with _blaming(seat):
        try:
            return await answer
        except ModelError:
            return None  # recorded as a failed call; the game goes on


@contextmanager
def _blaming(seat: Seat) -> Iterator[None]:
    """Name the seat whose agent breaks down."""
    try:
        yield
    except (TraceError, BudgetSpent):
        raise  # the run's trouble, not the agent's
    except BROKEN as error:  # a broken agent ends its own game, not the others
        raise ProbeError(seat, one_line(error)) from None


def checked_beliefs(beliefs: Mapping[Seat, Any], others: Sequence[Seat]) -> list[tuple[Seat, float]]:
    """Beliefs in seat order, to six digits.

    Raises:
        ValueError: A value is no probability, or a name no other seat.
        TypeError: A value is no number.
    """
    if not isinstance(beliefs, Mapping):
        raise TypeError(f"a {type(beliefs).__name__} is no mapping of seats to probabilities")
    strangers = sorted(map(str, set(beliefs) - set(others)))
    if strangers:
        raise ValueError(f"a belief is about {strangers[0]!r}, which is no other seat")
    found = []
    for seat in others:
        value = beliefs.get(seat)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"the belief about {seat} is {value!r}, not a number")
        if not isfinite(value) or not -1e-9 <= value <= 1 + 1e-9:
            raise ValueError(f"the belief about {seat} is {value}, not between 0 and 1")
        found.append((seat, round(min(1.0, max(0.0, float(value))), 6)))
    return found


def belief_schema(seats: Sequence[Seat]) -> dict[str, Any]:
    """JSON Schema of a model's answer: a probability for each seat."""
    return {
        "type": "object",
        "properties": {seat: {"type": "number", "minimum": 0, "maximum": 1} for seat in seats},
        "required": list(seats),
        "additionalProperties": False,
    }


def read_beliefs(answer: Answer, seats: Sequence[Seat]) -> Beliefs | None:
    """What a model's answer says; None unless it holds exactly one JSON object of probabilities.

    >>> read_beliefs(Answer('I think {"player_1": 0.25}'), ["player_1", "player_2"])
    {'player_1': 0.25}
    >>> read_beliefs(Answer('{"player_1": "surely"}'), ["player_1"]) is None
    True
    """
    text = spoken(answer.text)
    start, end = text.find("{"), text.rfind("}")
    if answer.refusal or start < 0:
        return None
    try:
        fields = json.loads(text[start : end + 1])
        return dict(checked_beliefs(fields, seats)) or None
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
