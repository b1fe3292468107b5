"""What a murder game shows a seat in numbers, beside what every game shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from liecraft.engine.config import GameConfig
from liecraft.engine.features import ROUND_SCALE, Features, Vector
from liecraft.engine.ledger import Event
from liecraft.engine.seats import Seat, Side
from liecraft.games.murder.config import MurderConfig

CLUE_SCALE = 8


class MurderFeatures(Features):
    """Adds what the private events of the game tell.

    Layout of what is added to the private vector: own room one-hot `[rooms]`; for each seat its last seen
    room one-hot `[seats * rooms]` and the round of that sighting / 64 `[seats]`; clues found against each
    seat / 8 `[seats]`; holds the key `[1]`; seats known as murderers by sight `[seats]`; seats whose body it
    has seen `[seats]`.
    """

    def __init__(
        self, config: GameConfig, seats: Sequence[Seat], roles: Mapping[str, Side], phases: Sequence[str]
    ) -> None:
        super().__init__(config, seats, roles, phases)
        rooms = sorted(cast(MurderConfig, config).graph())
        self._room = {room: i for i, room in enumerate(rooms)}
        n, r = len(seats), len(rooms)
        self._own = self.private_size
        self._seen = self._own + r
        self._when = self._seen + n * r
        self._clues = self._when + n
        self._key = self._clues + n
        self._killer = self._key + 1
        self._body = self._killer + n
        self.private_size = self._body + n

    def see_private(self, vector: Vector, event: Event, seat: int) -> None:
        """Update for what the room showed, what was found and what was witnessed."""
        kind, _, data = event
        if kind == "room":
            self._look(vector, data["room"], data["here"], data["round"])
            for victim in data["bodies"]:
                vector[self._body + self.seat_index[victim]] = 1
        elif kind == "found":
            if data["item"] == "clue":
                at = self._clues + self.seat_index[data["seat"]]
                vector[at] = min(vector[at] + 1 / CLUE_SCALE, 1)
            elif data["item"] == "key":
                vector[self._key] = 1
        elif kind == "witness":
            vector[self._killer + self.seat_index[data["killer"]]] = 1
        elif kind == "partner":
            vector[self._killer + self.seat_index[data["seat"]]] = 1
        else:
            super().see_private(vector, event, seat)

    def _look(self, vector: Vector, room: str, here: Sequence[Seat], round_: int) -> None:
        at, rooms = self._room[room], len(self._room)
        vector[self._own : self._seen] = 0
        vector[self._own + at] = 1
        when = min(round_ / ROUND_SCALE, 1)
        for other in here:
            i = self.seat_index[other]
            start = self._seen + i * rooms
            vector[start : start + rooms] = 0
            vector[start + at] = 1
            vector[self._when + i] = when
