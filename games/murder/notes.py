"""What a bot keeps of its view: one pass over the events, each read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from liecraft.engine.ledger import Event, View
from liecraft.engine.seats import Seat
from liecraft.games.murder.manor import CLUE, KEY
from liecraft.games.murder.memory import INNOCENT, MURDERER
from liecraft.games.murder.plan import plan


@dataclass(slots=True)
class Death:
    """A body that was found.

    Attributes:
        victim: Who was murdered.
        room: Where it lay.
        after: Round after which all were last seen alive together.
        found: Round in which it was found.
        scene: Seats at the scene.
    """

    victim: Seat
    room: str
    after: int
    found: int
    scene: tuple[Seat, ...]


class Notes:
    """A seat's memory of its own view.

    Attributes:
        stay: Rounds that it has stayed in its room.
        rooms: Own room at the end of each round.
        here: Others in that room at the end of each round.
        clues: Own clues, (seat named, round).
        blanks: Own searches that found nothing, (round, room).
        has_key: Whether it holds the key.
        searched: How often each room was searched, by own view and by what was claimed.
        witnessed: Murders seen or done, (killer, victim, round).
        deaths: Bodies found, in order.
        meetings: Rounds in which there was a meeting.
        said: Claims heard, own ones included, (speaker, claim), in order.
        spoke: Seats that have made a claim of fact in this meeting.
        asked: Seats that were put a question in this meeting.
        declared: Ballots announced in this meeting, by speaker.
        gone: Seats whose death it saw, known to others or not.
        last_alive: For each of the dead, the last round at whose end all knew it alive.
    """

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self._cursor = 0
        self.role = INNOCENT
        self.partners: set[Seat] = set()
        self.round = 0
        self.talk = 0
        self.in_meeting = False
        self.gathered = True
        self.stay = 0
        self.rooms: dict[int, str] = {}
        self.here: dict[int, tuple[Seat, ...]] = {}
        self.clues: list[tuple[Seat, int]] = []
        self.blanks: list[tuple[int, str]] = []
        self.has_key = False
        self.key_found: int | None = None
        self.searched: Counter[str] = Counter()
        self._places: dict[tuple[Seat, int], str] = {}
        self.witnessed: list[tuple[Seat, Seat, int]] = []
        self.deaths: list[Death] = []
        self.meetings: list[int] = []
        self.said: list[tuple[Seat, tuple[Any, ...]]] = []
        self.spoke: set[Seat] = set()
        self.asked: set[Seat] = set()
        self.declared: dict[Seat, str] = {}
        self.asker: Seat | None = None
        self.banished: set[Seat] = set()
        self.gone: set[Seat] = set()
        self.last_alive: dict[Seat, int] = {}
        self.innocent: set[Seat] = set()
        self.guilty: set[Seat] = set()

    def read(self, view: View) -> bool:
        """Take in what is new in the view; returns whether anything was."""
        events = view.since(self._cursor)
        self._cursor += len(events)
        for event in events:
            take = _READERS.get(event.kind)
            if take is not None:
                take(self, event)
        return bool(events)

    # --- what is asked of the notes --------------------------------------------------------------------

    @property
    def murderer(self) -> bool:
        """Whether this seat is a murderer."""
        return self.role == MURDERER

    @property
    def room(self) -> str:
        """Where this seat stands now."""
        return self.plan.hall if self.gathered else self.rooms[max(self.rooms)]

    @property
    def company(self) -> tuple[Seat, ...]:
        """Who stands there with it."""
        if self.gathered:
            return tuple(seat for seat in self.living if seat != self.seat)
        return self.here[max(self.here)]

    @property
    def last_meeting(self) -> int:
        """Round of the meeting before the present one; 0 if there was none."""
        past = self.meetings[:-1] if self.in_meeting else self.meetings
        return past[-1] if past else 0

    @property
    def window(self) -> range:
        """Rounds of play since the meeting before, the latest last."""
        return range(self.last_meeting + 1, self.round + 1)

    @property
    def others(self) -> list[Seat]:
        """Living seats but this one."""
        return [seat for seat in self.living if seat != self.seat]

    def unseen(self, round_: int) -> bool:
        """Whether nobody but partners and the dead stood with this seat at the end of a round."""
        return not any(
            seat in self.living and seat not in self.partners for seat in self.here.get(round_, ())
        )

    # --- events ----------------------------------------------------------------------------------------

    def _game(self, event: Event) -> None:
        self.config: Any = event.data["config"]
        self.seats = tuple(f"player_{i}" for i in range(self.config["seats"]))
        self.living = list(self.seats)
        self.plan = plan(self.config["manor"], self.config["hall"])

    def _role(self, event: Event) -> None:
        self.role = event.data["role"]
        (self.guilty if self.murderer else self.innocent).add(self.seat)

    def _partner(self, event: Event) -> None:
        self.partners.add(event.data["seat"])
        self.guilty.add(event.data["seat"])

    def _phase(self, event: Event) -> None:
        phase = event.data["phase"]
        self.round = event.data["round"]
        if phase == "act":
            if self.in_meeting:
                self.gathered = True
            self.in_meeting = False
        elif phase == "speak":
            self.talk += 1

    def _room(self, event: Event) -> None:
        data = event.data
        moved = self.gathered or self.rooms.get(data["round"] - 1) != data["room"]
        self.stay = 0 if moved else self.stay + 1
        self.gathered = False
        self.rooms[data["round"]] = data["room"]
        self.here[data["round"]] = data["here"]
        for victim in data["bodies"]:
            self.innocent.add(victim)
            self.gone.add(victim)

    def _found(self, event: Event) -> None:
        data = event.data
        self.searched[data["room"]] += 1
        if data["item"] == CLUE:
            self.clues.append((data["seat"], data["round"]))
        elif data["item"] == KEY:
            self.has_key = True
            self.key_found = data["round"]
        else:
            self.blanks.append((data["round"], data["room"]))

    def _witness(self, event: Event) -> None:
        data = event.data
        self.witnessed.append((data["killer"], data["victim"], data["round"]))
        self.guilty.add(data["killer"])
        self.innocent.add(data["victim"])
        self.gone.add(data["victim"])

    def _meet(self, _: Event) -> None:
        if not self.in_meeting:
            self.in_meeting = True
            self.talk = 0
            self.meetings.append(self.round)
            self.spoke, self.asked, self.declared = set(), set(), {}

    def _body(self, event: Event) -> None:
        self._meet(event)
        data = event.data
        self.innocent.add(data["victim"])
        self.deaths.append(
            Death(data["victim"], data["room"], self.last_meeting, self.round, data["finders"])
        )

    def _dead(self, event: Event) -> None:
        for seat in event.data["seats"]:
            self.living.remove(seat)
            if seat in self.banished:
                self.last_alive[seat] = self.round
            else:
                self.last_alive[seat] = self.last_meeting
                self.innocent.add(seat)

    def _banish(self, event: Event) -> None:
        seat, role = event.data["seat"], event.data["role"]
        self.banished.add(seat)
        if role == MURDERER:
            self.guilty.add(seat)
        elif role == INNOCENT or self.config["murderers"] == 1:
            self.innocent.add(seat)

    def _speech(self, event: Event) -> None:
        speaker, data = event.actor, event.data
        if speaker is None:
            return
        if data["to"]:
            self.asked.add(data["to"])
            if data["to"] == self.seat:
                self.asker = speaker
        for claim in data["claims"]:
            self.said.append((speaker, claim))
            predicate, *args = claim
            if predicate == "will_vote":
                self.declared[speaker] = args[0]
            elif predicate not in ("suspect", "trust"):
                self.spoke.add(speaker)
                self._map(speaker, predicate, args)

    def _map(self, speaker: Seat, predicate: str, args: Sequence[str | int]) -> None:
        """Keep in mind who says to have searched which room."""
        if predicate in ("was_in", "saw"):
            self._places[speaker, int(args[-1])] = str(args[-2])
        elif predicate in ("found_clue", "found_nothing") and speaker != self.seat:
            room = self._places.get((speaker, int(args[-1])))
            if room is not None:
                self.searched[room] += 1


_READERS = {
    "game": Notes._game,
    "role": Notes._role,
    "partner": Notes._partner,
    "phase": Notes._phase,
    "room": Notes._room,
    "found": Notes._found,
    "witness": Notes._witness,
    "body": Notes._body,
    "dawn": Notes._meet,
    "dead": Notes._dead,
    "banished": Notes._banish,
    "speech": Notes._speech,
}
