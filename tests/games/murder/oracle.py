"""What the rules of murder let a seat perceive, told from the world and the sealed moves alone.

It is written from the rules and not from the env: no private event, no view and no state of the env is read, so
that a leak shows as something received beyond it. Public events are read for what was done in the open (words,
the phases, who won) and for nothing that the rules let follow from sealed moves: deaths, finds, ballots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from liecraft.engine.ballots import ABSTAIN, Majority
from liecraft.engine.ledger import Event
from liecraft.engine.seats import Seat
from liecraft.games.murder.config import MurderConfig
from liecraft.testing.play import RawEnv

Act = tuple[str, str]


class Chronicle:
    """Follows one game for one seat.

    Args:
        raw: The env, after its reset.
        seat: The seat whose facts are collected.
    """

    def __init__(self, raw: RawEnv, seat: Seat) -> None:
        self.config: MurderConfig = raw.config
        self.seat, self.seats = seat, raw.seats
        self.world = raw.world
        self.read = 0
        self.guilty = [s for s, role in zip(raw.seats, raw.world.roles, strict=True) if role == "murderer"]
        self.living = list(raw.seats)
        self.place = dict.fromkeys(raw.seats, self.config.hall)
        self.lying: dict[Seat, str] = {}
        self.unannounced: list[Seat] = []
        self.stash = {room: list(things) for room, things in raw.world.stash.items()}
        self.holder: Seat | None = None
        self.acts: dict[Seat, Act] = {}
        self.phase, self.round = "", 0
        self.top: list[Seat] = []
        self.kills = self.clues = self.right_votes = 0
        self.facts: list[Any] = [("i am", seat in self.guilty)]
        if seat in self.guilty:
            self.facts += [("partner", other) for other in self.guilty if other != seat]

    def follow(self, events: Sequence[Event]) -> None:
        """Take in what was done since the last time."""
        for kind, actor, data in events:
            if kind == "phase":
                self.phase, self.round = data["phase"], data["round"]
                self.facts.append((kind, self.phase, self.round))
            elif kind == "sealed" and actor:
                self.sealed(actor, data["move"])
            elif kind == "speech":
                self.facts.append((kind, actor, data["text"], data["claims"], data["to"]))
            elif kind == "silence":
                self.facts.append((kind, actor))
            elif kind == "tie":
                self.facts.append((kind, self.top))
            elif kind == "banished":  # of several at the top perhaps one, drawn by lot
                assert data["seat"] in self.top
                self.banished(data["seat"])
            elif kind == "outcome":
                self.facts.append((kind, data["winner"], data["reason"], self.world.roles))
                self.settled()

    def sealed(self, actor: Seat, move: str) -> None:
        """Collect sealed moves; the last one opens them all."""
        verb, _, target = move.partition(":")
        self.acts[actor] = (verb, target)
        if len(self.acts) < len(self.living):
            return
        acts, self.acts = self.acts, {}
        if self.phase == "vote":
            self.counted({seat: target for seat, (_, target) in acts.items()})
        else:
            self.night(acts)

    def counted(self, votes: dict[Seat, str]) -> None:
        """All ballots are told at once; the most votes that are also enough make the top."""
        self.facts.append(("ballots", votes))
        tally = {seat: list(votes.values()).count(seat) for seat in set(votes.values()) - {ABSTAIN}}
        most = max(tally.values(), default=0)
        enough = self.config.majority is Majority.PLURALITY or 2 * most > len(votes)
        self.top = sorted(seat for seat, number in tally.items() if enough and number == most)
        self.right_votes += sum(
            voter not in self.guilty and named in self.guilty for voter, named in votes.items()
        )

    def settled(self) -> None:
        """At the end each side is charged for the other's shaped rewards, which tells a seat their sum."""
        shaping, votes = self.config.shaping, self.right_votes * self.config.shaping.right_vote
        charge = -votes - self.clues * shaping.clue
        if self.seat not in self.guilty:
            charge = votes - self.kills * shaping.kill
        self.facts.append(("settled", round(charge, 6)))

    def banished(self, seat: Seat) -> None:
        """A banished seat leaves the key in the hall, and its role is told if the config says so."""
        self.facts.append(("banished", seat))
        self.living.remove(seat)
        self.place.pop(seat)
        self._drop_key(seat, self.config.hall)
        if self.config.reveal:
            self.facts.append(("was", seat, seat in self.guilty))

    def _drop_key(self, seat: Seat, room: str) -> None:
        if self.holder == seat:
            self.holder = None
            self.stash[room] = ["key", *self.stash.get(room, ())]

    def night(self, acts: Mapping[Seat, Act]) -> None:
        """One round: kills, then searches, then steps; and what this seat gets to know of it."""
        stood = dict(self.place)
        killed: dict[Seat, Seat] = {}
        for seat, (verb, target) in acts.items():
            if verb == "kill" and target not in killed:
                killed[target] = seat
        self.kills += len(killed)
        for victim in killed:
            self.living.remove(victim)
            self.lying[victim] = self.place.pop(victim)
            self.unannounced.append(victim)
            self._drop_key(victim, stood[victim])
        finds = self._finds(acts)
        for seat in self.living:
            verb, target = acts[seat]
            if verb == "go":
                self.place[seat] = target
        if self.seat in killed:
            self.facts.append(("killed by", killed[self.seat], self.round))
        elif self.seat in self.living:
            self._perceive(stood, killed, finds)
        self._in_public(acts, stood, killed)

    def _finds(self, acts: Mapping[Seat, Act]) -> dict[Seat, str]:
        """Seats find in seat order; what is gone is gone."""
        finds = {}
        for seat in self.seats:
            if seat in self.living and acts[seat][0] == "search":
                things = self.stash.get(self.place[seat], [])
                finds[seat] = things.pop(0) if things else "nothing"
                if finds[seat] == "key":
                    self.holder = seat
                self.clues += finds[seat].startswith("clue") and seat not in self.guilty
        return finds

    def _perceive(
        self, stood: Mapping[Seat, str], killed: Mapping[Seat, Seat], finds: Mapping[Seat, str]
    ) -> None:
        me, here = self.seat, self.place[self.seat]
        for victim, killer in killed.items():
            if killer != me and stood[victim] == stood[me]:
                self.facts.append(("saw the murder", victim, killer, stood[me], self.round))
        if me in finds:
            self.facts.append(("found", finds[me], here, self.round))
        dark = self._dark()
        company = [
            seat for seat in self.living if seat != me and self.place[seat] == here and seat not in dark
        ]
        came = [seat for seat in company if stood[seat] != here]
        left = [
            seat
            for seat in self.living
            if stood[me] == here == stood[seat] and self.place[seat] != here and seat not in dark
        ]
        bodies = [victim for victim, room in self.lying.items() if room == here]
        self.facts.append(("room", here, company, came, left, bodies, self.round))

    def _dark(self) -> Sequence[Seat]:
        """Whom this seat does not make out in this round; murderers see in the dark."""
        if self.seat in self.guilty or self.round > len(self.world.dark):
            return ()
        unseen: Sequence[Seat] = self.world.dark[self.round - 1][self.seats.index(self.seat)]
        return unseen

    def _in_public(
        self, acts: Mapping[Seat, Act], stood: Mapping[Seat, str], killed: Mapping[Seat, Seat]
    ) -> None:
        """Bodies found, an escape, the meeting that follows; nothing of them if the game has ended."""
        free = [seat for seat in self.living if acts[seat][0] == "escape"]
        guilty = [seat for seat in self.living if seat in self.guilty]
        if free:
            self.facts.append(("escaped", free[0]))
            return
        if 2 * len(guilty) >= len(self.living):
            return
        meeting = self.config.dawn_meeting and self.round == self.config.rounds
        for victim, room in self.lying.items():
            scene = [
                seat
                for seat in self.living
                if self.place[seat] == room or (victim in killed and stood[seat] == room)
            ]
            if set(scene) - set(self.guilty):
                self.facts.append(("body", victim, room, scene))
                meeting = True
        if meeting:
            self.facts.append(("dead", sorted(self.unannounced)))
            self.unannounced, self.lying = [], {}
            self.place = dict.fromkeys(self.living, self.config.hall)


_followed: dict[tuple[int, Seat], tuple[object, Chronicle]] = {}


def entitled(raw: RawEnv, seat: Seat) -> Sequence[Any]:
    """The seat's facts so far; a game is read on from where the last call left it."""
    key = (id(raw), seat)
    ledger, chronicle = _followed.get(key, (None, None))
    if ledger is not raw.ledger or chronicle is None:
        chronicle = Chronicle(raw, seat)
        _followed[key] = (raw.ledger, chronicle)
    fresh = [raw.ledger[at].event for at in range(chronicle.read, len(raw.ledger))]
    chronicle.read = len(raw.ledger)
    chronicle.follow(fresh)
    return chronicle.facts
