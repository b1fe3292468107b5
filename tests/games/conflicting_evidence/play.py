"""Games of scripted players, and paired comparisons of what comes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import stats

from liecraft.engine.agent import Reply
from liecraft.engine.chance import Chance
from liecraft.engine.moves import Move, Words
from liecraft.engine.registry import game_class
from liecraft.games.conflicting_evidence.bots import BOTS
from liecraft.games.conflicting_evidence.env import MOLE, ConflictingEvidenceEnv


def game(env: Any, bots: Sequence[str], seed: int, **params: Mapping[str, Any]) -> ConflictingEvidenceEnv:
    """Play one game; `params` are those of each bot by name."""
    env.reset(seed=seed)
    chance = Chance(seed)
    agents = {
        seat: BOTS[bot](chance.rng("agent", seat=seat), **params.get(bot, {}))
        for seat, bot in zip(env.seats, bots, strict=True)
    }
    while not env.finished:
        request = env.request()
        reply = agents[request.seat].act(env.view(request.seat), request)
        assert isinstance(reply, Reply)
        assert env.refusal(reply) is None, reply
        index = env.moves.index(reply.move)
        env.step(Move(index, Words(reply.text, reply.claims)) if request.words else index)
    return env  # type: ignore[no-any-return]  # the registry gives the general class


def right(env: ConflictingEvidenceEnv) -> bool:
    return next(bool(event.data["right"]) for event, _ in env.ledger if event.kind == "result")


@lru_cache
def accuracy(bot: str, games: int, condition: str, toxicity: int = 3) -> tuple[bool, ...]:
    """Whether a team of one bot was right, on the cases 0 to `games` - 1."""
    won = []
    for case in range(games):
        env = game_class("conflicting_evidence_v0")(condition=condition, toxicity=toxicity, case=case)
        won.append(right(game(env, [bot] * 4, seed=case)))
    return tuple(won)


def mean_low(differences: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Mean of paired differences and the lower end of its t interval."""
    values = np.asarray(differences, float)
    half = stats.t.ppf((1 + confidence) / 2, len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5
    return float(values.mean()), float(values.mean() - half)


def with_mole(bot: str, games: int, **mole: Any) -> list[ConflictingEvidenceEnv]:
    """Finished games of three bots of a kind with a lying mole in the mole's seat."""
    played = []
    for seed in range(games):
        env = game_class("conflicting_evidence_v0")(condition="distributed+mole")
        env.reset(seed=seed)
        bots = ["mole" if role == MOLE else bot for role in env.world.roles]
        played.append(game(env, bots, seed, mole=mole))
    return played
