"""Writing traces: whole lines, appended; what a model said is on disk before the game acts on it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from liecraft.engine.ledger import Ledger
from liecraft.trace.recall import Recall
from liecraft.trace.scan import whole_lines
from liecraft.trace.schema import VERSION, TraceError

# Read-only mappings are no dicts to json; tuples it writes as lists by itself.
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, default=dict).encode


_SYNC = getattr(os, "O_DSYNC", 0)
_BEGINS = b'{"game":"'
"""How every line begins."""


def lock(fd: int) -> None:
    """Keep other processes from taking the same file, until it is closed or this process is gone.

    Raises:
        BlockingIOError: Another has it.
    """
    try:
        import fcntl
    except ImportError:  # not on this platform: then nobody is kept out
        return
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:  # nor on a file system without locks
        return


def _cut_torn_line(fd: int, path: Path) -> None:
    """Cut off what follows the last line end, if it is a line of a trace that was never finished.

    Raises:
        TraceError: It is something else, so the file may be somebody's text.
    """
    whole, size = whole_lines(path), os.fstat(fd).st_size
    if whole == size:
        return
    with path.open("rb") as file:
        file.seek(whole)
        begins = file.read(len(_BEGINS)).rstrip(b"\0")  # a power cut may leave zeros
    if not _BEGINS.startswith(begins):
        raise TraceError(f"can't write to {path}: its last line is none of a trace; is it the right file?")
    os.ftruncate(fd, whole)


class Sink(Protocol):
    """Where lines go."""

    def write(self, lines: Sequence[str]) -> None:
        """Append lines (without line ends), all or, at a crash, a prefix of them."""
        ...


class ListSink:
    """Keeps lines in memory, for a game that is played to be looked at."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, lines: Sequence[str]) -> None:
        self.lines += lines


class FileSink:
    """Appends to one file, of which it is the only writer; a torn last line of an earlier one is cut off.

    Args:
        path: The file; its folder must exist.
        sync: Let each write reach the disk itself before it counts as done. Without it, a write is safe from the
            death of the process at once, and from that of the machine when the system has got round to it.

    Raises:
        TraceError: The file can't be opened, or another process writes to it.
    """

    def __init__(self, path: Path, *, sync: bool = False) -> None:
        self._path = path
        fd = -1
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | (_SYNC if sync else 0), 0o644)
            lock(fd)
            _cut_torn_line(fd, path)
        except (OSError, TraceError) as error:
            if fd >= 0:
                os.close(fd)
            if isinstance(error, BlockingIOError):
                raise TraceError(f"can't write to {path}: another process is writing to it") from None
            if isinstance(error, OSError):
                raise TraceError(f"can't write to {path}: {error.strerror}") from None
            raise
        self._fd = fd

    def write(self, lines: Sequence[str]) -> None:
        """Append lines; at a fault the file is as it was, so that no half line stands before later ones.

        Raises:
            TraceError: The disk is full or gone.
        """
        # A lone surrogate, which no file can hold, becomes a question mark.
        block = ("\n".join(lines) + "\n").encode(errors="replace")
        before = os.fstat(self._fd).st_size
        try:
            while block:
                block = block[os.write(self._fd, block) :]
        except OSError as error:
            os.ftruncate(self._fd, before)
            raise TraceError(
                f"can't write to {self._path}: {error.strerror}; the games in it that had closed are safe"
            ) from None

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)


