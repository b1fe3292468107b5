"""How many requests an endpoint takes at once, found out by asking: up step by step, down by half."""

import asyncio
import statistics
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

WINDOW = 12
"""Answers whose median latency is compared with the usual one."""


@dataclass(frozen=True, slots=True)
class AdaptivePolicy:
    """Where the limit starts and what moves it.

    Attributes:
        start: Requests in flight at first.
        most: Never more than this.
        slower: Times the usual latency at which the limit is taken back.
        steady: Times the usual latency above which it no longer grows.
    """

    start: int = 4
    most: int = 1000
    slower: float = 2.0
    steady: float = 1.4


class AdaptiveLimit:
    """A limit on requests in flight to one endpoint, in one event loop, that adapts to what comes back.

    It doubles each round until the endpoint first says stop, and from then on grows by one a round: additive
    increase, multiplicative decrease. "Stop" is a 429 or a call that ran out of time, for which it halves, or
    answers that take longer than they did with fewer requests in flight, for which it gives back a fifth.
    Requests that were under way already when it was taken back do not take it back again.

    Source: D.-M. Chiu, R. Jain, "Analysis of the increase and decrease algorithms for congestion avoidance in
    computer networks", Computer Networks and ISDN Systems 17, 1989.

    Args:
        policy: Bounds and thresholds.
    """

    def __init__(self, policy: AdaptivePolicy | None = None) -> None:
        self._policy = policy or AdaptivePolicy()
        self._limit = float(self._policy.start)
        self.in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._doubling = True
        self._taken_back = 0.0
        self._usual: float | None = None
        self._steady = False
        self._window: list[float] = []

    @property
    def limit(self) -> int:
        """Requests that may be in flight now."""
        return int(self._limit)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Hold one of the places; wait for it first."""
        await self._enter()
        try:
            yield
        finally:
            self._leave()

    def answered(self, sent: float) -> None:
        """Learn from an answer to a request sent at this `time.monotonic()`."""
        if sent >= self._taken_back:
            self._window.append(time.monotonic() - sent)
        if len(self._window) == WINDOW:
            self._judge_latency(statistics.median(self._window))
            self._window.clear()
        # A limit that nothing presses against says nothing of the endpoint.
        if self._steady or self.in_flight < self.limit:
            return
        step = 1.0 if self._doubling else 1.0 / self._limit
        self._limit = min(self._policy.most, self._limit + step)
        self._let_in()

    def refused(self, sent: float) -> None:
        """Learn from a 429, or from a request that got no answer in its time."""
        self._take_back(0.5, sent)

    def _judge_latency(self, latency: float) -> None:
        # What is usual may creep up, as prompts grow, but not as fast as a queue does.
        usual = latency if self._usual is None else min(latency, 1.02 * self._usual)
        self._usual = usual
        self._steady = latency > self._policy.steady * usual
        if latency > self._policy.slower * usual:
            self._take_back(0.8, time.monotonic())

    def _take_back(self, factor: float, sent: float) -> None:
        self._doubling = False
        if sent < self._taken_back:
            return
        self._limit = max(1.0, factor * self._limit)
        self._taken_back = time.monotonic()

    async def _enter(self) -> None:
        if self.in_flight < self.limit and not self._waiting:
            self.in_flight += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the place had been given, and nobody uses it
                self._leave()
            raise

    def _leave(self) -> None:
        self.in_flight -= 1
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self.in_flight < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self.in_flight += 1
                turn.set_result(None)
