from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from liecraft.evaluators.comparison import RunComparison, collect, compare
from liecraft.evaluators.statistics.seasons import SeasonError
from liecraft.tournament.run import Tournament
from liecraft.trace.reader import Trace

SIDES = ("deceivers", "truthful", "truthful")


def game(
    number: int,
    entrants: Sequence[str],
    winner: str | None,
    *,
    seed: int | None = None,
    status: str = "finished",
    **fields: Any,
) -> Trace:
    """A game of three seats, the first of them the deceiver's."""
    name = f"g{number:06d}"
    header = {
        "game": name,
        "type": "game",
        "env": "made_v0",
        "env_version": "0.1",
        "config": {"seats": 3},
        "lang": "en",
        "seed": number if seed is None else seed,
        "seats": {f"player_{i}": entrant for i, entrant in enumerate(entrants)},
        **fields,
    }
    roles = [
        {"kind": "role", "actor": None, "audience": [f"player_{i}"], "data": {"role": side, "side": side}}
        for i, side in enumerate(SIDES)
    ]
    return Trace(header, events=roles, close={"status": status, "winner": winner})


def run(
    wins: Sequence[bool], entrants: Sequence[str] = ("ann", "bob", "cat"), start: int = 0, **fields: Any
) -> list[Trace]:
    """Games on seeds of their own, in which the deceiver wins or loses."""
    return [
        game(i, entrants, "deceivers" if won else "truthful", seed=start + i, **fields)
        for i, won in enumerate(wins)
    ]


def rows(found: RunComparison) -> dict[tuple[str, str], Any]:
    return {(row.entrant, row.side): row for row in found.rows}


MANY = [True] * 10 + [False] * 50
MORE = [True] * 40 + [False] * 20


def test_games_on_the_same_seeds_and_seats_are_paired() -> None:
    found = compare(run(MANY), run(MORE), names=("old", "new"))
    row = rows(found)["ann", "deceivers"]
    assert row.comparison.design == "paired"
    assert row.comparison.test.name == "McNemar's chi-square test (without continuity correction)"
    assert row.comparison.difference.value == pytest.approx(0.5)
    assert row.comparison.clusters == 60
    assert row.sentence.startswith("ann as deceiver won 10 of 60 in old and 40 of 60 in new: new is higher")
    assert rows(found)["bob", "truthful"].comparison.difference.value == pytest.approx(-0.5)
    assert "3 of 3 comparisons differ at 0.05 after Holm's correction" in found.answer
    assert "ann as deceiver wins more in new" in found.answer
    assert "bob as detector wins more in old" in found.answer
    assert "McNemar's chi-square test" in found.answer


def test_games_on_other_seeds_are_independent() -> None:
    found = compare(run(MANY), run(MORE, start=1000))
    row = rows(found)["ann", "deceivers"]
    assert row.comparison.design == "independent"
    assert row.comparison.test.name == "two-proportion z test"
    assert "two-proportion z test" in found.answer


def test_other_seats_on_the_same_seeds_are_no_pairs() -> None:
    found = compare(run(MANY), run(MORE, ("ann", "cat", "bob")))
    assert rows(found)["ann", "deceivers"].comparison.design == "paired"
    assert rows(found)["bob", "truthful"].comparison.design == "independent"
    assert rows(found)["bob", "truthful"].comparison.test.name == "z test with cluster-robust errors"


def test_an_entrant_on_several_seats_of_a_seed_is_a_cluster() -> None:
    found = compare(run(MANY, ("ann", "bob", "bob")), run(MORE, ("ann", "bob", "bob")))
    row = rows(found)["bob", "truthful"]
    assert (row.comparison.a.n, row.comparison.clusters) == (120, 60)
    assert row.comparison.test.name == "McNemar's chi-square test for clusters"
    # two seats of one team always agree: not a bit more is known than from one
    assert row.comparison.test.p_value == pytest.approx(
        rows(found)["ann", "deceivers"].comparison.test.p_value
    )


def test_a_few_results_without_a_partner_are_left_out_and_told() -> None:
    found = compare(run(MANY), run(MORE[:50]))
    assert rows(found)["ann", "deceivers"].comparison.a.n == 50
    assert (
        "ann as deceiver: 10 and 0 results have no partner in the other run and are left out" in found.notes
    )


def test_too_few_games_are_refused_and_make_the_others_no_harder() -> None:
    few = run([True] * 4 + [False], ("dan", "ann", "ann"), start=500)
    found = compare(run(MANY) + few, run(MORE) + few)
    row = rows(found)["dan", "deceivers"]
    assert (row.comparison.test, row.adjusted) == (None, None)
    assert "not tested, since there are 5 pairs; it takes 10." in row.sentence
    tested = [row for row in found.rows if row.adjusted is not None]
    best = min(row.comparison.test.p_value for row in tested if row.comparison.test)
    assert min(row.adjusted or 1 for row in tested) == pytest.approx(best * len(tested))


def test_nothing_common_or_nothing_enough_is_said_so() -> None:
    strangers = compare(run(MANY), run(MORE, ("x", "y", "z")))
    assert strangers.answer == "A and B can't be compared: they have no entrant in common on the same side."
    assert strangers.notes == ("only A has ann, bob, cat", "only B has x, y, z")
    few = compare(run([True]), run([False]))
    assert few.answer == "A and B can't be compared: their games are too few."


