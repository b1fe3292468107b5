"""The report's tables: figures with their intervals, each with the address of the games behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from liecraft.evaluators.statistics import wilson

Row = Mapping[str, Any]


class Cell(NamedTuple):
    """What stands in a table.

    Attributes:
        text: The figure or name.
        small: Its interval and n.
        href: Page of the games behind it; empty if there are none to show.
        number: Whether it is set flush right.
    """

    text: str
    small: str = ""
    href: str = ""
    number: bool = True


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table with its heading and a line on what the figures are."""

    title: str
    note: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]


def link(run: int, **wanted: Any) -> str:
    """Address of the list of those games of a run that a figure was made of.

    >>> link(0, entrant="a b", won=1)
    'games.html?run=0&entrant=a+b&won=1'
    """
    return "games.html?" + urlencode({"run": run, **wanted})


def name_cell(text: str, href: str = "") -> Cell:
    """A name, flush left."""
    return Cell(text, href=href, number=False)


def rate_cell(rate: Row | None, href: str = "", *, chance: float | None = None) -> Cell:
    """A rate in per cent with interval and n; a dash where there is nothing to score.

    >>> rate_cell({"value": 0.5, "low": 0.25, "high": 0.75, "n": 8})
    Cell(text='50.0%', small='25-75, n 8', href='', number=True)
    >>> rate_cell(None).text
    '-'
    """
    if rate is None or rate["value"] is None:
        return Cell("-")
    beside = "" if chance is None else f", chance {100 * chance:.0f}"
    small = f"{100 * rate['low']:.0f}-{100 * rate['high']:.0f}, n {rate['n']}{beside}"
    return Cell(f"{100 * rate['value']:.1f}%", small, href)


def side_rates(outcomes: Sequence[Row], side: str) -> dict[str, dict[str, Any]]:
    """Each entrant's win rate on one side: wins in all such roles are summed, then the interval is made."""
    sums: dict[str, list[int]] = {}
    for row in outcomes:
        rate = row["win_rate"]
        if row["entrant"] != "all" and row["side"] == side and rate["value"] is not None:
            wins, n = sums.get(row["entrant"], [0, 0])
            sums[row["entrant"]] = [wins + round(rate["value"] * rate["n"]), n + rate["n"]]
    return {name: wilson(wins, n).as_json() for name, (wins, n) in sums.items()}


_SIDES = {"deceivers": "won as deceiver", "truthful": "won as truthful", "none": "won without a side"}


def headline(run: int, play: Row, votes: Mapping[tuple[str, str, str], int]) -> Sheet:
    """One line an entrant: wins on each side, votes, choices, lies, default moves; no column without a figure.

    Args:
        run: Number of the run in the report.
        play: Scores.
        votes: As in `gather.Sums`.
    """
    columns: dict[str, dict[str, Cell]] = {}
    for row in play["outcomes"]:
        if row["entrant"] == "all":
            side = row["side"]
            won = side_rates(play["outcomes"], side)
            cells = {name: rate_cell(won[name], link(run, entrant=name, side=side)) for name in won}
            total = rate_cell(row["win_rate"], link(run, winner=side) if side != "none" else "")
            columns[_SIDES[side]] = {**cells, "": total}
    columns["votes that hit a deceiver"] = {
        row["entrant"]: rate_cell(row["accuracy"], link(run, voter=row["entrant"]), chance=row["chance"])
        for row in play["votes"]
    }
    columns["right choices"] = {
        name: rate_cell(rate, _some(run, rate, "choice", "right", voter=name))
        for name, rate in _choices(votes).items()
    }
    columns["claims that lie, as deceiver"] = {
        row["entrant"]: rate_cell(
            row["lie"], _some(run, row["lie"], "claim", "lie", entrant=row["entrant"], side="deceivers")
        )
        for row in play["claims"]
        if row["side"] == "deceivers"
    }
    columns["default moves"] = {
        row["entrant"]: rate_cell(
            row["defaulted"], _some(run, row["defaulted"], "defaulted", 1, entrant=row["entrant"])
        )
        for row in play["conduct"]
    }
    shown = {title: cells for title, cells in columns.items() if any(c.text != "-" for c in cells.values())}
    names = sorted({row["entrant"] for row in play["outcomes"]} - {"all"})
    rows = [
        [name_cell(name, link(run, entrant=name)), *(cells.get(name, Cell("-")) for cells in shown.values())]
        for name in names
    ]
    if names:
        last = (cells.get("", Cell("")) for cells in shown.values())
        rows.append([name_cell("all games", link(run)), *last])
    note = "Small: 95% Wilson interval in per cent, n, and what a random vote would hit."
    return Sheet("Headline", note, ["entrant", *shown], rows)


def _choices(votes: Mapping[tuple[str, str, str], int]) -> dict[str, dict[str, Any]]:
    """Each entrant's share of right ones among its choices between options, as a truthful seat."""
    found = {}
    for name in {voter for voter, _, kind in votes if kind in ("right", "wrong")}:
        right, wrong = votes.get((name, "", "right"), 0), votes.get((name, "", "wrong"), 0)
        found[name] = wilson(right, right + wrong).as_json()
    return found


