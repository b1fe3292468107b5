"""How costs grow: a request's with the turn, a game's with its seats, memory with games, a run's with its size.

    python benchmarks/growth.py                  all four tables, some minutes
    python benchmarks/growth.py turns seats      only these
    python benchmarks/growth.py runs --games 100000

Times are CPU seconds of this process, so that an endpoint's latency and neighbours weigh little. Each table has a
last column that says what grows: a ratio to its first line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from liecraft import Tournament
from liecraft.agents.catalog import AgentSpec, build
from liecraft.agents.playing import run_game
from liecraft.agents.pool import Models, ModelSpec
from liecraft.agents.wording import Wording
from liecraft.arena import baseline, new_env, seat_agents
from liecraft.engine.agent import Agent, Reply, Request
from liecraft.engine.chance import Chance
from liecraft.engine.ledger import View
from liecraft.models import ChatModel, Completion, Message, Sampling, Usage
from liecraft.tournament.results import score_run
from liecraft.tournament.stock import take_stock
from liecraft.tournament.store import Run
from liecraft.trace.writer import GameRecorder, ListSink

SAYS = "I was in the hall the whole time, and whoever says something else has a reason to. " * 2
LONG: Mapping[str, Any] = {"seats": 8, "rounds": 60, "first_kill": 60, "cooldown": 9, "key": False}
SHORT: Mapping[str, Any] = {"seats": 4, "rounds": 2, "first_kill": 9, "discussion_rounds": 1, "key": False}


class Clocked:
    """A model that answers at once and notes the process's clock at each call, on arrival and departure."""

    name = "m"

    def __init__(self) -> None:
        self.spent: list[float] = []
        self.sizes: list[int] = []
        self._left = time.process_time()

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None,
        sampling: Sampling,
        deadline: float,
    ) -> Completion:
        """The first move offered; only what happens between two calls is counted."""
        body = json.dumps({"messages": messages, "schema": schema})  # what any client has to do with a prompt
        self.spent.append(time.process_time() - self._left)
        self.sizes.append(len(body))
        properties = (schema or {})["properties"]
        reply: dict[str, Any] = {"move": properties["move"]["enum"][0]}
        if "say" in properties:
            reply |= {"move": "say", "say": SAYS, "claims": []}
        answer = Completion(
            json.dumps(reply), "stop", None, Usage(len(body) // 4, 40, None), 0.0, 1, self.name
        )
        self._left = time.process_time()
        return answer

    async def close(self) -> None:
        """Nothing is held."""


def turns(_: argparse.Namespace) -> None:
    """CPU between two calls, engine, prompt, parsing and trace included, by how many calls came before."""
    meeting = {**LONG, "first_kill": 1, "cooldown": 1, "discussion_rounds": 3}
    models: list[Clocked] = []

    def make(_: ModelSpec) -> ChatModel:
        models.append(Clocked())
        return models[-1]

    for seed in range(6):
        env = new_env("murder", meeting)
        seats = baseline(env, seed)
        wanted = {"agent": "llm", "model": "m", "base_url": "http://127.0.0.1:1/v1", "context": 1_000_000}
        truthful = next(seat for seat, role in env.role.items() if role == "innocent")
        table = seat_agents(env, {**{seat: "default" for seat in seats}, truthful: wanted})
        asyncio.run(run_game(env, table, GameRecorder(ListSink(), "g000000"), Models(make), seed=seed))
    longest = max(len(model.spent) for model in models)
    step = max(1, longest // 6)
    print(f"{'requests before':>16}{'prompt, kB':>12}{'ms CPU a request':>18}{'ratio':>8}")
    first = None
    for start in range(0, longest - step + 1, step):
        chosen = [i for i in range(start, start + step)]
        spent = [model.spent[i] for model in models for i in chosen if i < len(model.spent)]
        size = [model.sizes[i] for model in models for i in chosen if i < len(model.sizes)]
        median = 1000 * statistics.median(spent)
        first = first or median
        name = f"{start}-{start + step - 1}"
        print(f"{name:>16}{statistics.mean(size) / 1000:>12.1f}{median:>18.2f}{median / first:>8.2f}")


def seats(_: argparse.Namespace) -> None:
    """CPU of a whole game by how many play it, careful scripted players in every seat."""
    print(f"{'seats':>16}{'moves a game':>14}{'ms CPU a game':>15}{'us CPU a move':>15}{'ratio':>8}")
    first = None
    for number in (4, 6, 8, 10, 12):
        env = new_env("murder", {"seats": number})
        moves, begun, games = 0, time.process_time(), 60
        for seed in range(games):
            table = seat_agents(env, baseline(env, seed))
            recorder = GameRecorder(ListSink(), "g000000")
            _drive(run_game(env, table, recorder, Models(), seed=seed))
            moves += recorder.moves
        spent = time.process_time() - begun
        move = 1e6 * spent / moves
        first = first or move
        print(
            f"{number:>16}{moves / games:>14.1f}{1e3 * spent / games:>15.2f}{move:>15.1f}{move / first:>8.2f}"
        )


def _drive(job: Any) -> None:
    try:
        job.send(None)
    except StopIteration:
        return
    raise RuntimeError("a scripted game waited")


class Held:
    """A scripted agent that stops the game at one of its turns until it may go on."""

    def __init__(self, inner: Agent, gate: asyncio.Event, at: int) -> None:
        self._inner = inner
        self._gate = gate
        self._left = at

    async def act(self, view: View, request: Request) -> Reply:
        """Answer as the inner agent does, after a wait at the chosen turn."""
        self._left -= 1
        if self._left == 0:
            await self._gate.wait()
        reply = self._inner.act(view, request)
        assert isinstance(reply, Reply)
        return reply


def games(options: argparse.Namespace) -> None:
    """Memory by live games: each stopped in its fourth round, with its env, agents and record."""
    asyncio.run(_live(options.live))


async def _live(most: int) -> None:
    gate = asyncio.Event()
    tasks: list[asyncio.Task[Any]] = []
    print(f"{'live games':>16}{'MB':>10}{'kB a game':>12}{'ratio':>8}")
    empty, first = _memory(), None
    for number in (most // 10, most // 2, most):
        while len(tasks) < number:
            tasks.append(asyncio.ensure_future(_held_game(len(tasks), gate)))
            if len(tasks) % 100 == 0:
                await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not any(task.done() for task in tasks), "a game is over that should be live"
        each = (_memory() - empty) / number
        first = first or each
        print(f"{number:>16}{_memory() / 1e6:>10.0f}{each / 1e3:>12.1f}{each / first:>8.2f}", flush=True)
    gate.set()
    await asyncio.gather(*tasks)


async def _held_game(seed: int, gate: asyncio.Event) -> None:
    env = new_env("murder", {"seats": 6, "first_kill": 5, "key": False})  # so that none is over by then
    table = seat_agents(env, baseline(env, seed))
    seat, chance, models = env.seats[0], Chance(seed), Models()
    inner = build(table.specs[seat], Wording(env.name), seat, chance.rng("agent", seat=seat), models=models)
    recorder = GameRecorder(ListSink(), "g000000")
    await run_game(env, table, recorder, models, seed=seed, given={seat: Held(inner, gate, 4)})


def _memory() -> int:
    """Resident bytes of this process, from Linux."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def runs(options: argparse.Namespace) -> None:
    """Time to check a complete run for `--resume`, and to score it, by its size.

    A thousand games are played; larger runs are made of copies of them under other names.
    """
    specs: dict[str, AgentSpec] = Tournament(game="murder", entrants=_ENTRANTS, games=4).config.specs()
    print(
        f"{'games':>16}{'MB':>8}{'resume s':>10}{'us a game':>11}{'ratio':>8}{'score s':>9}{'ms a game':>11}{'ratio':>8}"
    )
    first = None
    for number in sorted({1000, 4000, 10_000, options.games}):
        with tempfile.TemporaryDirectory() as folder:
            tournament = Tournament(
                name="r", game="murder", config=dict(SHORT), entrants=_ENTRANTS, games=1000, runs=folder
            )
            run = tournament.run(progress=False)
            for shard in range(1, number // 1000):
                _copy(run, shard)
            files = [file for shard in run.shards() for file in shard]
            size = sum(file.stat().st_size for file in files)
            begun = time.process_time()
            stock = take_stock(files, specs)
            resume = time.process_time() - begun
            assert len(stock.closed) == number
            if first is None:
                score_run(run)  # what is set up at the first use is not to be timed
            begun = time.process_time()
            scored = number <= options.scored
            if scored:
                assert score_run(run)["play"]["games"]["finished"] == number
            scoring = time.process_time() - begun
        first = first or (resume / number, scoring / number)
        each = resume / number, scoring / number
        told = f"{scoring:>9.2f}{1e3 * each[1]:>11.2f}{each[1] / first[1]:>8.2f}" if scored else f"{'-':>9}"
        head = (
            f"{number:>16}{size / 1e6:>8.0f}{resume:>10.2f}{1e6 * each[0]:>11.0f}{each[0] / first[0]:>8.2f}"
        )
        print(head + told, flush=True)


_ENTRANTS = {"a": "liar", "b": "detective", "c": "honest", "d": "random"}


def _copy(run: Run, shard: int) -> None:
    first = run.path / "traces" / "00000.jsonl"
    text = first.read_bytes()
    renamed = text.replace(b'{"game":"g000', b'{"game":"g%03d' % shard)
    (run.path / "traces" / f"{shard:05d}.jsonl").write_bytes(renamed)


TABLES = {"turns": turns, "seats": seats, "games": games, "runs": runs}


def _chosen(names: Sequence[str]) -> Iterator[str]:
    for name in names or TABLES:
        if name not in TABLES:
            raise SystemExit(f"no table {name!r}: choose of {', '.join(TABLES)}")
        yield name


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", help=f"of {', '.join(TABLES)}; all of them if left out")
    parser.add_argument("--live", type=int, default=10_000, help="live games, for memory")
    parser.add_argument(
        "--games", type=int, default=100_000, help="games of the largest run; a multiple of 1000"
    )
    parser.add_argument("--scored", type=int, default=10_000, help="games of the largest run that is scored")
    options = parser.parse_args()
    for name in _chosen(options.tables):
        print(f"\n{TABLES[name].__doc__ and TABLES[name].__doc__.splitlines()[0]}")
        TABLES[name](options)


if __name__ == "__main__":
    main()
