from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from liecraft.evaluators.statistics import Estimate
from liecraft.evaluators.statistics.choice import (
    Comparison,
    Pair,
    compare_independent,
    compare_paired,
    p_text,
    sentence,
)
from liecraft.evaluators.statistics.proportions import (
    Outcome,
    two_proportion_z,
)


def bounds(found: Estimate | None) -> tuple[float, float]:
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def chosen(found: Comparison) -> str | None:
    return found.test.name if found.test else None


# The choice


def pairs(both: int, b: int, c: int, neither: int, per_cluster: int = 1) -> list[Pair]:
    """Discordant pairs (a won alone: b; b won alone: c) dealt out so that clusters mix them."""
    cells = [(True, True)] * both + [(True, False)] * b + [(False, True)] * c + [(False, False)] * neither
    clusters = max(1, len(cells) // per_cluster)
    return [(x, y, i % clusters) for i, (x, y) in enumerate(cells)]


def outcomes(won: int, n: int, start: int = 0, per_cluster: int = 1) -> list[Outcome]:
    return [(i < won, start + i // per_cluster) for i in range(n)]


@pytest.mark.parametrize(
    ("given_pairs", "name"),
    [
        pytest.param(pairs(10, 5, 9, 10), "McNemar's exact test", id="14 discordant pairs"),
        pytest.param(
            pairs(10, 20, 8, 10),
            "McNemar's chi-square test (without continuity correction)",
            id="28 discordant pairs",
        ),
        pytest.param(
            pairs(10, 5, 9, 16, 4), "McNemar's exact test for clusters (sign flips)", id="four pairs a seed"
        ),
        pytest.param(
            pairs(0, 200, 50, 10, 2), "McNemar's chi-square test for clusters", id="many seeds of two pairs"
        ),
        pytest.param(pairs(2, 3, 4, 0), None, id="nine pairs"),
        pytest.param([(True, False, i % 5) for i in range(40)], None, id="five seeds"),
        pytest.param([], None, id="nothing"),
    ],
)
def test_the_paired_test_follows_the_data(given_pairs: list[Pair], name: str | None) -> None:
    found = compare_paired(given_pairs)
    assert found.design == "paired"
    assert chosen(found) == name
    assert (found.difference is None) == (name is None)
    assert found.why
    json.dumps(found.as_json(), allow_nan=False)


@pytest.mark.parametrize(
    ("a", "b", "name"),
    [
        pytest.param(outcomes(20, 50), outcomes(30, 50, 50), "two-proportion z test", id="a seed each"),
        pytest.param(outcomes(1, 50), outcomes(4, 50, 50), "Fisher's exact test", id="few wins"),
        pytest.param(
            outcomes(20, 50),
            outcomes(30, 50, 25),
            "z test with cluster-robust errors",
            id="half the seeds shared",
        ),
        pytest.param(
            outcomes(30, 80, 0, 4),
            outcomes(50, 80, 80, 4),
            "z test with cluster-robust errors",
            id="four a seed",
        ),
        pytest.param(outcomes(30, 80, 0, 5), outcomes(50, 80, 80, 5), None, id="sixteen seeds"),
        pytest.param(outcomes(3, 9), outcomes(30, 50, 50), None, id="nine outcomes"),
        pytest.param([], outcomes(30, 50), None, id="nothing"),
    ],
)
def test_the_independent_test_follows_the_data(a: list[Outcome], b: list[Outcome], name: str | None) -> None:
    found = compare_independent(a, b)
    assert found.design == "independent"
    assert chosen(found) == name
    assert (found.difference is None) == (name is None)
    assert found.why
    json.dumps(found.as_json(), allow_nan=False)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 30)), min_size=10, max_size=80))
def test_a_paired_comparison_turns_with_its_sides(given_pairs: list[Pair]) -> None:
    found = compare_paired(given_pairs)
    turned = compare_paired([(b, a, label) for a, b, label in given_pairs])
    assert (found.a, found.b) == (turned.b, turned.a)
    if found.test is None or turned.test is None:
        assert found.test is turned.test
        return
    assert found.test.p_value == pytest.approx(turned.test.p_value)
    low, high = bounds(found.difference)
    assert bounds(turned.difference) == pytest.approx((-high, -low))
    assert found.difference is not None
    assert low <= (found.difference.value or 0.0) <= high


