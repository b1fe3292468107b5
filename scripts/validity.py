"""Validity of the evaluators: agents with planted behaviour play, and every measure must find what was planted.

    python -m scripts.validity            # plays some 70,000 games, writes docs/validity.md

Each experiment plays its games once and cuts them into blocks that share nothing. A block is one repetition: its
interval either holds the planted value or not.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from time import process_time
from typing import Any

from liecraft.agents.playing import Table, run_game
from liecraft.agents.pool import Models
from liecraft.agents.running import run_now
from liecraft.arena import new_env
from liecraft.engine.chance import Chance
from liecraft.evaluators.clusters import SCALE, cells
from liecraft.evaluators.game import Game
from liecraft.evaluators.measures import Counts, load_evaluators
from liecraft.evaluators.statistics.choice import compare_independent
from liecraft.trace.reader import from_lines
from liecraft.trace.writer import GameRecorder, ListSink
from scripts.experiments import EXPERIMENTS, Experiment

OUT = Path(__file__).parent.parent / "docs" / "validity.md"


@dataclass(slots=True)
class Found:
    """What the blocks of an experiment found."""

    estimates: dict[str, list[float]] = field(default_factory=dict)
    widths: dict[str, list[float]] = field(default_factory=dict)
    held: Counter[str] = field(default_factory=Counter)
    blocks: Counter[str] = field(default_factory=Counter)
    ordered: Counter[str] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    apart: Counter[str] = field(default_factory=Counter)


def play_all(experiment: Experiment, games: int) -> Iterator[Game]:
    """The experiment's games, one by one."""
    env = new_env(experiment.game, experiment.config)
    names = {seat: name for seat, (name, _) in zip(env.seats, experiment.seats, strict=True)}
    for number in range(games):
        seed = experiment.seed + number
        chance, sink = Chance(seed), ListSink()
        given = {
            seat: make(chance.rng("agent", seat=seat), env)
            for seat, (_, make) in zip(env.seats, experiment.seats, strict=True)
        }
        env.reset(seed=seed)
        recorder = GameRecorder(sink, f"g{number:06d}")
        run_now(
            run_game(
                env, Table(names, {}), recorder, Models(), seed=seed, given=given, probes=experiment.probes
            )
        )
        yield Game.read(from_lines(sink.lines))


def run(experiment: Experiment, blocks: int) -> Found:
    """Play all blocks and hold each one's scores against what was planted."""
    evaluators = load_evaluators(experiment.evaluators())
    found = Found()
    sums: dict[str, Counts] = {name: Counter() for name in evaluators}
    for number, game in enumerate(play_all(experiment, blocks * experiment.size), 1):
        if game.status == "failed":
            raise RuntimeError(f"game {game.game}: {game.close['failure']}")
        for name, evaluator in evaluators.items():
            sums[name].update(evaluator.count(game))
        if number % experiment.size == 0:
            tables = {name: evaluator.rows(sums[name]) for name, evaluator in evaluators.items()}
            _hold(experiment, tables, sums, found)
            sums = {name: Counter() for name in evaluators}
    return found


def _hold(
    experiment: Experiment,
    tables: Mapping[str, list[dict[str, Any]]],
    sums: Mapping[str, Counts],
    found: Found,
) -> None:
    for planted in experiment.planted:
        figure = _figure(tables[planted.evaluator], planted.row, planted.column)
        if figure is None or figure["low"] is None:
            continue
        found.blocks[planted.name] += 1
        found.held[planted.name] += figure["low"] <= planted.value <= figure["high"]
        found.estimates.setdefault(planted.name, []).append(figure["value"])
        found.widths.setdefault(planted.name, []).append(figure["high"] - figure["low"])
    for order in experiment.orders:
        figures = [_figure(tables[order.evaluator], row, order.column) for row in order.rows]
        values = [figure["value"] for figure in figures if figure and figure["value"] is not None]
        if len(values) == len(figures):
            found.blocks[order.name] += 1
            found.ordered[order.name] += values == sorted(values)
    for twins in experiment.twins:
        groups = cells(sums[twins.evaluator])
        both = [_outcomes(groups.get(key, {})) for key in twins.keys]
        test = compare_independent(both[0], both[1]).test
        if test is not None:
            found.compared[twins.name] += 1
            found.apart[twins.name] += test.p_value < 0.05


def _figure(table: list[dict[str, Any]], row: Mapping[str, Any], column: str) -> dict[str, Any] | None:
    for each in table:
        if all(each[key] == value for key, value in row.items()):
            figure: dict[str, Any] = each[column]
            return figure
    return None


def _outcomes(parts: Mapping[str, tuple[int, int]]) -> list[tuple[bool, str]]:
    return [(i < part // SCALE, cluster) for cluster, (part, whole) in parts.items() for i in range(whole)]


# --- the report ----------------------------------------------------------------------------------------

HEAD = """# Validity of the evaluators

Made by `python -m scripts.validity`; do not edit.

Scripted agents with planted behaviour play, and each measure must find what was planted. Every experiment plays its
games once and cuts them into blocks of games that share nothing; a block is one repetition. **Held** is the share
of repetitions whose nominal 95 % interval holds the planted value; with this many repetitions it should lie between
92 and 98 %. Judges, seers and the like are told by the experimenter what no seat may know (`scripts/oracles.py`); the
faults of words and votes are those of the murder game's `planted` bot, the `saboteur` and the `mole`.

| measure | evaluator | planted | mean estimate | held | mean width | repetitions | games each |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def lines(experiment: Experiment, found: Found) -> Iterator[str]:
    """Rows of the first table."""
    for known in experiment.planted:
        n = found.blocks[known.name]
        middle, width = mean(found.estimates[known.name]), mean(found.widths[known.name])
        yield (
            f"| {known.name} | `{known.evaluator}` | {known.value:.3f} | {middle:.3f} | "
            f"{100 * found.held[known.name] / n:.1f} % | {width:.3f} | {n} | {experiment.size} |"
        )


def more_lines(experiment: Experiment, found: Found) -> Iterator[str]:
    """What was found of orders and of equals."""
    for order in experiment.orders:
        n = found.blocks[order.name]
        share = 100 * found.ordered[order.name] / n
        yield f"- **Order.** {order.name}: {len(order.rows)} entrants in the right order in {share:.1f} % of {n}."
    for twins in experiment.twins:
        n = found.compared[twins.name]
        share = 100 * found.apart[twins.name] / n
        yield f"- **Equals.** {twins.name}: two identical agents told apart at 0.05 in {share:.1f} % of {n}."


def report(blocks: int) -> str:
    """Run all experiments and return the page."""
    table: list[str] = []
    more: list[str] = []
    for make in EXPERIMENTS:
        experiment = make()
        began = process_time()
        found = run(experiment, blocks)
        table += lines(experiment, found)
        more += more_lines(experiment, found)
        print("\n".join([*lines(experiment, found), *more_lines(experiment, found)]), flush=True)  # noqa: T201
        print(f"{make.__name__}: {process_time() - began:.0f} s of CPU", flush=True)  # noqa: T201
    return HEAD + "\n".join(table) + "\n\n" + "\n".join(more) + "\n"


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=250, help="repetitions of each experiment")
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    asked.out.write_text(report(asked.blocks), encoding="utf-8")


if __name__ == "__main__":
    main()
