"""The rules of README.md, sentence by sentence: bodies, talk, the vote."""

from __future__ import annotations

from typing import Any

import pytest

from liecraft.engine.errors import IllegalMove
from tests.games.murder.table import Table, seat


def names(*numbers: int) -> tuple[str, ...]:
    return tuple(seat(number) for number in numbers)


def silent_death(**config: Any) -> Table:
    """player_0 has killed player_1 alone in the library, in round 2; play stands at round 3."""
    table = Table(0, **config)
    table.act({0: "go:library", 1: "go:library"})
    table.act({0: "kill:player_1"})
    return table


# --- bodies ----------------------------------------------------------------------------------------------


def test_a_body_is_found_when_an_innocent_is_in_its_room_at_the_end_of_a_round() -> None:
    table = silent_death()
    assert table.env.phase == "act"
    table.act({2: "go:library", 0: "go:hall"})
    assert table.seen(5, "body") == [{"victim": "player_1", "room": "library", "finders": names(2)}]
    assert table.env.phase == "speak"


def test_an_innocent_who_saw_the_murder_reports_it_wherever_it_went() -> None:
    table = Table(0)
    table.act({number: "go:library" for number in (0, 1, 2)})
    table.act({0: "kill:player_1", 2: "go:study"})
    assert table.last(5, "body")["finders"] == names(0, 2)
    assert table.env.phase == "speak"


def test_murderers_alone_report_no_body() -> None:
    table = Table(0, 1, seats=8)
    table.act({number: "go:library" for number in (0, 1, 2)})
    table.act({0: "kill:player_2"})
    table.act()
    assert not table.seen(3, "body") and table.env.phase == "act"


def test_at_the_scene_are_all_who_are_in_the_room_or_saw_the_murder() -> None:
    table = Table(0, 5, seats=8)
    table.act({number: "go:library" for number in (0, 1, 2, 5)})
    table.act({0: "kill:player_1", 2: "go:study", 5: "go:hall", 3: "go:library"})
    assert table.last(7, "body")["finders"] == names(0, 2, 3, 5)


def test_a_body_that_nobody_comes_upon_stays_unknown() -> None:
    table = silent_death()
    for _ in range(3):
        table.act()
    assert not any(table.seen(number, "dead") for number in range(6))


def test_at_a_meeting_all_who_are_missing_are_known_to_be_dead() -> None:
    table = Table(0, seats=8)
    table.act({0: "go:library", 1: "go:library"})
    table.act({0: "kill:player_1", 2: "go:kitchen"})
    table.act({0: "go:hall"})
    table.act({0: "go:kitchen"})
    table.act({0: "kill:player_2"})
    table.act({3: "go:kitchen"})
    assert [body["victim"] for body in table.seen(4, "body")] == ["player_2"]
    assert table.seen(4, "dead") == [{"seats": names(1, 2)}]


def test_a_meeting_brings_all_to_the_hall() -> None:
    table = silent_death()
    table.act({2: "go:library", 3: "go:kitchen"})
    table.vote()
    for number in table.living:
        assert "go:kitchen" in table.legal_of(number)


def test_after_a_meeting_the_bodies_are_gone() -> None:
    table = silent_death()
    table.act({2: "go:library"})
    table.vote()
    table.act({2: "go:library"})
    assert table.last(2, "room")["bodies"] == ()
    assert len(table.seen(2, "body")) == 1


def test_at_dawn_all_meet_a_last_time() -> None:
    table = silent_death(rounds=3, dawn_meeting=True)
    table.act()
    assert table.seen(4, "dawn") == [{"round": 3}]
    assert not table.seen(4, "body")
    assert table.seen(4, "dead") == [{"seats": names(1)}]
    table.vote({2: 0, 3: 0})
    assert table.outcome == ("truthful", "justice")


def test_a_body_found_in_the_last_round_makes_that_meeting_the_last() -> None:
    table = silent_death(rounds=3, dawn_meeting=True)
    table.act({2: "go:library"})
    assert table.seen(4, "body") and not table.seen(4, "dawn")
    table.vote()
    assert table.outcome == ("deceivers", "dawn")


def test_without_a_dawn_meeting_the_game_ends_at_dawn() -> None:
    table = Table(0, rounds=2, dawn_meeting=False)
    table.act()
    table.act()
    assert table.outcome == ("deceivers", "dawn")
    assert not table.events("ballots")


# --- talk ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_before_a_vote_each_living_seat_speaks_as_often_as_there_are_discussion_rounds(rounds: int) -> None:
    table = Table(0, discussion_rounds=rounds)
    table.meet(victim=3)
    speakers = []
    while table.env.phase == "speak":
        speakers.append(table.number)
        table.move("say", "hm")
    assert sorted(speakers) == sorted([0, 1, 2, 4, 5] * rounds)
    assert table.env.phase == "vote"


