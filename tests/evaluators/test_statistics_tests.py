from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from liecraft.evaluators.statistics import Estimate, wilson
from liecraft.evaluators.statistics.estimate import need
from liecraft.evaluators.statistics.paired import (
    clustered_paired_difference,
    mcnemar,
    mcnemar_exact,
    paired_difference,
    sign_flip,
)
from liecraft.evaluators.statistics.proportions import (
    clustered_difference,
    clustered_rate,
    clustered_z,
    fisher,
    sample_size,
    sample_size_rule,
    smallest_expected,
    two_proportion_z,
)

small = st.integers(0, 60)
counts = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def bounds(found: Estimate | None) -> tuple[float, float]:
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


# McNemar and its form for clusters


def test_20_against_8_discordant_pairs_give_a_chi_square_of_5_14() -> None:
    test = mcnemar(20, 8)
    assert test.name == "McNemar's chi-square test (without continuity correction)"
    assert test.statistic == pytest.approx(5.14, abs=5e-3)
    assert test.p_value == pytest.approx(0.0233, abs=5e-5)
    corrected = mcnemar(20, 8, correction=True)
    assert corrected.name == "McNemar's chi-square test (with continuity correction)"
    assert corrected.statistic == pytest.approx(121 / 28)
    assert corrected.p_value > test.p_value


@pytest.mark.parametrize(
    ("b", "c", "exact"), [(24, 0, True), (12, 12, True), (25, 0, False), (13, 12, False), (0, 0, True)]
)
def test_below_25_discordant_pairs_the_binomial_is_taken(b: int, c: int, exact: bool) -> None:
    test = mcnemar(b, c)
    assert (test.name == "McNemar's exact test") == exact
    assert (test.statistic is None) == exact


@given(small, small)
def test_mcnemar_is_symmetric_and_without_difference_where_both_are_alike(b: int, c: int) -> None:
    assert mcnemar(b, c).p_value == mcnemar(c, b).p_value
    assert 0 <= mcnemar(b, c).p_value <= 1
    assert mcnemar(b, b).p_value == pytest.approx(1)
    tail = 2 * float(binom.cdf(min(b, c), b + c, 0.5))
    assert mcnemar_exact(b, c).p_value == pytest.approx(min(1.0, tail))


def test_mcnemar_agrees_with_statsmodels() -> None:
    theirs = need("statsmodels.stats.contingency_tables")
    for b, c in ((3, 9), (20, 8), (40, 61)):
        table = [[50, b], [c, 30]]
        assert mcnemar_exact(b, c).p_value == pytest.approx(theirs.mcnemar(table, exact=True).pvalue)
        for correction in (True, False):
            found = theirs.mcnemar(table, exact=False, correction=correction)
            if b + c >= 25:
                assert mcnemar(b, c, correction=correction).p_value == pytest.approx(found.pvalue)


def test_a_negative_count_is_no_pair() -> None:
    with pytest.raises(ValueError, match="-1 and 3 discordant pairs"):
        mcnemar(-1, 3)
    with pytest.raises(ValueError, match="counts of 0 or more"):
        paired_difference(1, -1, 2, 3)


@given(st.lists(st.integers(-4, 4), max_size=9))
def test_sign_flips_are_counted_one_by_one(differences: list[int]) -> None:
    total = abs(sum(differences))
    sizes = [abs(d) for d in differences]
    sums = [
        abs(sum(s * size for s, size in zip(signs, sizes, strict=True)))
        for signs in product((-1, 1), repeat=len(sizes))
    ]
    expected = sum(value >= total for value in sums) / len(sums)
    assert sign_flip(differences).p_value == pytest.approx(expected)


@given(small, small)
def test_with_one_pair_a_cluster_sign_flips_are_mcnemars_test(b: int, c: int) -> None:
    flipped = sign_flip([1] * b + [-1] * c + [0] * 7)
    assert flipped.p_value == pytest.approx(mcnemar(b, c).p_value)
    assert flipped.statistic == pytest.approx(mcnemar(b, c).statistic)


@pytest.mark.parametrize(
    ("cells", "low", "high"),
    [
        pytest.param((36, 12, 2, 0), 0.0569, 0.3404, id="Newcombe 1998c, (a), method 10"),
        pytest.param((54, 0, 0, 0), -0.0664, 0.0664, id="(h) no pair discordant, nor any lost"),
        pytest.param((0, 54, 0, 0), 0.9061, 1.0, id="all discordant"),
    ],
)
def test_reference_values_of_the_paired_difference(
    cells: tuple[int, int, int, int], low: float, high: float
) -> None:
    assert bounds(paired_difference(*cells)) == pytest.approx((low, high), abs=5e-5)


@given(st.tuples(small, small, small, small))
def test_a_paired_difference_is_bounded_and_turns(cells: tuple[int, int, int, int]) -> None:
    both, b, c, neither = cells
    found, turned = paired_difference(both, b, c, neither), paired_difference(both, c, b, neither)
    if not sum(cells):
        assert found == Estimate(None, 0)
        return
    low, high = bounds(found)
    assert found.value is not None
    assert -1 <= low <= found.value <= high <= 1
    assert bounds(turned) == pytest.approx((-high, -low))


