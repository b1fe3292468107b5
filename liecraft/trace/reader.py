"""Reading traces: finished games out of append-only shards, a torn tail passed over."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from liecraft.engine.ledger import Event, View, canonical, freeze
from liecraft.trace.schema import LINE, TraceError


@dataclass(slots=True)
class Trace:
    """One game as it was stored.

    Attributes:
        header: The `game` line.
        events: The `event` lines, in order.
        moves: The `move` lines.
        calls: The `call` lines.
        compactions: The `compaction` lines.
        close: The `close` line.
    """

    header: dict[str, Any]
    events: list[dict[str, Any]] = field(default_factory=list)
    moves: list[dict[str, Any]] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    compactions: list[dict[str, Any]] = field(default_factory=list)
    close: dict[str, Any] = field(default_factory=dict)

    @property
    def game(self) -> str:
        """Name of the game within its run."""
        return str(self.header["game"])

    @property
    def seats(self) -> dict[str, str]:
        """Seat to entrant."""
        return dict(self.header["seats"])

    @property
    def status(self) -> str:
        """`finished`, `truncated` or `failed`."""
        return str(self.close["status"])

    @property
    def roles(self) -> dict[str, str]:
        """Seat to role, as dealt."""
        return {event["audience"][0]: event["data"]["role"] for event in self.of("role")}

    @property
    def sides(self) -> dict[str, str]:
        """Seat to side, as dealt."""
        return {event["audience"][0]: event["data"]["side"] for event in self.of("role")}

    def of(self, *kinds: str) -> Iterator[dict[str, Any]]:
        """Events of these kinds, in order."""
        return (event for event in self.events if event["kind"] in kinds)

    def digest(self) -> str:
        """The ledger's digest, computed anew from the event lines; equals the closing line's."""
        told = (canonical(as_event(line), line["audience"]) for line in self.events)
        return hashlib.sha256("".join(told).encode()).hexdigest()

    def view(self, seat: str) -> View:
        """What a seat knew at the end."""
        seen = (event for event in self.events if sees(event["audience"], seat))
        return View(seat, (as_event(event) for event in seen))


_FIELDS = {"event": "events", "move": "moves", "call": "calls", "compaction": "compactions"}


def sees(audience: str | list[str], seat: str) -> bool:
    """Whether a seat is in a stored audience."""
    return audience == "everyone" or (audience != "engine" and seat in audience)


def as_event(line: dict[str, Any]) -> Event:
    """A stored event as the engine's."""
    return Event(line["kind"], line["actor"], freeze(line["data"]))


def group(lines: Iterable[dict[str, Any]]) -> Iterator[Trace]:
    """Put the lines of interleaved games together; games come out as they close, unclosed ones never.

    Raises:
        TraceError: A game's lines are not those that its closing line counts.
    """
    open_games: dict[str, Trace] = {}
    for line in lines:
        name, kind = line["game"], line["type"]
        if kind == "game":
            open_games[name] = Trace(line)
        elif name not in open_games:
            raise TraceError(f"{kind} line of {name} before its game line")
        elif kind == "close":
            trace = open_games.pop(name)
            trace.close = line
            for part in ("events", "moves"):
                here = len(getattr(trace, part))
                if here != line.get(part):
                    raise TraceError(f"{name} closes with {line.get(part)} {part}, but {here} are there")
            yield trace
        else:
            getattr(open_games[name], _FIELDS[kind]).append(line)


def parse(text: str, where: str, *, check: bool = False) -> Iterator[dict[str, Any]]:
    """Read lines of one shard; a last line that is torn is passed over.

    Args:
        text: The shard's content.
        where: Name of the file, for messages.
        check: Hold every line against the schema.

    Raises:
        TraceError: A line inside is broken.
    """
    lines = text.split("\n")
    lines.pop()  # what follows the last line end: nothing, or a torn line
    for number, raw in enumerate(lines, 1):
        try:
            line = json.loads(raw)
            if check:
                LINE.validate_python(line)
            if (
                not isinstance(line, dict)
                or not isinstance(line.get("game"), str)
                or line["type"] not in _TYPES
            ):
                raise ValueError("not a trace line")
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise TraceError(f"{where}:{number}: {_reason(error)}") from None
        yield line


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        fault = error.errors(include_url=False)[0]
        return f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}"
    return str(error).splitlines()[0] if isinstance(error, ValueError) else "not a trace line"


_TYPES = {"game", "close", *_FIELDS}


def read_shard(path: Path, *, check: bool = False) -> Iterator[Trace]:
    """Finished games of one shard, in the order in which they closed.

    Raises:
        TraceError: The file can't be read or a line inside is broken.
    """
    try:
        text = path.read_bytes().decode("utf-8", errors="replace")
    except OSError as error:
        raise TraceError(f"can't read {path}: {error.strerror}") from None
    try:
        yield from group(parse(text, str(path), check=check))
    except TraceError as error:
        where = "" if str(error).startswith(str(path)) else f"{path}: "
        raise TraceError(f"{where}{error}") from None


def from_lines(lines: Iterable[str]) -> Trace:
    """The one game that these lines hold."""
    (trace,) = group(parse("\n".join(lines) + "\n", "memory"))
    return trace
