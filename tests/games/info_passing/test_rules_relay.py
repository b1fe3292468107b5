"""README, "The relay", "Moves without words", "The report"."""

from __future__ import annotations

import pytest

from liecraft.engine.errors import IllegalMove
from tests.games.info_passing.table import SLOTS, TRUE, Table

ALL = [f"slot_is({slot}, {value})" for slot, value in TRUE.items()]
DIAMOND = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]


def test_every_seat_with_listeners_speaks_once_a_wave_in_seat_order() -> None:
    table, order = Table(waves=2), []
    while table.phase == "relay":
        order.append((table.env.round, table.seat))
        table.do("send")
    assert order == [(wave, f"player_{i}") for wave in (1, 2) for i in (0, 1, 2)]


@pytest.mark.parametrize(("topology", "waves"), [("chain", 1), ("tree", 1), ("ring", 2)])
def test_there_is_one_wave_and_on_a_ring_two(topology: str, waves: int) -> None:
    assert Table(topology=topology).env.config.waves == waves


def test_on_a_ring_the_last_seat_speaks_to_the_first() -> None:
    table = Table(topology="ring", waves=1).all("relay:faithful")
    assert table.stated(0) == TRUE


def test_a_message_reaches_all_listeners_at_once_and_no_one_else() -> None:
    table = Table(edges=DIAMOND, seats=5)
    table.do("send", *ALL, text="All is well.")
    for seat in (1, 2):
        assert table.stated(seat) == TRUE
        assert table.heard(seat)[0].data["text"] == "All is well."
        assert table.heard(seat)[0].actor == "player_0"
    assert not table.heard(3) and not table.heard(4)
    assert not table.heard(3, "speech") and not table.heard(4, "speech")


def test_what_a_message_states_is_what_its_claims_state() -> None:
    table = Table().do("send", "slot_is(where, harbour)", text="where is mill")
    table.do("relay:faithful")
    assert table.stated(2) == {"who": None, "where": "harbour", "when": None}


def test_of_several_statements_on_one_slot_the_last_counts() -> None:
    table = Table().do("send", "slot_is(where, harbour)", "dont_know(where)", "slot_is(where, mill)")
    assert table.heard(1)[0].data["claims"] == (("slot_is", "where", "mill"),)


def test_a_value_that_its_slot_cannot_have_is_not_heard() -> None:
    table = Table().do("send", "slot_is(where, noon)", "slot_is(when, dawn)")
    assert table.heard(1)[0].data["claims"] == (("slot_is", "when", "dawn"),)


def test_claims_and_text_beyond_the_limits_are_cut_off() -> None:
    table = Table(max_claims=2, max_text=5).do("send", *ALL, text="abcdefgh")
    assert table.stated(1) == {"who": "smith", "where": "mill"}
    assert table.heard(1)[0].data["text"] == "abcde"
    table.do("relay:faithful")
    assert table.stated(2) == {"who": "smith", "where": "mill"}


def test_a_seat_may_say_nothing() -> None:
    table = Table().do("send")
    assert table.heard(1)[0].data["claims"] == ()


def test_claims_given_with_a_move_that_says_something_are_replaced_and_text_is_kept() -> None:
    table = Table().do("relay:blank", *ALL, text="Nothing for you.")
    assert table.stated(1) == dict.fromkeys(SLOTS)
    assert table.heard(1)[0].data["text"] == "Nothing for you."


def test_a_source_holds_the_bulletin() -> None:
    assert Table().do("relay:faithful").stated(1) == TRUE


def test_a_seat_holds_the_value_it_heard_most_often() -> None:
    table = Table(seats=5, edges=[(0, 3), (1, 3), (2, 3), (3, 4)])
    for value in ("harbour", "mill", "harbour"):
        table.do("send", f"slot_is(where, {value})")
    assert table.do("relay:faithful").stated(4)["where"] == "harbour"
    table = Table(seats=5, edges=[(0, 3), (1, 3), (2, 3), (3, 4)])
    for value in ("harbour", "harbour", "mill"):
        table.do("send", f"slot_is(where, {value})")
    assert table.do("relay:faithful").stated(4)["where"] == "harbour"


def test_of_values_heard_equally_often_it_holds_the_last() -> None:
    table = Table(edges=[(0, 2), (1, 2), (2, 3)])
    table.do("send", "slot_is(where, harbour)").do("send", "slot_is(where, chapel)")
    assert table.do("relay:faithful").stated(3)["where"] == "chapel"


