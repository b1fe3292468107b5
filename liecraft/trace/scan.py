"""Finding one's way in shards by their bytes alone: which games have closed, and where model calls lie.

A line is parsed only where somebody wants it, so that a run of a hundred thousand games is looked through in
seconds.
"""

from __future__ import annotations

import json
import mmap
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from liecraft.trace.schema import TraceError

Span = tuple[int, int]
"""Where a line lies in its file: first byte, and the byte after its last."""

# As the writer begins a line. In the middle of one these bytes may stand too: see `_marks`.
_MARK = re.compile(rb'\{"game":"([^"\\]+)","type":"(game|call|close)",')


@dataclass(slots=True)
class Attempt:
    """One playing of a game: from its `game` line to its closing line, or to where the process died.

    Attributes:
        path: The shard.
        game: The game's name.
        opening: Where its `game` line lies.
        calls: Where its `call` lines lie, in order.
        closing: Where its `close` line lies; None if it has none.
        failed: Whether that line says that the game failed.
    """

    path: Path
    game: str
    opening: Span
    calls: list[Span] = field(default_factory=list)
    closing: Span | None = None
    failed: bool = False


def scan(path: Path) -> Iterator[Attempt]:
    """All attempts in a shard: closed ones as they close, then those that never did.

    A later attempt at the same game in the same shard stands beside an earlier unclosed one.

    Raises:
        TraceError: The file can't be read.
    """
    going: dict[str, Attempt] = {}
    left: list[Attempt] = []
    with _mapped(path) as data:
        for name, kind, span in _marks(data):
            attempt = going.get(name)
            if kind == b"game":
                if attempt:
                    left.append(attempt)
                going[name] = Attempt(path, name, span)
            elif attempt is None:
                continue  # a broken shard; the reader will say so
            elif kind == b"call":
                attempt.calls.append(span)
            else:
                attempt.closing = span
                attempt.failed = data.find(b'"status":"failed"', *span) >= 0
                yield going.pop(name)
    yield from left
    yield from going.values()


def _marks(data: bytes | mmap.mmap) -> Iterator[tuple[str, bytes, Span]]:
    """Name, type and place of each whole line of the wanted types."""
    for found in _MARK.finditer(data):
        start = found.start()
        if start and data[start - 1] != 0x0A:
            continue  # inside another line's data
        end = data.find(b"\n", found.end())
        if end < 0:
            return  # torn
        yield found[1].decode(errors="replace"), found[2], (start, end)


def read_lines(path: Path, spans: Iterable[Span]) -> list[dict[str, Any]]:
    """The lines that lie at these places.

    Raises:
        TraceError: The file can't be read, or a line is broken.
    """
    lines = []
    try:
        with path.open("rb") as file:
            for start, end in spans:
                file.seek(start)
                lines.append(dict[str, Any](json.loads(file.read(end - start))))
    except OSError as error:
        raise TraceError(f"can't read {path}: {error.strerror}") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise TraceError(f"{path}: the line at byte {start} is broken: {error}") from None
    return lines


def whole_lines(path: Path) -> int:
    """Bytes of a shard up to the end of its last whole line; what follows was being written when it ended.

    Raises:
        TraceError: The file can't be read.
    """
    with _mapped(path) as data:
        return data.rfind(b"\n") + 1


@contextmanager
def _mapped(path: Path) -> Iterator[bytes | mmap.mmap]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise TraceError(f"can't read {path}: {error.strerror}") from None
    with file:
        if not file.seek(0, 2):
            yield b""  # nothing can't be mapped
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield data
