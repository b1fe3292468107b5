"""Scores of a run, computed from its traces and kept beside them."""

from __future__ import annotations

from typing import Any

from liecraft.agents.pool import EMBEDDED
from liecraft.evaluators.measures import Price, score
from liecraft.tournament.store import Run, write_json

FREE = {"prompt": 0.0, "completion": 0.0}


def score_run(run: Run) -> dict[str, Any]:
    """Score all closed games of a run.

    Returns:
        `play` and `timings`, as `liecraft.evaluators.measures.score` gives them.

    Raises:
        TraceError: A trace is broken.
    """
    return score(run.traces(), prices(run))


def prices(run: Run) -> dict[str, Price | None]:
    """What a million prompt and completion tokens of each entrant cost; None where its config doesn't say."""
    found: dict[str, Price | None] = {}
    for name, given in run.manifest.get("config", {}).get("entrants", {}).items():
        asked = given if isinstance(given, dict) else {}
        price = asked.get("price") or (FREE if asked.get("model") == EMBEDDED else None)
        found[name] = None if price is None else (price["prompt"], price["completion"])
    return found


def save_scores(run: Run) -> dict[str, Any]:
    """Score a run and write `results.json`.

    Raises:
        TraceError: A trace is broken.
        RunError: The file can't be written.
    """
    scores = score_run(run)
    write_json(run.path / "results.json", scores)
    return scores
