"""A trace of the game of conflicting evidence, as its measures read it."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

from liecraft.evaluators.game import Game, Seat
from liecraft.trace.reader import Trace

CONFIDENCE = {"low": 0.4, "medium": 0.7, "high": 0.95}
"""Level of confidence to the probability that the rules say it stands for."""


class Choice(NamedTuple):
    """A seat's final choice; `option` is None for an abstention, `confidence` then too."""

    seat: Seat
    option: str | None
    confidence: float | None
    right: bool


class Table:
    """One game of conflicting evidence.

    Args:
        trace: A trace of that game.
    """

    def __init__(self, trace: Trace) -> None:
        self.game = Game.read(trace)
        self.world: dict[str, Any] = next(self.game.of("world"))["data"]
        case = self.world["case"]
        self.case_id = str(case["id"])
        self.answer, self.decoy = str(case["answer"]), case["decoy"]
        self.items = {str(item["id"]): item for item in case["items"]}
        self.hands = dict(zip(self.game.entrants, self.world["hands"], strict=True))
        self.condition = str(self.game.header["config"]["condition"])

    @cached_property
    def holders(self) -> dict[str, list[Seat]]:
        """Item to the seats that hold it."""
        return {item: [seat for seat, hand in self.hands.items() if item in hand] for item in self.items}

    @cached_property
    def unshared(self) -> list[str]:
        """Sound items that one seat alone holds."""
        return [
            item
            for item, seats in self.holders.items()
            if len(seats) == 1 and not self.items[item].get("trap")
        ]

    @cached_property
    def spoken(self) -> dict[str, tuple[int, Seat]]:
        """Item to where, and by whom, it was first said what it says (truly or not), or that it is held."""
        found: dict[str, tuple[int, Seat]] = {}
        for speech in self.game.speeches:
            if speech.at < self.chosen_at:
                for told in speech.told:
                    if told.claim[0] in ("says", "cites"):
                        found.setdefault(str(told.claim[1]), (speech.at, speech.speaker))
        return found

    @cached_property
    def chosen_at(self) -> int:
        """Place of the final choices in the ledger."""
        return next((int(event["i"]) for event in self.game.of("choices")), len(self.game.events))

    @cached_property
    def choices(self) -> list[Choice]:
        """All final choices."""
        return [
            Choice(seat, None if option == "none" else option, CONFIDENCE.get(level), option == self.answer)
            for event in self.game.of("choices")
            for seat, option, level, _ in event["data"]["choices"]
        ]

    @cached_property
    def leanings(self) -> dict[Seat, list[tuple[int, str]]]:
        """For each seat, the options that it leaned to, in secret, with the places in the ledger."""
        found: dict[Seat, list[tuple[int, str]]] = {}
        for event in self.game.of("sealed"):
            verb, _, option = event["data"]["move"].partition(":")
            if verb == "lean":
                found.setdefault(event["actor"], []).append((event["i"], option))
        return found


def is_evidence(trace: Trace) -> bool:
    """Whether a trace is one of this game."""
    return str(trace.header["env"]).startswith("conflicting_evidence")
