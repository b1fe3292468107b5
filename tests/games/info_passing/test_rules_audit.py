"""README, "The audit", "Naming"."""

from __future__ import annotations

import pytest

from liecraft.engine.errors import IllegalMove
from tests.games.info_passing.table import Table


def claims_of(table: Table) -> list[str]:
    said = table.all_of("speech")[-1].data["claims"]
    return [f"{name}({', '.join(args)})" for name, *args in said]


def test_the_audit_discloses_a_part_of_the_bulletin_to_everyone_after_the_report() -> None:
    table = Table(audit=["where", "when"]).until("report")
    assert not table.all_of("audit")
    table.do("report")
    for seat in range(4):
        assert table.heard(seat, "audit")[0].data["slots"] == (("where", "mill"), ("when", "noon"))


def test_the_audited_slots_are_drawn_at_random() -> None:
    table = Table(audit_slots=2)
    drawn = set()
    for seed in range(40):
        table.env.reset(seed=seed)
        drawn.add(table.env.world.audit)
    assert drawn == {("who", "where"), ("who", "when"), ("where", "when")}


def test_each_may_question_one_neighbour_from_the_last_seat_to_the_first() -> None:
    table, asked = Table().until("ask"), []
    while table.phase == "ask":
        asked.append((table.seat, table.legal()))
        table.do("ask:none")
    assert asked == [
        ("player_3", ["ask:player_2", "ask:none"]),
        ("player_2", ["ask:player_1", "ask:player_3", "ask:none"]),
        ("player_1", ["ask:player_0", "ask:player_2", "ask:none"]),
        ("player_0", ["ask:player_1", "ask:none"]),
    ]


def test_nobody_questions_a_stranger() -> None:
    with pytest.raises(IllegalMove):
        Table().until("ask").do("ask:player_0")


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_questions_are_put_as_often_as_the_rules_say(rounds: int) -> None:
    table, asked = Table(question_rounds=rounds).until("report").do("report"), 0
    while table.phase == "ask":
        asked += 1
        table.do("ask:none")
    assert asked == 4 * rounds
    assert table.phase == "name"


def test_the_neighbour_answers_at_once_and_all_hear_both() -> None:
    table = Table().until("ask")
    table.do("ask:player_2", "heard(player_2, where, mill)", text="And you?")
    assert (table.phase, table.seat) == ("answer", "player_2")
    table.do("answer", "sent(where, mill)", text="So did I.")
    assert (table.phase, table.seat) == ("ask", "player_2")
    for seat in range(4):
        question, answer = table.heard(seat, "speech")[-2:]
        assert (question.actor, question.data["to"], question.data["text"]) == (
            "player_3",
            "player_2",
            "And you?",
        )
        assert (answer.actor, answer.data["claims"]) == ("player_2", (("sent", "where", "mill"),))


def test_answer_truth_says_what_was_heard_and_sent_audited_slots_first() -> None:
    noise = [(1, "player_0", "player_1", "who", 1, True)]
    table = Table(noise=noise).do("withhold:when").do("alter:where").until("ask")
    sent = table.stated(2)["where"]
    table.do("ask:none").do("ask:player_1").do("answer:truth")
    assert claims_of(table) == [
        "heard(player_0, where, mill)",
        f"sent(where, {sent})",
        "damaged(player_0, who)",
        "sent_nothing(who)",
        "heard_nothing(player_0, when)",
        "sent_nothing(when)",
    ]
    assert table.verdicts() == ["true"] * 6


def test_answer_cover_says_that_the_seat_heard_what_it_sent() -> None:
    table = Table(seats=5, edges=[(0, 2), (1, 2), (2, 3), (3, 4)], saboteurs=[2], audit=["where"])
    table.do("relay:faithful").do("relay:faithful").do("alter:where").until("ask")
    sent = table.stated(3)["where"]
    table.do("ask:none").do("ask:player_2").do("answer:cover")
    said = claims_of(table)
    assert said[:3] == [
        f"heard(player_0, where, {sent})",
        f"heard(player_1, where, {sent})",
        f"sent(where, {sent})",
    ]
    assert table.verdicts()[:3] == ["lie", "lie", "true"]


def test_a_sources_cover_is_that_it_sent_what_is_true() -> None:
    table = Table(saboteurs=[0]).do("alter:where").until("ask")
    table.do("ask:none").do("ask:none").do("ask:player_0").do("answer:cover")
    assert claims_of(table)[0] == "sent(where, mill)"
    assert table.verdicts()[0] == "lie"


