"""Sharing: what part of the scattered evidence was spoken of, and who had settled before hearing any."""

from __future__ import annotations

from collections import Counter

from liecraft.evaluators.clusters import EMPTY, Sums, cells, rate
from liecraft.evaluators.evidence.table import Table, is_evidence
from liecraft.evaluators.game import TRUTHFUL
from liecraft.evaluators.measures import Counts, Evaluator, Row
from liecraft.trace.reader import Trace


def count(trace: Trace) -> Counts:
    """For each item: whether it was spoken of; for each member: whether its first leaning was its last word."""
    if not is_evidence(trace):
        return Counter()
    table = Table(trace)
    game, sums = table.game, Sums(table.game)
    talked = any(event["data"]["phase"] == "talk" for event in game.of("phase"))
    for item, holders in table.holders.items():
        if talked and len(holders) == 1 and item in table.unshared:
            if game.sides[holders[0]] == TRUTHFUL:
                sums.add("unshared", game.entrants[holders[0]], table.condition, part=item in table.spoken)
        elif talked and len(holders) == len(game.entrants) > 1:
            sums.add("shared", "", table.condition, part=item in table.spoken)
    final = {choice.seat: choice.option for choice in table.choices}
    for seat, leaned in table.leanings.items():
        if game.sides[seat] != TRUTHFUL or final.get(seat) is None:
            continue
        news = [at for item in table.unshared for at, by in _told(table, item) if by != seat]
        early = [option for at, option in leaned if at < min(news, default=table.chosen_at)]
        if early and early[-1] != "none":
            sums.add("settled", game.entrants[seat], table.condition, part=early[-1] == final[seat])
            if early[-1] == final[seat]:
                sums.add(
                    "settled right", game.entrants[seat], table.condition, part=final[seat] == table.answer
                )
    return sums.counts


def _told(table: Table, item: str) -> list[tuple[int, str]]:
    told = table.spoken.get(item)
    return [] if told is None else [told]


def rows(counts: Counts) -> list[Row]:
    """What was shared, by holder and condition, and premature convergence.

    `unshared`: share of the sound items that this entrant alone held (as a member) and that were spoken of (said or
    cited) before the choice; the row without entrant has `shared`, the same of items that every seat held. `settled`:
    share of members whose final choice is the one they leaned to in secret before they heard any unshared item of
    another's; `settled_right`: how many of those were right. It needs `polls`. Cluster-robust intervals.

    Source: hidden profiles, G. Stasser and W. Titus (1985), Journal of Personality and Social Psychology 48(6).
    """
    found = cells(counts)
    return [
        {
            "entrant": entrant,
            "condition": condition,
            **{
                name.replace(" ", "_"): rate(found.get((name, entrant, condition), EMPTY)).as_json()
                for name in ("unshared", "shared", "settled", "settled right")
            },
        }
        for entrant, condition in sorted({(key[1], key[2]) for key in found})
    ]


SHARING = Evaluator("Evidence: what was shared", count, rows)
