"""Moves: stable ids, and words that pass through every wrapper of PettingZoo's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from liecraft.engine.errors import ConfigError, UnknownName
from liecraft.engine.moves import Move, MoveTable, Words
from liecraft.engine.registry import wrap
from liecraft.testing.play import bare, generator, play_on, transcript
from tests.toys.den import DenEnv

IDS = st.lists(st.from_regex(r"[a-z]{1,4}(:[a-z_0-9]{1,5})?", fullmatch=True), min_size=1, unique=True)
WRAPPERS: list[Callable[[Any], Any]] = [
    wrappers.BaseWrapper,
    wrappers.OrderEnforcingWrapper,
    wrappers.AssertOutOfBoundsWrapper,
    wrappers.CaptureStdoutWrapper,
    lambda env: wrappers.TerminateIllegalWrapper(env, -1),
    lambda env: wrappers.MultiEpisodeEnv(env, num_episodes=1),
]


@given(IDS)
def test_ids_and_indices_belong_together(ids: list[str]) -> None:
    table = MoveTable(ids)
    assert list(table) == ids and len(table) == len(ids)
    for index, move_id in enumerate(ids):
        assert table.index(move_id) == index and move_id in table
        assert move_id in (table.verb[index], f"{table.verb[index]}:{table.target[index]}")
    assert table.all(*reversed(ids)) == tuple(range(len(ids)))


def test_a_doubled_or_unknown_id_is_refused_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="stands twice"):
        MoveTable(["wait", "wait"])
    with pytest.raises(UnknownName, match="unknown move 'wiat': did you mean 'wait'"):
        MoveTable(["wait", "search"]).index("wiat")


@given(st.integers(0, 2**31), st.text())
def test_a_move_is_its_index_and_keeps_its_words(index: int, text: str) -> None:
    move = Move(index, Words(text))
    assert move == index and hash(move) == hash(index) and int(move) == index
    assert move.words.text == text
    assert np.zeros(index % 5 + 1)[Move(index % 5)] == 0


def recorded() -> tuple[list[Move], str]:
    raw = DenEnv()
    raw.reset(seed=5)
    moves = play_on(raw, generator(5))
    assert any(move.words.text for move in moves) and any(move.words.claims for move in moves)
    return moves, transcript(raw)


@pytest.mark.parametrize("wrapper", WRAPPERS, ids=range(len(WRAPPERS)))
def test_words_pass_through_a_wrapper(wrapper: Callable[[Any], Any]) -> None:
    moves, told = recorded()
    env = wrapper(DenEnv(render_mode="human"))
    env.reset(seed=5)
    for move in moves:
        env.last()
        env.step(move)
    assert transcript(bare(env)) == told


def test_words_pass_through_the_parallel_conversion() -> None:
    moves, _ = recorded()
    raw, plain = DenEnv(), DenEnv()
    env = turn_based_aec_to_parallel(wrap(raw))
    env.reset(seed=5)
    plain.reset(seed=5)
    for move in moves:
        env.step({seat: move if seat == raw.agent_selection else 0 for seat in env.agents})
        plain.step(move)
    assert plain.finished and plain.ledger.digest() == raw.ledger.digest()
