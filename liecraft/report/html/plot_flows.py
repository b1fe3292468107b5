"""Plots of what went from entrant to entrant, and of claims over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import atan2, cos, sin
from typing import Any

import networkx as nx
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, PathPatch, Rectangle
from matplotlib.path import Path

from liecraft.report.html.flows import CLASSES as ORDER
from liecraft.report.html.plotting import CLASSES, FAINT, INK, SIDES, WIDTH, short, styled, svg
from liecraft.report.html.sheets import link

MOST = 12
"""Entrants that a graph shows; beyond them it could not be read."""
_HEAT = LinearSegmentedColormap.from_list("heat", ["#fdf3ea", "#f3b27a", "#d55e00"])


def who_deceived_whom(run: int, misled: Mapping[tuple[str, str, str], int]) -> str | None:
    """Graph and matrix: how often an entrant decided wrongly after it had heard another's lies.

    Args:
        run: Number of the run in the report.
        misled: As in `gather.Sums`.

    Returns:
        SVG, or None if nobody decided after a lie.
    """
    heard = Counter({key[:2]: n for key, n in misled.items() if key[2] == "heard"})
    if not heard:
        return None
    weight: Counter[str] = Counter()
    for (liar, listener), n in heard.items():
        weight[liar] += n
        weight[listener] += n
    names = sorted(name for name, _ in weight.most_common(MOST))
    pairs = {
        pair: (misled.get((*pair, "fell"), 0), n)
        for pair, n in heard.items()
        if pair[0] in names and pair[1] in names
    }
    with styled(f"deceived{run}"):
        figure = Figure(figsize=(WIDTH * 1.15, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
        _graph(left, run, names, pairs)
        _matrix(right, run, names, pairs)
        return svg(figure)


def _graph(
    axes: Axes, run: int, names: Sequence[str], pairs: Mapping[tuple[str, str], tuple[int, int]]
) -> None:
    """Arrows from liar to listener, as thick as wrong decisions are many, as dark as they are frequent."""
    graph: Any = nx.DiGraph()
    graph.add_nodes_from(names)
    layout = nx.circular_layout(graph)
    places = {name: (float(x), float(y)) for name, (x, y) in layout.items()}
    most = max(fell for fell, _ in pairs.values()) or 1
    for (liar, listener), (fell, n) in sorted(pairs.items(), key=lambda item: item[1]):
        if fell and liar != listener:
            arrow = FancyArrowPatch(
                places[liar],
                places[listener],
                connectionstyle="arc3,rad=0.16",
                arrowstyle="-|>,head_length=5,head_width=3",
                shrinkA=11,
                shrinkB=11,
                lw=0.8 + 4 * fell / most,
                color=_HEAT(0.25 + 0.75 * fell / n),
            )
            arrow.set_url(link(run, liar=liar, misled=listener, fell=1))
            axes.add_patch(arrow)
    for name in names:
        x, y = places[name]
        axes.scatter([x], [y], s=170, color="white", edgecolors=INK, linewidths=1.4, zorder=3)
        angle = atan2(y, x)
        away = 1.2
        align = "left" if cos(angle) > 0.3 else "right" if cos(angle) < -0.3 else "center"
        axes.text(away * cos(angle), away * sin(angle), short(name, 14), ha=align, va="center", size=8.5)
    axes.set_xlim(-1.75, 1.75)
    axes.set_ylim(-1.45, 1.45)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.set_title("wrong decisions after lies")


def _matrix(
    axes: Axes, run: int, names: Sequence[str], pairs: Mapping[tuple[str, str], tuple[int, int]]
) -> None:
    liars = [name for name in names if any(pair[0] == name for pair in pairs)]
    listeners = [name for name in names if any(pair[1] == name for pair in pairs)]
    for (liar, listener), (fell, n) in pairs.items():
        x, y = listeners.index(listener), liars.index(liar)
        share = fell / n
        cell = Rectangle((x - 0.47, y - 0.47), 0.94, 0.94, facecolor=_HEAT(share), edgecolor="none")
        games = link(run, liar=liar, misled=listener)
        cell.set_url(games)
        axes.add_patch(cell)
        colour = "white" if share > 0.75 else INK
        number = axes.text(x, y, f"{100 * share:.0f}%", ha="center", va="bottom", size=9, color=colour)
        number.set_url(games)
        axes.text(x, y + 0.06, f"of {n}", ha="center", va="top", size=7, color=colour)
    axes.set_xlim(-0.5, len(listeners) - 0.5)
    axes.set_ylim(len(liars) - 0.5, -0.5)
    axes.set_aspect(0.8, anchor="NW")
    axes.set_xticks(range(len(listeners)), [short(name, 14) for name in listeners], rotation=35, ha="right")
    axes.set_yticks(range(len(liars)), [short(name, 14) for name in liars])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("who decided, having heard them")
    axes.set_ylabel("who lied")
    axes.set_title("share that went wrong")


_TARGETS = {
    "deceiver": ("a deceiver", SIDES["deceivers"]),
    "truthful": ("truthful", SIDES["truthful"]),
    "right": ("the right option", "#009e73"),
    "wrong": ("a wrong option", SIDES["deceivers"]),
    "abstained": ("nobody", "#b8c1cc"),
}


def vote_flow(run: int, votes: Mapping[tuple[str, str, str], int]) -> str | None:
    """Ribbons from truthful voters to what they voted for, as thick as ballots are many.

    Args:
        run: Number of the run in the report.
        votes: As in `gather.Sums`.

    Returns:
        SVG, or None if no truthful seat voted.
    """
    totals: Counter[str] = Counter()
    for (voter, target, _), n in votes.items():
        totals[voter] += n
        totals[target] += n
    kept = {name for name, _ in totals.most_common(MOST + 1)}
    shown = {key: n for key, n in votes.items() if key[0] in kept and key[1] in kept}
    if not shown:
        return None
    voters = sorted({key[0] for key in shown})
    kinds = list(_TARGETS)
    targets = sorted({key[1:] for key in shown}, key=lambda key: (kinds.index(key[1]), key[0]))
    with styled(f"votes{run}"):
        figure = Figure(figsize=(WIDTH, 1.2 + 0.36 * max(len(voters), len(targets))), layout="constrained")
        axes = figure.subplots()
        _ribbons(axes, run, shown, voters, targets)
        axes.set_xlim(-0.42, 1.55)
        axes.axis("off")
        return svg(figure)


def _stack(sizes: Sequence[int], height: float, gap: float) -> list[tuple[float, float]]:
    """Tops and bottoms of blocks of these sizes, from the top down, that fill `height` with gaps."""
    unit = (height - gap * (len(sizes) - 1)) / sum(sizes)
    top, blocks = 0.0, []
    for size in sizes:
        blocks.append((top, top + size * unit))
        top += size * unit + gap
    return blocks


def _ribbons(
    axes: Axes,
    run: int,
    votes: Mapping[tuple[str, str, str], int],
    voters: Sequence[str],
    targets: Sequence[tuple[str, str]],
) -> None:
    height, gap = 1.0, 0.35 / max(len(voters), len(targets), 8)
    cast = [sum(n for key, n in votes.items() if key[0] == voter) for voter in voters]
    got = [sum(n for key, n in votes.items() if key[1:] == target) for target in targets]
    left, right = _stack(cast, height, gap), _stack(got, height, gap)
    start = [top for top, _ in left]
    end = [top for top, _ in right]
    for i, voter in enumerate(voters):
        for j, target in enumerate(targets):
            n = votes.get((voter, *target), 0)
            if n:
                a = n / cast[i] * (left[i][1] - left[i][0])
                b = n / got[j] * (right[j][1] - right[j][0])
                patch = PathPatch(
                    _ribbon(start[i], a, end[j], b), facecolor=_TARGETS[target[1]][1], alpha=0.42, lw=0
                )
                patch.set_url(link(run, voter=voter, target=target[0], choice=target[1]))
                axes.add_patch(patch)
                start[i] += a
                end[j] += b
    for (top, bottom), voter, n in zip(left, voters, cast, strict=True):
        axes.add_patch(Rectangle((-0.025, top), 0.02, bottom - top, color=INK))
        label = axes.text(-0.04, (top + bottom) / 2, f"{short(voter)}  {n}", ha="right", va="center")
        label.set_url(link(run, voter=voter))
    for (top, bottom), (name, kind), n in zip(right, targets, got, strict=True):
        words, colour = _TARGETS[kind]
        axes.add_patch(Rectangle((1.005, top), 0.02, bottom - top, color=colour))
        told = (
            f"{short(name)} as {words}"
            if kind == "deceiver"
            else f"{short(name)}, {words}"
            if name
            else words
        )
        label = axes.text(1.04, (top + bottom) / 2, f"{n}  {told}", ha="left", va="center")
        label.set_url(link(run, target=name, choice=kind))
    axes.text(-0.04, -0.05, "ballots of", ha="right", va="bottom", size=8, color=FAINT)
    axes.text(1.04, -0.05, "went to", ha="left", va="bottom", size=8, color=FAINT)
    axes.set_ylim(height + 0.02, -0.12)


def _ribbon(y0: float, h0: float, y1: float, h1: float) -> Path:
    points = [
        (0, y0), (0.45, y0), (0.55, y1), (1, y1),
        (1, y1 + h1), (0.55, y1 + h1), (0.45, y0 + h0), (0, y0 + h0), (0, y0),
    ]  # fmt: skip
    curve, line = Path.CURVE4, Path.LINETO
    return Path(points, [Path.MOVETO, curve, curve, curve, line, curve, curve, curve, Path.CLOSEPOLY])


def claim_timeline(run: int, claims: Mapping[tuple[str, int, str], int]) -> str | None:
    """Claims by round and class, a panel a side: how many, and how many of them lies.

    Args:
        run: Number of the run in the report.
        claims: As in `gather.Sums`.

    Returns:
        SVG, or None if nothing was claimed.
    """
    sides = [side for side in SIDES if any(key[0] == side for key in claims)]
    if not sides:
        return None
    rounds = sorted({key[1] for key in claims})
    with styled(f"claims{run}"):
        figure = Figure(figsize=(WIDTH, 3.0), layout="constrained")
        panels = figure.subplots(1, len(sides), sharey=True, squeeze=False)[0]
        for axes, side in zip(panels, sides, strict=True):
            _columns(axes, run, side, rounds, claims)
        panels[0].set_yticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
        panels[0].set_ylabel("share of claims")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles[::-1], labels[::-1], loc="outside right center")
        return svg(figure)


def _columns(
    axes: Axes, run: int, side: str, rounds: Sequence[int], claims: Mapping[tuple[str, int, str], int]
) -> None:
    totals = [sum(claims.get((side, round_, name), 0) for name in ORDER) for round_ in rounds]
    base = [0.0] * len(rounds)
    for name in ORDER:
        counts = [claims.get((side, round_, name), 0) for round_ in rounds]
        heights = [n / total if total else 0.0 for n, total in zip(counts, totals, strict=True)]
        bars = axes.bar(rounds, heights, 0.8, bottom=base, color=CLASSES[name], label=name, lw=0)
        for bar, round_, n in zip(bars, rounds, counts, strict=True):
            bar.set_url(link(run, claim=name, by=side, round=round_) if n else None)
        base = [a + b for a, b in zip(base, heights, strict=True)]
    for round_, total in zip(rounds, totals, strict=True):
        if total and len(rounds) <= 14:
            axes.text(round_, 1.01, f"{total:,}", ha="center", va="bottom", size=7, color=FAINT)
    axes.set_title(side if side != "none" else "seats of no side", pad=14)
    axes.set_xlabel("round (small: number of claims)")
    axes.set_xticks(rounds[:: -(-len(rounds) // 14)])
    middle, half = (rounds[0] + rounds[-1]) / 2, max(3.0, (rounds[-1] - rounds[0]) / 2 + 0.6)
    axes.set_xlim(middle - half, middle + half)
    axes.yaxis.grid(True)
    axes.set_ylim(0, 1)
