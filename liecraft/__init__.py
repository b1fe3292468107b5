"""LieCraft: a laboratory for deception among language-model agents.

>>> import liecraft
>>> "murder_v0" in liecraft.list_games()
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from liecraft.arena import play
    from liecraft.engine.errors import ConfigError, IllegalMove, LieCraftError
    from liecraft.engine.moves import Move, Words
    from liecraft.engine.registry import list_games, make
    from liecraft.report.frames import load
    from liecraft.tournament.run import Tournament
    from liecraft.tournament.store import Run

__version__ = "0.1.0"

# Loaded on first use: importing the package must stay as light as the command line.
_EXPORTS = {
    "ConfigError": "liecraft.engine.errors",
    "IllegalMove": "liecraft.engine.errors",
    "LieCraftError": "liecraft.engine.errors",
    "Move": "liecraft.engine.moves",
    "Words": "liecraft.engine.moves",
    "Run": "liecraft.tournament.store",
    "Tournament": "liecraft.tournament.run",
    "list_games": "liecraft.engine.registry",
    "load": "liecraft.report.frames",
    "make": "liecraft.engine.registry",
    "play": "liecraft.arena",
}

__all__ = [
    "ConfigError",
    "IllegalMove",
    "LieCraftError",
    "Move",
    "Run",
    "Tournament",
    "Words",
    "list_games",
    "load",
    "make",
    "play",
]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'liecraft' has no attribute {name!r}")
    value = getattr(import_module(_EXPORTS[name]), name)
    globals()[name] = value
    return value
