"""Writing the report: a folder that opens from disk, offline, in any browser."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from liecraft.engine.errors import LieCraftError
from liecraft.report.html.shards import Shards, script
from liecraft.tournament.store import Run

STATIC = ("style.css", "common.js", "games.js", "replay.js", "beliefs.js")
PAGES = ("games.html", "replay.html")


class ReportError(LieCraftError):
    """A report that can't be made: says why, and the mend."""


def write_report(runs: Sequence[Run], out: Path) -> Path:
    """Make the report of one run or several, each in a section of its own: nothing is pooled.

    Args:
        runs: The runs.
        out: Folder to write; an older report in it is replaced.

    Returns:
        Path of the page to open.

    Raises:
        ReportError: matplotlib is missing, or the folder can't be written or holds something else.
        TraceError: A trace is broken.
        ConfigError: A game of a run is not installed here, or has no text in the run's language.
    """
    if find_spec("matplotlib") is None:
        raise ReportError("the report's plots need matplotlib: pip install 'liecraft[report]'")
    try:
        return _write(runs, out)
    except OSError as error:
        raise ReportError(f"can't write to {error.filename or out}: {error.strerror}") from None


def _write(runs: Sequence[Run], out: Path) -> Path:
    from liecraft.report.html.gather import Gatherer
    from liecraft.report.html.page import render, section

    data = _prepare(out)
    shards = Shards(data)
    gatherer = Gatherer(shards)
    read = [gatherer.read(run) for run in runs]
    shards.flush()
    known = [{"name": found.run.path.resolve().name, "env": found.env} for found in read]
    listed = script("LieCraft.games", {"names": gatherer.names.all, "runs": known, "games": gatherer.rows})
    (data / "games.js").write_text(listed, encoding="ascii")
    for name in STATIC:
        (out / name).write_bytes((files("liecraft.report.html") / "static" / name).read_bytes())
    for name in PAGES:
        (out / name).write_text(render(name), encoding="utf-8")
    index = out / "index.html"
    sections = [section(number, found) for number, found in enumerate(read)]
    index.write_text(render("index.html", sections=sections), encoding="utf-8")
    return index


def _prepare(out: Path) -> Path:
    """Make the folder, or clear it of an older report; returns its folder of data."""
    data = out / "data"
    if out.exists() and not out.is_dir():
        raise ReportError(f"{out} is a file: choose another --out")
    if out.exists() and any(out.iterdir()) and not (data / "games.js").is_file():
        raise ReportError(f"{out} holds something that is no report: choose another --out")
    data.mkdir(parents=True, exist_ok=True)
    for old in data.glob("replay-*.js"):
        old.unlink()
    (data / "games.js").write_text("", encoding="ascii")  # marks the folder as ours from the start
    return data
