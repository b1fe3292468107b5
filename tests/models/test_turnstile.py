"""Many callers, one event loop: one through for each of its passes."""

import asyncio

from liecraft.models.turnstile import Turnstile


def test_what_a_caller_schedules_runs_before_the_next_caller_comes_through() -> None:
    events: list[str] = []

    async def caller(name: str, turnstile: Turnstile) -> None:
        await turnstile.enter()
        events.append(f"{name} works")
        asyncio.get_running_loop().call_soon(events.append, f"{name}'s request leaves")

    async def run() -> None:
        turnstile = Turnstile()
        for _ in range(2):  # it closes behind the last and opens again
            await asyncio.gather(*(caller(name, turnstile) for name in "abc"))
            await asyncio.sleep(0)

    asyncio.run(run())
    assert events == [f"{name}{what}" for name in "abc" for what in (" works", "'s request leaves")] * 2


def test_a_caller_that_is_cancelled_holds_nobody_up() -> None:
    async def run() -> list[str]:
        turnstile = Turnstile()
        through: list[str] = []

        async def caller(name: str) -> None:
            await turnstile.enter()
            through.append(name)

        tasks = [asyncio.create_task(caller(name)) for name in "abcd"]
        await asyncio.sleep(0)
        tasks[1].cancel()
        tasks[2].cancel()
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 2)
        return through

    assert asyncio.run(run()) == ["a", "d"]
