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


def print_line(console: Console, shown: Shown) -> None:
    """Print one line; what only some know is marked by colour. Agents' words are never read as markup."""
    if shown.audience == "engine":
        style = "dim magenta"
    elif shown.audience == "everyone":
        style = _STYLES.get(shown.kind, "yellow")
    else:
        style = "cyan"
    console.print(Text(shown.text, style=style), soft_wrap=True)
