"""Through whose eyes a game is shown, and how its lines look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from liecraft.engine.errors import ConfigError, UnknownName
from liecraft.report.transcript import GOD, PUBLIC, Shown

_STYLES = {"speech": "", "silence": "dim", "ballots": "bold", "outcome": "bold green", "phase": "bold blue"}


def resolve_eyes(seat: str | None, god: bool, seats: Sequence[str]) -> str:
    """`public`, `god` or a seat.

    Raises:
        ConfigError: Both were asked for, or the game has no such seat.
    """
    if seat is not None and god:
        raise ConfigError("--as and --god exclude each other: choose one")
    if seat is not None and seat not in seats:
        raise UnknownName("seat", seat, seats)
    return seat or (GOD if god else PUBLIC)


class Screen:
    """Prints a game's lines. What only some know is marked by colour; agents' words are never read as markup.

    Args:
        console: Where to.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = "phase"

    def show(self, shown: Shown | None) -> None:
        """Print one line, a phase's with an empty one above; nothing for None."""
        if shown is None:
            return
        if shown.kind == "phase" and self._last != "phase":
            self._console.print()
        self._last = shown.kind
        self._console.print(Text(shown.text, style=_style(shown)), soft_wrap=True)


def _style(shown: Shown) -> str:
    if shown.audience == "engine":
        return "dim magenta"
    return _STYLES.get(shown.kind, "yellow") if shown.audience == "everyone" else "cyan"
