"""One client per event loop, many calls in flight, no noise at the end."""

import asyncio
import subprocess
import sys
import time

import pytest

from liecraft.models import Completion, OpenAICompatible, Sampling
from tests import fault_server as fault
from tests.fault_server import FaultServer
from tests.models.calls import MESSAGES, make_model


async def ask(model: OpenAICompatible, deadline: float = 20.0) -> Completion:
    return await model.complete(MESSAGES, schema=None, sampling=Sampling(), deadline=deadline)


async def ask_together(model: OpenAICompatible, calls: int, deadline: float = 20.0) -> list[Completion]:
    done = await asyncio.gather(*(ask(model, deadline) for _ in range(calls)))
    await model.close()
    return done


def test_hundreds_of_calls_are_in_flight_at_once() -> None:
    with FaultServer(fault.together(300)) as server:
        done = asyncio.run(ask_together(make_model(server.base_url), 300))
        assert (len(done), server.count) == (300, 300)


def test_concurrency_is_limited_on_request_and_the_queue_is_not_on_the_clock() -> None:
    with FaultServer(fault.latency(0.2)) as server:
        start = time.monotonic()
        done = asyncio.run(ask_together(make_model(server.base_url, concurrency=2), 8, deadline=0.6))
        assert time.monotonic() - start >= 0.8
        assert all(one.seconds < 0.5 for one in done)


def test_a_model_works_in_one_event_loop_after_another() -> None:
    with FaultServer(fault.ok("hi")) as server:
        model = make_model(server.base_url)
        assert [asyncio.run(ask(model)).text for _ in range(3)] == ["hi"] * 3


def test_close_is_harmless_twice_and_before_the_first_call() -> None:
    async def run() -> str:
        await model.close()
        text = (await ask(model)).text
        await model.close()
        await model.close()
        return text + (await ask(model)).text

    with FaultServer(fault.ok("hi")) as server:
        model = make_model(server.base_url)
        assert asyncio.run(run()) == "hihi"


def test_a_model_that_nobody_closes_goes_without_a_word() -> None:
    script = (
        "import asyncio, sys\n"
        "from liecraft.models import OpenAICompatible, Sampling\n"
        "model = OpenAICompatible(model='m', base_url=sys.argv[1])\n"
        "ask = lambda: model.complete([], schema=None, sampling=Sampling(), deadline=9)\n"
        "print(asyncio.run(ask()).text, asyncio.run(ask()).text)\n"
    )
    with FaultServer(fault.ok("hi")) as server:
        command = [sys.executable, "-W", "always::ResourceWarning", "-c", script, server.base_url]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("hi hi\n", "", 0)


def test_a_proxy_from_the_environment_is_not_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{fault.refused_port()}")
    with FaultServer(fault.ok("hi")) as server:
        assert asyncio.run(ask(make_model(server.base_url))).text == "hi"


def test_importing_the_models_brings_in_nothing_heavy() -> None:
    script = (
        "import sys, liecraft.models\n"
        "print([name for name in ('openai', 'aiohttp', 'numpy', 'xllamacpp') if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"
