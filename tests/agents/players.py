"""Shared by the tests of modelled seats: replies that a loopback endpoint makes of what it is asked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from liecraft.agents.catalog import Given
from liecraft.agents.pool import Models, ModelSpec
from liecraft.arena import new_env, play_table, seat_agents
from liecraft.models import ChatModel, OpenAICompatible, RetryPolicy
from liecraft.trace.reader import Trace
from tests.fault_server import Body

SHORT: dict[str, Any] = {"seats": 4, "rounds": 2, "first_kill": 9, "discussion_rounds": 1, "key": False}
"""Murder in eleven or so requests a seat at most: two rounds of acts, one of talk, one vote at dawn."""


def legal(body: Body) -> list[str]:
    """The moves that the request's schema offers."""
    schema = body["response_format"]["json_schema"]["schema"]
    moves: list[str] = schema["properties"]["move"]["enum"]
    return moves


def seat_of(body: Body) -> str:
    """The seat that a prompt is for, as its system message says."""
    found = re.search(r"You are (player_\d+)\.", body["messages"][0]["content"])
    assert found is not None
    return found[1]


def choose(body: Body) -> str:
    """A move that keeps a game going: speak when it may, else the first offered."""
    offered = legal(body)
    return next((move for move in ("say", "answer") if move in offered), offered[0])


def answering(text: Callable[[Body], str] = lambda body: "I was in the hall.") -> Callable[[Body], str]:
    """Well-formed replies; where a seat may speak, it says `text(body)`."""

    def reply(body: Body) -> str:
        fields: dict[str, Any] = {"move": choose(body)}
        if "say" in body["response_format"]["json_schema"]["schema"]["properties"]:
            fields |= {"say": text(body), "claims": []}
        return json.dumps(fields)

    return reply


def quick_models() -> Models:
    """Models whose back-off takes hundredths of a second."""

    def make(wanted: ModelSpec) -> ChatModel:
        retry = RetryPolicy(base=0.01, cap=0.02)
        rng = np.random.default_rng(7)
        return OpenAICompatible(wanted.model, wanted.base_url, retry=retry, rng=rng)

    return Models(make)


def modelled(base_url: str, agent: str = "llm", **params: Any) -> Given:
    """An agent over a loopback endpoint."""
    return {"agent": agent, "model": "m", "base_url": base_url, **params}


def play_murder(
    agents: Sequence[Given], *, seed: int = 1, config: Mapping[str, Any] | None = None, world: Any = None
) -> Trace:
    """Play a short game of murder with quick retries."""
    env = new_env("murder", {**SHORT, "seats": len(agents), **(config or {})})
    return play_table(env, seat_agents(env, agents), seed=seed, world=world, models=quick_models())
