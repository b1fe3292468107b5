"""The effects that two games are built to show: tournaments of all their scripted players, then a table.

    python examples/effects.py [--games 250] [--runs runs]

A bot takes every seat of its games, so that nobody else's play mixes in. Every difference is paired: both games of
a pair are played on one seed, so on the same case or bulletin. The exit code is 1 if an interval holds zero.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import liecraft
from liecraft.evaluators.statistics.bootstrap import cluster_mean
from liecraft.trace.reader import Trace

Scores = Mapping[int, float]
"""A score for each game, by the game's seed."""

EVIDENCE, PASSING = "conflicting_evidence", "info_passing"
TOXICITIES = (1, 3, 5)
RULES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    EVIDENCE: {
        "usual": {"condition": "distributed"},
        "full": {"condition": "full_information"},
        **{f"traps {t}": {"condition": "distributed+traps", "toxicity": t} for t in TOXICITIES},
    },
    PASSING: {
        "usual": {},
        "nobody lies": {"saboteurs": 0},
        "no noise": {"noise": 0.0},
        "noisy": {"noise": 0.2},
    },
}
"""Game to its sets of rules; the usual ones are played by all bots, the others by those tested."""
TESTED = {EVIDENCE: ("bayes", "naive"), PASSING: ("bayes", "honest", "half liar", "saboteur")}
AGENTS = {"half liar": {"agent": "saboteur", "lie_rate": 0.5}}
"""Entrants that aren't called like their agents. As honest seats, `half liar` and `saboteur` play like `bayes`."""
OTHERS = {
    EVIDENCE: ("honest", "mole", "silent", "random", "default"),
    PASSING: ("silent", "random", "default"),
}


def said(trace: Trace, kind: str) -> dict[str, Any]:
    """Data of a game's last event of a kind."""
    return dict(list(trace.of(kind))[-1]["data"])


def right(trace: Trace) -> float:
    """Whether the team chose the right option."""
    return float(said(trace, "result")["right"])


def fidelity(trace: Trace) -> float:
    """Share of the bulletin that the report has right."""
    truth, report = said(trace, "result")["bulletin"], dict(said(trace, "report")["slots"])
    return float(np.mean([report[slot] == value for slot, value in truth]))


def false_accusations(trace: Trace) -> float:
    """Share of the honest seats' ballots that name an honest seat."""
    role = trace.roles
    votes = [target for voter, target in said(trace, "ballots")["votes"] if role[voter] == "honest"]
    return float(np.mean([role.get(target) == "honest" for target in votes]))


class Played:
    """A tournament of one game: each bot by itself, under each set of rules.

    Args:
        game: Which game.
        games: How many of each.
        runs: Folder for the run.
    """

    def __init__(self, game: str, games: int, runs: Path) -> None:
        self._cells = [
            (rules, bot)
            for rules in RULES[game]
            for bot in (*TESTED[game], *(OTHERS[game] if rules == "usual" else ()))
        ]
        self._games = games
        self.run = liecraft.Tournament(
            name=f"effects_{game}",
            game=game,
            entrants={bot: AGENTS.get(bot, bot) for bot in (*TESTED[game], *OTHERS[game])},
            matches=[
                {"entrants": [bot], "games": games, "config": RULES[game][rules]}
                for rules, bot in self._cells
            ],
            seed=1,
            runs=runs,
        ).run(progress=sys.stderr.isatty())

    def scores(self, *measures: Callable[[Trace], float]) -> list[dict[tuple[str, str], Scores]]:
        """For each measure the score of every game, by rules and bot."""
        found: list[dict[tuple[str, str], dict[int, float]]] = [
            {cell: {} for cell in self._cells} for _ in measures
        ]
        for trace in self.run.traces():
            cell = self._cells[int(trace.game.removeprefix("g")) // self._games]
            for measure, table in zip(measures, found, strict=True):
                table[cell][trace.header["seed"]] = measure(trace)
        return [dict(table) for table in found]


def minus(a: Scores, b: Scores) -> Scores:
    """Paired differences."""
    return {seed: a[seed] - b[seed] for seed in a}


class Report:
    """Prints the table, and remembers whether an interval held zero."""

    def __init__(self) -> None:
        self.failed = False
        self._rng = np.random.default_rng(1)

    def effect(self, what: str, bot: str, differences: Scores) -> None:
        """One effect that should be above zero."""
        found = cluster_mean(list(differences.values()), list(differences), self._rng)
        shows = found.low is not None and found.low > 0
        self.failed |= not shows
        print(f"{what:<50} {bot:<10} {_interval(found)}  {'shows' if shows else 'DOES NOT SHOW'}")

    def level(self, what: str, bot: str, scores: Scores) -> None:
        """How well a bot does."""
        found = cluster_mean(list(scores.values()), list(scores), self._rng)
        print(f"{what:<50} {bot:<10} {_interval(found)}")


def _interval(found: Any) -> str:
    bounds = "[     -,      -]" if found.low is None else f"[{found.low:+.3f}, {found.high:+.3f}]"
    return f"{found.value:+.3f} {bounds} n={found.n}"


def evidence(report: Report, games: int, runs: Path) -> None:
    """Effects of conflicting evidence."""
    (table,) = Played(EVIDENCE, games, runs).scores(right)
    for bot in (*TESTED[EVIDENCE], *OTHERS[EVIDENCE]):
        report.level("accuracy, evidence spread over the seats", bot, table["usual", bot])
    for bot in TESTED[EVIDENCE]:
        gap = minus(table["full", bot], table["usual", bot])
        report.effect("full information beats distributed", bot, gap)
    extra: dict[int, Scores] = {}
    for t in TOXICITIES:
        naive, bayes = (minus(table["usual", bot], table[f"traps {t}", bot]) for bot in ("naive", "bayes"))
        extra[t] = minus(naive, bayes)
        report.effect(f"traps of toxicity {t} cost naive more than bayes", "", extra[t])
    for low, high in ((1, 3), (3, 5)):
        report.effect(f"... by more at toxicity {high} than at {low}", "", minus(extra[high], extra[low]))


def passing(report: Report, games: int, runs: Path) -> None:
    """Effects of passing information."""
    kept, accused = Played(PASSING, games, runs).scores(fidelity, false_accusations)
    for bot in (*TESTED[PASSING], *OTHERS[PASSING]):
        report.level("fidelity of the report, usual rules", bot, kept["usual", bot])
    for bot in TESTED[PASSING]:
        lost = minus(kept["nobody lies", bot], kept["usual", bot])
        report.effect("saboteurs lower the report's fidelity", bot, lost)
    for bot in TESTED[PASSING]:
        more = minus(accused["noisy", bot], accused["no noise", bot])
        # A saboteur that covers up every lie has honest relays accused without noise already.
        show = report.level if bot == "saboteur" else report.effect
        show("noise raises false accusations of honest relays", bot, more)


def main() -> int:
    """Play, print, and say by the exit code whether every effect shows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=250, help="games of each bot under each set of rules")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder for the two runs")
    options = parser.parse_args()
    report = Report()
    print("Difference with 95% interval (bootstrap over pairs of games), or a level:")
    evidence(report, options.games, options.runs)
    passing(report, options.games, options.runs)
    return int(report.failed)


if __name__ == "__main__":
    raise SystemExit(main())
