"""Playing a run again from its recording, offline: the same answers must make the same ledgers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile, zip_longest
from typing import Any

from liecraft.agents.playing import Env, Table, run_game
from liecraft.agents.pool import Models, ModelSpec
from liecraft.agents.running import run_now, run_to_end
from liecraft.arena import new_env
from liecraft.engine.errors import ConfigError, LieCraftError
from liecraft.engine.ledger import Event, canonical
from liecraft.engine.render import quoted, renderer
from liecraft.engine.seats import Seat
from liecraft.models.base import ChatModel, Completion, Message, ModelError, Sampling
from liecraft.tournament.config import TournamentConfig, read_config
from liecraft.tournament.player import MeteredRecorder, game_meter
from liecraft.tournament.schedule import schedule
from liecraft.tournament.store import Run
from liecraft.trace.reader import Trace, as_event
from liecraft.trace.recall import Recall, RecallError, by_seat

_CLIP = 240
"""Characters that are shown of an event which differs."""

_Entry = tuple[Event, str | list[Seat]]
"""An event and its audience, as a trace names it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one game came out.

    Attributes:
        game: Its name.
        calls: Model calls that were answered from the recording.
        difference: What differs first; None if nothing does.
    """

    game: str
    calls: int
    difference: str | None


def verify(run: Run, game: str | None = None) -> Iterator[Verdict]:
    """Play games of a run again and compare them with what is stored.

    Args:
        run: The run.
        game: One game of it; all of them if left out.

    Raises:
        ConfigError: The run's configuration no longer makes sense to this version.
        TraceError: A trace is broken.
        RunError: The run has no such game.
    """
    config = read_config(run.manifest["config"])
    specs = config.specs()
    traces = run.traces() if game is None else iter([run.trace(game)])
    reworded = any(wording.folder for wording in config.wordings())
    prompts = {plan.game: plan.prompts for plan in schedule(config)} if reworded else {}
    envs: dict[str, Env] = {}
    for trace in traces:
        try:
            with no_network():
                table = Table(
                    trace.seats,
                    {seat: specs[name] for seat, name in trace.seats.items()},
                    prompts.get(trace.game),
                )
                difference = _difference(trace, config, table, envs)
        except ConfigError as error:  # the game's own configuration
            difference = f"{trace.game}: {error}"
        yield Verdict(trace.game, len(trace.calls), difference)


def _difference(trace: Trace, config: TournamentConfig, table: Table, envs: dict[str, Env]) -> str | None:
    """The first difference between a stored game and the same game now."""
    if trace.digest() != trace.close["digest"]:
        return f"{trace.game}: its stored events are not those that its closing line vouches for"
    header = trace.header
    rules = repr(header["config"])
    if rules not in envs:
        envs[rules] = new_env(header["env"], header["config"], header["lang"])
    env = envs[rules]
    strayed = _play_again(env, trace, table, config)
    events = _first_event(env, trace, strayed)
    if events is not None:
        return f"{trace.game}: {events}"
    return None if strayed is None or _ended_there(env, trace, strayed) else str(strayed)


def _play_again(env: Env, trace: Trace, table: Table, config: TournamentConfig) -> RecallError | None:
    """Play a game from its recording; what it asked for that was not there, if anything."""
    recorded = Recall(trace.game, by_seat(trace.calls), strict=True)
    meter = game_meter(config, table)
    game = run_game(
        env,
        table,
        MeteredRecorder(_Nowhere(), trace.game, recorded, table, meter),
        Models(_unplugged),
        seed=trace.header["seed"],
        probes=config.probes,
        meter=meter,
        loops=config.loops,
    )
    try:
        if table.waits:
            run_to_end(game)
        else:
            run_now(game)
    except RecallError as error:
        return error
    return None


def _first_event(env: Env, trace: Trace, strayed: RecallError | None) -> str | None:
    """The first event that is not as it was, as it was and as it is."""
    was = [(as_event(line), line["audience"]) for line in trace.events]
    now = [(event, env.ledger.audience_names(audience)) for event, audience in env.ledger]
    for i, (old, new) in enumerate(zip_longest(was, now)):
        if old is not None and new is not None and canonical(*old) == canonical(*new):
            continue
        if new is None and strayed is not None:
            return None  # it ended for want of an answer, which says more
        recorded, replayed = _told_apart(env, old, new)
        return f"event {i} differs: recorded {recorded}, now {replayed}"
    return None


def _told_apart(env: Env, old: _Entry | None, new: _Entry | None) -> tuple[str, str]:
    """Two entries as seats are told of them; as they are stored, where that shows no difference."""
    shown = renderer(env.prompts, env.lang)
    texts = [shown.line(entry[0]) if entry else "nothing" for entry in (old, new)]
    if not all(texts) or texts[0] == texts[1]:
        texts = [canonical(*entry).strip() if entry else "nothing" for entry in (old, new)]
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
    start = max(0, same - _CLIP // 3)
    clipped = [_clip(text, start) for text in texts]
    return clipped[0], clipped[1]


def _clip(text: str, start: int) -> str:
    """A piece of a text that may be long, from about where it becomes interesting."""
    start = start if len(text) > _CLIP else 0
    piece = text[start : start + _CLIP]
    return quoted(f"{'...' if start else ''}{piece}{'...' if start + _CLIP < len(text) else ''}")


def _ended_there(env: Env, trace: Trace, strayed: RecallError) -> bool:
    """Whether a failed game stopped where it is stored to have stopped, for a reason that is no model's answer."""
    return trace.status == "failed" and strayed.missing and len(env.ledger) == len(trace.events)


class _Nowhere:
    """Keeps nothing."""

    def write(self, lines: Sequence[str]) -> None:
        pass


class _Unplugged:
    """Stands where a model was; in a strict replay it is never asked."""

    name = "unplugged"

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None,
        sampling: Sampling,
        deadline: float,
    ) -> Completion:
        raise ModelError("connection", "a replay asks no model", endpoint=self.name, attempts=0, seconds=0.0)

    async def close(self) -> None:
        pass


def _unplugged(wanted: ModelSpec) -> ChatModel:
    return _Unplugged()


class NetworkUsed(LieCraftError):
    """Something reached for the network where it is shut off."""


_shut: list[bool] = []
_REACHING = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind")


def _refuse(event: str, args: tuple[Any, ...]) -> None:
    if _shut and _shut[-1] and event in _REACHING:
        raise NetworkUsed(f"{event}: the network is shut off while a run is verified")


@contextmanager
def no_network() -> Iterator[None]:
    """Shut off the network for this process: a connection, or the look-up of a name, raises `NetworkUsed`."""
    if not _shut:
        sys.addaudithook(_refuse)  # it can't be taken off again, and does nothing once this is over
    _shut.append(True)
    try:
        yield
    finally:
        _shut[-1] = False
