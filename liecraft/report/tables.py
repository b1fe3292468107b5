"""Scores as tables for the terminal, narrow enough for 80 columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

Scores = Mapping[str, Any]
Rows = list[list[str]]


def percent(rate: Mapping[str, Any]) -> str:
    """A rate and its interval in per cent, `82.3 [76-87]`; a dash where there is nothing to score."""
    if rate["value"] is None:
        return "-"
    return f"{100 * rate['value']:.1f} [{100 * rate['low']:.0f}-{100 * rate['high']:.0f}]"


def share(rate: Mapping[str, Any]) -> str:
    """A rate in per cent without its interval."""
    return "-" if rate["value"] is None else f"{100 * rate['value']:.1f}"


def print_scores(scores: Scores, console: Console | None = None) -> None:
    """Print all tables of a run."""
    console = console or Console()
    play = scores["play"]
    seconds = {row["entrant"]: row["seconds_a_move"] for row in scores["timings"]["entrants"]}
    tables = (
        _table("Who wins: % of games", ["side", "won", "n"], _sides(play), 1),
        _table("Win rate by role, %", ["entrant", "role", "won", "n"], _roles(play), 2),
        _table(
            "Who noticed: % of truthful seats' votes that hit a deceiver",
            ["entrant", "hit", "random vote", "n", "abstained"],
            _votes(play),
            1,
        ),
        _table(
            "Who lied: % of claims by class",
            ["entrant", "side", "lie", "true", "mistake", "bluff", "n"],
            _claims(play),
            2,
        ),
        _table(
            "Conduct: how moves came about",
            ["entrant", "moves", "default played, %", "s a move"],
            _conduct(play, seconds),
            2,
        ),
        _table(
            "What models used to play, in closed games; input that a prefix cache can serve",
            ["entrant", "calls", "tokens in", "tokens out", "cacheable, %"],
            _use(play),
            1,
        ),
        _table("Models that went round in circles: moves", ["entrant", "loop", "moves"], _loops(play), 2),
        _table("Games that failed: neither win nor loss", ["entrant", "why", "games"], _failures(play), 2),
    )
    for table in tables:
        if table is not None:
            console.print(table)
    counts = ", ".join(f"{n} {status}" for status, n in play["games"].items() if n)
    console.print(Text(f"Games: {counts or 'none'}. Brackets are 95% Wilson intervals."))
    if play["games"].get("failed"):
        console.print(Text("Why a game failed stands at its end: liecraft replay RUN GAME."))


def _table(title: str, columns: Sequence[str], rows: Rows, left: int) -> Table | None:
    if not rows:
        return None
    table = Table(title=title, title_justify="left", title_style="bold", min_width=len(title))
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i < left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def _sides(play: Scores) -> Rows:
    return [
        [row["side"], percent(row["win_rate"]), str(row["win_rate"]["n"])]
        for row in play["outcomes"]
        if not row["role"]
    ]


def _roles(play: Scores) -> Rows:
    return [
        [row["entrant"], row["role"], percent(row["win_rate"]), str(row["win_rate"]["n"])]
        for row in play["outcomes"]
        if row["role"]
    ]


def _votes(play: Scores) -> Rows:
    rows = []
    for row in play["votes"]:
        chance = "-" if row["chance"] is None else f"{100 * row['chance']:.1f}"
        hit, abstained = percent(row["accuracy"]), share(row["abstained"])
        rows.append([row["entrant"], hit, chance, str(row["accuracy"]["n"]), abstained])
    return rows


def _claims(play: Scores) -> Rows:
    return [
        [
            row["entrant"],
            row["side"],
            percent(row["lie"]),
            *(share(row[name]) for name in ("true", "mistake", "bluff")),
            str(row["claims"]),
        ]
        for row in play["claims"]
    ]


def _conduct(play: Scores, seconds: Mapping[str, float]) -> Rows:
    rows = []
    for row in play["conduct"]:
        how = ", ".join(f"{way} {n}" for way, n in row["how"].items())
        pace = f"{seconds.get(row['entrant'], 0):.4f}"
        rows.append([row["entrant"], how, percent(row["defaulted"]), pace])
    return rows


def _use(play: Scores) -> Rows:
    rows = []
    for row in play["conduct"]:
        if row["calls"]:
            tokens = [row["prompt_tokens"], row["completion_tokens"]]
            told = ["unknown" if count is None else str(count) for count in tokens]
            cacheable = "-" if row["cacheable"] is None else f"{100 * row['cacheable']:.1f}"
            rows.append([row["entrant"], str(row["calls"]), *told, cacheable])
    return rows


def _loops(play: Scores) -> Rows:
    return [
        [row["entrant"], loop.replace("_", " "), str(n)]
        for row in play["conduct"]
        for loop, n in row.get("loops", {}).items()
    ]


def _failures(play: Scores) -> Rows:
    return [[row["entrant"], row["kind"], str(row["games"])] for row in play["failures"]]
