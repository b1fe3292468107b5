"""The trace's format, version 1: one JSON object a line, described for people in docs/trace-format.md.

Writers build plain dicts of these shapes; the models guard the reading side and make the JSON Schema.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from liecraft.engine.agent import DEFAULTED as AGENT_DEFAULTED
from liecraft.engine.agent import How
from liecraft.engine.errors import LieCraftError

VERSION = 1

HOW = tuple(str(how) for how in How)
"""How moves come about, in the order in which tables show it."""
DEFAULTED = tuple(str(how) for how in How if how in AGENT_DEFAULTED)
"""Those that stand for a default move played in the agent's stead."""

Audience = Literal["everyone", "engine"] | list[str]


class TraceError(LieCraftError):
    """A trace that can't be read or written: names the file, the line and the fault."""


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    game: str
    """Which game of the run, `g000042`."""


class GameLine(_Line):
    """Opens a game."""

    type: Literal["game"]
    v: Literal[1]
    env: str
    env_version: str
    liecraft: str
    config: dict[str, Any]
    """The full configuration, defaults included."""
    seed: int
    seats: dict[str, str]
    """Seat to entrant."""
    lang: str
    prompts: str | None = None
    """Digest of the templates of models' prompts; left out by versions that did not note it."""
    probes: dict[str, Any] | None = None
    """When beliefs were asked for (`every`, `after`); left out where they were not."""


class EventLine(_Line):
    """One ledger entry."""

    type: Literal["event"]
    i: int = Field(ge=0)
    """Place in the ledger, from 0."""
    kind: str
    actor: str | None
    data: dict[str, Any]
    audience: Audience


class UsageData(BaseModel):
    """Tokens of one call; null is unknown, never 0."""

    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: int | None
    completion: int | None
    cached: int | None


class CallLine(_Line):
    """One model call, written when its answer arrives and before the game acts on it."""

    type: Literal["call"]
    i: int = Field(ge=0)
    """Length of the ledger when the model was asked."""
    seat: str
    model: str
    kept: int = Field(ge=0)
    """Messages that this prompt shares with the beginning of the seat's previous one."""
    messages: list[dict[str, str]]
    """The prompt's messages after those."""
    text: str
    finish_reason: str | None
    refusal: str | None
    error: str | None
    """Why the call failed, in one line; then there is no text."""
    usage: UsageData
    attempts: int
    seconds: float
    probe: bool = False
    """Whether a belief was asked for, aside from the game; left out where it was not."""


class CompactionLine(_Line):
    """A seat's prompt was rebuilt to fit its context budget."""

    type: Literal["compaction"]
    i: int = Field(ge=0)
    """Length of the ledger at that time."""
    seat: str
    dropped: int
    """Events of old talk that the prompt no longer shows, or shows without their words."""


class MoveLine(_Line):
    """One decision."""

    type: Literal["move"]
    i: int = Field(ge=0)
    """Length of the ledger before the move."""
    seat: str
    phase: str
    round: int
    move: str
    how: str
    legal: int
    """Number of legal moves there were."""
    thought: str | None
    """Private reasoning; no seat ever sees it."""
    seconds: float
    loop: str | None = None
    """Which loop a seat that a model plays has run into; left out where there is none."""
    refused: str | None = None
    """Why the rules refused the reply before this one, or the one that the default stands in for; left out where none was."""


class Failure(BaseModel):
    """Why a game did not come to its end."""

    model_config = ConfigDict(extra="forbid", strict=True)

    seat: str | None
    kind: str
    message: str


class CloseLine(_Line):
    """Closes a game; a game exists once this line is on disk."""

    type: Literal["close"]
    status: Literal["finished", "truncated", "failed"]
    winner: str | None
    reason: str | None
    rewards: dict[str, float]
    digest: str
    """SHA-256 of the ledger."""
    events: int
    moves: int
    failure: Failure | None
    seconds: float


Line = Annotated[
    GameLine | EventLine | CallLine | CompactionLine | MoveLine | CloseLine, Field(discriminator="type")
]
LINE: TypeAdapter[GameLine | EventLine | CallLine | CompactionLine | MoveLine | CloseLine] = TypeAdapter(Line)


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of one line."""
    schema = LINE.json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "LieCraft trace line",
        **schema,
    }


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=1))  # noqa: T201  # `python -m liecraft.trace.schema` makes the file in docs/
