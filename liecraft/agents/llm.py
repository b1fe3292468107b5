"""A seat played by a language model: what it is told, how its answer becomes a move, what it forgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from liecraft.agents.budget import BudgetSpent, GameMeter
from liecraft.agents.chat import CallLog, Chat, remembered
from liecraft.agents.parsing import DEFAULT_HOW, Answer, Fault, parse
from liecraft.agents.probing import Beliefs, belief_schema, read_beliefs
from liecraft.agents.prompt import PromptBook
from liecraft.engine.agent import How, Reply, Request
from liecraft.engine.ledger import Event, View, freeze
from liecraft.engine.seats import Seat

TALK = frozenset({"speech", "silence"})
"""Kinds of events that a full prompt may forget, unless they are the seat's own."""

OWN_WORDS = 60
"""Characters that stay of the seat's own old speeches, beside their claims."""

PROBE_TOKENS = 20
"""Tokens that a probe's answer may use for each seat."""

BYTES_A_TOKEN = 3.5
"""Rough size of a token in UTF-8 bytes of English, for the context budget; Chinese comes out lower."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a seat's model may use.

    Attributes:
        max_tokens: Tokens of one answer; doubled once after an answer that was cut off.
        deadline: Seconds of wall clock a turn.
        context: Estimated tokens of prompt past which old talk is dropped.
        say_chars: Longest speech that the reply schema allows; None leaves it open.
        max_claims: Most claims in one reply that the schema allows.
    """

    max_tokens: int = 400
    deadline: float = 120.0
    context: int = 24_000
    say_chars: int | None = None
    max_claims: int = 4


def reply_schema(request: Request, limits: Limits, *, thinks: bool = False) -> dict[str, Any]:
    """JSON Schema of a reply, built from the legal moves and the game's claims."""
    properties: dict[str, Any] = {}
    if thinks:
        properties["thought"] = {"type": "string"}
    properties["move"] = {"type": "string", "enum": list(request.legal)}
    if request.words:
        length = {} if limits.say_chars is None else {"maxLength": limits.say_chars}
        properties["say"] = {"type": "string", **length}
        if limits.max_claims and request.vocabulary is not None:
            claim = request.vocabulary.schema()
            properties["claims"] = {"type": "array", "items": claim, "maxItems": limits.max_claims}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