def test_the_first_to_speak_changes_with_each_round_of_talk_and_each_meeting() -> None:
    table = Table(0, seats=8)
    first = []
    for victim in (7, 6):
        table.meet(victim)
        for _ in range(2):
            first.append(table.number)
            for _ in range(len(table.living)):
                table.move("silent")
        table.vote()
    assert first == [0, 1, 1, 2]


def test_a_seat_may_say_something_ask_another_living_seat_or_stay_silent() -> None:
    table = Table(0)
    table.meet(victim=3)
    assert table.legal == ("silent", "say", *(f"ask:{seat(i)}" for i in (1, 2, 4, 5)))
    table.move("silent")
    assert table.events("silence")[0].actor == "player_0"


def test_who_is_asked_answers_at_once() -> None:
    table = Table(0)
    table.meet(victim=3)
    table.move("ask:player_4", "Where were you?")
    assert (table.number, table.env.phase, table.legal) == (4, "answer", ("answer",))
    table.move("answer", "In the hall.")
    assert (table.number, table.env.phase) == (1, "speak")
    said = [(event.actor, event.data["to"], event.data["text"]) for event in table.events("speech")]
    assert said == [("player_0", "player_4", "Where were you?"), ("player_4", None, "In the hall.")]


def test_all_hear_every_word() -> None:
    table = Table(0)
    table.meet(victim=3)
    table.move("ask:player_4", "Where were you?", ("suspect", "player_4"))
    for number in range(6):
        heard = table.last(number, "speech")
        assert (heard["text"], heard["claims"]) == ("Where were you?", (("suspect", "player_4"),))


def test_without_discussion_rounds_the_vote_comes_at_once() -> None:
    table = Table(0, discussion_rounds=0)
    table.meet()
    assert table.env.phase == "vote"


def test_words_change_nothing_but_minds() -> None:
    lines = ["game over", "The game is over (justice): the innocents win.", "player_0 is banished"]
    table, other = Table(0), Table(0)
    for one, text in ((table, lines), (other, ["", "", ""])):
        one.meet()
        for line in text:
            one.move("say", line)
    assert table.outcome is None
    assert (table.number, table.legal, table.living) == (other.number, other.legal, other.living)
    assert table.env.rewards == other.env.rewards
    with pytest.raises(IllegalMove, match="with words"):
        loud = Table(0)
        loud.move("wait", "game over")


def test_what_is_too_long_is_cut() -> None:
    table = Table(0, max_text=5, max_claims=2)
    table.meet()
    table.move("say", "0123456789", *(("suspect", f"player_{i}") for i in (1, 2, 3, 4)))
    assert table.last(1, "speech") == {
        "text": "01234", "claims": (("suspect", "player_1"), ("suspect", "player_2")), "to": None
    }  # fmt: skip


# --- the vote --------------------------------------------------------------------------------------------


def test_ballots_are_secret_until_the_last_is_in() -> None:
    table = Table(0)
    table.meet(victim=5)
    table.hush()
    seen = [len(table.env.view(seat(number))) for number in range(6)]
    for _ in range(4):
        table.move("vote:none")
        assert [len(table.env.view(seat(number))) for number in range(6)] == seen
    table.move("vote:player_0")
    ballots = table.last(1, "ballots")
    assert ballots["votes"] == (*((seat(i), "none") for i in range(4)), ("player_4", "player_0"))
    assert ballots["candidates"] == names(0, 1, 2, 3, 4)


def test_more_votes_than_anybody_else_banish_a_seat() -> None:
    table = Table(0)
    table.meet(victim=5)
    table.vote({0: 1, 1: 2, 2: 1})
    assert table.last(4, "banished")["seat"] == "player_1"
    assert table.seen(4, "dead")[-1] == {"seats": names(1)}
    assert table.living == [0, 2, 3, 4]


def test_under_an_absolute_majority_more_than_half_of_all_ballots_are_needed() -> None:
    for votes, banished in (({0: 1, 2: 1, 3: 1}, True), ({0: 1, 2: 1}, False)):
        table = Table(0, majority="absolute")
        table.meet(victim=5)
        table.vote(votes)  # of five ballots
        assert bool(table.seen(4, "banished")) is banished


def test_abstentions_banish_nobody() -> None:
    table = Table(0)
    table.meet(victim=5)
    table.vote()
    assert not table.seen(1, "banished") and table.env.phase == "act"
    table = Table(0)
    table.meet(victim=5)
    table.vote({3: 1})  # four abstain; the one vote counts
    assert table.last(2, "banished")["seat"] == "player_1"


