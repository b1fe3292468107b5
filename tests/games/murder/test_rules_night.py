"""The rules of README.md, sentence by sentence: the manor, rounds, sight, searches, kills."""

from __future__ import annotations

import numpy as np
import pytest

from liecraft.engine.errors import IllegalMove
from liecraft.games.murder.config import MurderConfig
from liecraft.games.murder.env import MurderEnv
from liecraft.games.murder.world import deal
from tests.games.murder.table import MANOR, Table, seat


def names(*numbers: int) -> tuple[str, ...]:
    return tuple(seat(number) for number in numbers)


# --- the manor -------------------------------------------------------------------------------------------


def test_all_begin_in_the_hall() -> None:
    table = Table(0)
    assert set(table.legal) == {
        "wait", "search", "go:kitchen", "go:library", *(f"kill:{seat(i)}" for i in range(1, 6))
    }  # fmt: skip
    table.act()
    for number in range(6):
        assert table.last(number, "room")["room"] == "hall"
        assert len(table.last(number, "room")["here"]) == 5


def test_a_seat_knows_its_own_role_and_no_other() -> None:
    table = Table(2)
    for number in range(6):
        (role,) = table.seen(number, "role")
        assert role["role"] == ("murderer" if number == 2 else "innocent")
        assert [event.kind for event in table.env.view(seat(number))] == ["game", "role", "phase"]


def test_two_murderers_know_each_other() -> None:
    table = Table(1, 4, seats=7)
    assert table.seen(1, "partner") == [{"seat": "player_4"}]
    assert table.seen(4, "partner") == [{"seat": "player_1"}]
    assert not any(table.seen(number, "partner") for number in (0, 2, 3, 5, 6))


def test_the_hall_hides_nothing_at_first() -> None:
    config = MurderConfig()
    world = deal(config, [seat(i) for i in range(6)], np.random.default_rng(5))
    assert not world.stash.get(config.hall)
    things = [thing for hidden in world.stash.values() for thing in hidden]
    assert sorted({thing.partition(":")[0] for thing in things}) == ["clue", "key", "nothing"]
    assert len(things) == config.clues + 6 * config.clutter + 1


# --- a round ---------------------------------------------------------------------------------------------


def test_every_living_seat_commits_one_act_in_secret() -> None:
    table = Table(0)
    actors = []
    for _ in range(6):
        actors.append(table.number)
        table.move("wait")
    assert actors == [0, 1, 2, 3, 4, 5]
    assert [event.actor for event in table.events("sealed")] == [seat(i) for i in range(6)]
    assert not any(table.seen(number, "sealed") for number in range(6))


def test_a_seat_may_wait_search_or_go_to_an_adjacent_room() -> None:
    table = Table(0)
    table.act({1: "go:library"})
    assert table.legal_of(1) == ("wait", "search", "go:hall", "go:study")
    with pytest.raises(IllegalMove, match="go:kitchen is not one of your legal moves now"):
        table.move("go:kitchen")
    table.move("go:study")


def test_nothing_is_seen_of_an_act_before_all_have_acted() -> None:
    table = Table(0)
    before = [len(table.env.view(seat(number))) for number in range(6)]
    table.move("kill:player_3")
    for move in ("go:library", "search", "go:kitchen", "wait"):
        table.move(move)
        assert [len(table.env.view(seat(number))) for number in range(6)] == before


def test_kills_come_first_then_searches_then_steps() -> None:
    table = Table(0, stash={"library": ["clue:player_5", "clue:player_4"]})
    table.act({number: "go:library" for number in (0, 1, 2)})
    table.act({0: "kill:player_1", 1: "search", 2: "search", 3: "go:library"})
    assert not table.seen(1, "found")  # struck before it searched
    assert table.last(2, "found")["seat"] == "player_5"
    assert table.last(3, "room")["bodies"] == ("player_1",)  # came after the kill
    assert table.seen(2, "witness") and not table.seen(3, "witness")


# --- sight -----------------------------------------------------------------------------------------------


