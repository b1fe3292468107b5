"""Counting votes under named rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from liecraft.engine.seats import Seat

ABSTAIN = "none"


class TieRule(StrEnum):
    """What happens when several seats share the most votes."""

    NONE = "none"  # nobody is chosen
    RANDOM = "random"  # one of them, drawn from the game's own chance
    RUNOFF = "runoff"  # one more vote among them; a second tie chooses nobody
    ALL = "all"  # every one of them


class Majority(StrEnum):
    """How many votes are needed."""

    PLURALITY = "plurality"  # more than anybody else, abstentions not counted
    ABSOLUTE = "absolute"  # more than half of all ballots, abstentions counted


class Count(NamedTuple):
    """The result of a count.

    Attributes:
        top: Seats with the most votes that also meet the majority rule; more than one is a tie.
        tally: Votes for each seat named, and for `none`.
    """

    top: tuple[Seat, ...]
    tally: dict[str, int]


def count(ballots: Mapping[Seat, str], majority: Majority = Majority.PLURALITY) -> Count:
    """Count ballots (voter to seat or `none`).

    >>> count({"player_0": "player_1", "player_1": "none", "player_2": "player_1"}).top
    ('player_1',)
    >>> count({"player_0": "player_1", "player_1": "none", "player_2": "none"}, Majority.ABSOLUTE).top
    ()
    """
    tally = Counter(ballots.values())
    named = {seat: votes for seat, votes in tally.items() if seat != ABSTAIN}
    most = max(named.values(), default=0)
    if majority is Majority.ABSOLUTE and 2 * most <= len(ballots):
        most = 0
    top = tuple(sorted(seat for seat, votes in named.items() if most and votes == most))
    return Count(top, dict(sorted(tally.items())))
