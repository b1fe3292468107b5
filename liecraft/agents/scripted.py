"""Agents that play any game by code."""

from __future__ import annotations

import numpy as np

from liecraft.engine.agent import Reply, Request
from liecraft.engine.ledger import View


class RandomAgent:
    """Plays a uniformly random legal move and says nothing.

    Args:
        rng: The seat's own stream.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def act(self, view: View, request: Request) -> Reply:
        return Reply(request.legal[int(self._rng.integers(len(request.legal)))])


class DefaultAgent:
    """Plays each phase's documented default move: it waits, keeps silent, abstains."""

    def __init__(self, rng: np.random.Generator) -> None:
        del rng  # every agent is offered a stream; this one needs none

    def act(self, view: View, request: Request) -> Reply:
        return Reply(request.default)
