"""Every way an endpoint can fail has its typed outcome and its number of requests."""

import asyncio
import time

import pytest

from liecraft.models import ErrorKind
from tests import fault_server as fault
from tests.fault_server import Behaviour, FaultServer
from tests.models.calls import call, complete, failing_call, make_model


@pytest.mark.parametrize(
    ("behaviour", "kind", "requests"),
    [
        pytest.param(fault.status(401), "auth", 1, id="401"),
        pytest.param(fault.status(403), "auth", 1, id="403"),
        pytest.param(fault.status(404), "not_found", 1, id="404"),
        pytest.param(fault.status(400), "bad_request", 1, id="400"),
        pytest.param(fault.status(422), "bad_request", 1, id="422"),
        pytest.param(
            fault.status(400, code="context_length_exceeded"), "context", 1, id="context, OpenAI's way"
        ),
        pytest.param(
            fault.status(400, type="exceed_context_size_error"), "context", 1, id="context, llama.cpp's"
        ),
        pytest.param(fault.rate_limited(), "rate_limited", 4, id="429"),
        pytest.param(fault.status(500), "server", 4, id="500"),
        pytest.param(fault.html(503), "server", 4, id="503 with a web page"),
        pytest.param(fault.html(200), "malformed", 4, id="200 with a web page"),
        pytest.param(fault.reset(), "connection", 4, id="reset before the response"),
        pytest.param(fault.reset(sent=100), "connection", 4, id="reset within the body"),
        pytest.param(fault.garbage(), "connection", 4, id="another protocol"),
        pytest.param(fault.broken_gzip(), "malformed", 4, id="broken compression"),
        pytest.param(fault.half_json(), "malformed", 4, id="half a JSON"),
        pytest.param(fault.raw(b""), "malformed", 4, id="empty body"),
        pytest.param(fault.raw(b"[" * 200_000), "malformed", 4, id="bottomless nesting"),
        pytest.param(fault.raw(b'{"choices": [7]}'), "malformed", 4, id="a choice that is none"),
        pytest.param(fault.raw(b'{"choices": [{"message": null}]}'), "malformed", 4, id="null message"),
        pytest.param(
            fault.raw(b'{"choices": [{"message": {"content": 7}}]}'), "malformed", 4, id="number as text"
        ),
        pytest.param(fault.no_choices(), "malformed", 4, id="no choices"),
        pytest.param(fault.choices_missing(), "malformed", 4, id="choices missing"),
        pytest.param(fault.error_in_200(), "malformed", 4, id="an error with 200"),
        pytest.param(fault.error_in_200(code=429), "rate_limited", 4, id="429 inside a 200"),
        pytest.param(fault.error_in_200(code=401), "auth", 1, id="401 inside a 200"),
    ],
)
def test_a_failing_endpoint_gives_its_kind_of_error(
    behaviour: Behaviour, kind: ErrorKind, requests: int
) -> None:
    with FaultServer(behaviour) as server:
        error, _ = failing_call(server.base_url)
        assert (error.kind, error.attempts, server.count) == (kind, requests, requests)
        assert error.endpoint == server.base_url.removeprefix("http://").removesuffix("/v1")
        assert "\n" not in str(error)
        assert len(str(error)) < 600


@pytest.mark.parametrize(
    "fault_first",
    [
        pytest.param(fault.status(500), id="500"),
        pytest.param(fault.html(503), id="503"),
        pytest.param(fault.rate_limited(), id="429"),
        pytest.param(fault.reset(), id="reset"),
        pytest.param(fault.reset(sent=100), id="reset within the body"),
        pytest.param(fault.half_json(), id="half a JSON"),
        pytest.param(fault.no_choices(), id="no choices"),
    ],
)
def test_a_passing_fault_is_retried_and_counted(fault_first: Behaviour) -> None:
    with FaultServer([fault_first, fault_first, fault.ok("there")]) as server:
        done = call(server.base_url)
        assert (done.text, done.attempts, server.count) == ("there", 3, 3)


def test_a_port_that_nobody_listens_on_is_a_connection_error() -> None:
    error, _ = failing_call(f"http://127.0.0.1:{fault.refused_port()}/v1")
    assert (error.kind, error.attempts) == ("connection", 4)
    assert "is the server running" in str(error)


@pytest.mark.parametrize(
    "behaviour",
    [
        pytest.param(fault.hang(), id="hang"),
        pytest.param(fault.slow_drip(), id="slow drip"),
        pytest.param(fault.latency(3.0), id="too slow"),
    ],
)
def test_the_deadline_holds_whatever_the_server_does(behaviour: Behaviour) -> None:
    with FaultServer(behaviour) as server:
        error, seconds = failing_call(server.base_url, deadline=0.6)
        assert (error.kind, error.attempts, server.count) == ("timeout", 1, 1)
        assert 0.55 <= error.seconds < 0.9
        assert seconds < 2.5  # with the making and closing of the client


def test_the_deadline_covers_all_tries_together() -> None:
    with FaultServer([fault.latency(0.3, fault.status(500)), fault.hang()]) as server:
        error, _ = failing_call(server.base_url, deadline=0.8)
        assert (error.kind, error.attempts) == ("timeout", 2)
        assert 0.75 <= error.seconds < 1.1
        assert "500" in str(error)  # what it was that went wrong before


def test_a_cancelled_call_stops_at_once() -> None:
    async def cancelled_after(seconds: float) -> None:
        task = asyncio.create_task(complete(make_model(server.base_url), deadline=60))
        while server.count == 0:
            await asyncio.sleep(0.01)
        start = time.monotonic()
        await asyncio.sleep(seconds)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - start < seconds + 0.5

    with FaultServer(fault.hang()) as server:
        asyncio.run(cancelled_after(0.05))
