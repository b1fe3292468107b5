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
Price = tuple[float, float]
"""What a million prompt tokens and a million completion tokens cost, in any one currency."""


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
    "survival": "liecraft.evaluators.survival:SURVIVAL",
    "claims": "liecraft.evaluators.deception.claims:CLAIMS",
    "propensity": "liecraft.evaluators.deception.propensity:PROPENSITY",
    "success": "liecraft.evaluators.deception.success:SUCCESS",
    "persuasion": "liecraft.evaluators.deception.persuasion:PERSUASION",
    "manipulation": "liecraft.evaluators.deception.manipulation:MANIPULATION",
    "framing": "liecraft.evaluators.deception.framing:FRAMING",
    "leaks": "liecraft.evaluators.deception.leaks:LEAKS",
    "deeds": "liecraft.evaluators.deception.deeds:DEEDS",
    "votes": "liecraft.evaluators.detection.votes:VOTES",
    "namings": "liecraft.evaluators.detection.namings:NAMINGS",
    "beliefs": "liecraft.evaluators.detection.beliefs:BELIEFS",
    "timing": "liecraft.evaluators.detection.timing:TIMING",
    "signal": "liecraft.evaluators.detection.signal:SIGNAL",
    "questions": "liecraft.evaluators.detection.questions:QUESTIONS",
    "contradictions": "liecraft.evaluators.consistency.contradictions:CONTRADICTIONS",
    "revision": "liecraft.evaluators.consistency.revision:REVISION",
    "thoughts": "liecraft.evaluators.consistency.thoughts:THOUGHTS",
    "stability": "liecraft.evaluators.consistency.stability:STABILITY",
    "fidelity": "liecraft.evaluators.consistency.fidelity:FIDELITY",
    "evidence_accuracy": "liecraft.evaluators.evidence.accuracy:ACCURACY",
    "evidence_sharing": "liecraft.evaluators.evidence.sharing:SHARING",
    "evidence_traps": "liecraft.evaluators.evidence.traps:TRAPS",
    "relay_hops": "liecraft.evaluators.relay.hops:HOPS",
    "relay_naming": "liecraft.evaluators.relay.naming:NAMING",
    "conduct": "liecraft.evaluators.conduct:CONDUCT",
}
"""Evaluators by name, as lazy strings, in the order in which tables are shown."""


def load_evaluators(names: Iterable[str] | None = None) -> dict[str, Evaluator]:
    """Registered evaluators by name: these, or all.

    Raises:
        KeyError: There is none of that name.
    """
    loaded = {}
    for name in EVALUATORS if names is None else names:
        module, _, attribute = EVALUATORS[name].partition(":")
        loaded[name] = getattr(import_module(module), attribute)
    return loaded


def score(
    traces: Iterable[Trace],
    prices: Mapping[str, Price | None] | None = None,
    names: Iterable[str] | None = None,
) -> dict[str, Any]:
    """Score games by every evaluator, in one pass.

    Failed games count in `games` and in nothing else: they are neither win nor loss.

    Args:
        traces: The games.
        prices: Entrant to the price of a million prompt and completion tokens; what is not here is unknown.
        names: Evaluators to use; all of them if left out.

    Returns:
        `play`: figures that equal runs share; `timings`: what the clock said.
    """
    from liecraft.evaluators.conduct import priced
    from liecraft.evaluators.game import Game

    evaluators = load_evaluators(names)
    sums: dict[str, Counts] = {name: Counter() for name in evaluators}
    games: Counter[str] = Counter()
    failures: Counter[tuple[str, str]] = Counter()
    clock = _Clock()
    digests: list[tuple[str, str]] = []
    for trace in map(Game.read, traces):
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
    if "conduct" in play:
        play["conduct"] = priced(play["conduct"], prices or {})
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
        self.calls: Counter[str] = Counter()
        self.waited: dict[str, float] = {}

    def add(self, trace: Trace) -> None:
        self.games += 1
        self.seconds += trace.close["seconds"]
        for move in trace.moves:
            entrant = trace.seats[move["seat"]]
            self.moves[entrant] += 1
            self.spent[entrant] = self.spent.get(entrant, 0.0) + move["seconds"]
        for call in trace.calls:
            entrant = trace.seats[call["seat"]]
            self.calls[entrant] += 1
            self.waited[entrant] = self.waited.get(entrant, 0.0) + call.get("seconds", 0.0)

    def as_json(self) -> dict[str, Any]:
        entrants = [
            {
                "entrant": name,
                "moves": n,
                "seconds_a_move": round(self.spent[name] / n, 6),
                **(
                    {"seconds_a_call": round(self.waited[name] / self.calls[name], 6)}
                    if self.calls[name]
                    else {}
                ),
            }
            for name, n in sorted(self.moves.items())
        ]
        mean = round(self.seconds / self.games, 4) if self.games else None
        return {"seconds_a_game": mean, "entrants": entrants}
