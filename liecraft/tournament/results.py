"""Scores of a run, computed from its traces and kept beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from liecraft.agents.catalog import MODELLED
from liecraft.agents.pool import ModelSpec
from liecraft.engine.config import checked
from liecraft.evaluators.measures import Price, score
from liecraft.tournament.store import Run, write_json


def score_run(run: Run) -> dict[str, Any]:
    """Score all closed games of a run.

    Returns:
        `play` and `timings`, as `liecraft.evaluators.measures.score` gives them.

    Raises:
        TraceError: A trace is broken.
    """
    return score(run.traces(), prices(run))


def prices(run: Run) -> dict[str, Price | None]:
    """What a million prompt and completion tokens of each modelled entrant cost, where the run's config says.

    Raises:
        ConfigError: The manifest holds what no tournament takes.
    """
    entrants = (run.manifest.get("config") or {}).get("entrants") or {}
    found: dict[str, Price | None] = {}
    for name, given in entrants.items():
        if isinstance(given, Mapping) and given.get("agent") in MODELLED:
            params = {key: value for key, value in given.items() if key != "agent"}
            price = checked(ModelSpec, params, f"{run.path / 'manifest.json'}: entrant {name!r}").price
            found[name] = (price.prompt, price.completion) if price else None
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
