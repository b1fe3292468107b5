"""A circuit breaker: an endpoint that keeps failing is left alone for a while, and its callers wait."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from liecraft.models.wire import Answer, Failure

log = logging.getLogger(__name__)

State = Literal["closed", "open", "half-open"]

_BROKEN = frozenset({"connection", "server", "malformed"})
"""Failures that speak of the endpoint's health. A refusal of any kind, 429 included, shows that it lives."""


@dataclass(frozen=True, slots=True)
class BreakerPolicy:
    """When a breaker opens, how it looks again, when it gives up.

    Attributes:
        failures: Failed requests in a row that open it.
        pause: Seconds from opening to the first request let through to look; doubles with each that fails.
        longest: Most seconds between two such looks.
        patience: Seconds of outage after which waiting calls fail instead of waiting on; each then ends its own
            game. The looks go on.
    """

    failures: int = 5
    pause: float = 2.0
    longest: float = 60.0
    patience: float = 300.0


class Breaker:
    """Guards one endpoint in one event loop.

    Closed, it lets every request through and counts failures in a row. Open, it holds requests back until a
    pause is over; then, half open, it lets one through: an answer closes it and lets all go on, a failure opens
    it again for longer. It tells the log once that it opens and once that it closes.

    Source: M. T. Nygard, "Release It!", 2nd edition, 2018, chapter 5.

    Args:
        endpoint: Host and port, for the log.
        policy: Thresholds.
    """

    def __init__(self, endpoint: str, policy: BreakerPolicy | None = None) -> None:
        self.endpoint = endpoint
        self.state: State = "closed"
        self.opened = 0
        """How often it has opened."""
        self._policy = policy or BreakerPolicy()
        self._failed = 0
        self._since = 0.0
        self._pause = 0.0
        self._given_up = False
        self._waiting: deque[asyncio.Future[bool]] = deque()

    @property
    def down(self) -> float:
        """Seconds since it opened; 0 while it is closed."""
        return 0.0 if self.state == "closed" else time.monotonic() - self._since

    async def guard(self, attempt: Callable[[], Awaitable[Answer | Failure]]) -> Answer | Failure:
        """Make one request once it may go, and learn from what comes of it."""
        if self.state != "closed" and not await self._wait():
            return Failure("unavailable", f"no answer for {self.down:.0f} s, and games no longer wait for one")
        looking = self.state == "half-open"
        try:
            result = await attempt()
        except asyncio.CancelledError:  # by the deadline: no answer in time is a failure like any other
            self._failure(looking)
            raise
        if isinstance(result, Failure) and result.kind in _BROKEN:
            self._failure(looking)
        else:
            self._success()
        return result

    async def ready(self) -> None:
        """Wait while it is open, before a call's deadline begins to run; returns at once when it has given up."""
        while self.state != "closed" and not self._given_up:
            turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            if await self._turn(turn) and self.state == "half-open":
                return

    async def _wait(self) -> bool:
        """Wait for leave to send one request; False when there is none to be had."""
        while self.state == "open":
            if self._given_up:
                return False
            turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            if not await self._turn(turn):
                return False
        return True
