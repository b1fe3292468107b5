"""Shared by the model tests: one call against a misbehaving server, waited for."""

import asyncio
import time
from typing import Any

import numpy as np

from liecraft.models import Completion, ModelError, OpenAICompatible, RetryPolicy, Sampling
from liecraft.models.base import Message

MESSAGES: list[Message] = [{"role": "system", "content": "Play."}, {"role": "user", "content": "Your move?"}]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"move": {"enum": ["wait", "vote:player_3"]}},
    "required": ["move"],
    "additionalProperties": False,
}
QUICK = RetryPolicy(base=0.01, cap=0.02)


def make_model(base_url: str, **options: Any) -> OpenAICompatible:
    """Return a client whose back-off takes hundredths of a second."""
    options.setdefault("retry", QUICK)
    return OpenAICompatible(model="m", base_url=base_url, rng=np.random.default_rng(7), **options)


async def complete(
    model: OpenAICompatible, *, deadline: float = 10.0, schema: dict[str, Any] | None = None
) -> Completion:
    """Make one call and close the model."""
    try:
        return await model.complete(MESSAGES, schema=schema, sampling=Sampling(), deadline=deadline)
    finally:
        await model.close()


def call(base_url: str, *, deadline: float = 10.0, **options: Any) -> Completion:
    """Make one call in an event loop of its own."""
    return asyncio.run(complete(make_model(base_url, **options), deadline=deadline))


def failing_call(base_url: str, *, deadline: float = 10.0, **options: Any) -> tuple[ModelError, float]:
    """Make a call that has to fail; return its error and its seconds of wall clock."""
    start = time.monotonic()
    try:
        done = call(base_url, deadline=deadline, **options)
    except ModelError as error:
        return error, time.monotonic() - start
    raise AssertionError(f"the call succeeded: {done}")
