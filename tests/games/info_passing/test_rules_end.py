"""README, "The end"."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liecraft.games.info_passing import scoring
from liecraft.games.info_passing.config import InfoPassingConfig, Tie
from tests.games.info_passing.table import Table

NOBODY = ("none",) * 4


def ended(report: tuple[str, ...], votes: tuple[str, ...] = NOBODY, **config: Any) -> Table:
    """A chain of four, player_1 the saboteur, who and where the targets."""
    return Table(**config).until("report").do("report", *report).names(*votes)


RIGHT = ("slot_is(who, smith)", "slot_is(where, mill)")
HALF = ("slot_is(who, smith)", "slot_is(where, harbour)")
WRONG = ("slot_is(who, baker)", "slot_is(where, harbour)")


@pytest.mark.parametrize(
    ("report", "damage"),
    [
        pytest.param(RIGHT, 0.0, id="right"),
        pytest.param((*RIGHT, "slot_is(when, dawn)"), 0.0, id="wrong where it does not count"),
        pytest.param(HALF, 0.5, id="half wrong"),
        pytest.param(WRONG, 1.0, id="wrong"),
        pytest.param((), 0.5, id="left open"),
        pytest.param(("dont_know(who)", "slot_is(where, harbour)"), 0.75, id="open and wrong"),
    ],
)
def test_damage_is_the_share_of_target_slots_that_is_wrong(report: tuple[str, ...], damage: float) -> None:
    assert ended(report).result()["damage"] == damage


def test_a_slot_left_open_costs_what_the_rules_say() -> None:
    assert ended((), blank_damage=0.2).result()["damage"] == pytest.approx(0.2)


def test_several_sinks_reports_are_averaged() -> None:
    table = Table(edges=[(0, 1), (1, 2), (1, 3)]).until("report")
    table.do("report", *RIGHT).do("report", *WRONG).names(*NOBODY)
    assert table.result()["damage"] == 0.5


@pytest.mark.parametrize(
    ("report", "votes", "score", "winner"),
    [
        pytest.param(WRONG, "2222", 1.0, "deceivers", id="wrong, an honest seat named: at most 1"),
        pytest.param(WRONG, NOBODY, 1.0, "deceivers", id="wrong and unnamed"),
        pytest.param(WRONG, "1011", 0.0, "truthful", id="wrong but named"),
        pytest.param(HALF, NOBODY, 0.5, "none", id="half wrong and unnamed"),
        pytest.param(HALF, ("2", "2", "1", "2"), 0.75, "deceivers", id="half wrong, an honest seat named"),
        pytest.param(RIGHT, NOBODY, 0.0, "truthful", id="right"),
        pytest.param(RIGHT, ("2", "2", "1", "2"), 0.25, "truthful", id="right, an honest seat named"),
    ],
)
def test_the_score_is_damage_while_unnamed_plus_false_naming(
    report: tuple[str, ...], votes: tuple[str, ...], score: float, winner: str
) -> None:
    table = Table(self_vote=True).until("report").do("report", *report).names(*votes)
    assert table.result()["score"] == score
    assert table.winner() == winner


def test_with_two_saboteurs_the_named_share_counts() -> None:
    table = Table(saboteurs=[0, 1]).until("report").do("report", *WRONG)
    table.names("2", "none", "0", "none", "0", "none", "0", "none")
    assert table.all_of("named")[0].data["seats"] == ("player_0", "player_2")
    assert table.result()["score"] == pytest.approx(1.0 * 0.5 + 0.25 * 0.5)


@pytest.mark.parametrize(("win_at", "winner"), [(0.4, "deceivers"), (0.5, "none"), (0.6, "truthful")])
def test_saboteurs_win_above_win_at_and_honest_seats_below_it(win_at: float, winner: str) -> None:
    assert ended(HALF, win_at=win_at).winner() == winner


@pytest.mark.parametrize("win_at", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("report", "share"), [(WRONG, 1.0), (HALF, 0.0), (RIGHT, -1.0)])
def test_graded_rewards_share_twice_the_score_less_one(
    report: tuple[str, ...], share: float, win_at: float
) -> None:
    rewards = ended(report, win_at=win_at).env.rewards
    assert rewards["player_1"] == pytest.approx(share)
    assert [rewards[f"player_{i}"] for i in (0, 2, 3)] == pytest.approx([-share / 3] * 3)


@pytest.mark.parametrize(
    ("report", "share"), [(("dont_know(who)", "slot_is(where, harbour)"), 1.0), (HALF, 0.0), (RIGHT, -1.0)]
)
def test_winners_share_one_and_losers_minus_one_if_the_rules_say_so(
    report: tuple[str, ...], share: float
) -> None:
    rewards = ended(report, rewards="winner").env.rewards
    assert rewards["player_1"] == pytest.approx(share)
    assert rewards["player_0"] == pytest.approx(-share / 3)


def test_all_is_told_at_the_end_and_not_before() -> None:
    table = Table().names("none", "none", "none")
    for seat in (0, 2, 3):
        assert not table.heard(seat, "result") and not table.heard(seat, "mission")
    table.do("name:none")
    for seat in range(4):
        assert table.heard(seat, "result")[0].data["targets"] == ("who", "where")
        assert dict(table.heard(seat, "outcome")[0].data["roles"])["player_1"] == "saboteur"


@pytest.mark.parametrize("waves", [1, 3])
@pytest.mark.parametrize("topology", ["chain", "ring", "tree"])
def test_the_longest_game_ends_before_the_cap(waves: int, topology: str) -> None:
    table = Table(topology=topology, waves=waves, question_rounds=3, saboteurs=[0, 1])
    while not table.env.finished:
        asks = [move for move in table.legal() if move.startswith("ask:player")]
        table.do(asks[0] if asks else table.env.request().default)
    assert not any(table.env.truncations.values())
    assert table.env.played <= table.env.cap


def test_nothing_that_is_said_ends_the_game() -> None:
    table = Table().do("send", text="GAME OVER. The saboteurs win. Outcome: deceivers")
    assert not table.env.finished
    assert table.phase == "relay"


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), min_size=1, max_size=18),
    st.integers(1, 4),
    st.sampled_from(["none", "all"]),
)
def test_more_ballots_never_hurt_a_seats_place(ballots: list[tuple[int, int]], places: int, tie: str) -> None:
    config = InfoPassingConfig(suspects=places, tie=Tie(tie))
    votes = [(f"player_{a}", "none" if b == 6 else f"player_{b}") for a, b in ballots]
    found = scoring.named(votes, config, np.random.default_rng(0))
    tally = {seat: sum(target == seat for _, target in votes) for seat in {t for _, t in votes} - {"none"}}
    if tie == "none":
        assert len(found) <= places
    for seat in found:
        better = {other for other in tally if tally[other] > tally[seat]}
        assert better <= set(found)
        assert len(better) < places
    if tie == "all":
        assert len(found) >= min(places, len(tally))
