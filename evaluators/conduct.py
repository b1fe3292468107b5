"""How moves came about, and what the models behind them used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from liecraft.evaluators.caching import prompt_sizes
from liecraft.evaluators.measures import Counts, Evaluator, Price, Row
from liecraft.evaluators.statistics import wilson
from liecraft.trace.reader import Trace
from liecraft.trace.schema import DEFAULTED, HOW


def count(trace: Trace) -> Counts:
    """For each move: how it came about; for each model call: its tokens, where the endpoint told them."""
    counts: Counts = Counter()
    entrants = trace.seats
    for move in trace.moves:
        counts["how", entrants[move["seat"]], move["how"]] += 1
        if "loop" in move:
            counts["loop", entrants[move["seat"]], move["loop"]] += 1
        if move["move"].endswith(":none") and move["how"] not in DEFAULTED:
            counts["abstained", entrants[move["seat"]], ""] += 1
    for call in trace.calls:
        entrant, usage = entrants[call["seat"]], call["usage"]
        use = "probe" if call.get("probe") else "move"
        counts["calls", entrant, use] += 1
        counts["requests", entrant, use] += call["attempts"]
        counts["unmetered", entrant, use] += usage["prompt"] is None or usage["completion"] is None
        for kind in ("prompt", "completion", "cached"):
            counts[kind, entrant, use] += usage[kind] or 0
        counts["untold", entrant, use] += usage["cached"] is None
    for asked, size, again in prompt_sizes(trace):
        entrant, use = entrants[asked["seat"]], "probe" if asked.get("probe") else "move"
        counts["bytes", entrant, use] += size
        counts["again", entrant, use] += again
    return counts


def rows(counts: Counts) -> list[Row]:
    """Moves by how they came about, and what the calls behind them used; probes' calls apart.

    `defaulted`: share of default moves played in the entrant's stead; `invalid`: those of them that answered with no
    legal move, or with several; `abstained`: share of moves that chose nobody of the entrant's own will. Tokens are
    null where any call's usage is unknown, money where a price is too. `cacheable`: share of input, by bytes, with
    which a request begins as the seat's previous one and its answer did; `cached_tokens`: what the endpoint says that
    it had. `loops`: moves by the loop that they closed. Wilson intervals: a move is a trial.
    """
    table: list[Row] = []
    for entrant in sorted({key[1] for key in counts}):
        how = {way: counts["how", entrant, way] for way in HOW if counts["how", entrant, way]}
        moves = sum(how.values())
        defaulted = sum(how.get(way, 0) for way in DEFAULTED)
        table.append(
            {
                "entrant": entrant,
                "moves": moves,
                "how": how,
                "defaulted": wilson(defaulted, moves).as_json(),
                "invalid": wilson(how.get("invalid", 0), moves).as_json(),
                "abstained": wilson(counts["abstained", entrant, ""], moves).as_json(),
                "loops": {key[2]: n for key, n in sorted(counts.items()) if key[:2] == ("loop", entrant)},
                **_usage(counts, entrant, "move"),
                "probes": _usage(counts, entrant, "probe"),
            }
        )
    return table


def _usage(counts: Counts, entrant: str, use: str) -> Row:
    """Calls and tokens for moves or for probes."""
    calls = counts["calls", entrant, use]
    known = calls and not counts["unmetered", entrant, use]
    tokens = {
        f"{kind}_tokens": counts[kind, entrant, use] if known else None for kind in ("prompt", "completion")
    }
    told = calls and not counts["untold", entrant, use]
    size = counts["bytes", entrant, use]
    return {
        "calls": calls,
        "requests": counts["requests", entrant, use],
        **tokens,
        "cached_tokens": counts["cached", entrant, use] if told else None,
        "cacheable": round(counts["again", entrant, use] / size, 4) if size else None,
        "money": None,
    }


def priced(table: Iterable[Row], prices: Mapping[str, Price | None]) -> list[Row]:
    """The table with the money that the tokens cost; null where tokens or the price are unknown, never 0."""
    found = []
    for row in table:
        price = prices.get(row["entrant"])
        probes = {**row["probes"], "money": _money(row["probes"], price)}
        found.append({**row, "money": _money(row, price), "probes": probes})
    return found


def _money(row: Row, price: Price | None) -> float | None:
    if price is None or row["prompt_tokens"] is None or row["completion_tokens"] is None:
        return None
    cost: float = row["prompt_tokens"] * price[0] + row["completion_tokens"] * price[1]
    return round(cost / 1_000_000, 6)


CONDUCT = Evaluator("Conduct", count, rows)
