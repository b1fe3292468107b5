"""Win rates of the murder game's scripted players under many rules, with Wilson intervals.

    python benchmarks/murder_balance.py              the defaults, by seats and with and without talk
    python benchmarks/murder_balance.py --sweep      also what each rule does to the balance
    python benchmarks/murder_balance.py --games 300  fewer games a row

Careful play is detectives against a liar; the other rows show what the rest of the players do.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

from liecraft.engine.agent import Agent, Reply
from liecraft.engine.moves import Move, Words
from liecraft.evaluators.statistics.intervals import Rate, wilson
from liecraft.games.murder.bots import BOTS
from liecraft.games.murder.env import MurderEnv

DEFAULTS: Mapping[str, Any] = {}
CAREFUL = ("liar", "detective")
"""Murderer, innocents."""

PLAYERS = (
    ("liar", "honest"),
    ("liar", "silent"),
    ("liar", "accuser"),
    ("honest", "detective"),
    ("silent", "silent"),
)
SWEEP: tuple[Mapping[str, Any], ...] = (
    *({"rounds": rounds} for rounds in (6, 7, 9, 10)),
    *({"darkness": darkness} for darkness in (0.0, 0.4, 0.9)),
    *({"clues": clues} for clues in (0, 6, 18)),
    *({"clue_odds": odds} for odds in (1.0, 4.0)),
    *({"clutter": clutter} for clutter in (8, 18)),
    *({"discussion_rounds": rounds} for rounds in (1, 3)),
    {"key": False},
    {"cooldown": 0},
    {"first_kill": 4},
    {"reveal": False},
    {"majority": "absolute"},
    *({"tie": tie} for tie in ("random", "runoff", "all")),
    {"dawn_meeting": False},
    {"dawn": "truthful"},
    {"seats": 7, "murderers": 2},
    {"seats": 9, "murderers": 2},
)


class Row(NamedTuple):
    """One line of the table."""

    label: str
    innocents_win: Rate
    reasons: Mapping[str, int]

    def __str__(self) -> str:
        rate, reasons = (
            self.innocents_win,
            ", ".join(f"{name} {n}" for name, n in sorted(self.reasons.items())),
        )
        return f"{self.label:58} {rate.value:.3f} [{rate.low:.3f}, {rate.high:.3f}]  n={rate.n}  {reasons}"


def play(env: MurderEnv, seed: int, names: tuple[str, str], **liar: Any) -> tuple[str, str]:
    """Play one game; returns winner and reason.

    Args:
        env: Used again and again.
        seed: The game's seed.
        names: Scripted players of the murderers and of the innocents.
        **liar: Parameters of the murderers' players.
    """
    env.reset(seed=seed)
    agents: dict[str, Agent] = {}
    for seat, role in env.role.items():
        guilty = role == "murderer"
        rng = env.chance.rng("agent", 0, seat)
        agents[seat] = BOTS[names[0]](rng, **liar) if guilty else BOTS[names[1]](rng)
    while not env.finished:
        seat = env.agent_selection
        reply = agents[seat].act(env.view(seat), env.request())
        assert isinstance(reply, Reply)  # scripted players answer at once
        index = env.moves.index(reply.move)
        env.step(Move(index, Words(reply.text, reply.claims)) if reply.text else index)
    outcome = env.view(env.seats[0]).first("outcome").data
    return outcome["winner"], outcome["reason"]


def measure(
    label: str, config: Mapping[str, Any], games: int, names: tuple[str, str] = CAREFUL, **liar: Any
) -> Row:
    """Play seeds 0 to `games` - 1 under one configuration."""
    env = MurderEnv(**config)
    results = [play(env, seed, names, **liar) for seed in range(games)]
    won = sum(winner == "truthful" for winner, _ in results)
    return Row(label, wilson(won, games), Counter(reason for _, reason in results))


def rows(games: int, sweep: bool) -> Iterable[tuple[Any, ...]]:
    """Arguments of `measure`, and keyword arguments last, for each row."""
    for seats in (6, 5, 7, 8):
        for talk in (2, 0):
            table = {"seats": seats, "discussion_rounds": talk}
            yield f"seats={seats} discussion_rounds={talk}", table, games, CAREFUL, {}
    for boldness in (0.0, 0.25, 0.75, 1.0):
        yield f"liar that kills with chance {boldness}", DEFAULTS, games, CAREFUL, {"boldness": boldness}
    for rate in (0.0, 0.5):
        yield f"liar with lie_rate {rate}", DEFAULTS, games, CAREFUL, {"lie_rate": rate}
    for names in PLAYERS:
        yield f"murderer {names[0]}, innocents {names[1]}", DEFAULTS, games, names, {}
    for config in SWEEP if sweep else ():
        label = " ".join(f"{name}={value}" for name, value in config.items())
        yield label, config, games, CAREFUL, {}


def _row(arguments: tuple[Any, ...]) -> Row:
    *positional, keywords = arguments
    return measure(*positional, **keywords)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=1000, help="games a row (default 1000)")
    parser.add_argument("--sweep", action="store_true", help="also vary each rule")
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    chosen = parser.parse_args()
    print(f"{'':58} innocents win, 95% Wilson interval")
    with ProcessPoolExecutor(chosen.workers) as pool:
        for row in pool.map(_row, rows(chosen.games, chosen.sweep)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
