"""The env's bookkeeping: seeds, worlds, words cut to their limits, the cap, what is told when."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liecraft.engine.claims import Claim
from liecraft.engine.errors import ConfigError, GameOver, IllegalMove
from liecraft.engine.ledger import ENGINE, thaw
from liecraft.engine.moves import Move, Words
from liecraft.testing.aec import rewards_add_up
from liecraft.testing.play import generator, play_on, random_move, transcript
from tests.engine.strategies import nasty
from tests.toys.den import SHEEP, WOLF, DenEnv, DenWorld

WORLD = DenWorld((WOLF, WOLF, SHEEP, SHEEP, SHEEP, SHEEP), "thistle")


def started(**config: Any) -> DenEnv:
    env = DenEnv(**config)
    env.reset(seed=1, options={"world": WORLD})
    return env


def until(env: DenEnv, phase: str) -> DenEnv:
    while env.phase != phase:
        env.step(Move(env.moves.index(env.request().default)))
    return env


@given(st.integers(0, 2**62))
def test_config_world_and_moves_rebuild_a_game(seed: int) -> None:
    env = DenEnv(seats=5)
    env.reset(seed=seed)
    moves = play_on(env, generator(seed))
    again = DenEnv(**thaw(env.ledger.views["player_0"].first("game").data["config"]))
    again.reset(seed=seed, options={"world": thaw(env.ledger[0].event.data)})
    for move in moves:
        again.step(Move(int(move), move.words))
    assert transcript(again) == transcript(env)


def test_the_ledger_opens_with_the_world_for_the_engine_the_header_for_all_and_each_role_for_its_seat() -> (
    None
):
    env = started()
    world, header, *rest = env.ledger
    assert (
        world.audience == ENGINE and world.event.data["word"] == "thistle" and world.event.data["seed"] == 1
    )
    assert header.event.kind == "game" and header.event.data["config"]["seats"] == 6
    for i, (event, audience) in enumerate(rest[:6]):
        assert (event.kind, event.data["role"], audience) == ("role", WORLD.roles[i], 1 << i)


@pytest.mark.parametrize(
    ("world", "message"),
    [
        ({"roles": ["wolf"] * 6}, "world: word: field required"),
        ({"roles": ["wolf"] * 3, "word": "x"}, "world: roles must be 6 of wolf, sheep"),
        ({"roles": ["fox"] * 6, "word": "x"}, "world: roles must be 6 of wolf, sheep"),
        ({"roles": ["wolf"] * 6, "word": 3}, "world: word: input should be a valid string"),
    ],
)
def test_a_world_that_does_not_fit_is_refused_in_one_line(world: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        DenEnv().reset(seed=1, options={"world": world})
    assert "\n" not in str(error.value)


def test_a_world_reads_back_from_its_data() -> None:
    assert DenWorld.from_data(WORLD.as_data()) == WORLD
    with pytest.raises(dataclasses.FrozenInstanceError):
        WORLD.word = "x"  # type: ignore[misc]  # that it fails is the point


def test_resets_without_a_seed_follow_from_the_last_seed() -> None:
    env, other = DenEnv(), DenEnv()
    for each in (env, other):
        each.reset(seed=9)
        each.reset()
    assert env.chance.seed == other.chance.seed != 9
    assert env.world == other.world


@given(nasty, st.integers(0, 30))
def test_words_are_cut_to_their_limit(text: str, limit: int) -> None:
    env = until(started(max_text=limit), "talk")
    speaker = env.agent_selection
    env.step(Move(env.moves.index("say"), Words(text)))
    heard = [event for event in env.view("player_5").of("speech") if event.actor == speaker]
    assert [event.data["text"] for event in heard] == [text[:limit]]


def test_claims_beyond_the_limit_are_not_heard_and_a_malformed_one_changes_nothing() -> None:
    env = until(started(max_claims=1), "talk")
    say, claims = env.moves.index("say"), [Claim("suspect", (seat,)) for seat in ("player_1", "player_2")]
    before = transcript(env)
    with pytest.raises(IllegalMove, match=r"^claim suspect\(nobody\) is not one of your legal moves now$"):
        env.step(Move(say, Words("", (Claim("suspect", ("nobody",)),))))
    assert transcript(env) == before
    env.step(Move(say, Words("", tuple(claims))))
    assert env.view("player_5").of("speech")[-1].data["claims"] == (("suspect", "player_1"),)
    verdicts = env.ledger[len(env.ledger) - 1]
    assert verdicts.event.kind == "verdicts" and verdicts.audience == ENGINE


def test_words_outside_a_speaking_phase_are_refused() -> None:
    env = started()
    with pytest.raises(IllegalMove, match=r"^sleep with words is not one of your legal moves now$"):
        env.step(Move(env.moves.index("sleep"), Words("psst")))


@pytest.mark.parametrize("action", [-1, 10**9, None, np.int64(99)])
def test_a_number_off_the_table_is_refused(action: Any) -> None:
    env = started()
    before = transcript(env)
    with pytest.raises(IllegalMove, match="is not one of your legal moves now"):
        env.step(action)
    assert transcript(env) == before


def test_a_private_speech_is_heard_by_those_it_is_for() -> None:
    env = until(started(), "pack")
    env.step(Move(env.moves.index("say"), Words("tonight")))
    heard = [
        seat
        for seat in env.seats
        if any(event.data["text"] == "tonight" for event in env.view(seat).of("speech"))
    ]
    assert heard == ["player_0", "player_1"]
    assert "tonight" in env.text("player_1") and "tonight" not in env.text("player_2")


def test_words_that_say_the_game_is_over_do_not_end_it() -> None:
    env = until(started(), "talk")
    for text in ("game over", "ENGINE: outcome deceivers", "terminate", "STOP"):
        env.step(Move(env.moves.index("say"), Words(text)))
        assert not env.finished and not any(env.terminations.values())


def test_the_cap_truncates_and_pays_nobody() -> None:
    class ShortEnv(DenEnv):
        def max_moves(self) -> int:
            return 9

    env = ShortEnv()
    env.reset(seed=2)
    assert len(play_on(env, generator(2))) == 9
    assert all(env.truncations.values()) and not any(env.terminations.values())
    assert set(env._cumulative_rewards.values()) == {0.0}
    assert env.view("player_0")[-1].data["reason"] == "move cap"


def test_after_the_end_a_move_is_refused_until_reset() -> None:
    env = started(seats=6, rounds=1)
    play_on(env, generator(3))
    while env.agents:
        env.step(None)
    with pytest.raises(GameOver, match="call reset"):
        env.step(0)
    env.reset(seed=1)
    assert len(env.agents) == 6 and len(env.view("player_3").of("outcome")) == 0


def test_the_winning_side_shares_one_and_the_losing_side_minus_one() -> None:
    env = started(rounds=1)
    play_on(env, generator(4))
    winner = env.view("player_0")[-1].data["winner"]
    for seat in env.seats:
        members = 2 if env.role[seat] == WOLF else 4
        won = str(env.side(seat)) == winner
        assert env._cumulative_rewards[seat] == (1 if won else -1) / members


def test_a_reward_given_in_another_s_turn_is_shown_once() -> None:
    class PayingEnv(DenEnv):
        def apply(self, seat: str, verb: str, target: str, words: Words) -> None:
            super().apply(seat, verb, target, words)
            self.pay("player_5", 0.25)

    env = PayingEnv()
    env.reset(seed=1, options={"world": WORLD})
    shown = []
    for _ in range(12):
        if env.agent_selection == "player_5":
            shown.append(env.last()[1])
        env.step(random_move(env, generator(6)))
    assert shown[0] == 1.25
    rewards_add_up(PayingEnv, games=3, seed=1, zero_sum=False)


def test_a_turn_of_a_seat_that_died_meanwhile_is_passed_over() -> None:
    class SuddenEnv(DenEnv):
        def apply(self, seat: str, verb: str, target: str, words: Words) -> None:
            super().apply(seat, verb, target, words)
            if seat == "player_1" and self.phase == "talk" and "player_2" in self.living:
                self.dies("player_2")
                self.dies("player_3")

    env = SuddenEnv()
    env.reset(seed=1, options={"world": WORLD})
    until(env, "talk")
    order = []
    while env.phase == "talk":
        order.append(env.agent_selection)
        env.step(Move(env.moves.index("say")))
    assert order == ["player_0", "player_1", "player_4", "player_5"]


def test_text_rides_in_the_info_only_if_asked_for() -> None:
    env, quiet = started(text=True), started()
    assert env.last()[4]["text"] == env.text(env.agent_selection)
    assert "text" not in quiet.last()[4]


def test_state_holds_the_public_and_every_private_part() -> None:
    env = started()
    public, private = env.features.public_size, env.features.private_size
    state = env.state()
    for i, seat in enumerate(env.seats):
        seen = env.observe(seat)["observation"]
        assert (seen[:public] == state[:public]).all()
        assert (seen[public:] == state[public + i * private : public + (i + 1) * private]).all()
