"""`liecraft replay RUN --verify`."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from liecraft.cli.show import open_run
from liecraft.tournament.verify import Verdict, verify

SHOWN = 5
"""Differences that are printed one by one."""


def verify_run(path: Path, game: str | None, as_json: bool, runs: Path) -> None:
    """Play a run again from its recording and say whether it comes out the same; exit code 1 if it doesn't."""
    run = open_run(path, runs)
    games = calls = 0
    wrong: list[Verdict] = []
    for verdict in verify(run, game):
        games += 1
        calls += verdict.calls
        if verdict.difference is not None:
            wrong.append(verdict)
            if not as_json and len(wrong) <= SHOWN:
                typer.echo(verdict.difference)
    if as_json:
        told = [{"game": verdict.game, "difference": verdict.difference} for verdict in wrong]
        print(json.dumps({"games": games, "calls": calls, "different": told}))  # noqa: T201  # data goes to stdout
    elif wrong:
        typer.echo(f"{run.path.name}: {len(wrong)} of {games} games differ from their recording")
        if own := run.manifest.get("own_code"):
            typer.echo(
                f"{', '.join(own)}: played again by their code; what such agents ask of models themselves is not recorded"
            )
    else:
        typer.echo(f"{run.path.name}: {games} games played again, {calls} calls recalled, all digests equal")
    if wrong:
        raise typer.Exit(1)
