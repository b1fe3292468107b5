"""The rules of README.md, sentence by sentence: the end, rewards, claims; and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from liecraft.engine.errors import ConfigError
from liecraft.games.murder.env import MurderEnv, MurderWorld
from tests.games.murder.table import Table, seat

# --- the end ---------------------------------------------------------------------------------------------


def test_the_innocents_win_when_no_murderer_is_in_play() -> None:
    table = Table(0, 1, seats=8)
    table.meet(victim=7)
    table.vote({3: 0, 4: 0})
    assert table.outcome is None  # one is left
    table.act({1: "kill:player_6"})
    table.vote({3: 1, 4: 1})
    assert table.outcome == ("truthful", "justice")


def test_the_innocents_win_even_if_nobody_is_left() -> None:
    table = Table(0, seats=4, tie="all")
    table.meet(victim=3)
    table.vote({0: 1, 1: 2, 2: 0})
    assert table.living == []
    assert table.outcome == ("truthful", "justice")


def test_the_murderers_win_when_they_are_as_many_as_the_innocents() -> None:
    table = Table(0, seats=4)
    table.meet(victim=3)
    table.vote({0: 1, 2: 1})
    assert table.outcome == ("deceivers", "parity")
    table = Table(0, 1, seats=7)
    table.meet(victim=6)
    table.vote()
    table.act({0: "kill:player_5", 1: "kill:player_4"})
    assert table.outcome == ("deceivers", "parity")
    assert not table.events("body")[1:]  # no meeting after the end


def test_if_all_tied_are_banished_and_a_murderer_is_left_with_one_the_murderers_win() -> None:
    table = Table(0, seats=5, tie="all")
    table.meet(victim=4)
    table.vote({0: 1, 1: 2})
    assert table.outcome == ("deceivers", "parity")


@pytest.mark.parametrize("dawn", ["deceivers", "truthful"])
def test_if_a_murderer_is_in_play_after_dawn_the_dawn_side_wins(dawn: str) -> None:
    table = Table(0, rounds=2, dawn=dawn, dawn_meeting=True)
    table.act()
    table.act()
    table.vote({2: 1, 3: 1})
    assert table.outcome == (dawn, "dawn")


def test_dawn_may_be_a_draw() -> None:
    table = Table(0, rounds=2, dawn="none", shaping={"kill": 0.5})
    table.act({0: "go:library", 1: "go:library"})
    table.act({0: "kill:player_1"})
    assert table.outcome == ("none", "dawn")
    total = returns(table)
    assert total["player_0"] == pytest.approx(0.5)
    assert sum(total.values()) == pytest.approx(0)


def test_no_game_outlasts_its_cap_of_moves() -> None:
    table = Table(0, rounds=2, discussion_rounds=1)
    assert table.env.max_moves() == 2 * (6 + 6 * 4)
    table.env.cap = 3
    for move in ("wait", "wait", "wait"):
        table.move(move)
    assert all(table.env.truncations.values()) and not any(table.env.terminations.values())
    assert table.outcome == ("none", "move cap")
    assert set(table.env.rewards.values()) == {0.0}


def test_at_the_end_all_roles_are_told() -> None:
    table = Table(3, rounds=2)
    table.act()
    assert not table.seen(1, "outcome")
    table.act()
    assert dict(table.last(1, "outcome")["roles"]) == table.env.role


# --- rewards ---------------------------------------------------------------------------------------------


def returns(table: Table) -> dict[str, float]:
    """What each seat was paid, over a game that has ended, read as an agent reads it."""
    env = table.env
    total = dict.fromkeys(env.seats, 0.0)
    while env.agents:
        name = env.agent_selection
        _, reward, over, cut, _ = env.last()
        total[name] += reward
        assert over or cut
        env.step(None)
    return total


def test_the_winning_side_shares_one_point_and_the_losing_side_pays_it() -> None:
    table = Table(0, 1, seats=8, rounds=2)
    table.act()
    table.act()
    assert returns(table) == {seat(i): 0.5 if i < 2 else -1 / 6 for i in range(8)}


def test_the_dead_are_paid_like_the_living() -> None:
    table = Table(0)
    table.meet(victim=3)
    table.vote({1: 0, 2: 0})
    assert returns(table) == {seat(i): 0.2 if i else -1.0 for i in range(6)}


SHAPED = {"clue": 0.25, "kill": 0.5, "right_vote": 0.125}


def shaped_game() -> tuple[Table, list[dict[str, float]]]:
    """A clue in round 2, a kill in round 3, two right votes; and the rewards after each of these steps."""
    table = Table(0, stash={"library": ["clue:player_0"]}, shaping=SHAPED)
    steps = []
    table.act({number: "go:library" for number in (0, 1, 2)})
    table.act({2: "search"})
    steps.append(dict(table.env.rewards))
    table.act({0: "kill:player_2"})
    steps.append(dict(table.env.rewards))
    table.vote({3: 0, 4: 0})
    steps.append(dict(table.env.rewards))
    return table, steps


def test_rewards_sum_to_zero() -> None:
    _, steps = shaped_game()
    assert sum(sum(step.values()) for step in steps) == pytest.approx(0)


def test_a_shaped_reward_comes_at_once_and_only_to_the_seat_that_earned_it() -> None:
    _, (clue, kill, _) = shaped_game()
    assert clue == {seat(i): 0.25 if i == 2 else 0.0 for i in range(6)}
    assert kill == {seat(i): 0.5 if i == 0 else 0.0 for i in range(6)}


def test_a_murderer_is_paid_nothing_for_a_clue() -> None:
    table = Table(0, stash={"library": ["clue:player_1"]}, shaping=SHAPED)
    table.act({0: "go:library"})
    table.act({0: "search"})
    assert set(table.env.rewards.values()) == {0.0}


def test_right_votes_are_paid_at_the_end() -> None:
    table = Table(0, shaping={"right_vote": 0.125})
    table.meet(victim=3)
    table.vote({1: 0, 2: 0, 4: 5, 5: 4, 0: 4})  # a tie: two for player_0, two for player_4
    assert set(table.env.rewards.values()) == {0.0}  # a reward now would tell whom the vote hit
    table.act({0: "kill:player_4"})
    table.vote({1: 0, 2: 0})
    assert table.env.rewards["player_1"] == pytest.approx(0.2 + 4 * 0.125 / 5)
    assert table.env.rewards["player_0"] == pytest.approx(-1 - 4 * 0.125)


def test_the_other_side_pays_for_shaped_rewards_at_the_end() -> None:
    _, (_, _, end) = shaped_game()
    assert end["player_0"] == pytest.approx(-1 - 2 * 0.125 - 0.25)
    assert end["player_5"] == pytest.approx((1 + 2 * 0.125 - 0.5) / 5)


# --- claims ----------------------------------------------------------------------------------------------


def classes(table: Table, number: int, *claims: tuple[Any, ...]) -> list[str | None]:
    """What the engine makes of claims said by a seat in the present meeting."""
    while table.number != number:
        table.move("silent")
    table.move("say", "", *claims)
    return table.verdicts()


def after_a_murder(**config: Any) -> Table:
    """Round 1: 0, 1, 2 go to the library, 3 to the kitchen. Round 2: 2 searches, 0 kills 1, 2 sees it."""
    table = Table(0, stash={"library": ["clue:player_4"]}, **config)
    table.act({0: "go:library", 1: "go:library", 2: "go:library", 3: "go:kitchen"})
    table.act({0: "kill:player_1", 2: "search"})
    return table


def test_the_truth_of_a_claim_about_places_is_where_the_seat_stood_at_the_end_of_the_round() -> None:
    claims = [("was_in", "hall", 0), ("was_in", "kitchen", 1), ("was_in", "hall", 1)]
    assert classes(after_a_murder(), 3, *claims) == ["true", "true", "lie"]


def test_to_have_seen_a_seat_is_to_have_made_it_out_or_to_have_seen_it_kill_or_die() -> None:
    claims = [
        ("saw", "player_0", "library", 1),
        ("saw", "player_0", "library", 2),
        ("saw", "player_1", "library", 2),
        ("saw", "player_5", "library", 2),
        ("saw", "player_5", "hall", 0),
    ]
    assert classes(after_a_murder(), 2, *claims) == ["true", "true", "true", "lie", "true"]
    hidden = ((), (), ("player_0",), (), (), ())
    table = after_a_murder(dark=(hidden, hidden))
    assert classes(table, 2, *claims[:3]) == ["lie", "true", "true"]
    assert classes(after_a_murder(), 0, claims[2]) == ["true"]


def test_a_seat_that_leaves_is_not_seen_where_it_left() -> None:
    table = after_a_murder()
    assert classes(table, 4, ("saw", "player_3", "hall", 1), ("saw", "player_5", "hall", 1)) == [
        "lie",
        "true",
    ]


def test_a_claim_about_a_search_is_true_if_that_search_found_it() -> None:
    table = Table(0, stash={"library": ["clue:player_4", "key", "nothing"]})
    table.act({2: "go:library"})
    for _ in range(3):
        table.act({2: "search"})
    table.meet(victim=1)
    claims = [
        ("found_clue", "player_4", 2), ("found_clue", "player_4", 3), ("found_clue", "player_5", 2),
        ("found_key", 3), ("found_key", 2), ("found_nothing", 4),
    ]  # fmt: skip
    assert classes(table, 2, *claims) == ["true", "lie", "lie", "true", "lie", "true"]
    assert classes(table, 3, ("found_nothing", 4), ("found_key", 3)) == ["lie", "lie"]  # it did not search


def test_a_murder_is_seen_by_its_witnesses_and_by_the_murderer() -> None:
    claim = ("saw_murder", "player_0", "player_1", 2)
    for number, found in ((0, "true"), (2, "true"), (3, "lie")):
        assert classes(after_a_murder(), number, claim) == [found]
    wrong = [("saw_murder", "player_3", "player_1", 2), ("saw_murder", "player_0", "player_1", 1)]
    assert classes(after_a_murder(), 2, *wrong) == ["lie", "lie"]


def test_a_claim_against_what_the_speaker_lived_through_is_a_lie() -> None:
    table = after_a_murder()
    assert classes(table, 0, ("was_in", "kitchen", 2), ("saw", "player_3", "library", 1)) == ["lie", "lie"]
    verdict = table.events("verdicts")[-1].data["verdicts"][0]
    assert dict(verdict) == {"truth": False, "support": "refuted", "class": "lie"}
    assert not table.seen(0, "verdicts")


def test_a_guess_at_a_role_is_a_bluff_right_or_wrong() -> None:
    claims = [
        ("role", "player_0", "murderer"),
        ("role", "player_5", "murderer"),
        ("role", "player_5", "innocent"),
    ]
    assert classes(after_a_murder(), 3, *claims) == ["bluff", "bluff", "bluff"]


def test_a_clue_supports_that_a_seat_is_a_murderer_so_that_a_wrong_role_claim_is_a_mistake() -> None:
    table = Table(0, stash={"library": ["clue:player_4", "clue:player_0"]})
    table.act({2: "go:library"})
    table.act({2: "search"})
    table.act({2: "search"})
    table.meet(victim=1)
    claims = [
        ("role", "player_4", "murderer"),
        ("role", "player_0", "murderer"),
        ("role", "player_4", "innocent"),
    ]
    assert classes(table, 2, *claims) == ["mistake", "true", "bluff"]


def test_a_seat_knows_the_roles_of_victims_of_banished_seats_whose_role_is_told_and_of_whom_it_saw_kill() -> (
    None
):
    claims = [
        ("role", "player_1", "innocent"), ("role", "player_1", "murderer"),
        ("role", "player_0", "murderer"), ("role", "player_0", "innocent"), ("role", "player_2", "murderer"),
    ]  # fmt: skip
    assert classes(after_a_murder(), 2, *claims) == ["true", "lie", "true", "lie", "lie"]
    for reveal, murderers, knows in ((True, (0, 7), True), (False, (0, 7), False), (False, (0,), True)):
        table = Table(*murderers, seats=9, reveal=reveal)
        table.act({0: "go:library", 1: "go:library"})
        table.act({0: "kill:player_1", 2: "go:library"})
        table.vote({2: 3, 4: 3})
        table.act({0: "kill:player_8"})
        found = classes(table, 5, ("role", "player_3", "innocent"), ("role", "player_3", "murderer"))
        assert found == (["true", "lie"] if knows else ["bluff", "bluff"])


def test_a_seat_that_knows_every_murderer_knows_all_roles() -> None:
    assert classes(after_a_murder(), 2, ("role", "player_5", "innocent"), ("role", "player_3", "murderer")) == [
        "true", "lie"
    ]  # fmt: skip


def test_a_murderer_knows_all_roles() -> None:
    table = Table(0, 6, seats=8)
    table.meet(victim=1)
    claims = [
        ("role", "player_6", "innocent"),
        ("role", "player_5", "innocent"),
        ("role", "player_5", "murderer"),
    ]
    assert classes(table, 0, *claims) == ["lie", "true", "lie"]


def test_opinions_are_neither_true_nor_false() -> None:
    claims = [
        ("suspect", "player_3"),
        ("trust", "player_0"),
        ("will_vote", "player_4"),
        ("will_vote", "none"),
    ]
    assert classes(after_a_murder(), 0, *claims) == [None] * 4


def test_a_claim_about_a_round_to_come_has_no_truth_value() -> None:
    claims = [("was_in", "hall", 3), ("saw", "player_3", "hall", 9), ("found_key", 5)]
    assert classes(after_a_murder(), 0, *claims) == [None] * 3


def test_a_claim_is_judged_as_of_when_it_is_made() -> None:
    table = after_a_murder()
    assert classes(table, 3, ("role", "player_0", "murderer")) == ["bluff"]
    first = table.events("verdicts")[0]
    table.vote({3: 0, 4: 0})
    assert table.events("verdicts")[0] is first


# --- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"seats": 3}, "seats: input should be greater than or equal to 4, got 3"),
        ({"seats": 13}, "seats: input should be less than or equal to 12, got 13"),
        ({"seats": 6, "murderers": 2}, "two murderers need at least 7 seats, got 6; use murderers: 1"),
        ({"murderers": 0}, "murderers: input should be greater than or equal to 1, got 0"),
        ({"manor": [["hall", "attic"], ["cellar", "vault"]]}, "manor is not connected"),
        ({"manor": [["salon", "attic"]]}, "hall 'hall' is not a room of the manor: attic, salon"),
        ({"manor": [["hall", "hall"]]}, "from a room to itself"),
        ({"manor": [["hall", "Attic!"]]}, "room name 'Attic!' in manor"),
        ({"manor": []}, "hall 'hall' is not a room of the manor"),
        ({"discusion_rounds": 1}, "unknown key 'discusion_rounds'; did you mean 'discussion_rounds'?"),
        ({"tie": "coin"}, "tie: "),
        ({"shaping": {"clue": 2}}, "shaping.clue: "),
    ],
)
def test_a_configuration_that_cannot_be_played_is_refused_in_one_line(config: Any, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        MurderEnv(**config)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"roles": ("murderer",) * 3 + ("innocent",) * 3},
            "roles hold 3 murderers, the configuration says 1",
        ),
        ({"roles": ("innocent",) * 6}, "roles hold 0 murderers, the configuration says 1"),
        ({"roles": ("murderer", "innocent")}, "roles must be 6 of"),
        ({"roles": ("murderer", "butler", *["innocent"] * 4)}, "roles must be 6 of"),
        ({"stash": {"vault": ("key",)}}, "stash names 'vault', which is no room of"),
        ({"stash": {"attic": ("knife",)}}, "attic hides 'knife'; use key, nothing or clue:player_i"),
        ({"stash": {"attic": ("clue:player_6",)}}, "attic hides 'clue:player_6'"),
        ({"stash": {"attic": ("key",), "salon": ("key",)}}, "more than one key is hidden"),
        ({"dark": (((),),)}, "dark of round 1 must list seats for each of 6 seats"),
        ({"dark": ((("player_9",), (), (), (), (), ()),)}, "dark of round 1"),
    ],
)
def test_a_world_that_does_not_fit_is_refused_in_one_line(change: dict[str, Any], says: str) -> None:
    env = MurderEnv()
    fields = {"roles": ("murderer", *["innocent"] * 5), "stash": {}, "dark": (), **change}
    with pytest.raises(ConfigError) as refused:
        env.reset(seed=1, options={"world": MurderWorld(**fields)})
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
    env.reset(seed=1)
    assert env.agent_selection == "player_0"


@pytest.mark.parametrize("seats", range(4, 13))
def test_every_number_of_seats_plays_under_the_defaults(seats: int) -> None:
    for murderers in (1, 2)[: 1 + (seats >= 7)]:
        env = MurderEnv(seats=seats, murderers=murderers)
        env.reset(seed=seats)
        assert env.world.roles.count("murderer") == murderers
        assert 2 * murderers < seats
        again = MurderEnv.World.from_data(env.world.as_data())
        assert again == env.world
