"""What a game of conflicting evidence shows a seat in numbers, beside what every game shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from liecraft.engine.config import GameConfig
from liecraft.engine.features import Features, Vector
from liecraft.engine.ledger import Data, Event
from liecraft.engine.seats import Seat, Side
from liecraft.games.conflicting_evidence.case import (
    LETTERS,
    MAX_AUTHORITY,
    MAX_CRITERIA,
    MAX_ITEMS,
    MAX_OPTIONS,
    MAX_TOXICITY,
    MEETS,
    OTHER,
)
from liecraft.games.conflicting_evidence.config import EvidenceConfig

REPORT_SCALE = 8
AGE_SCALE = 20
SLOT_FACTS = 6


def option_count(config: EvidenceConfig) -> int:
    """Options that the tables of moves and features have room for; a file's cases may have fewer."""
    return config.options if config.cases is None else MAX_OPTIONS


def criterion_count(config: EvidenceConfig) -> int:
    """Requirements that the features have room for."""
    return config.criteria if config.cases is None else MAX_CRITERIA


def hand_size(config: EvidenceConfig) -> int:
    """Items that a hand can hold at most."""
    if config.cases is not None:
        return MAX_ITEMS
    return config.options * config.criteria + config.echoes + (config.traps if config.trapped else 0)


class EvidenceFeatures(Features):
    """Adds the reports heard, the preferences voiced, and the seat's own items.

    Layout of what is added to the public vector: for each option and each requirement (then `other`) the
    reports that it meets and that it fails, each / 8 `[options * (requirements + 1) * 2]`; for each seat the
    option it last said it prefers, one-hot `[seats * options]`.
    Layout of what is added to the private vector: for each slot of the hand its option one-hot, its criterion
    one-hot (`other` last), then verdict (1 meets, 0 fails), authority / 5, age in years / 20, emphasis / 5,
    whether the source derives from another item, and 1 if the slot is filled
    `[slots * (options + requirements + 1 + 6)]`; the right option, if told, one-hot `[options]`.
    """

    def __init__(
        self, config: GameConfig, seats: Sequence[Seat], roles: Mapping[str, Side], phases: Sequence[str]
    ) -> None:
        super().__init__(config, seats, roles, phases)
        own = cast(EvidenceConfig, config)
        self._options, self._columns = option_count(own), criterion_count(own) + 1
        self._reports = self.public_size
        self._prefer = self._reports + self._options * self._columns * 2
        self.public_size = self._prefer + len(seats) * self._options
        self._slots = self.private_size
        self._width = self._options + self._columns + SLOT_FACTS
        self._answer = self._slots + hand_size(own) * self._width
        self.private_size = self._answer + self._options
        self._column: dict[str, int] = {}
        self._today = 0

    def see_public(self, vector: Vector, event: Event) -> None:
        """Update for the case and for what is said of it."""
        if event.kind == "case":
            criteria, today = event.data["criteria"], event.data["today"]
            self._column = {criterion["id"]: i for i, criterion in enumerate(criteria)}
            self._column[OTHER] = self._columns - 1
            self._today = int(today[:4]) if today else 0
            return
        super().see_public(vector, event)
        if event.kind == "speech":
            for predicate, *args in event.data["claims"]:
                if predicate == "says":
                    _, option, criterion, verdict = args
                    row = LETTERS.index(option) * self._columns + self._column[criterion]
                    at = self._reports + 2 * row + (verdict != MEETS)
                    vector[at] = min(vector[at] + 1 / REPORT_SCALE, 1)
                elif predicate == "prefer":
                    start = self._prefer + self.seat_index[event.actor or ""] * self._options
                    vector[start : start + self._options] = 0
                    vector[start + LETTERS.index(args[0])] = 1

    def see_private(self, vector: Vector, event: Event, seat: int) -> None:
        """Update for an item of the hand or the mole's briefing."""
        if event.kind == "evidence":
            self._fill(vector, event.data)
        elif event.kind == "briefing":
            vector[self._answer + LETTERS.index(event.data["answer"])] = 1
        else:
            super().see_private(vector, event, seat)

    def _fill(self, vector: Vector, data: Data) -> None:
        start = self._slots + data["slot"] * self._width
        if data["option"] is not None:
            vector[start + LETTERS.index(data["option"])] = 1
            vector[start + self._options + self._column[data["criterion"]]] = 1
        at = start + self._options + self._columns
        date = data["date"]
        age = max(0, self._today - int(date[:4])) if date and self._today else 0
        vector[at : at + SLOT_FACTS] = (
            data["verdict"] == MEETS,
            (data["authority"] or 0) / MAX_AUTHORITY,
            min(age / AGE_SCALE, 1),
            data["emphasis"] / MAX_TOXICITY,
            data["derives"] is not None,
            1,
        )
