"""The one owner of retries: attempts, back-off and the deadline of a call."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isnan
from typing import TYPE_CHECKING

from liecraft.models.wire import Answer, Failure

if TYPE_CHECKING:
    import numpy as np

_RETRIED = frozenset({"connection", "rate_limited", "server", "malformed"})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently a call is tried again."""

    max_attempts: int = 4
    """HTTP requests a call, the first included, whatever each was sent for."""
    base: float = 0.5
    """Seconds before the second attempt; doubles from there."""
    cap: float = 8.0
    """Longest back-off in seconds; does not bound what the endpoint asks for by Retry-After."""

    def wait(self, failure: Failure, attempts: int, rng: "np.random.Generator") -> float:
        """Return the seconds to wait after the `attempts`-th request failed.

        Retry-After is a lower bound, stretched by up to a tenth; the back-off is drawn from the upper half of
        its range ("equal jitter"), so that calls that failed together do not come back together.
        Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
        """
        if failure.resend:
            return 0.0
        if failure.retry_after is not None:
            return failure.retry_after * float(rng.uniform(1.0, 1.1))
        return min(self.cap, self.base * 2.0 ** (attempts - 1)) * float(rng.uniform(0.5, 1.0))


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended: its answer, or the failure that stays."""

    result: Answer | Failure
    attempts: int
    seconds: float


async def call_with_retries(
    attempt: Callable[[], Awaitable[Answer | Failure]],
    *,
    policy: RetryPolicy,
    rng: "np.random.Generator",
    deadline: float,
) -> Outcome:
    """Run `attempt` until it answers, fails for good, or `deadline` seconds have passed.

    A wait that would outlast the deadline is not begun: the failure is final at once. Failures are
    returned, not raised, so that no error drags a request, with its headers, along in its traceback.
    """
    start = time.monotonic()
    attempts = 0
    last: Failure | None = None

    def left() -> float:
        return deadline - (time.monotonic() - start)

    async def run() -> Answer | Failure:
        nonlocal attempts, last
        while True:
            attempts += 1
            result = await attempt()
            if isinstance(result, Answer):
                return result
            last = result
            if attempts >= policy.max_attempts or not (result.resend or result.kind in _RETRIED):
                return result
            pause = policy.wait(result, attempts, rng)
            if pause >= left():
                return replace(result, detail=f"{_too_late(result)}: {result.detail}")
            await asyncio.sleep(pause)

    result: Answer | Failure | None = None
    try:
        async with asyncio.timeout(deadline):
            result = await run()
    except TimeoutError:
        pass
    if result is None:
        before = f"; before that: {last.detail}" if last else ""
        result = Failure("timeout", f"no answer within the deadline of {deadline:g} s{before}")
    return Outcome(result, attempts, time.monotonic() - start)


def _too_late(failure: Failure) -> str:
    if failure.retry_after is None:
        return "no time for another try before the deadline"
    return f"asked to wait {failure.retry_after:g} s, past the deadline"


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Read Retry-After (seconds or an HTTP date, RFC 9110 section 10.2.3); None if absent or nonsense.

    `retry-after-ms`, which some endpoints send beside it, is the finer of the two and wins.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if not isnan(seconds) and seconds >= 0:
            return seconds
    try:
        when = parsedate_to_datetime(headers.get("retry-after", ""))
    except (TypeError, ValueError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
