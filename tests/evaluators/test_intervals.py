from __future__ import annotations

import json
from collections.abc import Callable
from math import comb, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liecraft.evaluators.statistics import Rate, clopper_pearson, rule_of_three, wilson

Z95 = 1.959963984540054
INTERVALS = [wilson, clopper_pearson]
Interval = Callable[..., Rate]


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 400))
    return draw(st.integers(0, n)), n


def bounds(rate: Rate) -> tuple[float, float]:
    assert rate.low is not None
    assert rate.high is not None
    return rate.low, rate.high


@pytest.mark.parametrize(
    ("interval", "successes", "n", "low", "high"),
    [
        pytest.param(wilson, 8, 10, 0.4902, 0.9433, id="Wilson 8 of 10"),
        pytest.param(wilson, 58, 60, 0.8864, 0.9908, id="Wilson 58 of 60"),
        pytest.param(wilson, 81, 263, 0.2553, 0.3662, id="Newcombe 1998, table I, method 3: 81 of 263"),
        pytest.param(wilson, 15, 148, 0.0624, 0.1605, id="Newcombe 1998, method 3: 15 of 148"),
        pytest.param(wilson, 0, 20, 0.0, 0.1611, id="Newcombe 1998, method 3: 0 of 20"),
        pytest.param(clopper_pearson, 81, 263, 0.2527, 0.3676, id="Newcombe 1998, method 5: 81 of 263"),
        pytest.param(clopper_pearson, 0, 20, 0.0, 0.1684, id="Newcombe 1998, method 5: 0 of 20"),
        pytest.param(clopper_pearson, 0, 50, 0.0, 0.0711, id="none of 50: 1 - 0.025 ** (1 / 50)"),
    ],
)
def test_reference_values(interval: Interval, successes: int, n: int, low: float, high: float) -> None:
    rate = interval(successes, n)
    assert (rate.value, rate.n) == (successes / n, n)
    assert bounds(rate) == pytest.approx((low, high), abs=5e-5)


@given(counts())
def test_wilson_is_its_closed_form(count: tuple[int, int]) -> None:
    """Equation 4 of Brown, Cai and DasGupta (2001), Statistical Science 16(2)."""
    k, n = count
    p = k / n
    centre = (k + Z95**2 / 2) / (n + Z95**2)
    half = Z95 / (n + Z95**2) * sqrt(n * p * (1 - p) + Z95**2 / 4)
    assert bounds(wilson(k, n)) == pytest.approx((centre - half, centre + half), abs=1e-9)


@pytest.mark.parametrize("interval", INTERVALS)
@given(count=counts())
def test_an_interval_holds_its_estimate_and_mirrors(interval: Interval, count: tuple[int, int]) -> None:
    k, n = count
    rate = interval(k, n)
    low, high = bounds(rate)
    assert rate.value is not None
    assert 0 <= low <= rate.value + 1e-12
    assert rate.value - 1e-12 <= high <= 1
    mirrored_low, mirrored_high = bounds(interval(n - k, n))
    assert (1 - mirrored_high, 1 - mirrored_low) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.95])
@pytest.mark.parametrize("n", [7, 40])
def test_clopper_pearson_covers_at_least_its_level(n: int, p: float) -> None:
    """Summed over all outcomes, not sampled."""
    covered = sum(
        comb(n, k) * p**k * (1 - p) ** (n - k)
        for k in range(n + 1)
        if bounds(clopper_pearson(k, n))[0] <= p <= bounds(clopper_pearson(k, n))[1]
    )
    assert covered >= 0.95


@pytest.mark.parametrize("interval", INTERVALS)
def test_more_confidence_is_wider(interval: Interval) -> None:
    low, high = bounds(interval(8, 10, confidence=0.8))
    wider_low, wider_high = bounds(interval(8, 10, confidence=0.99))
    assert wider_low < low < high < wider_high


@pytest.mark.parametrize("n", [3, 50, 1000])
def test_the_rule_of_three_bounds_the_exact_one_sided_limit(n: int) -> None:
    low, high = bounds(rule_of_three(n))
    exact = 1 - 0.05 ** (1 / n)
    assert low == 0
    assert exact < high == 3 / n
    assert rule_of_three(n).value == 0


def test_the_rule_of_three_is_never_above_one() -> None:
    assert rule_of_three(2) == Rate(value=0.0, n=2, low=0.0, high=1.0)


@pytest.mark.parametrize("nothing", [wilson(0, 0), clopper_pearson(0, 0), rule_of_three(0)])
def test_nothing_to_score_is_not_zero(nothing: Rate) -> None:
    assert nothing == Rate(value=None, n=0, low=None, high=None)
    assert json.dumps(nothing.as_json()) == '{"value": null, "n": 0, "low": null, "high": null}'


def test_a_rate_is_json_whatever_integers_it_was_counted_with() -> None:
    successes: Any
    n: Any
    successes, n = np.array([8, 10])
    assert json.loads(json.dumps(wilson(successes, n).as_json())) == wilson(8, 10).as_json()


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize(("successes", "n"), [(-1, 10), (11, 10), (0, -1)])
def test_impossible_counts_are_refused(interval: Interval, successes: int, n: int) -> None:
    with pytest.raises(ValueError, match=f"{successes} successes in {n} trials"):
        interval(successes, n)


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("confidence", [0, 1, 95, float("nan")])
def test_a_level_outside_0_and_1_is_refused(interval: Interval, confidence: float) -> None:
    with pytest.raises(ValueError, match="not between 0 and 1"):
        interval(8, 10, confidence)


def test_a_negative_n_is_refused_by_the_rule_of_three() -> None:
    with pytest.raises(ValueError, match="0 successes in -1 trials"):
        rule_of_three(-1)
