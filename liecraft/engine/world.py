"""The world of a game: everything that chance deals, as one plain frozen value."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Self

from pydantic import TypeAdapter, ValidationError

from liecraft.engine.errors import ConfigError
from liecraft.engine.ledger import freeze, thaw


@dataclasses.dataclass(frozen=True, slots=True)
class World:
    """Everything that chance deals. A game subclasses it with frozen, JSON-able fields.

    Attributes:
        roles: Role of each seat, in seat order.
    """

    roles: tuple[str, ...]

    def as_data(self) -> dict[str, Any]:
        """Plain read-only data of all fields, for the ledger."""
        return {field: freeze(getattr(self, field)) for field in self.__match_args__}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Read a world back from what `as_data` (or a trace) holds; keys of other things are passed over.

        Raises:
            ConfigError: The data doesn't fit the fields.
        """
        wanted = {key: value for key, value in thaw(data).items() if key in cls.__match_args__}
        try:
            return TypeAdapter(cls).validate_python(wanted)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            path = ".".join(str(part) for part in fault["loc"])
            raise ConfigError(f"world: {path}: {fault['msg'].lower()}") from None
