"""The choice of a test for two win rates, or the refusal of any, with the reason.

Paired where the same worlds were played in both runs, independent otherwise. In both designs outcomes that
share a cluster (a seed) are not independent of each other, and no test that takes them for it is used.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from liecraft.evaluators.statistics.bootstrap import group
from liecraft.evaluators.statistics.effects import risk_difference
from liecraft.evaluators.statistics.estimate import Estimate
from liecraft.evaluators.statistics.intervals import Rate
from liecraft.evaluators.statistics.paired import (
    Test,
    clustered_paired_difference,
    mcnemar,
    paired_difference,
    sign_flip,
)
from liecraft.evaluators.statistics.proportions import (
    Outcome,
    clustered_difference,
    clustered_rate,
    clustered_z,
    fisher,
    smallest_expected,
    two_proportion_z,
)

MIN_OUTCOMES = 10
"""Fewer outcomes (pairs, or a group's) are not compared."""
MIN_PAIRED_CLUSTERS = 6
"""Fewer clusters than this can't reach p < 0.05 by sign flips, whatever happened: 2 / 2^5 is 0.06."""
MIN_CLUSTERS = 20
"""With fewer clusters a group, cluster-robust errors are too small to be trusted."""
MIN_EXPECTED = 5.0
"""With a smaller expected count the z test gives way to Fisher's exact one."""

Pair = tuple[bool, bool, Hashable]
"""Whether A won, whether B won, and the label of the cluster."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two win rates and what may be said of their difference.

    Attributes:
        design: `paired` or `independent`.
        a: Win rate of A; its interval allows for clusters.
        b: Win rate of B, likewise.
        difference: B less A with its interval; None if refused.
        test: Test and p-value; None if refused.
        why: Why this test, or why none, as a clause.
        clusters: Number of independent clusters over both.
        confidence: Two-sided level of the intervals.
    """

    design: Literal["paired", "independent"]
    a: Rate
    b: Rate
    difference: Estimate | None
    test: Test | None
    why: str
    clusters: int
    confidence: float

    def as_json(self) -> dict[str, Any]:
        """Return the fields as a JSON object; what is refused or unknown is null."""
        return asdict(self)


def compare_paired(pairs: Sequence[Pair], *, confidence: float = 0.95) -> Comparison:
    """Compare two win rates over the same units.

    With one pair a cluster McNemar's test is taken, exact below 25 discordant pairs; with several, its form
    for clusters. Refused below `MIN_OUTCOMES` pairs or `MIN_PAIRED_CLUSTERS` clusters.

    Args:
        pairs: For each unit, whether A won, whether B won, and its cluster.
        confidence: Two-sided level of the intervals, in (0, 1).

    Raises:
        ValueError: The level is out of range.
    """
    labels = [label for _, _, label in pairs]
    clusters = group(pairs, labels)
    a = clustered_rate([(won, label) for won, _, label in pairs], confidence)
    b = clustered_rate([(won, label) for _, won, label in pairs], confidence)
    n, k = len(pairs), len(clusters)
    if n < MIN_OUTCOMES:
        return Comparison("paired", a, b, None, None, _too_few(n, "pair"), k, confidence)
    if k < MIN_PAIRED_CLUSTERS:
        why = f"{n} pairs come from {k} seed{'s' * (k != 1)}; it takes {MIN_PAIRED_CLUSTERS}"
        return Comparison("paired", a, b, None, None, why, k, confidence)
    only_a = sum(won_a and not won_b for won_a, won_b, _ in pairs)
    only_b = sum(won_b and not won_a for won_a, won_b, _ in pairs)
    if k == n:
        both = sum(won_a and won_b for won_a, won_b, _ in pairs)
        test = mcnemar(only_a, only_b)
        estimate = paired_difference(both, only_b, only_a, n - both - only_a - only_b, confidence)
        why = f"{n} pairs on seeds of their own, {only_a + only_b} of them discordant"
    else:
        differences = [sum(won_b - won_a for won_a, won_b, _ in members) for members in clusters]
        test = sign_flip(differences)
        estimate = clustered_paired_difference(differences, [len(x) for x in clusters], confidence)
        differ = sum(d != 0 for d in differences)
        why = f"{n} pairs on {k} seeds, {differ} of them with a difference"
    return Comparison("paired", a, b, estimate, test, why, k, confidence)


def compare_independent(
    a: Sequence[Outcome], b: Sequence[Outcome], *, confidence: float = 0.95
) -> Comparison:
    """Compare two win rates over different units.

    With one outcome a cluster, and no cluster in both groups, the two-proportion z test is taken, or Fisher's
    exact one where an expected count is small. Otherwise a z test with cluster-robust errors. Refused below
    `MIN_OUTCOMES` outcomes, or, in clusters, below `MIN_CLUSTERS` of them, in either group.

    Args:
        a: Outcomes of A with their clusters.
        b: Outcomes of B with theirs; equal labels in both groups mean a shared world.
        confidence: Two-sided level of the intervals, in (0, 1).

    Raises:
        ValueError: The level is out of range.
    """
    rates = clustered_rate(a, confidence), clustered_rate(b, confidence)
    labels = [{label for _, label in outcomes} for outcomes in (a, b)]
    k, fewest = len(labels[0] | labels[1]), min(map(len, labels))
    if min(len(a), len(b)) < MIN_OUTCOMES:
        why = _too_few(min(len(a), len(b)), "outcome")
        return Comparison("independent", *rates, None, None, why, k, confidence)
    if k == len(a) + len(b):
        won_a, won_b = sum(won for won, _ in a), sum(won for won, _ in b)
        counts = (won_a, len(a), won_b, len(b))
        small = smallest_expected(*counts) < MIN_EXPECTED
        test = fisher(*counts) if small else two_proportion_z(*counts)
        estimate = risk_difference(*counts, confidence)
        why = f"{len(a)} and {len(b)} outcomes, each on a seed of its own"
        return Comparison("independent", *rates, estimate, test, why, k, confidence)
    if fewest < MIN_CLUSTERS:
        why = f"outcomes come from only {fewest} seed{'s' * (fewest != 1)}; it takes {MIN_CLUSTERS}"
        return Comparison("independent", *rates, None, None, why, k, confidence)
    why = f"{len(a)} and {len(b)} outcomes on {len(labels[0])} and {len(labels[1])} seeds"
    estimate = clustered_difference(a, b, confidence)
    return Comparison("independent", *rates, estimate, clustered_z(a, b), why, k, confidence)


def _too_few(n: int, what: str) -> str:
    return f"there {'is' if n == 1 else 'are'} {n} {what}{'s' * (n != 1)}; it takes {MIN_OUTCOMES}"


def p_text(p_value: float) -> str:
    """A p-value as it stands in a sentence, never rounded to 0.

    >>> p_text(0.0312), p_text(0.00001)
    ('p = 0.031', 'p < 0.001')
    """
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def sentence(
    found: Comparison,
    subject: str,
    *,
    names: tuple[str, str] = ("A", "B"),
    adjusted: float | None = None,
    family: int = 1,
    alpha: float = 0.05,
) -> str:
    """Say in plain English what a comparison found, by which test, or why it was refused.

    Args:
        found: The comparison.
        subject: Whose rates they are, such as `liar as deceiver`.
        names: Of A and B.
        adjusted: The p-value after Holm's correction; the test's own if left out.
        family: Number of comparisons that were corrected for.
        alpha: Level below which a difference is called one.
    """
    counts = " and ".join(
        f"{round((rate.value or 0) * rate.n)} of {rate.n} in {name}"
        for rate, name in zip((found.a, found.b), names, strict=True)
    )
    said = f"{subject} won {counts}"
    if found.test is None or found.difference is None:
        return f"{said}: not tested, since {found.why}."
    p_value = found.test.p_value if adjusted is None else adjusted
    value, low, high = found.difference.value, found.difference.low, found.difference.high
    if p_value < alpha and value:
        way = "higher" if value > 0 else "lower"
        verdict = f"{names[1]} is {way}"
    else:
        verdict = "no difference is shown"
    span = f"difference {value:+.3f}, {found.confidence:.0%} interval {low:+.3f} to {high:+.3f}"
    holm = f", {p_text(p_value)} after Holm's correction for {family} comparisons" if family > 1 else ""
    test = f"{p_text(found.test.p_value)} by {found.test.name}{holm}"
    return f"{said}: {verdict} ({span}; {test}; {found.why})."
