"""The action space: asked without a mask it gives what is legal now."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from liecraft.engine.spaces import MoveSpace
from liecraft.testing.play import generator, legal_now, random_move
from tests.toys.den import DenEnv


@given(st.sets(st.integers(0, 9), min_size=1), st.integers(0, 2**31))
def test_a_sample_without_a_mask_is_legal(legal: set[int], seed: int) -> None:
    space = MoveSpace(10, lambda: sorted(legal))
    space.seed(seed)
    assert {int(space.sample()) for _ in range(20)} <= legal


@given(st.lists(st.booleans(), min_size=10, max_size=10).filter(any), st.integers(0, 2**31))
def test_a_mask_that_is_given_is_obeyed(mask: list[bool], seed: int) -> None:
    space = MoveSpace(10, lambda: [0])
    space.seed(seed)
    assert mask[int(space.sample(np.array(mask, np.int8)))]


def test_out_of_turn_any_move_may_be_sampled() -> None:
    space = MoveSpace(3, lambda: ())
    space.seed(1)
    assert {int(space.sample()) for _ in range(99)} == {0, 1, 2}


def test_equal_seeds_give_equal_samples() -> None:
    one, other = (MoveSpace(50, lambda: range(7, 40)) for _ in range(2))
    one.seed(3)
    other.seed(3)
    assert [one.sample() for _ in range(30)] == [other.sample() for _ in range(30)]


def test_in_a_game_every_sample_is_legal_for_the_seat_that_has_the_turn() -> None:
    env, rng = DenEnv(), generator(1)
    env.reset(seed=1)
    while not env.finished:
        space = env.action_space(env.agent_selection)
        assert {int(space.sample()) for _ in range(5)} <= set(legal_now(env))
        env.step(random_move(env, rng))
