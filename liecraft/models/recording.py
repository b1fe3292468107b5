"""A recorded run in the place of a model: its answers, by game, seat and turn, whatever is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from liecraft.models.base import Completion, ErrorKind, Message, ModelConfigError, ModelError, Sampling, Usage
from liecraft.trace.recall import by_seat
from liecraft.trace.scan import Attempt, read_lines, scan
from liecraft.trace.schema import TraceError

_ERROR = re.compile(f"(?s)(.*?): ({'|'.join(get_args(ErrorKind))}): (.*)")


class RecordedError(ModelError):
    """A model's failure as a trace tells it; its text is the recorded one, to the letter."""

    def __init__(self, text: str, attempts: int, seconds: float) -> None:
        found = _ERROR.match(text)
        endpoint, kind, detail = found.groups() if found else ("recording", "malformed", text)
        super().__init__(
            _KINDS.get(kind, "malformed"), detail, endpoint=endpoint, attempts=attempts, seconds=seconds
        )
        self.args = (text,)

    def __reduce__(self) -> tuple[Any, ...]:
        """See `ModelError`."""
        return RecordedError, (str(self), self.attempts, self.seconds)


_KINDS: dict[str, ErrorKind] = {kind: kind for kind in get_args(ErrorKind)}


def completion_of(line: Mapping[str, Any]) -> Completion:
    """What a recorded call brought.

    Args:
        line: A `call` line.

    Raises:
        ModelError: The call had failed.
    """
    if line["error"] is not None:
        raise RecordedError(line["error"], line["attempts"], line["seconds"])
    usage = line["usage"]
    return Completion(
        text=line["text"],
        finish_reason=line["finish_reason"],
        refusal=line["refusal"],
        usage=Usage(usage["prompt"], usage["completion"], usage["cached"]),
        seconds=line["seconds"],
        attempts=line["attempts"],
        model=line["model"],
    )


class Recording:
    """The answers of a run. It answers for a seat of a game, so take one by `bound` for each.

    Args:
        run: The run's folder.

    Raises:
        ModelConfigError: No traces are there, or they can't be read.
    """

    def __init__(self, run: Path) -> None:
        self.name = f"recording of {run.name}"
        self.run = run
        self._attempts: dict[str, Attempt] = {}
        shards = sorted((run / "traces").glob("*.jsonl"))
        if not shards:
            raise ModelConfigError(f"recording: {run} is no run: it has no traces")
        try:
            for shard in shards:
                found = [attempt for attempt in scan(shard) if attempt.closing]
                self._attempts.update((attempt.game, attempt) for attempt in found)
        except TraceError as error:
            raise ModelConfigError(f"recording: {error}") from None

    def bound(self, game: str, seat: str) -> SeatRecording:
        """The answers for one seat of one game."""
        return SeatRecording(self.name, game, seat, self._attempts.get(game))

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None,
        sampling: Sampling,
        deadline: float,
    ) -> Completion:
        """Refuse: whose turn it is can't be known here."""
        raise ModelError(
            "not_found", "a recording answers for a seat of a game", endpoint=self.name, attempts=0, seconds=0
        )

    async def close(self) -> None:
        """Nothing is held open."""


class SeatRecording:
    """The recorded answers for one seat of one game, in order.

    Args:
        name: What tables and traces call the model.
        game: The game.
        seat: The seat.
        attempt: Where its calls lie; None if the recording has no such game.
    """

    def __init__(self, name: str, game: str, seat: str, attempt: Attempt | None) -> None:
        self.name = name
        self._game = game
        self._seat = seat
        self._attempt = attempt
        self._given = 0

    @cached_property
    def _lines(self) -> list[Mapping[str, Any]]:
        attempt = self._attempt
        return by_seat(read_lines(attempt.path, attempt.calls)).get(self._seat, []) if attempt else []

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None,
        sampling: Sampling,
        deadline: float,
    ) -> Completion:
        """Give the next answer, whatever the prompt is.

        Raises:
            ModelError: The call had failed when it was recorded, or the recording has ended.
        """
        if self._given >= len(self._lines):
            raise ModelError("not_found", self._ended(), endpoint=self.name, attempts=0, seconds=0.0)
        self._given += 1
        return completion_of(self._lines[self._given - 1])

    def _ended(self) -> str:
        if self._attempt is None:
            return f"it has no finished game {self._game}"
        calls = len(self._lines)
        if not calls:
            return f"no model played {self._seat} of {self._game} in it"
        return f"it ends after {calls} calls of {self._seat} in {self._game}"

    async def close(self) -> None:
        """Nothing is held open."""
