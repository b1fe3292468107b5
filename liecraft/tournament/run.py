"""Playing a tournament: asyncio across games, each one written as it goes."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from liecraft.agents.catalog import AgentSpec, Models
from liecraft.arena import Env, Table, new_env, run_game
from liecraft.tournament.config import TournamentConfig, read_config
from liecraft.tournament.progress import Bar, Progress, Silent, Tally
from liecraft.tournament.schedule import Plan, schedule
from liecraft.tournament.store import Run, Shards, create
from liecraft.trace.writer import GameRecorder, Sink


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

    def run(self, *, progress: bool = True) -> Run:
        """Play all games and return the run; Ctrl-C stops it and keeps what has finished.

        Args:
            progress: Show a bar while it runs.

        Raises:
            RunError: The run's folder can't be made.
            TraceError: It can't be written to any more; the games that had closed are kept.
            ConfigError: A model can't be set up.
        """
        config = self.config
        specs = config.specs()
        models = Models()
        for wanted in specs.values():
            if wanted.modelled:
                models.get(wanted.model())  # a missing key or file stops the run before it begins
        run = create(self.runs, config.name, config.model_dump(mode="json"))
        plans = list(schedule(config))
        shown: Progress = Bar(len(plans), run.path.name) if progress else Silent()
        shards = Shards(run)
        self.tally = Tally()
        try:
            asyncio.run(self._play_all(plans, specs, models, shards, shown))
        finally:
            shards.close()
            shown.close(self.tally)
        return run

    async def _play_all(
        self,
        plans: list[Plan],
        specs: Mapping[str, AgentSpec],
        models: Models,
        shards: Shards,
        shown: Progress,
    ) -> None:
        waiting = iter(plans)
        player = _Player(self.config, specs, models, shards, self.tally, shown)
        lanes = min(self.config.concurrency, len(plans))
        tasks = [asyncio.ensure_future(player.play(waiting)) for _ in range(lanes)]
        with _stop_on_interrupt(tasks) as interrupted:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            for task in tasks:
                task.cancel()  # one has broken down (a full disk), or all are done already
            results = await asyncio.gather(*tasks, return_exceptions=True)
        await models.close()
        self.interrupted = interrupted[0] if interrupted else 0
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
                raise result


class _Player:
    """One lane of games, and what all lanes share."""

    def __init__(
        self,
        config: TournamentConfig,
        specs: Mapping[str, AgentSpec],
        models: Models,
        shards: Shards,
        tally: Tally,
        shown: Progress,
    ) -> None:
        self._config = config
        self._specs = specs
        self._models = models
        self._shards = shards
        self._tally = tally
        self._shown = shown

    async def play(self, plans: Iterator[Plan]) -> None:
        """Play games off the common list until it is empty."""
        envs: dict[str, Env] = {}
        for plan in plans:
            rules = repr(plan.config)
            if rules not in envs:
                envs[rules] = new_env(self._config.game, plan.config, self._config.lang)
            await self._game(envs[rules], plan)
            await asyncio.sleep(0)  # scripted games never wait: let the bar and the others breathe

    async def _game(self, env: Env, plan: Plan) -> None:
        table = Table(plan.seats, {seat: self._specs[name] for seat, name in plan.seats.items()})
        recorder = _MeteredRecorder(self._shards.sink(plan.game), plan.game, table, self._tally)
        failure = await run_game(
            env, table, recorder, self._models, seed=plan.seed, probes=self._config.probes
        )
        self._tally.games += 1
        self._tally.failed += failure is not None
        self._shown.update(self._tally)


class _MeteredRecorder(GameRecorder):
    """A recorder that also counts what the calls cost."""

    def __init__(self, sink: Sink, game: str, table: Table, tally: Tally) -> None:
        super().__init__(sink, game)
        self._table = table
        self._tally = tally

    def call(self, seat: str, model: str, messages: Any, answer: Mapping[str, Any]) -> None:
        super().call(seat, model, messages, answer)
        self._tally.call(answer, self._table.specs[seat].model().price)


@contextmanager
def _stop_on_interrupt(tasks: Sequence[asyncio.Future[None]]) -> Iterator[list[int]]:
    """Cancel the tasks at Ctrl-C or a request to end, instead of dying in the middle of a write."""
    loop = asyncio.get_running_loop()
    caught: list[int] = []

    def stop(number: int) -> None:
        caught.append(number)
        for task in tasks:
            task.cancel()

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