class ModelAgent:
    """Plays a seat over a `Chat`; knows nothing of the game but its view.

    Args:
        chat: The seat's conversation.
        book: The game's prompts.
        limits: Tokens, time, context.
        thinks: Ask for private reasoning with each reply.
        log: Where compactions are recorded.
        meter: The budgets of the game.
    """

    def __init__(
        self,
        chat: Chat,
        book: PromptBook,
        limits: Limits | None = None,
        *,
        thinks: bool = False,
        log: CallLog | None = None,
        meter: GameMeter | None = None,
    ) -> None:
        self._chat = chat
        self._book = book
        self._limits = limits or Limits()
        self._thinks = thinks
        self._log = log
        self._meter = meter
        self._system = ""
        self._cursor = 0
        self._left = 0.0
        self._said: tuple[str, tuple[Any, ...]] | None = None

    async def act(self, view: View, request: Request) -> Reply:
        """Ask the model; at most twice, then the phase's default move stands in.

        Raises:
            ModelError: The endpoint gave no answer.
            BudgetSpent: The budget of more than this seat is used up.
        """
        try:
            return await self._decide(view, request)
        except BudgetSpent as spent:
            if spent.scope != "seat":
                raise
            return Reply(request.default, how=How.BUDGET)

    async def _decide(self, view: View, request: Request) -> Reply:
        if request.error is None:
            self._left = self._limits.deadline
            text = await self._next_message(view, request)
            self._cursor = len(view)
        else:
            text = self._book.reask(request, "refused", request.error)
        return await self._ask(text, request)

    async def probe(self, view: View, seats: Sequence[Seat]) -> Beliefs | None:
        """Ask aside, on a copy of the conversation; None before the first turn, or if the answer is no belief.

        Raises:
            ModelError: The endpoint gave no answer.
            BudgetSpent: The whole run is over.
        """
        if not self._system:
            return None
        limits = self._limits
        tokens = max(limits.max_tokens, PROBE_TOKENS * (len(seats) + 1))
        text, afresh = self._book.probe(self._news(view), seats), None
        budget = self._budget(tokens)
        if self._chat.size + _bytes(text) > budget:
            afresh = self._system
            kept, dropped = forget(
                view, budget - _bytes(afresh) - _bytes(self._book.probe((), seats)), self._line_size
            )
            text = self._book.probe(kept, seats, dropped)
        try:
            self._admit(view.seat)
        except BudgetSpent as spent:
            if spent.stops_run:
                raise  # the game must not close without what it would have been asked
            return None  # what is over, its next move will show
        schema = belief_schema(seats)
        answer = await self._chat.aside(text, schema, tokens, limits.deadline, afresh=afresh)
        return read_beliefs(answer, seats)

    def _budget(self, tokens: int) -> int:
        """Bytes that a prompt may have where the answer may have so many tokens."""
        return int((self._limits.context - tokens) * BYTES_A_TOKEN)

    async def _next_message(self, view: View, request: Request) -> str:
        if not self._system:
            self._system = self._book.system(view, request.vocabulary)
            await self._chat.begin(self._system)
        text = self._book.turn(self._news(view), request)
        budget = self._budget(self._limits.max_tokens)
        if self._chat.size + _bytes(text) <= budget:
            return text
        room = budget - _bytes(self._system) - _bytes(self._book.turn((), request))
        kept, dropped = forget(view, room, self._line_size)
        await self._chat.begin(self._system)
        if self._log:
            self._log.compaction(view.seat, dropped)
        return self._book.turn(kept, request, dropped)

    def _news(self, view: View) -> list[Event]:
        """What the seat saw since its last turn, without the words of its own that its answer already holds."""
        return [
            event
            for event in view.since(self._cursor)
            if event.kind != "speech"
            or event.actor != view.seat
            or (event.data["text"], event.data["claims"]) != self._said
        ]

    def _line_size(self, event: Event) -> int:
        return _bytes(self._book.renderer.line(event)) + 1

    async def _ask(self, text: str, request: Request) -> Reply:
        schema = reply_schema(request, self._limits, thinks=self._thinks)
        tokens, seat = self._limits.max_tokens, request.seat
        self._said = None
        answer = await self._send(seat, text, schema, tokens)
        first = parse(answer, request)
        if isinstance(first, Reply):
            return self._kept(first, answer, request)
        if self._left <= 0:
            return Reply(request.default, how=DEFAULT_HOW[first])
        # A cut-off answer is asked for anew with more room, any other faulty one is asked to be mended.
        if first is Fault.TRUNCATED:
            await self._chat.retract()
            answer = await self._send(seat, text, schema, 2 * tokens)
        else:
            answer = await self._send(seat, self._book.reask(request, first), schema, tokens)
        second = parse(answer, request)
        if isinstance(second, Reply):
            return self._kept(replace(second, how=How.REASKED), answer, request)
        return Reply(request.default, how=DEFAULT_HOW[second])

    def _kept(self, reply: Reply, answer: Answer, request: Request) -> Reply:
        """Note what the reply says, if the conversation holds just that, and not more or less of it."""
        kept = parse(replace(answer, text=remembered(answer.text)), request)
        if isinstance(kept, Reply) and kept.how is How.STRUCTURED:
            self._said = (kept.text, tuple(tuple(claim.as_json()) for claim in kept.claims))
        return reply

    async def _send(self, seat: Seat, text: str, schema: Mapping[str, Any], max_tokens: int) -> Answer:
        self._admit(seat)
        answer = await self._chat.send(text, schema, max_tokens, self._left)
        self._left -= answer.seconds
        return answer

    def _admit(self, seat: Seat) -> None:
        if self._meter is not None:
            self._meter.admit(seat)


def _bytes(text: str) -> int:
    return len(text.encode())


def forget(view: View, room: int, size: Callable[[Event], int]) -> tuple[list[Event], int]:
    """Drop old talk so that the rest fits: newest first, talk may fill half of what the facts leave free.

    Votes, deaths, everything told in private and the seat's own claims stay; of its own old words the first
    few do.

    Args:
        view: What the seat knows.
        room: Bytes that the events may take, as lines.
        size: Bytes of an event's line.

    Returns:
        The events kept, in order, and how many lost words or went altogether.
    """
    events = list(view)
    brief = [
        _shortened(event) if event.actor == view.seat and event.kind in TALK else event for event in events
    ]
    facts = sum(size(short) for short in brief if short.kind not in TALK or short.actor == view.seat)
    recent = max(0, room - facts) // 2
    kept: list[Event] = []
    dropped = 0
    for event, short in zip(reversed(events), reversed(brief), strict=True):
        if event.kind in TALK:
            own = event.actor == view.seat
            recent -= size(event) - (size(short) if own else 0)
            if recent < 0:
                dropped += short is not event or not own
                kept += [short] if own else []
                continue
        kept.append(event)
    return kept[::-1], dropped


def _shortened(event: Event) -> Event:
    """A speech with its claims and the first few of its words."""
    text = str(event.data.get("text", ""))
    if len(text) <= OWN_WORDS:
        return event
    return event._replace(data=freeze({**event.data, "text": text[:OWN_WORDS] + "..."}))
