"""Requests a second of one process playing murder with a model in every seat, against the ideal.

    python benchmarks/orchestration.py
    python benchmarks/orchestration.py --in-flight 200
    python benchmarks/orchestration.py --latency 0.1 --workers 2
    python benchmarks/orchestration.py --agent autogen

A chat endpoint on the loopback, in a process of its own, answers each request after a fixed latency with a legal
move. The ideal is in flight / latency; what is achieved counts every request between the first answer and the
moment when games begin to run out, prompts, parsing, engine and traces included.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import tempfile
import time
from multiprocessing.connection import Connection
from typing import Any

LATENCY = 1.0
IN_FLIGHT = 100


def serve(pipe: Connection, latency: float) -> None:
    """Run the endpoint until the parent hangs up."""
    asyncio.run(_serve(pipe, latency))


async def _serve(pipe: Connection, latency: float) -> None:
    from aiohttp import web

    times: list[float] = []

    async def chat(request: web.Request) -> web.Response:
        body = await request.json()
        await asyncio.sleep(latency)
        times.append(time.monotonic())
        return web.Response(body=_answer(body), content_type="application/json")

    async def stats(_: web.Request) -> web.Response:
        return web.json_response(times)

    app = web.Application(client_max_size=2**26)
    app.add_routes([web.post("/v1/chat/completions", chat), web.get("/times", stats)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=2048)
    await site.start()
    pipe.send(runner.addresses[0][1])
    while not pipe.poll():
        await asyncio.sleep(0.1)
    await runner.cleanup()


def _answer(body: dict[str, Any]) -> bytes:
    """The reply: the first move of the schema's enum."""
    schema = body["response_format"]["json_schema"]["schema"]
    reply: dict[str, Any] = {"move": schema["properties"]["move"]["enum"][0]}
    if "say" in schema["properties"]:
        reply |= {"say": "I was in the hall.", "claims": []}
    message = {"role": "assistant", "content": json.dumps(reply)}
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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latency", type=float, default=LATENCY)
    parser.add_argument("--in-flight", type=int, default=IN_FLIGHT)
    parser.add_argument("--games", type=int, default=0, help="games in all; 0: three times what is in flight")
    parser.add_argument("--workers", type=int, default=1, help="processes that play")
    parser.add_argument("--agent", default="llm", choices=["llm", "autogen"], help="what plays the seats")
    options = parser.parse_args()
    here, there = multiprocessing.get_context("spawn").Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=serve, args=(there, options.latency), daemon=True
    )
    server.start()
    port = here.recv()
    try:
        times, cpu = _play(port, options)
    finally:
        here.send("done")
        server.join()
    _report(times, cpu, options)


def _play(port: int, options: argparse.Namespace) -> tuple[list[float], float]:
    from urllib.request import urlopen

    from liecraft import Tournament

    with tempfile.TemporaryDirectory() as runs:
        tournament = Tournament(
            name="orchestration",
            game="murder",
            config={"seats": 6},
            entrants={"m": {"agent": options.agent, "model": "m", "base_url": f"http://127.0.0.1:{port}/v1"}},
            games=options.games or 3 * options.in_flight,
            concurrency=options.in_flight,
            runs=runs,
        )
        begun = _cpu()
        tournament.run(progress=False, workers=options.workers)
        cpu = _cpu() - begun
    with urlopen(f"http://127.0.0.1:{port}/times") as answer:  # our own loopback server
        times: list[float] = json.load(answer)
    return times, cpu


def _cpu() -> float:
    """CPU seconds of this process and of its workers that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _report(times: list[float], cpu: float, options: argparse.Namespace) -> None:
    # The tail, when fewer games are left than may be in flight, says nothing of the orchestration.
    whole = times[: len(times) * 2 // 3]
    achieved = (len(whole) - 1) / (whole[-1] - whole[0])
    ideal = options.in_flight / options.latency
    print(
        f"{options.in_flight} in flight, {options.latency:g} s latency, {options.agent}, "
        f"{options.workers} processes, {len(times)} requests"
    )
    print(f"ideal     {ideal:8.1f} requests/s")
    print(f"achieved  {achieved:8.1f} requests/s, {1000 * cpu / len(times):.2f} ms CPU a request")
    print(f"ratio     {achieved / ideal:8.3f}")


if __name__ == "__main__":
    main()
