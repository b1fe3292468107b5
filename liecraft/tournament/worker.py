"""One process of a tournament that plays in several."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
import traceback
from collections.abc import AsyncIterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from liecraft.agents.budget import Budgets, RunMeter
from liecraft.engine.errors import LieCraftError
from liecraft.tournament.config import TournamentConfig
from liecraft.tournament.player import Lanes, Player, Task, models_of
from liecraft.tournament.progress import Tally
from liecraft.tournament.schedule import Plan
from liecraft.tournament.store import Run, Shards

PAUSE = 0.1
"""Seconds between reports while there are games at hand."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker is told at first.

    Attributes:
        config: The tournament.
        run: The run's folder.
        name: What its trace files are called by.
        lanes: Games at once.
    """

    config: TournamentConfig
    run: Path
    name: str
    lanes: int


@dataclass(frozen=True, slots=True)
class Report:
    """What a worker says from time to time.

    Attributes:
        tally: All that it has used.
        closed: Games that closed since the last report.
    """

    tally: Tally
    closed: list[str]


@dataclass(frozen=True, slots=True)
class WindDown:
    """Ask no model any more: what has been asked is waited for and recorded, and games are left as they stand.

    Attributes:
        reason: Why, in one line.
    """

    reason: str


Order = list[Task] | WindDown | None
"""What a worker is told: games to play, to come to an end, or None to stop at once."""


def serve(pipe: Connection, job: Job) -> None:
    """Play the games that come down the pipe, until told to end or the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent too, which will say what to do
    try:
        asyncio.run(_Worker(pipe, job).work())
    except LieCraftError as error:
        pipe.send(error)
    except Exception:  # noqa: BLE001  # the parent says it, where it can be seen
        pipe.send(RuntimeError(f"worker {job.name} broke down:\n{traceback.format_exc()}"))


class _Worker:
    def __init__(self, pipe: Connection, job: Job) -> None:
        self._pipe = pipe
        self._job = job
        self._queue: asyncio.Queue[Task | None] = asyncio.Queue()
        self._meter = RunMeter(Budgets(), {})  # the parent sees to the budgets
        self._tally = Tally()
        self._closed: list[str] = []
        self._told = (time.monotonic(), 0)

    async def work(self) -> None:
        models = models_of(self._job.config)
        shards = Shards(Run(self._job.run), self._job.name, sync=self._job.config.sync)
        player = Player(self._job.config, models, shards, self._tally, self._played, self._meter)
        lanes = Lanes(player, _Coming(self._queue), self._job.lanes)
        telling = asyncio.ensure_future(self._tell())
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(loop, lanes), daemon=True).start()
        try:
            await lanes.ended()
        finally:
            telling.cancel()
            await models.close()
            shards.close()
        self._report()

    def _listen(self, loop: asyncio.AbstractEventLoop, lanes: Lanes) -> None:
        """Take in what the parent sends; it alone writes to the pipe's other end."""
        while True:
            try:
                order: Order = self._pipe.recv()
            except (EOFError, OSError):
                os._exit(1)  # the parent is gone: whoever resumes the run must find no one else writing to it
            try:
                loop.call_soon_threadsafe(self._take, order, lanes)
            except RuntimeError:
                return  # the loop has ended meanwhile

    def _take(self, order: Order, lanes: Lanes) -> None:
        if order is None:
            lanes.cancel()
        elif isinstance(order, WindDown):
            self._meter.stop(order.reason)
            for _ in range(self._job.lanes):
                self._queue.put_nowait(None)  # for those who wait for games
        else:
            for task in order:
                self._queue.put_nowait(task)

    def _played(self, plan: Plan) -> None:
        self._closed.append(plan.game)
        if self._queue.empty() or time.monotonic() - self._told[0] > PAUSE:
            self._report()

    async def _tell(self) -> None:
        """Report what calls use while no game closes."""
        while True:
            await asyncio.sleep(PAUSE)
            told, calls = self._told
            if self._tally.calls > calls and time.monotonic() - told > PAUSE / 2:
                self._report()

    def _report(self) -> None:
        self._pipe.send(Report(self._tally, self._closed))
        self._closed = []
        self._told = (time.monotonic(), self._tally.calls)


class _Coming:
    """Games as they come; None is no game, and ends a lane."""

    def __init__(self, queue: asyncio.Queue[Task | None]) -> None:
        self._queue = queue

    def __aiter__(self) -> AsyncIterator[Task]:
        return self

    async def __anext__(self) -> Task:
        task = await self._queue.get()
        if task is None:
            raise StopAsyncIteration
        return task
