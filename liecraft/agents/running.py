"""Driving coroutines from code that is not one: without an event loop, in a new one, or beside one that runs."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

BROKEN = (Exception, SystemExit)
"""What foreign code may raise that ends its own part and nothing else; a script that exits is one such."""


def run_now(coroutine: Coroutine[Any, Any, T]) -> T:
    """Drive a coroutine that never has to wait: a game of scripted agents, without an event loop.

    Raises:
        RuntimeError: It waited after all.
    """
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]  # StopIteration carries it untyped
    coroutine.close()
    raise RuntimeError("an agent that should answer at once went to wait")


def run_to_end(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in an event loop of its own, and wait for it.

    Where one runs already, as in a notebook, the new one gets a thread; an interrupt then cancels the coroutine.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    going: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []

    async def job() -> T:
        task = asyncio.ensure_future(coroutine)
        going.append((asyncio.get_running_loop(), task))
        return await task

    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(asyncio.run, job())
        try:
            return ended.result()
        except KeyboardInterrupt:
            for loop, task in going:
                loop.call_soon_threadsafe(task.cancel)
            raise


def one_line(error: BaseException) -> str:
    """What broke and where; not what the error says, for it may hold a key and this is written to the trace."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"
