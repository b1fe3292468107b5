"""Cluster bootstrap: games on one seed, or moves of one game, are drawn together or not at all."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, TypeVar

from liecraft.evaluators.statistics.estimate import Estimate, check_level
from liecraft.evaluators.statistics.intervals import clopper_pearson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")

MIN_CLUSTERS = 10
"""Below so many clusters a percentile interval is far too narrow to be shown."""


def group(items: Sequence[T], clusters: Sequence[Hashable]) -> list[list[T]]:
    """Items by cluster, in order of first appearance.

    Raises:
        ValueError: There is not one label for each item.
    """
    if len(items) != len(clusters):
        raise ValueError(f"{len(items)} observations but {len(clusters)} cluster labels: give one for each")
    groups: dict[Hashable, list[T]] = {}
    for item, label in zip(items, clusters, strict=True):
        groups.setdefault(label, []).append(item)
    return list(groups.values())


def cluster_mean(
    values: Sequence[float],
    clusters: Sequence[Hashable],
    rng: np.random.Generator,
    *,
    confidence: float = 0.95,
    resamples: int = 2000,
) -> Estimate:
    """Estimate a mean over observations that come in clusters.

    Args:
        values: `[n]` observations; 0 and 1 for a rate.
        clusters: `[n]` labels, such as the seed or the game; equal labels are drawn together.
        rng: Source of the resamples; it is advanced.
        confidence: Two-sided level in (0, 1).
        resamples: Number of resamples, >= 1.

    Returns:
        The mean with its percentile interval, without bounds below `MIN_CLUSTERS` clusters. Where all
        values are 0, or all 1, resampling shows no spread: then the bounds are the exact ones for as
        many trials as there are clusters. Where clusters are alike otherwise there are no bounds: an
        interval without width would claim certainty.

    Raises:
        ValueError: Labels don't match the values, or the level is out of range.

    Source: B. Efron and R. Tibshirani (1993), An Introduction to the Bootstrap, chapters 8 and 13;
    C. A. Field and A. H. Welsh (2007), JRSS B 69(3), 369-390, for the resampling of clusters.
    """
    groups = group(values, clusters)
    check_level(confidence)
    n, k = len(values), len(groups)
    if not n:
        return Estimate(None, 0, clusters=0)
    mean = float(sum(values) / n)
    if k < MIN_CLUSTERS:
        return Estimate(mean, n, clusters=k)
    if mean in (0.0, 1.0) and set(values) == {mean}:
        rate = clopper_pearson(k if mean else 0, k, confidence)
        return Estimate(mean, n, rate.low, rate.high, k)

    import numpy as np
    from scipy.stats import bootstrap

    sums = np.array([sum(members) for members in groups], dtype=np.float64)
    sizes = np.array([len(members) for members in groups], dtype=np.float64)
    if np.ptp(sums / sizes) == 0:
        return Estimate(mean, n, clusters=k)

    def ratio(s: NDArray[np.float64], m: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        return np.asarray(s.sum(axis=axis) / m.sum(axis=axis))

    found = bootstrap(
        (sums, sizes),
        ratio,
        paired=True,
        vectorized=True,
        n_resamples=resamples,
        confidence_level=confidence,
        method="percentile",
        rng=rng,
    ).confidence_interval
    return Estimate(mean, n, float(found.low), float(found.high), k)


def cluster_bootstrap(
    items: Sequence[T],
    clusters: Sequence[Hashable],
    statistic: Callable[[list[T]], float | None],
    rng: np.random.Generator,
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
) -> Estimate:
    """Estimate any figure of observations that come in clusters.

    Args:
        items: `[n]` observations of any kind.
        clusters: `[n]` labels; equal labels are drawn together.
        statistic: The figure of a list of observations; None where it can't be formed, and such
            resamples are left out.
        rng: Source of the resamples; it is advanced.
        confidence: Two-sided level in (0, 1).
        resamples: Number of resamples, >= 1.

    Returns:
        The figure with its percentile interval; without bounds below `MIN_CLUSTERS` clusters, where
        fewer than nine in ten resamples give a figure, or where all give the same.

    Raises:
        ValueError: Labels don't match the observations, or the level is out of range.

    Source: as `cluster_mean`, which is faster for means.
    """
    groups = group(items, clusters)
    check_level(confidence)
    n, k = len(items), len(groups)
    value = statistic(list(items)) if n else None
    if value is None or k < MIN_CLUSTERS:
        return Estimate(value, n, clusters=k)

    import numpy as np

    drawn = []
    for _ in range(resamples):
        chosen = rng.integers(k, size=k)
        figure = statistic([item for i in chosen for item in groups[i]])
        if figure is not None:
            drawn.append(figure)
    if len(drawn) < 0.9 * resamples or min(drawn) == max(drawn):
        return Estimate(value, n, clusters=k)
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Estimate(value, n, float(low), float(high), k)
