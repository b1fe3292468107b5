"""Plots of rates by entrant: wins by role, deceiving against detecting, calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from liecraft.evaluators.statistics import wilson
from liecraft.evaluators.statistics.ratings import CAPACITIES, Ratings
from liecraft.report.html.flows import BINS
from liecraft.report.html.plotting import (
    ENTRANTS,
    FAINT,
    INK,
    SIDES,
    WIDTH,
    near_axis,
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
        edges = [bound for row in both for bound in (row["accuracy"]["low"], row["accuracy"]["high"])]
        if chances:
            chance = sum(chances) / len(chances)
            axes.axvline(chance, color=FAINT, lw=1, ls=(0, (4, 3)))
            top = axes.get_xaxis_transform()
            axes.text(
                chance, 1.01, "random vote", size=8, color=FAINT, va="bottom", ha="center", transform=top
            )
            edges.append(chance)
        near_axis(axes, "x", "detecting: votes of truthful seats that hit a deceiver", min(edges), max(edges))
        bounds = [
            bound for row in both for bound in (won[row["entrant"]]["low"], won[row["entrant"]]["high"])
        ]
        near_axis(axes, "y", "deceiving: games won as a deceiver", min(bounds), max(bounds))
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
        axes.plot([0, 1], [0, 1], color=FAINT, lw=1, ls=(0, (4, 3)), label="calibrated")
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


_CAPACITIES = {
    "deceiver": ("as deceiver", SIDES["deceivers"], {"side": "deceivers"}),
    "detector": ("as detector", SIDES["truthful"], {"side": "truthful"}),
    "overall": ("overall", INK, {}),
}


def rating_plot(run: int, ratings: Ratings) -> str | None:
    """Ratings with 95 % bounds and ranks; a panel a capacity, an entrant a line.

    Args:
        run: Number of the run in the report.
        ratings: Of the games of one season.

    Returns:
        SVG, or None if nobody can be rated.
    """
    rows = [row for row in ratings.ratings if row.rating is not None]
    if not rows:
        return None
    best = [row.entrant for row in rows if row.capacity == "overall"]
    entrants = [*best, *sorted({row.entrant for row in rows} - set(best))]
    with styled(f"ratings{run}"):
        figure = Figure(figsize=(WIDTH, 1.1 + 0.27 * len(entrants)), layout="constrained")
        panels = figure.subplots(1, len(CAPACITIES), sharey=True, sharex=True, squeeze=False)[0]
        for axes, capacity in zip(panels, CAPACITIES, strict=True):
            title, colour, wanted = _CAPACITIES[capacity]
            axes.axvline(0, color=FAINT, lw=1, ls=(0, (4, 3)))
            for row in rows:
                if row.capacity != capacity or row.rating is None:
                    continue
                y = entrants.index(row.entrant)
                if row.low is not None and row.high is not None:
                    axes.hlines(y, row.low, row.high, color=colour, lw=2, alpha=0.45)
                dot = axes.scatter([row.rating], [y], color=colour, s=34, zorder=3)
                dot.set_urls([link(run, entrant=row.entrant, **wanted)])
                label = "no rank" if row.rank is None else f"#{row.rank}"
                axes.text(row.rating, y - 0.22, label, ha="center", va="bottom", size=7)
            axes.set_title(title)
            axes.set_xlabel("rating, 0 is the mean entrant")
            axes.xaxis.grid(True)
            axes.set_yticks(range(len(entrants)), [short(name) for name in entrants])
            axes.set_ylim(len(entrants) - 0.5, -0.75)
            axes.tick_params(axis="y", length=0)
        return svg(figure)
