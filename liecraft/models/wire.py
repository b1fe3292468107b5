"""The chat-completions wire format: what is sent, and what any answer, however broken, amounts to."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from liecraft.models.base import ErrorKind, Message, Sampling, Usage

_CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|context (?:length|size|window)|prompt is too long",
    re.IGNORECASE,
)
_STRUCTURED = re.compile(
    r"response_?format|json_?schema|structured.?output|guided|grammar|unsupported.{0,40}schema|schema.{0,60}support",
    re.IGNORECASE,
)
_MAX_TOKENS = re.compile(r"max_completion_tokens", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """The content of one good response; fields as in `Completion`."""

    text: str
    finish_reason: str | None
    refusal: str | None
    usage: Usage
    model: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one request gave no answer. `detail` is the server's own wording and may still hold secrets."""

    kind: ErrorKind
    detail: str
    retry_after: float | None = None
    """Seconds that the endpoint asked to wait, if it did."""
    resend: bool = False
    """The next request will be put differently, so it may go out at once whatever the kind."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The variants of the request body that endpoints disagree on."""

    structured: bool = True
    """Whether `response_format` may be sent."""
    limit_field: str = "max_tokens"

    def adapt(self, failure: Failure, schema_wanted: bool) -> "Dialect | None":
        """Return the dialect that a refused request asks for, or None if wording it anew would not help."""
        if failure.kind != "bad_request":
            return None
        if self.limit_field == "max_tokens" and _MAX_TOKENS.search(failure.detail):
            return replace(self, limit_field="max_completion_tokens")
        if schema_wanted and self.structured and _STRUCTURED.search(failure.detail):
            return replace(self, structured=False)
        return None


def request_body(
    model: str,
    messages: Sequence[Message],
    schema: Mapping[str, Any] | None,
    sampling: Sampling,
    dialect: Dialect,
    extra: Mapping[str, Any],
) -> dict[str, Any]:
    """Build the body of one request; `extra` is laid over it."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [{key: valid_unicode(value) for key, value in message.items()} for message in messages],
        dialect.limit_field: sampling.max_tokens,
    }
    if sampling.temperature is not None:
        body["temperature"] = sampling.temperature
    if sampling.seed is not None:
        body["seed"] = sampling.seed
    if schema is not None and dialect.structured:
        wanted = {"name": "reply", "strict": True, "schema": schema}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    return {**body, **extra}


def read_answer(raw: bytes) -> Answer | Failure:
    """Read the body of a 200 response."""
    text = raw.decode("utf-8", "replace")
    data = _loads(text)
    if not isinstance(data, dict):
        return Failure("malformed", f"the answer is not a JSON object: {_head(text)}")
    choices = data.get("choices")
    if not choices and data.get("error"):
        return _error_in_200(data["error"])
    if not isinstance(choices, list) or not choices:
        return Failure("malformed", f"the answer has no choices: {_head(text)}")
    message = choices[0].get("message") if isinstance(choices[0], dict) else None
    content = _content(message.get("content")) if isinstance(message, dict) else None
    if not isinstance(message, dict) or content is None:
        return Failure("malformed", f"the first choice has no message to read: {_head(text)}")
    return Answer(
        text=valid_unicode(content),
        finish_reason=_text_or_none(choices[0].get("finish_reason")),
        refusal=_text_or_none(message.get("refusal")),
        usage=_usage(data.get("usage")),
        model=_text_or_none(data.get("model")) or "",
    )


def read_status(status: int, raw: bytes, retry_after: float | None = None) -> Failure:
    """Read a response whose HTTP status is an error."""
    text = raw.decode("utf-8", "replace")
    data = _loads(text)
    error = data.get("error", data) if isinstance(data, dict) else None
    said = _error_text(error) if error else _head(text)
    return Failure(_kind(status, said), f"{status} {said}".strip(), retry_after)


def valid_unicode(text: str) -> str:
    """Replace lone surrogates, which JSON can spell and UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _kind(status: int, said: str) -> ErrorKind:
    if status in (401, 403):
        return "auth"
    if status == 404:
        return "not_found"
    if status == 429:
        return "rate_limited"
    if status >= 500:
        return "server"
    return "context" if _CONTEXT.search(said) else "bad_request"


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # a body of nothing but brackets exhausts the stack
        return None


def _head(text: str) -> str:
    return text[:400] if text.strip() else "an empty body"


def _error_in_200(error: Any) -> Failure:
    # Some routers answer 200 and put the upstream's status into the error object.
    code = error.get("code") if isinstance(error, dict) else None
    said = _error_text(error)
    if isinstance(code, int) and 400 <= code < 600:
        return Failure(_kind(code, said), f"{code} {said}")
    return Failure("malformed", f"an error instead of an answer: {said}")


def _error_text(error: Any) -> str:
    if not isinstance(error, dict):
        return str(error)
    parts = (
        error.get("message"),
        error.get("type"),
        error.get("code"),
        error.get("param"),
        error.get("detail"),
    )
    return " ".join(str(part) for part in parts if part) or json.dumps(error)


def _content(content: Any) -> str | None:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):  # some endpoints answer in typed parts
        return "".join(part["text"] for part in content if isinstance(part, dict) and _is_text(part))
    return None


def _is_text(part: Mapping[str, Any]) -> bool:
    # Reasoning parts carry text too, under a type of their own: they are private and no part of the reply.
    return part.get("type") in ("text", "output_text") and isinstance(part.get("text"), str)


def _text_or_none(value: Any) -> str | None:
    return valid_unicode(value) if isinstance(value, str) and value else None


def _usage(usage: Any) -> Usage:
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    return Usage(
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(details.get("cached_tokens")),
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
