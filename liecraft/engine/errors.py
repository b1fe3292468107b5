"""Every error that LieCraft raises on purpose; each message is one line a user can act on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class LieCraftError(Exception):
    """Base of all errors that are the user's or the agent's to mend."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Cross process boundaries whatever a subclass's constructor takes: with text and attributes as they are."""
        return _rebuilt, (type(self), self.args, self.__dict__)


class ConfigError(LieCraftError):
    """A configuration that can't be played: says what is wrong, where, and the mend."""


class UnknownName(ConfigError):
    """A name that is not in its table; the nearest right one is offered."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        choices = sorted(known)
        near = difflib.get_close_matches(name, choices, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        super().__init__(f"unknown {what} {name!r}: {hint}known: {', '.join(choices) or 'none'}")


class IllegalMove(LieCraftError):
    """A move that is not legal for this seat now; nothing has changed.

    The text depends on the move and on nothing hidden, so that it can't betray a role.
    """

    def __init__(self, move: str) -> None:
        super().__init__(f"{move} is not one of your legal moves now")
        self.move = move


class GameOver(LieCraftError):
    """A move was played after the end."""


def _rebuilt(kind: type[LieCraftError], args: tuple[Any, ...], state: dict[str, Any]) -> LieCraftError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error
