"""Two games that differ only in what is hidden from a seat, played on with the same visible moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from liecraft.engine.ledger import ENGINE
from liecraft.engine.moves import Move
from liecraft.engine.seats import Seat
from liecraft.engine.world import World
from liecraft.testing.play import RawEnv, legal_now, random_move
from liecraft.testing.received import Stream, Watcher
from liecraft.testing.secrets import Secrets

Key = tuple[Seat, str, int, int]
"""A decision: seat, phase, round, and the how-manieth of this seat in this phase of this round."""


class Played(NamedTuple):
    """A move of the first game, and whether it was hidden from the watched seat."""

    move: Move
    hidden: bool


class Decisions:
    """Names the decisions of one game in the order in which they come."""

    def __init__(self) -> None:
        self._count: Counter[tuple[Seat, str, int]] = Counter()

    def key(self, raw: RawEnv) -> Key:
        """Name of the decision that is due now; ask once for each."""
        place = (raw.agent_selection, raw.phase, raw.round)
        self._count[place] += 1
        return (*place, self._count[place])


def first_game(
    raw: RawEnv, seed: int, seat: Seat, secrets: Secrets, rng: np.random.Generator
) -> tuple[Stream, dict[Key, Played]]:
    """Play random legal moves, watching one seat.

    A move counts as hidden from the seat if it is sealed, or if no fact that came with it names its player. The
    guess only steers what the second game may change; any two games may be compared.
    """
    raw.reset(seed=seed)
    watcher, decisions = Watcher(raw, seat, secrets), Decisions()
    script: dict[Key, Played] = {}
    watcher.look()
    while not raw.finished:
        key, move = decisions.key(raw), random_move(raw, rng)
        told, recorded = len(watcher.stream.facts), len(raw.ledger)
        raw.step(move)
        watcher.look()
        named = key[0] in repr(watcher.stream.facts[told:])
        hidden = not named or sealed_since(raw, recorded, key[0])
        script[key] = Played(move, hidden)
    return watcher.close(), script


def sealed_since(raw: RawEnv, start: int, seat: Seat) -> bool:
    """Whether a seat's move was sealed among the entries from `start` on."""
    entries = (raw.ledger[at] for at in range(start, len(raw.ledger)))
    return any(
        entry.event.kind == "sealed" and entry.event.actor == seat and entry.audience == ENGINE
        for entry in entries
    )


def second_game(
    raw: RawEnv,
    watcher: Watcher,
    script: dict[Key, Played],
    free_from: int,
    freedom: float,
    rng: np.random.Generator,
) -> Stream:
    """Play on with the moves of the first game.

    From decision number `free_from` on, hidden moves of other seats are replaced with chance `freedom`; they are
    wherever they are illegal in this world. A visible move that is illegal here ends the comparison.
    """
    decisions, number = Decisions(), 0
    while not raw.finished:
        played = script.get(decisions.key(raw))
        free = number >= free_from and raw.agent_selection != watcher.seat and rng.random() < freedom
        number += 1
        legal = played is not None and int(played.move) in legal_now(raw)
        if played is None or (played.hidden and (free or not legal)):
            move = random_move(raw, rng)
        elif legal:
            move = played.move
        else:
            watcher.stream.cut = True
            return watcher.stream
        raw.step(move)
        watcher.look()
    return watcher.close()


def other_start(
    raw: RawEnv, seed: int, first: Stream, watch: Callable[[], Watcher], draw: Callable[[], World | None]
) -> Watcher | None:
    """Set the env to another world that the seat, by the rules, can't tell from the first one at the start.

    Returns:
        The watcher of the second game, or None if no such world was drawn.
    """
    start = first.facts[: first.items[0].facts]
    for _ in range(20):
        world = draw()
        if world is None:
            return None
        raw.reset(seed=seed, options={"world": world})
        watcher = watch()
        watcher.look()
        if watcher.stream.facts == start:
            return watcher
    return None