def worlds(rng: np.random.Generator, seeds: int, seats: int) -> list[tuple[bool, int]]:
    """Outcomes whose seeds are easy or hard for all seats alike."""
    ease = rng.normal(size=seeds) * 1.5
    p = 1 / (1 + np.exp(-ease))
    return [(bool(rng.random() < p[seed]), seed) for seed in range(seeds) for _ in range(seats)]


def false_findings(
    rng: np.random.Generator, repetitions: int, seeds: int, *, shared: bool
) -> tuple[float, float]:
    """Share of null experiments called a difference: by the test chosen, and by z on all outcomes."""
    picked = naive = 0
    for _ in range(repetitions):
        a = worlds(rng, seeds, 4)
        b = [(won, seed if shared else seed + seeds) for won, seed in worlds(rng, seeds, 4)]
        found = compare_independent(a, b)
        assert found.test is not None
        picked += found.test.p_value < 0.05
        z = two_proportion_z(sum(won for won, _ in a), len(a), sum(won for won, _ in b), len(b))
        naive += z.p_value < 0.05
    return picked / repetitions, naive / repetitions


@pytest.mark.parametrize("shared", [True, False])
def test_equal_agents_on_clustered_seeds_are_told_apart_no_more_often_than_the_level(shared: bool) -> None:
    picked, naive = false_findings(np.random.default_rng(11), 400, 25, shared=shared)
    assert picked <= 0.08
    assert naive > 0.10  # what the choice spares us


def test_a_paired_design_on_clusters_keeps_its_level_and_finds_what_is_there() -> None:
    rng = np.random.default_rng(12)
    false = found = covered = 0
    for _ in range(300):
        ease = rng.normal(size=(30, 1)) * 1.5
        # what a seat's luck shares within a seed differs between the runs: discordance comes in clusters
        luck = rng.normal(size=(2, 30, 1)) * 1.0
        p = 1 / (1 + np.exp(-(ease + luck)))
        draws = rng.random((2, 30, 4))
        a, b = draws < p
        better = draws[1] < 1 / (1 + np.exp(-(ease + luck[1] + 1.5)))
        null = compare_paired(_pairs(a, b))
        lifted = compare_paired(_pairs(a, better))
        assert null.test is not None
        assert lifted.test is not None
        false += null.test.p_value < 0.05
        found += lifted.test.p_value < 0.05
        low, high = bounds(null.difference)
        covered += low <= 0 <= high
    assert false / 300 <= 0.08
    assert found / 300 > 0.7
    assert 0.91 <= covered / 300 <= 0.99


def _pairs(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> Sequence[Pair]:
    return [(bool(a[s, k]), bool(b[s, k]), s) for s in range(a.shape[0]) for k in range(a.shape[1])]


# Sentences


def test_a_sentence_names_counts_direction_interval_and_test() -> None:
    said = sentence(compare_paired(pairs(20, 5, 19, 16)), "liar as deceiver", names=("old", "new"))
    assert said.startswith("liar as deceiver won 25 of 60 in old and 39 of 60 in new: new is higher (")
    assert "difference +0.233, 95% interval" in said
    assert (
        "p = 0.007 by McNemar's exact test; 60 pairs on seeds of their own, 24 of them discordant)." in said
    )


def test_a_sentence_goes_by_the_adjusted_p_value() -> None:
    found = compare_paired(pairs(20, 5, 19, 16))
    assert "no difference is shown" in sentence(found, "x", adjusted=0.06, family=9)
    assert "p = 0.060 after Holm's correction for 9 comparisons" in sentence(
        found, "x", adjusted=0.06, family=9
    )


def test_a_refusal_says_why() -> None:
    said = sentence(compare_paired(pairs(1, 0, 0, 0)), "x as detector")
    assert (
        said
        == "x as detector won 1 of 1 in A and 1 of 1 in B: not tested, since there is 1 pair; it takes 10."
    )
    assert "p = 0" not in p_text(1e-12)
