"""What holds in every game of murder, whoever plays: random moves under random rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liecraft.engine.claims import Claim
from liecraft.engine.errors import IllegalMove
from liecraft.engine.ledger import thaw
from liecraft.engine.moves import Move, Words
from liecraft.games.murder.env import MurderEnv

ROOMS = ("hall", "attic", "cellar", "study", "vault")


@st.composite
def manors(draw: st.DrawFn) -> tuple[tuple[str, str], ...]:
    """A connected manor: each room hangs on an earlier one, and some more corridors."""
    rooms = ROOMS[: draw(st.integers(2, 5))]
    tree = [(rooms[draw(st.integers(0, i - 1))], rooms[i]) for i in range(1, len(rooms))]
    pairs = [(a, b) for i, a in enumerate(rooms) for b in rooms[i + 1 :]]
    return (*tree, *draw(st.lists(st.sampled_from(pairs), max_size=3)))


@st.composite
def configs(draw: st.DrawFn) -> dict[str, Any]:
    """Any rules that can be played, kept short."""
    seats = draw(st.integers(4, 9))
    amounts = st.sampled_from([0.0, 0.25, 0.5])
    return {
        "seats": seats,
        "murderers": draw(st.integers(1, 2 if seats >= 7 else 1)),
        "manor": draw(manors()),
        "rounds": draw(st.integers(2, 6)),
        "dawn": draw(st.sampled_from(["deceivers", "truthful", "none"])),
        "dawn_meeting": draw(st.booleans()),
        "first_kill": draw(st.integers(1, 3)),
        "cooldown": draw(st.integers(0, 2)),
        "darkness": draw(st.sampled_from([0.0, 0.5, 1.0])),
        "discussion_rounds": draw(st.integers(0, 2)),
        "clues": draw(st.integers(0, 6)),
        "clutter": draw(st.integers(0, 2)),
        "key": draw(st.booleans()),
        "tie": draw(st.sampled_from(["none", "random", "runoff", "all"])),
        "majority": draw(st.sampled_from(["plurality", "absolute"])),
        "abstention": draw(st.booleans()),
        "self_vote": draw(st.booleans()),
        "reveal": draw(st.booleans()),
        "shaping": {"clue": draw(amounts), "kill": draw(amounts), "right_vote": draw(amounts)},
    }


def words(env: MurderEnv, rng: np.random.Generator) -> Words:
    """Some random claims, if this phase has words."""
    if env.phase not in env.speaking or env.words is None:
        return Words()
    claims = []
    for name in rng.choice(list(env.words.predicates), int(rng.integers(3))).tolist():
        domains = [env.words.domains[domain] for _, domain in env.words.predicates[name].params]
        claims.append(Claim(name, tuple(values[int(rng.integers(len(values)))] for values in domains)))
    return Words("so it was", tuple(claims))


def play(env: MurderEnv, seed: int) -> Iterator[int]:
    """Play random moves, favouring kills, to the end; yields before each move."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    while not env.finished:
        legal = env.request().legal
        yield env.played
        kills = [move for move in legal if move.startswith(("kill", "escape"))]
        choices = kills if kills and rng.random() < 0.5 else list(legal)
        move = choices[int(rng.integers(len(choices)))]
        env.step(Move(env.moves.index(move), words(env, rng)))


@settings(max_examples=60)
@given(configs(), st.integers(0, 2**32))
def test_every_game_ends_within_its_cap_with_rewards_that_sum_to_zero(
    config: dict[str, Any], seed: int
) -> None:
    env = MurderEnv(**config)
    for _ in play(env, seed):
        pass
    assert all(env.terminations.values()) and not any(env.truncations.values())
    assert env.played < env.cap
    assert sum(env.totals.values()) == pytest.approx(0, abs=1e-9)
    outcome = next(entry.event.data for entry in env.ledger if entry.event.kind == "outcome")
    if not any(config["shaping"].values()):
        won = {"deceivers": 1, "truthful": -1, "none": 0}[outcome["winner"]]
        guilty = [seat for seat, role in env.role.items() if role == "murderer"]
        assert sum(env.totals[seat] for seat in guilty) == pytest.approx(won)


