"""`liecraft report`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from liecraft.cli.show import open_run


def report_runs(given: Sequence[Path], out: Path | None, runs: Path) -> None:
    """Write the report of these runs and say where it is."""
    from liecraft.report.html import write_report

    found = [open_run(run, runs) for run in given]
    index = write_report(found, out or found[0].path / "report")
    sys.stderr.write(f"report: {index}\n")
