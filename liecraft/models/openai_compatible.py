"""A chat model behind any endpoint that speaks OpenAI's chat completions."""

import contextlib
import logging
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from liecraft.models.base import Completion, ErrorKind, Message, ModelError, Sampling
from liecraft.models.breaker import Leave
from liecraft.models.connection import ConnectionPool
from liecraft.models.endpoint import Endpoint
from liecraft.models.retry import Outcome, RetryPolicy, call_with_retries, retry_after_seconds
from liecraft.models.traffic import Traffic
from liecraft.models.wire import Answer, Dialect, Failure, read_answer, read_status, request_body

if TYPE_CHECKING:
    import numpy as np
    from openai import AsyncOpenAI

log = logging.getLogger(__name__)

_HINTS: dict[ErrorKind, str] = {
    "connection": "is the server running, and is the base URL right?",
    "not_found": "check the model's name, and the base URL up to /chat/completions (it often ends in /v1)",
    "context": "lower the context budget, or give the model a longer context",
    "rate_limited": "lower the concurrency or raise the deadline",
    "timeout": "raise the deadline or lower the concurrency",
    "malformed": "is the base URL that of an OpenAI-compatible endpoint?",
    "unavailable": "mend the endpoint, then play the failed games again",
}


class OpenAICompatible:
    """A `ChatModel` over HTTP. Any model name will do: nothing is looked up in a catalogue.

    >>> OpenAICompatible(model="my-finetune", base_url="http://127.0.0.1:8000/v1")
    OpenAICompatible(model='my-finetune', endpoint='127.0.0.1:8000')
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key_env: str = "OPENAI_API_KEY",
        *,
        name: str | None = None,
        structured: bool = True,
        concurrency: int | None = None,
        retry: RetryPolicy | None = None,
        rng: "np.random.Generator | None" = None,
        extra_body: Mapping[str, Any] | None = None,
        traffic: Traffic | None = None,
    ) -> None:
        """Check the configuration; the endpoint itself is first contacted by the first call.

        Args:
            model: the name to ask the endpoint for.
            base_url: up to and including `/v1`; None reads OPENAI_BASE_URL, then falls back to OpenAI itself.
            api_key_env: the environment variable that holds the key. Endpoints on this machine need none.
            name: what tables call the model; None takes `model`.
            structured: whether to ask for structured output. An endpoint that refuses it is asked without.
            concurrency: calls in flight per event loop; further ones queue, their deadline not yet running.
                None sets no limit.
            retry: attempts and back-off.
            rng: draws the jitter of the back-off; it touches waiting times only, never results.
            extra_body: fields laid over every request's body, such as `{"reasoning_effort": "low"}`.
            traffic: circuit breaker and limits, shared by all clients of the endpoint; None has neither.

        Raises:
            ModelConfigError: the URL is none, or a remote endpoint's key is not set; one line.
        """
        import numpy as np

        self.name = name or model
        self.model = model
        self.endpoint = Endpoint.resolve(base_url, api_key_env)
        self._scrub = self.endpoint.scrubber()
        self._pool = ConnectionPool(self.endpoint, concurrency)
        self._dialect = Dialect(structured=structured)
        self._retry = retry or RetryPolicy()
        # By process, so that a tournament's workers do not hit a recovering endpoint in step.
        self._rng = rng if rng is not None else np.random.default_rng(os.getpid())
        self._extra = dict(extra_body or {})
        self._traffic = traffic

    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self.model!r}, endpoint={self.endpoint.address!r})"

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None,
        sampling: Sampling,
        deadline: float,
    ) -> Completion:
        """See `ChatModel.complete`."""
        connection = await self._pool.get()
        dialect = known = self._dialect

        async def attempt() -> Answer | Failure:
            nonlocal dialect
            body = request_body(self.model, messages, schema, sampling, dialect, self._extra)
            result = await _post(connection.client, body)
            if isinstance(result, Failure) and (adapted := dialect.adapt(result, schema is not None)):
                dialect = adapted
                return replace(result, resend=True)
            return result

        async with connection.slots or contextlib.nullcontext():
            outcome = await self._call(attempt, deadline)
        await connection.turnstile.enter()
        result = outcome.result
        if isinstance(result, Failure):
            raise self._error(result, outcome.attempts, outcome.seconds)
        if dialect is not known:  # kept only once it has worked: the refusal may have had another reason
            self._dialect = dialect
            log.info("%s: %s takes requests as %s", self.name, self.endpoint.address, dialect)
        return Completion(
            text=result.text,
            finish_reason=result.finish_reason,
            refusal=result.refusal,
            usage=result.usage,
            seconds=outcome.seconds,
            attempts=outcome.attempts,
            model=result.model,
        )

    async def _call(self, attempt: Callable[[], Awaitable[Answer | Failure]], deadline: float) -> Outcome:
        """Make the attempts as the endpoint's traffic allows; the deadline runs from the first leave to go."""
        if self._traffic is None:
            return await call_with_retries(attempt, policy=self._retry, rng=self._rng, deadline=deadline)
        lane = self._traffic.here()
        given: Leave | None
        sent, latest = 0, None

        async def guarded() -> Answer | Failure:
            nonlocal given, sent, latest
            leave = await lane.breaker.admit() if given is None else given
            given = None
            if leave is Leave.NO:
                return _gone(lane.breaker.down)
            sent, latest = sent + 1, None
            latest = await lane.guarded(attempt, leave)
            return latest

        async with lane.slot():
            given = await lane.breaker.admit()
            if given is Leave.NO:
                return Outcome(_gone(lane.breaker.down), 0, 0.0)
            begun = time.monotonic()
            outcome = await call_with_retries(guarded, policy=self._retry, rng=self._rng, deadline=deadline)
            if isinstance(outcome.result, Failure) and outcome.result.kind == "timeout":
                if isinstance(
                    latest, Failure
                ):  # no request was under way: it ran out of time waiting for leave
                    late = f"out of order until the deadline: {latest.detail}"
                    outcome = replace(outcome, result=replace(latest, detail=late))
                else:
                    lane.timed_out(begun)
        return replace(outcome, attempts=sent)  # without tries that never got leave to go

    async def close(self) -> None:
        """Close the running event loop's connections; the next call opens new ones."""
        await self._pool.close()

    def _error(self, failure: Failure, attempts: int, seconds: float) -> ModelError:
        hint = f"check the key in {self.endpoint.api_key_env}" if failure.kind == "auth" else ""
        return ModelError(
            failure.kind,
            self._scrub(failure.detail),
            endpoint=self.endpoint.address,
            attempts=attempts,
            seconds=seconds,
            hint=hint or _HINTS.get(failure.kind, ""),
        )


