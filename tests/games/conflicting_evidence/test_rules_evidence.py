"""README, "The question", "Who holds what", "Traps"."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from liecraft.engine.registry import game_class
from liecraft.games.conflicting_evidence.env import MOLE
from tests.games.conflicting_evidence.table import HANDS, Table


def dealt(seed: int = 3, **config: Any) -> Any:
    env = game_class("conflicting_evidence_v0")(**config)
    env.reset(seed=seed)
    return env


def test_question_options_and_requirements_are_told_to_everyone() -> None:
    table = Table()
    for seat in range(3):
        (told,) = table.seen(seat, "case")
        assert told.data["question"] == "Where shall the well be dug?"
        assert told.data["options"] == (("a", "Orrin"), ("b", "Telm"), ("c", "Varrow"))
        assert [c["id"] for c in told.data["criteria"]] == ["depth", "flow"]
        assert told.data["criteria"][0]["limit"] == 20


def test_an_item_shows_its_holder_what_it_says_its_source_and_its_emphasis() -> None:
    (shown,) = [event.data for event in Table().seen(0, "evidence") if event.data["item"] == "e2"]
    assert dict(shown) == {
        "slot": 1,
        "item": "e2",
        "text": "",
        "kind": "survey",
        "source": "Parish survey",
        "authority": 5,
        "date": "2030-05",
        "derives": None,
        "option": "a",
        "name": "Orrin",
        "criterion": "flow",
        "value": 2,
        "unit": "litres",
        "verdict": "fails",
        "emphasis": 2,
    }


def test_a_seat_sees_its_own_items_only_each_in_a_slot() -> None:
    table = Table()
    for seat, hand in enumerate(HANDS):
        seen = [(event.data["slot"], event.data["item"]) for event in table.seen(seat, "evidence")]
        assert seen == list(enumerate(hand))


def test_nothing_tells_a_seat_who_else_holds_an_item_or_whether_it_is_trapped() -> None:
    table = Table()
    kinds = {event.kind for seat in range(3) for event in table.env.view(f"player_{seat}")}
    assert kinds == {"game", "role", "case", "evidence", "phase"}
    for event in table.seen(1, "evidence"):
        assert not {"shared", "trap", "toxicity"} & set(event.data)


def test_with_a_case_number_it_is_always_the_same_case() -> None:
    cases = {seed: dealt(seed, case=5).world.case for seed in range(4)}
    assert all(case == cases[0] and case.id == "generated-5" for case in cases.values())
    assert dealt(1).world.case != dealt(2).world.case


def test_shared_items_are_held_by_all_and_every_other_by_one() -> None:
    for seed in range(20):
        world = dealt(seed, condition="distributed+traps").world
        held = Counter(item for hand in world.hands for item in hand)
        assert held == {item.id: 4 if item.shared else 1 for item in world.case.items}


def test_items_are_dealt_around_the_table() -> None:
    world = dealt(condition="distributed").world
    sizes = [len(hand) for hand in world.hands]
    assert max(sizes) - min(sizes) <= 1


def test_a_seat_may_get_no_unshared_item_when_there_are_more_seats_than_items() -> None:
    world = dealt(seats=12, options=2, criteria=3).world
    shared = sum(item.shared for item in world.case.items)
    assert min(len(hand) for hand in world.hands) == shared


def test_under_full_information_every_seat_holds_every_item() -> None:
    world = dealt(condition="full_information+traps").world
    assert all(hand == tuple(item.id for item in world.case.items) for hand in world.hands)
    assert sum(item.trap is not None for item in world.case.items) == 2


def test_solo_has_the_hands_of_distributed_and_goes_straight_to_the_choice() -> None:
    env = dealt(condition="solo")
    assert env.world == dealt(condition="distributed").world
    assert env.phase == "choose" and env.played == 0


@pytest.mark.parametrize("condition", ["distributed", "full_information", "solo"])
def test_with_a_mole_one_seat_is_the_mole(condition: str) -> None:
    moles = Counter[int]()
    for seed in range(60):
        assert MOLE not in dealt(seed, condition=condition).world.roles
        roles = dealt(seed, condition=f"{condition}+mole").world.roles
        assert roles.count(MOLE) == 1
        moles[roles.index(MOLE)] += 1
    assert len(moles) == 4


def test_traps_are_dealt_in_conditions_with_traps_only() -> None:
    assert not [item for item in dealt(condition="distributed").world.case.items if item.trap]
    assert len([item for item in dealt(condition="solo+traps", traps=5).world.case.items if item.trap]) == 5


@pytest.mark.parametrize("knows", [True, False])
def test_the_mole_is_told_the_right_option_if_it_is_to_know(knows: bool) -> None:
    table = Table(mole=1, mole_knows=knows)
    told = [(event.data["answer"], event.data["decoy"]) for event in table.seen(1, "briefing")]
    assert told == ([("b", "a")] if knows else [])
    assert not table.seen(0, "briefing") and not table.seen(2, "briefing")


def test_nobody_is_told_who_the_mole_is() -> None:
    table = Table(mole=1)
    for seat in (0, 2):
        assert "mole" not in repr(list(table.env.view(f"player_{seat}"))[2:])