def test_damaged_values_do_not_count() -> None:
    table = Table(noise=[(1, "player_0", "player_1", "where", 1, True)])
    assert table.do("relay:faithful").stated(1)["where"] == "harbour"
    assert table.do("relay:faithful").stated(2)["where"] is None


def test_alter_sends_for_every_slot_another_value_than_held_and_than_the_true_one() -> None:
    for seed in range(20):
        table = Table(saboteurs=[1])
        table.env.reset(seed=seed, options={"world": table.world})
        table.do("send", "slot_is(who, baker)", "slot_is(where, mill)").do("relay:alter")
        told = table.stated(2)
        assert told["who"] == "weaver"
        assert told["where"] in ("harbour", "chapel")
        assert told["when"] == "dawn"


def test_alter_with_two_values_never_sends_the_true_one_if_it_is_known() -> None:
    table = Table(saboteurs=[1]).do("send", "slot_is(when, dawn)").do("relay:alter")
    assert table.stated(2)["when"] == "dawn"


def test_alter_draws_evenly_and_the_same_again_under_the_same_seed() -> None:
    drawn = []
    for seed in range(40):
        table = Table(saboteurs=[1])
        for _ in range(2):
            table.env.reset(seed=seed, options={"world": table.world})
            drawn.append(table.do("relay:faithful").do("alter:where").stated(2)["where"])
    assert drawn[::2] == drawn[1::2]
    assert 10 < drawn.count("chapel") / 2 < 30


def test_alter_and_withhold_of_one_slot_leave_the_others() -> None:
    table = Table().do("alter:where")
    assert table.stated(1)["where"] != "mill"
    assert {**table.stated(1), "where": "mill"} == TRUE
    assert Table().do("withhold:where").stated(1) == {**TRUE, "where": None}


def test_pass_sends_what_one_speaker_told_last() -> None:
    table = Table(edges=[(0, 2), (1, 2), (2, 3)])
    table.do("send", "slot_is(where, harbour)").do("send", "slot_is(where, chapel)", "slot_is(when, noon)")
    assert table.do("pass:player_0").stated(3) == {"who": None, "where": "harbour", "when": None}


def test_pass_is_legal_for_ones_own_speakers_only() -> None:
    table = Table(edges=[(0, 2), (1, 2), (2, 3)]).do("send").do("send")
    assert [move for move in table.legal() if move.startswith("pass")] == ["pass:player_0", "pass:player_1"]
    with pytest.raises(IllegalMove):
        table.do("pass:player_3")


@pytest.mark.parametrize("phase", ["relay", "report", "ask", "name"])
def test_all_seats_have_the_same_menu_whatever_their_role(phase: str) -> None:
    menus = []
    for saboteur in (0, 1, 2):
        table = Table(saboteurs=[saboteur]).until(phase)
        menu = []
        while not table.env.finished and table.phase == phase:
            menu.append(table.legal())
            table.do(table.env.request().default)
        menus.append(menu)
    assert menus[0] == menus[1] == menus[2]


@pytest.mark.parametrize(
    ("phase", "default"),
    [("relay", "send"), ("report", "report"), ("ask", "ask:none"), ("name", "name:none")],
)
def test_the_default_says_nothing(phase: str, default: str) -> None:
    assert Table().until(phase).env.request().default == default


def test_after_the_last_wave_each_sink_reports_in_public() -> None:
    table = Table(edges=[(0, 1), (1, 2), (1, 3)], saboteurs=[1]).all("relay:faithful")
    assert (table.phase, table.seat) == ("report", "player_2")
    table.do("report", "slot_is(where, chapel)", text="It is chapel.")
    assert (table.phase, table.seat) == ("report", "player_3")
    for seat in range(4):
        assert dict(table.heard(seat, "report")[0].data["slots"]) == {
            "who": None,
            "where": "chapel",
            "when": None,
        }
        assert table.heard(seat, "speech")[-1].data["text"] == "It is chapel."


@pytest.mark.parametrize(
    ("move", "told"),
    [
        ("report:faithful", TRUE),
        ("report:blank", dict.fromkeys(TRUE)),
        ("pass:player_2", TRUE),
        ("report", {}),
    ],
)
def test_a_report_without_words_says_what_it_says_in_the_relay(move: str, told: dict[str, str]) -> None:
    table = Table().until("report").do(move)
    assert dict(table.all_of("report")[0].data["slots"]) == {**dict.fromkeys(TRUE), **told}
