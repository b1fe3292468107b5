"""As many games at once, each asking its model one thing at a time: ours, AutoGen's own calls, TextArena in threads.

    pip install -r benchmarks/requirements.txt
    python benchmarks/peers.py [--games 100] [--latency 1.0]

One after the other, each in a process of its own, against the same loopback endpoint (its latency fixed):

- liecraft: a tournament of murder with 6 seats, a model in each.
- liecraft, autogen seats: the same, each seat an AutoGen assistant over our client.
- AutoGen's own calls: the same games, each seat an AutoGen assistant over autogen-ext's client (one for all).
- TextArena: SecretMafia with 6 seats, a thread a game, TextArena's OpenAI agent (one a game: it keeps no state).

The ideal is games / latency. Rates count the first two thirds of the answers, before games run out.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import resource
import tempfile
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from endpoint import endpoint, rate

SEATS = 6


def liecraft_seats(base_url: str, games: int, agent: str = "llm") -> None:
    """A tournament."""
    from liecraft import Tournament

    with tempfile.TemporaryDirectory() as runs:
        entrant = {"agent": agent, "model": "m", "base_url": base_url}
        Tournament(
            name="peers",
            game="murder",
            config={"seats": SEATS},
            entrants={"m": entrant},
            games=games,
            concurrency=games,
            runs=runs,
        ).run(progress=False)


def autogen_seats(base_url: str, games: int) -> None:
    """A tournament whose seats are AutoGen's assistants over our client."""
    liecraft_seats(base_url, games, "autogen")


def autogen_own(base_url: str, games: int) -> None:
    """Games whose assistants call the model through AutoGen's own client."""
    asyncio.run(_autogen_own(base_url, games))


async def _autogen_own(base_url: str, games: int) -> None:
    from autogen_agentchat.agents import AssistantAgent
    from autogen_core.models import ModelFamily, ModelInfo
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    from liecraft.agents.autogen import OwnAssistantChat
    from liecraft.agents.llm import ModelAgent
    from liecraft.agents.playing import run_game
    from liecraft.agents.pool import Models
    from liecraft.agents.prompt import prompt_book
    from liecraft.arena import new_env, seat_agents
    from liecraft.trace.writer import GameRecorder, ListSink

    info = ModelInfo(
        vision=False,
        function_calling=False,
        json_output=True,
        structured_output=True,
        family=ModelFamily.UNKNOWN,
    )
    client = OpenAIChatCompletionClient(model="m", base_url=base_url, api_key="none", model_info=info)

    async def one(seed: int) -> None:
        env = new_env("murder", {"seats": SEATS})
        book = prompt_book(env.name, "en", True, False)
        players = {
            seat: ModelAgent(OwnAssistantChat(AssistantAgent(seat, client)), book) for seat in env.seats
        }
        table, recorder = seat_agents(env, ["default"] * SEATS), GameRecorder(ListSink(), f"g{seed:06d}")
        await run_game(env, table, recorder, Models(), seed=seed, given=players)

    await asyncio.gather(*(one(seed) for seed in range(games)))
    await client.close()


def textarena_threads(base_url: str, games: int) -> None:
    """A thread a game."""
    from concurrent.futures import ThreadPoolExecutor

    import textarena
    from textarena.agents import OpenAIAgent

    def one(seed: int) -> None:
        agent = OpenAIAgent("m", api_key="none", base_url=base_url)
        env = textarena.make("SecretMafia-v0")
        env.reset(num_players=SEATS, seed=seed)
        done = False
        while not done:
            _, observation = env.get_observation()
            done, _ = env.step(agent(observation))
        env.close()

    with ThreadPoolExecutor(games) as pool:
        list(pool.map(one, range(games)))


CONTESTANTS: dict[str, Callable[[str, int], None]] = {
    "liecraft": liecraft_seats,
    "liecraft, autogen seats": autogen_seats,
    "AutoGen's own calls": autogen_own,
    "TextArena, a thread a game": textarena_threads,
}


def measured(play: Callable[[str, int], None], base_url: str, games: int, pipe: Connection) -> None:
    """Play in this process and tell what it took: seconds of CPU, peak of memory in MB."""
    play(base_url, games)
    used = resource.getrusage(resource.RUSAGE_SELF)
    pipe.send((used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))


def contest(name: str, games: int, latency: float) -> list[Any]:
    """One contestant's row: requests, of the ideal, CPU a request, memory."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    with endpoint(latency) as server:
        player = spawn.Process(target=measured, args=(CONTESTANTS[name], server.base_url, games, there))
        player.start()
        there.close()
        cpu, memory = here.recv()
        player.join()
        times = server.times()
    return [name, len(times), rate(times, latency) * latency / games, 1000 * cpu / len(times), memory]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--latency", type=float, default=1.0)
    options = parser.parse_args()
    print(f"{options.games} games at once, {options.latency:g} s latency, load {os.getloadavg()[0]:.1f}")
    print(f"{'':28}{'requests':>9}{'of ideal':>10}{'ms CPU/request':>16}{'peak MB':>9}")
    for name in CONTESTANTS:
        name, requests, ratio, cpu, memory = contest(name, options.games, options.latency)
        print(f"{name:28}{requests:9,}{ratio:10.3f}{cpu:16.2f}{memory:9.0f}", flush=True)


if __name__ == "__main__":
    main()
