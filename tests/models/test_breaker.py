"""The circuit breaker, on a server that fails, comes back, or stays away."""

import asyncio
import logging
import time

import pytest

from liecraft.models import (
    BreakerPolicy,
    Completion,
    ModelError,
    OpenAICompatible,
    RetryPolicy,
    Sampling,
    Traffic,
)
from liecraft.models.breaker import Breaker, Leave
from tests import fault_server as fault
from tests.fault_server import FaultServer
from tests.models.calls import MESSAGES, make_model

ONCE = RetryPolicy(max_attempts=1)
POLICY = BreakerPolicy(failures=3, pause=0.2, patience=30.0)


def guarded(base_url: str, policy: BreakerPolicy = POLICY, retry: RetryPolicy = ONCE) -> OpenAICompatible:
    return make_model(base_url, traffic=Traffic("endpoint:1", breaker=policy), retry=retry)


async def ask(model: OpenAICompatible, deadline: float = 5.0) -> Completion | ModelError:
    try:
        return await model.complete(MESSAGES, schema=None, sampling=Sampling(), deadline=deadline)
    except ModelError as error:
        return error


async def one_by_one(model: OpenAICompatible, calls: int, deadline: float = 5.0) -> list[str]:
    done = [await ask(model, deadline) for _ in range(calls)]
    await model.close()
    return [one.kind if isinstance(one, ModelError) else one.text for one in done]


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_it_opens_lets_one_look_and_closes_saying_each_once(caplog: pytest.LogCaptureFixture) -> None:
    with FaultServer([fault.status(500)] * 4 + [fault.ok("hi")]) as server:
        start = time.monotonic()
        said = asyncio.run(one_by_one(guarded(server.base_url), 6))
        # Open after 3; the first look, after 0.2 s, fails; the second, after 0.4 s more, does not.
        assert time.monotonic() - start >= 0.6
        assert said == ["server"] * 4 + ["hi"] * 2
        assert server.count == 6
    opened, closed = warnings(caplog)
    assert opened == "endpoint:1: 3 requests in a row failed (server); its games wait until it answers again"
    assert closed.startswith("endpoint:1: answers again after ")


def test_all_others_wait_for_what_comes_of_the_look() -> None:
    async def run(model: OpenAICompatible) -> list[str]:
        for _ in range(3):
            await ask(model)
        done = await asyncio.gather(*(ask(model) for _ in range(20)))
        await model.close()
        return [one.kind if isinstance(one, ModelError) else one.text for one in done]

    with FaultServer([fault.status(500)] * 5 + [fault.ok("hi")]) as server:
        said = asyncio.run(run(guarded(server.base_url)))
        assert sorted(said) == ["hi"] * 18 + ["server"] * 2  # the two that looked in vain
        assert server.count == 3 + 2 + 18


def test_a_call_between_two_attempts_waits_too_and_lives_to_see_the_end_of_the_outage() -> None:
    patient = RetryPolicy(max_attempts=4, base=0.01, cap=0.02)
    with FaultServer([fault.reset()] * 3 + [fault.ok("hi")]) as server:
        start = time.monotonic()
        done = asyncio.run(one_by_one(guarded(server.base_url, retry=patient), 1))
        assert done == ["hi"]
        assert time.monotonic() - start >= 0.2  # its back-off alone would take 0.06 s


def test_the_wait_before_a_call_is_not_on_its_clock() -> None:
    policy = BreakerPolicy(failures=3, pause=0.6)
    with FaultServer([fault.status(503)] * 3 + [fault.ok("hi")]) as server:
        assert asyncio.run(one_by_one(guarded(server.base_url, policy), 4, deadline=0.3))[-1] == "hi"


def test_a_wait_between_attempts_is(caplog: pytest.LogCaptureFixture) -> None:
    policy = BreakerPolicy(failures=1, pause=30.0)
    patient = RetryPolicy(max_attempts=4, base=0.01)
    with FaultServer(fault.status(503)) as server:
        start = time.monotonic()
        model = guarded(server.base_url, policy, patient)
        error = asyncio.run(ask_and_close(model, 0.5))
        assert isinstance(error, ModelError)
        assert (error.kind, error.attempts, server.count) == ("server", 1, 1)
        assert "out of order until the deadline: 503 no" in str(error)
        assert time.monotonic() - start < 1.5


