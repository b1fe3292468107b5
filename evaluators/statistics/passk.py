"""pass@k and pass^k: the chance that k runs of one task hold a success, or nothing but successes."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import TYPE_CHECKING, Literal

from liecraft.evaluators.statistics.bootstrap import cluster_mean
from liecraft.evaluators.statistics.estimate import Estimate

if TYPE_CHECKING:
    import numpy as np


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Chance that at least one of k runs succeeds, without bias from n runs with c successes.

    1 - C(n - c, k) / C(n, k): the share of k-subsets of the runs that hold a success.

    Args:
        n: Runs of the task, >= 0.
        c: Successes among them, 0 <= c <= n.
        k: Tries allowed, 1 <= k; the runs must be at least as many.

    Returns:
        A probability; None if the task was not run.

    Raises:
        ValueError: The counts are out of range; n runs say nothing without bias about more than n.

    Source: M. Chen et al. (2021), arXiv 2107.03374, equation 1.

    >>> pass_at_k(4, 3, 2)
    1.0
    """
    _check(n, c, k)
    return (comb(n, k) - comb(n - c, k)) / comb(n, k) if n else None


def pass_all_k(n: int, c: int, k: int) -> float | None:
    """Chance that all of k runs succeed (pass^k), without bias from n runs with c successes.

    C(c, k) / C(n, k): the share of k-subsets of the runs that are successes throughout.

    Args:
        n: Runs of the task, >= 0.
        c: Successes among them, 0 <= c <= n.
        k: Runs that must all succeed, 1 <= k; the runs must be at least as many.

    Returns:
        A probability; None if the task was not run.

    Raises:
        ValueError: The counts are out of range.

    Source: S. Yao et al. (2024), arXiv 2406.12045, section 3.

    >>> pass_all_k(4, 3, 2)
    0.5
    """
    _check(n, c, k)
    return comb(c, k) / comb(n, k) if n else None


def mean_pass(
    tasks: Sequence[tuple[int, int]],
    k: int,
    rng: np.random.Generator,
    *,
    kind: Literal["any", "all"] = "any",
    confidence: float = 0.95,
) -> Estimate:
    """Mean over tasks of pass@k (`any`) or pass^k (`all`), with a bootstrap over tasks.

    Args:
        tasks: `(n, c)` of each task: runs and successes.
        k: As in `pass_at_k`.
        rng: Source of the resamples; it is advanced.
        kind: Which of the two.
        confidence: Two-sided level in (0, 1).

    Returns:
        The mean over the tasks that were run; `n` counts those.

    Raises:
        ValueError: A task has fewer runs than k, or its counts are out of range.
    """
    chance = pass_at_k if kind == "any" else pass_all_k
    values = [value for n, c in tasks if (value := chance(n, c, k)) is not None]
    return cluster_mean(values, range(len(values)), rng, confidence=confidence)


def _check(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n:
        raise ValueError(f"{c} successes in {n} runs: want 0 <= successes <= runs")
    if k < 1 or (n and k > n):
        raise ValueError(f"k is {k} for {n} runs: want 1 <= k <= runs")
