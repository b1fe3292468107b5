"""Belief revision without new evidence: beliefs that move although nothing was seen or heard (needs probes)."""

from __future__ import annotations

from liecraft.evaluators.clusters import EMPTY, Sums, cells, mean, rate
from liecraft.evaluators.game import Game
from liecraft.evaluators.measures import Counts, Evaluator, Row
from liecraft.trace.reader import Trace

CHANGED = 0.01
"""Change of a belief that counts as one."""


def count(trace: Trace) -> Counts:
    """For each two probes of a seat in a row: how far its beliefs moved, with and without news between."""
    game = Game.read(trace)
    sums = Sums(game)
    for seat in game.probes:
        entrant = game.entrants[seat]
        for before, after, news in game.spans(seat):
            changes = [
                abs(after.beliefs[other] - p) for other, p in before.beliefs.items() if other in after.beliefs
            ]
            if changes:
                kind = "informed" if news else "idle"
                sums.add(f"{kind} changed", entrant, part=max(changes) > CHANGED)
                sums.add(f"{kind} moved", entrant, part=sum(changes) / len(changes))
    return sums.counts


def rows(counts: Counts) -> list[Row]:
    """How often, and how far, beliefs move from one probe to the next without any news between, and with some.

    News is any event that the seat saw or heard, save its own words, silence and the beginning of a phase. `changed`:
    share of pairs of probes in which some belief moved by more than 0.01; `moved`: mean absolute change of a belief,
    in [0, 1]. Without news a Bayesian never moves; what a seat did itself is taken for no evidence.
    Cluster-robust intervals.
    """
    found = cells(counts)
    table: list[Row] = []
    for entrant in sorted({key[1] for key in found}):
        row: Row = {"entrant": entrant}
        for kind in ("idle", "informed"):
            row[f"{kind}_changed"] = rate(found.get((f"{kind} changed", entrant), EMPTY)).as_json()
            row[f"{kind}_moved"] = mean(found.get((f"{kind} moved", entrant), EMPTY), 0, 1).as_json()
        table.append(row)
    return table


REVISION = Evaluator("Belief revision without new evidence", count, rows)
