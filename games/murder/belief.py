"""Who did it: a Bayesian belief over the murderers, from one seat's own view.

A hypothesis is a set of murderers. Under it everybody else tells the truth, so what those say of places are
facts beside what the seat saw itself, and what the suspects say is nothing. A hypothesis loses by facts that
contradict each other, by murders that its suspects had no way to do, by clues that name others, by seats that
were alone with a suspect and lived, and by testimony.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from math import exp, log
from typing import NamedTuple

import numpy as np

from liecraft.engine.seats import Seat
from liecraft.games.murder.notes import Death, Notes

CONFLICT = -3.0
"""Log-likelihood of two statements of truthful seats that exclude each other."""
SPARED = log(0.5)
"""Log-likelihood that a murderer lets a lone companion live through a round in which it may kill."""
SPARED_BY_REPORT = log(0.7)
"""The same, where only a report tells of it: the report may leave out a third seat."""
LYING_LOW = 0.2
"""Share of these two that counts while nobody is dead: a murderer that has spared all may mean to."""
DENIED = -5.0
"""A truthful seat says that it saw somebody else do it."""
DARING = -2.5
"""A murderer dares to say that it saw another do it."""
FAKE = 0.0
"""How much likelier (log) a murderer is to tell of a clue than an innocent: it need not find one."""
AT_SCENE = 0.08
"""How much a place at the scene weighs: a murderer that is wise has left."""
NO_WAY = 0.02
"""Likelihood of a murder that the suspects had no opportunity for: sightings may be lies."""


class Fact(NamedTuple):
    """A claimed place: a room as a bit, and the bit of the seat that claims it."""

    room: int
    source: int


# One object a fact, whoever holds it: thousands of live games tell the same few places.
_fact = cache(Fact)


class Belief:
    """The posterior over murderers of a seat that takes itself for innocent.

    Args:
        notes: The seat's notes; read again at each call of `posterior`.
        seat: The seat that believes; never a suspect of its own.
        noise: Standard deviation of Gaussian noise on the log-likelihood of each hypothesis.
        rng: Source of that noise.
    """

    def __init__(self, notes: Notes, seat: Seat, noise: float, rng: np.random.Generator) -> None:
        self._notes = notes
        self._seat = seat
        self._noise = noise
        self._rng = rng
        self._bit: dict[Seat, int] = {}
        self._heard = 0
        # Dicts stand for ordered sets: a set of strings would be summed in an order that differs by process.
        self._facts: dict[Seat, dict[int, list[Fact]]] = {}
        self._sources: dict[Seat, int] = {}
        self._clues: dict[tuple[Seat, Seat, int], None] = {}
        self._accused: dict[tuple[Seat, Seat], None] = {}
        self._seen_by: dict[tuple[Seat, int], dict[Seat, None]] = {}

    def posterior(self) -> dict[Seat, float]:
        """Probability of each seat to be a murderer; the values sum to the number of murderers."""
        notes = self._notes
        if not self._bit:
            self._bit = {seat: 1 << i for i, seat in enumerate(notes.seats)}
            self._facts = {seat: {} for seat in notes.seats}
            self._sources = dict.fromkeys(notes.seats, 0)
        self._listen()
        hypotheses = self._hypotheses()
        scores = self._scores(hypotheses)
        top = max(scores)
        weights = [exp(score - top) for score in scores]
        total = sum(weights)
        chance = dict.fromkeys(notes.seats, 0.0)
        for hypothesis, weight in zip(hypotheses, weights, strict=True):
            for seat in hypothesis:
                chance[seat] += weight / total
        return chance

    def _hypotheses(self) -> list[tuple[Seat, ...]]:
        """Sets of murderers that nothing known excludes."""
        notes = self._notes
        innocent = notes.innocent | {self._seat}
        guilty = notes.guilty - {self._seat} if not notes.murderer else set()
        open_seats = [seat for seat in notes.seats if seat not in innocent]
        sets = combinations(open_seats, notes.config["murderers"])
        living = set(notes.living)
        possible = [found for found in sets if guilty <= set(found) and living & set(found)]
        return possible or [(seat,) for seat in notes.living if seat != self._seat]

    # --- what was said ---------------------------------------------------------------------------------

    def _listen(self) -> None:
        notes = self._notes
        for speaker, (predicate, *args) in notes.said[self._heard :]:
            if speaker == self._seat:
                continue
            if predicate == "was_in":
                self._place(speaker, speaker, str(args[0]), int(args[1]))
            elif predicate == "saw":
                seen, room, round_ = str(args[0]), str(args[1]), int(args[2])
                self._place(speaker, speaker, room, round_)
                self._place(speaker, seen, room, round_)
                self._seen_by.setdefault((speaker, round_), {})[seen] = None
            elif predicate == "found_clue":
                self._clues[speaker, str(args[0]), int(args[1])] = None
            elif predicate == "saw_murder":
                self._accused[speaker, str(args[0])] = None
        self._heard = len(notes.said)

    def _place(self, source: Seat, seat: Seat, room: str, round_: int) -> None:
        if round_ and seat != self._seat:
            fact = _fact(self._notes.plan.bit[room], self._bit[source])
            known = self._facts[seat].setdefault(round_, [])
            if fact not in known:
                known.append(fact)
            self._sources[seat] |= fact.source

    # --- likelihoods -----------------------------------------------------------------------------------

    def _scores(self, hypotheses: Sequence[tuple[Seat, ...]]) -> list[float]:
        notes, sure = self._notes, self._sure()
        tracks = Tracks(notes, self._facts, self._sources, sure)
        spared = self._spared()
        scores = []
        for hypothesis in hypotheses:
            suspects = sum(self._bit[seat] for seat in hypothesis)
            score = CONFLICT * sum(tracks.conflicts(seat, suspects) for seat in notes.seats)
            score += sum(
                log(self._opportunity(death, hypothesis, suspects, tracks)) for death in notes.deaths
            )
            score += self._clue_score(hypothesis) + self._testimony(hypothesis)
            score += sum(
                weight for seat, source, weight in spared if seat in hypothesis and source not in hypothesis
            )
            scores.append(score)
        if self._noise:
            scores = [score + self._noise * float(self._rng.standard_normal()) for score in scores]
        return scores

    def _sure(self) -> dict[Seat, dict[int, int]]:
        """Rooms in which each seat can have been by the seat's own eyes, as bits."""
        notes = self._notes
        plan = notes.plan
        sure: dict[Seat, dict[int, int]] = {seat: {} for seat in notes.seats}
        for round_, room in notes.rooms.items():
            bit = plan.bit[room]
            here = notes.here[round_]
            for seat in notes.seats:
                if seat in here or seat == self._seat:
                    sure[seat][round_] = bit
                elif not notes.config["darkness"] or notes.murderer:
                    sure[seat][round_] = plan.everywhere & ~bit
        for death in notes.deaths:
            for seat in death.scene:
                near = plan.grow(plan.bit[death.room])
                sure[seat][death.found] = sure[seat].get(death.found, plan.everywhere) & near
        return sure

    def _clue_score(self, hypothesis: Sequence[Seat]) -> float:
        odds, n = self._notes.config["clue_odds"], len(self._notes.seats)
        false = -log(odds * len(hypothesis) + n - len(hypothesis))
        true = false + log(odds)
        score = 0.0
        for named, _ in self._notes.clues:
            score += true if named in hypothesis else false
        for source, named, _ in self._clues:
            if source in hypothesis:
                score += FAKE - log(n - 1)
            else:
                score += true if named in hypothesis else false
        return score

    def _testimony(self, hypothesis: Sequence[Seat]) -> float:
        score = 0.0
        for source, accused in self._accused:
            if source in hypothesis:
                score += DARING
            elif accused not in hypothesis:
                score += DENIED
        return score

    def _spared(self) -> list[tuple[Seat, Seat, float]]:
        """Who let whom live: (suspect, who tells of it, log-likelihood)."""
        notes = self._notes
        share = 1.0 if notes.last_alive else LYING_LOW
        found = []
        for round_, here in notes.here.items():
            if len(here) == 1 and self._could_kill(round_ + 1):
                found.append((here[0], self._seat, share * SPARED))
        for (source, round_), seen in self._seen_by.items():
            if len(seen) == 1 and self._could_kill(round_ + 1):
                (other,) = seen
                found.append((other, source, share * SPARED_BY_REPORT))
        return found

    def _could_kill(self, round_: int) -> bool:
        """Whether a murderer could kill in this round, and play went on after the round before."""
        notes = self._notes
        return (
            round_ >= notes.config["first_kill"]
            and round_ <= (notes.round if notes.in_meeting else notes.round - 1)
            and round_ - 1 not in notes.meetings
        )

    def _opportunity(self, death: Death, hypothesis: Sequence[Seat], suspects: int, tracks: Tracks) -> float:
        """Chance that one of the suspects stood where the victim was killed, when it can have been."""
        notes, room = self._notes, self._notes.plan.bit[death.room]
        start = max(death.after + 1, notes.config["first_kill"])
        rounds = range(start, death.found + 1)
        honest = [seat for seat in notes.seats if seat not in hypothesis and seat != death.victim]
        best = 0.0
        for suspect in hypothesis:
            chance = 0.0
            for round_ in reversed(rounds):
                if round_ < death.found:
                    if any(tracks.place(seat, suspects, round_) == room for seat in honest):
                        break  # it would have found the body
                    can = tracks.place(suspect, suspects, round_)
                    here = 1 / can.bit_count() if can & room else 0.0
                else:
                    here = AT_SCENE if suspect in death.scene else 0.0
                if tracks.place(death.victim, suspects, round_) & room:
                    chance += here
            best = max(best, chance / max(len(rounds), 1))
        return max(best, NO_WAY)


