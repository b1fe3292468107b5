"""Which claims of one speaker exclude each other: what is true together never does, in any game."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from liecraft.arena import new_env, play
from liecraft.engine.claims import Claim, Statements
from liecraft.engine.env import DeceptionEnv
from liecraft.games.murder.env import MurderEnv

RULES: dict[str, list[dict[str, Any]]] = {
    "murder": [
        {"seats": 5, "rounds": 6, "first_kill": 1, "cooldown": 0, "darkness": 0.0, "discussion_rounds": 0},
        {"seats": 8, "murderers": 2, "rounds": 6, "first_kill": 1, "cooldown": 0, "discussion_rounds": 0},
    ],
    "info_passing": [{"seats": 5, "noise": 0.3}, {"seats": 5, "topology": "ring", "waves": 2, "noise": 0.3}],
    "conflicting_evidence": [{"seats": 4, "condition": "distributed+traps+mole"}],
}


def sentences(env: DeceptionEnv[Any, Any]) -> Iterator[Claim]:
    """Every claim that the game's vocabulary can make."""
    assert env.words is not None
    for predicate in env.words.predicates.values():
        for args in product(*(env.words.domains[domain] for _, domain in predicate.params)):
            yield Claim(predicate.name, args)


def play_at_random(env: DeceptionEnv[Any, Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    while not env.finished:
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))


@pytest.mark.parametrize(("game", "rules"), [(game, rules) for game, all_ in RULES.items() for rules in all_])
def test_claims_that_are_true_together_never_exclude_each_other(game: str, rules: dict[str, Any]) -> None:
    env = new_env(game, rules)
    pairs = 0
    for seed in range(12):
        play_at_random(env, seed)
        told = list(sentences(env))
        for seat in env.seats:
            true = [claim for claim in told if env.truth(claim, seat)]
            for one, other in combinations(true, 2):
                pairs += 1
                assert not env.excludes(one, other, seat), (seat, one, other)
                assert not env.excludes(other, one, seat), (seat, other, one)
    assert pairs > 1000


@pytest.mark.parametrize(("game", "rules"), [(game, rules) for game, all_ in RULES.items() for rules in all_])
def test_exclusion_is_mutual_and_nothing_excludes_itself(game: str, rules: dict[str, Any]) -> None:
    env = new_env(game, rules)
    play_at_random(env, 3)
    told = list(sentences(env))
    rng = np.random.default_rng(0)
    seat = env.seats[0]
    found = 0
    for _ in range(4000):
        one, other = (told[int(i)] for i in rng.integers(len(told), size=2))
        found += env.excludes(one, other, seat)
        assert env.excludes(one, other, seat) == env.excludes(other, one, seat), (one, other)
        assert not env.excludes(one, one, seat)
    assert found, "some pairs must exclude each other, or this test shows nothing"


def claim(text: str) -> Claim:
    name, _, rest = text.rstrip(")").partition("(")
    return Claim(name, tuple(int(arg) if arg.isdigit() else arg for arg in rest.split(", ")))


@pytest.mark.parametrize(
    ("one", "other", "excluded"),
    [
        ("was_in(library, 1)", "was_in(kitchen, 1)", True),
        ("was_in(library, 1)", "was_in(salon, 2)", True),
        ("was_in(library, 1)", "was_in(salon, 3)", False),
        ("was_in(library, 1)", "was_in(kitchen, 2)", False),
        ("saw(player_1, library, 1)", "saw(player_1, kitchen, 1)", True),
        ("saw(player_1, library, 1)", "saw(player_2, salon, 1)", True),
        ("saw(player_1, library, 1)", "saw(player_2, kitchen, 1)", False),
        ("was_in(library, 1)", "saw(player_1, salon, 1)", True),
        ("was_in(library, 1)", "saw(player_1, kitchen, 1)", False),
        ("found_key(1)", "found_nothing(1)", True),
        ("found_clue(player_1, 1)", "found_clue(player_2, 1)", True),
        ("found_clue(player_1, 1)", "found_clue(player_2, 2)", False),
        ("found_clue(player_1, 1)", "was_in(hall, 1)", True),
        ("found_key(1)", "was_in(hall, 1)", False),
        ("role(player_1, murderer)", "role(player_1, innocent)", True),
        ("role(player_1, murderer)", "role(player_2, murderer)", True),
        ("role(player_1, innocent)", "role(player_2, innocent)", False),
        ("saw_murder(player_1, player_2, 1)", "role(player_2, murderer)", True),
        ("saw_murder(player_1, player_2, 1)", "role(player_3, murderer)", True),
        ("saw_murder(player_1, player_2, 1)", "role(player_1, murderer)", False),
        ("saw_murder(player_1, player_2, 1)", "saw_murder(player_1, player_2, 2)", True),
        ("saw_murder(player_1, player_2, 1)", "saw_murder(player_1, player_3, 2)", False),
        ("saw_murder(player_1, player_2, 1)", "saw_murder(player_3, player_4, 2)", True),
        ("suspect(player_1)", "trust(player_1)", False),
    ],
)
def test_what_excludes_what_in_a_murder_game(one: str, other: str, excluded: bool) -> None:
    env = MurderEnv(seats=6)
    env.reset(seed=1)
    assert env.excludes(claim(one), claim(other), "player_0") is excluded


def test_two_murderers_may_both_be_named() -> None:
    env = MurderEnv(seats=7, murderers=2)
    env.reset(seed=1)
    one, other = (claim(f"role(player_{i}, murderer)") for i in (1, 2))
    assert not env.excludes(one, other, "player_0")


def test_after_a_meeting_all_set_out_from_the_hall() -> None:
    env = MurderEnv(seats=6)
    env.reset(seed=1)
    one, other = claim("was_in(library, 1)"), claim("was_in(salon, 2)")
    assert env.excludes(one, other, "player_0")
    env.met.append(1)
    assert not env.excludes(one, other, "player_0"), "from the hall every room is one step away"


def test_a_clash_is_recorded_once_with_the_claim_that_it_excludes() -> None:
    said = Statements()
    excludes = lambda one, other: one.args != other.args  # any two claims that differ
    a, b = Claim("x", (1,)), Claim("x", (2,))
    assert said.add([a, a], excludes) == ()
    assert said.add([b], excludes) == ((("x", 2), ("x", 1)),)
    assert said.add([b, a], excludes) == ()


def test_the_engine_records_contradictions_for_itself_alone() -> None:
    agents = [{"agent": "planted", "wavers": 1.0}] * 5
    trace = play("murder", agents, seed=2, config={"seats": 5})
    found = list(trace.of("contradictions"))
    assert found
    assert {event["audience"] for event in found} == {"engine"}
    for event in found:
        for new, old in event["data"]["pairs"]:
            assert new[0] == "found_clue"
            assert old[0] in ("was_in", "found_clue")


@pytest.mark.parametrize(
    ("game", "agents"),
    [
        ("murder", ["honest", "detective", "honest", "detective", "silent"]),
        ("info_passing", ["honest", "bayes", "honest", "bayes", "honest"]),
        ("conflicting_evidence", ["honest", "bayes", "naive", "honest"]),
    ],
)
def test_who_tells_the_truth_never_contradicts_itself(game: str, agents: list[str]) -> None:
    config: dict[str, Any] = {"seats": len(agents)}
    for seed in range(15):
        trace = play(game, agents, seed=seed, config=config)
        truthful = [e for e in trace.of("contradictions") if trace.sides[e["actor"]] == "truthful"]
        assert not truthful
