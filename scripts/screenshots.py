"""Make the pictures in docs/screenshots: play each game among scripted agents, report, photograph the pages.

Run it at the root of the checkout, with chromium and chromedriver on the PATH:

    python -m scripts.screenshots [--games 300]
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from liecraft.report.html import write_report
from liecraft.tournament.run import Tournament
from liecraft.tournament.store import Run
from tests.report.browser import Browser, chromium

FOLDER = Path("docs/screenshots")
WIDTH = 1280
RUNS: dict[str, dict[str, Any]] = {
    "murder": {
        "entrants": ["detective", "liar", "honest", "accuser", "silent"],
        "config": {"seats": 5},
    },
    "info_passing": {
        "entrants": ["bayes", "saboteur", "honest", "silent", "random"],
    },
    "conflicting_evidence": {
        "entrants": ["bayes", "mole", "honest", "naive", "silent"],
        "config": {"condition": "distributed+mole"},
    },
}
"""What is played; beliefs are asked for after talk is over, so that calibration curves have something to show."""


def play(folder: Path, games: int) -> list[Run]:
    """One run of each game."""
    runs = []
    for game, fields in RUNS.items():
        sys.stderr.write(f"playing {games} games of {game}\n")
        tournament = Tournament(
            name=game, game=game, seed=7, games=games, probes={"every": 20}, runs=folder, **fields
        )
        runs.append(tournament.run(progress=False))
    return runs


def telling_game(run: Run) -> str:
    """A game in which a deceiver lies often and is voted on: one that shows what a replay can."""
    best, found = -1, ""
    for trace in run.traces():
        lies = sum(v["class"] == "lie" for event in trace.of("verdicts") for v in event["data"]["verdicts"])
        if lies > best:
            best, found = lies, trace.game
    return found


def size(browser: Browser, height: int) -> None:
    """Give the window this much room for the page."""
    frame = int(browser.ask("return window.outerHeight - window.innerHeight"))
    browser.driver.set_window_size(WIDTH, height + frame)


def save(browser: Browser, name: str) -> None:
    """Photograph what the window shows."""
    picture = Image.open(io.BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")
    path = FOLDER / f"{name}.png"
    few = picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)  # keeps rare colours
    few.save(path, optimize=True)
    sys.stderr.write(f"{path}: {picture.width} x {picture.height}, {path.stat().st_size // 1000} kB\n")


def photograph(browser: Browser, runs: list[Run], report: Path) -> None:
    """Every page: the report of each game, the list, a replay through two pairs of eyes."""
    browser.open(report, "index.html")
    only = "document.querySelectorAll('section.run, nav.runs').forEach((s) => { s.hidden = s.id !== arguments[0]; })"
    for number, run in enumerate(runs):
        browser.ask(only, f"run{number}")
        size(browser, 800)
        size(browser, int(browser.ask("return document.documentElement.scrollHeight")))
        save(browser, f"report-{run.path.name}")
    size(browser, 800)
    browser.open(report, "games.html?run=0&entrant=liar&side=deceivers&claim=lie")
    save(browser, "games")
    game = telling_game(runs[0])
    browser.open(report, f"replay.html?run=0&game={game}")
    lie = browser.ask("return [...document.querySelectorAll('#log li.has-lie')].pop().dataset.step")
    browser.open(report, f"replay.html?run=0&game={game}#as=god&step={int(lie) + 1}")
    save(browser, "replay-god")
    truthful = next(seat for seat, side in runs[0].trace(game).sides.items() if side == "truthful")
    browser.open(report, f"replay.html?run=0&game={game}#as={truthful}")
    save(browser, "replay-seat")


def main() -> None:
    """Play, report, photograph."""
    parser = argparse.ArgumentParser(description="Make the pictures in docs/screenshots.")
    parser.add_argument("--games", type=int, default=300, help="games of each run")
    games = parser.parse_args().games
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        runs = play(folder / "runs", games)
        report = write_report(runs, folder / "report").parent
        with chromium(folder / "profile") as browser:
            photograph(browser, runs, report)


if __name__ == "__main__":
    main()
