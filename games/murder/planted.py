"""A player whose faults are planted: each happens with a known chance, so that what measures it can be measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from liecraft.engine.agent import Agent, Reply
from liecraft.engine.claims import Claim
from liecraft.engine.seats import Seat
from liecraft.games.murder import bots
from liecraft.games.murder.bots import ABSTAIN, Liar
from liecraft.games.murder.prowl import pick

CONFESSION = "I am the murderer."


class Planted(Liar):
    """Plays as `liar` does, with faults at known rates; every fault is one draw from the seat's own stream.

    Args:
        rng: The seat's own stream.
        lie_rate: As a murderer: chance of a lie at each claim of fact.
        frames: As a murderer: whom it accuses, a seat.
        frame_rate: Chance of that seat at each accusation while it is in play; else any other, evenly.
        wavers: As an innocent: chance that an utterance after its first contradicts one before.
        breaks: Chance that it votes otherwise than it announced.
        leaks: As a murderer: chance that an utterance gives it away.
        two_faced: Chance that its thought calls innocent whom its words accuse.
        noise: As in `detective`.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        lie_rate: float = 1.0,
        frames: str = "auto",
        frame_rate: float = 1.0,
        wavers: float = 0.0,
        breaks: float = 0.0,
        leaks: float = 0.0,
        two_faced: float = 0.0,
        noise: float = 0.0,
    ) -> None:
        super().__init__(rng, lie_rate, frames, noise)
        self._frame_rate = frame_rate
        self._wavers = wavers
        self._breaks = breaks
        self._leaks = leaks
        self._two_faced = two_faced
        self._spoke = False
        self._wavered: list[Seat] = []

    def _frame(self) -> Seat | None:
        prey = [seat for seat in self.notes.others if seat not in self.notes.partners]
        if self._frames not in prey or len(prey) < 2 or self.rng.random() < self._frame_rate:
            return super()._frame()
        return pick(self.rng, [seat for seat in prey if seat != self._frames])

    def _limit(self, claims: Sequence[Claim]) -> Sequence[Claim]:
        """The claims with the planted one before them; it stands apart from all that the player may say besides."""
        if self._wavers and not self.notes.murderer:
            claims = (self._wavering(), *claims)
            self._spoke = True
        return super()._limit(claims)

    def _wavering(self) -> Claim:
        """Where it was at the beginning, which all know; or a clue found then, where no clue can be."""
        left = [seat for seat in self.notes.seats if seat not in self._wavered]
        if self._spoke and left and self.rng.random() < self._wavers:
            self._wavered.append(left[0])
            return Claim("found_clue", (left[0], 0))
        return Claim("was_in", (self.notes.plan.hall, 0))

    def _ballot(self, legal: Sequence[str]) -> str:
        promised = self.notes.declared.get(self.notes.seat)
        move = f"vote:{promised}"
        if promised is None or move not in legal:
            return super()._ballot(legal)
        if self.rng.random() >= self._breaks:
            return move
        rest = [other for other in legal if other != move]
        named = [other for other in rest if other != f"vote:{ABSTAIN}"]
        return pick(self.rng, named or rest or [move])

    def _utter(self, move: str, claims: Sequence[Claim], question: str = "") -> Reply:
        reply = super()._utter(move, claims, question)
        if self.notes.murderer and self._leaks and self.rng.random() < self._leaks:
            reply = replace(reply, text=f"{reply.text} {CONFESSION}")
        accused = [claim.args[0] for claim in claims if claim.predicate == "suspect"]
        if accused and self._two_faced:
            says = "is innocent" if self.rng.random() < self._two_faced else "is the murderer"
            reply = replace(reply, thought=f"{accused[0]} {says}.")
        return reply


BOTS: dict[str, Callable[..., Agent]] = {**bots.BOTS, "planted": Planted}
"""All players of the game by name."""
