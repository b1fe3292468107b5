"""The kit with which every game's tests prove its promises: `check_game(env_fn)`, one line a game.

Each check is a function of its own in a module of this package, and fails with `CheckFailed`, by name.
"""

from __future__ import annotations

from liecraft.testing.failure import CheckFailed
from liecraft.testing.kit import Report, check_game
from liecraft.testing.noninterference import Tally
from liecraft.testing.secrets import Secrets, other_worlds, told_by

__all__ = ["CheckFailed", "Report", "Secrets", "Tally", "check_game", "other_worlds", "told_by"]
