"""What a scripted agent gathers from its view, event by event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from liecraft.engine.claims import Claim
from liecraft.engine.ledger import Event, View
from liecraft.engine.seats import Seat, seat_names
from liecraft.games.info_passing.claims import Message, statements
from liecraft.games.info_passing.world import SABOTEUR

DAMAGED = "damaged"
"""Stands for a value that arrived marked as damaged, in testimony."""


class Notes:
    """One seat's notes; `read` brings them up to date.

    Attributes:
        config: The game's configuration, from its header event.
        speakers: Seat to those who speak to it; `listeners` the other way round.
        depth: Links from a source to each seat.
        bulletin: Slot to true value, if this seat was given it.
        known: Slot to true value, from the bulletin or the audit.
        audited: Slots that the audit disclosed.
        arrived: Slot to (speaker, value) of every unmarked value that reached this seat, in order.
        sent: Slot to the value that this seat sent last.
        heard_by: What each seat says, or this seat knows, to have reached it: (speaker, slot) to a value, to
            None for nothing, or to DAMAGED.
        sent_by: What each seat says, or this seat knows, to have sent: slot to a value or None.
        questions: Times that this seat has put a question.
    """

    def __init__(self, seat: Seat) -> None:
        self.me = seat
        self._cursor = 0
        self.seats: tuple[Seat, ...] = ()
        self.config: Mapping[str, Any] = {}
        self.slots: Mapping[str, Sequence[str]] = {}
        self.saboteur = False
        self.speakers: dict[Seat, list[Seat]] = {}
        self.listeners: dict[Seat, list[Seat]] = {}
        self.sources: Sequence[Seat] = ()
        self.sinks: Sequence[Seat] = ()
        self.depth: dict[Seat, int] = {}
        self.bulletin: dict[str, str] = {}
        self.known: dict[str, str] = {}
        self.audited: list[str] = []
        self.targets: Sequence[str] = ()
        self.partners: Sequence[Seat] = ()
        self.arrived: dict[str, list[tuple[Seat, str]]] = {}
        self.sent: Message = {}
        self.heard_by: dict[Seat, dict[tuple[Seat, str], str | None]] = {}
        self.sent_by: dict[Seat, Message] = {}
        self._relaying = True

    def read(self, view: View) -> None:
        """Take in the events since the last reading."""
        for event in view.since(self._cursor):
            reader = getattr(self, f"_{event.kind}", None)
            if reader is not None:
                reader(event)
        self._cursor = len(view)

    def neighbours(self) -> list[Seat]:
        """Those whom this seat may question, the ones who speak to it first."""
        return [
            *self.speakers[self.me],
            *(s for s in self.listeners[self.me] if s not in self.speakers[self.me]),
        ]

    def cleared(self) -> set[Seat]:
        """Seats that can't be saboteurs in this seat's eyes: the sinks and, of an honest seat, itself."""
        return {*self.sinks} if self.saboteur else {*self.sinks, self.me}

    # --- one method a kind of event --------------------------------------------------------------------

    def _game(self, event: Event) -> None:
        self.config = event.data["config"]
        self.slots = self.config["slots"]
        self.seats = seat_names(self.config["seats"])
        self.arrived = {slot: [] for slot in self.slots}
        self.heard_by = {seat: {} for seat in self.seats}
        self.sent_by = {seat: {} for seat in self.seats}

    def _role(self, event: Event) -> None:
        self.saboteur = event.data["role"] == SABOTEUR

    def _graph(self, event: Event) -> None:
        self.sources, self.sinks = event.data["sources"], event.data["sinks"]
        self.speakers = {seat: [] for seat in self.seats}
        self.listeners = {seat: [] for seat in self.seats}
        for speaker, listener in event.data["edges"]:
            self.listeners[speaker].append(listener)
            self.speakers[listener].append(speaker)
        self.depth = dict.fromkeys(self.sources, 0)
        edge = list(self.sources)
        while edge:
            after = [s for seat in edge for s in self.listeners[seat] if s not in self.depth]
            for seat in edge:
                for listener in self.listeners[seat]:
                    self.depth.setdefault(listener, self.depth[seat] + 1)
            edge = after

    def _bulletin(self, event: Event) -> None:
        self.bulletin = dict(event.data["slots"])
        self.known = dict(self.bulletin)

    def _mission(self, event: Event) -> None:
        self.targets, self.partners = event.data["targets"], event.data["partners"]

    def _phase(self, event: Event) -> None:
        self._relaying = event.data["phase"] == "relay"
        if event.data["phase"] == "report":
            for slot in self.slots:
                self.sent_by[self.me][slot] = self.sent.get(slot)

    def _heard(self, event: Event) -> None:
        speaker, data = str(event.actor), event.data
        mine = self.heard_by[self.me]
        message = statements(data["claims"])
        for slot in self.slots:
            value = message.get(slot)
            if slot in data["marked"]:
                mine.setdefault((speaker, slot), DAMAGED)
            elif value is not None:
                mine[speaker, slot] = value
                self.arrived[slot].append((speaker, value))
            else:
                mine.setdefault((speaker, slot), None)

    def _speech(self, event: Event) -> None:
        claims = event.data["claims"]
        if event.actor == self.me:
            if self._relaying:
                said = statements(claims)
                self.sent.update({slot: value for slot, value in said.items() if value is not None})
        elif not self._relaying:
            self._testimony(str(event.actor), claims)

    def _testimony(self, seat: Seat, claims: Sequence[Sequence[Any]]) -> None:
        heard, sent = self.heard_by[seat], self.sent_by[seat]
        for claim in claims:
            match claim:
                case ("heard", speaker, slot, value):
                    heard[speaker, slot] = value
                case ("heard_nothing", speaker, slot):
                    heard[speaker, slot] = None
                case ("damaged", speaker, slot):
                    heard[speaker, slot] = DAMAGED
                case ("sent", slot, value):
                    sent[slot] = value
                case ("sent_nothing", slot):
                    sent[slot] = None

    def _audit(self, event: Event) -> None:
        self.known.update(event.data["slots"])
        self.audited = [slot for slot, _ in event.data["slots"]]


def testimony(notes: Notes, heard: Mapping[tuple[Seat, str], str | None], sent: Message) -> list[Claim]:
    """What a seat heard and sent of the audited slots, as claims, those that went wrong first.

    Without an audit it speaks of all slots.
    """
    others = [] if notes.audited else list(notes.slots)
    wrong = [s for s in notes.audited if sent.get(s, notes.known[s]) != notes.known[s]]
    right = [s for s in notes.audited if s not in wrong]
    claims = []
    for slot in (*wrong, *right, *others):
        if notes.listeners[notes.me]:
            value = sent.get(slot)
            claims.append(Claim("sent_nothing", (slot,)) if value is None else Claim("sent", (slot, value)))
        for speaker in notes.speakers[notes.me]:
            claims.append(_heard(speaker, slot, heard.get((speaker, slot))))
    return claims[: int(notes.config["max_claims"])]


def _heard(speaker: Seat, slot: str, value: str | None) -> Claim:
    if value is None:
        return Claim("heard_nothing", (speaker, slot))
    if value == DAMAGED:
        return Claim("damaged", (speaker, slot))
    return Claim("heard", (speaker, slot, value))
