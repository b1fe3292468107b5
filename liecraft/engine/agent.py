"""The agent protocol: a view and a request in, a reply out. An agent never holds an env or a ledger."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from liecraft.engine.claims import Claim, Vocabulary
from liecraft.engine.ledger import View
from liecraft.engine.seats import Seat


class How(StrEnum):
    """How a move came about. From `fallback` on they are default moves played in the agent's stead."""

    SCRIPTED = "scripted"  # computed by code: bots, RL policies
    HUMAN = "human"
    STRUCTURED = "structured"  # the whole reply was the JSON asked for
    REPAIRED = "repaired"  # JSON found inside other text
    MENU = "menu"  # an exact move id or a menu number
    REASKED = "reasked"  # usable only at the second asking
    FALLBACK = "fallback"  # no answer: refusal, empty text
    INVALID = "invalid"  # an answer that names no one legal move, twice
    TRUNCATED = "truncated"  # cut off by the token limit, twice
    BUDGET = "budget"  # the seat's budget was used up
    LOOP = "loop"  # the seat went round in circles, and the rule says not to let it


DEFAULTED = frozenset({How.FALLBACK, How.INVALID, How.TRUNCATED, How.BUDGET, How.LOOP})


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a seat: everything here follows from the seat's own view.

    Attributes:
        game: Registered name with version, `murder_v0`.
        seat: Who is asked.
        phase: The kind of decision.
        round: Game round, counted from 0.
        legal: Ids of the legal moves, in the order of the move table.
        default: The phase's documented default move.
        words: Whether the move may carry words.
        vocabulary: The game's claims; None for a game without.
        error: Why the previous reply to this same request was refused, if it was.
    """

    game: str
    seat: Seat
    phase: str
    round: int
    legal: tuple[str, ...]
    default: str
    words: bool = False
    vocabulary: Vocabulary | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """An agent's decision.

    Attributes:
        move: Move id.
        text: What is said, if the phase has words.
        claims: The checkable part of it.
        how: How the move came about.
        thought: Private reasoning; stored for evaluators, never shown to a seat.
    """

    move: str
    text: str = ""
    claims: tuple[Claim, ...] = ()
    how: How = How.SCRIPTED
    thought: str | None = None


class Agent(Protocol):
    """Who decides for a seat. Scripted agents answer at once, models return an awaitable."""

    def act(self, view: View, request: Request) -> Reply | Awaitable[Reply]:
        """Decide on one request."""
        ...


@runtime_checkable
class Believer(Protocol):
    """An agent that can also be asked what it believes. Being asked must not change how it plays on."""

    def probe(
        self, view: View, seats: Sequence[Seat]
    ) -> Mapping[Seat, float] | Awaitable[Mapping[Seat, float] | None] | None:
        """Probability in [0, 1] of each of these seats to be a deceiver; None, or left out, where it can't say."""
        ...


@runtime_checkable
class Closing(Protocol):
    """An agent that holds something open, such as a client; it is told to let go when its game has ended."""

    def close(self) -> Awaitable[None] | None:
        """Let go."""
        ...
