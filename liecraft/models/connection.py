"""One pooled HTTP client per event loop, closed with its loop at the latest."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from liecraft.models.endpoint import Endpoint
from liecraft.models.turnstile import Turnstile

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(frozen=True, slots=True)
class Connection:
    """An endpoint's HTTP client in one event loop, with the loop's limit on calls in flight."""

    client: "AsyncOpenAI"
    slots: asyncio.Semaphore | None
    turnstile: Turnstile
    guard: AsyncGenerator[None, None]


class ConnectionPool:
    """Hands each event loop its own connection: an HTTP client is of no use outside the loop that made it."""

    def __init__(self, endpoint: Endpoint, concurrency: int | None) -> None:
        self._endpoint = endpoint
        self._concurrency = concurrency
        self._by_loop: dict[asyncio.AbstractEventLoop, Connection] = {}

    async def get(self) -> Connection:
        """Return the running loop's connection, made on first use."""
        loop = asyncio.get_running_loop()
        connection = self._by_loop.get(loop)
        if connection is None:
            client = _open_client(self._endpoint)
            slots = asyncio.Semaphore(self._concurrency) if self._concurrency else None
            connection = Connection(client, slots, Turnstile(), self._close_with_loop(loop, client))
            self._by_loop[loop] = connection
            await anext(connection.guard)  # from here on the loop knows of the generator and will close it
        return connection

    async def close(self) -> None:
        """Close the running loop's connection; those of other loops close with their loops."""
        connection = self._by_loop.get(asyncio.get_running_loop())
        if connection is not None:
            await connection.guard.aclose()

    async def _close_with_loop(
        self, loop: asyncio.AbstractEventLoop, client: "AsyncOpenAI"
    ) -> AsyncGenerator[None, None]:
        # `asyncio.run` closes the async generators of its loop as it ends. That is the one hook by which a
        # client that nobody closed can still go quietly, in the loop where it has to.
        try:
            yield
        finally:
            del self._by_loop[loop]
            await client.close()


def _open_client(endpoint: Endpoint) -> "AsyncOpenAI":
    import httpx2
    from openai import AsyncOpenAI, DefaultAioHttpClient

    # 0 is aiohttp's word for "no limit" (None would mean its default of 100); one call holds one connection.
    limits = httpx2.Limits(max_connections=0, keepalive_expiry=30.0)
    # A proxy from the environment is for the world outside; it can't reach a server on this machine.
    http = DefaultAioHttpClient(limits=limits, timeout=None, trust_env=not endpoint.is_loopback)
    return AsyncOpenAI(
        base_url=endpoint.base_url, api_key=endpoint.api_key, max_retries=0, timeout=None, http_client=http
    )