def test_at_the_end_of_a_round_a_seat_sees_its_room_and_whom_it_makes_out_there() -> None:
    table = Table(0)
    table.act({1: "go:library", 2: "go:library", 3: "go:kitchen"})
    assert table.last(1, "room") == {
        "round": 1, "room": "library", "here": names(2), "came": names(2), "left": (), "bodies": ()
    }  # fmt: skip
    assert table.last(3, "room")["here"] == ()
    assert table.last(0, "room")["here"] == names(4, 5)


def test_it_sees_who_came_and_if_it_stayed_who_left() -> None:
    table = Table(0)
    table.act({1: "go:library", 2: "go:library"})
    table.act({1: "go:hall", 3: "go:library"})
    assert table.last(2, "room")["came"] == names(3)
    assert table.last(2, "room")["left"] == names(1)
    assert table.last(3, "room")["left"] == ()  # it left the hall itself, and saw nobody leave the library
    assert table.last(0, "room")["came"] == names(1)
    assert table.last(0, "room")["left"] == names(3)


def test_it_sees_every_body_in_its_room() -> None:
    table = Table(0, 1, seats=8)
    table.act({number: "go:library" for number in (0, 1, 2, 3)})
    table.act({0: "kill:player_2", 1: "kill:player_3"})
    assert table.last(0, "room")["bodies"] == names(2, 3)
    table.act({0: "go:hall"})
    assert table.last(0, "room")["bodies"] == ()


def test_it_sees_nothing_of_other_rooms() -> None:
    table, other = Table(0), Table(0)
    for one, acts in ((table, {1: "go:library", 2: "search"}), (other, {1: "go:library", 2: "go:kitchen"})):
        one.act(acts)
    assert table.last(1, "room") == other.last(1, "room")
    assert list(table.env.view("player_1")) == list(other.env.view("player_1"))


def test_an_innocent_does_not_make_out_whom_the_dark_hides_from_it_in_that_round() -> None:
    dark = ((), names(2, 3), (), (), (), ())
    table = Table(0, dark=(dark,))
    table.act({3: "go:library"})
    assert table.last(1, "room")["here"] == names(0, 4, 5)
    assert table.last(1, "room")["left"] == ()
    assert table.last(2, "room")["here"] == names(0, 1, 4, 5)
    table.act()
    assert table.last(1, "room")["here"] == names(0, 2, 4, 5)


def test_the_dark_hides_a_seat_with_the_chance_that_the_configuration_says() -> None:
    config = MurderConfig(seats=8, darkness=0.3, rounds=30)
    world = deal(config, [seat(i) for i in range(8)], np.random.default_rng(1))
    hidden = sum(len(unseen) for night in world.dark for unseen in night)
    assert len(world.dark) == 30
    assert abs(hidden / (30 * 8 * 7) - 0.3) < 0.05
    assert deal(MurderConfig(darkness=0), [seat(i) for i in range(6)], np.random.default_rng(1)).dark == ()


def test_murderers_see_in_the_dark() -> None:
    table = Table(0, dark=((names(1, 2, 3, 4, 5), (), (), (), (), ()),))
    table.act()
    assert table.last(0, "room")["here"] == names(1, 2, 3, 4, 5)


# --- searching -------------------------------------------------------------------------------------------


def test_a_search_finds_the_next_thing_hidden_in_the_room() -> None:
    table = Table(0, stash={"library": ["clue:player_3", "key"]})
    table.act({1: "go:library"})
    table.act({1: "search"})
    table.act({1: "search"})
    assert table.seen(1, "found") == [
        {"item": "clue", "seat": "player_3", "round": 2, "room": "library"},
        {"item": "key", "round": 3, "room": "library"},
    ]
    assert not any(table.seen(number, "found") for number in (0, 2, 3, 4, 5))


def test_a_search_finds_nothing_where_nothing_is_left() -> None:
    table = Table(0)
    table.act({1: "search"})
    assert table.seen(1, "found") == [{"item": "nothing", "round": 1, "room": "hall"}]


