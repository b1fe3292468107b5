"""README, "What can be claimed": truth and class of every predicate."""

from __future__ import annotations

import pytest

from tests.games.info_passing.table import Table

FORK = [(0, 2), (1, 2), (2, 3)]


def classes(table: Table, *claims: str) -> list[str | None]:
    """Say claims in the seat's turn, without effect on what counts, and give their classes."""
    move = {"relay": "send", "report": "report", "answer": "answer"}[table.phase]
    table.do(move, *claims)
    return table.verdicts()


@pytest.mark.parametrize(("value", "found"), [("mill", "true"), ("harbour", "lie")])
def test_a_source_knows_whether_it_lies(value: str, found: str) -> None:
    assert classes(Table(), f"slot_is(where, {value})") == [found]


@pytest.mark.parametrize(("informed", "found"), [(True, "lie"), (False, "mistake")])
def test_an_informed_saboteur_lies_where_another_errs(informed: bool, found: str) -> None:
    table = Table(saboteurs=[1], informed=informed).do("send", "slot_is(where, harbour)")
    assert classes(table, "slot_is(where, harbour)") == [found]


@pytest.mark.parametrize(
    ("heard", "said", "found"),
    [
        pytest.param("mill", "mill", "true", id="what it heard, and it is true"),
        pytest.param("harbour", "harbour", "mistake", id="what it heard, and it is false"),
        pytest.param("mill", "harbour", "lie", id="all it heard says otherwise"),
        pytest.param("harbour", "mill", "lie", id="all it heard says otherwise, though this is true"),
        pytest.param(None, "mill", "bluff", id="it heard nothing and is right"),
        pytest.param(None, "harbour", "bluff", id="it heard nothing and is wrong"),
    ],
)
def test_a_relay_is_judged_by_what_it_heard(heard: str | None, said: str, found: str) -> None:
    table = Table(saboteurs=[0]).do("send", *([f"slot_is(where, {heard})"] if heard else []))
    assert classes(table, f"slot_is(where, {said})") == [found]


def test_of_two_values_heard_either_may_be_said_in_good_faith_and_a_third_may_not() -> None:
    for value, found in (("mill", "true"), ("harbour", "mistake"), ("chapel", "lie")):
        table = Table(saboteurs=[0], edges=FORK)
        table.do("send", "slot_is(where, harbour)").do("send", "slot_is(where, mill)")
        assert classes(table, f"slot_is(where, {value})") == [found]


def test_a_damaged_value_speaks_for_nothing() -> None:
    table = Table(saboteurs=[0], noise=[(1, "player_0", "player_1", "where", 1, True)])
    table.do("relay:faithful")
    assert classes(table, "slot_is(where, harbour)", "slot_is(when, noon)") == ["bluff", "true"]


def test_once_disclosed_a_slot_is_known_to_all() -> None:
    table = Table(saboteurs=[0]).do("alter:where").until("ask").do("ask:player_2")
    assert classes(table, "slot_is(where, chapel)", "slot_is(where, mill)") == ["true"]
    table = Table(saboteurs=[0]).do("alter:where").until("ask").do("ask:player_2")
    assert classes(table, "slot_is(where, chapel)") == ["lie"]


def test_a_public_statement_of_another_speaks_for_its_value() -> None:
    table = Table(saboteurs=[0], audit=["when"]).do("send").until("report")
    table.do("report", "slot_is(where, harbour)").do("ask:player_2")
    assert classes(table, "slot_is(where, harbour)") == ["mistake"]


@pytest.mark.parametrize(
    ("heard", "found"),
    [(["mill"], "lie"), ([], "true"), (["mill", "harbour"], "true"), (["mill", "mill"], "lie")],
)
def test_dont_know_is_false_where_exactly_one_value_speaks(heard: list[str], found: str) -> None:
    table = Table(saboteurs=[0], edges=[(0, 2), (1, 2), (2, 3)])
    for at in (0, 1):
        table.do("send", *(f"slot_is(where, {value})" for value in heard[at : at + 1]))
    assert classes(table, "dont_know(where)") == [found]


def test_a_source_that_says_it_does_not_know_lies() -> None:
    assert classes(Table(), "dont_know(where)") == ["lie"]


def test_claims_about_what_was_heard_are_exact() -> None:
    noise = [(1, "player_0", "player_1", "who", 1, True), (1, "player_0", "player_1", "when", 0, False)]
    table = Table(noise=noise, max_claims=10).do("relay:faithful")
    said = {
        "heard(player_0, where, mill)": "true",
        "heard(player_0, where, chapel)": "lie",
        "heard(player_2, where, mill)": "lie",
        "heard(player_0, who, baker)": "true",
        "damaged(player_0, who)": "true",
        "damaged(player_0, where)": "lie",
        "heard_nothing(player_0, when)": "true",
        "heard_nothing(player_0, where)": "lie",
    }
    assert classes(table, *said) == list(said.values())


def test_claims_about_what_was_sent_are_exact_over_all_waves() -> None:
    table = Table(waves=2, max_claims=10).do("send", "slot_is(where, mill)").do("send").do("send")
    table.do("send", "slot_is(where, chapel)").until("ask")
    table.do("ask:none").do("ask:none").do("ask:player_0")
    said = {
        "sent(where, mill)": "true",
        "sent(where, chapel)": "true",
        "sent(where, harbour)": "lie",
        "sent_nothing(who)": "true",
        "sent_nothing(where)": "lie",
    }
    assert classes(table, *said) == list(said.values())


@pytest.mark.parametrize(
    ("speaker", "said", "found"),
    [
        pytest.param(0, "role(player_0, honest)", "true", id="own role"),
        pytest.param(0, "role(player_0, saboteur)", "lie", id="own role, falsely"),
        pytest.param(0, "role(player_3, honest)", "true", id="a sink is known to be honest"),
        pytest.param(0, "role(player_1, saboteur)", "bluff", id="a guess, though right"),
        pytest.param(0, "role(player_2, saboteur)", "bluff", id="a guess"),
        pytest.param(1, "role(player_1, honest)", "lie", id="a saboteur of itself"),
        pytest.param(1, "role(player_0, saboteur)", "lie", id="the only saboteur knows the others"),
        pytest.param(0, "suspect(player_1)", None, id="an opinion"),
        pytest.param(0, "trust(player_1)", None, id="another"),
    ],
)
def test_roles_are_known_to_those_who_may_know_them(speaker: int, said: str, found: str | None) -> None:
    table = Table()
    for _ in range(speaker):
        table.do("send")
    assert classes(table, said) == [found]


@pytest.mark.parametrize(("partners", "found"), [(True, "true"), (False, "bluff")])
def test_of_two_saboteurs_each_knows_the_other_if_the_rules_say_so(partners: bool, found: str) -> None:
    table = Table(saboteurs=[0, 1], partners=partners)
    assert classes(table, "role(player_1, saboteur)") == [found]
