"""Correction of a table of p-values for being a table."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust p-values so that the chance of any false finding among them stays below the level.

    Step-down: the i-th smallest of m is multiplied by m - i + 1, and never falls below a smaller
    one's result. Valid whatever the dependence between the tests, and never weaker than Bonferroni.

    Args:
        p_values: `[m]` p-values in [0, 1]; None for a comparison that was refused, which is no test
            and makes the others no harder.

    Returns:
        `[m]` adjusted p-values in [0, 1], in the order given; None stays None.

    Raises:
        ValueError: A p-value is out of range.

    Source: S. Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    tested = [(p, i) for i, p in enumerate(p_values) if p is not None]
    for p, i in tested:
        if not 0 <= p <= 1:
            raise ValueError(f"p-value {i} is {p}, not between 0 and 1")
    adjusted: list[float | None] = [None] * len(p_values)
    floor = 0.0
    for rank, (p, i) in enumerate(sorted(tested)):
        floor = max(floor, min(1.0, p * (len(tested) - rank)))
        adjusted[i] = floor
    return adjusted
