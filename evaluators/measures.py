"""What an evaluator is: counts taken from one trace at a time, and the table made of their sum.

Counts add up, so games can be scored one by one, in any order and on any number of machines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from liecraft.trace.reader import Trace

Key = tuple[str, ...]
Counts = Counter[Key]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Evaluator:
    """A measure over traces.

    Attributes:
        title: Heading of its table.
        count: Counts of one trace; a failed game is never passed.
        rows: The table made of the summed counts; rates as `Rate.as_json()` gives them.
    """

    title: str
    count: Callable[[Trace], Counts]
    rows: Callable[[Counts], list[Row]]


EVALUATORS: Mapping[str, str] = {
    "outcomes": "liecraft.evaluators.outcomes:OUTCOMES",
    "votes": "liecraft.evaluators.detection.votes:VOTES",
    "claims": "liecraft.evaluators.deception.claims:CLAIMS",
    "conduct": "liecraft.evaluators.conduct:CONDUCT",
}
"""Evaluators by name, as lazy strings, in the order in which tables are shown."""


def load_evaluators() -> dict[str, Evaluator]:
    """All registered evaluators by name."""
    loaded = {}
    for name, reference in EVALUATORS.items():
        module, _, attribute = reference.partition(":")
        loaded[name] = getattr(import_module(module), attribute)
    return loaded


def score(traces: Iterable[Trace]) -> dict[str, Any]:
    """Score games by every evaluator, in one pass.

    Failed games count in `games` and in nothing else: they are neither win nor loss.

    Returns:
        `play`: figures that equal runs share; `timings`: what the clock said.
    """
    evaluators = load_evaluators()
    sums: dict[str, Counts] = {name: Counter() for name in evaluators}
    games: Counter[str] = Counter()
    failures: Counter[tuple[str, str]] = Counter()
    clock = _Clock()
    digests: list[tuple[str, str]] = []
    for trace in traces:
        games[trace.status] += 1
        if trace.status == "failed":
            failed = trace.close["failure"]
            failures[trace.seats.get(failed["seat"], ""), failed["kind"]] += 1
            continue
        digests.append((trace.game, trace.close["digest"]))
        clock.add(trace)
        for name, evaluator in evaluators.items():
            sums[name].update(evaluator.count(trace))
    play: dict[str, Any] = {
        "games": {status: games[status] for status in ("finished", "truncated", "failed")},
        "failures": [
            {"entrant": entrant, "kind": kind, "games": n} for (entrant, kind), n in sorted(failures.items())
        ],
        "digest": _combined(digests),
    }
    for name, evaluator in evaluators.items():
        play[name] = evaluator.rows(sums[name])
    return {"play": play, "timings": clock.as_json()}


def _combined(digests: Iterable[tuple[str, str]]) -> str:
    from hashlib import sha256

    return sha256("".join(f"{game} {digest}\n" for game, digest in sorted(digests)).encode()).hexdigest()


class _Clock:
    """Seconds of games and of each entrant's moves."""

    def __init__(self) -> None:
        self.games = 0
        self.seconds = 0.0
        self.moves: Counter[str] = Counter()
        self.spent: dict[str, float] = {}

    def add(self, trace: Trace) -> None:
        self.games += 1
        self.seconds += trace.close["seconds"]
        for move in trace.moves:
            entrant = trace.seats[move["seat"]]
            self.moves[entrant] += 1
            self.spent[entrant] = self.spent.get(entrant, 0.0) + move["seconds"]

    def as_json(self) -> dict[str, Any]:
        entrants = [
            {"entrant": name, "moves": n, "seconds_a_move": round(self.spent[name] / n, 6)}
            for name, n in sorted(self.moves.items())
        ]
        mean = round(self.seconds / self.games, 4) if self.games else None
        return {"seconds_a_game": mean, "entrants": entrants}
