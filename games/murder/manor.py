"""The state of the manor: where everybody is, who is dead, what lies where. Rules without an env."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from liecraft.engine.seats import Seat

KEY = "key"
NOTHING = "nothing"
CLUE = "clue"


class Murder(NamedTuple):
    """A kill as it happened."""

    killer: Seat
    victim: Seat
    room: str


class Sight(NamedTuple):
    """What a living seat's room shows it at the end of a round: those whom it makes out, and all bodies."""

    room: str
    here: tuple[Seat, ...]
    came: tuple[Seat, ...]
    left: tuple[Seat, ...]
    bodies: tuple[Seat, ...]


class Manor:
    """Positions, bodies and hidden things, and how one round of acts changes them.

    Args:
        seats: All seats in order.
        hall: Room in which all begin.
        stash: Room to the things hidden there, found in this order.
    """

    __slots__ = ("_stash", "at", "before", "bodies", "found", "hall", "holder", "murders")

    def __init__(self, seats: Sequence[Seat], hall: str, stash: Mapping[str, Sequence[str]]) -> None:
        self.hall = hall
        self.at = dict.fromkeys(seats, hall)
        self.before = dict(self.at)
        self.bodies: dict[Seat, str] = {}
        self.holder: Seat | None = None
        self.found: dict[Seat, str] = {}
        self.murders: list[Murder] = []
        self._stash = {room: list(things) for room, things in stash.items()}

    def resolve(self, acts: Mapping[Seat, tuple[str, str]]) -> None:
        """Carry out one round of acts of all living seats, in seat order: kills, then searches, then steps.

        Args:
            acts: Living seat to (verb, target).
        """
        self.before = dict(self.at)
        self.murders = []
        self.found = {}
        for seat, (verb, target) in acts.items():
            if verb == "kill" and target in self.at:
                self._kill(seat, target)
        for seat, (verb, target) in acts.items():
            if seat not in self.at:
                continue
            if verb == "search":
                self._search(seat)
            elif verb == "go":
                self.at[seat] = target

    def _kill(self, killer: Seat, victim: Seat) -> None:
        room = self.before[victim]
        del self.at[victim]
        self.bodies[victim] = room
        if self.holder == victim:
            self.holder = None
            self._stash.setdefault(room, []).insert(0, KEY)
        self.murders.append(Murder(killer, victim, room))

    def witnesses(self, murder: Murder) -> tuple[Seat, ...]:
        """Living seats that stood in the room when the murder was done, the killer aside."""
        return tuple(seat for seat in self.at if self.before[seat] == murder.room and seat != murder.killer)

    def _search(self, seat: Seat) -> None:
        things = self._stash.get(self.at[seat])
        thing = things.pop(0) if things else NOTHING
        self.found[seat] = thing
        if thing == KEY:
            self.holder = seat

    def sights(self, dark: Mapping[Seat, Collection[Seat]]) -> dict[Seat, Sight]:
        """What each living seat sees at the end of the round.

        Args:
            dark: For each seat, those whom it can't make out in this round; a seat without entry sees all.
        """
        now, before = self.at, self.before
        inside: dict[str, list[Seat]] = {}
        for seat, room in now.items():
            inside.setdefault(room, []).append(seat)
        lying: dict[str, list[Seat]] = {}
        for victim, room in self.bodies.items():
            lying.setdefault(room, []).append(victim)
        sights = {}
        for seat, room in now.items():
            hidden = dark.get(seat, ())
            here = tuple(other for other in inside[room] if other != seat and other not in hidden)
            came = tuple(other for other in here if before[other] != room)
            left: tuple[Seat, ...] = ()
            if before[seat] == room:
                left = tuple(
                    other
                    for other, was in before.items()
                    if was == room and now.get(other, room) != room and other not in hidden
                )
            sights[seat] = Sight(room, here, came, left, tuple(lying.get(room, ())))
        return sights

    def gather(self, living: Iterable[Seat]) -> None:
        """Bring the living to the hall and carry the bodies away."""
        self.at = dict.fromkeys(living, self.hall)
        self.bodies = {}

    def remove(self, seat: Seat) -> None:
        """Send a banished seat away; a key it holds is left in the hall."""
        self.at.pop(seat, None)
        if self.holder == seat:
            self.holder = None
            self._stash.setdefault(self.hall, []).insert(0, KEY)
