from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import liecraft
from liecraft.tournament import store
from liecraft.tournament.results import save_scores, score_run
from liecraft.tournament.store import Run, RunError, create, write_json
from liecraft.trace.schema import TraceError
from tests.powerless import without_root

ROOT = Path(__file__).parents[2]
CUP: dict[str, Any] = {"name": "cup", "game": "murder", "entrants": ["liar", "honest"], "games": 12}


def played(runs: Path, **fields: Any) -> Run:
    return liecraft.Tournament({**CUP, **fields}, runs=runs).run(progress=False)


@contextmanager
def folder_of_others() -> Iterator[Path]:
    """A folder that this process may look into and not write to, even if it runs as root."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o555)
        try:
            with without_root():
                yield path
        finally:
            path.chmod(0o755)


def test_a_run_is_never_overwritten(tmp_path: Path) -> None:
    first = played(tmp_path, games=2)
    before = {path: path.read_bytes() for path in first.path.rglob("*") if path.is_file()}
    second, third = played(tmp_path, games=2, seed=1), played(tmp_path, games=2)
    assert [run.path.name for run in (first, second, third)] == ["cup", "cup-2", "cup-3"]
    assert second.manifest["name"] == "cup-2"
    assert {path: path.read_bytes() for path in first.path.rglob("*") if path.is_file()} == before


def test_a_manifest_tells_what_was_asked_for_and_with_what(tmp_path: Path) -> None:
    manifest = played(tmp_path, games=2, config={"seats": 5}).manifest
    assert manifest["config"]["game"] == "murder_v0"
    assert manifest["config"]["config"] == {"seats": 5}
    assert manifest["liecraft"] == liecraft.__version__
    assert {"pettingzoo", "numpy", "openai"} <= set(manifest["libraries"])
    again = liecraft.Tournament(manifest["config"], runs=tmp_path, name="again").run(progress=False)
    digests = [[trace.close["digest"] for trace in run.traces()] for run in (Run(tmp_path / "cup"), again)]
    assert digests[0] == digests[1]


def test_games_lie_in_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.SHARD == 1_000
    monkeypatch.setattr(store, "SHARD", 4)
    run = played(tmp_path, entrants=["default"], games=10, config={"seats": 4, "rounds": 2})
    assert sorted(path.name for path in (run.path / "traces").iterdir()) == [
        f"0000{i}.jsonl" for i in range(3)
    ]
    assert [trace.game for trace in run.traces()] == [f"g{i:06d}" for i in range(10)]
    assert run.trace("9").game == run.trace("g000009").game == "g000009"


@pytest.mark.parametrize("game", ["99", "g000099", "nonsense", "-1", "²", "9" * 5_000, ""])
def test_a_game_that_is_not_there_is_one_line(tmp_path: Path, game: str) -> None:
    run = played(tmp_path, games=2)
    with pytest.raises(RunError, match="has no finished game"):
        run.trace(game)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (None, "is not a run: it has no manifest.json"),
        ("", "is broken"),
        ('{"v": 1, "name"', "is broken"),
        ("7", "is broken"),
        ("[1]", "is broken"),
        ("[" * 100_000, "is broken"),
    ],
)
def test_a_missing_or_broken_manifest_is_one_line(tmp_path: Path, manifest: str | None, message: str) -> None:
    run = played(tmp_path, games=2)
    path = run.path / "manifest.json"
    path.unlink() if manifest is None else path.write_text(manifest)
    with pytest.raises(RunError) as caught:
        Run(run.path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_run_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "nowhere", tmp_path, tmp_path / "file"):
        with pytest.raises(RunError) as caught:
            Run(path)
        assert "\n" not in str(caught.value)


def test_a_half_written_run_keeps_what_had_finished(tmp_path: Path) -> None:
    """As a killed process leaves it: the last line torn, the last games unclosed, no results."""
    run = played(tmp_path)
    shard = run.path / "traces" / "00000.jsonl"
    shard.write_bytes(shard.read_bytes()[: shard.stat().st_size // 2])
    (run.path / ".results.json.123").write_text("{")
    games = [trace.game for trace in Run(run.path).traces()]
    assert 2 < len(games) < 10
    assert score_run(Run(run.path))["play"]["games"]["finished"] == len(games)


def test_a_run_without_traces_has_nothing_to_score(tmp_path: Path) -> None:
    run = played(tmp_path, games=2)
    (run.path / "traces" / "00000.jsonl").unlink()
    (run.path / "traces").rmdir()
    assert list(Run(run.path).traces()) == []
    assert score_run(run)["play"]["games"] == {"finished": 0, "truncated": 0, "failed": 0}


def test_a_shard_broken_inside_is_one_line_that_names_it(tmp_path: Path) -> None:
    run = played(tmp_path, games=2)
    shard = run.path / "traces" / "00000.jsonl"
    lines = shard.read_text().splitlines(keepends=True)
    shard.write_text("".join([*lines[:5], lines[5][:30], *lines[6:]]))
    with pytest.raises(TraceError, match=r"00000\.jsonl:6: "):
        score_run(run)


def test_a_folder_that_can_not_be_written_to_is_one_line_and_nothing_starts() -> None:
    tournament = liecraft.Tournament(CUP, runs="unused")
    with folder_of_others() as folder:
        tournament.runs = folder / "runs"
        with pytest.raises(RunError) as caught:
            tournament.run(progress=False)
        assert not list(folder.iterdir())
    assert str(caught.value).startswith("can't write to")
    assert "Permission denied; choose another --runs" in str(caught.value)


def test_a_file_in_the_place_of_the_runs_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "runs").touch()
    with pytest.raises(RunError, match="can't write to"):
        played(tmp_path / "runs")


def test_results_that_can_not_be_written_are_one_line(tmp_path: Path) -> None:
    run = played(tmp_path, games=2)
    (run.path / "results.json").mkdir()
    with pytest.raises(RunError, match=r"can't write .*results\.json"):
        save_scores(run)
    assert not list(run.path.glob(".results*"))


def test_a_json_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"a": 1})
    with pytest.raises(TypeError):
        write_json(tmp_path / "a.json", {"a": object()})
    assert json.loads((tmp_path / "a.json").read_text()) == {"a": 1}


def test_a_full_disk_stops_the_run_with_one_line_and_keeps_what_had_finished(tmp_path: Path) -> None:
    """The system itself refuses to let the file grow, in the middle of a line."""
    config = tmp_path / "full.yaml"
    config.write_text("game: murder\nentrants: [liar, honest]\ngames: 100\nconcurrency: 4\n")
    script = ROOT / "tests" / "tournament" / "full_disk.py"
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path), str(200_000)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 2
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert "can't write to" in errors[0]
    assert "File too large; the games in it that had closed are safe" in errors[0]
    assert "Traceback" not in done.stderr
    run = Run(tmp_path / "full")
    shard = (run.path / "traces" / "00000.jsonl").read_bytes()
    assert shard.endswith(b"\n"), "the half line was taken back"
    assert 100_000 < len(shard) <= 200_000
    assert 0 < score_run(run)["play"]["games"]["finished"] < 100


def test_creating_a_run_twice_at_once_gives_two_folders(tmp_path: Path) -> None:
    assert create(tmp_path, "a", {}).path != create(tmp_path, "a", {}).path
