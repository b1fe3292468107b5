"""README, "Play"."""

from __future__ import annotations

import pytest

from liecraft.engine.errors import IllegalMove
from tests.games.conflicting_evidence.table import TEXTS, Table, case, claim

THREE = ("a:low", "b:medium", "none")


def test_first_each_seat_is_asked_where_it_leans_and_nobody_learns_it() -> None:
    table = Table(polls="start")
    assert table.phase == "lean" and table.legal() == ("lean:a", "lean:b", "lean:c", "lean:none")
    before = [list(table.env.view(seat)) for seat in table.env.seats]
    table.do("lean:a").do("lean:none")
    assert [list(table.env.view(seat)) for seat in table.env.seats] == before
    table.do("lean:b")
    assert [event.data["move"] for event in table.events("sealed")] == ["lean:a", "lean:none", "lean:b"]
    table.choose(*THREE)
    assert "lean:" not in repr([list(table.env.view(seat)) for seat in table.env.seats])


@pytest.mark.parametrize(("polls", "phases"), [("none", "ttt"), ("start", "lttt"), ("each", "ltltlt")])
def test_leanings_are_asked_for_as_polls_says(polls: str, phases: str) -> None:
    table, seen = Table(polls=polls), ""
    while table.phase != "choose":
        seen += table.phase[0]
        table.all("say" if table.phase == "talk" else "lean:none")
    assert seen == phases


@pytest.mark.parametrize("rounds", [0, 1, 4])
def test_there_are_as_many_rounds_of_talk_as_discussion_rounds(rounds: int) -> None:
    table, played = Table(discussion_rounds=rounds), 0
    while table.phase == "talk":
        table.all("say")
        played += 1
    assert played == rounds


def test_in_a_round_every_seat_has_one_turn_and_the_first_to_speak_changes() -> None:
    table, order = Table(), []
    while table.phase == "talk":
        order.append(table.seat)
        table.do("say")
    assert order == [0, 1, 2, 1, 2, 0, 2, 0, 1]


def test_a_pass_is_announced() -> None:
    table = Table().do("pass")
    assert [event.actor for event in table.seen(2, "silence")] == ["player_0"]


def test_what_is_said_is_heard_by_everyone() -> None:
    table = Table().do("say", "Dig at Telm.", [claim("prefer(b)")])
    for seat in range(3):
        (heard,) = table.seen(seat, "speech")
        assert heard.actor == "player_0" and heard.data["text"] == "Dig at Telm."
        assert heard.data["claims"] == (("prefer", "b"),)


def test_share_reports_the_item_in_the_slot_truly() -> None:
    table = Table().do("pass").do("pass").do("share:1")
    assert table.last("speech")["claims"] == (
        ("says", "e4", "b", "flow", "meets"),
        ("stressed", "e4", 1),
        ("sourced", "e4", 4, 2029),
        ("derives", "e4", "e3"),
    )
    assert {found for _, found in table.verdicts()} == {"true"}


def test_twist_reports_the_same_with_the_opposite_verdict() -> None:
    table = Table().do("pass").do("pass").do("twist:1")
    assert table.last("speech")["claims"] == (
        ("says", "e4", "b", "flow", "fails"),
        ("stressed", "e4", 1),
        ("sourced", "e4", 4, 2029),
        ("derives", "e4", "e3"),
    )
    assert [found for _, found in table.verdicts()] == ["lie", "true", "true", "true"]


def test_nobody_can_tell_a_twist_by_its_form() -> None:
    """A twist looks to others like the share of an item that says the opposite."""
    views = []
    for move, verdict in (("twist:1", "meets"), ("share:1", "fails")):
        items = [
            item
            if item.id != "e4" or item.content is None
            else item.__class__(
                "e4", False, "", item.source, item.content.__class__("b", "flow", verdict, None)
            )
            for item in case().items
        ]
        table = Table(dealt=case(items)).do("pass").do("pass").do(move)
        views.append([list(table.env.view(seat)) for seat in ("player_0", "player_1")])
    assert views[0] == views[1]


