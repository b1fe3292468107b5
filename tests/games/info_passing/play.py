"""Whole games between scripted agents, and what their ledgers say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from liecraft.engine.agent import Reply, Request
from liecraft.engine.ledger import Event, View
from liecraft.engine.moves import Move, Words
from liecraft.games.info_passing.bots import BOTS
from liecraft.games.info_passing.env import InfoPassingEnv

Factory = Callable[[np.random.Generator], Any]


class Random:
    """Plays a random legal move without words."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def act(self, view: View, request: Request) -> Reply:
        return Reply(request.legal[int(self._rng.integers(len(request.legal)))])


def factory(name: str, **params: Any) -> Factory:
    """A bot's factory with parameters; `random` is the generic one."""
    if name == "random":
        return Random
    return lambda rng: BOTS[name](rng, **params)


def play(env: InfoPassingEnv, seed: int, honest: Factory, saboteur: Factory) -> list[Event]:
    """One game, with one kind of agent on each side; the events of its ledger."""
    env.reset(seed=seed)
    agents = {
        seat: (saboteur if env.role[seat] == "saboteur" else honest)(np.random.default_rng([seed, i]))
        for i, seat in enumerate(env.seats)
    }
    while not env.finished:
        seat = env.agent_selection
        reply = agents[seat].act(env.view(seat), env.request())
        env.step(Move(env.moves.index(reply.move), Words(reply.text, reply.claims)))
    return [entry.event for entry in env.ledger]


@dataclass(slots=True)
class Tale:
    """What one finished game's events say, without the env.

    Attributes:
        right: Share of the bulletin's slots that the reports have right.
        damage: As the result event has it.
        caught: Share of saboteurs that were named, None without saboteurs.
        accusing: For each ballot of an honest seat whether it names an honest seat.
        hit: For each honest sender whether noise struck what it heard or sent, and the ballots against it.
        classes: Classes of the saboteurs' claims about slots in the relay.
        all_classes: Classes of all their claims.
        winner: The side that won.
    """

    right: float
    damage: float
    caught: float | None
    accusing: list[bool]
    hit: list[tuple[bool, int]]
    classes: list[str]
    all_classes: list[str]
    winner: str
    kept: list[bool] = field(default_factory=list)


def tale(events: list[Event]) -> Tale:
    """Read a finished game."""
    last: Mapping[str, Event] = {event.kind: event for event in events}
    role = dict(last["outcome"].data["roles"])
    result, truth = last["result"].data, dict(last["result"].data["bulletin"])
    votes = [(v, t) for v, t in last["ballots"].data["votes"] if role[v] == "honest"]
    saboteurs = [seat for seat in role if role[seat] == "saboteur"]
    named = last["named"].data["seats"]
    hops = [event for event in events if event.kind == "hop"]
    struck = {
        seat for hop in hops for seat in (hop.actor, hop.data["to"]) if any(r[5] for r in hop.data["slots"])
    }
    honest = {hop.actor for hop in hops if role[str(hop.actor)] == "honest"}
    reports = [dict(event.data["slots"]) for event in events if event.kind == "report"]
    return Tale(
        right=float(np.mean([report[slot] == truth[slot] for report in reports for slot in truth])),
        damage=result["damage"],
        caught=sum(seat in named for seat in saboteurs) / len(saboteurs) if saboteurs else None,
        accusing=[role.get(target) == "honest" for _, target in votes],
        hit=[
            (seat in struck, sum(target == seat for _, target in votes)) for seat in sorted(map(str, honest))
        ],
        classes=list(_classes(events, role, relay_only=True)),
        all_classes=list(_classes(events, role, relay_only=False)),
        winner=str(last["outcome"].data["winner"]),
        kept=[
            row[3] == row[2]
            for hop in hops
            if role[str(hop.actor)] == "honest"
            for row in hop.data["slots"]
            if row[2] is not None
        ],
    )


def _classes(events: list[Event], role: Mapping[str, str], *, relay_only: bool) -> Iterator[str]:
    relaying = True
    for event in events:
        if event.kind == "phase":
            relaying = event.data["phase"] == "relay"
        elif (
            event.kind == "verdicts" and role[str(event.actor)] == "saboteur" and (relaying or not relay_only)
        ):
            yield from (verdict["class"] for verdict in event.data["verdicts"] if verdict["class"])


def tales(games: int, honest: Factory, saboteur: Factory, **config: Any) -> list[Tale]:
    """Many games under one configuration, seeds from 0."""
    env = InfoPassingEnv(**config)
    return [tale(play(env, seed, honest, saboteur)) for seed in range(games)]


def interval(values: list[float]) -> tuple[float, float]:
    """95 % normal interval of a mean over games."""
    mean, half = float(np.mean(values)), 1.96 * float(np.std(values, ddof=1)) / len(values) ** 0.5
    return mean - half, mean + half


def difference(more: list[float], less: list[float]) -> tuple[float, float]:
    """95 % interval of the mean difference of games paired by seed."""
    return interval([a - b for a, b in zip(more, less, strict=True)])
