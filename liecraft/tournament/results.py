"""Scores of a run, computed from its traces and kept beside them."""

from __future__ import annotations

from typing import Any

from liecraft.evaluators.measures import score
from liecraft.tournament.store import Run, write_json


def score_run(run: Run) -> dict[str, Any]:
    """Score all closed games of a run.

    Returns:
        `play` and `timings`, as `liecraft.evaluators.measures.score` gives them.

    Raises:
        TraceError: A trace is broken.
    """
    return score(run.traces())


def save_scores(run: Run) -> dict[str, Any]:
    """Score a run and write `results.json`.

    Raises:
        TraceError: A trace is broken.
        RunError: The file can't be written.
    """
    scores = score_run(run)
    write_json(run.path / "results.json", scores)
    return scores