async def ask_and_close(model: OpenAICompatible, deadline: float) -> Completion | ModelError:
    done = await ask(model, deadline)
    await model.close()
    return done


def test_past_its_patience_calls_fail_at_once_untried_and_looks_go_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    policy = BreakerPolicy(failures=2, pause=0.3, longest=0.3, patience=0.1)

    async def run(model: OpenAICompatible) -> list[Completion | ModelError]:
        for _ in range(2):
            await ask(model)
        start = time.monotonic()
        done = [await ask(model)]  # waits until the patience is over
        done.append(await ask(model))
        assert time.monotonic() - start < 0.28
        await asyncio.sleep(0.3)
        done.append(await ask(model))  # the look
        done.append(await ask(model))
        await model.close()
        return done

    with FaultServer([fault.status(500)] * 2 + [fault.ok("hi")]) as server:
        first, second, look, last = asyncio.run(run(guarded(server.base_url, policy)))
        for error in (first, second):
            assert isinstance(error, ModelError)
            assert (error.kind, error.attempts) == ("unavailable", 0)
            assert str(error).count("\n") == 0
        assert isinstance(look, Completion)
        assert isinstance(last, Completion)
        assert server.count == 4
    assert [line.split(": ")[1].split(" ")[0] for line in warnings(caplog)] == ["2", "no", "answers"]


@pytest.mark.parametrize(
    "behaviour",
    [
        pytest.param(fault.status(401), id="401"),
        pytest.param(fault.status(400), id="400"),
        pytest.param(fault.rate_limited(), id="429"),
        pytest.param(fault.refusal(), id="refusal"),
    ],
)
def test_what_shows_that_the_endpoint_lives_never_opens_it(
    behaviour: fault.Behaviour, caplog: pytest.LogCaptureFixture
) -> None:
    with FaultServer(behaviour) as server:
        asyncio.run(one_by_one(guarded(server.base_url), 5))
        assert server.count == 5
    assert warnings(caplog) == []


@pytest.mark.parametrize("behaviour", [fault.hang(), fault.slow_drip()], ids=["hang", "slow drip"])
def test_calls_without_an_answer_in_time_open_it(behaviour: fault.Behaviour) -> None:
    with FaultServer([behaviour] * 3 + [fault.ok("hi")]) as server:
        start = time.monotonic()
        said = asyncio.run(one_by_one(guarded(server.base_url), 4, deadline=0.2))
        assert said == ["timeout"] * 3 + ["hi"]
        assert time.monotonic() - start >= 0.8


def test_models_of_one_endpoint_share_it_and_another_endpoint_plays_on() -> None:
    async def run(broken: list[OpenAICompatible], sound: OpenAICompatible) -> float:
        for _ in range(2):
            await asyncio.gather(*(ask(model) for model in broken))
        waiting = [asyncio.ensure_future(ask(model)) for model in broken]
        start = time.monotonic()
        assert isinstance(await ask(sound), Completion)
        took = time.monotonic() - start
        assert not any(task.done() for task in waiting)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for model in (*broken, sound):
            await model.close()
        return took

    policy = BreakerPolicy(failures=4, pause=30.0)
    with FaultServer(fault.status(500)) as bad, FaultServer(fault.ok("hi")) as good:
        shared = Traffic("bad:1", breaker=policy)
        broken = [make_model(bad.base_url, traffic=shared, retry=ONCE) for _ in range(2)]
        assert asyncio.run(run(broken, guarded(good.base_url, policy))) < 2.0
        assert bad.count == 4


def test_a_look_whose_caller_is_cancelled_is_given_to_another() -> None:
    async def run() -> Leave:
        breaker = Breaker("e", BreakerPolicy(failures=1, pause=0.02))
        breaker.failed(Leave.GO, "server")
        assert breaker.state == "open"
        looker = asyncio.ensure_future(breaker.admit())
        other = asyncio.ensure_future(breaker.admit())
        await asyncio.sleep(0)
        while breaker.state == "open":
            await asyncio.sleep(0)  # so that the looker is cancelled with its leave in hand, not yet taken
        looker.cancel()
        await asyncio.gather(looker, return_exceptions=True)
        async with asyncio.timeout(2):
            return await other

    assert asyncio.run(run()) is Leave.LOOK
