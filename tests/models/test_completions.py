"""What counts as an answer, what is sent, and what is left unknown."""

import asyncio
from typing import Any

import pytest
from aiohttp import web

from liecraft.models import Completion, OpenAICompatible, Sampling, Usage
from tests import fault_server as fault
from tests.fault_server import Behaviour, Body, FaultServer
from tests.models.calls import MESSAGES, SCHEMA, call, complete, make_model


def test_a_plain_answer_comes_with_all_that_the_endpoint_said() -> None:
    with FaultServer(fault.latency(0.1, fault.ok("hello", model="other-name"))) as server:
        done = call(server.base_url)
    assert 0.1 <= done.seconds < 2.0
    assert done == Completion(
        text="hello",
        finish_reason="stop",
        refusal=None,
        usage=Usage(12, 3, 8),
        seconds=done.seconds,
        attempts=1,
        model="other-name",
    )


@pytest.mark.parametrize(
    ("behaviour", "text", "finish_reason", "refusal"),
    [
        pytest.param(fault.refusal("I won't."), "", "stop", "I won't.", id="refusal"),
        pytest.param(fault.content_filter(), "", "content_filter", None, id="content filter"),
        pytest.param(fault.length('{"mo'), '{"mo', "length", None, id="cut off"),
        pytest.param(fault.ok(None), "", "stop", None, id="null content"),
        pytest.param(fault.ok("a", finish_reason=None), "a", None, None, id="no finish reason"),
        pytest.param(fault.big(200_000), "x" * 200_000, "stop", None, id="200 kB"),
        pytest.param(fault.big(1_000_000), "x" * 1_000_000, "stop", None, id="1 MB"),
        pytest.param(fault.invalid_utf8(), "caf\ufffd", "stop", None, id="invalid UTF-8"),
        pytest.param(fault.ok("a\ud800b"), "a\ufffdb", "stop", None, id="lone surrogate"),
    ],
)
def test_an_odd_answer_is_an_answer(
    behaviour: Behaviour, text: str, finish_reason: str | None, refusal: str | None
) -> None:
    with FaultServer(behaviour) as server:
        done = call(server.base_url)
        assert (done.text == text, done.finish_reason, done.refusal) == (True, finish_reason, refusal)
        assert (done.attempts, server.count) == (1, 1)
        done.text.encode()


def test_typed_parts_are_joined_and_reasoning_is_left_out() -> None:
    parts = [
        {"type": "reasoning", "text": "they must not know"},
        {"type": "text", "text": "I was "},
        {"type": "text", "text": "in the kitchen."},
    ]
    answer: Any = parts
    with FaultServer(fault.ok(answer)) as server:
        assert call(server.base_url).text == "I was in the kitchen."


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        pytest.param(None, Usage(None, None, None), id="missing"),
        pytest.param({}, Usage(None, None, None), id="empty"),
        pytest.param({"prompt_tokens": 5, "prompt_tokens_details": None}, Usage(5, None, None), id="in part"),
        pytest.param({"prompt_tokens": "5", "completion_tokens": -1}, Usage(None, None, None), id="nonsense"),
        pytest.param({"prompt_tokens": 0, "completion_tokens": 0}, Usage(0, 0, None), id="a stated zero"),
    ],
)
def test_unknown_usage_is_unknown_and_never_zero(usage: dict[str, Any] | None, expected: Usage) -> None:
    with FaultServer(fault.ok("a", usage=usage)) as server:
        assert call(server.base_url).usage == expected


def test_the_request_says_what_was_asked_for_and_no_more() -> None:
    async def run(model: OpenAICompatible) -> None:
        await model.complete(MESSAGES, schema=None, sampling=Sampling(), deadline=5)
        sampling = Sampling(max_tokens=40, temperature=0.0, seed=3)
        await model.complete(MESSAGES, schema=SCHEMA, sampling=sampling, deadline=5)
        await model.close()

    with FaultServer(fault.ok()) as server:
        asyncio.run(run(make_model(server.base_url, extra_body={"reasoning_effort": "low"})))
        plain, full = (request.body for request in server.requests)
    assert plain == {"model": "m", "messages": MESSAGES, "max_tokens": 300, "reasoning_effort": "low"}
    wanted = {"name": "reply", "strict": True, "schema": SCHEMA}
    assert full == {
        **plain,
        "max_tokens": 40,
        "temperature": 0.0,
        "seed": 3,
        "response_format": {"type": "json_schema", "json_schema": wanted},
    }


def test_a_prompt_with_a_lone_surrogate_is_sent_all_the_same() -> None:
    async def run(model: OpenAICompatible) -> None:
        odd = [{"role": "user", "content": "a\ud800b"}]
        await model.complete(odd, schema=None, sampling=Sampling(), deadline=5)
        await model.close()

    with FaultServer(fault.ok()) as server:
        asyncio.run(run(make_model(server.base_url)))
        assert server.requests[0].body["messages"][0]["content"] == "a\ufffdb"


def test_an_endpoint_without_structured_output_is_asked_without_it_from_then_on() -> None:
    async def run(model: OpenAICompatible) -> list[Completion]:
        done = [
            await model.complete(MESSAGES, schema=SCHEMA, sampling=Sampling(), deadline=5) for _ in range(2)
        ]
        await model.close()
        return done

    with FaultServer(fault.without_structured_output()) as server:
        first, second = asyncio.run(run(make_model(server.base_url)))
        sent = ["response_format" in request.body for request in server.requests]
    assert (first.text, first.attempts, second.attempts) == ("plain", 2, 1)
    assert sent == [True, False, False]


def test_a_call_that_ends_late_does_not_unlearn_it() -> None:
    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        if "response_format" not in body and body["max_tokens"] == 1:
            await asyncio.sleep(0.5)
        return await fault.without_structured_output()(request, body)

    async def run(model: OpenAICompatible) -> int:
        late = asyncio.create_task(
            model.complete(MESSAGES, schema=None, sampling=Sampling(max_tokens=1), deadline=5)
        )
        await asyncio.sleep(0.1)
        await model.complete(MESSAGES, schema=SCHEMA, sampling=Sampling(), deadline=5)
        assert not late.done()
        await late
        return (await model.complete(MESSAGES, schema=SCHEMA, sampling=Sampling(), deadline=5)).attempts

    with FaultServer(behave) as server:
        assert asyncio.run(run(make_model(server.base_url))) == 1


def test_structured_output_is_not_given_up_when_the_refusal_had_another_reason() -> None:
    refuse = fault.status(400, "messages too odd for this json_schema")
    with FaultServer([refuse, fault.status(400, "messages too odd"), fault.ok()]) as server:
        model = make_model(server.base_url)
        with pytest.raises(Exception, match="bad_request"):
            asyncio.run(complete(model, schema=SCHEMA))
        asyncio.run(complete(model, schema=SCHEMA))
        sent = ["response_format" in request.body for request in server.requests]
    assert sent == [True, False, True]


def test_an_endpoint_that_wants_the_newer_token_limit_gets_it() -> None:
    message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    with FaultServer([fault.status(400, message), fault.ok()]) as server:
        done = call(server.base_url)
        assert (done.attempts, server.requests[1].body["max_completion_tokens"]) == (2, 300)
        assert "max_tokens" not in server.requests[1].body


def test_structured_output_can_be_switched_off() -> None:
    with FaultServer(fault.ok()) as server:
        asyncio.run(complete(make_model(server.base_url, structured=False), schema=SCHEMA))
        assert "response_format" not in server.requests[0].body
