"""A tournament is killed with SIGKILL, as a whole process group, and resumed: nothing is lost, nothing paid twice."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from liecraft.tournament.results import score_run
from liecraft.tournament.store import Run
from tests.fault_server import FaultServer
from tests.resume.cups import KEY, Process, asked, cup, digests, recorded, steady


def finish(folder: Path, data: dict[str, Any], *options: str) -> dict[str, Any]:
    code, stdout, stderr = Process(folder, data, *options).end()
    assert code == 0, stderr
    assert KEY not in stdout + stderr
    told: dict[str, Any] = json.loads(stdout)
    return told


def settled(server: FaultServer) -> int:
    """How many requests there have been, once the killed client's last ones have come in."""
    count = -1
    while count != server.count:
        count = server.count
        time.sleep(0.05)
    return count


def kill_and_resume(
    folder: Path, server: FaultServer, *, kills: int, rng: np.random.Generator, workers: int, autogen: bool
) -> None:
    """Play once undisturbed, then again with so many kills, and compare."""
    data = cup(server.base_url, autogen=autogen)
    whole = folder / "whole"
    whole.mkdir()
    expected = finish(whole, data)
    needed = recorded(whole / "runs" / "cup")
    assert asked(server) == Counter(needed.values())
    in_flight = (data["concurrency"] + workers) * 4  # a probe asks up to four seats of a game at once

    options = ["--resume", *(["--workers", str(workers)] if workers > 1 else [])]
    run = folder / "runs" / "cup"
    known: dict[Any, str] = {}
    lost = midway = 0
    for stage in range(kills + 1):
        since = settled(server)
        left = Counter(needed.values()) - Counter(known.values())
        if stage == kills:
            told = finish(folder, data, *options)
        else:
            process = Process(folder, data, *options)
            share = rng.uniform(0, 2 * len(list(left.elements())) / (kills - stage + 1))
            if process.wait_for(server, since + int(share)):
                time.sleep(rng.uniform(0, 0.03))
            process.kill()
            settled(server)
        again = asked(server, since) - left
        assert not again, f"stage {stage}: asked again for what was answered and recorded"
        now = {**known, **(recorded(run) if run.exists() else {})}
        assert known.items() <= now.items(), f"stage {stage}: something recorded has gone"
        lost += (here := asked(server, since).total() - (len(now) - len(known)))
        assert 0 <= here <= in_flight, f"stage {stage}: {here} answers were lost"
        known = now
        midway += 0 < len(known) < len(needed)
    assert midway >= kills // 2, "most kills struck too early or too late to show anything"
    assert known == needed
    assert server.count == 2 * len(needed) + lost
    assert digests(run) == digests(whole / "runs" / "cup")
    plays = [score_run(Run(path))["play"] for path in (run, whole / "runs" / "cup")]
    assert plays[0] == plays[1]
    assert told["play"]["digest"] == expected["play"]["digest"] == plays[0]["digest"]
    used = [
        {key: value for key, value in each["used"].items() if key != "seconds"} for each in (told, expected)
    ]
    assert used[0] == used[1]
    assert used[0]["money"] is not None
    for path in folder.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()


def test_a_run_killed_three_times_comes_out_as_if_nothing_had_happened(tmp_path: Path) -> None:
    with FaultServer(steady()) as server:
        rng = np.random.default_rng(3)
        kill_and_resume(tmp_path, server, kills=3, rng=rng, workers=1, autogen=False)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_fifty_kills_at_random_points(tmp_path: Path, seed: int) -> None:
    """Ten kills in each of five tournaments, in one process and in two, with AutoGen's seats among them."""
    with FaultServer(steady()) as server:
        rng = np.random.default_rng(seed)
        kill_and_resume(tmp_path, server, kills=10, rng=rng, workers=1 + seed % 2, autogen=seed % 3 == 0)
