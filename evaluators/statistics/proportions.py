"""Two independent proportions, and how many games it takes to tell them apart."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import ceil, copysign, sqrt
from typing import TYPE_CHECKING

from liecraft.evaluators.statistics.estimate import Estimate, quantile
from liecraft.evaluators.statistics.intervals import NOTHING, Rate
from liecraft.evaluators.statistics.paired import Test, robust_half_width, standard_error

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Outcome = tuple[bool, Hashable]
"""Whether it was won, and the label of the cluster that it belongs to, such as the seed."""


def two_proportion_z(successes_a: int, n_a: int, successes_b: int, n_b: int) -> Test:
    """Compare two independent proportions by the pooled z test; z > 0 where B's is higher.

    Args:
        successes_a: Count of A, 0 <= successes_a <= n_a.
        n_a: Trials of A, >= 1.
        successes_b: Count of B.
        n_b: Trials of B, >= 1.

    Returns:
        The test with z and its two-sided p-value; z = 0 where nobody, or everybody, succeeded.

    Raises:
        ValueError: The counts are out of range, or a group is empty.

    Source: K. Pearson (1900); z^2 is the chi-square of the 2 x 2 table without continuity correction.

    >>> round(two_proportion_z(2320, 2900, 2407, 2900).statistic, 2)
    2.94
    """
    name = "two-proportion z test"
    table = _table(successes_a, n_a, successes_b, n_b)
    if not successes_a + successes_b or successes_a + successes_b == n_a + n_b:
        return Test(name, 0.0, 1.0)
    from scipy.stats import chi2_contingency

    found = chi2_contingency(table, correction=False)
    z = copysign(sqrt(float(found.statistic)), successes_b / n_b - successes_a / n_a)
    return Test(name, z, float(found.pvalue))


def fisher(successes_a: int, n_a: int, successes_b: int, n_b: int) -> Test:
    """Compare two independent proportions exactly, for tables with a small expected count.

    Arguments, errors as in `two_proportion_z`.

    Source: R. A. Fisher (1935), JRSS 98(1), 39-82.
    """
    import numpy as np
    from scipy.stats import fisher_exact

    found = fisher_exact(np.array(_table(successes_a, n_a, successes_b, n_b)))
    return Test("Fisher's exact test", None, min(1.0, float(found[1])))


def smallest_expected(successes_a: int, n_a: int, successes_b: int, n_b: int) -> float:
    """Smallest count that the 2 x 2 table would hold if both proportions were the same.

    Raises:
        ValueError: The counts are out of range, or a group is empty.
    """
    _table(successes_a, n_a, successes_b, n_b)
    won = successes_a + successes_b
    return min(n_a, n_b) * min(won, n_a + n_b - won) / (n_a + n_b)


def _table(successes_a: int, n_a: int, successes_b: int, n_b: int) -> list[list[int]]:
    for successes, n in ((successes_a, n_a), (successes_b, n_b)):
        if n < 1 or not 0 <= successes <= n:
            raise ValueError(f"{successes} successes in {n} trials: want 0 <= successes <= n and n >= 1")
    return [[successes_a, n_a - successes_a], [successes_b, n_b - successes_b]]


def clustered_z(a: Sequence[Outcome], b: Sequence[Outcome]) -> Test:
    """Compare two proportions whose outcomes come in clusters, which the two groups may share.

    z is the difference over its cluster-robust standard error, held against t with one degree of
    freedom less than there are clusters in the smaller group. Where no cluster departs from its group's
    rate the p-value is the chance 2^(1 - k) that swaps of labels would give as much.

    Args:
        a: Outcomes of A, in at least two clusters.
        b: Outcomes of B, in at least two clusters.

    Returns:
        The test; z > 0 where B's proportion is higher, None where there is no spread to measure it by.

    Source: J. N. K. Rao and A. J. Scott (1992), Biometrics 48(2), 577-585; for shared clusters the
    linearisation is summed over both groups.
    """
    from scipy.stats import t

    name = "z test with cluster-robust errors"
    difference, influence = _linearised(a, b)
    fewest = min(len({label for _, label in group}) for group in (a, b))
    spread = standard_error(influence)
    if spread < 1e-12:
        return Test(name, None, 2.0 ** (1 - fewest) if difference else 1.0)
    z = difference / spread
    return Test(name, z, float(2 * t.sf(abs(z), fewest - 1)))


def clustered_difference(a: Sequence[Outcome], b: Sequence[Outcome], confidence: float = 0.95) -> Estimate:
    """Difference of two proportions, B less A, with a cluster-robust t interval; as `clustered_z`."""
    quantile(confidence)  # refuses a wrong level
    difference, influence = _linearised(a, b)
    half = robust_half_width(influence, confidence)
    low, high = max(-1.0, difference - half), min(1.0, difference + half)
    return Estimate(difference, len(a) + len(b), low, high, len(influence))


def _linearised(a: Sequence[Outcome], b: Sequence[Outcome]) -> tuple[float, NDArray[np.float64]]:
    """The difference B - A, and each cluster's influence on it."""
    import numpy as np

    rate_a, rate_b = (sum(won for won, _ in group) / len(group) for group in (a, b))
    influence: dict[Hashable, float] = {}
    for group, rate, sign in ((a, rate_a, -1), (b, rate_b, 1)):
        for won, label in group:
            influence[label] = influence.get(label, 0.0) + sign * (won - rate) / len(group)
    return rate_b - rate_a, np.array(list(influence.values()))


