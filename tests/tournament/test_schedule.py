from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liecraft.arena import new_env
from liecraft.tournament.config import read_config
from liecraft.tournament.schedule import Plan, schedule

BOTS = ["liar", "detective", "honest", "silent", "accuser", "random", "default"]


def plans(**fields: Any) -> list[Plan]:
    return list(schedule(read_config({"name": "t", "game": "murder", **fields})))


@given(
    entrants=st.integers(1, 7), blocks=st.integers(1, 5), seats=st.integers(4, 9), seed=st.integers(0, 2**70)
)
def test_every_entrant_sits_in_every_seat_equally_often(
    entrants: int, blocks: int, seats: int, seed: int
) -> None:
    found = plans(entrants=BOTS[:entrants], games=blocks * entrants, seed=seed, config={"seats": seats})
    counts = Counter((name, seat) for plan in found for seat, name in plan.seats.items())
    assert set(counts.values()) == {blocks}
    assert len(counts) == entrants * seats
    assert [plan.game for plan in found] == [f"g{i:06d}" for i in range(blocks * entrants)]


@pytest.mark.parametrize("entrants", [2, 3, 5, 7])
def test_every_entrant_plays_every_role_equally_often(entrants: int) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for plan in plans(entrants=BOTS[:entrants], games=4 * entrants, config={"seats": 5}):
        env = new_env("murder", plan.config)
        env.reset(seed=plan.seed)
        counts.update((name, env.role[seat]) for seat, name in plan.seats.items())
    for role in ("murderer", "innocent"):
        assert len({counts[name, role] for name in BOTS[:entrants]}) == 1
    assert sum(counts[name, "murderer"] for name in BOTS[:entrants]) == 4 * entrants


def test_the_games_of_a_block_share_a_seed_and_blocks_differ() -> None:
    seeds = [plan.seed for plan in plans(entrants=BOTS[:3], games=12)]
    assert [len(set(seeds[i : i + 3])) for i in range(0, 12, 3)] == [1, 1, 1, 1]
    assert len(set(seeds)) == 4


def test_entrants_of_different_matches_meet_on_the_same_seeds() -> None:
    matches = [
        {"entrants": ["liar", "honest"], "games": 6},
        {"entrants": ["liar", "silent"], "games": 4, "config": {"discussion_rounds": 0}},
    ]
    found = plans(entrants=["liar", "honest", "silent"], matches=matches)
    first, second = found[:6], found[6:]
    assert [plan.seed for plan in second] == [plan.seed for plan in first[:4]]
    assert {plan.config.get("discussion_rounds") for plan in second} == {0}
    assert len({plan.game for plan in found}) == 10


def test_the_seed_decides_and_nothing_else() -> None:
    assert plans(entrants=BOTS, games=14, seed=1) == plans(entrants=BOTS, games=14, seed=1, concurrency=99)
    one, other = (plans(entrants=BOTS, games=14, seed=seed) for seed in (1, 2))
    assert {plan.seed for plan in one}.isdisjoint(plan.seed for plan in other)


def test_who_sits_beside_whom_changes_from_block_to_block() -> None:
    found = plans(entrants=BOTS, games=7 * 6, config={"seats": 7})
    assert len({tuple(found[i].seats.values()) for i in range(0, 42, 7)}) > 1
