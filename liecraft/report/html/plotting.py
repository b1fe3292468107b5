"""Figures as inline SVG: one look, colours that the colour-blind can tell apart, links behind the marks.

matplotlib draws; it comes with the extra `report`, so nothing outside the plot modules imports it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

WIDTH = 7.6
"""Inches; the page scales figures to its column."""
INK, FAINT, GRID = "#1f2933", "#6b7785", "#e3e8ee"

# Okabe and Ito's palette (2008), by what it stands for here.
SIDES = {"deceivers": "#d55e00", "truthful": "#0072b2", "none": "#6b7785"}
CLASSES = {"lie": "#d55e00", "bluff": "#e69f00", "mistake": "#56b4e9", "true": "#0072b2"}
ENTRANTS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c6d31")

_METADATA = re.compile(r"<metadata>.*?</metadata>\s*", re.DOTALL)
_STYLE: Any = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib, so it can measure text; the page names others
    "font.size": 9,
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "axes.edgecolor": "#9aa5b1",
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "svg.fonttype": "none",  # letters stay letters: small, searchable, readable aloud
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}


@contextmanager
def styled(salt: str) -> Iterator[None]:
    """Draw within our style; `salt` makes the ids in the SVG those of this figure alone, and repeatable."""
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": salt}):
        yield


def svg(figure: Figure) -> str:
    """The figure as an `<svg>` element; call it within `styled`."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    drawn = out.getvalue()
    return _METADATA.sub("", drawn[drawn.index("<svg") :], count=1)


def percent_axis(axes: Axes, which: str, label: str) -> None:
    """Make an axis run from 0 to 100 %."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xlim if which == "x" else axes.set_ylim)(-0.03, 1.03)
    axis.set_ticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    axis.set_label_text(label)
    axis.grid(True)


def near_axis(axes: Axes, which: str, label: str, low: float, high: float) -> None:
    """Make an axis in per cent show from `low` to `high` (0 to 1) with a little room about them."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    room = 0.08 * (high - low) + 0.02
    (axes.set_xlim if which == "x" else axes.set_ylim)(max(-0.03, low - room), min(1.03, high + room))
    axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(PercentFormatter(1, decimals=0))
    axis.set_label_text(label)
    axis.grid(True)


def short(name: str, limit: int = 22) -> str:
    """A name that fits beside a plot."""
    return name if len(name) <= limit else name[: limit - 1] + "…"
