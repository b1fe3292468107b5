from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from liecraft.report.html import write_report
from liecraft.tournament.store import Run
from tests.report.browser import Browser, chromium
from tests.report.made import by_hand, failing, hostile, long_game, scripted


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Scripted games, games with hostile words of models, a long one with beliefs, failed ones."""
    folder = tmp_path_factory.mktemp("runs")
    return [scripted(folder, 60), hostile(folder), by_hand(folder, "long", long_game), failing(folder)]


@pytest.fixture(scope="module")
def report(runs: list[Run], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the report on `runs`."""
    return write_report(runs, tmp_path_factory.mktemp("report") / "out").parent
