"""Agreement beyond chance: between two raters (kappa), or among any number with gaps (alpha)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Literal

from liecraft.evaluators.statistics.bootstrap import cluster_bootstrap
from liecraft.evaluators.statistics.estimate import Estimate, check_level, need, quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Label = Hashable
Level = Literal["nominal", "ordinal", "interval"]


def cohen_kappa(table: Sequence[Sequence[int]], confidence: float = 0.95) -> Estimate:
    """Cohen's kappa of two raters from their table of counts.

    Args:
        table: `[k, k]` counts; cell `[i][j]`: the first said i, the second said j.
        confidence: Two-sided level in (0, 1).

    Returns:
        Kappa in [-1, 1] with its normal interval, cut at -1 and 1. None if nothing was rated, or if both
        always said the same one thing: then chance alone agrees, and kappa has no value.

    Raises:
        ValueError: The table is not square, or a count is negative.
        StatisticsError: statsmodels is not installed.

    Source: J. Cohen (1960), Educational and Psychological Measurement 20(1), 37-46; the standard error is
    that of J. L. Fleiss, J. Cohen and B. S. Everitt (1969), Psychological Bulletin 72(5), 323-327.

    >>> round(cohen_kappa([[65, 5], [10, 20]]).value, 3)
    0.625
    """
    check_level(confidence)
    if len(table) < 2 or any(len(row) != len(table) for row in table):
        raise ValueError("a table of agreement is square, with a row and a column for each of the labels")
    if any(cell < 0 for row in table for cell in row):
        raise ValueError("a table of agreement holds counts of 0 or more")
    n = int(sum(sum(row) for row in table))
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    if sum(a * b for a, b in zip(rows, columns, strict=True)) == n * n:  # n = 0 is one such case
        return Estimate(None, n)
    import numpy as np

    raters = need("statsmodels.stats.inter_rater")
    with np.errstate(invalid="ignore"):  # its z value, which we don't use, may be 0 / 0
        found = raters.cohens_kappa(np.asarray(table))
    kappa, half = float(found.kappa), quantile(confidence) * float(found.std_kappa)
    # Full agreement, or one rater with one word: a width of 0 (or, by rounding, the root of less) would claim certainty.
    if not half >= 1e-6:
        return Estimate(kappa, n)
    return Estimate(kappa, n, max(-1.0, kappa - half), min(1.0, kappa + half))


def agreement_table(first: Sequence[Label], second: Sequence[Label]) -> list[list[int]]:
    """Table of counts of two raters' labels for `cohen_kappa`, labels in order of their text.

    Raises:
        ValueError: The raters have not rated the same number of items.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} ratings: both raters must rate every item")
    labels = sorted({*first, *second}, key=lambda label: (str(type(label)), str(label)))
    size = max(2, len(labels))  # one label alone still makes a table, of which kappa has no value
    place = {label: i for i, label in enumerate(labels)}
    table = [[0] * size for _ in range(size)]
    for a, b in zip(first, second, strict=True):
        table[place[a]][place[b]] += 1
    return table


def krippendorff_alpha(
    units: Sequence[Sequence[Label | None]],
    rng: np.random.Generator | None = None,
    *,
    level: Level = "nominal",
    confidence: float = 0.95,
) -> Estimate:
    """Krippendorff's alpha: 1 - observed / expected disagreement, for any number of raters, with gaps.

    Written out here: the one package that computes it well is under the GPL, which ours can't depend on.

    Args:
        units: For each unit, the values that it was given; None where a rater gave none. The raters'
            order doesn't matter.
        rng: Source of a bootstrap over units; without it there is no interval.
        level: How values differ: `nominal` (same or not), `ordinal` (by rank), `interval` (by square).
        confidence: Two-sided level in (0, 1).

    Returns:
        Alpha, at most 1 and 0 at chance; `n` counts values that can be paired. None if no unit has two
        values, or if all values are the same: then there is nothing to disagree on.

    Raises:
        ValueError: The level is out of range.
        TypeError: Values of an ordinal or interval level are not numbers.

    Source: K. Krippendorff (2019), Content Analysis, 4th edition, section 12.3.
    """
    check_level(confidence)
    rated = [[value for value in unit if value is not None] for unit in units]
    pairable = [unit for unit in rated if len(unit) > 1]
    n = sum(len(unit) for unit in pairable)
    if rng is None:
        return Estimate(_alpha(pairable, level), n, clusters=len(pairable))
    found = cluster_bootstrap(
        pairable, range(len(pairable)), lambda drawn: _alpha(drawn, level), rng, confidence=confidence
    )
    return Estimate(found.value, n, found.low, found.high, len(pairable))


def _alpha(units: Sequence[Sequence[Label]], level: Level) -> float | None:
    values = {value for unit in units for value in unit}
    if len(values) < 2:
        return None
    import numpy as np

    order = list(values) if level == "nominal" else sorted(values, key=_number)
    place = {value: i for i, value in enumerate(order)}
    coincidences = np.zeros((len(order), len(order)))
    for unit in units:
        counts = np.bincount([place[value] for value in unit], minlength=len(order)).astype(float)
        coincidences += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    totals = coincidences.sum(axis=0)
    distances = _distances(order, totals, level)
    observed = float((coincidences * distances).sum())
    expected = float((np.outer(totals, totals) * distances).sum()) / (float(totals.sum()) - 1)
    return 1 - observed / expected


def _number(value: Label) -> float:
    if not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number: only the nominal level takes other values")
    return float(value)


def _distances(order: Sequence[Label], totals: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    """`[values, values]` squared differences between values at this level."""
    import numpy as np

    if level == "nominal":
        return 1.0 - np.eye(len(order))
    if level == "interval":
        points = np.array([_number(value) for value in order])
    else:  # ranks: the number of values below, and half of those that are the same
        points = np.cumsum(totals) - totals / 2
    return np.asarray((points[:, None] - points[None, :]) ** 2)