def clustered_rate(outcomes: Sequence[Outcome], confidence: float = 0.95) -> Rate:
    """Estimate a proportion whose outcomes come in clusters: Wilson's interval at the effective sample size.

    The effective size is how many independent outcomes would have the same standard error, at most as many
    as there are; the number of clusters where no outcome differs, and so none tells.

    Args:
        outcomes: Whether each was won, and its cluster.
        confidence: Two-sided level in (0, 1).

    Returns:
        The rate with its bounds; `n` counts outcomes.

    Raises:
        ValueError: The level is out of range.

    Source: N. Dean and M. Pagano (2015), Journal of Survey Statistics and Methodology 3(4), 484-503.
    """
    import numpy as np

    z = quantile(confidence)
    n = len(outcomes)
    if not n:
        return NOTHING
    p = sum(won for won, _ in outcomes) / n
    influence: dict[Hashable, float] = {}
    for won, label in outcomes:
        influence[label] = influence.get(label, 0.0) + (won - p) / n
    k = len(influence)
    effective = float(k)  # exact where every outcome stands alone
    if 1 < k < n and 0 < p < 1:
        variance = standard_error(np.array(list(influence.values()))) ** 2
        effective = min(float(n), p * (1 - p) / variance) if variance > 1e-24 else float(n)
    centre = (p + z**2 / (2 * effective)) / (1 + z**2 / effective)
    half = z / (1 + z**2 / effective) * sqrt(p * (1 - p) / effective + z**2 / (4 * effective**2))
    return Rate(float(p), n, max(0.0, centre - half), min(1.0, centre + half))


def sample_size_rule(baseline: float, difference: float) -> int:
    """Games a group that show a difference with 80 % power at the 5 % level, by 16 p(1 - p) / d^2.

    Args:
        baseline: Expected proportion, in (0, 1).
        difference: What is to be found, != 0.

    Returns:
        Games in each of the two groups, rounded up.

    Raises:
        ValueError: An argument is out of range.

    Source: R. Lehr (1992), Statistics in Medicine 11(8), 1099-1102.

    >>> sample_size_rule(0.8, 0.03)
    2845
    """
    _check_sizes(baseline, difference)
    return ceil(round(16 * baseline * (1 - baseline) / difference**2, 6))


def sample_size(baseline: float, difference: float, *, alpha: float = 0.05, power: float = 0.8) -> int:
    """Games a group that show a difference, by the normal formula without continuity correction.

    (z(alpha/2) sqrt(2 q(1 - q)) + z(power) sqrt(p(1 - p) + r(1 - r)))^2 / d^2, with r = p + d, q their mean.

    Args:
        baseline: Expected proportion p of the first group, in (0, 1).
        difference: What is to be found; p + d must be in (0, 1) too.
        alpha: Two-sided level in (0, 1).
        power: Chance to find it, in (0, 1).

    Returns:
        Games in each of the two groups, rounded up; independent games, of which seeds that are played
        several times give fewer.

    Raises:
        ValueError: An argument is out of range.

    Source: J. L. Fleiss, B. Levin and M. C. Paik (2003), Statistical Methods for Rates and Proportions,
    3rd edition, equation 4.14.

    >>> sample_size(0.8, 0.03)
    2629
    """
    _check_sizes(baseline, difference)
    if not 0 < baseline + difference < 1:
        raise ValueError(f"{baseline} and a difference of {difference} leave the range between 0 and 1")
    if not 0 < power < 1:
        raise ValueError(f"power is {power}, not between 0 and 1")
    from scipy.stats import norm

    other = baseline + difference
    middle = (baseline + other) / 2
    by_chance = quantile(1 - alpha) * sqrt(2 * middle * (1 - middle))
    by_power = float(norm.ppf(power)) * sqrt(baseline * (1 - baseline) + other * (1 - other))
    return ceil(((by_chance + by_power) / difference) ** 2)


def _check_sizes(baseline: float, difference: float) -> None:
    if not 0 < baseline < 1:
        raise ValueError(f"baseline is {baseline}, not between 0 and 1")
    if not difference or not abs(difference) < 1:
        raise ValueError(f"difference is {difference}: want one between -1 and 1 other than 0")
