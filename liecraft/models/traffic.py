"""What all clients of one endpoint share: its circuit breaker, and a limit on requests in flight."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from weakref import WeakKeyDictionary

from liecraft.models.adaptive import AdaptiveLimit, AdaptivePolicy
from liecraft.models.breaker import BROKEN, Breaker, BreakerPolicy, Leave
from liecraft.models.wire import Answer, Failure


class Lane:
    """The traffic to one endpoint in one event loop.

    Args:
        breaker: Holds requests back while the endpoint is out of order.
        limit: How many may be in flight; None sets no limit.
    """

    def __init__(self, breaker: Breaker, limit: AdaptiveLimit | None) -> None:
        self.breaker = breaker
        self.limit = limit

    def slot(self) -> AbstractAsyncContextManager[None]:
        """Hold a place for one call, its waits between attempts included."""
        return self.limit.slot() if self.limit else nullcontext()

    async def guarded(
        self, attempt: Callable[[], Awaitable[Answer | Failure]], leave: Leave
    ) -> Answer | Failure:
        """Make one request that has its leave, and learn from what comes of it."""
        sent = time.monotonic()
        try:
            result = await attempt()
        except BaseException:
            self.breaker.withdrawn(leave)
            raise
        if isinstance(result, Failure) and result.kind in BROKEN:
            self.breaker.failed(leave, result.kind)
            return result
        self.breaker.succeeded()
        if self.limit and isinstance(result, Answer):
            self.limit.answered(sent)
        elif self.limit and isinstance(result, Failure) and result.kind == "rate_limited":
            self.limit.refused(sent)
        return result

    def timed_out(self, sent: float) -> None:
        """Learn from a call, begun at this `time.monotonic()`, that got no answer by its deadline."""
        self.breaker.failed(Leave.GO, "timeout")
        if self.limit:
            self.limit.refused(sent)


class Traffic:
    """An endpoint's lanes, one for each event loop.

    Args:
        endpoint: Host and port, for the log.
        adaptive: Let the number of requests in flight adapt to the endpoint, within these bounds.
        breaker: When requests are held back.
    """

    def __init__(
        self, endpoint: str, *, adaptive: AdaptivePolicy | None = None, breaker: BreakerPolicy | None = None
    ) -> None:
        self._endpoint = endpoint
        self._adaptive = adaptive
        self._breaker = breaker
        self._lanes: WeakKeyDictionary[asyncio.AbstractEventLoop, Lane] = WeakKeyDictionary()

    def here(self) -> Lane:
        """The running event loop's lane."""
        loop = asyncio.get_running_loop()
        if loop not in self._lanes:
            limit = AdaptiveLimit(self._adaptive) if self._adaptive else None
            self._lanes[loop] = Lane(Breaker(self._endpoint, self._breaker), limit)
        return self._lanes[loop]
