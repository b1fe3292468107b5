"""PettingZoo's door to the murder game: `murder_v0.env(seats=5)`, `raw_env`, `parallel_env`.

Versions: v0, first release.
"""

from liecraft.engine.registry import doors

env, raw_env, parallel_env = doors("liecraft.games.murder.env:MurderEnv")

__all__ = ["env", "parallel_env", "raw_env"]