def test_a_clustered_difference_without_spread_is_as_wide_as_its_clusters_allow() -> None:
    found = clustered_paired_difference([0] * 50, [4] * 50)
    assert bounds(found) == pytest.approx((-0.0711, 0.0711), abs=5e-5)
    assert clustered_paired_difference([], []) == Estimate(None, 0, clusters=0)


# Independent proportions


def test_2320_against_2407_of_2900_give_a_z_of_2_94() -> None:
    test = two_proportion_z(2320, 2900, 2407, 2900)
    assert test.statistic == pytest.approx(2.94, abs=5e-3)
    assert test.p_value == pytest.approx(0.00326, abs=5e-6)


@given(counts, counts)
def test_z_turns_with_its_groups_and_points_to_the_higher(a: tuple[int, int], b: tuple[int, int]) -> None:
    found, turned = two_proportion_z(*a, *b), two_proportion_z(*b, *a)
    assert found.statistic is not None
    assert turned.statistic is not None
    assert found.statistic == pytest.approx(-turned.statistic)
    assert 0 <= found.p_value <= 1
    assert fisher(*a, *b).p_value == pytest.approx(fisher(*b, *a).p_value)
    if abs(b[0] / b[1] - a[0] / a[1]) > 1e-9:
        assert (found.statistic > 0) == (b[0] / b[1] > a[0] / a[1])


def test_z_agrees_with_statsmodels() -> None:
    theirs = need("statsmodels.stats.proportion")
    z, p_value = theirs.proportions_ztest([40, 30], [90, 100])
    found = two_proportion_z(30, 100, 40, 90)
    assert (found.statistic, found.p_value) == pytest.approx((float(z), float(p_value)))


def test_expected_counts_and_empty_groups() -> None:
    assert smallest_expected(1, 20, 3, 60) == 1.0
    assert two_proportion_z(0, 5, 0, 9) == two_proportion_z(5, 5, 9, 9)
    assert two_proportion_z(0, 5, 0, 9).p_value == 1.0
    for test in (two_proportion_z, fisher):
        with pytest.raises(ValueError, match="0 successes in 0 trials"):
            test(0, 0, 1, 2)


@given(counts)
def test_a_rate_of_clusters_of_one_is_wilsons(count: tuple[int, int]) -> None:
    k, n = count
    ours = clustered_rate([(i < k, i) for i in range(n)])
    theirs = wilson(k, n)
    assert (ours.value, ours.n) == (theirs.value, theirs.n)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_a_rate_whose_clusters_are_all_alike_counts_clusters_only() -> None:
    alike = clustered_rate([(i < 12, i) for i in range(30) for _ in range(4)])
    single = wilson(12, 30)
    assert alike.n == 120
    assert (alike.low, alike.high) == pytest.approx((single.low, single.high), abs=0.005)
    mixed = clustered_rate([(i % 2 == 0, i // 4) for i in range(120)])  # each cluster wins two of its four
    assert (mixed.low, mixed.high) == pytest.approx((wilson(60, 120).low, wilson(60, 120).high))
    none = clustered_rate([(False, i) for i in range(30) for _ in range(4)])
    assert none.high == pytest.approx(wilson(0, 30).high)
    assert clustered_rate([]).value is None


def test_without_spread_the_difference_of_clusters_is_judged_by_swaps_of_labels() -> None:
    a = [(False, ("a", i)) for i in range(30) for _ in range(2)]
    b = [(True, ("b", i)) for i in range(30) for _ in range(2)]
    assert clustered_z(a, b).p_value == 2.0**-29
    assert clustered_z(a, b).statistic is None
    assert clustered_z(a, a).p_value == 1.0
    low, high = bounds(clustered_difference(a, b))
    assert 0.8 < low < high == 1.0


# Sample sizes


def test_to_find_three_points_above_four_fifths_takes_about_2845_games_a_group() -> None:
    assert sample_size_rule(0.8, 0.03) == 2845


@pytest.mark.parametrize(("baseline", "difference"), [(0.8, 0.03), (0.5, -0.2), (0.1, 0.05)])
@pytest.mark.parametrize("power", [0.8, 0.95])
def test_the_sample_size_is_the_least_that_statsmodels_finds_powerful(
    baseline: float, difference: float, power: float
) -> None:
    proportion = need("statsmodels.stats.proportion")
    theirs = proportion.samplesize_proportions_2indep_onetail(
        abs(difference), min(baseline, baseline + difference), power, alpha=0.05
    )
    assert sample_size(baseline, difference, power=power) == int(np.ceil(theirs))


def test_a_sample_of_that_size_has_that_power() -> None:
    n = sample_size(0.5, 0.2)
    rng = np.random.default_rng(0)
    a, b = rng.binomial(n, 0.5, 1500), rng.binomial(n, 0.7, 1500)
    found = np.mean(
        [two_proportion_z(int(x), n, int(y), n).p_value < 0.05 for x, y in zip(a, b, strict=True)]
    )
    assert 0.76 < found < 0.84


def test_sample_sizes_that_do_not_exist_are_refused() -> None:
    for size in (sample_size, sample_size_rule):
        with pytest.raises(ValueError, match="difference is 0"):
            size(0.5, 0.0)
        with pytest.raises(ValueError, match="baseline is 80"):
            size(80, 0.1)
    with pytest.raises(ValueError, match="leave the range"):
        sample_size(0.9, 0.2)
    with pytest.raises(ValueError, match="power is 1"):
        sample_size(0.5, 0.1, power=1.0)