def _some(run: int, rate: Row, key: str, value: Any, **wanted: Any) -> str:
    """The games that made a rate: those with a case of it, or if there was none, all that might have had one."""
    case = {key: value} if rate["value"] else {"claimed": 1} if key == "claim" else {}
    return link(run, **wanted, **case)


def claims(run: int, play: Row) -> Sheet:
    """Claims by class, entrant and side."""
    names = ("lie", "bluff", "mistake", "true")
    rows = [
        [
            name_cell(row["entrant"], link(run, entrant=row["entrant"])),
            name_cell(row["side"]),
            *(
                rate_cell(
                    row[name], _some(run, row[name], "claim", name, entrant=row["entrant"], side=row["side"])
                )
                for name in names
            ),
            _opinions(run, row),
        ]
        for row in play["claims"]
    ]
    note = (
        "Of claims with a truth value. Lie: the speaker's own view excludes it. Bluff: its view is silent. "
        "Mistake: false, though its view spoke for it."
    )
    return Sheet("Claims by class", note, ["entrant", "side", *names, "opinions"], rows)


def _opinions(run: int, row: Row) -> Cell:
    href = link(run, entrant=row["entrant"], side=row["side"], claim="opinion") if row["opinions"] else ""
    return Cell(f"{row['opinions']:,}", href=href)


def conduct(run: int, play: Row, timings: Row) -> Sheet:
    """How moves came about, and what they and the questions for beliefs cost.

    Args:
        run: Number of the run in the report.
        play: Scores.
        timings: What the clock said.
    """
    seconds = {row["entrant"]: row["seconds_a_move"] for row in timings["entrants"]}
    rows = []
    for row in play["conduct"]:
        name, probes = row["entrant"], row["probes"]
        how = ", ".join(f"{way} {n}" for way, n in row["how"].items())
        called = link(run, entrant=name, called=1) if row["calls"] or probes["calls"] else ""
        used = [_count(row, "calls"), *(_count(row, f"{kind}_tokens") for kind in ("prompt", "completion"))]
        used += [_money(row), _count(probes, "calls"), _money(probes)]
        rows.append(
            [
                name_cell(name, link(run, entrant=name)),
                name_cell(how),
                rate_cell(row["defaulted"], _some(run, row["defaulted"], "defaulted", 1, entrant=name)),
                *(Cell(text, href=called) for text in used),
                Cell(f"{1000 * seconds.get(name, 0):,.3g}"),
            ]
        )
    columns = ["entrant", "how moves came about", "default moves", "model calls", "prompt tokens"]
    columns += ["completion tokens", "cost", "belief probes", "their cost", "ms a move"]
    note = (
        "A default move is played in the place of an answer that could not be used. "
        "Cost is in the currency of the configured prices."
    )
    return Sheet("Conduct and cost", note, columns, rows)


def _count(used: Row, key: str) -> str:
    if not used["calls"]:
        return "-"
    return "unknown" if used[key] is None else f"{used[key]:,}"


def _money(used: Row) -> str:
    if not used["calls"]:
        return "-"
    return "unknown" if used["money"] is None else f"{used['money']:.4f}"


def failures(run: int, play: Row) -> Sheet | None:
    """Games that did not come to their end; None if all did."""
    if not play["failures"]:
        return None
    rows = [
        [
            name_cell(row["entrant"] or "the game itself"),
            name_cell(row["kind"]),
            Cell(str(row["games"]), href=link(run, status="failed", failed=row["entrant"], kind=row["kind"])),
        ]
        for row in play["failures"]
    ]
    note = "Neither win nor loss: they are in no other figure of this page."
    return Sheet("Games that failed", note, ["entrant", "why", "games"], rows)


_KNOWN = ("entrant", "role", "side")


def measure(run: int, title: str, rows: Sequence[Row]) -> Sheet:
    """Any evaluator's table, column by column as it comes."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    table = []
    for row in rows:
        wanted = {key: row[key] for key in _KNOWN if row.get(key) and row[key] != "all"}
        table.append([_any_cell(row.get(key), link(run, **wanted)) for key in columns])
    return Sheet(title, "", [column.replace("_", " ") for column in columns], table)


def _figure(value: float) -> str:
    """Three digits; what is less than a ten-thousandth is 0 (a bound that rounding left above it)."""
    return f"{value:.3g}" if abs(value) >= 1e-4 else "0"


def _any_cell(value: Any, href: str) -> Cell:
    if isinstance(value, Mapping) and {"value", "low", "high"} <= set(value):
        if value["value"] is None:
            return Cell("-")
        bounds = "" if value["low"] is None else f"{_figure(value['low'])} to {_figure(value['high'])}"
        n = f"n {value['n']}" if "n" in value else ""
        return Cell(_figure(value["value"]), ", ".join(part for part in (bounds, n) if part), href)
    if isinstance(value, Mapping):
        return name_cell(", ".join(f"{key} {item}" for key, item in value.items() if item is not None))
    if value is None:
        return Cell("-")
    if isinstance(value, float):
        return Cell(f"{value:.4g}", href=href)
    return Cell(str(value), href=href, number=not isinstance(value, str))
