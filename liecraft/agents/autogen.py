"""AutoGen seats: an AssistantAgent plays a seat, and only its declared reply reaches the engine.

The assistant is fed its own seat's messages and never joins a group chat: those broadcast everything.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_core import CancellationToken
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    LLMMessage,
    ModelFamily,
    ModelInfo,
    RequestUsage,
    SystemMessage,
    UserMessage,
)

from liecraft.agents.chat import CallLog, logged_call, remembered
from liecraft.agents.llm import Limits, ModelAgent
from liecraft.agents.parsing import Answer
from liecraft.agents.prompt import prompt_book
from liecraft.agents.running import BROKEN
from liecraft.engine.registry import game_id
from liecraft.models.base import ChatModel, Completion, Message, ModelError, Sampling

if TYPE_CHECKING:
    from autogen_agentchat.base import Response

_REASONS: dict[str, Any] = {"stop": "stop", "length": "length", "content_filter": "content_filter"}


class ModelClient(ChatCompletionClient):
    """AutoGen's client protocol over a `ChatModel`: one owner of retries, deadlines, records and usage.

    Args:
        seat: For the record.
        model: What completes the prompts.
        sampling: Temperature and seed.
        log: Where calls are recorded.
    """

    def __init__(self, seat: str, model: ChatModel, sampling: Sampling, log: CallLog | None) -> None:
        self._seat = seat
        self._model = model
        self._sampling = sampling
        self._log = log
        self._used = RequestUsage(0, 0)
        self.schema: Mapping[str, Any] | None = None
        self.max_tokens = sampling.max_tokens
        self.deadline = 120.0
        self.probe = False
        self.latest: Completion | None = None

    async def create(
        self,
        messages: Sequence[LLMMessage],
        *,
        cancellation_token: CancellationToken | None = None,
        **options: Any,
    ) -> CreateResult:
        """Complete a prompt; tools and JSON modes are not offered, the reply schema stands in for them."""
        prompt = [_plain(message) for message in messages]
        sampling = Sampling(self.max_tokens, self._sampling.temperature, self._sampling.seed)
        asked = logged_call(
            self._model,
            self._log,
            self._seat,
            prompt,
            self.schema,
            sampling,
            self.deadline,
            probe=self.probe,
        )
        task = asyncio.ensure_future(asked)
        if cancellation_token is not None:
            cancellation_token.link_future(task)
        done = self.latest = await task
        # AutoGen has no word for unknown usage; the record of the call keeps it unknown.
        usage = RequestUsage(done.usage.prompt_tokens or 0, done.usage.completion_tokens or 0)
        self._used = RequestUsage(
            self._used.prompt_tokens + usage.prompt_tokens,
            self._used.completion_tokens + usage.completion_tokens,
        )
        reason = _REASONS.get(done.finish_reason or "", "unknown")
        return CreateResult(finish_reason=reason, content=remembered(done.text), usage=usage, cached=False)

    def create_stream(self, messages: Sequence[LLMMessage], **options: Any) -> Any:
        """Streaming is not offered: a move is whole or it is none."""
        raise ValueError("a seat's model does not stream: build the assistant with model_client_stream=False")

    async def close(self) -> None:
        """The model belongs to the run, which closes it."""

    def actual_usage(self) -> RequestUsage:
        return self._used

    def total_usage(self) -> RequestUsage:
        return self._used

    def count_tokens(self, messages: Sequence[LLMMessage], **options: Any) -> int:
        """Rough count, four bytes a token: tokenizers of unknown models can't be had offline."""
        return sum(len(_plain(message)["content"].encode()) for message in messages) // 4

    def remaining_tokens(self, messages: Sequence[LLMMessage], **options: Any) -> int:
        """Unknown; the seat's own context budget is what bounds a prompt."""
        return 2**31

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False,
            function_calling=False,
            json_output=True,
            structured_output=True,
            family=ModelFamily.UNKNOWN,
        )


def _plain(message: LLMMessage) -> Message:
    match message:
        case SystemMessage():
            return {"role": "system", "content": message.content}
        case AssistantMessage(content=str() as content):
            return {"role": "assistant", "content": content}
        case UserMessage(content=str() as content):
            return {"role": "user", "content": content}
    raise ValueError(f"a seat's model takes text messages only, not {type(message).__name__}")


