"""Loops: a seat that says or does the same again and again is noticed, and a named rule deals with it."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from typing import Literal

from liecraft.engine.agent import How, Reply, Request
from liecraft.engine.seats import Seat

Rule = Literal["off", "note", "default", "fail"]
"""`off`: nobody looks. `note`: the move is marked in the trace. `default`: it is marked, and the phase's default
move stands in its place. `fail`: the game ends as failed, of kind `loop`."""

Loop = Literal["same_text", "same_move", "oscillation", "no_progress"]

TIMES = 3
"""Times that a move, a text or a pair of moves has to come in a row."""

WINDOW = 12
"""Moves in a row, of any phase, in which a seat did nothing but what would have been done in its stead."""


class LoopWatch:
    """Looks at the moves of one game's seats, each phase of a seat by itself.

    A phase with a single legal move says nothing, and a text says nothing if it is empty.
    """

    def __init__(self) -> None:
        self._moves: dict[tuple[Seat, str], deque[str]] = {}
        self._texts: dict[tuple[Seat, str], deque[str]] = {}
        self._idle: dict[Seat, int] = {}

    def notice(self, request: Request, reply: Reply) -> Loop | None:
        """Take in a decision; tell which loop it closes, if any. A loop that goes on is told at each turn."""
        if len(request.legal) < 2:
            return None
        key = request.seat, request.phase
        moves = self._moves.setdefault(key, deque(maxlen=2 * TIMES))
        moves.append(reply.move)
        text = " ".join(reply.text.split()).casefold()
        texts = self._texts.setdefault(key, deque(maxlen=TIMES))
        texts.append(text)
        idle = self._idle[request.seat] = self._idle.get(request.seat, 0) + 1 if _idle(request, reply) else 0
        if idle >= WINDOW:
            return "no_progress"
        if text and _same(texts):
            return "same_text"
        if not any(texts) and _same(list(moves)[-TIMES:]):
            return "same_move"
        if len(moves) == 2 * TIMES and len(set(moves)) == 2 and _alternate(list(moves)):
            return "oscillation"
        return None


class LoopGuard:
    """Deals with loops by a named rule.

    Args:
        rule: Which.
        seats: Those to be looked at.
    """

    def __init__(self, rule: Rule, seats: Collection[Seat]) -> None:
        self.fails = rule == "fail"
        """Whether a loop ends the game."""
        self._rule = rule
        self._seats = frozenset(seats) if rule != "off" else frozenset()
        self._watch = LoopWatch()

    def judge(self, request: Request, reply: Reply) -> tuple[Reply, Loop | None]:
        """The reply that counts, and the loop that the seat has run into, if any."""
        if request.seat not in self._seats:
            return reply, None
        loop = self._watch.notice(request, reply)
        if loop is not None and self._rule == "default":
            return Reply(request.default, how=How.LOOP, thought=reply.thought), loop
        return reply, loop


def _idle(request: Request, reply: Reply) -> bool:
    return reply.move == request.default and not reply.text.strip()


def _same(items: Sequence[str]) -> bool:
    return len(items) == TIMES and len(set(items)) == 1


def _alternate(items: Sequence[str]) -> bool:
    return len(set(items[::2])) == 1 and len(set(items[1::2])) == 1
