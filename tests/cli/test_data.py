import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from liecraft import Tournament


def play(runs: Path, name: str, **fields: Any) -> None:
    entrants = ["detective", "liar", "honest", "silent", "random", "accuser"]
    given: dict[str, Any] = {"config": {"seats": 5}, "seed": 3, "games": 36, **fields}
    Tournament(name=name, game="murder", entrants=entrants, runs=runs, **given).run(progress=False)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    play(folder, "one")
    play(folder, "other", config={"seats": 5, "discussion_rounds": 0})
    return folder


def liecraft(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "liecraft", *arguments], capture_output=True, text=True, check=False
    )


def test_compare_answers_in_a_sentence_and_names_its_test(runs: Path) -> None:
    done = liecraft("compare", "one", "other", "--runs", str(runs))
    assert done.returncode == 0, done.stderr
    assert "discussion_rounds" in done.stdout  # the rules differ, and it says so
    assert any(word in done.stdout for word in ("McNemar", "sign-flip", "two-proportion", "Fisher"))


def test_compare_gives_data(runs: Path) -> None:
    done = liecraft("compare", "one", "one", "--json", "--runs", str(runs))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"]


def test_export_names_the_files_it_wrote(runs: Path, tmp_path: Path) -> None:
    done = liecraft("export", "one", "--format", "jsonl", "--out", str(tmp_path), "--runs", str(runs))
    assert done.returncode == 0, done.stderr
    assert sorted(Path(line).name for line in done.stdout.split()) == sorted(
        f"{name}.jsonl" for name in ("games", "seats", "moves", "claims", "probes", "scores")
    )
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 36


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("compare", "one", "nothere"), "nothere"),
        (("export", "nothere"), "nothere"),
        (("export", "one", "--format", "xls"), "unknown format 'xls'"),
    ],
)
def test_what_is_not_there_is_one_line_and_exit_code_2(
    runs: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = liecraft(*arguments, "--runs", str(runs))
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
