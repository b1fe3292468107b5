"""How moves came about, and what the models behind them used."""

from __future__ import annotations

from collections import Counter

from liecraft.evaluators.measures import Counts, Evaluator, Row
from liecraft.evaluators.statistics import wilson
from liecraft.trace.reader import Trace
from liecraft.trace.schema import DEFAULTED, HOW


def count(trace: Trace) -> Counts:
    """For each move: how it came about; for each model call: its tokens, where the endpoint told them."""
    counts: Counts = Counter()
    for move in trace.moves:
        counts["how", trace.seats[move["seat"]], move["how"]] += 1
    for call in trace.calls:
        entrant = trace.seats[call["seat"]]
        usage = call["usage"]
        counts["calls", entrant, ""] += 1
        counts["requests", entrant, ""] += call["attempts"]
        counts["unmetered", entrant, ""] += usage["prompt"] is None or usage["completion"] is None
        for kind in ("prompt", "completion", "cached"):
            counts[kind, entrant, ""] += usage[kind] or 0
    return counts


def rows(counts: Counts) -> list[Row]:
    """Moves by how they came about; `defaulted` is the share of default moves played in the entrant's stead.

    Tokens are null where any call's usage is unknown.
    """
    table: list[Row] = []
    for entrant in sorted({key[1] for key in counts}):
        how = {way: counts["how", entrant, way] for way in HOW if counts["how", entrant, way]}
        moves = sum(how.values())
        defaulted = sum(how.get(way, 0) for way in DEFAULTED)
        calls = counts["calls", entrant, ""]
        known = calls and not counts["unmetered", entrant, ""]
        tokens = {
            f"{kind}_tokens": counts[kind, entrant, ""] if known else None
            for kind in ("prompt", "completion")
        }
        table.append(
            {
                "entrant": entrant,
                "moves": moves,
                "how": how,
                "defaulted": wilson(defaulted, moves).as_json(),
                "calls": calls,
                "requests": counts["requests", entrant, ""],
                **tokens,
            }
        )
    return table


CONDUCT = Evaluator("Conduct", count, rows)
