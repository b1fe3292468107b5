"""Moves a second of the engine, random legal play, against TextArena's and PettingZoo's games in the same run.

    pip install -r benchmarks/requirements.txt
    python benchmarks/engine.py

Ours is the raw env with everything that a move brings: observations and masks through `last`, the ledger, views.
TextArena is measured twice: its bare env (the faster, so the ratio's denominator) and as `textarena.make` gives
it. PettingZoo's bare AEC loop, whose moves do nothing, is the bound on what a game with its interface can reach. Rounds
alternate between them, so that a drifting machine weighs on both; the median round counts.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
import textarena
from pettingzoo import AECEnv

from liecraft.engine.registry import game_class, list_games

SEATS = 6
MOVES = 60
"""Moves of a bare game, about as many as one of murder has."""


def ours(name: str) -> AECEnv:
    """One of our games as a raw env."""
    return game_class(name)(seats=SEATS)


def hold_em() -> AECEnv:
    """PettingZoo's Texas hold'em, no limit: of its classic envs the one with hidden cards and as many seats."""
    from pettingzoo.classic.rlcard_envs import texas_holdem_no_limit

    return texas_holdem_no_limit.raw_env(num_players=SEATS)


def connect_four() -> AECEnv:
    """PettingZoo's connect four: two seats, nothing hidden, a board of 42."""
    from pettingzoo.classic.connect_four import connect_four as module

    return module.raw_env()


class Bare(AECEnv):
    """What the AEC protocol itself costs: seats take turns, an observation is handed out, nothing happens."""

    metadata: ClassVar[dict[str, Any]] = {"name": "bare_v0"}

    def __init__(self) -> None:
        self.possible_agents = [f"player_{i}" for i in range(SEATS)]
        self._observation = {"observation": np.zeros(64, np.float32), "action_mask": np.ones(10, np.int8)}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._moves = 0

    def observe(self, agent: str) -> dict[str, Any]:
        return self._observation

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._moves += 1
        self.agent_selection = self.agents[self._moves % SEATS]
        if self._moves == MOVES:
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._deads_step_first()


def aec(env: AECEnv) -> Callable[[float], tuple[int, float]]:
    """Random legal play of an AEC env."""
    seeds = iter(range(1 << 30))
    draw = _draws()

    def play(seconds: float) -> tuple[int, float]:
        moves, begun = 0, time.process_time()
        while time.process_time() - begun < seconds:
            env.reset(seed=next(seeds))
            while env.agents:
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                env.step(int(legal[int(next(draw) * len(legal))]))
                moves += 1
        return moves, time.process_time() - begun

    return play


def secret_mafia(bare: bool) -> Callable[[float], tuple[int, float]]:
    """Random legal play of TextArena's SecretMafia."""
    env = textarena.make("SecretMafia-v0")
    inner = env
    while hasattr(inner, "env"):
        inner = inner.env
    if bare:
        env = inner
    seeds = iter(range(1 << 30))
    draw = _draws()

    def play(seconds: float) -> tuple[int, float]:
        moves, begun = 0, time.process_time()
        while time.process_time() - begun < seconds:
            env.reset(num_players=SEATS, seed=next(seeds))
            done = False
            while not done:
                player, _ = env.get_observation()
                done, _ = env.step(_reply(inner, player, next(draw)))
                moves += 1
        return moves, time.process_time() - begun

    return play


def _reply(env: textarena.Env, player: int, chance: float) -> str:
    """A legal reply: a short speech in the discussion, a bracketed target elsewhere."""
    if env.phase.name == "DAY_DISCUSSION":
        return "I was at home all night."
    alive = [other for other in env.state.game_state["alive_players"] if other != player]
    if env.phase.name == "NIGHT_MAFIA":
        alive = [other for other in alive if env.player_roles[other] != "Mafia"]
    return f"[{alive[int(chance * len(alive))]}]"


def _draws() -> Iterator[float]:
    """Uniform numbers drawn in blocks: a generator call a move would weigh more than the move."""
    rng = np.random.default_rng(7)
    while True:
        yield from rng.random(10_000).tolist()


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="alternating rounds")
    parser.add_argument("--seconds", type=float, default=1.5, help="seconds a round and contestant")
    options = parser.parse_args()
    contestants = {name: aec(ours(name)) for name in list_games()}
    contestants["PettingZoo hold'em, no limit"] = aec(hold_em())
    contestants["PettingZoo connect four, 2 seats"] = aec(connect_four())
    contestants["PettingZoo's AEC loop, bare"] = aec(Bare())
    contestants["TextArena SecretMafia, bare"] = secret_mafia(bare=True)
    contestants["TextArena SecretMafia, as made"] = secret_mafia(bare=False)
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for play in contestants.values():
        play(0.2)  # warm caches before anything counts
    for _ in range(options.rounds):
        for name, play in contestants.items():
            moves, seconds = play(options.seconds)
            rates[name].append(moves / seconds)
    bound = statistics.median(rates["TextArena SecretMafia, bare"])
    print(f"{'random legal play, 6 seats':<34}{'moves/s':>10}{'ratio':>8}")
    for name, measured in rates.items():
        median = statistics.median(measured)
        print(f"{name:<34}{median:>10,.0f}{median / bound:>8.2f}")


if __name__ == "__main__":
    main()
