"""Intervals for a proportion: k successes in n independent trials.

scipy is imported where it is used: it takes longer to load than everything a command line needs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from typing import Literal

from liecraft.evaluators.statistics.estimate import check_level, quantile


@dataclass(frozen=True, slots=True)
class Rate:
    """A proportion with its sample size and interval.

    Attributes:
        value: the proportion in [0, 1]; None if there was nothing to score, which is not 0.
        n: number of trials, >= 0.
        low: lower bound in [0, 1]; None if there was nothing to score.
        high: upper bound in [0, 1]; None if there was nothing to score.
    """

    value: float | None
    n: int
    low: float | None
    high: float | None

    def as_json(self) -> dict[str, float | int | None]:
        """Return the four fields as a JSON object; "nothing to score" is null."""
        return asdict(self)


NOTHING = Rate(value=None, n=0, low=None, high=None)


def wilson(successes: int, n: int, confidence: float = 0.95) -> Rate:
    """Estimate a proportion with the Wilson score interval.

    Unlike the normal interval it stays inside [0, 1] and is usable at n < 30, which is where a
    tournament cell usually sits. Its coverage is near the nominal one on average, not at every p.

    Args:
        successes: count, 0 <= successes <= n.
        n: number of trials, >= 0.
        confidence: two-sided level in (0, 1).

    Returns:
        The rate with its bounds, as probabilities (not per cent).

    Raises:
        ValueError: the counts or the level are out of range.

    Source: E. B. Wilson (1927), JASA 22(158), 209-212.

    >>> rate = wilson(8, 10)
    >>> rate.value, round(rate.low, 3), round(rate.high, 3)
    (0.8, 0.49, 0.943)
    >>> wilson(0, 0).value is None
    True
    """
    return _interval(successes, n, confidence, "wilson")


def clopper_pearson(successes: int, n: int, confidence: float = 0.95) -> Rate:
    """Estimate a proportion with the exact (Clopper-Pearson) interval.

    It covers at least the nominal level at every p, and is wider than Wilson's for it: use it where
    a bound is claimed ("at most 7 % leak"), not where rates are compared.

    Args:
        successes: count, 0 <= successes <= n.
        n: number of trials, >= 0.
        confidence: two-sided level in (0, 1).

    Returns:
        The rate with its bounds, as probabilities (not per cent).

    Raises:
        ValueError: the counts or the level are out of range.

    Source: C. J. Clopper and E. S. Pearson (1934), Biometrika 26(4), 404-413.

    >>> round(clopper_pearson(0, 50).high, 3)
    0.071
    """
    return _interval(successes, n, confidence, "exact")


def normal(successes: int, n: int, confidence: float = 0.95) -> Rate:
    """Estimate a proportion with the normal (Wald) interval p +- z sqrt(p(1 - p)/n), cut at 0 and 1.

    For reference only, since other work prints it: it covers too seldom at small n, and at 0 or n
    successes it has no width at all. Tables of ours use `wilson`.

    Args:
        successes: count, 0 <= successes <= n.
        n: number of trials, >= 0.
        confidence: two-sided level in (0, 1).

    Returns:
        The rate with its bounds, as probabilities (not per cent).

    Raises:
        ValueError: the counts or the level are out of range.

    Source: P.-S. Laplace (1812); why not to use it: L. D. Brown, T. T. Cai and A. DasGupta (2001),
    Statistical Science 16(2), 101-133.

    >>> rate = normal(40, 50)
    >>> round(rate.high - rate.value, 3)
    0.111
    """
    _check(successes, n)
    z = quantile(confidence)
    if n == 0:
        return NOTHING
    p = successes / n
    half = z * sqrt(p * (1 - p) / n)
    return Rate(value=float(p), n=int(n), low=float(max(0.0, p - half)), high=float(min(1.0, p + half)))


def rule_of_three(n: int) -> Rate:
    """Bound a rate of which no case was seen in n trials.

    The upper bound 3/n approximates the exact one-sided 95 % bound 1 - 0.05**(1/n) from above.
    A two-sided interval (`clopper_pearson(0, n)`) is wider: its tail is 2.5 %.

    Args:
        n: number of trials, >= 0, none of them a success.

    Returns:
        The rate 0 with the bounds 0 and min(1, 3/n).

    Raises:
        ValueError: n is negative.

    Source: J. A. Hanley and A. Lippman-Hand (1983), JAMA 249(13), 1743-1745.

    >>> rule_of_three(50)
    Rate(value=0.0, n=50, low=0.0, high=0.06)
    """
    _check(0, n)
    return Rate(value=0.0, n=n, low=0.0, high=min(1.0, 3 / n)) if n else NOTHING


def _interval(successes: int, n: int, confidence: float, method: Literal["wilson", "exact"]) -> Rate:
    _check(successes, n)
    check_level(confidence)
    if n == 0:
        return NOTHING

    from scipy.stats import binomtest

    bounds = binomtest(successes, n).proportion_ci(confidence_level=confidence, method=method)
    return Rate(value=float(successes / n), n=int(n), low=float(bounds.low), high=float(bounds.high))


def _check(successes: int, n: int) -> None:
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes in {n} trials: want 0 <= successes <= n")
