"""Sums by cluster, and the intervals made of them: one pass over games, any order, any number of machines.

Results of one game, and of games on one seed, depend on each other. So every sum is kept by cluster (the seeds
shared out to `BUCKETS` groups), and the spread between clusters makes the interval. Sums are whole numbers, in
millionths, so that they add up to the same whatever the order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from math import sqrt
from typing import TypeVar

from liecraft.evaluators.game import Game
from liecraft.evaluators.measures import Counts, Key
from liecraft.evaluators.statistics import Estimate, Rate
from liecraft.evaluators.statistics.intervals import NOTHING

SCALE = 1_000_000
Cells = Mapping[str, tuple[int, int]]
"""Cluster to (sum in millionths, number of observations)."""
EMPTY: Cells = {}
MIN_CLUSTERS = 5
"""Below so many clusters no interval is given but for a plain proportion, whose least is known."""

MOST = 2.0
"""Times n that the effective size may be: trials that even each other out tell more than independent ones."""

T = TypeVar("T")


class Sums:
    """Sums of one game.

    Args:
        game: The game; its cluster is where they go.
    """

    __slots__ = ("_cluster", "counts")

    def __init__(self, game: Game) -> None:
        self._cluster = game.cluster
        self.counts: Counts = Counter()

    def add(self, *key: str, part: float = 1, whole: int = 1) -> None:
        """Add `part` (of a proportion: 0 or 1; of a mean: the value) out of `whole` observations."""
        self.counts[*key, self._cluster, "part"] += round(SCALE * part)
        self.counts[*key, self._cluster, "whole"] += whole


def cells(counts: Counts) -> dict[Key, dict[str, tuple[int, int]]]:
    """Summed counts by key, sorted, and cluster."""
    found: dict[Key, dict[str, tuple[int, int]]] = {}
    for *key, cluster, kind in sorted(counts):
        if kind == "whole":
            whole = counts[*key, cluster, "whole"]
            if whole:
                found.setdefault(tuple(key), {})[cluster] = counts[*key, cluster, "part"], whole
    return found


def rate(cells: Cells) -> Rate:
    """A proportion with Wilson's interval at the effective sample size, by the spread between clusters.

    The effective size is p(1 - p) over the cluster-robust variance of p, at most `MOST` times n, and the quantile is
    Student's with one degree of freedom less than there are clusters. Where each trial is a cluster, it is Wilson's
    own interval; where no trial differs from the others, Wilson's for as many trials as there are clusters.

    Source: N. Dean and M. Pagano (2015), Journal of Survey Statistics and Methodology 3(4), 484-503; for the
    variance W. G. Cochran (1977), Sampling Techniques, section 6.3 (the ratio of two sums).
    """
    n, k = sum(whole for _, whole in cells.values()), len(cells)
    if not n:
        return NOTHING
    p = sum(part for part, _ in cells.values()) / SCALE / n
    effective, z = float(k), _quantile(0)
    if 1 < k < n and 0 < p < 1:
        variance, z = _variance(cells, p), _quantile(k)
        effective = min(MOST * n, p * (1 - p) / variance) if variance > 1e-24 else float(n)
    centre = (p + z**2 / (2 * effective)) / (1 + z**2 / effective)
    half = z / (1 + z**2 / effective) * sqrt(p * (1 - p) / effective + z**2 / (4 * effective**2))
    return Rate(p, n, max(0.0, centre - half), min(1.0, centre + half))


def mean(cells: Cells, low: float = float("-inf"), high: float = float("inf")) -> Estimate:
    """A mean of values in [low, high] with a cluster-robust t interval.

    It has no bounds below `MIN_CLUSTERS` clusters, nor where clusters are all alike: an interval without width would
    claim certainty.

    Source: W. G. Cochran (1977), Sampling Techniques, section 6.3.
    """
    n, k = sum(whole for _, whole in cells.values()), len(cells)
    if not n:
        return Estimate(None, 0, clusters=0)
    value = sum(part for part, _ in cells.values()) / SCALE / n
    if k < MIN_CLUSTERS:
        return Estimate(value, n, clusters=k)
    half = _quantile(k) * sqrt(_variance(cells, value))
    if half < 1e-9:
        return Estimate(value, n, clusters=k)
    return Estimate(value, n, max(low, value - half), min(high, value + half), k)


def _variance(cells: Cells, ratio: float) -> float:
    """Cluster-robust variance of a ratio of sums."""
    n, k = sum(whole for _, whole in cells.values()), len(cells)
    return sum((part / SCALE - ratio * whole) ** 2 for part, whole in cells.values()) / n**2 * k / (k - 1)


def _quantile(clusters: int) -> float:
    """Two-sided 95 % quantile: Student's for so many clusters, the normal one for 0."""
    from scipy.special import ndtri, stdtrit

    return float(stdtrit(clusters - 1, 0.975) if clusters else ndtri(0.975))


def jackknife(
    groups: Mapping[str, T],
    statistic: Callable[[list[T]], float | None],
    n: int,
    *,
    bound: float | None = None,
) -> Estimate:
    """Any figure of sums by cluster, with the interval of the delete-one-cluster jackknife.

    Args:
        groups: Cluster to its sums.
        statistic: The figure of some clusters together; None where they don't give one.
        n: Observations behind it.
        bound: The figure lies between 0 and this, and so must its interval; None if it is not bounded.

    Returns:
        The figure; without bounds below `MIN_CLUSTERS` clusters, or where it hangs on a single one.

    Source: B. Efron and C. Stein (1981), Annals of Statistics 9(3), 586-596.
    """
    ordered = [groups[cluster] for cluster in sorted(groups)]
    value, k = statistic(ordered) if ordered else None, len(groups)
    if value is None or k < MIN_CLUSTERS:
        return Estimate(value, n, clusters=k)
    left = [statistic(ordered[:i] + ordered[i + 1 :]) for i in range(k)]
    without = [each for each in left if each is not None]
    if len(without) < k:
        return Estimate(value, n, clusters=k)
    middle = sum(without) / k
    half = _quantile(k) * sqrt((k - 1) / k * sum((each - middle) ** 2 for each in without))
    if half < 1e-9:
        return Estimate(value, n, clusters=k)
    low, high = value - half, value + half
    if bound is not None:
        low, high = max(0.0, low), min(bound, high)
    return Estimate(value, n, low, high, k)
