"""Conflicting evidence: a team must choose one of several options, and the evidence is spread, and not all sound."""