def test_worthless_things_are_found_as_nothing() -> None:
    table = Table(0, stash={"library": ["nothing", "clue:player_3"]})
    table.act({1: "go:library"})
    table.act({1: "search"})
    table.act({1: "search"})
    assert [found["item"] for found in table.seen(1, "found")] == ["nothing", "clue"]


def test_a_clue_names_a_seat() -> None:
    table = Table(0, stash={"library": ["clue:player_1"]})
    table.act({1: "go:library"})
    table.act({1: "search"})
    assert table.last(1, "found")["seat"] == "player_1"  # perhaps the finder


def test_two_who_search_the_same_room_find_in_seat_order() -> None:
    table = Table(0, stash={"library": ["clue:player_4", "clue:player_5"]})
    table.act({1: "go:library", 2: "go:library"})
    table.act({1: "search", 2: "search"})
    assert table.last(1, "found")["seat"] == "player_4"
    assert table.last(2, "found")["seat"] == "player_5"


def test_what_was_found_is_gone_for_the_others() -> None:
    table = Table(0, stash={"library": ["key"]})
    table.act({1: "go:library", 2: "go:library"})
    table.act({1: "search", 2: "search"})
    assert table.last(2, "found")["item"] == "nothing"


@pytest.mark.parametrize(("murderers", "odds"), [(1, 1.0), (1, 4.0), (2, 2.5)])
def test_a_murderer_is_named_by_a_clue_more_often_than_an_innocent_by_the_odds(
    murderers: int, odds: float
) -> None:
    config = MurderConfig(seats=8, murderers=murderers, clues=60, clue_odds=odds)
    seats = [seat(i) for i in range(8)]
    rng = np.random.default_rng(3)
    right = total = 0
    for _ in range(60):
        world = deal(config, seats, rng)
        named = [t.partition(":")[2] for things in world.stash.values() for t in things if "clue" in t]
        guilty = {name for name, role in zip(seats, world.roles, strict=True) if role == "murderer"}
        right += sum(name in guilty for name in named)
        total += len(named)
    expected = odds * murderers / (odds * murderers + 8 - murderers)
    assert abs(right / total - expected) < 0.03


# --- killing ---------------------------------------------------------------------------------------------


def test_only_a_murderer_may_kill_and_only_an_innocent_in_its_room() -> None:
    table = Table(0, 5, seats=8)
    assert [move for move in table.legal if "kill" in move] == [f"kill:{seat(i)}" for i in (1, 2, 3, 4, 6, 7)]
    table.act({0: "go:library", 1: "go:library"})
    assert [move for move in table.legal if "kill" in move] == ["kill:player_1"]
    assert not any("kill" in move for move in table.legal_of(1))


def test_nobody_may_be_killed_before_the_first_kill_round() -> None:
    table = Table(0, first_kill=3)
    for _ in range(2):
        assert not any("kill" in move for move in table.legal)
        table.act()
    assert any("kill" in move for move in table.legal)


@pytest.mark.parametrize("cooldown", [0, 1, 3])
def test_after_a_kill_the_murderer_must_let_the_cooldown_pass(cooldown: int) -> None:
    table = Table(0, seats=8, cooldown=cooldown)
    table.act({number: "go:library" for number in (0, 1)})
    table.act({0: "kill:player_1"})
    table.act({0: "go:hall"} if not cooldown else {})
    passed = 1
    while passed <= cooldown:
        assert not any("kill" in move for move in table.legal)
        table.act({0: "go:hall"} if passed == cooldown else {})
        passed += 1
    assert any("kill" in move for move in table.legal)


def test_the_act_of_a_victim_does_not_happen() -> None:
    table = Table(0, stash={"library": ["key"]})
    table.act({0: "go:library", 1: "go:library"})
    table.act({0: "kill:player_1", 1: "go:hall"})
    assert table.last(0, "room")["bodies"] == names(1)
    assert "player_1" not in table.last(2, "room")["came"]


