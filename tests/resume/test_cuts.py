"""Power-cut style ends: a file that stops anywhere, a line that is torn, a disk that is full."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest

import liecraft
from liecraft.engine.errors import ConfigError
from liecraft.tournament.stock import take_stock
from liecraft.tournament.store import Run, RunError
from liecraft.trace.schema import TraceError
from liecraft.trace.writer import FileSink
from tests.fault_server import Behaviour, FaultServer, latency, ok, status
from tests.powerless import without_root
from tests.resume.cups import ROOT, asked, cup, digest, digests, recorded, reply


def play(data: dict[str, Any], runs: Path, **how: Any) -> liecraft.Tournament:
    tournament = liecraft.Tournament(data, runs=runs)
    tournament.run(progress=False, **how)
    return tournament


def used(tournament: liecraft.Tournament) -> dict[str, Any]:
    return {key: value for key, value in tournament.tally.as_json().items() if key != "seconds"}


@dataclass
class Whole:
    """A run that nothing disturbed."""

    data: dict[str, Any]
    server: FaultServer
    path: Path
    used: dict[str, Any]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    folder = tmp_path_factory.mktemp("whole")
    with FaultServer(ok(reply)) as server:
        data = cup(server.base_url, blocks=2)
        tournament = play(data, folder)
        yield Whole(data, server, folder / "cup", used(tournament))


def cut_copy(whole: Whole, runs: Path, size: int, tail: bytes = b"") -> Path:
    copytree(whole.path, runs / "cup")
    shard = runs / "cup" / "traces" / "00000.jsonl"
    shard.write_bytes(shard.read_bytes()[:size] + tail)
    return runs / "cup"


@pytest.mark.parametrize("seed", range(12))
def test_wherever_the_file_ends_the_run_goes_on_from_there(whole: Whole, tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers((whole.path / "traces" / "00000.jsonl").stat().st_size))
    tail = b"\x00" * 700 if seed % 4 == 3 else b""  # as some file systems leave it after a power cut
    run = cut_copy(whole, tmp_path, size, tail)
    before, since = recorded(run), whole.server.count
    tournament = play(whole.data, tmp_path, resume=True)
    needed = recorded(whole.path)
    assert asked(whole.server, since) == Counter(needed.values()) - Counter(before.values())
    assert digests(run) == digests(whole.path)
    assert used(tournament) == whole.used
    assert recorded(run) == needed


def test_seconds_of_play_are_those_that_the_calls_took_when_they_were_made(tmp_path: Path) -> None:
    with FaultServer(latency(0.05, ok(reply))) as server:
        data = cup(server.base_url, blocks=1)
        first = play(data, tmp_path)
        shard = tmp_path / "cup" / "traces" / "00000.jsonl"
        spent = {trace.game: trace.close["seconds"] for trace in Run(tmp_path / "cup").traces()}
        thought = sum(move["seconds"] for trace in Run(tmp_path / "cup").traces() for move in trace.moves)
        lines = [
            line for line in shard.read_bytes().splitlines(keepends=True) if b'"type":"close"' not in line
        ]
        shard.write_bytes(b"".join(lines))
        count = server.count
        again = play(data, tmp_path, resume=True)
        assert server.count == count, "all was recorded"
    assert again.tally.seconds == first.tally.seconds
    assert used(again) == used(first)
    for trace in Run(tmp_path / "cup").traces():
        if trace.calls:
            assert trace.close["seconds"] == pytest.approx(spent[trace.game], rel=0.3)
            assert trace.close["seconds"] >= 0.05 * len([call for call in trace.calls if "probe" not in call])
    now = sum(move["seconds"] for trace in Run(tmp_path / "cup").traces() for move in trace.moves)
    assert now == pytest.approx(thought, rel=0.3)


def test_a_finished_run_is_left_as_it_is(whole: Whole, tmp_path: Path) -> None:
    run = cut_copy(whole, tmp_path, 1 << 40)
    before, since = (run / "traces" / "00000.jsonl").read_bytes(), whole.server.count
    tournament = play(whole.data, tmp_path, resume=True)
    assert (run / "traces" / "00000.jsonl").read_bytes() == before
    assert whole.server.count == since
    assert used(tournament) == whole.used
    assert tournament.tally.games == tournament.games


def test_resuming_what_never_began_begins_it(tmp_path: Path) -> None:
    (tmp_path / "cup" / "traces").mkdir(parents=True)  # as a process leaves it that dies at once
    fields = {"name": "cup", "game": "murder", "entrants": ["liar"], "games": 2}
    tournament = liecraft.Tournament(fields, runs=tmp_path)
    assert tournament.run(progress=False, resume=True).path.name == "cup-2"
    assert tournament.tally.games == 2


def test_the_latest_run_of_that_name_is_resumed(tmp_path: Path) -> None:
    fields: dict[str, Any] = {"game": "murder", "entrants": ["liar"], "games": 1}
    for name in ("cup", "cup", "cup-9", "cups"):
        liecraft.Tournament(fields, runs=tmp_path, name=name).run(progress=False)
    assert (
        liecraft.Tournament(fields, runs=tmp_path, name="cup").run(resume=True, progress=False).path.name
        == "cup-2"
    )
    named = liecraft.Tournament(fields, runs=tmp_path, name="cup-2").run(resume=True, progress=False)
    assert named.path.name == "cup-2"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seed": 6}, "config.seed is 5 in the run and 6 in what is asked for now"),
        ({"lang": "zh"}, "config.lang is en in the run and zh"),
        ({"probes": None}, "config.probes"),
        ({"config": {"seats": 4, "rounds": 2, "first_kill": 8}}, "config.config."),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_a_changed_configuration_is_refused_and_the_field_named(
    whole: Whole, tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    cut_copy(whole, tmp_path, 1 << 40)
    with pytest.raises(ConfigError) as caught:
        play({**whole.data, **change}, tmp_path, resume=True)
    assert says in str(caught.value)
    assert "leave out --resume to start a new run" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("field", "name"), [("liecraft", "liecraft"), ("env_version", "env_version"), ("prompts", "prompts")]
)
def test_another_version_is_refused_and_named(whole: Whole, tmp_path: Path, field: str, name: str) -> None:
    manifest = cut_copy(whole, tmp_path, 1 << 40) / "manifest.json"
    data = json.loads(manifest.read_text())
    assert data[field]
    manifest.write_text(json.dumps({**data, field: "other"}))
    with pytest.raises(ConfigError, match=f"can't resume .*cup: {name} is other in the run"):
        play(whole.data, tmp_path, resume=True)


def test_how_many_play_at_once_may_change(whole: Whole, tmp_path: Path) -> None:
    run = cut_copy(whole, tmp_path, 50_000)
    play({**whole.data, "concurrency": 1}, tmp_path, resume=True)
    assert digests(run) == digests(whole.path)


def test_a_run_that_is_being_played_is_not_played_twice(whole: Whole, tmp_path: Path) -> None:
    run = Run(cut_copy(whole, tmp_path, 50_000))
    with run.held(), pytest.raises(RunError, match="is being played by another process"):
        play(whole.data, tmp_path, resume=True)
    sink = FileSink(run.path / "traces" / "00000.jsonl")
    with pytest.raises(TraceError, match="another process is writing to it"):
        play(whole.data, tmp_path, resume=True)
    sink.close()
    play(whole.data, tmp_path, resume=True)
    assert digests(run.path) == digests(whole.path)


def failing_at(number: int) -> list[Behaviour]:
    return [*[ok(reply)] * (number - 1), status(401), ok(reply)]


def test_failed_games_stay_failed_unless_they_are_to_be_retried(tmp_path: Path) -> None:
    with FaultServer(failing_at(6)) as server:
        data = {**cup(server.base_url, blocks=1), "concurrency": 1, "probes": None}
        first = play(data, tmp_path)
        assert (first.tally.failed, first.tally.money) == (1, None)
        run, count = tmp_path / "cup", server.count
        assert used(play(data, tmp_path, resume=True)) == used(first)
        assert server.count == count
        known = recorded(run)
        again = play(data, tmp_path, resume=True, retry_failed=True)
        assert again.tally.failed == 0
        needed = recorded(run)
        new = Counter(needed.values()) - Counter(known.values())
        failed = digest(server.requests[5].body["messages"])
        assert asked(server, count) == new + Counter([failed]), "the failed call alone is made again"
        assert {trace.status for trace in Run(run).traces()} == {"finished"}
    with FaultServer(ok(reply)) as server:
        fine = play({**cup(server.base_url, blocks=1), "probes": None}, tmp_path / "fine")
    assert digests(run) == digests(tmp_path / "fine" / "cup")
    assert used(again) == used(fine)


def test_each_write_can_be_made_to_reach_the_disk(tmp_path: Path) -> None:
    with FaultServer(ok(reply)) as server:
        data = cup(server.base_url, blocks=1)
        play({**data, "sync": True}, tmp_path)
        play(data, tmp_path / "fast")
    assert digests(tmp_path / "cup") == digests(tmp_path / "fast" / "cup")


def test_stock_is_taken_by_bytes_alone_where_no_model_was_asked(tmp_path: Path) -> None:
    """Broken JSON inside an event line is no concern of whoever counts closed games."""
    fields = {"name": "cup", "game": "murder", "entrants": ["liar"], "games": 3}
    liecraft.Tournament(fields, runs=tmp_path).run(progress=False)
    shard = tmp_path / "cup" / "traces" / "00000.jsonl"
    shard.write_bytes(shard.read_bytes().replace(b'"kind":"phase"', b'"kind:"phase"'))
    stock = take_stock([shard], {})
    assert stock.closed == {"g000000", "g000001", "g000002"}
    assert (stock.tally.games, stock.tally.failed, stock.begun) == (3, 0, {})


def test_a_full_disk_while_resuming_is_one_line_and_loses_nothing(whole: Whole, tmp_path: Path) -> None:
    """The system itself refuses to let the file grow; with room again, the run goes on."""
    size = (whole.path / "traces" / "00000.jsonl").stat().st_size
    run = cut_copy(whole, tmp_path, size // 2)
    (tmp_path / "full.yaml").write_text(json.dumps({**whole.data, "concurrency": 1}))
    script = ROOT / "tests" / "tournament" / "full_disk.py"
    command = [sys.executable, str(script), str(tmp_path), str(size // 2 + 20_000), "--resume"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 2
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert "File too large; the games in it that had closed are safe" in error
    assert "Traceback" not in done.stderr
    before, since = recorded(run), whole.server.count
    tournament = play(whole.data, tmp_path, resume=True)
    assert asked(whole.server, since) == Counter(recorded(whole.path).values()) - Counter(before.values())
    assert digests(run) == digests(whole.path)
    assert used(tournament) == whole.used


def test_a_run_that_may_only_be_read_is_one_line(whole: Whole, tmp_path: Path) -> None:
    run = cut_copy(whole, tmp_path, 50_000)
    files = (run / "manifest.json", run / "traces" / "00000.jsonl", run / "traces", run)
    for path in files:
        path.chmod(path.stat().st_mode & 0o555)
    tmp_path.chmod(0o755)
    tournament = liecraft.Tournament(whole.data, runs=tmp_path)
    modes = {
        folder: folder.stat().st_mode for folder in tmp_path.parents if not folder.stat().st_mode & 0o001
    }
    for folder, mode in modes.items():
        folder.chmod(mode | 0o011)
    try:
        refused = r"can't write to .*manifest\.json: Permission denied"
        with without_root(), pytest.raises(RunError, match=refused):
            tournament.run(progress=False, resume=True)
    finally:
        for folder, mode in modes.items():
            folder.chmod(mode)
        for path in reversed(files):
            path.chmod(path.stat().st_mode | 0o200)


def test_a_game_that_a_lost_worker_closed_as_well_counts_once(whole: Whole, tmp_path: Path) -> None:
    run = cut_copy(whole, tmp_path, 1 << 40)
    shard = run / "traces" / "00000.jsonl"
    (run / "traces" / "r00007-00000.jsonl").write_bytes(shard.read_bytes())
    assert [trace.game for trace in Run(run).traces()] == [trace.game for trace in Run(whole.path).traces()]
    assert used(play(whole.data, tmp_path, resume=True)) == whole.used


def test_a_text_that_is_no_trace_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("one line\nand another without an end")
    with pytest.raises(TraceError, match=r"notes\.txt: its last line is none of a trace"):
        liecraft.play("murder", ["liar"] * 4, seed=1, config={"seats": 4}, path=path)
    assert path.read_text().endswith("without an end")
