"""Tests for paired designs: the same world played twice, once on each side of the comparison.

b and c are the discordant pairs: those that only the first, or only the second, has won. Pairs on which both
agree say nothing about which is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from liecraft.evaluators.statistics.estimate import Estimate, quantile
from liecraft.evaluators.statistics.intervals import clopper_pearson, wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXACT_BELOW = 25
"""Discordant pairs, or clusters, below which the exact distribution stands in for chi-square."""


@dataclass(frozen=True, slots=True)
class Test:
    """What a significance test says.

    Attributes:
        name: The test, as it is to be named in a report.
        statistic: Its statistic; None where the exact distribution needs none.
        p_value: Two-sided, in [0, 1].
    """

    __test__ = False  # the name is statistics', not pytest's

    name: str
    statistic: float | None
    p_value: float


def mcnemar(b: int, c: int, *, correction: bool = False) -> Test:
    """Compare two proportions of the same units: exact below 25 discordant pairs, else chi-square.

    Args:
        b: Pairs that only the first has won, >= 0.
        c: Pairs that only the second has won, >= 0.
        correction: Use Edwards' continuity correction where chi-square is used; it errs on the safe side.

    Returns:
        The test with its two-sided p-value; 1 where no pair is discordant.

    Raises:
        ValueError: A count is negative.

    Source: Q. McNemar (1947), Psychometrika 12(2), 153-157; the exact form is the sign test, that b is
    binomial(b + c, 1/2); M. W. Fagerland et al. (2013), BMC Med. Res. Methodol. 13, 91, on the choice.

    >>> round(mcnemar(20, 8).statistic, 2)
    5.14
    """
    if b < 0 or c < 0:
        raise ValueError(f"{b} and {c} discordant pairs: want counts of 0 or more")
    if b + c < EXACT_BELOW:
        return mcnemar_exact(b, c)
    from scipy.stats import chi2

    apart = max(0, abs(b - c) - correction)
    statistic = apart**2 / (b + c)
    manner = "with" if correction else "without"
    name = f"McNemar's chi-square test ({manner} continuity correction)"
    return Test(name, float(statistic), float(chi2.sf(statistic, 1)))


def mcnemar_exact(b: int, c: int) -> Test:
    """McNemar's test by the binomial distribution, at any number of discordant pairs; as `mcnemar`."""
    from scipy.stats import binomtest

    p_value = float(binomtest(b, b + c).pvalue) if b + c else 1.0
    return Test("McNemar's exact test", None, p_value)


def sign_flip(differences: Sequence[int]) -> Test:
    """McNemar's test where pairs come in clusters, such as several seats on one seed.

    Under the null hypothesis the two sides of a cluster may be swapped: its difference d keeps its size
    and takes either sign. Below 25 clusters with d != 0 the distribution of the sum over all swaps is
    computed exactly; from there on (sum d)^2 / sum d^2 is held against chi-square with one degree of
    freedom. With one pair a cluster both are McNemar's.

    Args:
        differences: `[clusters]` wins of the first less wins of the second.

    Returns:
        The test with its two-sided p-value; 1 where no cluster differs.

    Source: R. A. Fisher (1935), The Design of Experiments, section 21; for binary data in clusters
    N. A. Obuchowski (1998), Statistics in Medicine 17(13), 1495-1507.

    >>> sign_flip([1] * 10 + [-1] * 2).p_value == mcnemar_exact(10, 2).p_value
    True
    """
    sizes = [abs(d) for d in differences if d]
    total = abs(sum(differences))
    if len(sizes) < EXACT_BELOW:
        return Test("McNemar's exact test for clusters (sign flips)", None, _flip_tail(sizes, total))
    from scipy.stats import chi2

    statistic = total**2 / sum(size**2 for size in sizes)
    return Test("McNemar's chi-square test for clusters", float(statistic), float(chi2.sf(statistic, 1)))


def _flip_tail(sizes: Sequence[int], total: int) -> float:
    """Chance that the sum of randomly signed sizes is at least `total` away from 0."""
    import numpy as np

    reach = sum(sizes)
    chances = np.zeros(2 * reach + 1)  # chances[i]: that the sum is i - reach
    chances[reach] = 1.0
    for size in sizes:  # no chance is ever rolled over an end: the ends lie at the sum of all sizes
        chances = (np.roll(chances, size) + np.roll(chances, -size)) / 2
    sums = np.abs(np.arange(-reach, reach + 1))
    return float(min(1.0, chances[sums >= total].sum()))


