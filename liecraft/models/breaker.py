"""A circuit breaker: an endpoint that keeps failing is left alone for a while, and its callers wait."""

import asyncio
import logging
import time
from collections import deque
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

log = logging.getLogger(__name__)

State = Literal["closed", "open", "half-open"]

BROKEN = frozenset({"connection", "server", "malformed", "timeout"})
"""Failures that speak of the endpoint's health. A refusal of any kind, 429 included, shows that it lives."""


class Leave(IntEnum):
    """What a caller is told that asks whether it may send a request."""

    NO = 0  # the endpoint is given up for now
    GO = 1
    LOOK = 2  # go, and all others wait for what comes of it


@dataclass(frozen=True, slots=True)
class BreakerPolicy:
    """When a breaker opens, how it looks again, when it stops to let callers wait.

    Attributes:
        failures: Failed requests in a row that open it.
        pause: Seconds from opening to the request that is let through to look; doubles with each that fails.
        longest: Most seconds between two looks.
        patience: Seconds of outage after which callers are sent away instead of waiting on. The looks go on.
    """

    failures: int = 5
    pause: float = 1.0
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
        self._streak = 0
        self._since = 0.0
        self._pause = 0.0
        self._given_up = False
        self._look_free = False
        self._waiting: deque[asyncio.Future[Leave]] = deque()
        self._timers: list[asyncio.TimerHandle] = []

    @property
    def down(self) -> float:
        """Seconds since it opened; 0 while it is closed."""
        return 0.0 if self.state == "closed" else time.monotonic() - self._since

    async def admit(self) -> Leave:
        """Wait for leave to send one request; its outcome has to be told by one of the three methods below."""
        if self.state == "closed":
            return Leave.GO
        if self._look_free:
            self._look_free = False
            return Leave.LOOK
        if self._given_up:
            return Leave.NO
        turn: asyncio.Future[Leave] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # leave had been given, and nobody uses it
                self.withdrawn(turn.result())
            raise

    def succeeded(self) -> None:
        """A request was answered, be it by a refusal."""
        self._streak = 0
        if self.state == "closed":
            return
        log.warning("%s: answers again after %.0f s; its games go on", self.endpoint, self.down)
        self.state = "closed"
        self._given_up = self._look_free = False
        self._stop_timers()
        self._release(Leave.GO)

    def failed(self, leave: Leave, kind: str) -> None:
        """A request failed for a reason that speaks of the endpoint's health."""
        self._streak += 1
        if self.state == "closed" and self._streak >= self._policy.failures:
            self._open(kind)
        elif leave is Leave.LOOK and self.state == "half-open":
            self._pause = min(2 * self._pause, self._policy.longest)
            self._wait_to_look()

    def withdrawn(self, leave: Leave) -> None:
        """A request was given up by its caller, so nothing is known of the endpoint."""
        if leave is Leave.LOOK and self.state == "half-open":
            self._wait_to_look()

    def _open(self, kind: str) -> None:
        log.warning(
            "%s: %d requests in a row failed (%s); its games wait until it answers again",
            self.endpoint,
            self._streak,
            kind,
        )
        self.opened += 1
        self._since = time.monotonic()
        self._pause = self._policy.pause
        self._wait_to_look()
        self._timers.append(asyncio.get_running_loop().call_later(self._policy.patience, self._give_up))

    def _wait_to_look(self) -> None:
        self.state = "open"
        self._timers.append(asyncio.get_running_loop().call_later(self._pause, self._half_open))

    def _half_open(self) -> None:
        self.state = "half-open"
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():  # its caller may have been cancelled
                turn.set_result(Leave.LOOK)
                return
        self._look_free = True

    def _give_up(self) -> None:
        log.warning(
            "%s: no answer for %.0f s; its games now fail instead of waiting", self.endpoint, self.down
        )
        self._given_up = True
        self._release(Leave.NO)

    def _release(self, leave: Leave) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(leave)

    def _stop_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
