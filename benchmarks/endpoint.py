"""A chat endpoint on the loopback, in a process of its own, that answers after a fixed latency with a legal move."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any
from urllib.request import urlopen

_MENU = re.compile(r"Moves: 1 ([^\s,]+?)[,.]")
_TARGETS = re.compile(r"(?:Valid(?: targets)?|protect|investigate): \[(\d+)\]")


class Endpoint:
    """Where it listens, and when it answered."""

    def __init__(self, port: int) -> None:
        self.base_url = f"http://127.0.0.1:{port}/v1"
        self._times = f"http://127.0.0.1:{port}/times"

    def times(self) -> list[float]:
        """Seconds on the monotonic clock at which each answer left since the last look."""
        with urlopen(self._times) as answer:  # our own loopback server
            found: list[float] = json.load(answer)
        return found


@contextmanager
def endpoint(latency: float) -> Iterator[Endpoint]:
    """Run one."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    server = spawn.Process(target=_run, args=(there, latency), daemon=True)
    server.start()
    there.close()  # so that a server which can't start ends the wait for its port
    try:
        yield Endpoint(here.recv())
    finally:
        here.close()
        server.join()


def rate(times: list[float], latency: float) -> float:
    """Answers a second over the first two thirds, since the first request came.

    The tail, when fewer games are left than may be in flight, says nothing of the orchestration.
    """
    whole = times[: len(times) * 2 // 3]
    return len(whole) / (whole[-1] - whole[0] + latency)


def _run(pipe: Connection, latency: float) -> None:
    asyncio.run(_serve(pipe, latency))


async def _serve(pipe: Connection, latency: float) -> None:
    from aiohttp import web

    times: list[float] = []

    async def chat(request: web.Request) -> web.Response:
        body = await request.json()
        await asyncio.sleep(latency)
        times.append(time.monotonic())
        return web.Response(body=_answer(body), content_type="application/json")

    async def told(_: web.Request) -> web.Response:
        found, times[:] = list(times), []
        return web.json_response(found)

    app = web.Application(client_max_size=2**26)
    app.add_routes([web.post("/v1/chat/completions", chat), web.get("/times", told)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=2048)
    await site.start()
    pipe.send(runner.addresses[0][1])
    while not pipe.poll():  # which an end of the pipe ends
        await asyncio.sleep(0.1)
    await runner.cleanup()


def _answer(body: dict[str, Any]) -> bytes:
    message = {"role": "assistant", "content": _reply(body)}
    usage = {"prompt_tokens": 500, "completion_tokens": 20, "total_tokens": 520}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    answer = {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }
    return json.dumps(answer).encode()


def _reply(body: dict[str, Any]) -> str:
    """The first move of the schema's enum, else of the menu in the prompt, else TextArena's first target."""
    asked = str(body["messages"][-1]["content"])
    form = body.get("response_format")
    if form is not None:
        properties = form["json_schema"]["schema"]["properties"]
        reply: dict[str, Any] = {"move": properties["move"]["enum"][0]}
        words = "say" in properties
    elif menu := _MENU.search(asked):
        reply = {"move": menu[1]}
        words = menu[1] == "silent"
    else:
        targets = _TARGETS.findall(asked)
        return f"[{targets[-1]}] I was in the hall." if targets else "I was in the hall."
    return json.dumps(reply | {"say": "I was in the hall.", "claims": []} if words else reply)
