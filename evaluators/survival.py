"""Survival: who is still in play at the end."""

from __future__ import annotations

from liecraft.evaluators.clusters import Sums, cells, rate
from liecraft.evaluators.game import Game
from liecraft.evaluators.measures import Counts, Evaluator, Row
from liecraft.trace.reader import Trace


def count(trace: Trace) -> Counts:
    """For each seat: whether it was in play at the end; in games without deaths nothing."""
    game = Game.read(trace)
    sums = Sums(game)
    if any(True for _ in game.of("dead", "killed")):
        gone = {seat for event in game.of("dead") for seat in event["data"]["seats"]}
        gone |= {seat for event in game.of("killed") for seat in event["audience"]}
        for seat, entrant in game.entrants.items():
            sums.add(entrant, game.roles[seat], game.sides[seat], part=seat not in gone)
    return sums.counts


def rows(counts: Counts) -> list[Row]:
    """Share of seats still in play at the end, among games in which somebody left; cluster-robust interval.

    A game in which nobody left is not counted, as many games have no deaths at all; so it understates survival in
    a game that can end before the first death.
    """
    return [
        {"entrant": entrant, "role": role, "side": side, "survived": rate(found).as_json()}
        for (entrant, role, side), found in cells(counts).items()
    ]


SURVIVAL = Evaluator("Survival", count, rows)