def test_two_murderers_who_strike_the_same_seat_kill_once() -> None:
    table = Table(0, 1, seats=8, cooldown=2)
    table.act({number: "go:library" for number in (0, 1, 2)})
    table.act({0: "kill:player_2", 1: "kill:player_2"})
    assert table.seen(2, "killed") == [{"killer": "player_0", "round": 2}]
    assert table.last(1, "witness")["killer"] == "player_0"
    assert not table.seen(0, "witness")
    assert len(table.living) == 7
    table.act({0: "go:hall", 1: "go:hall"})
    assert not any("kill" in move for move in table.legal_of(0))
    assert any("kill" in move for move in table.legal_of(1))  # it killed nobody, so it need not rest


def test_all_who_stood_in_the_room_see_the_murder_in_the_dark_too() -> None:
    night = ((), (), names(0, 1), (), (), ())
    table = Table(0, dark=(night, night))
    table.act({number: "go:library" for number in (0, 1, 2)})
    table.act({0: "kill:player_1", 2: "go:hall"})
    assert table.seen(2, "witness") == [
        {"killer": "player_0", "victim": "player_1", "room": "library", "round": 2}
    ]
    assert not any(table.seen(number, "witness") for number in (0, 1, 3, 4, 5))


def test_a_victim_learns_who_killed_it() -> None:
    table = Table(0)
    table.act({0: "go:library", 1: "go:library"})
    table.act({0: "kill:player_1"})
    assert table.seen(1, "killed") == [{"killer": "player_0", "round": 2}]
    assert not any(table.seen(number, "killed") for number in (0, 2, 3, 4, 5))


def test_the_dead_hear_what_is_public_and_nothing_else() -> None:
    table = Table(0, stash={"library": ["clue:player_3"]})
    table.act({number: "go:library" for number in (0, 1)})
    table.act({0: "kill:player_1"})
    died = len(table.env.view("player_1"))
    table.act({2: "go:library"})
    table.move("say", "hello")
    heard = [event.kind for event in table.env.view("player_1").since(died)]
    assert heard == ["body", "dead", "phase", "speech"]
    everyone = [entry.event for entry in table.env.ledger if entry.audience == -1]
    assert table.env.view("player_1").since(died) == everyone[-len(heard) :]


def test_the_dead_take_no_turns() -> None:
    table = Table(0, seats=8)
    turns: list[int] = []

    def play(moves: dict[int, str], count: int) -> None:
        for _ in range(count):
            turns.append(table.number)
            table.move(moves.get(table.number, "wait"))

    play({number: "go:library" for number in (0, 3, 5)}, 8)
    play({0: "kill:player_3", 5: "go:study"}, 8)  # player_5 saw it: a meeting
    assert turns == [*range(8), *range(8)]
    turns.clear()
    play(dict.fromkeys(range(8), "silent"), 14)
    assert turns == [0, 1, 2, 4, 5, 6, 7, 1, 2, 4, 5, 6, 7, 0]
    turns.clear()
    play(dict.fromkeys(range(8), "vote:player_5"), 4)
    play({5: "vote:none"}, 1)
    assert turns == [0, 1, 2, 4, 5]


def test_the_order_of_turns_after_several_deaths_is_that_of_the_living() -> None:
    table = Table(0, seats=8)
    table.act({0: "kill:player_3"})
    table.vote({number: 5 for number in (0, 1, 2)})
    turns = []
    for _ in range(6):
        turns.append(table.number)
        table.move("kill:player_1" if table.number == 0 else "wait")
    assert turns == [0, 1, 2, 4, 6, 7]
    turns.clear()
    while table.env.phase == "speak":
        turns.append(table.number)
        table.move("silent")
    assert turns == [2, 4, 6, 7, 0, 4, 6, 7, 0, 2]
    turns.clear()
    for _ in range(5):
        turns.append(table.number)
        table.move("vote:none")
    assert turns == [0, 2, 4, 6, 7]
    assert [table.number, table.env.phase] == [0, "act"]


def test_the_plain_table_is_the_manor_that_the_tests_speak_of() -> None:
    assert sorted(MurderEnv(manor=MANOR).config.graph().edges) == sorted(MANOR)
