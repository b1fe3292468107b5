"""Every figure of every measure, one a line, narrow enough for 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from liecraft.evaluators.measures import load_evaluators

FIGURE = {"value", "n", "low", "high"}


def figure_lines(rows: list[Mapping[str, Any]]) -> Iterator[tuple[str, str, str, str, str]]:
    """For each figure that has a value: whose it is, its name, value, interval, n."""
    for row in rows:
        who = " ".join(str(value) for value in row.values() if isinstance(value, str) and value)
        for name, figure in row.items():
            if isinstance(figure, Mapping) and figure.keys() >= FIGURE and figure["value"] is not None:
                bounds = "-" if figure["low"] is None else f"{figure['low']:.3f} to {figure['high']:.3f}"
                yield who, name, f"{figure['value']:.3f}", bounds, str(figure["n"])


def print_figures(scores: Mapping[str, Any], console: Console | None = None) -> None:
    """Print all measures that have anything to show, a table each."""
    console = console or Console()
    for name, evaluator in load_evaluators().items():
        lines = list(figure_lines(scores["play"][name]))
        if not lines:
            continue
        title = f"{evaluator.title} ({name})"
        table = Table(title=title, title_justify="left", title_style="bold")
        for i, column in enumerate(("who", "figure", "value", "95% interval", "n")):
            table.add_column(column, justify="left" if i < 2 else "right", overflow="fold")
        for line in lines:
            table.add_row(*(Text(cell) for cell in line))
        console.print(table)
    console.print(
        Text("docs/measures.md says what each figure means. What has nothing to score is left out.")
    )
