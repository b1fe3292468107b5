"""The planted player: its faults happen always, never, or at the rate given; how often is docs/validity.md's matter."""

from __future__ import annotations

from typing import Any

import pytest

from liecraft.agents.catalog import agents_of
from liecraft.arena import play
from liecraft.games.murder.planted import CONFESSION
from liecraft.trace.reader import Trace


def game(seed: int = 0, **params: Any) -> Trace:
    return play("murder", [{"agent": "planted", **params}] * 5, seed=seed, config={"seats": 5, "rounds": 4})


def promised_and_cast(trace: Trace) -> list[tuple[str, str]]:
    """What each voter announced last before each vote, and what it did."""
    said: dict[str, str] = {}
    found = []
    for event in trace.of("speech", "ballots"):
        if event["kind"] == "speech":
            for name, *args in event["data"]["claims"]:
                if name == "will_vote":
                    said[event["actor"]] = args[0]
        else:
            found += [(said[voter], target) for voter, target in event["data"]["votes"] if voter in said]
            said = {}
    return found


def test_it_can_be_named_in_a_config() -> None:
    assert "planted" in agents_of("murder_v0")


@pytest.mark.parametrize("seed", range(4))
def test_without_faults_it_keeps_its_word_and_stands_by_it(seed: int) -> None:
    trace = game(seed)
    assert all(said == cast for said, cast in promised_and_cast(trace))
    truthful = [event for event in trace.of("contradictions") if trace.sides[event["actor"]] == "truthful"]
    assert not truthful
    assert not any(CONFESSION in event["data"]["text"] for event in trace.of("speech"))
    assert {move["thought"] for move in trace.moves} == {None}


@pytest.mark.parametrize("seed", range(4))
def test_each_fault_happens_whenever_its_chance_is_1(seed: int) -> None:
    trace = game(seed, breaks=1.0, leaks=1.0, two_faced=1.0, wavers=1.0)
    votes = promised_and_cast(trace)
    assert votes and all(said != cast for said, cast in votes)
    for event in trace.of("speech"):
        confessed = event["data"]["text"].endswith(CONFESSION)
        assert confessed == (trace.sides[event["actor"]] == "deceivers")
    thoughts = [move["thought"] for move in trace.moves if move["thought"]]
    assert all(thought.endswith("is innocent.") for thought in thoughts)
    for seat, side in trace.sides.items():
        if side == "truthful":
            spoke = [event for event in trace.of("speech") if event["actor"] == seat]
            clashed = [event for event in trace.of("contradictions") if event["actor"] == seat]
            assert len(clashed) == min(5, max(0, len(spoke) - 1)), "every utterance but the first"


@pytest.mark.parametrize(
    ("rate", "named"), [(1.0, {"player_3"}), (0.0, {"player_0", "player_1", "player_2", "player_4"})]
)
def test_it_frames_whom_it_is_to_frame_while_that_seat_is_in_play(rate: float, named: set[str]) -> None:
    accused = set()
    for seed in range(12):
        trace = game(seed, frames="player_3", frame_rate=rate)
        if trace.sides["player_3"] == "deceivers":
            continue
        for event in trace.of("speech", "dead"):
            if event["kind"] == "dead" and "player_3" in event["data"]["seats"]:
                break
            if event["kind"] == "speech" and trace.sides[event["actor"]] == "deceivers":
                accused |= {claim[1] for claim in event["data"]["claims"] if claim[0] == "suspect"}
    assert accused and accused <= named
