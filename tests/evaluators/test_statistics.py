from __future__ import annotations

import json
import sys
from math import comb, pi
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from liecraft.evaluators.statistics import Estimate, Rate, StatisticsError, normal, wilson
from liecraft.evaluators.statistics.agreement import agreement_table, cohen_kappa, krippendorff_alpha
from liecraft.evaluators.statistics.bootstrap import cluster_bootstrap, cluster_mean
from liecraft.evaluators.statistics.effects import cohens_h, odds_ratio, risk_difference
from liecraft.evaluators.statistics.estimate import need
from liecraft.evaluators.statistics.intervals import rule_of_three
from liecraft.evaluators.statistics.multiple import holm
from liecraft.evaluators.statistics.passk import mean_pass, pass_all_k, pass_at_k

counts = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
probabilities = st.floats(0, 1)


def bounds(found: Estimate | Rate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


# Intervals


def test_40_of_50_is_four_fifths_give_or_take_a_ninth_by_the_normal_interval() -> None:
    rate = normal(40, 50)
    assert rate.value == 0.8
    assert bounds(rate) == pytest.approx((0.8 - 0.111, 0.8 + 0.111), abs=5e-4)


@given(counts)
def test_the_normal_interval_stays_a_probability_and_mirrors(count: tuple[int, int]) -> None:
    k, n = count
    low, high = bounds(normal(k, n))
    assert 0 <= low <= k / n <= high <= 1
    assert bounds(normal(n - k, n)) == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_the_normal_interval_of_nothing_is_nothing_and_of_a_wrong_level_an_error() -> None:
    assert normal(0, 0) == Rate(None, 0, None, None)
    with pytest.raises(ValueError, match=r"95 % is 0\.95"):
        normal(1, 2, 95)


def test_none_of_50_has_an_upper_bound_near_six_per_cent() -> None:
    assert rule_of_three(50).high == pytest.approx(0.06)


@pytest.mark.parametrize("p", [0.05, 0.3, 0.8])
def test_wilson_covers_near_its_level_where_the_normal_interval_does_not(p: float) -> None:
    """Summed over all outcomes of 20 trials, not sampled."""
    covered = dict.fromkeys((wilson, normal), 0.0)
    for k in range(21):
        for interval in covered:
            low, high = bounds(interval(k, 20))
            covered[interval] += float(binom.pmf(k, 20, p)) * (low <= p <= high)
    assert covered[wilson] > 0.92
    assert covered[normal] < covered[wilson]


# pass@k and pass^k


def test_reference_values_of_passing() -> None:
    assert pass_at_k(4, 3, 2) == 1.0
    assert pass_all_k(4, 3, 2) == 0.5


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_any_and_all_are_the_shares_of_subsets(case: tuple[int, int, int]) -> None:
    n, c, k = case
    any_, all_ = pass_at_k(n, c, k), pass_all_k(n, c, k)
    failing = pass_all_k(n, n - c, k)
    assert any_ is not None
    assert all_ is not None
    assert failing is not None
    assert 0 <= all_ <= c / n + 1e-12
    assert c / n - 1e-12 <= any_ <= 1
    assert any_ == pytest.approx(1 - failing)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_passing_is_without_bias(k: int) -> None:
    """The mean over all outcomes of six runs is what the true chance 0.3 gives."""
    chance = [comb(6, c) * 0.3**c * 0.7 ** (6 - c) for c in range(7)]
    mean_any = sum(w * (pass_at_k(6, c, k) or 0) for c, w in enumerate(chance))
    mean_all = sum(w * (pass_all_k(6, c, k) or 0) for c, w in enumerate(chance))
    assert mean_any == pytest.approx(1 - 0.7**k)
    assert mean_all == pytest.approx(0.3**k)


def test_a_task_that_was_not_run_is_nothing_and_too_few_runs_are_refused() -> None:
    assert pass_at_k(0, 0, 3) is None
    assert pass_all_k(0, 0, 3) is None
    with pytest.raises(ValueError, match="k is 5 for 4 runs"):
        pass_at_k(4, 3, 5)
    with pytest.raises(ValueError, match="5 successes in 4 runs"):
        pass_all_k(4, 5, 1)


def test_mean_pass_is_over_tasks_and_leaves_out_those_not_run() -> None:
    tasks = [(4, 3), (4, 0), (4, 4), (0, 0)] * 5
    found = mean_pass(tasks, 2, np.random.default_rng(0), kind="all")
    assert found.value == pytest.approx((0.5 + 0 + 1) / 3)
    assert found.n == 15
    low, high = bounds(found)
    assert low < 0.5 < high
    assert mean_pass([(0, 0)], 1, np.random.default_rng(0)).value is None


# Bootstrap


def test_a_bootstrap_repeats_with_its_generator() -> None:
    values, labels = np.random.default_rng(5).random(40).tolist(), [i // 2 for i in range(40)]
    a, b, c = (cluster_mean(values, labels, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert a == b != c


@pytest.mark.parametrize("spread", [0.0, 1.5])
def test_a_cluster_bootstrap_covers_and_taking_outcomes_as_independent_does_not(spread: float) -> None:
    rng = np.random.default_rng(7)
    covered = {"clusters": 0, "alone": 0}
    truth = float(np.mean(1 / (1 + np.exp(-spread * np.random.default_rng(0).normal(size=400_000)))))
    for _ in range(200):
        p = 1 / (1 + np.exp(-spread * rng.normal(size=40)))
        values = (rng.random((40, 8)) < p[:, None]).ravel().tolist()
        labels = np.repeat(np.arange(40), 8).tolist()
        low, high = bounds(cluster_mean(values, labels, rng, resamples=400))
        covered["clusters"] += low <= truth <= high
        low, high = bounds(wilson(sum(values), len(values)))
        covered["alone"] += low <= truth <= high
    assert covered["clusters"] >= 178  # 89 %: the percentile interval of 40 clusters is a little narrow
    assert covered["alone"] < 165 if spread else covered["alone"] > 180


def test_a_bootstrap_of_any_figure_agrees_with_that_of_the_mean() -> None:
    rng = np.random.default_rng(3)
    values = rng.random(120).tolist()
    labels = [i // 4 for i in range(120)]
    fast = cluster_mean(values, labels, np.random.default_rng(1))
    slow = cluster_bootstrap(
        values, labels, lambda x: sum(x) / len(x), np.random.default_rng(2), resamples=2000
    )
    assert slow.value == pytest.approx(fast.value)
    assert bounds(slow) == pytest.approx(bounds(fast), abs=0.01)


@pytest.mark.parametrize("value", [0, 1])
def test_values_without_spread_are_bounded_by_their_clusters_not_by_zero_width(value: int) -> None:
    found = cluster_mean([value] * 100, [i // 2 for i in range(100)], np.random.default_rng(0))
    low, high = bounds(found)
    assert (found.value, found.n, found.clusters) == (value, 100, 50)
    assert high - low == pytest.approx(1 - 0.025 ** (1 / 50))


def test_no_interval_without_clusters_enough_or_spread() -> None:
    rng = np.random.default_rng(0)
    assert cluster_mean([0, 1] * 50, [i % 9 for i in range(100)], rng) == Estimate(0.5, 100, clusters=9)
    assert cluster_mean([0.25] * 100, range(100), rng) == Estimate(0.25, 100, clusters=100)
    assert cluster_bootstrap([1] * 100, range(100), len, rng) == Estimate(100, 100, clusters=100)
    assert cluster_mean([], [], rng) == Estimate(None, 0, clusters=0)
    assert cluster_bootstrap([], [], lambda x: 1.0, rng) == Estimate(None, 0, clusters=0)
    with pytest.raises(ValueError, match="2 observations but 1 cluster labels"):
        cluster_mean([0, 1], [1], rng)


def test_resamples_in_which_a_figure_can_not_be_formed_are_left_out_or_end_the_interval() -> None:
    def share_of_lies_caught(items: list[int]) -> float | None:
        lies = [item for item in items if item]
        return sum(item == 2 for item in lies) / len(lies) if lies else None

    often = cluster_bootstrap([0, 1, 2] * 10, range(30), share_of_lies_caught, np.random.default_rng(0))
    rare = cluster_bootstrap([0] * 29 + [1], range(30), share_of_lies_caught, np.random.default_rng(0))
    assert bounds(often)[0] < 0.5 < bounds(often)[1]
    assert rare == Estimate(0.0, 30, clusters=30)


# Holm


@given(st.lists(st.one_of(st.none(), probabilities), max_size=12))
def test_holm_is_between_the_raw_values_and_bonferroni_and_keeps_order(p_values: list[float | None]) -> None:
    adjusted = holm(p_values)
    tested = [(p, q) for p, q in zip(p_values, adjusted, strict=True) if p is not None and q is not None]
    assert [p is None for p in p_values] == [q is None for q in adjusted]
    for p, q in tested:
        assert p <= q <= min(1.0, p * len(tested)) or q == pytest.approx(p)
        assert all(q <= other_q for other_p, other_q in tested if other_p > p)


@pytest.mark.parametrize("m", [1, 2, 7, 40])
def test_holm_agrees_with_statsmodels(m: int) -> None:
    p_values = (np.random.default_rng(m).random(m) ** 3).tolist()
    theirs = need("statsmodels.stats.multitest").multipletests(p_values, method="holm")[1]
    assert holm(p_values) == pytest.approx(theirs.tolist())


def test_holm_refuses_what_is_no_p_value() -> None:
    for p in (1.5, -0.1, float("nan")):
        with pytest.raises(ValueError, match="p-value 1 is"):
            holm([0.5, p])


# Agreement


def test_the_table_65_5_10_20_has_a_kappa_of_five_eighths() -> None:
    found = cohen_kappa([[65, 5], [10, 20]])
    assert found.value == pytest.approx(0.625)
    assert found.n == 100
    # Fleiss, Cohen and Everitt (1969), equation 13, worked out by hand for this table
    assert bounds(found) == pytest.approx((0.625 - 0.17097, 0.625 + 0.17097), abs=1e-4)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60))
def test_kappa_is_symmetric_and_one_only_in_full_agreement(pairs: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    found = cohen_kappa(agreement_table(first, second))
    turned = cohen_kappa(agreement_table(second, first))
    if found.value is None:
        assert turned.value is None
        assert len({*first, *second}) == 1
        return
    assert found.value == pytest.approx(turned.value)
    if found.low is not None:
        assert -1 <= found.low < found.value < bounds(found)[1] <= 1
    assert (found.value == pytest.approx(1)) == (first == second)


def test_a_kappa_without_spread_has_no_interval_rather_than_one_without_width() -> None:
    assert cohen_kappa([[30, 0], [0, 20]]) == Estimate(1.0, 50)
    rounded = cohen_kappa([[4, 0, 0], [0, 1, 0], [0, 0, 1]])  # its variance comes out below 0
    assert rounded.value == pytest.approx(1)
    assert rounded.low is rounded.high is None
    assert cohen_kappa([[0, 1], [0, 0]]) == Estimate(0.0, 1)


def test_where_chance_alone_agrees_kappa_is_nothing() -> None:
    assert cohen_kappa([[9, 0], [0, 0]]) == Estimate(None, 9)
    assert cohen_kappa([[0, 0], [0, 0]]) == Estimate(None, 0)
    assert cohen_kappa(agreement_table(["lie"] * 4, ["lie"] * 4)) == Estimate(None, 4)


def test_tables_that_are_none_of_agreement_are_refused() -> None:
    with pytest.raises(ValueError, match="square"):
        cohen_kappa([[1, 2, 3], [4, 5, 6]])
    with pytest.raises(ValueError, match="0 or more"):
        cohen_kappa([[1, -2], [3, 4]])
    with pytest.raises(ValueError, match="2 and 1 ratings"):
        agreement_table([1, 2], [1])


RATERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS = list(zip(*RATERS, strict=True))


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_own_example(level: Any, alpha: float) -> None:
    """Four observers, twelve units, gaps: Computing Krippendorff's Alpha-Reliability (2011), example C."""
    found = krippendorff_alpha(UNITS, level=level)
    assert found.value == pytest.approx(alpha, abs=5e-4)
    assert (found.n, found.clusters) == (40, 11)  # unit 12 has one value: nothing to pair it with


def test_alpha_has_an_interval_if_it_gets_a_generator() -> None:
    low, high = bounds(krippendorff_alpha(UNITS, np.random.default_rng(0)))
    assert 0.3 < low < 0.743 < high <= 1


@given(st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=4), min_size=1, max_size=20), st.randoms())
def test_alpha_does_not_depend_on_the_raters_order_nor_nominal_on_names(
    units: list[list[int]], shuffler: Any
) -> None:
    found = krippendorff_alpha(units)
    mixed = [shuffler.sample(unit, len(unit)) for unit in units]
    named = [[f"label {9 - value}" for value in unit] for unit in units]
    if found.value is None:
        assert len({value for unit in units for value in unit}) == 1
        return
    assert found.value <= 1
    assert krippendorff_alpha(mixed).value == pytest.approx(found.value)
    assert krippendorff_alpha(named).value == pytest.approx(found.value)
    moved = [[3 * value + 7 for value in unit] for unit in units]
    interval = krippendorff_alpha(units, level="interval").value
    assert krippendorff_alpha(moved, level="interval").value == pytest.approx(interval)


def test_alpha_of_nothing_to_disagree_on_is_nothing() -> None:
    assert krippendorff_alpha([[1, 1], [1, None], [1, 1]]) == Estimate(None, 4, clusters=2)
    assert krippendorff_alpha([[1, None], [None, 2]]) == Estimate(None, 0, clusters=0)
    with pytest.raises(TypeError, match="only the nominal level"):
        krippendorff_alpha([["a", "b"], ["b", "a"]], level="ordinal")


# Effects


@given(probabilities, probabilities)
def test_h_turns_its_sign_with_its_arguments(p: float, q: float) -> None:
    assert cohens_h(p, q) == -cohens_h(q, p)
    assert abs(cohens_h(p, q)) <= pi + 1e-12


def test_h_of_cohens_table() -> None:
    """Cohen (1988), page 183: 0.65 against 0.45 is h = 0.40."""
    assert cohens_h(0.45, 0.65) == pytest.approx(0.40, abs=0.01)
    with pytest.raises(ValueError, match="not between 0 and 1"):
        cohens_h(0.5, 65)


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [
        pytest.param((48, 80), (56, 70), 0.0524, 0.3339, id="Newcombe 1998b, (a), method 10"),
        pytest.param((3, 10), (9, 10), 0.1705, 0.8090, id="(b)"),
        pytest.param((2, 7), (6, 7), 0.0582, 0.8062, id="(c)"),
        pytest.param((0, 29), (5, 56), -0.0381, 0.1926, id="(d)"),
        pytest.param((0, 10), (10, 10), 0.6075, 1.0, id="(h)"),
    ],
)
def test_reference_values_of_the_risk_difference(
    a: tuple[int, int], b: tuple[int, int], low: float, high: float
) -> None:
    assert bounds(risk_difference(*a, *b)) == pytest.approx((low, high), abs=5e-5)


@given(counts, counts)
def test_a_risk_difference_is_bounded_holds_its_estimate_and_turns(
    a: tuple[int, int], b: tuple[int, int]
) -> None:
    found, turned = risk_difference(*a, *b), risk_difference(*b, *a)
    low, high = bounds(found)
    assert found.value is not None
    assert -1 <= low <= found.value <= high <= 1
    assert bounds(turned) == pytest.approx((-high, -low))


def test_reference_value_of_the_odds_ratio() -> None:
    """Aspirin and heart attacks, Agresti (2013), section 3.1: 1.832 (1.440 to 2.331)."""
    found = odds_ratio(104, 11_037, 189, 11_034)
    assert found.value == pytest.approx(1.832, abs=5e-4)
    assert bounds(found) == pytest.approx((1.440, 2.331), abs=5e-4)


@given(counts, counts)
def test_an_odds_ratio_is_finite_and_turns_upside_down(a: tuple[int, int], b: tuple[int, int]) -> None:
    found, turned = odds_ratio(*a, *b), odds_ratio(*b, *a)
    assert found.value is not None
    assert turned.value is not None
    json.dumps(found.as_json(), allow_nan=False)
    assert found.value * turned.value == pytest.approx(1)
    assert bounds(found)[0] < found.value < bounds(found)[1]


def test_effects_of_nothing_are_nothing() -> None:
    assert risk_difference(0, 0, 3, 5) == Estimate(None, 5) == risk_difference(3, 5, 0, 0)
    assert odds_ratio(0, 0, 3, 5) == Estimate(None, 5)
    assert Estimate(None, 0).as_json() == {"value": None, "n": 0, "low": None, "high": None, "clusters": None}
    for effect in (risk_difference, odds_ratio):
        with pytest.raises(ValueError, match="7 successes in 5 trials"):
            effect(7, 5, 1, 5)


# The extra


def test_a_missing_library_is_one_line_that_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    # None is how Python marks a module that can't be imported
    monkeypatch.setitem(sys.modules, "statsmodels.stats.inter_rater", None)
    with pytest.raises(
        StatisticsError, match=r'^statsmodels is not installed: pip install "liecraft\[stats\]"$'
    ):
        cohen_kappa([[65, 5], [10, 20]])
