"""One seat's conversation with a model: append-only, every call recorded as it comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from liecraft.agents.parsing import Answer, spoken
from liecraft.models.base import ChatModel, Completion, Message, ModelError, Sampling
from liecraft.models.recording import completion_of

KEEP = 2_000
"""Characters of an answer that stay in the conversation; a longer one is cut there."""


def remembered(text: str) -> str:
    """An answer as the conversation keeps it: without reasoning, bounded, never empty."""
    return spoken(text)[:KEEP] or "(no answer)"


class CallLog(Protocol):
    """Where model calls are recorded; a trace's game recorder is one."""

    game: str
    """Name of the game within its run."""

    def recall(self, seat: str, messages: Sequence[Mapping[str, str]]) -> Mapping[str, Any] | None:
        """An answer to this very call that was recorded earlier, if there is one; it is recorded anew."""
        ...

    def call(
        self, seat: str, model: str, messages: Sequence[Mapping[str, str]], answer: Mapping[str, Any]
    ) -> None:
        """Record a call whose answer, or failure, has just come back."""
        ...

    def compaction(self, seat: str, dropped: int) -> None:
        """Record that a prompt was rebuilt without `dropped` events of old talk."""
        ...


class Chat(Protocol):
    """A conversation that can be gone on with, or begun anew."""

    size: int
    """UTF-8 bytes of the conversation so far."""

    async def begin(self, system: str) -> None:
        """Start (again) with this system message and nothing else."""
        ...

    async def send(self, text: str, schema: Mapping[str, Any], max_tokens: int, deadline: float) -> Answer:
        """Say something and get an answer; both join the conversation unless the call fails.

        Raises:
            ModelError: No answer; the conversation is as it was.
        """
        ...

    async def retract(self) -> None:
        """Forget the last exchange."""
        ...

    async def aside(
        self,
        text: str,
        schema: Mapping[str, Any],
        max_tokens: int,
        deadline: float,
        *,
        afresh: str | None = None,
    ) -> Answer:
        """Ask as `send` does, on a copy of the conversation: neither question nor answer joins it.

        Args:
            text: What is asked.
            schema: As of `send`.
            max_tokens: As of `send`.
            deadline: As of `send`.
            afresh: System message of a new conversation to ask it in, in the place of the copy.

        Raises:
            ModelError: No answer.
        """
        ...


class DirectChat:
    """A conversation over a chat model.

    Args:
        seat: For the record.
        model: What completes the prompts.
        sampling: Temperature and seed; `max_tokens` comes with each message.
        log: Where calls are recorded.
    """

    def __init__(self, seat: str, model: ChatModel, sampling: Sampling, log: CallLog | None) -> None:
        self._seat = seat
        self._model = model
        self._sampling = sampling
        self._log = log
        self._messages: list[Message] = []
        self.size = 0

    async def begin(self, system: str) -> None:
        self._messages = [{"role": "system", "content": system}]
        self.size = len(system.encode())

    async def send(self, text: str, schema: Mapping[str, Any], max_tokens: int, deadline: float) -> Answer:
        prompt = [*self._messages, {"role": "user", "content": text}]
        sampling = Sampling(max_tokens, self._sampling.temperature, self._sampling.seed)
        completion = await logged_call(self._model, self._log, self._seat, prompt, schema, sampling, deadline)
        kept = remembered(completion.text)
        self._messages = [*prompt, {"role": "assistant", "content": kept}]
        self.size += len(text.encode()) + len(kept.encode())
        return Answer(completion.text, completion.finish_reason, completion.refusal, completion.seconds)

    async def retract(self) -> None:
        self.size -= sum(len(message["content"].encode()) for message in self._messages[-2:])
        self._messages = self._messages[:-2]

    async def aside(
        self,
        text: str,
        schema: Mapping[str, Any],
        max_tokens: int,
        deadline: float,
        *,
        afresh: str | None = None,
    ) -> Answer:
        before: list[Message] = self._messages if afresh is None else [{"role": "system", "content": afresh}]
        prompt = [*before, {"role": "user", "content": text}]
        sampling = Sampling(max_tokens, self._sampling.temperature, self._sampling.seed)
        done = await logged_call(
            self._model, self._log, self._seat, prompt, schema, sampling, deadline, probe=True
        )
        return Answer(done.text, done.finish_reason, done.refusal, done.seconds)


async def logged_call(
    model: ChatModel,
    log: CallLog | None,
    seat: str,
    prompt: Sequence[Message],
    schema: Mapping[str, Any] | None,
    sampling: Sampling,
    deadline: float,
    *,
    probe: bool = False,
) -> Completion:
    """Ask a model and record what came of it before anything acts on it; `probe` marks what is asked aside.

    What has been asked and answered in an earlier attempt at the game is not asked again.

    Raises:
        ModelError: No completion; recorded too.
        RecallError: A replay asks for what was not recorded.
    """
    if log and (told := log.recall(seat, prompt)) is not None:
        return completion_of(told)
    mark = {"probe": True} if probe else {}
    try:
        completion = await model.complete(prompt, schema=schema, sampling=sampling, deadline=deadline)
    except ModelError as error:
        if log:
            log.call(seat, model.name, prompt, {**_failure_data(error), **mark})
        raise
    data = completion_data(completion)
    if log:
        log.call(seat, model.name, prompt, {**data, **mark})
    # As it is recorded, to the digit: a replay must reckon with the same time.
    return replace(completion, seconds=data["seconds"])


def completion_data(completion: Completion) -> dict[str, Any]:
    """A completion as a trace's `call` line has it."""
    usage = completion.usage
    return {
        "text": completion.text,
        "finish_reason": completion.finish_reason,
        "refusal": completion.refusal,
        "error": None,
        "usage": {
            "prompt": usage.prompt_tokens,
            "completion": usage.completion_tokens,
            "cached": usage.cached_tokens,
        },
        "attempts": completion.attempts,
        "seconds": round(completion.seconds, 4),
    }


def _failure_data(error: ModelError) -> dict[str, Any]:
    return {
        "text": "",
        "finish_reason": None,
        "refusal": None,
        "error": str(error),
        "usage": {"prompt": None, "completion": None, "cached": None},
        "attempts": error.attempts,
        "seconds": round(error.seconds, 4),
    }
