"""The numeric view: float features in [0, 1] that follow events as they reach their audience.

Features see events and nothing else, so they can't show what the view doesn't hold. Public events update
one vector that all seats share; any other event updates the private vectors of its audience.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from liecraft.engine.ledger import Event
from liecraft.engine.seats import Seat, Side

if TYPE_CHECKING:
    from liecraft.engine.config import GameConfig

Vector = NDArray[np.float32]

ROUND_SCALE = 64
"""Rounds are shown as round / 64, capped at 1."""


class Features:
    """What any game shows in numbers: phase, round, who lives, the last ballots, who was accused; own role.

    A game extends it with its own events.

    Args:
        config: The game's configuration.
        seats: All seats in order.
        roles: Role name to side.
        phases: Names of the game's phases.

    Layout of the public vector: phase one-hot `[phases]`, round `[1]`, living `[seats]`, votes received in
    the last ballot as a share of the ballots `[seats]`, whether i ever accused j `[seats * seats]`.
    Layout of the private vector: own seat one-hot `[seats]`, own role one-hot `[roles]`.
    """

    def __init__(
        self, config: GameConfig, seats: Sequence[Seat], roles: Mapping[str, Side], phases: Sequence[str]
    ) -> None:
        self.config = config
        self.seat_index = {seat: i for i, seat in enumerate(seats)}
        self.role_index = {role: i for i, role in enumerate(roles)}
        self.phase_index = {phase: i for i, phase in enumerate(phases)}
        n = len(seats)
        self._round = len(phases)
        self._living = self._round + 1
        self._votes = self._living + n
        self._accused = self._votes + n
        self.public_size = self._accused + n * n
        self.private_size = n + len(roles)

    def start(self, public: Vector, private: Sequence[Vector]) -> None:
        """Set the vectors to the state before the first event."""
        public[:] = 0
        public[self._living : self._votes] = 1
        for i, vector in enumerate(private):
            vector[:] = 0
            vector[i] = 1

    def see_public(self, vector: Vector, event: Event) -> None:
        """Update the shared vector for an event that everyone sees."""
        kind, actor, data = event
        if kind == "speech":
            self._hear(vector, actor, data["claims"])
        elif kind == "phase":
            vector[: self._round] = 0
            vector[self.phase_index[data["phase"]]] = 1
            vector[self._round] = min(data["round"] / ROUND_SCALE, 1)
        elif kind == "ballots":
            votes = data["votes"]
            vector[self._votes : self._accused] = 0
            for _, target in votes:
                if target in self.seat_index:
                    vector[self._votes + self.seat_index[target]] += 1
            vector[self._votes : self._accused] /= len(votes)
        elif kind == "dead":
            for seat in data["seats"]:
                vector[self._living + self.seat_index[seat]] = 0

    def see_private(self, vector: Vector, event: Event, seat: int) -> None:
        """Update one seat's vector for an event that it sees and others may not."""
        if event.kind == "role":
            vector[len(self.seat_index) + self.role_index[event.data["role"]]] = 1

    def _hear(self, vector: Vector, actor: Seat | None, claims: Sequence[Sequence[str | int]]) -> None:
        if actor is None:
            return
        row = self._accused + self.seat_index[actor] * len(self.seat_index)
        for claim in claims:
            if claim[0] == "suspect":
                vector[row + self.seat_index[str(claim[1])]] = 1
