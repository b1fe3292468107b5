"""Game configurations: pydantic at the border, one readable line when one is wrong."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from liecraft.engine.errors import ConfigError

Model = TypeVar("Model", bound=BaseModel)


class GameConfig(BaseModel):
    """What every game's configuration has; a game adds its own named rules."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seats: int = Field(ge=2, le=20)
    max_text: int = Field(default=600, ge=0, le=20_000)
    """Characters of an utterance that are heard; the rest is cut off."""
    max_claims: int = Field(default=6, ge=0, le=50)
    """Claims of an utterance that are heard; the rest is cut off."""


def checked(model: type[Model], data: Mapping[str, Any], where: str) -> Model:
    """Validate `data`, or say in one line what is wrong, where, and the mend.

    Args:
        model: The pydantic model.
        data: Untrusted mapping.
        where: How to name the place in the message, e.g. `murder_v0 config`.

    Raises:
        ConfigError: With the first fault found.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise ConfigError(f"{where}: {explain(error, model)}") from None


def explain(error: ValidationError, model: type[BaseModel]) -> str:
    """The first fault of a validation error, as one line; a misspelt key goes before what it leaves missing."""
    faults = error.errors(include_url=False)
    fault = next((each for each in faults if each["type"] == "extra_forbidden"), faults[0])
    path = ".".join(str(part) for part in fault["loc"])
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    if fault["type"] == "extra_forbidden":
        if len(fault["loc"]) > 1:  # inside another model, whose keys are not at hand
            return f"unknown key {path!r}{more}"
        near = difflib.get_close_matches(path, model.model_fields, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(model.model_fields)}"
        return f"unknown key {path!r}; {hint}{more}"
    message = str(fault["msg"]).removeprefix("Value error, ")
    if fault["type"] == "missing":
        return f"{path!r} is missing{more}"
    if fault["type"] == "value_error":
        return f"{path}: {message}{more}" if path else f"{message}{more}"
    shown = repr(fault["input"])
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return f"{path}: {message[0].lower()}{message[1:]}, got {shown}{more}"
