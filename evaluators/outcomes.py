"""Win rates by entrant, role and side."""

from __future__ import annotations

from collections import Counter

from liecraft.evaluators.measures import Counts, Evaluator, Row
from liecraft.evaluators.statistics import wilson
from liecraft.trace.reader import Trace


def count(trace: Trace) -> Counts:
    """For each seat: a game, and a win if its side won; draws are games without a win."""
    counts: Counts = Counter()
    roles, sides = trace.roles, trace.sides
    winner = trace.close["winner"]
    if winner == "none":  # a draw: not a win of those who play for no side
        winner = None
    for seat, entrant in trace.seats.items():
        key = (entrant, roles[seat], sides[seat])
        counts[("seats", *key)] += 1
        counts[("wins", *key)] += sides[seat] == winner
    for side in set(sides.values()):
        counts["games", "all", "", side] += 1
        counts["won", "all", "", side] += side == winner
    return counts


def rows(counts: Counts) -> list[Row]:
    """Win rate with Wilson interval: first by side over games, then by entrant and role over seats."""
    table: list[Row] = []
    for kind, wins in (("games", "won"), ("seats", "wins")):
        for (_, entrant, role, side), n in sorted(item for item in counts.items() if item[0][0] == kind):
            rate = wilson(counts[wins, entrant, role, side], n)
            table.append({"entrant": entrant, "role": role, "side": side, "win_rate": rate.as_json()})
    return table


OUTCOMES = Evaluator("Win rate", count, rows)
