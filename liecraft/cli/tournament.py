"""`liecraft tournament` and `liecraft scores`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import typer

from liecraft.cli.show import open_run
from liecraft.engine.errors import ConfigError
from liecraft.tournament.results import save_scores, score_run
from liecraft.tournament.run import Tournament

STOPPED = 3
"""Exit code of a run that has used up its budget."""


@dataclass(frozen=True, slots=True)
class Ways:
    """How a tournament is to be run; as in `Tournament.run`."""

    resume: bool = False
    retry_failed: bool = False
    workers: int = 1
    ray: str | None = None


def run_tournament(
    config: Path, runs: Path, name: str | None, ways: Ways, quiet: bool, as_json: bool
) -> None:
    """Play a tournament, then print where it is and how it came out; exit code 1 if no game came to an end."""
    if ways.retry_failed and not ways.resume:
        raise ConfigError("--retry-failed goes with --resume: a new run has no failed games")
    if ways.ray is not None and ways.workers > 1:
        raise ConfigError("--workers and --ray are two ways of doing the same: give one of them")
    tournament = Tournament(config, runs=runs, name=name)
    run = tournament.run(progress=not quiet, **asdict(ways))
    scores = save_scores(run)
    if as_json:
        _print_json({"run": str(run.path), "used": tournament.tally.as_json(), **scores})
    elif not quiet:
        from liecraft.report.tables import print_scores

        print_scores(scores)
    sys.stderr.write(f"run: {run.path}\n")
    if tournament.interrupted:
        sys.stderr.write("interrupted: what had finished is kept; go on with --resume\n")
        raise typer.Exit(128 + tournament.interrupted)
    if tournament.stopped:
        sys.stderr.write(f"stopped: {tournament.stopped}; raise it and go on with --resume\n")
        raise typer.Exit(STOPPED)
    games = scores["play"]["games"]
    if games["failed"] == sum(games.values()):
        raise typer.Exit(1)


def show_scores(run: Path, runs: Path, as_json: bool, all_: bool = False) -> None:
    """Score a stored run and print it; with `all_`, every figure of every measure."""
    scores = score_run(open_run(run, runs))
    if as_json:
        _print_json(scores)
        return
    if all_:
        from liecraft.report.figures import print_figures

        print_figures(scores)
        return
    from liecraft.report.tables import print_scores

    print_scores(scores)


def _print_json(data: Any) -> None:
    print(json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False))  # noqa: T201  # data goes to stdout
