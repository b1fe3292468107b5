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

from liecraft.engine.errors import LieCraftError
from liecraft.tournament.config import TournamentConfig
from liecraft.tournament.player import Player, Task, models_of
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


def work(pipe: Connection, job: Job) -> None:
    """Play the games that come down the pipe, until None comes or the parent is gone."""
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
        self._queue: asyncio.Queue[Task] = asyncio.Queue()
        self._stopped = asyncio.Event()
        self._tally = Tally()
        self._closed: list[str] = []
        self._told = time.monotonic()

    async def work(self) -> None:
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(loop,), daemon=True).start()
        models = models_of(self._job.config)
        shards = Shards(Run(self._job.run), self._job.name, sync=self._job.config.sync)
        player = Player(self._job.config, models, shards, self._tally, self._played)
        lanes = [asyncio.ensure_future(player.play(_Coming(self._queue))) for _ in range(self._job.lanes)]
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait([*lanes, stopped], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*lanes, stopped):
                task.cancel()
            results = await asyncio.gather(*lanes, return_exceptions=True)
            await models.close()
            shards.close()
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
                raise result
        self._report()

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take in what the parent sends; it alone writes to the pipe's other end."""
        while True:
            try:
                tasks: list[Task] | None = self._pipe.recv()
            except (EOFError, OSError):
                os._exit(1)  # the parent is gone: whoever resumes the run must find no one else writing to it
            if tasks is None:
                loop.call_soon_threadsafe(self._stopped.set)
                return
            for task in tasks:
                loop.call_soon_threadsafe(self._queue.put_nowait, task)

    def _played(self, plan: Plan) -> None:
        self._closed.append(plan.game)
        if self._queue.empty() or time.monotonic() - self._told > PAUSE:
            self._report()

    def _report(self) -> None:
        self._pipe.send(Report(self._tally, self._closed))
        self._closed = []
        self._told = time.monotonic()


class _Coming:
    """Games as they come."""

    def __init__(self, queue: asyncio.Queue[Task]) -> None:
        self._queue = queue

    def __aiter__(self) -> AsyncIterator[Task]:
        return self

    async def __anext__(self) -> Task:
        return await self._queue.get()
