"""Claims by epistemic class, as the engine recorded them when they were made."""

from __future__ import annotations

from collections import Counter

from liecraft.evaluators.measures import Counts, Evaluator, Row
from liecraft.evaluators.statistics import wilson
from liecraft.trace.reader import Trace

CLASSES = ("true", "lie", "mistake", "bluff")


def count(trace: Trace) -> Counts:
    """For each claim: its class, by the speaker's entrant and side; opinions apart."""
    counts: Counts = Counter()
    sides = trace.sides
    for event in trace.of("verdicts"):
        speaker = event["actor"]
        key = (trace.seats[speaker], sides[speaker])
        for verdict in event["data"]["verdicts"]:
            counts[(verdict["class"] or "opinion", *key)] += 1
    return counts


def rows(counts: Counts) -> list[Row]:
    """Share of each class among claims that have a truth value, with Wilson intervals."""
    table: list[Row] = []
    for entrant, side in sorted({key[1:] for key in counts}):
        n = sum(counts[name, entrant, side] for name in CLASSES)
        shares = {name: wilson(counts[name, entrant, side], n).as_json() for name in CLASSES}
        opinions = counts["opinion", entrant, side]
        table.append({"entrant": entrant, "side": side, "claims": n, **shares, "opinions": opinions})
    return table


CLAIMS = Evaluator("Claims", count, rows)