def test_failed_games_are_neither_win_nor_loss_and_told() -> None:
    broken = [game(100 + i, ("ann", "bob", "cat"), None, status="failed") for i in range(3)]
    found = compare(run(MANY) + broken, run(MORE))
    assert rows(found)["ann", "deceivers"].comparison.a.n == 60
    assert any(note.startswith("3 of 63 games of A failed") for note in found.notes)
    with pytest.raises(SeasonError, match="A has no finished game: there is nothing to compare"):
        compare(broken, run(MORE))


@pytest.mark.parametrize("winner", [None, "none"])
def test_a_draw_is_no_win_for_anyone_not_even_for_those_without_a_side(winner: str | None) -> None:
    trace = game(0, ("a", "b", "c"), winner)
    trace.events[2]["data"]["side"] = "none"
    (results,) = collect([trace]).seats.values()
    assert [result.won for result in results] == [False, False, False]


def test_different_games_are_not_compared() -> None:
    with pytest.raises(SeasonError, match="A of made_v0 and B of other_v0 are different games"):
        compare(run(MANY), run(MORE, env="other_v0"))


def test_runs_of_different_seasons_are_compared_and_what_differs_is_named() -> None:
    """It may be the very question: does the new rule, or the new prompt, help deceivers?"""
    manifests = [
        {"config": {"game": "made_v0", "entrants": {"ann": agent}}, "prompts": digest}
        for agent, digest in (("liar", "aa"), ("honest", "bb"))
    ]
    found = compare(
        run(MANY), run(MORE, config={"seats": 3, "tie": "none"}), manifests=(manifests[0], manifests[1])
    )
    assert found.changed == (
        "config.tie is not set in A and none in B",
        "entrants.ann is liar in A and honest in B",
        "prompts is aa in A and bb in B",
    )
    assert "the runs themselves differ: config.tie is not set in A and none in B" in found.answer
    assert compare(run(MANY), run(MORE)).changed == ()


def test_within_a_run_games_by_different_rules_are_not_pooled() -> None:
    long = {"seats": 3, "rounds": 9}
    a = run(MANY) + run(MORE, start=300, config=long)
    b = run(MANY) + run(MANY, start=300, config=long)
    found = compare(a, b)
    assert sorted((row.entrant, row.rules) for row in found.rows if row.side == "deceivers") == [
        ("ann", "config.rounds=9"),
        ("ann", "config.rounds=null"),
    ]
    assert {row.comparison.a.n for row in found.rows} == {60}
    alone = compare(a, run(MANY))
    assert {row.rules for row in alone.rows} == {"config.rounds=null"}
    assert "games of A by rules that the other run does not have are left out: config.rounds=9" in alone.notes
    with pytest.raises(
        SeasonError, match="A has games by 2 sets of rules and B by 1, none of them in common"
    ):
        compare(a, run(MANY, config={"seats": 4}))


def test_a_run_against_itself_shows_no_difference_in_any_order_of_games() -> None:
    games = run(MORE) + run(MANY, ("bob", "ann", "cat"), start=30)
    found = compare(games, list(reversed(games)), names=("x", "x"))
    assert found.names == ("x (1)", "x (2)")
    assert {row.adjusted for row in found.rows} == {1.0}
    assert found.answer.startswith("No difference between x (1) and x (2) is shown in 5 comparisons")


def test_results_collected_before_are_as_good_as_traces() -> None:
    assert compare(collect(run(MANY)), collect(run(MORE))) == compare(run(MANY), run(MORE))


def test_a_comparison_is_json() -> None:
    found = compare(run(MANY), run(MORE))
    assert (
        json.loads(json.dumps(found.as_json(), allow_nan=False))["rows"][0]["comparison"]["design"]
        == "paired"
    )


def test_equal_entrants_are_told_apart_no_more_often_than_the_level() -> None:
    """Holm over the table: one false finding in it, and the whole comparison is a false one."""
    rng = np.random.default_rng(3)
    false = 0
    for _ in range(120):
        ease = rng.random(40)
        first, second = (run([bool(x) for x in rng.random(40) < ease]) for _ in range(2))
        false += any((row.adjusted or 1) < 0.05 for row in compare(first, second).rows)
    assert false / 120 <= 0.08


def test_real_runs_are_paired_by_their_seeds(tmp_path: Path) -> None:
    entrants = {"ann": "random", "bob": "random", "cat": "default", "dan": "default", "eve": "random"}
    fields: dict[str, Any] = {"game": "murder", "config": {"seats": 5}, "games": 60, "seed": 3}
    one = Tournament({"name": "one", "entrants": entrants, **fields}, runs=tmp_path).run(progress=False)
    two = Tournament(
        {"name": "two", "entrants": {**entrants, "ann": "default"}, **fields}, runs=tmp_path
    ).run(progress=False)
    found = compare(one.traces(), two.traces(), names=("one", "two"), manifests=(one.manifest, two.manifest))
    assert len(found.rows) == 10
    assert {row.comparison.design for row in found.rows} == {"paired"}
    assert {row.comparison.clusters for row in found.rows} == {12}
    assert found.changed == ("entrants.ann is random in one and default in two",)
    assert all(row.adjusted is not None for row in found.rows)
