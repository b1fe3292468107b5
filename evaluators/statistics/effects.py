"""How large a difference is, apart from whether it can be told from chance."""

from __future__ import annotations

from math import asin, exp, log, sqrt

from liecraft.evaluators.statistics.estimate import Estimate, quantile
from liecraft.evaluators.statistics.intervals import wilson


def cohens_h(p_a: float, p_b: float) -> float:
    """Difference of two proportions on the arcsine scale, 2 asin sqrt(p_b) - 2 asin sqrt(p_a).

    By Cohen's own words 0.2 is small, 0.5 medium, 0.8 large; equal h are equally hard to detect.

    Args:
        p_a: Proportion of A, in [0, 1].
        p_b: Proportion of B, in [0, 1].

    Returns:
        h in [-pi, pi]; above 0 where B's is higher.

    Raises:
        ValueError: A proportion is out of range.

    Source: J. Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, chapter 6.
    """
    for p in (p_a, p_b):
        if not 0 <= p <= 1:
            raise ValueError(f"proportion {p} is not between 0 and 1")
    return 2 * (asin(sqrt(p_b)) - asin(sqrt(p_a)))


def risk_difference(
    successes_a: int, n_a: int, successes_b: int, n_b: int, confidence: float = 0.95
) -> Estimate:
    """Difference of two independent proportions, B less A, with the interval made of both Wilson bounds.

    Args:
        successes_a: Count of A, 0 <= successes_a <= n_a.
        n_a: Trials of A, >= 0.
        successes_b: Count of B.
        n_b: Trials of B, >= 0.
        confidence: Two-sided level in (0, 1).

    Returns:
        The difference in [-1, 1]; None if either group is empty.

    Raises:
        ValueError: The counts or the level are out of range.

    Source: R. G. Newcombe (1998), Statistics in Medicine 17(8), 873-890, method 10.

    >>> found = risk_difference(48, 80, 56, 70)  # 56/70 - 48/80
    >>> round(found.low, 4), round(found.high, 4)
    (0.0524, 0.3339)
    """
    a, b = wilson(successes_a, n_a, confidence), wilson(successes_b, n_b, confidence)
    n = n_a + n_b
    if a.value is None or a.low is None or a.high is None:
        return Estimate(None, n)
    if b.value is None or b.low is None or b.high is None:
        return Estimate(None, n)
    difference = b.value - a.value
    low = difference - sqrt((b.value - b.low) ** 2 + (a.high - a.value) ** 2)
    high = difference + sqrt((b.high - b.value) ** 2 + (a.value - a.low) ** 2)
    return Estimate(difference, n, max(-1.0, low), min(1.0, high))


def odds_ratio(successes_a: int, n_a: int, successes_b: int, n_b: int, confidence: float = 0.95) -> Estimate:
    """Odds of B over odds of A, with Woolf's interval on the logarithmic scale.

    Where a cell of the table is empty, 1/2 is added to all four, so that the ratio is finite.

    Args:
        successes_a: Count of A, 0 <= successes_a <= n_a.
        n_a: Trials of A, >= 0.
        successes_b: Count of B.
        n_b: Trials of B, >= 0.
        confidence: Two-sided level in (0, 1).

    Returns:
        The ratio, > 0 and 1 where the odds are even; None if either group is empty.

    Raises:
        ValueError: The counts or the level are out of range.

    Source: B. Woolf (1955), Annals of Human Genetics 19(4), 251-253; J. B. S. Haldane (1956), ibid. 20(4),
    309-311, and F. J. Anscombe (1956), Biometrika 43(3/4), 461-464, for the halves.
    """
    z = quantile(confidence)
    for successes, n in ((successes_a, n_a), (successes_b, n_b)):
        if not 0 <= successes <= n:
            raise ValueError(f"{successes} successes in {n} trials: want 0 <= successes <= n")
    if not n_a or not n_b:
        return Estimate(None, n_a + n_b)
    cells = [float(cell) for cell in (successes_b, n_b - successes_b, successes_a, n_a - successes_a)]
    if min(cells) == 0:
        cells = [cell + 0.5 for cell in cells]
    won_b, lost_b, won_a, lost_a = cells
    middle = log(won_b * lost_a / (lost_b * won_a))
    half = z * sqrt(sum(1 / cell for cell in cells))
    return Estimate(exp(middle), n_a + n_b, exp(middle - half), exp(middle + half))
