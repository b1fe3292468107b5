"""What noise does to a message on its way, in its claims and in its words alike."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from liecraft.engine.claims import Claim
from liecraft.engine.moves import Words
from liecraft.games.info_passing.claims import Slots

VALUED = frozenset({"slot_is", "heard", "sent"})
"""Claims that end with a slot and its value, and so can be hit."""
LOST = "[lost]"
"""What stands in the text where a marked hit took a word."""


class Blow(NamedTuple):
    """One hit on one slot: how far the value shifts in its vocabulary (0: it is lost), and whether it is marked."""

    shift: int
    marked: bool

    @property
    def kind(self) -> str:
        """`garble` or `blank`."""
        return "garble" if self.shift else "blank"


class Arrival(NamedTuple):
    """A message as it arrives.

    Attributes:
        words: Text and claims after the noise.
        noise: Slot to the kind of hit, for slots whose hit changed something.
        marked: Those of them that the listener is told of.
    """

    words: Words
    noise: dict[str, str]
    marked: tuple[str, ...]


class Channel:
    """A noisy link between seats.

    Args:
        slots: Slot to its vocabulary.
    """

    __slots__ = ("_index", "_slots", "_words")

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._index = {slot: {value: i for i, value in enumerate(values)} for slot, values in slots.items()}
        self._words = {
            slot: re.compile(rf"(?<!\w)(?:{'|'.join(values)})(?!\w)", re.IGNORECASE | re.ASCII)
            for slot, values in slots.items()
        }

    def carry(self, words: Words, blows: Mapping[str, Blow]) -> Arrival:
        """Carry a message through its blows (slot to blow).

        Each statement of a struck slot's value is lost or changed, and so is each word of its vocabulary in
        the text; else the text would carry past the noise what the claims could not.
        """
        noise: dict[str, str] = {}
        text, claims = words
        for slot, blow in blows.items():
            struck = tuple(self._strike(claim, slot, blow) for claim in claims)
            dimmed = self._dim(text, slot, blow)
            if struck != claims or dimmed != text:
                noise[slot] = blow.kind
            text, claims = dimmed, tuple(claim for claim in struck if claim is not None)
        return Arrival(Words(text, claims), noise, tuple(slot for slot in noise if blows[slot].marked))

    def _other(self, slot: str, value: str, shift: int) -> str:
        values = self._slots[slot]
        return values[(self._index[slot][value] + shift) % len(values)]

    def _strike(self, claim: Claim, slot: str, blow: Blow) -> Claim | None:
        if claim.predicate not in VALUED or claim.args[-2] != slot:
            return claim
        if not blow.shift:
            return None
        value = self._other(slot, str(claim.args[-1]), blow.shift)
        return Claim(claim.predicate, (*claim.args[:-1], value))

    def _dim(self, text: str, slot: str, blow: Blow) -> str:
        if not text:
            return text

        def instead(found: re.Match[str]) -> str:
            if blow.shift:
                return self._other(slot, found.group().lower(), blow.shift)
            return LOST if blow.marked else ""

        return self._words[slot].sub(instead, text)