class GameRecorder:
    """Writes one game: its header, its ledger as it grows, decisions, model calls and the closing line.

    Lines are gathered in memory and written when a model has answered and when the game closes.

    Args:
        sink: Where lines go.
        game: Name of the game within its run.
        recorded: Answers of an earlier attempt at the game, to be given again.
    """

    def __init__(self, sink: Sink, game: str, recorded: Recall | None = None) -> None:
        self.game = game
        self.recalled = 0.0
        """Seconds that the recalled calls took when they were made; those of one probe count as one."""
        self._recorded = recorded
        self._probe = (-1, 0.0)
        self._sink = sink
        self._pending: list[str] = []
        self._ledger: Ledger | None = None
        self._told = 0
        self._prompts: dict[str, list[Mapping[str, str]]] = {}
        self.moves = 0

    def open(self, ledger: Ledger, header: Mapping[str, Any]) -> None:
        """Begin with the header and the ledger to follow."""
        self._ledger = ledger
        self._line("game", v=VERSION, **header)

    def call(
        self,
        seat: str,
        model: str,
        messages: Sequence[Mapping[str, str]],
        answer: Mapping[str, Any],
    ) -> None:
        """Record a model call and put it on disk.

        Args:
            seat: Who was asked for.
            model: Name of the model.
            messages: The whole prompt; only what is new since the seat's last one is stored.
            answer: `text`, `finish_reason`, `refusal`, `error`, `usage`, `attempts`, `seconds`,
                and `probe` if a belief was asked for aside.
        """
        self._call(seat, model, messages, answer)
        self.flush()

    def recall(self, seat: str, messages: Sequence[Mapping[str, str]]) -> Mapping[str, Any] | None:
        """The answer that was recorded for a seat's next call, with its `model`; None if there is none.

        It is recorded as this attempt's own; to be put on disk it can wait, being there already.

        Raises:
            RecallError: A strict replay asks for what was not recorded.
        """
        told = self._recorded.next(seat, messages) if self._recorded else None
        if told is None:
            return None
        answer = dict(told)
        self._call(seat, answer.pop("model"), messages, answer)
        self._spend(answer)
        return told

    def _spend(self, answer: Mapping[str, Any]) -> None:
        seconds: float = answer["seconds"]
        if not answer.get("probe"):
            self.recalled += seconds
            return
        # All seats are asked at the same time: the slowest says how long it took.
        at, longest = self._probe
        longest = longest if at == self._told else 0.0
        self.recalled += max(0.0, seconds - longest)
        self._probe = (self._told, max(longest, seconds))

    def _call(
        self, seat: str, model: str, messages: Sequence[Mapping[str, str]], answer: Mapping[str, Any]
    ) -> None:
        self._catch_up()
        before = self._prompts.get(seat, [])
        kept = 0
        while kept < min(len(before), len(messages)) and before[kept] == messages[kept]:
            kept += 1
        self._prompts[seat] = list(messages)
        new = [dict(message) for message in messages[kept:]]
        self._line("call", i=self._told, seat=seat, model=model, kept=kept, messages=new, **answer)

    def compaction(self, seat: str, dropped: int) -> None:
        """Record that a seat's prompt was rebuilt without `dropped` events of old talk."""
        self._catch_up()
        self._line("compaction", i=self._told, seat=seat, dropped=dropped)

    def move(self, **data: Any) -> None:
        """Record a decision, before it is played; fields as in `MoveLine`."""
        self._catch_up()
        self.moves += 1
        self._line("move", i=self._told, **data)

    def close(self, **data: Any) -> None:
        """Write what is left and the closing line; fields as in `CloseLine`."""
        self._catch_up()
        digest = self._ledger.digest() if self._ledger else ""
        self._line("close", digest=digest, events=self._told, moves=self.moves, **data)
        self.flush()

    def flush(self) -> None:
        """Hand all gathered lines to the sink."""
        if self._pending:
            self._sink.write(self._pending)
            self._pending = []

    def _catch_up(self) -> None:
        ledger = self._ledger
        if ledger is None:
            return
        while self._told < len(ledger):
            event, audience = ledger[self._told]
            names = ledger.audience_names(audience)
            kind, actor, data = event
            self._line("event", i=self._told, kind=kind, actor=actor, data=data, audience=names)
            self._told += 1

    def _line(self, type_: str, **fields: Any) -> None:
        line = {"game": self.game, "type": type_, **fields}
        self._pending.append(_encode(line))
