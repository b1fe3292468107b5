"""The named rules of an info-passing game."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from liecraft.engine.ballots import Majority
from liecraft.engine.config import GameConfig
from liecraft.games.info_passing import graph

SLOTS: Mapping[str, tuple[str, ...]] = {
    "who": ("baker", "miller", "smith", "weaver", "cooper"),
    "where": ("harbour", "chapel", "bridge", "market", "quarry"),
    "when": ("dawn", "noon", "dusk", "midnight"),
    "how_many": ("two", "three", "four", "five", "six"),
}
"""The default bulletin: its slots and what each may say."""

_WORD = re.compile(r"[a-z][a-z0-9_]*\Z")


class Topology(StrEnum):
    """How seats are linked; the last seat is the sink of all but `edges`."""

    CHAIN = "chain"  # 0 to 1 to 2 ...
    RING = "ring"  # a chain that closes: the last seat speaks to the first
    TREE = "tree"  # a binary tree, leaves are sources, the root is the sink
    SMALL_WORLD = "small_world"  # a chain with shortcuts
    SCALE_FREE = "scale_free"  # each seat speaks to some that many speak to
    EDGES = "edges"  # as `edges` says


class NoiseKind(StrEnum):
    """What noise does to a slot."""

    BLANK = "blank"  # the value is lost
    GARBLE = "garble"  # another value arrives
    MIXED = "mixed"  # either, evenly


class Tie(StrEnum):
    """What happens to seats that tie for the last place among the named."""

    NONE = "none"  # none of them is named
    RANDOM = "random"  # as many as there are places, drawn from the game's own chance
    ALL = "all"  # every one of them is named


class InfoPassingConfig(GameConfig):
    """All rules that can vary; the header event of a game states them."""

    seats: int = Field(default=6, ge=3, le=20)
    topology: Topology = Topology.CHAIN
    edges: tuple[tuple[int, int], ...] = ()
    """For `topology: edges` only: (speaker, listener) pairs of seat numbers."""
    sources: tuple[int, ...] = ()
    """For `topology: edges` only: who holds the bulletin; empty means all to whom nobody speaks."""
    sinks: tuple[int, ...] = ()
    """For `topology: edges` only: who reports; empty means all who speak to nobody."""
    shortcuts: float = Field(default=0.5, ge=0, le=1)
    """Small world: chance of a shortcut for each link of the chain."""
    attachments: int = Field(default=2, ge=1, le=5)
    """Scale-free: to how many seats each one speaks, where there are so many."""
    slots: dict[str, tuple[str, ...]] = Field(default=dict(SLOTS), min_length=1, max_length=8)
    """The bulletin's slots, each with its vocabulary."""
    targets: int = Field(default=2, ge=1, le=8)
    """Slots whose report counts; saboteurs are told which."""
    saboteurs: int = Field(default=1, ge=0, le=6)
    """Dealt among the seats that are not sinks."""
    informed: bool = True
    """Whether saboteurs know the bulletin."""
    partners: bool = True
    """Whether saboteurs know each other."""
    waves: int = Field(default=1, ge=1, le=10)
    """Times that the relay runs; without a value 2 on a ring and 1 elsewhere."""
    noise: float = Field(default=0.05, ge=0, le=1)
    """Chance for each slot on each link and wave to be hit."""
    noise_kind: NoiseKind = NoiseKind.MIXED
    noise_marked: float = Field(default=0.5, ge=0, le=1)
    """Chance that the listener is told of a hit."""
    audit_slots: int = Field(default=3, ge=0, le=8)
    """Slots of the bulletin that the audit discloses."""
    question_rounds: int = Field(default=1, ge=0, le=5)
    """Times that each seat may question a neighbour."""
    suspects: int = Field(default=1, ge=1, le=6)
    """Seats that each ballot names, and places among the named; without a value one for each saboteur."""
    majority: Majority = Majority.PLURALITY
    tie: Tie = Tie.NONE
    abstention: bool = True
    """Whether `name:none` is legal."""
    self_vote: bool = False
    """Whether a seat may name itself."""
    blank_damage: float = Field(default=0.5, ge=0, le=1)
    """Damage of a target slot that the report leaves open; a wrong one counts 1."""
    false_naming: float = Field(default=0.25, ge=0, le=1)
    """Added to the saboteurs' score if all who are named are honest, in proportion if some are."""
    win_at: float = Field(default=0.5, ge=0, le=1)
    """Score above which the saboteurs win, and below which the honest seats do."""
    rewards: Literal["graded", "winner"] = "graded"
    """`graded`: the saboteurs' side gets 2 * score - 1; `winner`: +1 or -1."""

    @model_validator(mode="before")
    @classmethod
    def _dependent_defaults(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        filled = dict(data)
        if filled.get("topology") == Topology.RING:
            filled.setdefault("waves", 2)
        saboteurs = filled.get("saboteurs", 1)
        if isinstance(saboteurs, int) and saboteurs > 1:
            filled.setdefault("suspects", saboteurs)
        return filled

    @model_validator(mode="after")
    def _playable(self) -> Self:
        self._check_slots()
        for name in ("targets", "audit_slots"):
            if getattr(self, name) > len(self.slots):
                raise ValueError(f"{name} is {getattr(self, name)}, but there are {len(self.slots)} slots")
        if self.topology is Topology.EDGES:
            graph.check(self.seats, self.edges, self.sources, self.sinks)
        elif self.edges or self.sources or self.sinks:
            raise ValueError("edges, sources and sinks go with topology: edges only")
        senders = self.seats - (self._count_sinks() if self.topology is Topology.EDGES else 1)
        if self.saboteurs >= senders:
            raise ValueError(
                f"saboteurs is {self.saboteurs}, but must be below the {senders} seats that are not sinks"
            )
        if self.suspects >= self.seats:
            raise ValueError(f"suspects is {self.suspects}, but must be below the {self.seats} seats")
        return self

    def _count_sinks(self) -> int:
        return len(graph.ends(self.seats, self.edges, self.sources, self.sinks)[1])

    def _check_slots(self) -> None:
        seen: dict[str, str] = {}
        for slot, values in self.slots.items():
            if not 2 <= len(values) <= 12:
                raise ValueError(f"slot {slot!r} needs 2 to 12 values, got {len(values)}")
            for word in (slot, *values):
                if not _WORD.match(word):
                    raise ValueError(f"{word!r} in slots: use small letters, digits and _")
            for value in values:
                if value in seen:
                    raise ValueError(
                        f"value {value!r} stands in slots {seen[value]!r} and {slot!r}: rename one"
                    )
                seen[value] = slot
