"""The named rules of a murder game."""

from __future__ import annotations

import re
from functools import cache
from typing import Self

import networkx as nx
from pydantic import BaseModel, ConfigDict, Field, model_validator

from liecraft.engine.ballots import Majority, TieRule
from liecraft.engine.config import GameConfig
from liecraft.engine.seats import Side

ROOMS = ("library", "kitchen", "salon", "study", "cellar", "gallery", "garden", "attic")
MANOR = (
    *(("hall", room) for room in ROOMS),
    *zip(ROOMS, (*ROOMS[1:], ROOMS[0]), strict=True),
)
"""The default manor: corridors between rooms; eight rooms in a ring around the hall."""

_ROOM = re.compile(r"[a-z][a-z0-9_]*\Z")


@cache
def _graph(manor: tuple[tuple[str, str], ...]) -> nx.Graph[str]:
    graph: nx.Graph[str] = nx.freeze(nx.Graph(manor))
    return graph


class Shaping(BaseModel):
    """Optional rewards on the way, all off by default; each is taken from the other side at the end.

    A seat is paid at once only for what it knows itself; so a reward never tells a secret.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    clue: float = Field(default=0.0, ge=0, le=1)
    """For a truthful seat that finds a clue, at once."""
    kill: float = Field(default=0.0, ge=0, le=1)
    """For a murderer that kills, at once."""
    right_vote: float = Field(default=0.0, ge=0, le=1)
    """For each vote of a truthful seat against a murderer, paid when the game ends."""


class MurderConfig(GameConfig):
    """All rules that can vary; the header event of a game states them."""

    seats: int = Field(default=6, ge=4, le=12)
    murderers: int = Field(default=1, ge=1, le=2)
    """Two are allowed from seven seats; they know each other."""
    manor: tuple[tuple[str, str], ...] = MANOR
    """Corridors of the manor, an undirected connected graph."""
    hall: str = "hall"
    """Room in which all begin and meet, with the front door."""
    rounds: int = Field(default=8, ge=2, le=60)
    """Rounds until dawn."""
    dawn: Side = Side.DECEIVERS
    """Who wins if a murderer is still in play after dawn: `none` is a draw."""
    dawn_meeting: bool = True
    """Whether all meet and vote a last time at dawn."""
    first_kill: int = Field(default=2, ge=1, le=60)
    """First round in which a murderer may kill."""
    cooldown: int = Field(default=1, ge=0, le=20)
    """Rounds that a murderer must let pass after a kill."""
    darkness: float = Field(default=0.7, ge=0, le=1)
    """Chance that an innocent doesn't make out another seat in its room in a round; murderers see all."""
    discussion_rounds: int = Field(default=2, ge=0, le=10)
    """Times that each living seat speaks before a vote."""
    clues: int = Field(default=12, ge=0, le=60)
    """Clues hidden in the manor."""
    clue_odds: float = Field(default=2.3, ge=1, le=1000)
    """How many times likelier a clue is to name a given murderer than a given innocent; 1 tells nothing."""
    clutter: int = Field(default=13, ge=0, le=50)
    """Worthless things hidden among the clues, for each seat; a search that turns one up finds nothing."""
    key: bool = True
    """Whether a key to the front door is hidden."""
    tie: TieRule = TieRule.NONE
    majority: Majority = Majority.PLURALITY
    abstention: bool = True
    """Whether `vote:none` is legal."""
    self_vote: bool = False
    """Whether a seat may vote for itself."""
    reveal: bool = True
    """Whether a banished seat's role is told."""
    shaping: Shaping = Shaping()

    @model_validator(mode="after")
    def _playable(self) -> Self:
        if self.murderers == 2 and self.seats < 7:
            raise ValueError(f"two murderers need at least 7 seats, got {self.seats}; use murderers: 1")
        bad = [room for corridor in self.manor for room in corridor if not _ROOM.match(room)]
        if bad:
            raise ValueError(f"room name {bad[0]!r} in manor: use small letters, digits and _")
        if any(a == b for a, b in self.manor):
            raise ValueError("a corridor in manor leads from a room to itself")
        graph = self.graph()
        if self.hall not in graph:
            raise ValueError(f"hall {self.hall!r} is not a room of the manor: {', '.join(sorted(graph))}")
        if not nx.is_connected(graph):
            raise ValueError("manor is not connected: every room must be reachable from the hall")
        return self

    def graph(self) -> nx.Graph[str]:
        """The manor as a graph of rooms; made once a process, and frozen."""
        return _graph(self.manor)
