"""`liecraft compare` and `liecraft export`."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console
from rich.text import Text

from liecraft.cli.show import open_run
from liecraft.evaluators.comparison import compare


def compare_runs(first: Path, second: Path, runs: Path, as_json: bool) -> None:
    """Say how two runs differ, by which test."""
    one, other = open_run(first, runs), open_run(second, runs)
    result = compare(
        one.traces(),
        other.traces(),
        names=(one.path.name, other.path.name),
        manifests=(one.manifest, other.manifest),
    )
    if as_json:
        print(json.dumps(result.as_json(), indent=1, ensure_ascii=False, allow_nan=False))  # noqa: T201  # data
        return
    console = Console()
    console.print(Text(result.answer, style="bold"))
    for row in result.rows:
        console.print(Text(f"- {row.sentence}"))
    for note in result.notes:
        console.print(Text(note, style="dim"))


def export_run(run: Path, form: str, out: Path | None, runs: Path) -> None:
    """Write a run's tables."""
    from liecraft.report.frames import export

    opened = open_run(run, runs)
    for path in export(opened, out or opened.path / "export", form):
        Console().print(Text(str(path)), soft_wrap=True)
