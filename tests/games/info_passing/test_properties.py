"""What holds in every game under every configuration, whatever is played."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liecraft.engine.claims import Claim
from liecraft.engine.errors import IllegalMove
from liecraft.engine.moves import Move, Words
from liecraft.games.info_passing.env import InfoPassingEnv

CONFIGS = st.fixed_dictionaries(
    {
        "seats": st.integers(3, 9),
        "topology": st.sampled_from(["chain", "ring", "tree", "small_world", "scale_free"]),
        "saboteurs": st.integers(0, 1),
        "informed": st.booleans(),
        "waves": st.integers(1, 3),
        "noise": st.sampled_from([0.0, 0.2, 1.0]),
        "noise_kind": st.sampled_from(["blank", "garble", "mixed"]),
        "targets": st.integers(1, 4),
        "audit_slots": st.integers(0, 4),
        "question_rounds": st.integers(0, 2),
        "suspects": st.integers(1, 2),
        "tie": st.sampled_from(["none", "random", "all"]),
        "majority": st.sampled_from(["plurality", "absolute"]),
        "abstention": st.booleans(),
        "self_vote": st.booleans(),
        "rewards": st.sampled_from(["graded", "winner"]),
        "win_at": st.sampled_from([0.0, 0.3, 0.5, 1.0]),
        "max_claims": st.integers(0, 8),
    }
)


def said(env: InfoPassingEnv, rng: np.random.Generator) -> Words:
    """Random words: any claims of the vocabulary, whether or not they make sense."""
    claims = []
    assert env.words is not None
    for _ in range(int(rng.integers(4))):
        predicate = list(env.words.predicates.values())[int(rng.integers(len(env.words.predicates)))]
        domains = [env.words.domains[domain] for _, domain in predicate.params]
        claims.append(
            Claim(predicate.name, tuple(values[int(rng.integers(len(values)))] for values in domains))
        )
    return Words("so it is", tuple(claims))


def move(env: InfoPassingEnv, rng: np.random.Generator) -> Move:
    legal = env.request().legal
    words = said(env, rng) if env.phase in env.speaking else Words()
    return Move(env.moves.index(legal[int(rng.integers(len(legal)))]), words)


@settings(max_examples=80)
@given(CONFIGS, st.integers(0, 2**32))
def test_any_game_ends_with_rewards_that_sum_to_zero(config: dict[str, Any], seed: int) -> None:
    env, rng = InfoPassingEnv(**config), np.random.default_rng(seed)
    env.reset(seed=seed)
    while not env.finished:
        env.step(move(env, rng))
    assert not any(env.truncations.values())
    assert sum(env.rewards.values()) == pytest.approx(0)
    assert all(-1 - 1e-9 <= reward <= 1 + 1e-9 for reward in env.rewards.values())
    assert len(env.ballots) == config["seats"] * config["suspects"]
    events = [entry.event for entry in env.ledger]
    result = next(event.data for event in events if event.kind == "result")
    assert 0 <= result["damage"] <= 1
    assert sum(event.kind == "hop" for event in events) == config["waves"] * len(env.world.edges)
    for event in events:
        if event.kind == "heard":
            assert len(event.data["claims"]) <= config["max_claims"]


@settings(max_examples=40)
@given(CONFIGS, st.integers(0, 2**32))
def test_an_illegal_move_changes_nothing(config: dict[str, Any], seed: int) -> None:
    env, rng = InfoPassingEnv(**config), np.random.default_rng(seed)
    env.reset(seed=seed)
    while not env.finished:
        before = (env.ledger.digest(), env.agent_selection, env.state().tobytes(), dict(env.rewards))
        legal = set(env.request().legal)
        refused = [move_id for move_id in env.moves if move_id not in legal]
        with pytest.raises(IllegalMove):
            env.step(env.moves.index(refused[int(rng.integers(len(refused)))]))
        assert before == (env.ledger.digest(), env.agent_selection, env.state().tobytes(), dict(env.rewards))
        env.step(move(env, rng))


@settings(max_examples=40)
@given(CONFIGS, st.integers(0, 2**32))
def test_what_a_seat_holds_it_was_told_by_those_who_speak_to_it(config: dict[str, Any], seed: int) -> None:
    env, rng = InfoPassingEnv(**config), np.random.default_rng(seed)
    env.reset(seed=seed)
    while not env.finished:
        env.step(move(env, rng))
    for seat in env.seats:
        told = env.view(seat).of("heard")
        assert {str(event.actor) for event in told} <= set(env.speakers[seat])
        assert len(told) == config["waves"] * len(env.speakers[seat])
        values = {(c[1], c[2]) for event in told for c in event.data["claims"] if c[0] == "slot_is"}
        held = {(slot, value) for slot, value in env.record.held(seat).items() if value is not None}
        assert held <= (set(env.world.bulletin.items()) if seat in env.sources else values)


@settings(max_examples=25)
@given(CONFIGS, st.integers(0, 2**32))
def test_a_game_is_rebuilt_from_config_world_and_moves(config: dict[str, Any], seed: int) -> None:
    env, rng = InfoPassingEnv(**config), np.random.default_rng(seed)
    env.reset(seed=seed)
    played, data = [], env.world.as_data()
    while not env.finished:
        played.append(move(env, rng))
        env.step(played[-1])
    again = InfoPassingEnv(**config)
    again.reset(seed=seed, options={"world": data})
    for one in played:
        again.step(one)
    assert again.ledger.digest() == env.ledger.digest()
    for seat in env.seats:
        assert np.array_equal(again.observe(seat)["observation"], env.observe(seat)["observation"])


def test_the_numbers_show_what_the_events_told() -> None:
    env = InfoPassingEnv(seats=3, saboteurs=1, noise=0, targets=1)
    env.reset(seed=0)
    shown = [env.observe(seat)["observation"] for seat in env.seats]
    env.step(env.moves.index("relay:faithful"))
    after = [env.observe(seat)["observation"] for seat in env.seats]
    assert after[1].sum() == shown[1].sum() + 4
    assert after[0].sum() == shown[0].sum() + 4
    assert np.array_equal(after[2], shown[2])
