"""A murderer's story: false places, false clues, false sightings, kept consistent with what others can know."""

from __future__ import annotations

import numpy as np

from liecraft.engine.claims import Claim
from liecraft.engine.seats import Seat
from liecraft.games.murder.notes import Notes
from liecraft.games.murder.prowl import pick

FINDS = 0.3
"""Chance that it has a clue to tell of in a meeting: innocents seldom have more."""
PLACES = 3
"""Rounds whose place it tells in one utterance."""


class Story:
    """What a liar has told, and what it tells next.

    Every opportunity makes one claim of fact, true or false, decided by one draw; the number of
    opportunities never depends on the draws, so the share of lies is unbiased.

    Args:
        rng: Stream of the draws.
        lie_rate: Chance of a lie at each opportunity.
    """

    def __init__(self, rng: np.random.Generator, lie_rate: float) -> None:
        self._rng = rng
        self._lie_rate = lie_rate
        self._told: dict[int, str] = {}
        self._clue_meeting = 0

    def tell(self, notes: Notes, framed: Seat | None, limit: int, late: bool) -> tuple[Claim, ...]:
        """The next claims of the story, at most `limit`; places only `late`, when the others have told theirs."""
        claims: list[Claim] = []
        if late:
            for round_ in self._open_rounds(notes)[: min(PLACES, limit)]:
                claims.append(self._place(notes, round_))
        meeting = len(notes.meetings)
        if framed and self._clue_meeting < meeting and len(claims) < limit:
            self._clue_meeting = meeting
            if self._rng.random() < FINDS:
                claims.append(self._clue(notes, framed))
        return tuple(claims)

    def _lies(self) -> bool:
        return bool(self._rng.random() < self._lie_rate)

    def _open_rounds(self, notes: Notes) -> list[int]:
        """Rounds since the last meeting in which nobody else can tell its place, latest first."""
        return [
            round_
            for round_ in reversed(notes.window)
            if round_ in notes.rooms and round_ not in self._told and notes.unseen(round_)
        ]

    # --- places ----------------------------------------------------------------------------------------

    def _place(self, notes: Notes, round_: int) -> Claim:
        room = notes.rooms[round_]
        if self._lies():
            room = self._false_room(notes, round_)
        self._told[round_] = room
        return Claim("was_in", (room, round_))

    def _false_room(self, notes: Notes, round_: int) -> str:
        """Another room, reachable within the story, in which nobody is known to have been."""
        others = [room for room in notes.plan.rooms if room != notes.rooms[round_]]
        taken = self._taken(notes, round_)
        scenes = {death.room for death in notes.deaths if death.found == notes.round}
        faults = {
            room: 4 * self._jumps(notes, round_, room) + 2 * (room in taken) + (room in scenes)
            for room in others
        }
        least = min(faults.values())
        return pick(self._rng, [room for room in others if faults[room] == least])

    def _jumps(self, notes: Notes, round_: int, room: str) -> int:
        """How many of the places that others know or were told can't be reached from this one in time."""
        anchors = {notes.last_meeting: notes.plan.hall}
        for other in notes.window:
            if other in self._told:
                anchors[other] = self._told[other]
            elif not notes.unseen(other):
                anchors[other] = notes.rooms[other]
        return sum(
            notes.plan.distance[room][where] > abs(round_ - other)
            for other, where in anchors.items()
            if other != round_
        )

    def _taken(self, notes: Notes, round_: int) -> set[str]:
        """Rooms in which others say that they or somebody else was in that round."""
        taken = set()
        for speaker, (predicate, *args) in notes.said:
            if speaker != notes.seat and predicate in ("was_in", "saw") and args[-1] == round_:
                taken.add(str(args[-2]))
        return taken

    # --- clues and sightings ---------------------------------------------------------------------------

    def _clue(self, notes: Notes, framed: Seat) -> Claim:
        if not self._lies():
            return self._true_finding(notes)
        real = set(notes.clues)
        rounds = [round_ for round_ in self._search_rounds(notes) if (framed, round_) not in real]
        return Claim("found_clue", (framed, rounds[0] if rounds else 0))

    def _search_rounds(self, notes: Notes) -> list[int]:
        """Rounds in which the story can have it searching: outside the hall, alone by all accounts."""
        placed = [
            round_
            for round_ in reversed(notes.window)
            if self._told.get(round_, notes.rooms.get(round_)) != notes.plan.hall
        ]
        return [*placed, *reversed(notes.window)]

    def _true_finding(self, notes: Notes) -> Claim:
        for named, round_ in reversed(notes.clues):
            if named not in notes.guilty:
                return Claim("found_clue", (named, round_))
        for round_, _ in reversed(notes.blanks):
            return Claim("found_nothing", (round_,))
        return Claim("was_in", (notes.plan.hall, 0))
