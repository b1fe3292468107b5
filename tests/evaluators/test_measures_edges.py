"""Nothing to score is its own state: null, never 0 and never NaN."""

from __future__ import annotations

import json
import runpy
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liecraft.arena import play
from liecraft.evaluators.clusters import SCALE, Cells, jackknife, mean, rate
from liecraft.evaluators.measures import EVALUATORS, load_evaluators, score
from liecraft.evaluators.statistics import wilson
from tests.evaluators.made import GUARD, Made
from tests.evaluators.scene import FIVE, Scene
from tests.evaluators.test_measures_deception import LIE, PLACE, row

GAMES: dict[str, list[Made]] = {
    "no game": [],
    "an empty game": [Scene()],
    "no lies": [Scene().say(0, PLACE).say(1, PLACE).vote((1, 0))],
    "no claims": [Scene().say(0).say(1).vote((1, 0))],
    "no votes": [Scene().say(0, LIE)],
    "only abstentions": [Scene().vote((0, None), (1, None), (2, None))],
    "an empty vote": [Scene().vote()],
    "a vote without a choice": [Scene().say(1, (None, "suspect", "player_1")).vote((1, 1), candidates=[1])],
    "everyone dead": [Scene().say(0, LIE).die(0, 1, 2, 3, 4).believe(1, {0: 0.5}).vote()],
    "all invalid": [Made(FIVE).moves(0, "invalid", "fallback").moves(1, "invalid", "truncated")],
    "all failed": [Made(FIVE, None).claims(0, "lie")],
    "no deceivers": [
        Scene([("a", GUARD), ("b", GUARD)]).say(0, PLACE, to=1).say(1, PLACE).vote((0, 1), (1, 0))
    ],
    "beliefs about nobody": [Scene().believe(1, {}).say(0, LIE).believe(1, {})],
    "one probe": [Scene().believe(1, {0: 0.5})],
}


def figures(value: Any) -> Iterator[dict[str, Any]]:
    """All figures within a table: mappings with a value, n and bounds."""
    if isinstance(value, dict):
        if {"value", "n", "low", "high"} <= set(value):
            yield value
        else:
            for each in value.values():
                yield from figures(each)
    elif isinstance(value, list):
        for each in value:
            yield from figures(each)


def check(scores: dict[str, Any]) -> None:
    text = json.dumps(scores, allow_nan=False)
    assert "NaN" not in text
    for figure in figures(scores["play"]):
        if figure["n"] == 0:
            assert figure["value"] is None, "nothing to score is not 0"
        if figure["value"] is None:
            assert figure["low"] is None and figure["high"] is None
        elif figure["low"] is not None:
            assert figure["low"] - 1e-9 <= figure["value"] <= figure["high"] + 1e-9


@pytest.mark.parametrize("name", GAMES)
def test_games_with_nothing_in_them_score_as_nothing(name: str) -> None:
    check(score(made.trace for made in GAMES[name]))


@pytest.mark.parametrize("name", [name for name in GAMES if name != "no game"])
@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_each_evaluator_bears_each_of_them_alone_and_without_changing_it(name: str, evaluator: str) -> None:
    (found,) = load_evaluators([evaluator]).values()
    for made in GAMES[name]:
        before = json.dumps([made.trace.header, made.trace.events, made.trace.moves])
        counts = found.count(made.trace)
        assert all(isinstance(n, int) for n in counts.values()), "whole numbers add up in any order"
        assert isinstance(found.rows(counts), list)
        assert json.dumps([made.trace.header, made.trace.events, made.trace.moves]) == before


TABLES: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("murder", ["liar", "detective", "honest", "silent", "random"], {"seats": 5, "rounds": 4}),
    ("info_passing", ["bayes", "saboteur", "honest", "silent", "random"], {"seats": 5}),
    ("conflicting_evidence", ["bayes", "mole", "naive", "random"], {"condition": "distributed+traps+mole"}),
    ("conflicting_evidence", ["bayes"], {"seats": 2, "condition": "solo"}),
]


@pytest.mark.parametrize(("game", "agents", "config"), TABLES)
def test_real_games_score_soundly_one_alone_and_several(
    game: str, agents: list[Any], config: dict[str, Any]
) -> None:
    seats = agents * (2 if len(agents) == 1 else 1)
    traces = [play(game, seats, seed=seed, config=config, probes={"every": 6}) for seed in range(6)]
    check(score(traces[:1]))
    check(score(traces))
    assert json.dumps(score(traces)["play"]) == json.dumps(score(reversed(traces))["play"])


def test_money_is_unknown_without_price_or_tokens_and_never_0() -> None:
    made = Made(FIVE).moves(0, "structured").call(0, 1000, 500).moves(1, "structured").call(1, None, 5)
    rows = score([made.trace], {"thief": (2.0, 4.0), "a": (2.0, 4.0)})["play"]["conduct"]
    assert row(rows, entrant="thief")["money"] == pytest.approx(0.004)
    assert row(rows, entrant="a")["money"] is None
    assert row(score([made.trace])["play"]["conduct"], entrant="thief")["money"] is None


