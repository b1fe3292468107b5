"""Games as tasks of a local Ray are the games of one process."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

import liecraft
from liecraft.tournament.config import read_config
from liecraft.tournament.progress import Tally
from liecraft.tournament.ray_tasks import play_chunk
from liecraft.tournament.schedule import schedule
from liecraft.tournament.store import create
from tests.fault_server import FaultServer, ok
from tests.resume.cups import KEY, Process, asked, cup, digests, recorded, reply, steady

pytestmark = pytest.mark.slow


def descendants(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            yield int(child)
            yield from descendants(int(child))


def players(pid: int, doing: str) -> list[int]:
    """Ray's workers below a process that run this task or actor right now."""
    found = []
    for child in descendants(pid):
        try:
            if Path(f"/proc/{child}/cmdline").read_bytes().startswith(f"ray::{doing}".encode()):
                found.append(child)
        except OSError:
            continue
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, liecraft.Tournament]:
    folder = tmp_path_factory.mktemp("whole")
    with FaultServer(ok(reply)) as server:
        tournament = liecraft.Tournament(cup(server.base_url, blocks=6), runs=folder)
        tournament.run(progress=False)
    return folder / "cup", tournament


def play(tmp_path: Path, seconds: float, *, kill: str = "") -> tuple[dict[str, Any], FaultServer]:
    with FaultServer(steady(seconds)) as server:
        data = cup(server.base_url, blocks=6)
        process = Process(tmp_path, data, "--ray")
        if kill:
            assert process.wait_for(server, 10)
            until = time.monotonic() + 30
            while not (going := players(process.pid, kill)) and time.monotonic() < until:
                time.sleep(0.01)
            os.kill(going[0], signal.SIGKILL)
        code, stdout, stderr = process.end()
        assert code == 0, stderr
        assert KEY not in stdout + stderr
    return json.loads(stdout), server


def test_ray_s_games_are_those_of_one_process(
    whole: tuple[Path, liecraft.Tournament], tmp_path: Path
) -> None:
    told, server = play(tmp_path, 0.02)
    run = tmp_path / "runs" / "cup"
    assert digests(run) == digests(whole[0])
    assert asked(server) == Counter(recorded(whole[0]).values())
    assert (told["used"]["calls"], told["used"]["money"]) == (whole[1].tally.calls, whole[1].tally.money)
    assert len(list((run / "traces").iterdir())) > 1
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()


@pytest.mark.parametrize("lost", ["play_chunk", "Board"])
def test_a_lost_worker_s_work_is_taken_up_by_another(
    lost: str, whole: tuple[Path, liecraft.Tournament], tmp_path: Path
) -> None:
    told, server = play(tmp_path, 0.1, kill=lost)
    run = tmp_path / "runs" / "cup"
    assert digests(run) == digests(whole[0])
    again = asked(server) - Counter(recorded(whole[0]).values())
    assert again.total() <= 3 * 4, "at most what was on its way is asked again"
    assert (told["used"]["calls"], told["used"]["money"]) == (whole[1].tally.calls, whole[1].tally.money)


def test_a_task_that_comes_late_to_a_run_that_is_over_asks_nobody(tmp_path: Path) -> None:
    class Over:
        """What a task is handed of a board, and what this one says at once."""

        pin: ClassVar[Any] = SimpleNamespace(remote=None)

        @staticmethod
        async def remote(task: str, tally: Tally) -> str:
            return "the budget of the run is used up: 1 calls"

    Over.pin.remote = Over.remote
    with FaultServer(ok(reply)) as server:
        config = read_config(cup(server.base_url))
        run = create(tmp_path, "cup", {})
        tasks = [(plan, ()) for plan in schedule(config)]
        result = play_chunk(config.model_dump(mode="json"), str(run.path), "r00000", tasks, 3, Over)
        assert isinstance(result, Tally)
        assert (server.count, result.calls, result.games) == (0, 0, 0)


def test_a_cluster_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    data = {"name": "cup", "game": "murder", "entrants": ["liar"], "games": 2}
    code, _, stderr = Process(tmp_path, data, "--ray", "127.0.0.1:1").end()
    assert code == 2
    assert "error: no Ray cluster at '127.0.0.1:1'" in stderr.splitlines()[-1]
    assert "Traceback" not in stderr
