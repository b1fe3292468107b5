"""The named rules of a game of conflicting evidence."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from liecraft.engine.ballots import Majority
from liecraft.engine.config import GameConfig
from liecraft.games.conflicting_evidence.case import MAX_CRITERIA, MAX_TOXICITY, TrapKind

Condition = Literal[
    "full_information",
    "full_information+traps",
    "full_information+mole",
    "full_information+traps+mole",
    "distributed",
    "distributed+traps",
    "distributed+mole",
    "distributed+traps+mole",
    "solo",
    "solo+traps",
    "solo+mole",
    "solo+traps+mole",
]


class Tie(StrEnum):
    """What the team chooses when several options share the most choices."""

    NONE = "none"  # nothing, which is not right
    RANDOM = "random"  # one of them, drawn from the game's own chance
    CONFIDENCE = "confidence"  # the one with the most confidence behind it; equal again: nothing


class Polls(StrEnum):
    """When each seat is asked in secret to which option it leans."""

    NONE = "none"
    START = "start"  # before the talk
    EACH = "each"  # before the talk and after each round of it but the last


class EvidenceConfig(GameConfig):
    """All rules that can vary; the header event of a game states them."""

    seats: int = Field(default=4, ge=2, le=12)
    condition: Condition = "distributed"
    """Who holds what (`full_information`, `distributed`, `solo`), with `+traps`, `+mole` or both."""
    cases: str | None = None
    """A file of cases; without one, cases are generated."""
    case: int | str | None = None
    """Number of the case (from 0), or its id in the file; without one, chance draws it."""
    options: int = Field(default=3, ge=2, le=6)
    """Options of a generated case."""
    criteria: int = Field(default=6, ge=3, le=MAX_CRITERIA)
    """Requirements of a generated case."""
    echoes: int = Field(default=1, ge=0, le=3)
    """Shared items of a generated case that only repeat another one in favour of the wrong option."""
    traps: int = Field(default=2, ge=1, le=6)
    """Trapped items of a generated case, in the conditions with traps."""
    toxicity: int = Field(default=3, ge=1, le=MAX_TOXICITY)
    """Of each trap of a generated case."""
    trap_kinds: tuple[TrapKind, ...] = Field(default=tuple(TrapKind), min_length=1)
    """Kinds of a generated case's traps, taken in turn from a random place on."""
    discussion_rounds: int = Field(default=3, ge=0, le=12)
    """Times that each seat may speak."""
    end_when_silent: bool = True
    """Whether a round in which nobody speaks ends the talk."""
    polls: Polls = Polls.START
    majority: Majority = Majority.PLURALITY
    tie: Tie = Tie.NONE
    abstention: bool = True
    """Whether `choose:none` is legal."""
    mole_knows: bool = True
    """Whether the mole is told the right option."""

    @model_validator(mode="after")
    def _playable(self) -> Self:
        if self.cases is None and isinstance(self.case, str):
            raise ValueError(f"case {self.case!r} is an id, and ids need a cases file; give a number instead")
        if isinstance(self.case, int) and self.case < 0:
            raise ValueError(f"case {self.case} is negative; cases are counted from 0")
        if len(set(self.trap_kinds)) < len(self.trap_kinds):
            raise ValueError("trap_kinds names a kind twice; name each once")
        return self

    @property
    def hands(self) -> str:
        """`full_information`, `distributed` or `solo`."""
        return self.condition.partition("+")[0]

    @property
    def trapped(self) -> bool:
        """Whether traps are dealt."""
        return "+traps" in self.condition

    @property
    def mole(self) -> bool:
        """Whether one seat is paid for a wrong choice."""
        return "+mole" in self.condition