def test_invalid_and_abstained_stand_apart() -> None:
    made = Made(FIVE).moves(0, "structured", "structured", "invalid", "fallback")
    for move in made.trace.moves[1:]:
        move["move"] = "vote:none"
    found = row(score([made.trace])["play"]["conduct"], entrant="thief")
    assert found["abstained"] == wilson(1, 4).as_json(), "an abstention in its stead is not its own"
    assert found["invalid"] == wilson(1, 4).as_json()
    assert found["defaulted"] == wilson(2, 4).as_json()


def test_latency_of_calls_stands_with_the_times() -> None:
    made = Made(FIVE).moves(0, "structured").call(0, 10, 5)
    made.trace.calls[0]["seconds"] = 0.5
    scores = score([made.trace])
    assert scores["timings"]["entrants"][0]["seconds_a_call"] == 0.5


# --- intervals -----------------------------------------------------------------------------------------


def cell(*pairs: tuple[float, int]) -> Cells:
    return {str(i): (round(SCALE * part), whole) for i, (part, whole) in enumerate(pairs)}


def test_a_rate_of_trials_that_stand_alone_has_wilsons_interval() -> None:
    alone = cell(*[(1, 1)] * 12, *[(0, 1)] * 8)
    expected = wilson(12, 20)
    found = rate(alone)
    assert (found.value, found.n) == (expected.value, expected.n)
    assert found.low == pytest.approx(expected.low)
    assert found.high == pytest.approx(expected.high)


def test_results_that_hang_together_count_as_few() -> None:
    apart = rate(cell(*[(1, 1)] * 12, *[(0, 1)] * 8))
    together = rate(cell(*[(5, 5)] * 12, *[(0, 5)] * 8))
    assert together.n == 100
    assert together.low is not None and apart.low is not None
    assert together.low == pytest.approx(apart.low, abs=0.03), "five copies of each tell no more than one"
    everyone = rate(cell(*[(5, 5)] * 4))
    assert everyone.low == pytest.approx(wilson(4, 4).low)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 6)), max_size=12))
def test_bounds_hold_the_value_and_stay_in_range(parts: list[tuple[int, int]]) -> None:
    found = rate(cell(*((min(part, whole), whole) for part, whole in parts)))
    if not parts:
        assert found.value is None
        return
    assert found.value is not None and found.low is not None and found.high is not None
    assert 0 <= found.low <= found.value + 1e-12
    assert found.value <= found.high + 1e-12 <= 1 + 1e-9


def test_means_and_other_figures_of_few_or_equal_clusters_have_no_bounds() -> None:
    assert mean({}).value is None
    assert mean(cell((1, 2), (2, 2))).low is None
    assert mean(cell(*[(1, 2)] * 8)).low is None, "no width would claim certainty"
    groups = {str(i): float(i) for i in range(6)}
    assert jackknife({}, lambda g: None, 0).value is None
    assert jackknife(groups, lambda g: 1.0, 6).low is None
    found = jackknife(groups, lambda g: sum(g) / len(g), 6)
    plain = mean(cell(*((float(i), 1) for i in range(6))))
    assert found.low == pytest.approx(plain.low), "of a mean it is the ordinary interval"
    assert found.high == pytest.approx(plain.high)


def test_games_on_one_seed_are_one_cluster() -> None:
    lies = [Scene(number=i).say(0, LIE if i % 2 else PLACE) for i in range(20)]
    apart = row(score(s.trace for s in lies)["play"]["propensity"], entrant="thief")["claims"]
    for scene in lies:
        scene.trace.header["seed"] = 7
    together = row(score(s.trace for s in lies)["play"]["propensity"], entrant="thief")["claims"]
    assert together["value"] == apart["value"] == 0.5
    assert together["high"] - together["low"] > apart["high"] - apart["low"]


DOC = Path(__file__).parents[2] / "docs" / "measures.md"


def test_the_page_of_measures_names_every_one() -> None:
    page = DOC.read_text(encoding="utf-8")
    assert not [name for name in EVALUATORS if f"| `{name}`" not in page and f"(`{name}`" not in page]


def test_the_pages_example_runs(tmp_path: Path) -> None:
    """The code under "A measure of your own", as it stands there."""
    code = DOC.read_text(encoding="utf-8").rpartition("```python\n")[2].partition("```")[0]

    class Run:
        def traces(self) -> Iterator[Any]:
            yield from (Scene(number=i).say(0, text="Why?" if i else "So.").trace for i in range(4))

    script = tmp_path / "example.py"
    script.write_text(code.replace("ASKING.rows(counts)", "found = ASKING.rows(counts)"), encoding="utf-8")
    done = runpy.run_path(str(script), {"run": Run(), "Counter": Counter})
    assert row(done["found"], entrant="thief")["asks"]["value"] == 0.75
