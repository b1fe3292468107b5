"""PettingZoo's door to conflicting evidence: `conflicting_evidence_v0.env(seats=4)`, `raw_env`, `parallel_env`.

Versions: v0, first release.
"""

from liecraft.engine.registry import doors

env, raw_env, parallel_env = doors("liecraft.games.conflicting_evidence.env:ConflictingEvidenceEnv")

__all__ = ["env", "parallel_env", "raw_env"]