class Tracks:
    """Where each seat can have been in each round, given whom not to believe."""

    def __init__(
        self,
        notes: Notes,
        facts: Mapping[Seat, Mapping[int, Sequence[Fact]]],
        sources: Mapping[Seat, int],
        sure: Mapping[Seat, Mapping[int, int]],
    ) -> None:
        self._notes = notes
        self._facts = facts
        self._sources = sources
        self._sure = sure
        self._made: dict[tuple[Seat, int], tuple[int, list[int]]] = {}

    def conflicts(self, seat: Seat, suspects: int) -> int:
        """Number of facts about the seat that exclude each other."""
        return self._track(seat, suspects)[0]

    def place(self, seat: Seat, suspects: int, round_: int) -> int:
        """Rooms in which the seat can have been at the end of a round, as bits."""
        return self._track(seat, suspects)[1][round_]

    def _track(self, seat: Seat, suspects: int) -> tuple[int, list[int]]:
        key = seat, suspects & self._sources[seat]
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._follow(*key)
        return made

    def _follow(self, seat: Seat, disbelieved: int) -> tuple[int, list[int]]:
        """Forward through the rounds by what can be reached, then back from meeting to meeting."""
        notes, plan = self._notes, self._notes.plan
        facts, sure = self._facts[seat], self._sure[seat]
        hall = plan.bit[plan.hall]
        alive = notes.last_alive.get(seat, notes.round)
        conflicts, places = 0, [hall]
        for round_ in range(1, notes.round + 1):
            can = sure.get(round_, plan.everywhere)
            for room, source in facts.get(round_, ()):
                if not source & disbelieved:
                    if can & room:
                        can &= room
                    else:
                        conflicts += 1
            before = hall if round_ - 1 in notes.meetings else places[-1]
            reached = plan.grow(before) & can
            if not reached and round_ <= alive:
                conflicts += 1
            places.append(reached or can)
        for round_ in range(alive - 1, 0, -1):
            if round_ not in notes.meetings:
                places[round_] &= plan.grow(places[round_ + 1]) or places[round_]
        return conflicts, places
