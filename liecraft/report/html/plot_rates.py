"""Plots of rates by entrant: wins by role, deceiving against detecting, calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from liecraft.evaluators.statistics import wilson
from liecraft.report.html.flows import BINS
from liecraft.report.html.plotting import (
    ENTRANTS,
    FAINT,
    INK,
    SIDES,
    WIDTH,
    percent_axis,
    short,
    styled,
    svg,
)
from liecraft.report.html.sheets import link, side_rates

Row = Mapping[str, Any]


def role_rates(run: int, rows: Sequence[Row]) -> str | None:
    """Win rate by role and entrant with 95 % intervals; a panel a role, an entrant a line.

    Args:
        run: Number of the run in the report.
        rows: The rows of the evaluator `outcomes`.

    Returns:
        SVG, or None if nobody played.
    """
    rows = [row for row in rows if row["entrant"] != "all" and row["win_rate"]["value"] is not None]
    if not rows:
        return None
    roles = sorted({(row["side"], row["role"]) for row in rows})
    entrants = sorted({row["entrant"] for row in rows})
    with styled(f"roles{run}"):
        height = 1.1 + 0.27 * len(entrants)
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        panels = figure.subplots(1, len(roles), sharey=True, squeeze=False)[0]
        for axes, (side, role) in zip(panels, roles, strict=True):
            here = [row for row in rows if (row["side"], row["role"]) == (side, role)]
            y = [entrants.index(row["entrant"]) for row in here]
            rates = [row["win_rate"] for row in here]
            colour = SIDES.get(side, FAINT)
            axes.hlines(
                y, [r["low"] for r in rates], [r["high"] for r in rates], color=colour, lw=2, alpha=0.45
            )
            dots = axes.scatter([r["value"] for r in rates], y, color=colour, s=34, zorder=3)
            dots.set_urls([link(run, entrant=row["entrant"], role=role) for row in here])
            for line, rate in zip(y, rates, strict=True):
                label = f"{100 * rate['value']:.0f}%"
                axes.text(rate["value"], line - 0.22, label, ha="center", va="bottom", size=7, color=INK)
            percent_axis(axes, "x", "games won")
            axes.set_title(role if side == "none" else f"{role} ({side})")
            axes.set_yticks(range(len(entrants)), [short(name) for name in entrants])
            axes.set_ylim(len(entrants) - 0.5, -0.75)
            axes.tick_params(axis="y", length=0)
        return svg(figure)


def deceiving_and_detecting(run: int, outcomes: Sequence[Row], votes: Sequence[Row]) -> str | None:
    """Win rate as a deceiver against accuracy of votes as a truthful seat, a point an entrant.

    Args:
        run: Number of the run in the report.
        outcomes: The rows of the evaluator `outcomes`.
        votes: The rows of the evaluator `votes`.

    Returns:
        SVG, or None if no entrant has done both.
    """
    won = side_rates(outcomes, "deceivers")
    both = [row for row in votes if row["entrant"] in won and row["accuracy"]["value"] is not None]
    if not both:
        return None
    with styled(f"scatter{run}"):
        figure = Figure(figsize=(WIDTH * 0.8, 4.3), layout="constrained")
        axes = figure.subplots()
        for i, row in enumerate(both):
            name, x, y = row["entrant"], row["accuracy"], won[row["entrant"]]
            colour = ENTRANTS[i % len(ENTRANTS)]
            axes.hlines(y["value"], x["low"], x["high"], color=colour, lw=1.5, alpha=0.4)
            axes.vlines(x["value"], y["low"], y["high"], color=colour, lw=1.5, alpha=0.4)
            dot = axes.scatter([x["value"]], [y["value"]], color=colour, s=46, zorder=3, label=short(name))
            dot.set_urls([link(run, entrant=name)])
        chances = [row["chance"] for row in both if row["chance"] is not None]
        if chances:
            chance = sum(chances) / len(chances)
            axes.axvline(chance, color=FAINT, lw=1, ls=(0, (4, 3)))
            axes.text(chance, 1.02, " random vote", size=8, color=FAINT, va="bottom", ha="center")
        percent_axis(axes, "x", "detecting: named votes of truthful seats that hit a deceiver")
        percent_axis(axes, "y", "deceiving: games won as a deceiver")
        figure.legend(loc="outside right center")
        return svg(figure)


def calibration(run: int, beliefs: Mapping[tuple[str, int, str], int]) -> str | None:
    """Stated probability that a seat deceives against how often it did, a curve an entrant.

    Args:
        run: Number of the run in the report.
        beliefs: As in `gather.Sums`.

    Returns:
        SVG, or None if no belief was asked for.
    """
    entrants = sorted({key[0] for key in beliefs})
    if not entrants:
        return None
    with styled(f"calibration{run}"):
        figure = Figure(figsize=(WIDTH * 0.8, 4.6), layout="constrained")
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color=FAINT, lw=1, ls=(0, (4, 3)))
        axes.text(0.76, 0.8, "calibrated", rotation=37, size=8, color=FAINT, ha="center", va="bottom")
        for i, name in enumerate(entrants):
            colour = ENTRANTS[i % len(ENTRANTS)]
            bins = [b for b in range(BINS) if beliefs.get((name, b, "n"))]
            counts = [beliefs[name, b, "n"] for b in bins]
            x = [beliefs.get((name, b, "millionths"), 0) / 1e6 / n for b, n in zip(bins, counts, strict=True)]
            rates = [
                wilson(beliefs.get((name, b, "deceivers"), 0), n) for b, n in zip(bins, counts, strict=True)
            ]
            low, high = [rate.low or 0.0 for rate in rates], [rate.high or 0.0 for rate in rates]
            axes.vlines(x, low, high, color=colour, lw=1.5, alpha=0.35)
            y = [rate.value or 0.0 for rate in rates]
            axes.plot(x, y, color=colour, lw=1.5)
            sizes = [18 + 60 * n / max(counts) for n in counts]
            dots = axes.scatter(x, y, sizes, color=colour, zorder=3, label=short(name))
            dots.set_urls([link(run, believer=name, bin=b) for b in bins])
        percent_axis(axes, "x", "stated probability that a seat is a deceiver")
        percent_axis(axes, "y", "how often it was one")
        figure.legend(loc="outside right center")
        return svg(figure)
