"""What every chat model promises: messages in, one completion or one typed error out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from liecraft.engine.errors import ConfigError

Message = dict[str, str]
"""One chat message, `{"role": ..., "content": ...}`."""

ErrorKind = Literal[
    "connection",
    "auth",
    "not_found",
    "bad_request",
    "context",
    "rate_limited",
    "server",
    "timeout",
    "malformed",
    "unavailable",
]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the endpoint counted them; None means that it did not say, and is never read as 0."""

    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    """The part of `prompt_tokens` that the endpoint took from its prefix cache."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer. A refusal, an empty text or a cut-off text is an answer too, not an error."""

    text: str
    """Valid Unicode, of any length; empty when the endpoint sent null."""
    finish_reason: str | None
    """As the endpoint put it: `stop`, `length`, `content_filter`, ..."""
    refusal: str | None
    usage: Usage
    seconds: float
    """Wall clock of the call, retries and back-off included."""
    attempts: int
    """HTTP requests made."""
    model: str
    """What the endpoint says that it is."""


class ModelConfigError(ConfigError, ValueError):
    """A model that cannot be set up as configured. Its text is one line for a user, the mend included."""


class ModelError(Exception):
    """A call that ended without a completion.

    Its text is one line for a user: where, what is wrong, the mend. It never holds a key.

    Attributes:
        kind: `connection` (refused, reset, unreachable), `auth` (401, 403), `not_found` (404), `context` (the
            prompt is too long), `bad_request` (any other 4xx), `rate_limited` (429), `server` (5xx),
            `timeout` (the deadline passed), `malformed` (an answer that is no chat completion), `unavailable`
            (not tried: the endpoint has been out of order for long).
        detail: what went wrong, without the endpoint and the mend.
        endpoint: host and port of the endpoint, nothing else of its URL.
        attempts: HTTP requests made.
        seconds: wall clock of the call.
    """

    def __init__(
        self, kind: ErrorKind, detail: str, *, endpoint: str, attempts: int, seconds: float, hint: str = ""
    ) -> None:
        self.kind = kind
        self.detail = detail
        self.endpoint = endpoint
        self.attempts = attempts
        self.seconds = seconds
        self.hint = hint
        requests = "1 request" if attempts == 1 else f"{attempts} requests"
        mend = f"; {hint}" if hint else ""
        super().__init__(f"{endpoint}: {kind}: {detail} ({requests}){mend}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Let the error cross process boundaries: pickling drops keyword arguments by default."""
        return _rebuild, (self.kind, self.detail, self.endpoint, self.attempts, self.seconds, self.hint)


def _rebuild(
    kind: ErrorKind, detail: str, endpoint: str, attempts: int, seconds: float, hint: str
) -> ModelError:
    return ModelError(kind, detail, endpoint=endpoint, attempts=attempts, seconds=seconds, hint=hint)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to draw a completion; None leaves the choice to the endpoint and sends nothing."""

    max_tokens: int = 300
    temperature: float | None = None
    seed: int | None = None


class ChatModel(Protocol):
    """Completes prompts. Safe to share between any number of concurrent calls."""

    name: str
    """What tables and traces call this model."""

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None,
        sampling: Sampling,
        deadline: float,
    ) -> Completion:
        """Answer one prompt.

        Args:
            messages: the whole chat so far, oldest first.
            schema: JSON Schema that the reply should follow. An endpoint without structured output is asked
                without it, so the text may break the schema: the caller still parses.
            sampling: length, temperature and seed.
            deadline: seconds of wall clock for the whole call, retries and back-off included. Time that the
                call waits for its turn behind this client's own concurrency limit does not count.

        Raises:
            ModelError: no completion came; see its `kind`.
        """
        ...

    async def close(self) -> None:
        """Give back connections and whatever else the model holds; harmless when called twice."""
        ...
