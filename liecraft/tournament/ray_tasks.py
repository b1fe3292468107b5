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
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from itertools import islice
from pathlib import Path
from typing import Any

from liecraft.agents.budget import RunMeter
from liecraft.engine.errors import ConfigError, LieCraftError
from liecraft.tournament.config import TournamentConfig
from liecraft.tournament.player import Listed, Player, Task, models_of
from liecraft.tournament.progress import Progress, Tally
from liecraft.tournament.schedule import Plan
from liecraft.tournament.stock import Stock, take_stock
from liecraft.tournament.store import Run, RunError, Shards

LOCAL = "local"
CHUNK = 50
"""Most games a task."""
LOSSES = 3
"""Times that the same games may be lost with their worker."""


def play_on_ray(
    config: TournamentConfig,
    run: Run,
    plans: Iterator[Plan],
    left: int,
    stock: Stock,
    tally: Tally,
    shown: Progress,
    address: str,
    meter: RunMeter,
) -> int:
    """Play games as Ray tasks; arguments and result as in `workers.play_in_processes`.

    Raises:
        ConfigError: Ray is not installed, or there is no cluster at the address.
        TraceError: A trace can't be written.
        RunError: The same games are lost again and again.
    """
    with redirect_stdout(sys.stderr):  # Ray tells of lost workers there, and stdout is for data
        ray = _connected(address)
        try:
            _Tasks(ray, config, run, plans, left, stock, tally, shown, meter).work()
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


class _Tasks:
    """All tasks of a run."""

    def __init__(
        self,
        ray: Any,
        config: TournamentConfig,
        run: Run,
        plans: Iterator[Plan],
        left: int,
        stock: Stock,
        tally: Tally,
        shown: Progress,
        meter: RunMeter,
    ) -> None:
        self._ray = ray
        self._meter = meter
        self._config = config
        self._run = run
        self._waiting: Iterator[Task] = ((plan, stock.begun.get(plan.game, ())) for plan in plans)
        self._tally = tally
        self._shown = shown
        self._slots = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._chunk = max(1, min(CHUNK, left // (4 * self._slots)))
        self._lanes = max(1, config.lanes // self._slots)
        self._play = ray.remote(max_retries=0)(play_chunk)
        self._going: dict[Any, tuple[str, list[Task], int]] = {}
        self._number = 0

    def work(self) -> None:
        """Hand out games until all have closed."""
        while len(self._going) < 2 * self._slots and self._next():
            pass
        while self._going:
            (ready, *_), _ = self._ray.wait(list(self._going), num_returns=1)
            name, tasks, losses = self._going.pop(ready)
            try:
                result = self._ray.get(ready)
            except self._ray.exceptions.RayTaskError as error:
                raise RuntimeError(f"a Ray task broke down:\n{error}") from None
            except self._ray.exceptions.RayError:
                self._lost(name, tasks, losses + 1)
                continue
            if isinstance(result, LieCraftError):
                raise result
            self._tally.add(result)
            self._shown.update(self._tally)
            self._next()

    def _next(self) -> bool:
        tasks = [] if self._meter.over() else list(islice(self._waiting, self._chunk))
        if tasks:
            self._start(tasks, 0)
        return bool(tasks)

    def _start(self, tasks: list[Task], losses: int) -> None:
        name = f"r{self._number:05d}"
        self._number += 1
        path = self._run.path.resolve()
        # As text: what pydantic makes of it is made anew, by the code that is there.
        config = self._config.model_dump(mode="json")
        self._going[self._play.remote(config, str(path), name, tasks, self._lanes)] = (name, tasks, losses)

    def _lost(self, name: str, tasks: list[Task], losses: int) -> None:
        """Count what a lost worker had closed, and hand out the rest of its games anew."""
        games = {plan.game for plan, _ in tasks}
        files = sorted((self._run.path / "traces").glob(f"{name}-*.jsonl"))
        stock = take_stock(files, self._config.specs(), games)
        self._tally.add(stock.tally)
        rest: list[Task] = [
            (plan, [*attempts, *stock.begun.get(plan.game, ())])
            for plan, attempts in tasks
            if plan.game not in stock.closed
        ]
        if not rest:
            self._next()
        elif losses > LOSSES and len(rest) == len(tasks):
            raise RunError(
                f"Ray has lost the worker of {rest[0][0].game} and others {losses} times: is there memory enough? "
                "What had closed is kept; go on with --resume"
            )
        else:
            self._start(rest, losses)


def play_chunk(
    config: dict[str, Any], path: str, name: str, tasks: Sequence[Task], lanes: int
) -> Tally | LieCraftError:
    """Play some games in this process.

    Args:
        config: The tournament.
        path: The run's folder, which this node must see too.
        name: What the trace files are to be called by.
        tasks: The games.
        lanes: Games at once.

    Returns:
        What they used, or the error that stopped them.
    """
    try:
        run = Run(Path(path))
        checked = TournamentConfig.model_validate(config)
        return asyncio.run(_play_chunk(checked, run, name, tasks, lanes))
    except LieCraftError as error:
        return error


async def _play_chunk(
    config: TournamentConfig, run: Run, name: str, tasks: Sequence[Task], lanes: int
) -> Tally:
    tally, shards = Tally(), Shards(run, name, sync=config.sync)
    models = models_of(config)
    player = Player(config, models, shards, tally, lambda plan: None)
    listed = Listed([plan for plan, _ in tasks], {plan.game: attempts for plan, attempts in tasks})
    playing = [asyncio.ensure_future(player.play(listed)) for _ in range(min(lanes, len(tasks)))]
    try:
        await asyncio.gather(*playing)
    finally:
        for lane in playing:
            lane.cancel()  # one has broken down (a full disk), or all are done already
        await asyncio.gather(*playing, return_exceptions=True)
        await models.close()
        shards.close()
    return tally
