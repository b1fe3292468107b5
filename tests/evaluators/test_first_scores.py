from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import liecraft
from liecraft.evaluators.measures import EVALUATORS, load_evaluators, score
from liecraft.evaluators.statistics import wilson
from liecraft.report.tables import print_scores
from liecraft.tournament.results import score_run
from liecraft.tournament.store import Run
from liecraft.trace.reader import Trace
from tests.evaluators.made import GUARD, THIEF, Made

FOUR = [("a", THIEF), ("b", GUARD), ("b", GUARD), ("c", GUARD)]
NOTHING = {"value": None, "n": 0, "low": None, "high": None}


def play(*traces: Made | Trace) -> dict[str, Any]:
    return dict(score(made.trace if isinstance(made, Made) else made for made in traces)["play"])


def row(rows: list[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    (found,) = [each for each in rows if all(each[key] == value for key, value in wanted.items())]
    return found


def rate(successes: int, n: int) -> dict[str, Any]:
    return wilson(successes, n).as_json()


def test_win_rates_are_by_side_over_games_and_by_role_over_seats() -> None:
    games = [Made(FOUR, "truthful"), Made(FOUR, "deceivers"), Made(FOUR, "deceivers"), Made(FOUR, "none")]
    rows = play(*games)["outcomes"]
    assert row(rows, entrant="all", side="deceivers")["win_rate"] == rate(2, 4)
    assert row(rows, entrant="all", side="truthful")["win_rate"] == rate(1, 4)
    assert row(rows, entrant="a", role="thief")["win_rate"] == rate(2, 4)
    assert row(rows, entrant="b", role="guard")["win_rate"] == rate(2, 8), "two seats a game"
    assert row(rows, entrant="c", role="guard")["win_rate"] == rate(1, 4)
    assert len(rows) == 5


def test_a_draw_is_no_win_of_those_who_play_for_no_side() -> None:
    bystander = ("bystander", "none")
    rows = play(Made([("a", THIEF), ("b", bystander)], "none"))["outcomes"]
    assert row(rows, entrant="b", role="bystander")["win_rate"] == rate(0, 1)
    assert row(rows, entrant="all", side="none")["win_rate"] == rate(0, 1)


def test_a_truncated_game_counts_as_played_and_won_by_nobody() -> None:
    made = Made(FOUR, "none")
    made.trace.close["status"] = "truncated"
    found = play(made)
    assert found["games"] == {"finished": 0, "truncated": 1, "failed": 0}
    assert row(found["outcomes"], entrant="a", role="thief")["win_rate"] == rate(0, 1)


def test_votes_are_held_against_the_chance_of_a_random_vote() -> None:
    """One thief among four: a truthful voter has three others to name, one of them guilty."""
    made = Made(FOUR).vote((0, 1), (1, 0), (2, 3), (3, None), candidates=[0, 1, 2, 3])
    rows = play(made)["votes"]
    assert row(rows, entrant="b") == {
        "entrant": "b",
        "accuracy": rate(1, 2),
        "chance": 0.3333,
        "abstained": rate(0, 2),
    }
    assert row(rows, entrant="c") == {
        "entrant": "c",
        "accuracy": NOTHING,
        "chance": None,
        "abstained": rate(1, 1),
    }
    assert len(rows) == 2, "deceivers' votes are no detection"


@pytest.mark.parametrize(
    ("config", "candidates", "chance"),
    [
        ({"self_vote": True}, [0, 1, 2, 3], 0.25),
        ({"self_vote": False}, [0, 1, 2, 3], 0.3333),
        ({}, [0, 2], 0.5),
        ({}, [0], 1.0),
        ({}, [2, 3], 0.0),
        ({}, None, 0.3333),
    ],
)
def test_the_chance_follows_the_candidates(
    config: dict[str, Any], candidates: list[int] | None, chance: float
) -> None:
    target = (candidates or [0])[0]
    made = Made(FOUR, config=config).vote((1, target), candidates=candidates)
    assert row(play(made)["votes"], entrant="b")["chance"] == chance


def test_a_voter_without_a_choice_spoils_nothing() -> None:
    made = Made(FOUR).vote((1, None), candidates=[1])
    assert row(play(made)["votes"], entrant="b")["chance"] is None


def test_claims_are_shared_out_by_class_and_opinions_stand_apart() -> None:
    made = (
        Made(FOUR)
        .claims(0, "lie", "lie", "true", None)
        .claims(0, "bluff")
        .claims(1, "mistake", "true")
        .claims(2)
    )
    rows = play(made)["claims"]
    thief = row(rows, entrant="a", side="deceivers")
    assert (thief["claims"], thief["opinions"]) == (4, 1)
    assert thief["lie"] == rate(2, 4)
    assert (thief["true"], thief["mistake"], thief["bluff"]) == (rate(1, 4), rate(0, 4), rate(1, 4))
    guard = row(rows, entrant="b", side="truthful")
    assert guard["claims"] == 2
    assert guard["lie"] == rate(0, 2)


def test_one_entrant_is_scored_for_each_side_it_played() -> None:
    made = Made([("a", THIEF), ("a", GUARD)]).claims(0, "lie").claims(1, "true")
    rows = play(made)["claims"]
    assert row(rows, side="deceivers")["lie"] == rate(1, 1)
    assert row(rows, side="truthful")["lie"] == rate(0, 1)


def test_only_opinions_leave_nothing_to_score() -> None:
    found = row(play(Made(FOUR).claims(0, None, None))["claims"], entrant="a")
    assert (found["claims"], found["lie"], found["opinions"]) == (0, NOTHING, 2)


def test_moves_are_counted_by_how_they_came_about() -> None:
    made = Made(FOUR).moves(
        0, "structured", "structured", "menu", "fallback", "invalid", "truncated", "reasked"
    )
    found = row(play(made.moves(1, "scripted"))["conduct"], entrant="a")
    assert found["moves"] == 7
    assert found["how"] == {
        "structured": 2,
        "menu": 1,
        "reasked": 1,
        "fallback": 1,
        "invalid": 1,
        "truncated": 1,
    }
    assert found["defaulted"] == rate(3, 7)
    assert row(play(made)["conduct"], entrant="b")["defaulted"] == rate(0, 1)


def test_tokens_add_up_and_are_null_where_any_is_unknown() -> None:
    known = Made(FOUR).moves(0, "structured").call(0, 100, 7).call(0, 50, 3, attempts=3)
    found = row(play(known)["conduct"], entrant="a")
    assert (found["calls"], found["requests"]) == (2, 4)
    assert (found["prompt_tokens"], found["completion_tokens"]) == (150, 10)
    unknown = Made(FOUR).moves(0, "structured").call(0, 100, 7).call(0, 50, None)
    found = row(play(known, unknown)["conduct"], entrant="a")
    assert (found["calls"], found["prompt_tokens"], found["completion_tokens"]) == (4, None, None)
    free = row(play(Made(FOUR).moves(0, "scripted").call(0, 0, 0))["conduct"], entrant="a")
    assert (free["prompt_tokens"], free["completion_tokens"]) == (0, 0), "a count of 0 is known"


def test_a_failed_game_counts_as_failed_and_in_nothing_else() -> None:
    failed = (
        Made(FOUR, None).vote((1, 0), candidates=[0, 1]).claims(0, "lie").moves(0, "structured").call(0, 1, 1)
    )
    found = play(failed)
    assert found["games"] == {"finished": 0, "truncated": 0, "failed": 1}
    assert found["failures"] == [{"entrant": "a", "kind": "timeout", "games": 1}]
    assert [found[name] for name in ("outcomes", "votes", "claims", "conduct")] == [[], [], [], []]
    alone, beside = play(Made(FOUR).claims(0, "true")), play(failed, Made(FOUR).claims(0, "true"))
    assert alone["claims"] == beside["claims"]
    assert alone["digest"] == beside["digest"]


def test_nothing_at_all_scores_as_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    scores = score([])
    assert scores["play"]["games"] == {"finished": 0, "truncated": 0, "failed": 0}
    assert scores["timings"] == {"seconds_a_game": None, "entrants": []}
    print_scores(scores)
    assert "none" in capsys.readouterr().out


def test_timings_stand_apart_from_play() -> None:
    made = Made(FOUR).moves(0, "scripted", "scripted", seconds=0.25).moves(1, "scripted", seconds=1.0)
    scores = score([made.trace])
    assert scores["timings"]["seconds_a_game"] == 2.0
    assert scores["timings"]["entrants"] == [
        {"entrant": "a", "moves": 2, "seconds_a_move": 0.25},
        {"entrant": "b", "moves": 1, "seconds_a_move": 1.0},
    ]
    assert "seconds" not in json.dumps(scores["play"])


@settings(max_examples=20)
@given(st.permutations(range(5)))
def test_scores_do_not_depend_on_the_order_of_games(order: list[int]) -> None:
    games = [
        Made(FOUR, "truthful", game="g000000").vote((1, 0), candidates=[0, 1, 2]),
        Made(FOUR, "deceivers", game="g000001").claims(0, "lie").claims(3, "true"),
        Made(FOUR, None, game="g000002"),
        Made(FOUR, "none", game="g000003").moves(0, "menu").call(0, 1, None),
        Made(FOUR, "truthful", game="g000004").moves(1, "scripted"),
    ]
    assert play(*(games[i] for i in order)) == play(*games)


def test_the_tables_show_a_dash_where_there_is_nothing_to_score(capsys: pytest.CaptureFixture[str]) -> None:
    made = (
        Made([("[red]a", THIEF), ("b", GUARD)])
        .vote((1, None), candidates=[0, 1])
        .claims(0, None)
        .call(0, 5, None)
    )
    made.moves(0, "structured").moves(1, "scripted")
    print_scores(score([made.trace, Made(FOUR, None).trace]))
    shown = capsys.readouterr().out
    assert "nan" not in shown.lower()
    assert "[red]a" in shown, "names are text, not markup"
    assert "unknown" in shown
    assert "timeout" in shown


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A small tournament of scripted agents, among them liars of a known rate."""
    shy = {"agent": "liar", "lie_rate": 0.0}
    return liecraft.Tournament(
        name="known",
        game="murder",
        config={"seats": 5},
        entrants={
            "liar": "liar",
            "shy": shy,
            "detective": "detective",
            "honest": "honest",
            "silent": "silent",
        },
        games=20,
        seed=2,
        runs=tmp_path_factory.mktemp("runs"),
    ).run(progress=False)


def test_scores_of_real_games_are_sound(run: Run) -> None:
    scores = score_run(run)
    json.dumps(scores, allow_nan=False)
    found = scores["play"]
    assert found["games"] == {"finished": 20, "truncated": 0, "failed": 0}
    sides = [each for each in found["outcomes"] if each["entrant"] == "all"]
    assert sum(round(each["win_rate"]["value"] * each["win_rate"]["n"]) for each in sides) == 20
    for each in found["outcomes"]:
        assert each["win_rate"]["n"] == {"": 20, "murderer": 4, "innocent": 16}[each["role"]]
    for name in ("honest", "shy", "detective"):
        for each in found["claims"]:
            if (
                each["entrant"] == name
                and each["lie"]["n"]
                and not (name == "detective" and each["side"] == "deceivers")
            ):
                assert each["lie"]["value"] == 0.0
    liar = row(found["claims"], entrant="liar", side="deceivers")
    assert liar["lie"]["value"] > 0.5
    assert not [each for each in found["claims"] if each["entrant"] == "silent"]


def test_scores_of_a_run_are_the_same_each_time(run: Run) -> None:
    assert json.dumps(score_run(run)) == json.dumps(score_run(Run(run.path)))


def test_every_registered_evaluator_loads_and_takes_a_trace() -> None:
    made = Made(FOUR)
    for name, evaluator in load_evaluators().items():
        assert name in EVALUATORS
        assert isinstance(evaluator.rows(evaluator.count(made.trace)), list)
