"""examples/effects.py, run small: the effects that two games were built to show."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHOWN = {
    "full information beats distributed": 2,
    "traps of toxicity 1 cost naive more than bayes": 1,
    "traps of toxicity 3 cost naive more than bayes": 1,
    "traps of toxicity 5 cost naive more than bayes": 1,
    "... by more at toxicity 3 than at 1": 1,
    "... by more at toxicity 5 than at 3": 1,
    "saboteurs lower the report's fidelity": 4,
    "noise raises false accusations of honest relays": 3,
}


def effects(runs: Path, games: int) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-W",
        "error",
        "examples/effects.py",
        "--games",
        str(games),
        "--runs",
        str(runs),
    ]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_every_designed_effect_shows(tmp_path: Path) -> None:
    done = effects(tmp_path, 200)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    lines = done.stdout.splitlines()
    for what, bots in SHOWN.items():
        assert sum(line.startswith(what) and line.endswith("shows") for line in lines) == bots, done.stdout
    assert sum(line.endswith("shows") for line in lines) == sum(SHOWN.values())
    assert {path.name for path in tmp_path.iterdir()} == {
        "effects_conflicting_evidence",
        "effects_info_passing",
    }


@pytest.mark.slow
def test_what_a_few_games_cannot_show_is_not_said_to_show(tmp_path: Path) -> None:
    done = effects(tmp_path, 4)
    assert done.returncode == 1, done.stderr
    assert "DOES NOT SHOW" in done.stdout