def _gone(seconds: float) -> Failure:
    return Failure("unavailable", f"out of order for {seconds:.0f} s, so this call was not tried (again)")


async def _post(client: "AsyncOpenAI", body: dict[str, Any]) -> Answer | Failure:
    # The SDK's own `create` costs more with every message and parses what it gets into pydantic models that
    # a broken answer slips through; its lower-level `post` with the raw response does neither.
    import aiohttp
    import httpx2
    import openai

    try:
        response = await client.post("/chat/completions", body=body, cast_to=httpx2.Response)
    except openai.APIStatusError as error:
        response = error.response
    except (openai.APIConnectionError, httpx2.HTTPError, aiohttp.ClientError, OSError) as error:
        # The SDK's aiohttp transport lets some errors through unwrapped, and reports a reset as a timeout:
        # real timeouts come from the deadline alone, none is set here.
        causes = _causes(error)
        undecodable = any(isinstance(cause, httpx2.DecodingError) for cause in causes)
        root = f"{type(causes[-1]).__name__}: {causes[-1]}"
        return Failure("malformed" if undecodable else "connection", root)
    if not response.is_success:
        return read_status(response.status_code, response.content, retry_after_seconds(response.headers))
    return read_answer(response.content)


def _causes(error: BaseException) -> list[BaseException]:
    chain = [error]
    while (cause := chain[-1].__cause__) is not None:
        chain.append(cause)
    return chain
