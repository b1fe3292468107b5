"""A tournament in several processes: the parent hands out games and counts, each worker plays and writes.

A worker has trace files of its own. If one dies, what it had closed is on disk, and its other games go to the
worker in its place, which recalls what models had answered. Games are the same whoever plays them.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from liecraft.tournament.player import Task
from liecraft.tournament.progress import Tally
from liecraft.tournament.stock import take_stock
from liecraft.tournament.store import RunError
from liecraft.tournament.work import Work
from liecraft.tournament.worker import PAUSE, Job, Order, Report, WindDown, serve

CHUNK = 20
"""Most games handed to a worker at once."""
DEATHS = 3
"""Workers that may die in one place, one after the other, without having closed a game."""


@dataclass(slots=True)
class _Place:
    """A worker, and what it is known to be doing.

    Attributes:
        name: What its trace files are called by.
        process: The process that is in this place now.
        pipe: To talk to it.
        going: Games it was given and has not closed yet.
        given: All games that it ever was given.
        tally: What it says that it has used.
        deaths: Processes that died here since the last game closed.
    """

    name: str
    process: BaseProcess
    pipe: Connection
    going: dict[str, Task] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)
    tally: Tally = field(default_factory=Tally)
    deaths: int = 0


def play_in_processes(work: Work, workers: int) -> int:
    """Play games in several processes.

    Args:
        work: The games. Budgets are looked at as workers report, ten times a second.
        workers: How many processes.

    Returns:
        Number of the signal that stopped it; 0 if it came to its end.

    Raises:
        TraceError: A trace can't be written.
        RunError: Workers die again and again.
        ConfigError: A worker can't set up a model.
    """
    crew = _Crew(work, workers)
    with _signals() as (alarm, caught):
        try:
            crew.work(alarm)
        finally:
            crew.dismiss()
    return caught[0] if caught else 0


class _Crew:
    """All workers of a run."""

    def __init__(self, work: Work, workers: int) -> None:
        self._work = work
        self._returned: list[Task] = []
        self._base = Tally()
        self._base.add(work.tally)
        workers = min(workers, work.left)
        self._lanes = max(1, work.config.lanes // workers)
        self._chunk = max(1, min(CHUNK, work.left // (4 * workers)))
        self._winding_down = False
        self._places = [self._place(f"w{number}") for number in range(workers)]

    def work(self, alarm: int) -> None:
        """Hand out games until all have closed, a budget is used up, or something can be read from `alarm`."""
        for place in self._places:
            self._feed(place)
        while any(place.going for place in self._places):
            by_pipe = {place.pipe: place for place in self._places if not place.pipe.closed}
            ready = wait([*by_pipe, alarm], timeout=PAUSE)  # a budget may run out while nobody reports
            if alarm in ready:
                return
            for pipe in by_pipe.keys() & ready:
                self._listen(by_pipe[pipe])
            if (
                any(place.going for place in self._places)
                and not self._winding_down
                and self._work.meter.over()
            ):
                self._wind_down()

    def _wind_down(self) -> None:
        """Let what has been asked be answered and recorded, and then no more."""
        self._winding_down = True
        for place in self._places:
            _tell(place, WindDown(self._work.meter.stopped or ""))

    def dismiss(self) -> None:
        """Ask all workers to stop, and see that they are gone."""
        for place in self._places:
            _tell(place, None)
        for place in self._places:
            place.process.join(10)
            if place.process.is_alive():
                place.process.kill()
                place.process.join()
            if place.going:
                self._drain(place)
            place.pipe.close()
        self._count()

    def _place(self, name: str) -> _Place:
        # Not forked: a process with threads and open connections can't be copied safely.
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        job = Job(self._work.config, self._work.run.path, name, self._lanes)
        process = context.Process(target=serve, args=(theirs, job), name=f"liecraft-{name}", daemon=True)
        process.start()
        theirs.close()
        return _Place(name, process, ours)

    def _feed(self, place: _Place) -> None:
        """Give a worker games, so that it has more at hand than it can play at once."""
        while len(place.going) <= self._lanes + self._chunk and not self._winding_down:
            tasks = self._returned[: self._chunk] or list(islice(self._work.tasks, self._chunk))
            del self._returned[: self._chunk]
            if not tasks:
                return
            place.going.update((task[0].game, task) for task in tasks)
            place.given.update(place.going)
            if not _tell(place, tasks):
                return  # it has died; its pipe will say so

    def _listen(self, place: _Place) -> None:
        try:
            report: Report | Exception = place.pipe.recv()
        except (EOFError, OSError):
            if self._winding_down:
                place.going.clear()  # left as they stand
                place.pipe.close()
            else:
                self._bury(place)
            return
        if isinstance(report, Exception):
            raise report
        self._note(place, report)
        self._count()
        self._feed(place)

    def _note(self, place: _Place, report: Report) -> None:
        place.tally = report.tally
        for game in report.closed:
            place.going.pop(game, None)
            place.deaths = 0

    def _drain(self, place: _Place) -> None:
        """Take in what a worker said before it stopped."""
        try:
            while place.pipe.poll():
                report = place.pipe.recv()
                if isinstance(report, Report):
                    self._note(place, report)
        except (EOFError, OSError):
            return

    def _bury(self, place: _Place) -> None:
        """Put a new worker in the place of one that has died, and give back the games that it left."""
        place.process.join()
        place.pipe.close()
        place.deaths += 1
        files = sorted((self._work.run.path / "traces").glob(f"{place.name}-*.jsonl"))
        stock = take_stock(files, self._work.config.specs(), place.given)
        if stock.closed & place.going.keys():
            place.deaths = 1
        if place.deaths > DEATHS:
            code = place.process.exitcode
            place.going.clear()
            raise RunError(
                f"worker {place.name} has died {place.deaths} times (exit code {code}) without closing a game: is "
                "there memory enough? What had closed is kept; go on with --resume"
            )
        self._base.add(stock.tally)
        for game, (plan, attempts) in place.going.items():
            if game not in stock.closed:
                self._returned.append((plan, [*attempts, *stock.begun.get(game, ())]))
        new = self._place(place.name)
        new.deaths = place.deaths
        self._places[self._places.index(place)] = new
        self._count()
        for each in self._places:
            self._feed(each)

    def _count(self) -> None:
        self._work.count([self._base, *(place.tally for place in self._places)])


def _tell(place: _Place, message: Order) -> bool:
    """Send something to a worker; False if it is no more."""
    try:
        place.pipe.send(message)
    except OSError:
        return False
    return True


@contextmanager
def _signals() -> Iterator[tuple[int, list[int]]]:
    """A file descriptor that can be read once Ctrl-C or a request to end has come, and the signals' numbers."""
    caught: list[int] = []
    alarm, bell = os.pipe()

    def stop(number: int, frame: Any) -> None:
        caught.append(number)
        os.write(bell, b"!")

    before = {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, stop)
    except ValueError:  # not the main thread: whoever has that decides
        pass
    try:
        yield alarm, caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(alarm)
        os.close(bell)