class AssistantChat:
    """A conversation held by an AssistantAgent over a chat model of ours.

    Args:
        seat: Seat name; also the assistant's.
        client: The model as AutoGen sees it.
    """

    def __init__(self, seat: str, client: ModelClient) -> None:
        self._seat = seat
        self._client = client
        self.size = 0

    async def begin(self, system: str) -> None:
        self._assistant = AssistantAgent(self._seat, self._client, system_message=system)
        self._before = await self._assistant.save_state()
        self._grown = 0
        self.size = len(system.encode())

    async def send(self, text: str, schema: Mapping[str, Any], max_tokens: int, deadline: float) -> Answer:
        client = self._client
        client.schema, client.max_tokens, client.deadline = schema, max_tokens, deadline
        client.latest = None
        before = await self._assistant.save_state()
        try:
            declared = await _declared(self._assistant, text)
        except ModelError:
            await self._assistant.load_state(before)  # a failed call leaves its message in the context
            raise
        self._before = before
        self._grown = len(text.encode()) + len(declared.encode())
        self.size += self._grown
        done = client.latest
        assert done is not None, "an assistant without tools or memory asks its model once a message"
        # Nothing stands between this assistant and its model: what it declares is the answer, here uncut.
        return Answer(done.text, done.finish_reason, done.refusal, done.seconds)

    async def retract(self) -> None:
        await self._assistant.load_state(self._before)
        self.size -= self._grown

    async def aside(
        self,
        text: str,
        schema: Mapping[str, Any],
        max_tokens: int,
        deadline: float,
        *,
        afresh: str | None = None,
    ) -> Answer:
        client = self._client
        client.schema, client.max_tokens, client.deadline = schema, max_tokens, deadline
        client.latest, client.probe = None, True
        before = await self._assistant.save_state()
        try:
            if afresh is not None:  # its system message is the same
                await self._assistant.on_reset(CancellationToken())
            await _declared(self._assistant, text)
        finally:
            client.probe = False
            await self._assistant.load_state(before)
        done = client.latest
        assert done is not None, "an assistant without tools or memory asks its model once a message"
        return Answer(done.text, done.finish_reason, done.refusal, done.seconds)


class OwnAssistantChat:
    """A conversation with an assistant that the user built: any client, tools or inner team it likes.

    Its calls are its own business: they are not recorded, and only the deadline of the turn bounds them.

    Args:
        assistant: A fresh agent for this seat and game. Its own system message stays; ours goes before the
            first message.
    """

    def __init__(self, assistant: AssistantAgent) -> None:
        self._assistant = assistant
        self._system = ""
        self.size = 0

    async def begin(self, system: str) -> None:
        await self._assistant.on_reset(CancellationToken())
        self._before = await self._assistant.save_state()
        self._system = system + "\n\n"
        self._grown = 0
        self.size = 0

    async def send(self, text: str, schema: Mapping[str, Any], max_tokens: int, deadline: float) -> Answer:
        before = await self._assistant.save_state()
        try:
            answer = await self._ask(self._system + text, deadline)
        except ModelError:
            await self._assistant.load_state(before)
            raise
        self._before, self._lead, self._system = before, self._system, ""
        self._grown = len(text.encode()) + len(answer.text.encode())
        self.size += self._grown
        return answer

    async def retract(self) -> None:
        await self._assistant.load_state(self._before)
        self._system = self._lead
        self.size -= self._grown

    async def aside(
        self,
        text: str,
        schema: Mapping[str, Any],
        max_tokens: int,
        deadline: float,
        *,
        afresh: str | None = None,
    ) -> Answer:
        before = await self._assistant.save_state()
        try:
            if afresh is not None:
                await self._assistant.on_reset(CancellationToken())
            return await self._ask((self._system if afresh is None else afresh + "\n\n") + text, deadline)
        finally:
            await self._assistant.load_state(before)

    async def _ask(self, text: str, deadline: float) -> Answer:
        began = time.monotonic()
        try:
            async with asyncio.timeout(deadline):
                declared = await _declared(self._assistant, text)
        except BROKEN as error:  # a foreign client may raise anything
            raise self._failure(error, time.monotonic() - began) from None
        return Answer(declared, seconds=time.monotonic() - began)

    def _failure(self, error: BaseException, seconds: float) -> ModelError:
        where = f"assistant {self._assistant.name}"
        if isinstance(error, TimeoutError):
            detail = f"no reply within {seconds:.3g} s"
            return ModelError("timeout", detail, endpoint=where, attempts=1, seconds=seconds)
        # The class alone: a foreign client's message may hold a key.
        detail = f"the assistant failed with {type(error).__name__}"
        return ModelError("server", detail, endpoint=where, attempts=1, seconds=seconds)


class AssistantSeat(ModelAgent):
    """A seat for an assistant that the user built: what a factory of one's own returns.

    Args:
        assistant: A fresh agent; see `OwnAssistantChat`.
        game: Registered game, whose prompts it gets.
        client: Closed when the game has ended; None where the user sees to it.
        lang: Language of the prompts.
        thinks: Ask for private reasoning with each reply.
        limits: Deadline of a turn and size of its context; how many tokens it may answer is the assistant's affair.

    Raises:
        ConfigError: No such game, or it has no prompts in this language.
    """

    def __init__(
        self,
        assistant: AssistantAgent,
        game: str,
        *,
        client: ChatCompletionClient | None = None,
        lang: str = "en",
        thinks: bool = False,
        limits: Limits | None = None,
    ) -> None:
        book = prompt_book(game_id(game), lang, True, thinks)
        super().__init__(OwnAssistantChat(assistant), book, limits, thinks=thinks)
        self._client = client

    async def close(self) -> None:
        """Close the client."""
        if self._client is not None:
            await self._client.close()


async def _declared(assistant: AssistantAgent, text: str) -> str:
    """Say something to an assistant and take its final message, nothing from inside it."""
    message = TextMessage(content=text, source="env")
    response: Response = await assistant.on_messages([message], CancellationToken())
    return response.chat_message.to_text()