def test_an_item_without_content_is_shared_in_its_own_words_and_not_twisted() -> None:
    table = Table().do("pass").do("pass")
    assert {"share:3", "twist:2"} <= set(table.legal()) and "twist:3" not in table.legal()
    with pytest.raises(IllegalMove):
        table.do("twist:3")
    table.do("share:3", "Mind this.")
    assert table.last("speech")["text"] == f"{TEXTS[0].text} Mind this."
    assert table.last("speech")["claims"] == (("cites", "e7"),)


def test_only_filled_slots_can_be_shared() -> None:
    assert table_moves(Table(), "share") == ["share:0", "share:1"]
    assert table_moves(Table().do("pass"), "share") == ["share:0", "share:1", "share:2"]


def table_moves(table: Table, verb: str) -> list[str]:
    return [move for move in table.legal() if move.startswith(verb)]


def test_words_with_a_share_are_heard_after_the_report() -> None:
    table = Table().do("share:0", "Look here.", [claim("prefer(a)")])
    said = table.last("speech")
    assert said["text"] == "Look here." and [c[0] for c in said["claims"]] == [
        "says",
        "stressed",
        "sourced",
        "prefer",
    ]


def test_claims_and_text_past_the_limits_are_cut_off() -> None:
    table = Table(max_claims=3, max_text=4)
    table.do("share:0", "Look here.", [claim("prefer(a)")])
    assert table.last("speech")["text"] == "Look"
    assert [c[0] for c in table.last("speech")["claims"]] == ["says", "stressed", "sourced"]
    table = Table(max_claims=0).do("share:0")
    assert table.last("speech")["claims"] == ()


@pytest.mark.parametrize(("ends", "phase"), [(True, "choose"), (False, "talk")])
def test_a_round_in_which_everybody_passes_ends_the_talk(ends: bool, phase: str) -> None:
    assert Table(end_when_silent=ends).all("pass").phase == phase


def test_one_word_keeps_the_talk_going() -> None:
    table = Table().do("pass").do("pass").do("say")
    assert table.phase == "talk" and table.env.round == 2


def test_last_each_seat_chooses_an_option_and_a_confidence() -> None:
    table = Table().until("choose")
    levels = [f"choose:{option}:{level}" for option in "abc" for level in ("low", "medium", "high")]
    assert table.legal() == (*levels, "choose:none")


def test_without_abstention_an_option_must_be_chosen() -> None:
    table = Table(abstention=False).until("choose")
    assert "choose:none" not in table.legal()
    assert table.env.request().default == "choose:a:low"


def test_items_named_by_cites_in_the_reasons_count_as_cited_once() -> None:
    table = Table().until("choose")
    table.do(
        "choose:a:low", "", [claim("cites(e1)"), claim("prefer(a)"), claim("cites(e1)"), claim("cites(e2)")]
    )
    table.do("choose:b:high").do("choose:none")
    assert table.last("choices")["choices"] == (
        ("player_0", "a", "low", ("e1", "e2")),
        ("player_1", "b", "high", ()),
        ("player_2", "none", "", ()),
    )


def test_choices_and_their_words_are_secret_until_the_last_is_made() -> None:
    table = Table().until("choose")
    before = [list(table.env.view(seat)) for seat in table.env.seats]
    table.do("choose:a:low", "Because.").do("choose:b:high", "No.", [claim("cites(e3)")])
    assert [list(table.env.view(seat)) for seat in table.env.seats] == before
    table.do("choose:b:low")
    told = [event.kind for event in table.env.view("player_2") if event not in before[2]]
    assert told == ["choices", "speech", "speech", "result", "outcome"]


def test_defaults_lean_to_nothing_pass_and_abstain() -> None:
    table, seen = Table(polls="start"), set()
    while not table.env.finished:
        seen.add(table.env.request().default)
        table.do(table.env.request().default)
    assert seen == {"lean:none", "pass", "choose:none"}


def test_words_are_refused_with_a_leaning() -> None:
    table = Table(polls="start")
    with pytest.raises(IllegalMove):
        table.do("lean:a", "I lean to a.")
