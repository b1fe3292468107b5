"""What an info-passing game shows a seat in numbers, beside what every game shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from liecraft.engine.config import GameConfig
from liecraft.engine.features import Features, Vector
from liecraft.engine.ledger import Event
from liecraft.engine.seats import Seat, Side
from liecraft.games.info_passing.config import InfoPassingConfig

Value = str | int


class InfoPassingFeatures(Features):
    """Adds what the events of the game tell. `values` counts the values of all slots, in the slots' order.

    Layout of what is added to the public vector: whether i speaks to j `[seats * seats]`; audited values
    `[values]`; values in reports, as a share of the sinks `[values]`; values that each seat claims to have
    heard `[seats * values]` and to have sent `[seats * values]`.
    Layout of what is added to the private vector: bulletin `[values]`; targets `[slots]`; partners `[seats]`;
    the last value of each slot heard from each seat, unmarked `[seats * values]`; the last sent `[values]`.
    """

    def __init__(
        self, config: GameConfig, seats: Sequence[Seat], roles: Mapping[str, Side], phases: Sequence[str]
    ) -> None:
        super().__init__(config, seats, roles, phases)
        slots = cast(InfoPassingConfig, config).slots
        self._value = {
            value: i for i, value in enumerate(value for words in slots.values() for value in words)
        }
        self._slot = {slot: i for i, slot in enumerate(slots)}
        self._span = {slot: (self._value[words[0]], len(words)) for slot, words in slots.items()}
        n, v = len(seats), len(self._value)
        self._links = self.public_size
        self._audit = self._links + n * n
        self._reported = self._audit + v
        self._claimed = {"heard": self._reported + v, "sent": self._reported + v + n * v}
        self.public_size = self._reported + v + 2 * n * v
        self._bulletin = self.private_size
        self._targets = self._bulletin + v
        self._partners = self._targets + len(slots)
        self._arrived = self._partners + n
        self._own = self._arrived + n * v
        self.private_size = self._own + v

    def start(self, public: Vector, private: Sequence[Vector]) -> None:
        """Set the vectors to the state before the first event."""
        super().start(public, private)
        self._sinks = 1

    def see_public(self, vector: Vector, event: Event) -> None:
        """Update for the graph, reports, the audit and what is claimed in it."""
        kind, actor, data = event
        if kind == "graph":
            self._sinks = len(data["sinks"])
            for speaker, listener in data["edges"]:
                a, b = self.seat_index[speaker], self.seat_index[listener]
                vector[self._links + a * len(self.seat_index) + b] = 1
        elif kind == "audit":
            self._mark(vector, self._audit, data["slots"])
        elif kind == "report":
            for _, value in data["slots"]:
                if value is not None:
                    at = self._reported + self._value[value]
                    vector[at] = min(vector[at] + 1 / self._sinks, 1)
        else:
            if kind == "speech" and actor is not None:
                self._testify(vector, self.seat_index[actor], data["claims"])
            super().see_public(vector, event)

    def see_private(self, vector: Vector, event: Event, seat: int) -> None:
        """Update for the bulletin, the mission, and what is heard and sent."""
        kind, actor, data = event
        if kind == "heard" and actor is not None:
            start = self._arrived + self.seat_index[actor] * len(self._value)
            stated = [claim[1:] for claim in data["claims"] if claim[0] == "slot_is"]
            self._replace(vector, start, [said for said in stated if said[0] not in data["marked"]])
        elif kind == "speech":
            stated = [claim[1:] for claim in data["claims"] if claim[0] == "slot_is"]
            self._replace(vector, self._own, stated)
        elif kind == "bulletin":
            self._mark(vector, self._bulletin, data["slots"])
        elif kind == "mission":
            for slot in data["targets"]:
                vector[self._targets + self._slot[slot]] = 1
            for partner in data["partners"]:
                vector[self._partners + self.seat_index[partner]] = 1
        else:
            super().see_private(vector, event, seat)

    def _mark(self, vector: Vector, start: int, slots: Iterable[Sequence[str]]) -> None:
        for _, value in slots:
            vector[start + self._value[value]] = 1

    def _replace(self, vector: Vector, start: int, stated: Iterable[Sequence[str]]) -> None:
        for slot, value in stated:
            first, count = self._span[slot]
            vector[start + first : start + first + count] = 0
            vector[start + self._value[value]] = 1

    def _testify(self, vector: Vector, seat: int, claims: Iterable[Sequence[Value]]) -> None:
        for claim in claims:
            start = self._claimed.get(str(claim[0]))
            if start is not None:
                vector[start + seat * len(self._value) + self._value[str(claim[-1])]] = 1
