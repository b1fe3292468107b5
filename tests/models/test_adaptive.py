"""The limit on requests in flight, against endpoints that take so many at once and no more."""

import asyncio
import time

import pytest
from aiohttp import web

from liecraft.models import AdaptivePolicy, Completion, ModelError, OpenAICompatible, Sampling, Traffic
from liecraft.models.adaptive import AdaptiveLimit
from tests import fault_server as fault
from tests.fault_server import Behaviour, Body, FaultServer, ok
from tests.models.calls import MESSAGES, make_model


class Capacity:
    """A behaviour: serves `size` requests at once for `seconds` each; others are refused or queue."""

    def __init__(self, size: int, seconds: float, *, refuses: bool) -> None:
        self.size = size
        self.seconds = seconds
        self.refuses = refuses
        self.here = 0
        self.most = 0
        self.refused = 0
        self._places = asyncio.Semaphore(size)

    async def __call__(self, request: web.Request, body: Body) -> web.StreamResponse:
        if self.refuses and self.here >= self.size:
            self.refused += 1
            return await fault.rate_limited()(request, body)
        self.here += 1
        self.most = max(self.most, self.here)
        try:
            async with self._places:
                await asyncio.sleep(self.seconds)
        finally:
            self.here -= 1
        return await ok("hi")(request, body)


async def ask(model: OpenAICompatible) -> Completion | ModelError:
    try:
        return await model.complete(MESSAGES, schema=None, sampling=Sampling(), deadline=20.0)
    except ModelError as error:
        return error


def drive(behaviour: Behaviour, calls: int, policy: AdaptivePolicy) -> tuple[int, int, float]:
    """Make many calls at once; the limit at the end, the failed ones, and the seconds it took."""

    async def run(model: OpenAICompatible, traffic: Traffic) -> tuple[int, int]:
        done = await asyncio.gather(*(ask(model) for _ in range(calls)))
        await model.close()
        limit = traffic.here().limit
        assert limit is not None
        assert limit.in_flight == 0
        return limit.limit, sum(isinstance(one, ModelError) for one in done)

    with FaultServer(behaviour) as server:
        traffic = Traffic("e:1", adaptive=policy)
        start = time.monotonic()
        limit, failed = asyncio.run(run(make_model(server.base_url, traffic=traffic), traffic))
        return limit, failed, time.monotonic() - start


def test_it_grows_while_the_endpoint_keeps_up() -> None:
    endpoint = Capacity(1000, 0.1, refuses=False)
    limit, failed, seconds = drive(endpoint, 300, AdaptivePolicy(start=2, slower=9, steady=8))
    assert failed == 0
    assert limit > 16
    assert endpoint.most > 16
    assert seconds < 300 / 2 * 0.1 / 2  # twice as quick as the limit that it started with, at least


def test_a_429_halves_it_and_it_settles_near_what_the_endpoint_takes() -> None:
    endpoint = Capacity(10, 0.05, refuses=True)
    limit, failed, _ = drive(endpoint, 400, AdaptivePolicy(start=2, slower=9, steady=8))
    assert failed <= 8  # one in fifty may be refused at each of its tries
    assert endpoint.refused > 0
    assert endpoint.refused < 100  # a limit that never learned would be refused nearly always
    assert 4 <= limit <= 20


def test_latency_stops_it_where_requests_only_queue() -> None:
    endpoint = Capacity(8, 0.05, refuses=False)
    limit, failed, _ = drive(endpoint, 500, AdaptivePolicy(start=2))
    assert failed == 0
    assert limit < 40  # without the signal it would have doubled past 250


def test_it_never_passes_its_bounds() -> None:
    endpoint = Capacity(1000, 0.01, refuses=False)
    limit, _, _ = drive(endpoint, 200, AdaptivePolicy(start=3, most=5, slower=99, steady=98))
    assert (limit, endpoint.most) == (5, 5)


def test_answers_to_requests_sent_before_it_was_halved_do_not_halve_it_again() -> None:
    limit = AdaptiveLimit(AdaptivePolicy(start=32))
    sent = time.monotonic()
    for _ in range(20):
        limit.refused(sent)
    assert limit.limit == 16
    limit.refused(time.monotonic())
    assert limit.limit == 8


@pytest.mark.parametrize("granted", [False, True])
def test_a_place_is_not_lost_with_a_caller_that_is_cancelled(granted: bool) -> None:
    async def hold(limit: AdaptiveLimit, seconds: float) -> None:
        async with limit.slot():
            await asyncio.sleep(seconds)

    async def run() -> None:
        limit = AdaptiveLimit(AdaptivePolicy(start=1))
        first = asyncio.ensure_future(hold(limit, 0.0 if granted else 0.02))
        second = asyncio.ensure_future(hold(limit, 9.0))
        await asyncio.sleep(0)
        if granted:
            await first
        second.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        assert limit.in_flight == 0
        async with asyncio.timeout(2):
            await hold(limit, 0.0)

    asyncio.run(run())
