"""Playing planned games in one process: many at once on one event loop, each one written as it goes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any

from liecraft.agents.budget import BudgetSpent, GameMeter, RunMeter
from liecraft.agents.catalog import AgentSpec
from liecraft.agents.playing import Env, Table, run_game
from liecraft.agents.pool import Models
from liecraft.arena import new_env
from liecraft.tournament.config import TournamentConfig
from liecraft.tournament.progress import Tally
from liecraft.tournament.schedule import Plan
from liecraft.tournament.store import Shards
from liecraft.trace.recall import Recall, longest
from liecraft.trace.scan import Attempt
from liecraft.trace.writer import GameRecorder, Sink

Task = tuple[Plan, Sequence[Attempt]]
"""A game to be played, and the earlier attempts at it."""


class Player:
    """Plays planned games; all lanes share it.

    Args:
        config: The tournament.
        models: The models of this process.
        shards: Where games are written.
        tally: Counts what they use.
        played: Called with each game that has closed.
        meter: The budgets of the run, if they are kept here.
    """

    def __init__(
        self,
        config: TournamentConfig,
        models: Models,
        shards: Shards,
        tally: Tally,
        played: Callable[[Plan], None],
        meter: RunMeter | None = None,
    ) -> None:
        self._config = config
        self._specs = config.specs()
        self._models = models
        self._shards = shards
        self._tally = tally
        self._played = played
        self._meter = meter

    async def play(self, tasks: AsyncIterator[Task]) -> None:
        """Play games off a list that other lanes take from too, until it is empty or a budget is used up."""
        envs: dict[str, Env] = {}
        async for plan, attempts in tasks:
            rules = repr(plan.config)
            if rules not in envs:
                envs[rules] = new_env(self._config.game, plan.config, self._config.lang)
            try:
                if self._meter is not None:
                    self._meter.check()
                await self._game(envs[rules], plan, attempts)
            except BudgetSpent:
                return  # the game is left as it stands; the other lanes come to the same end by themselves
            await asyncio.sleep(0)  # scripted games never wait: let the bar and the others breathe

    async def _game(self, env: Env, plan: Plan, attempts: Sequence[Attempt]) -> None:
        table = table_of(plan, self._specs)
        recorded = Recall(plan.game, longest(attempts)) if attempts else None
        config, meter = self._config, game_meter(self._config, table, self._meter)
        sink = self._shards.sink(plan.game)
        recorder = MeteredRecorder(sink, plan.game, recorded, table, meter, self._tally)
        failure = await run_game(
            env,
            table,
            recorder,
            self._models,
            seed=plan.seed,
            probes=config.probes,
            meter=meter,
            loops=config.loops,
        )
        self._tally.games += 1
        self._tally.failed += failure is not None
        self._played(plan)


def table_of(plan: Plan, specs: Mapping[str, AgentSpec]) -> Table:
    """Who sits where in a planned game."""
    return Table(plan.seats, {seat: specs[name] for seat, name in plan.seats.items()}, plan.prompts)


def models_of(config: TournamentConfig) -> Models:
    """The models of one process of a tournament."""
    return Models(adaptive=config.concurrency == "auto", patience=config.patience)


def game_meter(config: TournamentConfig, table: Table, run: RunMeter | None = None) -> GameMeter:
    """What watches the budgets of one game."""
    prices = {seat: spec.model().price for seat, spec in table.specs.items() if spec.modelled}
    return GameMeter(config.budgets, table.names, prices, run)


class Listed:
    """Games that are at hand.

    Args:
        tasks: The games.
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = iter(tasks)

    def __aiter__(self) -> AsyncIterator[Task]:
        return self

    async def __anext__(self) -> Task:
        for task in self._tasks:
            return task
        raise StopAsyncIteration


class Lanes:
    """Games being played beside each other in the running event loop, each lane one after the other.

    Args:
        player: Plays them.
        tasks: What the lanes take from.
        number: How many lanes.
    """

    def __init__(self, player: Player, tasks: AsyncIterator[Task], number: int) -> None:
        self._lanes = [asyncio.ensure_future(player.play(tasks)) for _ in range(number)]

    def cancel(self) -> None:
        """Stop them where they are."""
        for lane in self._lanes:
            lane.cancel()

    async def ended(self) -> None:
        """Wait until there is nothing left to play, or they were cancelled, or one has broken down.

        Raises:
            Exception: What broke it down, such as a full disk; the other lanes are stopped.
        """
        try:
            await asyncio.wait(self._lanes, return_when=asyncio.FIRST_EXCEPTION)
        finally:  # also where it is cancelled itself: nobody may close the models under a game
            self.cancel()
            results = await asyncio.gather(*self._lanes, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
                raise result


class MeteredRecorder(GameRecorder):
    """A recorder that also counts what the calls cost, those that are recalled as those that are made."""

    def __init__(
        self,
        sink: Sink,
        game: str,
        recorded: Recall | None,
        table: Table,
        meter: GameMeter,
        tally: Tally | None = None,
    ) -> None:
        super().__init__(sink, game, recorded)
        self._table = table
        self._meter = meter
        self._tally = tally

    def _call(self, seat: str, model: str, messages: Any, answer: Mapping[str, Any]) -> None:
        super()._call(seat, model, messages, answer)
        self._meter.spend(seat, answer)
        if self._tally is not None:
            self._tally.call(answer, self._table.specs[seat].model().price, self._table.names[seat])
