"""Games in several processes are the games of one, whoever of them dies."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import liecraft
from liecraft.tournament.store import Run
from tests.fault_server import FaultServer, ok
from tests.resume.cups import Process, asked, cup, digests, recorded, reply, steady

SCRIPTED: dict[str, Any] = {"name": "cup", "game": "murder", "entrants": ["liar", "honest"], "games": 24}


def children(pid: int) -> list[int]:
    """Workers of a process, by number."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def test_two_workers_play_the_games_of_one_process(tmp_path: Path) -> None:
    one = liecraft.Tournament(SCRIPTED, runs=tmp_path / "one")
    two = liecraft.Tournament(SCRIPTED, runs=tmp_path / "two")
    runs = [one.run(progress=False), two.run(progress=False, workers=2)]
    traces = [list(run.traces()) for run in runs]
    assert [[trace.game for trace in each] for each in traces] == [[f"g{i:06d}" for i in range(24)]] * 2
    found = [[trace.close["digest"] for trace in each] for each in traces]
    assert found[0] == found[1]
    files = sorted(path.name for path in (runs[1].path / "traces").iterdir())
    assert files == ["w0-00000.jsonl", "w1-00000.jsonl"], "both had a part in it"
    assert (two.tally.games, two.tally.failed, two.tally.calls) == (24, 0, 0)


def test_a_run_begun_by_workers_is_finished_by_one_process_and_the_other_way_round(tmp_path: Path) -> None:
    with FaultServer(ok(reply)) as server:
        data = cup(server.base_url, blocks=2)
        whole = liecraft.Tournament(data, runs=tmp_path / "whole")
        whole.run(progress=False)
        for first, then in ((2, 1), (1, 2)):
            runs = tmp_path / f"{first}"
            liecraft.Tournament(data, runs=runs).run(progress=False, workers=first)
            for shard in (runs / "cup" / "traces").iterdir():
                shard.write_bytes(shard.read_bytes()[: shard.stat().st_size // 2])
            before, since = recorded(runs / "cup"), server.count
            again = liecraft.Tournament(data, runs=runs)
            again.run(progress=False, resume=True, workers=then)
            needed = recorded(tmp_path / "whole" / "cup")
            assert asked(server, since) == Counter(needed.values()) - Counter(before.values())
            assert digests(runs / "cup") == digests(tmp_path / "whole" / "cup")
            assert (again.tally.calls, again.tally.money) == (whole.tally.calls, whole.tally.money)


def test_a_worker_killed_on_purpose_changes_nothing(tmp_path: Path) -> None:
    with FaultServer(steady(0.05)) as server:
        data = cup(server.base_url, blocks=4)
        process = Process(tmp_path, data, "--workers", "2")
        for kill in range(2):
            assert process.wait_for(server, 15 + 25 * kill)
            os.kill(children(process.pid)[kill], signal.SIGKILL)
        code, stdout, stderr = process.end()
        assert code == 0, stderr
        told = json.loads(stdout)
        run = tmp_path / "runs" / "cup"
        needed = recorded(run)
        again = asked(server) - Counter(needed.values())
        assert again.total() <= 2 * data["concurrency"] * 4, "at most what was on its way is asked again"
    with FaultServer(ok(reply)) as server:
        whole = liecraft.Tournament(cup(server.base_url, blocks=4), runs=tmp_path / "whole")
        whole.run(progress=False)
    assert digests(run) == digests(tmp_path / "whole" / "cup")
    assert told["used"]["calls"] == whole.tally.calls == len(needed)
    assert told["used"]["money"] == whole.tally.money


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_an_interrupt_stops_all_workers_and_the_run_can_go_on(tmp_path: Path, number: signal.Signals) -> None:
    with FaultServer(steady(0.1)) as server:
        data = cup(server.base_url, blocks=6)
        process = Process(tmp_path, data, "--workers", "2")
        assert process.wait_for(server, 30)
        workers = children(process.pid)
        os.kill(process.pid, number)
        code, _, stderr = process.end()
        assert code == 128 + number
        assert "interrupted: what had finished is kept" in stderr
        assert "Traceback" not in stderr
        assert len(workers) == 2
        assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
        known = recorded(tmp_path / "runs" / "cup")
        assert 20 <= len(known) < 150
        since = server.count
        code, _, stderr = Process(tmp_path, data, "--resume").end()
        assert code == 0, stderr
        needed = recorded(tmp_path / "runs" / "cup")
        assert asked(server, since) == Counter(needed.values()) - Counter(known.values())


def test_workers_whose_parent_is_killed_end_too(tmp_path: Path) -> None:
    with FaultServer(steady(0.2)) as server:
        process = Process(tmp_path, cup(server.base_url, blocks=4), "--workers", "2")
        assert process.wait_for(server, 4)
        workers = children(process.pid)
        os.kill(process.pid, signal.SIGKILL)
        until = time.monotonic() + 10
        while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < until:
            time.sleep(0.05)
        assert len(workers) == 2
        assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
        process.kill()


def test_what_stops_a_worker_is_one_line(tmp_path: Path) -> None:
    """A trace file that can't be written: a folder is in its place."""
    runs = tmp_path / "runs"
    first = liecraft.Tournament(SCRIPTED, runs=runs).run(progress=False)
    for shard in (first.path / "traces").iterdir():
        shard.unlink()
    (first.path / "traces" / "w1-00000.jsonl").mkdir()
    code, stdout, stderr = Process(tmp_path, SCRIPTED, "--resume", "--workers", "2").end()
    assert (code, stdout) == (2, "")
    (error,) = [line for line in stderr.splitlines() if line.startswith("error: ")]
    assert "can't " in error
    assert "w1-00000.jsonl" in error
    assert "Traceback" not in stderr
    assert len(list(Run(first.path).manifest)) > 3
