"""The AEC contract, stricter than PettingZoo's tests: dead steps, turn order, illegal moves, spaces, rewards."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from liecraft.engine.claims import Claim
from liecraft.engine.errors import IllegalMove
from liecraft.engine.moves import Move, Words
from liecraft.engine.seats import Seat
from liecraft.testing.failure import difference, require
from liecraft.testing.fingerprint import fingerprint
from liecraft.testing.play import EnvFn, RawEnv, bare, generator, legal_now, pick, plain, random_move


def dead_steps(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """Every seat takes exactly one dead step, all at the end, and sees its last reward there once."""
    raw = bare(env_fn())
    for game in range(games):
        rng = generator(seed, game)
        raw.reset(seed=int(rng.integers(2**31)))
        where = f"game {game} of seed {seed}"
        while not raw.finished:
            raw.step(random_move(raw, rng))
            ended = [seat for seat in raw.seats if raw.terminations[seat] or raw.truncations[seat]]
            require(not ended or raw.finished, "dead_steps", f"{where}: {ended} ended before the game did")
        require(raw.agents == list(raw.seats), "dead_steps", f"{where}: a seat left `agents` before the end")
        _bury(raw, where)


def _bury(raw: RawEnv, where: str) -> None:
    steps: Counter[Seat] = Counter()
    owed = dict(raw._cumulative_rewards)
    while raw.agents:
        seat = raw.agent_selection
        steps[seat] += 1
        require(steps[seat] == 1, "dead_steps", f"{where}: {seat} takes a second dead step")
        _, reward, terminated, truncated, _ = raw.last()
        require(terminated or truncated, "dead_steps", f"{where}: {seat} has a live turn after the end")
        require(
            reward == owed[seat],
            "dead_steps",
            f"{where}: {seat} is shown {reward}, not the {owed[seat]} owed",
        )
        before = raw.ledger.digest(), list(raw.agents)
        try:
            raw.step(0)
        except ValueError:
            pass
        else:
            require(False, "dead_steps", f"{where}: {seat} is dead, yet a move that isn't None was accepted")
        require(
            before == (raw.ledger.digest(), raw.agents), "dead_steps", f"{where}: the refusal left a trace"
        )
        raw.step(None)
    require(set(steps) == set(raw.seats), "dead_steps", f"{where}: dead steps were {dict(steps)}")


def turn_order(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """Only a seat in play is selected, with at least one legal move, and the game ends within its cap."""
    raw = bare(env_fn())
    for game in range(games):
        rng = generator(seed, game)
        raw.reset(seed=int(rng.integers(2**31)))
        out: set[Seat] = set()
        steps = heard = 0
        while not raw.finished:
            seat, where = raw.agent_selection, f"game {game} of seed {seed}, move {steps}"
            for entry in list(raw.ledger)[heard:]:
                if entry.event.kind == "dead":
                    out.update(entry.event.data["seats"])
            heard = len(raw.ledger)
            require(seat in raw.living, "turn_order", f"{where}: {seat} is selected, yet out of play")
            require(seat not in out, "turn_order", f"{where}: {seat} is selected, yet was announced dead")
            require(legal_now(raw), "turn_order", f"{where}: {seat} has no legal move")
            idle = [other for other in raw.seats if other != seat and raw.observe(other)["action_mask"].any()]
            require(not idle, "turn_order", f"{where}: {idle} have a mask without having the turn")
            raw.step(random_move(raw, rng))
            steps += 1
            require(steps <= raw.cap, "turn_order", f"{where}: the game goes on past its cap of {raw.cap}")


def illegal_moves(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """An illegal move raises `IllegalMove`, always with the same text, and leaves everything as it was."""
    raw = bare(env_fn())
    for game in range(games):
        rng = generator(seed, game)
        raw.reset(seed=int(rng.integers(2**31)))
        while not raw.finished:
            if rng.random() < 0.1:
                _try_illegal(raw, rng, f"game {game} of seed {seed}, {raw.agent_selection} in {raw.phase!r}")
            raw.step(random_move(raw, rng))


def illegal_actions(raw: RawEnv) -> list[Any]:
    """What the selected seat may not play now: every masked move, numbers off the table, words out of place."""
    legal = legal_now(raw)
    wrong: list[Any] = [i for i in range(len(raw.moves)) if i not in legal]
    wrong += [-1, len(raw.moves), None]
    claim = Claim("no_such_claim", ("player_0",))
    wrong.append(Move(legal[0], Words("", (claim,))))
    if raw.phase not in raw.speaking:
        wrong.append(Move(legal[0], Words("let me speak")))
    return wrong


def refusal(raw: RawEnv, action: Any) -> str:
    """Text of the error that an illegal action raises, with its type."""
    try:
        raw.step(action)
    except IllegalMove as error:
        return f"IllegalMove: {error}"
    except Exception as error:  # noqa: BLE001  # whatever it raises is what the seat gets
        return f"{type(error).__name__}: {error}"
    return "accepted"


def _try_illegal(raw: RawEnv, rng: np.random.Generator, where: str) -> None:
    state, digest = fingerprint(raw), raw.ledger.digest()
    wrong = illegal_actions(raw)
    chosen = [pick(rng, wrong) for _ in range(4)]
    chosen += wrong[-5:]
    for action in chosen:
        texts = [refusal(raw, action), refusal(raw, action)]
        require(
            texts[0].startswith("IllegalMove: "), "illegal_moves", f"{where}: {action!r} gave {texts[0]!r}"
        )
        require("\n" not in texts[0], "illegal_moves", f"{where}: the error text has several lines")
        require(texts[0] == texts[1], "illegal_moves", f"{where}: {action!r} was refused with {texts}")
    require(digest == raw.ledger.digest(), "illegal_moves", f"{where}: a refused move changed the ledger")
    after = fingerprint(raw)
    require(
        state == after,
        "illegal_moves",
        f"{where}: a refused move changed the env: {difference(state, after)}",
    )


def spaces_hold(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """Space objects stay the same, hold every observation and state, and nobody can write into the env's arrays."""
    raw = bare(env_fn())
    spaces = {seat: (raw.observation_space(seat), raw.action_space(seat)) for seat in raw.seats}
    for game in range(games):
        rng = generator(seed, game)
        raw.reset(seed=int(rng.integers(2**31)))
        while not raw.finished:
            where = f"game {game} of seed {seed}, {raw.agent_selection} in {raw.phase!r}"
            for seat, (seen, acted) in spaces.items():
                same = raw.observation_space(seat) is seen and raw.action_space(seat) is acted
                require(same, "spaces", f"{where}: {seat} gets another space object")
                observation: Any = raw.observe(seat)
                require(seen.contains(observation), "spaces", f"{where}: {seat} observes out of its space")
                before = plain(observation)
                observation["observation"][...] = 7
                require(
                    plain(raw.observe(seat)) == before, "spaces", f"{where}: {seat} can write into the env"
                )
            require(raw.state_space.contains(raw.state()), "spaces", f"{where}: state out of its space")
            sampled = raw.action_space(raw.agent_selection).sample()
            require(sampled in legal_now(raw), "spaces", f"{where}: sampled without a mask, an illegal move")
            raw.step(random_move(raw, rng))


def rewards_add_up(env_fn: EnvFn, *, games: int, seed: int, zero_sum: bool) -> None:
    """All that is paid to a seat is shown to it, once; under `zero_sum` the returns of all seats add up to zero."""
    raw = bare(env_fn())
    for game in range(games):
        rng = generator(seed, game)
        raw.reset(seed=int(rng.integers(2**31)))
        where = f"game {game} of seed {seed}"
        paid = dict.fromkeys(raw.seats, 0.0)
        shown = dict.fromkeys(raw.seats, 0.0)
        while raw.agents:
            seat, over = raw.agent_selection, raw.finished
            shown[seat] += raw.last()[1]
            raw.step(None if over else random_move(raw, rng))
            if not over:
                for other in raw.seats:
                    paid[other] += raw.rewards[other]
        for seat in raw.seats:
            same = math.isclose(paid[seat], shown[seat], abs_tol=1e-9)
            require(same, "rewards", f"{where}: {seat} was paid {paid[seat]} and shown {shown[seat]}")
        total = math.fsum(paid.values())
        if zero_sum:
            require(abs(total) < 1e-9, "rewards", f"{where}: returns add up to {total}, not to zero")
