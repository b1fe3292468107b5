"""Seats and sides: who sits at the table and for whom they play."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

Seat = str
"""A player's place, `player_0` and up; PettingZoo's agent name."""


class Side(StrEnum):
    """For whom a role plays."""

    DECEIVERS = "deceivers"
    TRUTHFUL = "truthful"
    NONE = "none"


def seat_names(count: int) -> tuple[Seat, ...]:
    """Name `count` seats.

    >>> seat_names(2)
    ('player_0', 'player_1')
    """
    return tuple(f"player_{i}" for i in range(count))


def rotated(seats: Sequence[Seat], start: int) -> tuple[Seat, ...]:
    """Seat order that begins at `start` (taken modulo the number of seats).

    >>> rotated(("player_0", "player_1", "player_2"), 4)
    ('player_1', 'player_2', 'player_0')
    """
    k = start % len(seats)
    return (*seats[k:], *seats[:k])


def listed(seats: Iterable[Seat]) -> str:
    """Seats as a readable list for messages."""
    return ", ".join(seats) or "nobody"
