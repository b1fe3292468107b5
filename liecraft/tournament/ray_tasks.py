"""A tournament on a Ray cluster: each task plays some games and writes them to trace files of its own.

The run's folder must be one that every node sees. A task whose worker or node is lost is handed out anew, and
recalls what models had answered.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from liecraft.agents.budget import Budgets, RunMeter
from liecraft.engine.errors import ConfigError, LieCraftError
from liecraft.tournament.config import TournamentConfig
from liecraft.tournament.player import Lanes, Listed, Player, Task, models_of
from liecraft.tournament.progress import Tally
from liecraft.tournament.stock import take_stock
from liecraft.tournament.store import Run, RunError, Shards
from liecraft.tournament.work import Work

LOCAL = "local"
CHUNK = 50
"""Most games a task."""
LOSSES = 3
"""Times that the same games may be lost with their worker."""
PAUSE = 0.5
"""Seconds between looks at what tasks have used."""


def play_on_ray(work: Work, address: str) -> int:
    """Play games as Ray tasks; the result is as in `workers.play_in_processes`.

    Args:
        work: The games. Budgets are looked at as tasks tell of themselves, twice a second.
        address: Of the cluster, or `local`.

    Raises:
        ConfigError: Ray is not installed, or there is no cluster at the address.
        TraceError: A trace can't be written.
        RunError: The same games are lost again and again.
    """
    with redirect_stdout(sys.stderr):  # Ray tells of lost workers there, and stdout is for data
        ray = _connected(address)
        try:
            _Tasks(ray, work).play()
        except KeyboardInterrupt:
            return signal.SIGINT
        finally:
            ray.shutdown()
    return 0


def _connected(address: str) -> Any:
    for name in ("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "RAY_USAGE_STATS_ENABLED"):
        os.environ.setdefault(name, "0")  # no warning about GPUs, and no word to anybody outside
    try:
        import ray
    except ImportError:
        raise ConfigError("--ray needs Ray: pip install 'liecraft[ray]'") from None
    try:
        _knock(address)
        if address == LOCAL:  # a new one, even where another is running
            ray.init(address=LOCAL, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        else:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ConfigError(f"no Ray cluster at {address!r}: {reason}") from None
    return ray


def _knock(address: str) -> None:
    """See that somebody listens at HOST:PORT; Ray itself takes minutes to find that nobody does.

    Raises:
        OSError: Nobody does.
    """
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=10).close()


class Board:
    """Where tasks pin up what they have used and read whether to go on: an actor, one for a run."""

    def __init__(self) -> None:
        self._tallies: dict[str, Tally] = {}
        self._stopped: str | None = None

    def pin(self, task: str, tally: Tally) -> str | None:
        """Say what a task has used so far; the answer is why to ask no model any more, if so."""
        self._tallies[task] = tally
        return self._stopped

    def read(self, ended: Sequence[str], stopped: str | None) -> dict[str, Tally]:
        """Tell which tasks have ended and whether the others shall, and learn what these have used."""
        for task in ended:
            self._tallies.pop(task, None)
        self._stopped = stopped
        return self._tallies


class _Tasks:
    """All tasks of a run."""

    def __init__(self, ray: Any, work: Work) -> None:
        self._ray = ray
        self._work = work
        self._slots = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._chunk = max(1, min(CHUNK, work.left // (4 * self._slots)))
        self._lanes = max(1, work.config.lanes // self._slots)
        self._play = ray.remote(max_retries=0)(play_chunk)
        self._board = ray.remote(num_cpus=0, max_restarts=-1)(Board).remote()
        self._going: dict[Any, tuple[str, list[Task], int]] = {}
        self._told: dict[str, Tally] = {}
        self._ended: list[str] = []
        self._number = 0
        self._done = Tally()
        self._done.add(work.tally)

    def play(self) -> None:
        """Hand out games until all have closed."""
        while len(self._going) < 2 * self._slots and self._next():
            pass
        while self._going:
            ready, _ = self._ray.wait(list(self._going), num_returns=1, timeout=PAUSE)
            for task in ready:
                self._take(task)
            self._look()

    def _take(self, task: Any) -> None:
        """Count what an ended task has used, and hand out more."""
        name, games, losses = self._going.pop(task)
        self._ended.append(name)
        try:
            result = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:
            raise RuntimeError(f"a Ray task broke down:\n{error}") from None
        except self._ray.exceptions.RayError:
            self._lost(name, games, losses + 1)
            return
        if isinstance(result, LieCraftError):
            raise result
        self._done.add(result)
        self._next()

    def _look(self) -> None:
        """See what the tasks that are going have used, and stop them if that is too much."""
        going = {name for name, _, _ in self._going.values()}
        try:
            told = self._ray.get(self._board.read.remote(self._ended, self._work.meter.stopped))
        except self._ray.exceptions.RayError:
            pass  # lost with its node: it starts anew, and the tasks tell it again
        else:
            self._told, self._ended = told, []
        self._work.count([self._done, *(tally for name, tally in self._told.items() if name in going)])
        if going:
            self._work.meter.over()

    def _next(self) -> bool:
        tasks = list(islice(self._work.tasks, self._chunk))
        if not tasks or self._work.meter.over():
            return False
        self._start(tasks, 0)
        return True

    def _start(self, tasks: list[Task], losses: int) -> None:
        name = f"r{self._number:05d}"
        self._number += 1
        path = self._work.run.path.resolve()
        # As text: what pydantic makes of it is made anew, by the code that is there.
        config = self._work.config.model_dump(mode="json")
        task = self._play.remote(config, str(path), name, tasks, self._lanes, self._board)
        self._going[task] = (name, tasks, losses)

    def _lost(self, name: str, tasks: list[Task], losses: int) -> None:
        """Count what a lost worker had closed, and hand out the rest of its games anew."""
        games = {plan.game for plan, _ in tasks}
        files = sorted((self._work.run.path / "traces").glob(f"{name}-*.jsonl"))
        stock = take_stock(files, self._work.config.specs(), games)
        self._done.add(stock.tally)
        rest: list[Task] = [
            (plan, [*attempts, *stock.begun.get(plan.game, ())])
            for plan, attempts in tasks
            if plan.game not in stock.closed
        ]
        if not rest or self._work.meter.over():
            self._next()
        elif losses > LOSSES and len(rest) == len(tasks):
            raise RunError(
                f"Ray has lost the worker of {rest[0][0].game} and others {losses} times: is there memory enough? "
                "What had closed is kept; go on with --resume"
            )
        else:
            self._start(rest, losses)


def play_chunk(
    config: dict[str, Any], path: str, name: str, tasks: Sequence[Task], lanes: int, board: Any
) -> Tally | LieCraftError:
    """Play some games in this process.

    Args:
        config: The tournament.
        path: The run's folder, which this node must see too.
        name: What the trace files are to be called by.
        tasks: The games.
        lanes: Games at once.
        board: Handle of the run's `Board`.

    Returns:
        What they used, or the error that stopped them.
    """
    try:
        run = Run(Path(path))
        checked = TournamentConfig.model_validate(config)
        return asyncio.run(_play_chunk(checked, run, name, tasks, lanes, board))
    except LieCraftError as error:
        return error


async def _play_chunk(
    config: TournamentConfig, run: Run, name: str, tasks: Sequence[Task], lanes: int, board: Any
) -> Tally:
    tally, shards, meter = Tally(), Shards(run, name, sync=config.sync), RunMeter(Budgets(), {})
    models = models_of(config)
    player = Player(config, models, shards, tally, lambda plan: None, meter)
    await _pin(board, name, tally, meter)  # it may be over by now
    playing = Lanes(player, Listed(tasks), min(lanes, len(tasks)))
    telling = asyncio.ensure_future(_tell(board, name, tally, meter))
    try:
        await playing.ended()
    finally:
        telling.cancel()
        await models.close()
        shards.close()
    return tally


async def _tell(board: Any, name: str, tally: Tally, meter: RunMeter) -> None:
    """Pin up what has been used, from time to time."""
    while True:
        await asyncio.sleep(PAUSE)
        await _pin(board, name, tally, meter)


async def _pin(board: Any, name: str, tally: Tally, meter: RunMeter) -> None:
    """Pin up what has been used, and do as the board says."""
    from ray.exceptions import RayError

    with suppress(RayError):  # lost with its node: it starts anew
        stopped = await board.pin.remote(name, tally)
        if stopped is not None:
            meter.stop(stopped)
