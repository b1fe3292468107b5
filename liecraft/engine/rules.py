"""What a game says: the class facts and the hooks that a new game fills in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from liecraft.engine.claims import Claim, Support, Vocabulary
from liecraft.engine.config import GameConfig
from liecraft.engine.features import Features
from liecraft.engine.moves import Words
from liecraft.engine.seats import Seat, Side
from liecraft.engine.world import World

C = TypeVar("C", bound=GameConfig)
W = TypeVar("W", bound=World)


class Rules(Generic[C, W]):
    """The part of `DeceptionEnv` that a game overrides; the engine calls it, never the other way round."""

    name: ClassVar[str]
    """Registered name with version."""
    version: ClassVar[str] = "0"
    """Changes when, and only when, behaviour does."""
    summary: ClassVar[str]
    Config: ClassVar[type[GameConfig]]
    World: ClassVar[type[Any]] = World
    Features: ClassVar[type[Features]] = Features
    roles: ClassVar[Mapping[str, Side]]
    phases: ClassVar[tuple[str, ...]]
    speaking: ClassVar[frozenset[str]] = frozenset()
    """Phases in which a move may carry words."""
    prompts: ClassVar[str]
    """Package that holds the game's templates, one folder a language."""
    bots: ClassVar[str] = ""
    """`module:mapping` of the game's scripted agents."""
    spectator: ClassVar[frozenset[str]] = frozenset()
    """Kinds of hidden events that an onlooker is shown beside the public ones, where these alone tell little."""
    untold: ClassVar[frozenset[str]] = frozenset()
    """Fields of the configuration that would tell a seat a secret; the game's header event leaves them out."""
    baseline: ClassVar[Mapping[str, str]] = {}
    """Role to the scripted agent that plays it carefully; seats nobody was named for get these."""

    def move_ids(self) -> Iterable[str]:
        """All move ids under this configuration, in a fixed order."""
        raise NotImplementedError

    def vocabulary(self) -> Vocabulary | None:
        """The claims that may be made; None for a game without claims."""
        return None

    def deal(self, rng: np.random.Generator) -> W:
        """Draw everything that chance decides before play."""
        raise NotImplementedError

    def open(self) -> None:
        """Set up state from `self.world`, tell secrets, begin the first phase."""
        raise NotImplementedError

    def legal(self, seat: Seat) -> tuple[int, ...]:
        """Indices of the seat's legal moves in this phase, ascending."""
        raise NotImplementedError

    def apply(self, seat: Seat, verb: str, target: str, words: Words) -> None:
        """Carry out a legal move."""
        raise NotImplementedError

    def advance(self) -> None:
        """Every turn of the phase is taken: resolve it, begin the next or finish."""
        raise NotImplementedError

    def default(self, seat: Seat) -> str:
        """Move id played in the stead of an agent without a usable answer."""
        raise NotImplementedError

    def truth(self, claim: Claim, speaker: Seat) -> bool | None:
        """Whether a claim is true now; None where that is not settled."""
        return None

    def support(self, claim: Claim, speaker: Seat) -> Support:
        """What the speaker's view says of the claim."""
        return Support.NONE

    def excludes(self, claim: Claim, other: Claim, speaker: Seat) -> bool:
        """Whether no world of the game, given what is public, satisfies both of one speaker's claims of fact."""
        return False

    def max_moves(self) -> int:
        """Hard cap on moves; the engine ends a longer game as truncated."""
        return 10_000