def test_each_seat_names_in_secret_and_nobody_sees_a_ballot_before_the_last_is_in() -> None:
    views = []
    for first in ("1", "2", "none"):
        table = Table().names(first, "0", "0")
        views.append([repr(event) for seat in range(1, 4) for event in table.env.view(f"player_{seat}")])
    assert views[0] == views[1] == views[2]
    table.do("name:none")
    assert table.heard(3, "ballots")[0].data["votes"][0] == ("player_0", "none")


@pytest.mark.parametrize(("saboteurs", "ballots"), [([1], 1), ([0, 1], 2)])
def test_each_seat_names_one_suspect_for_each_saboteur(saboteurs: list[int], ballots: int) -> None:
    table = Table(saboteurs=saboteurs).all("relay:faithful").until("name").all("name:none")
    assert len(table.all_of("ballots")[0].data["votes"]) == 4 * ballots


def test_nobody_names_the_same_seat_twice() -> None:
    table = Table(saboteurs=[0, 1]).until("name").do("name:player_2")
    assert (table.seat, "name:player_2" in table.legal()) == ("player_0", False)
    table.do("name:player_1")
    assert (table.seat, "name:player_2" in table.legal()) == ("player_1", True)


@pytest.mark.parametrize("allowed", [True, False])
def test_nobody_names_itself_unless_allowed(allowed: bool) -> None:
    table = Table(self_vote=allowed).until("name")
    assert ("name:player_0" in table.legal()) is allowed


def test_without_abstention_everybody_must_name_and_the_default_is_the_first_that_may_be_named() -> None:
    table = Table(abstention=False).until("name")
    assert table.legal() == ["name:player_1", "name:player_2", "name:player_3"]
    assert table.env.request().default == "name:player_1"


def named(table: Table) -> list[int]:
    return [int(seat.removeprefix("player_")) for seat in table.all_of("named")[0].data["seats"]]


@pytest.mark.parametrize(
    ("votes", "tie", "seats"),
    [
        pytest.param("1011", "none", [1], id="most ballots"),
        pytest.param(("none", "0", "none", "none"), "none", [0], id="one ballot is enough for plurality"),
        pytest.param(("none",) * 4, "all", [], id="all abstain"),
        pytest.param("1032", "none", [], id="everyone names another: a tie of all"),
        pytest.param("1032", "all", [0, 1, 2, 3], id="everyone names another: all are named"),
        pytest.param("1010", "none", [], id="two tie"),
        pytest.param("1010", "all", [0, 1], id="two tie and both are named"),
    ],
)
def test_the_seats_with_most_ballots_are_named(votes: tuple[str, ...], tie: str, seats: list[int]) -> None:
    assert named(Table(tie=tie).names(*votes)) == seats


def test_a_tie_drawn_at_random_names_one_of_the_tied_by_the_games_own_chance() -> None:
    drawn = []
    for seed in range(40):
        table = Table(tie="random")
        table.env.reset(seed=seed, options={"world": table.world})
        drawn.append(named(table.names("1", "0", "1", "0")))
    assert {tuple(seats) for seats in drawn} == {(0,), (1,)}
    assert 8 < drawn.count([0]) < 32


@pytest.mark.parametrize(("tie", "seats"), [("none", [0]), ("all", [0, 1, 2]), ("random", None)])
def test_a_tie_for_the_last_of_two_places_leaves_the_first_place_alone(
    tie: str, seats: list[int] | None
) -> None:
    # player_0 gets three ballots, players 1 and 2 two each.
    table = Table(saboteurs=[0, 1], tie=tie).names("1", "2", "0", "2", "0", "1", "0", "none")
    assert named(table) == seats if seats else named(table) in ([0, 1], [0, 2])


@pytest.mark.parametrize(("votes", "seats"), [(("1", "0", "1", "none"), []), (("1", "0", "1", "1"), [1])])
def test_an_absolute_majority_needs_more_than_half_of_all_seats(
    votes: tuple[str, ...], seats: list[int]
) -> None:
    assert named(Table(majority="absolute").names(*votes)) == seats


def test_questions_may_carry_claims_and_they_are_checked() -> None:
    table = Table(saboteurs=[0]).do("relay:alter").until("ask").do("ask:none").do("ask:none")
    table.do("ask:player_0", "heard(player_0, where, mill)", "suspect(player_0)")
    assert table.verdicts() == ["lie", None]
