"""The ledger: a game's append-only list of events, each with an audience fixed when it is recorded.

Everything a seat ever learns passes through `Ledger.record`, which hands the event to the views of its
audience and to no other. An `Event` carries neither its audience nor its place in the ledger: both would
tell a seat of things it did not see.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from liecraft.engine.seats import Seat

EVERYONE = -1
"""Audience of a public event (all bits set)."""
ENGINE = 0
"""Audience of an event that no seat sees."""

Data = Mapping[str, Any]


class Event(NamedTuple):
    """One thing that happened, as anybody in its audience sees it.

    Attributes:
        kind: What happened (`speech`, `ballots`, ...).
        actor: The seat that did it, set by the engine; None for the engine itself.
        data: Read-only mapping of JSON scalars and tuples.
    """

    kind: str
    actor: Seat | None
    data: Data


class Entry(NamedTuple):
    """An event with its audience, as the ledger keeps it: seats as bits, -1 everyone, 0 the engine alone."""

    event: Event
    audience: int


_SCALARS = (str, int, float, type(None))


def freeze(value: Any) -> Any:
    """Make a JSON-like value immutable all the way down: dicts to read-only mappings, lists to tuples."""
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, list | tuple):
        return tuple(map(freeze, value))
    if isinstance(value, Mapping):
        return MappingProxyType({key: freeze(item) for key, item in value.items()})
    return value


def thaw(value: Any) -> Any:
    """Turn a frozen value back into plain dicts and lists, for JSON."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [thaw(item) for item in value]
    return value


class View:
    """A seat's part of the ledger, and all that its agent is ever given of the game.

    It holds events only: no ledger, no env, nothing to look behind.
    """

    __slots__ = ("_events", "seat")

    def __init__(self, seat: Seat, events: Iterable[Event] = ()) -> None:
        self.seat = seat
        self._events = list(events)

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def __getitem__(self, index: int) -> Event:
        return self._events[index]

    def since(self, cursor: int) -> Sequence[Event]:
        """Events from position `cursor` of this view on."""
        return self._events[cursor:]

    def of(self, *kinds: str) -> list[Event]:
        """All seen events of these kinds, in order."""
        return [event for event in self._events if event.kind in kinds]

    def first(self, kind: str) -> Event:
        """The first seen event of a kind.

        Raises:
            LookupError: None was seen.
        """
        for event in self._events:
            if event.kind == kind:
                return event
        raise LookupError(f"{self.seat} has seen no {kind!r} event")


class Ledger:
    """Append-only events with audiences, and the views they make.

    Args:
        seats: All seats, in order; bit i of an audience stands for seat i.
    """

    __slots__ = ("_entries", "_hash", "_hashed", "_views", "bits", "seats", "views")

    def __init__(self, seats: Sequence[Seat]) -> None:
        self.seats = tuple(seats)
        self.bits = {seat: 1 << i for i, seat in enumerate(self.seats)}
        self.views = MappingProxyType({seat: View(seat) for seat in self.seats})
        self._views = [view._events for view in self.views.values()]
        self._entries: list[Entry] = []
        self._hash = hashlib.sha256()
        self._hashed = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __getitem__(self, index: int) -> Entry:
        return self._entries[index]

    def audience(self, seats: Iterable[Seat]) -> int:
        """The audience made of these seats."""
        mask = 0
        for seat in seats:
            mask |= self.bits[seat]
        return mask

    def record(self, kind: str, actor: Seat | None, data: dict[str, Any], audience: int) -> Event:
        """Append an event and show it to its audience, now and for good.

        Args:
            kind: Event kind.
            actor: Acting seat or None.
            data: JSON scalars and tuples of them (`freeze` what nests deeper); owned by the ledger from now on.
            audience: EVERYONE, ENGINE or bits made by `audience`.
        """
        event = Event(kind, actor, MappingProxyType(data))
        self._entries.append(Entry(event, audience))
        if audience == EVERYONE:
            for events in self._views:
                events.append(event)
        elif audience:
            for i, events in enumerate(self._views):
                if audience >> i & 1:
                    events.append(event)
        return event

    def disclose(self, index: int, audience: int) -> Event:
        """Show an earlier event to a wider audience: the only way an event ever reaches new eyes.

        The disclosure carries a copy of what the event said, and not where in the ledger it stood.
        """
        event = self._entries[index].event
        told = {"kind": event.kind, "actor": event.actor, "data": event.data}
        return self.record("disclose", None, told, audience)

    def audience_names(self, audience: int) -> str | list[Seat]:
        """An audience as the trace writes it: `"everyone"`, `"engine"` or a list of seats."""
        if audience == EVERYONE:
            return "everyone"
        if audience == ENGINE:
            return "engine"
        return [seat for seat in self.seats if audience & self.bits[seat]]

    def digest(self) -> str:
        """SHA-256 (hex) over all entries so far, audiences included; equal ledgers have equal digests."""
        for entry in self._entries[self._hashed :]:
            self._hash.update(canonical(entry.event, self.audience_names(entry.audience)).encode())
        self._hashed = len(self._entries)
        return self._hash.hexdigest()


# Read-only mappings are no dicts to json; tuples it writes as lists by itself.
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=dict).encode


def canonical(event: Event, audience: str | list[Seat]) -> str:
    """One entry as the line that the digest covers: sorted keys, no spaces, newline at the end."""
    line = [event.kind, event.actor, event.data, audience]
    return _encode(line) + "\n"
