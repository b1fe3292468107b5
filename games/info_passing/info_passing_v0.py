"""PettingZoo's door to the info-passing game: `info_passing_v0.env(seats=6)`, `raw_env`, `parallel_env`.

Versions: v0, first release.
"""

from liecraft.engine.registry import doors

env, raw_env, parallel_env = doors("liecraft.games.info_passing.env:InfoPassingEnv")

__all__ = ["env", "parallel_env", "raw_env"]
