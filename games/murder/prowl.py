"""What bots do in the act phase: innocents search, and get out with the key; murderers hunt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from liecraft.engine.seats import Seat
from liecraft.games.murder.notes import Notes

KILL = "kill:"
PATIENCE = 2
"""Searches in a room before an innocent moves on: who stays for good is easy prey, and finds no bodies."""


def pick(rng: np.random.Generator, choices: Sequence[str]) -> str:
    """One of several, uniformly."""
    return choices[int(rng.random() * len(choices))]


def explore(notes: Notes, rng: np.random.Generator) -> str:
    """Search a room a few times, then go on to a room near by that was searched least."""
    room, hall = notes.room, notes.plan.hall
    if room != hall and notes.stay < PATIENCE:
        return "search"
    near = [other for other in notes.plan.near[room] if other != hall] or list(notes.plan.near[room])
    least = min(notes.searched[other] for other in near)
    return f"go:{pick(rng, [other for other in near if notes.searched[other] == least])}"


def innocent_act(notes: Notes, legal: Sequence[str], rng: np.random.Generator) -> str:
    """Take the key to the door; else explore."""
    if "escape" in legal:
        return "escape"
    if notes.has_key:
        return f"go:{pick(rng, notes.plan.steps(notes.room, notes.plan.hall))}"
    return explore(notes, rng)


class Hunter:
    """How a murderer acts: it kills a lone companion and leaves; else it looks for one, or for the key.

    Args:
        boldness: Chance to kill a lone companion when it may.
    """

    def __init__(self, boldness: float) -> None:
        self.boldness = boldness
        self.kills: list[tuple[Seat, int]] = []

    def act(self, notes: Notes, legal: Sequence[str], rng: np.random.Generator) -> str:
        """A move among the legal ones."""
        prey = [move.removeprefix(KILL) for move in legal if move.startswith(KILL)]
        if prey:
            victim = self._victim(notes, prey, rng)
            if victim:
                self.kills.append((victim, notes.round))
                notes.gone.add(victim)
                notes.innocent.add(victim)
                return KILL + victim
        if self.kills and self.kills[-1][1] == notes.round - 1 and not notes.gathered:
            return f"go:{pick(rng, notes.plan.near[notes.room])}"
        witnesses = [seat for seat in notes.company if seat not in notes.partners]
        if len(witnesses) == 1 and not notes.gathered:
            return "search" if notes.room != notes.plan.hall else "wait"
        if notes.room == notes.plan.hall or len(witnesses) > 1 or rng.random() < 0.5:
            return f"go:{pick(rng, notes.plan.near[notes.room])}"
        return "search"

    def _victim(self, notes: Notes, prey: Sequence[Seat], rng: np.random.Generator) -> Seat | None:
        alive = [seat for seat in notes.living if seat not in notes.gone]
        guilty = 1 + sum(seat in alive for seat in notes.partners)
        if 2 * guilty >= len(alive) - 1:
            return pick(rng, prey)  # the last kill that is needed: witnesses don't matter
        if len(prey) == 1 and rng.random() < self.boldness:
            return prey[0]
        return None