@settings(max_examples=40)
@given(configs(), st.integers(0, 2**32))
def test_each_ballot_counts_every_living_seat_once_and_names_candidates_only(
    config: dict[str, Any], seed: int
) -> None:
    env = MurderEnv(**config)
    for _ in play(env, seed):
        pass
    living = list(env.seats)
    for entry in env.ledger:
        kind, _, data = entry.event
        if kind == "dead":
            assert set(data["seats"]) <= set(living)
            living = [seat for seat in living if seat not in data["seats"]]
        elif kind == "ballots":
            assert [voter for voter, _ in data["votes"]] == living
            assert {target for _, target in data["votes"]} <= {*data["candidates"], "none"}


@settings(max_examples=40)
@given(configs(), st.integers(0, 2**32))
def test_masks_are_the_legal_moves_and_only_the_living_are_asked(config: dict[str, Any], seed: int) -> None:
    env = MurderEnv(**config)
    for _ in play(env, seed):
        acting = env.agent_selection
        assert acting in env.living
        request = env.request()
        assert request.default in request.legal
        for seat in env.seats:
            seen = env.observe(seat)
            assert env.observation_space(seat).contains(seen)
            legal = [env.moves.ids[i] for i in np.flatnonzero(seen["action_mask"])]
            assert legal == (list(request.legal) if seat == acting else [])


@settings(max_examples=30)
@given(configs(), st.integers(0, 2**32))
def test_an_illegal_move_changes_nothing_and_says_the_same_to_all(config: dict[str, Any], seed: int) -> None:
    env = MurderEnv(**config)
    for at in play(env, seed):
        if at % 7:
            continue
        legal = set(env.request().legal)
        wrong = next(move for move in reversed(env.moves.ids) if move not in legal)
        before = (
            env.ledger.digest(),
            env.state().tobytes(),
            dict(env.rewards),
            dict(env._cumulative_rewards),
        )
        turn = (env.agent_selection, env.phase, env.request())
        with pytest.raises(IllegalMove) as refused:
            env.step(env.moves.index(wrong))
        assert str(refused.value) == f"{wrong} is not one of your legal moves now"
        after = (env.ledger.digest(), env.state().tobytes(), dict(env.rewards), dict(env._cumulative_rewards))
        assert after == before
        assert (env.agent_selection, env.phase, env.request()) == turn


@settings(max_examples=30)
@given(configs(), st.integers(0, 2**32))
def test_the_ledger_only_grows_and_world_and_moves_rebuild_it(config: dict[str, Any], seed: int) -> None:
    env = MurderEnv(**config)
    entries: list[Any] = []
    for _ in play(env, seed):
        now = list(env.ledger)
        assert now[: len(entries)] == entries
        entries = now
    data = thaw(entries[0].event.data)
    again = MurderEnv(**config)
    again.reset(seed=seed, options={"world": data})
    assert again.ledger[0] == env.ledger[0]
    assert again.world == env.world
    digest = env.ledger.digest()
    for _ in play(env, seed):
        pass
    assert env.ledger.digest() == digest


@settings(max_examples=40)
@given(configs(), st.integers(0, 2**32))
def test_where_two_stand_together_in_the_light_both_can_swear_to_it(
    config: dict[str, Any], seed: int
) -> None:
    env = MurderEnv(**{**config, "darkness": 0.0})
    for _ in play(env, seed):
        pass
    rooms: dict[tuple[str, int], tuple[str, Any]] = {}
    for seat in env.seats:
        for event in env.view(seat).of("room"):
            rooms[seat, event.data["round"]] = (event.data["room"], event.data["here"])
    for (seat, round_), (room, here) in rooms.items():
        for other in here:
            if (other, round_) in rooms:
                assert rooms[other, round_][0] == room and seat in rooms[other, round_][1]
            assert env.truth(Claim("saw", (other, room, round_)), seat)
        assert env.truth(Claim("was_in", (room, round_)), seat)
