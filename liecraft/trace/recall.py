"""Answers recorded earlier, given again to a game that is played again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from liecraft.trace.scan import Attempt, read_lines
from liecraft.trace.schema import TraceError

_OF_THE_LINE = frozenset({"game", "type", "i", "seat", "kept", "messages"})
"""Fields of a `call` line that belong to where it stands, not to the answer."""


class RecallError(TraceError):
    """A replay asks for what was not recorded: the game, the rules or the prompts have changed.

    Attributes:
        seat: Whose call it is.
        number: Which of the seat's calls, from 1.
        missing: Whether the recording has ended; if not, its prompt differs.
    """

    def __init__(self, game: str, seat: str, number: int, *, missing: bool) -> None:
        fault = (
            "is not in the recording" if missing else "was recorded for another prompt than the one made now"
        )
        super().__init__(f"{game}: call {number} of {seat} {fault}")
        self.seat = seat
        self.number = number
        self.missing = missing


class Recall:
    """The recorded calls of one game, handed out seat by seat in order.

    Each is good for the prompt that it answered and for no other. In a game that goes on, the first prompt that
    differs ends the seat's recording and its model is asked from there on; a strict replay ends.

    Args:
        game: Name of the game, for messages.
        calls: Its `call` lines by seat, each seat's in order and from its first.
        strict: Whether a call that is missing, or answered another prompt, is an error.
    """

    def __init__(
        self, game: str, calls: Mapping[str, Sequence[Mapping[str, Any]]], *, strict: bool = False
    ) -> None:
        self._game = game
        self._calls = {seat: list(lines) for seat, lines in calls.items()}
        self._given: dict[str, int] = {}
        self._prompts: dict[str, list[Mapping[str, str]]] = {}
        self._strict = strict

    def next(self, seat: str, messages: Sequence[Mapping[str, str]]) -> dict[str, Any] | None:
        """The recorded answer to a seat's next call, `model` beside it; None if its model must be asked.

        Raises:
            RecallError: A strict replay has no such answer.
        """
        number = self._given.get(seat, 0)
        lines = self._calls.get(seat, [])
        if number >= len(lines):
            if self._strict:
                raise RecallError(self._game, seat, number + 1, missing=True)
            return None
        line = lines[number]
        prompt = [*self._prompts.get(seat, [])[: line["kept"]], *line["messages"]]
        if prompt != list(messages):
            if self._strict:
                raise RecallError(self._game, seat, number + 1, missing=False)
            del lines[number:]
            return None
        self._prompts[seat] = prompt
        self._given[seat] = number + 1
        return {key: value for key, value in line.items() if key not in _OF_THE_LINE}


def by_seat(lines: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """The `call` lines of one attempt, parted by seat."""
    calls: dict[str, list[Mapping[str, Any]]] = {}
    for line in lines:
        calls.setdefault(str(line["seat"]), []).append(line)
    return calls


def longest(attempts: Iterable[Attempt]) -> dict[str, list[Mapping[str, Any]]]:
    """The most that was recorded of each seat's calls, over all attempts at a game.

    A later attempt recalled what the earlier ones had, so that of two the longer begins with the shorter; it
    is the shorter one if it died before it had got as far.

    Raises:
        TraceError: A line is broken.
    """
    best: dict[str, list[Mapping[str, Any]]] = {}
    for attempt in attempts:
        for seat, lines in by_seat(read_lines(attempt.path, attempt.calls)).items():
            if len(lines) > len(best.get(seat, [])):
                best[seat] = lines
    return best
