"""A real loopback chat endpoint that misbehaves on demand.

A behaviour answers one request. A list of behaviours is played one a request, the last one repeating:

    with FaultServer([status(500), ok("hello")]) as server:
        ...  # server.base_url, server.count, server.requests
"""

import asyncio
import json
import socket
import struct
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import web

Body = dict[str, Any]
Behaviour = Callable[[web.Request, Body], Awaitable[web.StreamResponse]]
Reply = str | Callable[[Body], str | None] | None

USAGE: Body = {
    "prompt_tokens": 12,
    "completion_tokens": 3,
    "total_tokens": 15,
    "prompt_tokens_details": {"cached_tokens": 8},
}


@dataclass(frozen=True, slots=True)
class Received:
    """One request as the server got it."""

    body: Body
    headers: Mapping[str, str]


class FaultServer:
    """An OpenAI-like server on a free port, in a thread with its own event loop."""

    def __init__(self, behaviour: Behaviour | Sequence[Behaviour]) -> None:
        self._behaviours = list(behaviour) if isinstance(behaviour, Sequence) else [behaviour]
        self.requests: list[Received] = []
        self.base_url = ""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def count(self) -> int:
        """How many requests have come."""
        return len(self.requests)

    def __enter__(self) -> Self:
        self._thread.start()
        self._runner, port = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        self.base_url = f"http://127.0.0.1:{port}/v1"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _start(self) -> tuple[web.AppRunner, int]:
        app = web.Application(client_max_size=1 << 26)
        app.router.add_post("/v1/chat/completions", self._handle)
        # Handlers are cancelled once their client is gone, and those that hang at the end, too.
        runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.05, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        return runner, int(runner.addresses[0][1])

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(Received(body, dict(request.headers)))
        behaviour = self._behaviours[min(self.count, len(self._behaviours)) - 1]
        return await behaviour(request, body)


def refused_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def completion(
    content: Any,
    *,
    finish_reason: str | None = "stop",
    refusal: str | None = None,
    usage: Body | None = USAGE,
    model: str = "fault-model",
) -> Body:
    """Build the JSON of a chat completion; `usage=None` leaves the field out."""
    message = {"role": "assistant", "content": content, "refusal": refusal}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    data: Body = {"id": "c", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}
    return data if usage is None else {**data, "usage": usage}


def ok(reply: Reply = "hello", **fields: Any) -> Behaviour:
    """Answer well: with `reply`, or what it makes of the request's body; `fields` as in `completion`."""

    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        content = reply(body) if callable(reply) else reply
        return web.json_response(completion(content, **fields))

    return behave


def together(requests: int) -> Behaviour:
    """Answer nobody until this many requests are waiting."""
    waiting = asyncio.Barrier(requests)

    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        await waiting.wait()
        return web.json_response(completion("hello"))

    return behave


def refusal(text: str = "I cannot help with that.") -> Behaviour:
    """Refuse, the structured way."""
    return ok(None, refusal=text)


def content_filter() -> Behaviour:
    """Be stopped by a content filter."""
    return ok(None, finish_reason="content_filter")


def length(text: str = '{"move": "vo') -> Behaviour:
    """Run into the token limit in the middle of a reply."""
    return ok(text, finish_reason="length")


def big(size: int) -> Behaviour:
    """Answer with `size` characters."""
    return ok("x" * size)


def latency(seconds: float, then: Behaviour | None = None) -> Behaviour:
    """Think for `seconds`, then do as `then` does (default: answer well)."""
    after = then or ok()

    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return await after(request, body)

    return behave


def status(
    number: int, /, message: str = "no", headers: Mapping[str, str] | None = None, **error: Any
) -> Behaviour:
    """Answer with an HTTP error in OpenAI's shape; `error` adds fields to the error object."""

    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        return web.json_response({"error": {"message": message, **error}}, status=number, headers=headers)

    return behave


def rate_limited(retry_after: float | str | None = None) -> Behaviour:
    """Answer 429, with or without a Retry-After header."""
    headers = None if retry_after is None else {"Retry-After": str(retry_after)}
    return status(429, "slow down", headers)


def html(code: int = 503) -> Behaviour:
    """Answer as a gateway does whose server is gone: a web page."""
    return raw(b"<html><body>Service Unavailable</body></html>", code, "text/html")


def raw(data: bytes, code: int = 200, content_type: str = "application/json") -> Behaviour:
    """Answer with exactly these bytes."""

    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        return web.Response(body=data, status=code, content_type=content_type)

    return behave


def half_json() -> Behaviour:
    """Answer 200 with the first half of a completion."""
    data = json.dumps(completion("hello")).encode()
    return raw(data[: len(data) // 2])


def no_choices() -> Behaviour:
    """Answer 200 with an empty list of choices."""
    return raw(json.dumps({**completion(""), "choices": []}).encode())


def choices_missing() -> Behaviour:
    """Answer 200 with a JSON object that has no choices at all."""
    return raw(b'{"id": "c", "object": "chat.completion"}')


def error_in_200(message: str = "upstream is down", code: int | str = "upstream_error") -> Behaviour:
    """Answer 200, with an error object for a body."""
    return raw(json.dumps({"error": {"message": message, "code": code}}).encode())


def invalid_utf8() -> Behaviour:
    """Answer with a text that holds a byte that is no UTF-8."""
    return raw(json.dumps(completion("caf@")).encode().replace(b"@", b"\xe9"))


def echo_authorization(code: int) -> Behaviour:
    """Fail, and repeat the caller's Authorization header in the error text, as careless proxies do."""

    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        said = f"bad header\nAuthorization: {request.headers['Authorization']}"
        return web.json_response({"error": {"message": said}}, status=code)

    return behave


def without_structured_output() -> Behaviour:
    """Refuse `response_format`, and answer well without it."""

    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        if "response_format" in body:
            refuse = status(400, "Unknown parameter: 'response_format'", type="invalid_request_error")
            return await refuse(request, body)
        return await ok("plain")(request, body)

    return behave


def reset(sent: int = 0) -> Behaviour:
    """Reset the connection, before the response or after `sent` bytes of its body."""

    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "9999"})
        if sent:
            await response.prepare(request)
            await response.write(b" " * sent)
        transport = request.transport
        assert transport is not None
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close by RST, not FIN
        transport.abort()
        return response

    return behave


def garbage(data: bytes = b"SSH-2.0-OpenSSH_9.2\r\n") -> Behaviour:
    """Answer in another protocol than HTTP, and hang up."""

    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        transport = request.transport
        assert transport is not None
        transport.write(data)
        transport.close()
        return web.Response()

    return behave


def broken_gzip() -> Behaviour:
    """Answer with a body that is not compressed as its header says."""

    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        return web.Response(body=b'{"choices": []}', headers={"Content-Encoding": "gzip"})

    return behave


def hang() -> Behaviour:
    """Take the request and never answer."""
    return latency(3600.0)


def slow_drip(every: float = 0.05) -> Behaviour:
    """Send one byte of body at a time, for ever."""

    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        while True:
            await response.write(b" ")
            await asyncio.sleep(every)

    return behave