def paired_difference(both: int, b: int, c: int, neither: int, confidence: float = 0.95) -> Estimate:
    """Difference of two proportions of the same units, first less second, with a score interval.

    Args:
        both: Pairs that both have won, >= 0.
        b: Pairs that only the first has won, >= 0.
        c: Pairs that only the second has won, >= 0.
        neither: Pairs that neither has won, >= 0.
        confidence: Two-sided level in (0, 1).

    Returns:
        The difference in [-1, 1]; `n` is the number of pairs.

    Raises:
        ValueError: A count is negative or the level is out of range.

    Source: R. G. Newcombe (1998), Statistics in Medicine 17(22), 2635-2650, method 10.

    >>> found = paired_difference(36, 12, 2, 0)
    >>> round(found.low, 4), round(found.high, 4)
    (0.0569, 0.3404)
    """
    counts = (both, b, c, neither)
    if min(counts) < 0:
        raise ValueError(f"pairs {counts}: want counts of 0 or more")
    n = sum(counts)
    first, second = wilson(both + b, n, confidence), wilson(both + c, n, confidence)
    if first.value is None or first.low is None or first.high is None:
        return Estimate(None, 0)
    if second.value is None or second.low is None or second.high is None:
        return Estimate(None, 0)
    phi = _phi(both, b, c, neither)
    down, up = first.value - first.low, first.high - first.value
    fall, rise = second.value - second.low, second.high - second.value
    difference = (b - c) / n
    low = difference - sqrt(max(0.0, down**2 - 2 * phi * down * rise + rise**2))
    high = difference + sqrt(max(0.0, up**2 - 2 * phi * up * fall + fall**2))
    return Estimate(difference, n, max(-1.0, low), min(1.0, high))


def _phi(both: int, b: int, c: int, neither: int) -> float:
    """Newcombe's continuity-corrected correlation of the two outcomes; 0 where a margin is empty."""
    margins = (both + b) * (c + neither) * (both + c) * (b + neither)
    n = both + b + c + neither
    cross = both * neither - b * c
    if cross > n / 2:
        cross_corrected = cross - n / 2
    else:
        cross_corrected = min(cross, 0)
    return cross_corrected / sqrt(margins) if margins else 0.0


def clustered_paired_difference(
    differences: Sequence[int], sizes: Sequence[int], confidence: float = 0.95
) -> Estimate:
    """Mean difference over pairs that come in clusters, first less second.

    Args:
        differences: `[clusters]` wins of the first less wins of the second.
        sizes: `[clusters]` pairs, >= 1.
        confidence: Two-sided level in (0, 1).

    Returns:
        The difference with a cluster-robust t interval. Where no cluster differs from the mean it is as
        wide as the exact bound on how many clusters may, had one not been seen.

    Raises:
        ValueError: The level is out of range.

    Source: W. G. Cochran (1977), Sampling Techniques, section 6.4 (ratio estimator).
    """
    import numpy as np

    quantile(confidence)  # refuses a wrong level
    d, m = np.asarray(differences, dtype=float), np.asarray(sizes, dtype=float)
    k, n = len(d), int(m.sum())
    if not n:
        return Estimate(None, 0, clusters=0)
    value = float(d.sum() / n)
    half = robust_half_width((d - value * m) / n, confidence)
    return Estimate(value, n, max(-1.0, value - half), min(1.0, value + half), k)


def robust_half_width(influence: NDArray[np.float64], confidence: float) -> float:
    """Half the width of a t interval from each cluster's influence on an estimate.

    Args:
        influence: `[clusters]` contributions whose sum is the estimate's error, centred on 0.
        confidence: Two-sided level in (0, 1).

    Returns:
        A width in [0, 1] or above; where no cluster stands out, the exact bound for "none of k".
    """
    from scipy.stats import t

    k = len(influence)
    if k < 2:
        return 1.0
    spread = standard_error(influence)
    if spread < 1e-12:
        return clopper_pearson(0, k, confidence).high or 1.0
    return float(t.ppf((1 + confidence) / 2, k - 1) * spread)


def standard_error(influence: NDArray[np.float64]) -> float:
    """Cluster-robust standard error: sqrt(k / (k - 1) * sum of squared influences)."""
    k = len(influence)
    return sqrt(k / (k - 1) * float((influence**2).sum()))
