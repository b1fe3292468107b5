"""Same seed and moves, same game: in any process, beside any other game, in a used env, behind any wrapper."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np

from liecraft.engine.moves import Move
from liecraft.engine.registry import wrap
from liecraft.testing.failure import CheckFailed, require
from liecraft.testing.play import EnvFn, RawEnv, bare, generator, play_on, random_move, replay, transcript


def _alone(env_fn: EnvFn, seed: int) -> tuple[list[Move], str]:
    raw = bare(env_fn())
    raw.reset(seed=seed)
    moves = play_on(raw, generator(seed))
    return moves, transcript(raw)


def same_in_every_process(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """Two fresh processes with different hash seeds play the same games to the same ledgers and observations."""
    raw = bare(env_fn())
    kind = type(raw)
    if "<locals>" in kind.__qualname__ or kind.__module__ == "__main__":
        raise CheckFailed("processes", f"{kind.__qualname__} must stand in a module that can be imported")
    order = {
        "reference": f"{kind.__module__}:{kind.__qualname__}",
        "config": raw.config.model_dump(mode="json"),
        "lang": raw.lang,
        "seeds": [seed + game for game in range(games)],
    }
    children = [_child(hash_seed) for hash_seed in ("1", "4242")]
    answers = [child.communicate(json.dumps(order)) for child in children]
    for child, (_, complaint) in zip(children, answers, strict=True):
        require(child.returncode == 0, "processes", f"a child process failed: {complaint[-500:]}")
    one, other = (json.loads(told) for told, _ in answers)
    for at, (a, b) in enumerate(zip(one, other, strict=True)):
        require(a == b, "processes", f"game of seed {seed + at} differs under another PYTHONHASHSEED")


def _child(hash_seed: str) -> subprocess.Popen[str]:
    environment = os.environ | {
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "liecraft.testing.child"]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)


def no_shared_state(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """A game is the same played alone, after other games of other envs, or in turns with one in another env."""
    for game in range(games):
        first, second = seed + 2 * game, seed + 2 * game + 1
        moves, alone = _alone(env_fn, first)
        again = _replayed(bare(env_fn()), first, moves)
        require(alone == again, "shared_state", f"seed {first}: a second fresh env plays another game")
        one, other = bare(env_fn()), bare(env_fn())
        one.reset(seed=first)
        other.reset(seed=second)
        rng = generator(second)
        for move in moves:
            one.step(move)
            if not other.finished:
                other.step(random_move(other, rng))
        told = transcript(one)
        require(
            told == alone, "shared_state", f"seed {first}: a game in another env (seed {second}) changed it"
        )


def _replayed(raw: RawEnv, seed: int, moves: list[Move]) -> str:
    raw.reset(seed=seed)
    _checked_replay(raw, moves)
    return transcript(raw)


def _checked_replay(raw: RawEnv, moves: list[Move]) -> None:
    try:
        replay(raw, moves)
    except Exception as error:
        raise CheckFailed("reset", f"moves of the same game can't be replayed: {error}") from error


def reset_forgets(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """An env that was used, to the end or only half, plays the same game as a fresh one."""
    used = bare(env_fn())
    for game in range(games):
        here = seed + game
        moves, fresh = _alone(env_fn, here)
        rng = generator(seed, game)
        used.reset(seed=int(rng.integers(2**31)))
        play_on(used, rng, most=None if game % 2 else len(moves) // 2)
        require(_replayed(used, here, moves) == fresh, "reset", f"seed {here}: a used env plays another game")


def seeds_follow(env_fn: EnvFn, *, seed: int) -> None:
    """Resets without a seed after a seeded one repeat themselves too, and give different games."""
    runs = []
    for _ in range(2):
        raw = bare(env_fn())
        raw.reset(seed=seed)
        digests = []
        for game in range(4):
            raw.reset()
            play_on(raw, generator(seed, game))
            digests.append(raw.ledger.digest())
        runs.append(digests)
    require(runs[0] == runs[1], "reset", f"seed {seed}: later resets without a seed differ")
    require(
        len(set(runs[0])) == 4, "reset", f"seed {seed}: resets without a seed give one game again and again"
    )


def wrapped_is_bare(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """The env as it is built, with PettingZoo's wrappers around, and bare: all play the same game."""
    for game in range(games):
        here = seed + game
        moves, told = _alone(env_fn, here)
        for name, env in (("as built", env_fn()), ("wrapped", wrap(bare(env_fn())))):
            env.reset(seed=here)
            rest = iter(moves)
            for _ in env.agent_iter(len(moves)):
                env.last()
                env.step(next(rest))
            require(transcript(bare(env)) == told, "wrappers", f"seed {here}: {name}, the game is another")


def masks_are_obeyed(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """Random play that obeys the masks it gets from `last`, through all wrappers, never meets a refusal."""
    env = env_fn()
    for game in range(games):
        rng = generator(seed, game)
        env.reset(seed=int(rng.integers(2**31)))
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = np.flatnonzero(observation["action_mask"])
            try:
                env.step(int(legal[rng.integers(len(legal))]))
            except Exception as error:
                message = f"game {game} of seed {seed}: {type(error).__name__}: {error}"
                raise CheckFailed("masks", f"a move that the mask allows was refused: {message}") from error
