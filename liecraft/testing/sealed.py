"""Sealed moves, checked without any oracle: before the phase is resolved they show nowhere."""

from __future__ import annotations

from dataclasses import dataclass

from liecraft.engine.moves import Move
from liecraft.engine.seats import Seat
from liecraft.testing.failure import CheckFailed
from liecraft.testing.noninterference import compare
from liecraft.testing.pairs import sealed_since
from liecraft.testing.play import EnvFn, RawEnv, bare, generator, legal_now, pick, random_move
from liecraft.testing.received import Stream, Watcher
from liecraft.testing.secrets import Secrets, told_by


@dataclass(slots=True)
class _Turn:
    """A move as it was played: by whom, sealed or not, and after how many phases had begun."""

    seat: Seat
    move: Move
    sealed: bool
    phase: int


def sealed_moves(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """Another sealed move in the place of one changes nothing for any other seat while the phase lasts."""
    one, other = bare(env_fn()), bare(env_fn())
    for game in range(games):
        rng = generator(seed, game)
        game_seed = int(rng.integers(2**31))
        one.reset(seed=game_seed)
        turns = _play(one)
        chances = [
            at for at, turn in enumerate(turns[:-1]) if turn.sealed and turns[at + 1].phase == turn.phase
        ]
        if not chances:
            continue
        at = pick(rng, chances)
        _start(one, game_seed, turns[:at])
        _start(other, game_seed, turns[:at])
        moves = [index for index in legal_now(other) if index != int(turns[at].move)]
        if moves:
            _compare(one, other, turns[at:], Move(pick(rng, moves)), f"seed {game_seed}, move {at}")


def _phases(raw: RawEnv) -> int:
    return sum(entry.event.kind == "phase" for entry in raw.ledger)


def _play(raw: RawEnv) -> list[_Turn]:
    turns = []
    stream = generator(raw.chance.seed)
    while not raw.finished:
        seat, phase, recorded = raw.agent_selection, _phases(raw), len(raw.ledger)
        move = random_move(raw, stream)
        raw.step(move)
        turns.append(_Turn(seat, move, sealed_since(raw, recorded, seat), phase))
    return turns


def _start(raw: RawEnv, seed: int, turns: list[_Turn]) -> None:
    raw.reset(seed=seed)
    for turn in turns:
        raw.step(turn.move)


def _compare(one: RawEnv, other: RawEnv, rest: list[_Turn], instead: Move, where: str) -> None:
    """Play the rest of the phase in both games, all but its last move, and compare all seats but the actor."""
    actor, phase, recorded = rest[0].seat, rest[0].phase, len(other.ledger)
    secrets = Secrets(lambda raw, seat, rng: None, told_by())
    seats = [seat for seat in one.seats if seat != actor]
    watchers = [[Watcher(raw, seat, secrets) for seat in seats] for raw in (one, other)]
    one.step(rest[0].move)
    other.step(instead)
    if not sealed_since(other, recorded, actor):
        return
    ends = [turn.phase for turn in rest[2:]] + [-1]
    for turn, then in zip(rest[1:], ends, strict=True):
        for watcher in (*watchers[0], *watchers[1]):
            watcher.look()
        if turn.seat == actor or then != phase or int(turn.move) not in legal_now(other):
            break
        one.step(turn.move)
        other.step(turn.move)
    _no_leak(seats, watchers, where)


def _no_leak(seats: list[Seat], watchers: list[list[Watcher]], where: str) -> None:
    for seat, a, b in zip(seats, *watchers, strict=True):
        found = compare(_without_facts(a.stream), _without_facts(b.stream))
        if found is not None:
            message = f"{where}: a sealed move shows to {seat} before its time, {found.told}"
            raise CheckFailed(found.check("hidden_acts"), message)


def _without_facts(stream: Stream) -> Stream:
    """While a phase is sealed nobody is entitled to anything that depends on it."""
    return Stream([], [item._replace(facts=0) for item in stream.items])
