"""Playing a tournament: asyncio across games, each one written as it goes."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from liecraft.agents.budget import RunMeter
from liecraft.agents.pool import Models
from liecraft.agents.running import run_to_end
from liecraft.tournament.config import read_config
from liecraft.tournament.player import Lanes, Listed, Player, models_of
from liecraft.tournament.progress import Bar, Progress, Silent, Tally
from liecraft.tournament.schedule import Plan, schedule
from liecraft.tournament.stock import Stock, check_same, facts, reopen, take_stock, used
from liecraft.tournament.store import Run, Shards, create, find
from liecraft.tournament.work import Work


class Tournament:
    """A tournament, from a YAML file or from the same fields in Python.

    Args:
        source: Path of a YAML file, or its content as a mapping; left out, the fields are given by name.
        runs: Folder under which the run's own folder is made.
        **fields: Fields of the configuration, laid over what the source says; None leaves it.

    Raises:
        ConfigError: Something is wrong; nothing has started.
    """

    def __init__(
        self,
        source: str | Path | Mapping[str, Any] | None = None,
        *,
        runs: str | Path = "runs",
        **fields: Any,
    ) -> None:
        if source is None or isinstance(source, Mapping):
            source = {"name": "tournament", **(source or {})}
        self.config = read_config(source, **fields)
        self.runs = Path(runs)
        self.tally = Tally()
        self.interrupted = 0
        """Number of the signal that stopped the latest run; 0 if it came to its end."""
        self.stopped: str | None = None
        """Which budget stopped the latest run, in one line."""

    def run(
        self,
        *,
        progress: bool = True,
        resume: bool = False,
        retry_failed: bool = False,
        workers: int = 1,
        ray: str | None = None,
    ) -> Run:
        """Play all games and return the run; Ctrl-C stops it and keeps what has finished.

        Args:
            progress: Show a bar while it runs.
            resume: Go on with the latest run of this name, where there is one: what has closed is kept, and
                what models have answered is not asked again.
            retry_failed: With `resume`: go on with failed games too, from before the call that failed.
            workers: Processes to play in.
            ray: Play on a Ray cluster instead: its address, or `local` for one on this machine.

        Raises:
            RunError: The run's folder can't be made, or another process is playing the run.
            TraceError: It can't be written to any more; the games that had closed are kept.
            ConfigError: A model can't be set up, or what is to be resumed was another tournament.
        """
        self.interrupted = 0
        models = models_of(self.config)
        try:
            return self._run(models, progress, resume, retry_failed, workers, ray)
        finally:
            run_to_end(models.close())

    def _run(
        self, models: Models, progress: bool, resume: bool, retry_failed: bool, workers: int, ray: str | None
    ) -> Run:
        for wanted in self.config.specs().values():
            if wanted.modelled:
                models.get(wanted.model())  # a missing key or file stops the run before it begins
        run = self._folder(resume)
        with run.held():
            stock = self._stock(run, retry_failed=resume and retry_failed)
            self.tally = stock.tally
            self.tally.earlier = stock.tally.games
            shown: Progress = Bar(self.games, run.path.name) if progress else Silent()
            shown.update(self.tally)
            meter = RunMeter(self.config.budgets, self.tally.entrants)
            tasks = (
                (plan, stock.begun.get(plan.game, ()))
                for plan in schedule(self.config)
                if plan.game not in stock.closed
            )
            left = self.games - len(stock.closed)
            if left and (workers > 1 or ray is not None):
                # Each process hears of what open games have used only as it plays them on.
                ahead = RunMeter(self.config.budgets, used(stock, self.config.specs()))
                if ahead.over():
                    meter.stop(str(ahead.stopped))
            try:
                if left and meter.stopped is None:
                    work = Work(self.config, run, tasks, left, self.tally, shown, meter)
                    self.interrupted = self._play(work, models, workers, ray)
            finally:
                shown.close(self.tally)
            self.stopped = meter.stopped
        return run

    @property
    def games(self) -> int:
        """How many games there are to play in all."""
        return sum(match.games for match in self.config.all_matches())

    def _folder(self, resume: bool) -> Run:
        """The run to go on with, or a new one."""
        config = self.config
        run = find(self.runs, config.name) if resume else None
        if run is None:
            return create(self.runs, config.name, config.model_dump(mode="json"), **facts(config))
        check_same(run, config)
        return run

    def _stock(self, run: Run, *, retry_failed: bool) -> Stock:
        files = [file for shard in run.shards() for file in shard]
        stock = take_stock(files, self.config.specs())
        if not retry_failed or not stock.failed:
            return stock
        reopen(stock.failed)
        return take_stock(files, self.config.specs())

    def _play(self, work: Work, models: Models, workers: int, ray: str | None) -> int:
        """Play; the number of the signal that stopped it, or 0."""
        if ray is not None:
            from liecraft.tournament.ray_tasks import play_on_ray

            return play_on_ray(work, ray)
        if workers > 1:
            from liecraft.tournament.workers import play_in_processes

            return play_in_processes(work, workers)
        shards = Shards(work.run, sync=self.config.sync)
        try:
            return run_to_end(_play_here(work, models, shards))
        finally:
            shards.close()


async def _play_here(work: Work, models: Models, shards: Shards) -> int:
    def played(_: Plan) -> None:
        work.shown.update(work.tally)

    player = Player(work.config, models, shards, work.tally, played, work.meter)
    lanes = Lanes(player, Listed(work.tasks), min(work.config.lanes, work.left))
    try:
        with _stop_on_interrupt(lanes) as interrupted:
            await lanes.ended()
    finally:
        await models.close()
    return interrupted[0] if interrupted else 0


@contextmanager
def _stop_on_interrupt(lanes: Lanes) -> Iterator[list[int]]:
    """Cancel the lanes at Ctrl-C or a request to end, instead of dying in the middle of a write."""
    loop = asyncio.get_running_loop()
    caught: list[int] = []

    def stop(number: int) -> None:
        caught.append(number)
        lanes.cancel()

    signals = (signal.SIGINT, signal.SIGTERM)
    try:
        for number in signals:
            loop.add_signal_handler(number, stop, number)
    except (NotImplementedError, RuntimeError, ValueError):  # not on this platform, or not the main thread
        yield caught
        return
    try:
        yield caught
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