@pytest.mark.parametrize("allowed", [True, False])
def test_an_abstention_is_legal_only_if_the_rules_allow_it(allowed: bool) -> None:
    table = Table(0, abstention=allowed)
    table.meet()
    table.hush()
    assert ("vote:none" in table.legal) is allowed
    assert table.env.default(table.env.agent_selection) == ("vote:none" if allowed else "vote:player_2")


@pytest.mark.parametrize("allowed", [True, False])
def test_a_vote_for_oneself_is_legal_only_if_the_rules_allow_it(allowed: bool) -> None:
    table = Table(0, self_vote=allowed)
    table.meet(victim=5)
    table.hush()
    for number in table.living:
        assert (f"vote:{seat(number)}" in table.legal_of(number)) is allowed
        table.move(f"vote:{seat(number)}" if allowed else "vote:none")
    assert bool(table.seen(1, "banished")) is False  # each for itself is a tie


def test_a_vote_for_the_dead_is_never_legal() -> None:
    table = Table(0)
    table.meet(victim=5)
    table.hush()
    digest = table.env.ledger.digest()
    with pytest.raises(IllegalMove, match="vote:player_5 is not one of your legal moves now"):
        table.move("vote:player_5")
    assert table.env.ledger.digest() == digest


def tied(rule: str, votes: dict[int, int], seed: int = 0, **config: Any) -> Table:
    """A meeting of six of seven seats at which these votes are cast."""
    table = Table(0, seats=7, tie=rule, seed=seed, **config)
    table.meet(victim=6)
    table.vote(votes)
    return table


TWO_EACH = {0: 2, 1: 2, 2: 3, 4: 3}


def test_on_a_tie_under_none_nobody_is_banished() -> None:
    table = tied("none", TWO_EACH)
    assert not table.seen(1, "banished") and table.env.phase == "act"


def test_on_a_tie_under_random_one_of_the_tied_is_banished_by_lot() -> None:
    drawn = {
        tuple(data["seat"] for data in tied("random", TWO_EACH, seed=seed).seen(1, "banished"))
        for seed in range(12)
    }
    assert drawn == {("player_2",), ("player_3",)}
    same = [tied("random", TWO_EACH, seed=4).env.ledger.digest() for _ in range(2)]
    assert same[0] == same[1]


def test_on_a_tie_under_all_every_one_of_the_tied_is_banished() -> None:
    table = tied("all", TWO_EACH)
    assert [data["seat"] for data in table.seen(1, "banished")] == ["player_2", "player_3"]
    assert table.living == [0, 1, 4, 5]


def test_on_a_tie_under_runoff_all_vote_once_more_among_the_tied() -> None:
    table = tied("runoff", TWO_EACH)
    assert table.last(1, "tie") == {"seats": names(2, 3)}
    assert table.env.phase == "vote"
    assert table.legal_of(0) == ("vote:player_2", "vote:player_3", "vote:none")
    assert table.legal_of(2) == ("vote:player_3", "vote:none")
    table = tied("runoff", TWO_EACH)
    table.vote({0: 3})
    assert table.last(1, "banished")["seat"] == "player_3"
    assert table.seen(1, "ballots")[1]["candidates"] == names(2, 3)


def test_a_second_tie_banishes_nobody() -> None:
    table = tied("runoff", TWO_EACH)
    table.vote(TWO_EACH)
    assert len(table.seen(1, "tie")) == 1
    assert not table.seen(1, "banished") and table.env.phase == "act"


def test_if_all_vote_for_different_seats_the_runoff_is_among_all_of_them_once() -> None:
    around = {0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 0}
    table = tied("runoff", around)
    assert table.last(1, "tie") == {"seats": names(0, 1, 2, 3, 4, 5)}
    table.vote(around)
    assert table.env.phase == "act" and table.env.round == 2
    assert tied("none", around).env.phase == "act"
    assert len(tied("random", around).seen(1, "banished")) == 1
    assert tied("all", around).outcome == ("truthful", "justice")


def test_a_runoff_under_an_absolute_majority_needs_more_than_half_again() -> None:
    table = tied("runoff", {0: 2, 1: 2, 4: 2, 2: 3, 3: 2}, majority="absolute")
    assert table.last(1, "banished")["seat"] == "player_2"
    table = tied("runoff", TWO_EACH, majority="absolute")  # neither has more than three
    assert not table.seen(1, "tie") and table.env.phase == "act"


@pytest.mark.parametrize("reveal", [True, False])
def test_the_role_of_a_banished_seat_is_told_if_the_rules_say_so(reveal: bool) -> None:
    table = Table(0, reveal=reveal)
    table.meet(victim=5)
    table.vote({0: 1, 2: 1})
    assert table.last(3, "banished") == {"seat": "player_1", "role": "innocent" if reveal else None}
