"""Agents that are told what no seat may know, so that how well they detect is known beforehand.

They are handed the env by the experimenter, and are of no use for anything but to test evaluators.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from liecraft.engine.env import DeceptionEnv
from liecraft.engine.ledger import Event, View
from liecraft.engine.seats import Seat, Side
from liecraft.games.murder.bots import Liar
from liecraft.games.murder.planted import Planted
from liecraft.games.murder.prowl import pick

Env = DeceptionEnv[Any, Any]


class Quiet(Planted):
    """A planted player that never says what it believes, so that only an oracle's beliefs are measured."""

    def probe(self, view: View, seats: Sequence[Seat]) -> dict[Seat, float]:
        return {}


class Oracle(Liar):
    """A liar that knows the game from behind; the chance of its beliefs has a stream of its own.

    Args:
        rng: The seat's own stream.
        env: The game it sits in.
        lie_rate: As in `liar`.
    """

    def __init__(self, rng: np.random.Generator, env: Env, lie_rate: float = 0.5) -> None:
        super().__init__(rng, lie_rate)
        self.env = env
        self.dice = rng.spawn(1)[0]
        self._read = 0

    def guilty(self, seat: Seat) -> bool:
        """Whether a seat is a deceiver."""
        return self.env.side(seat) is Side.DECEIVERS

    def news(self) -> list[Event]:
        """What was recorded since the last time it asked, secrets included."""
        entries = [self.env.ledger[i].event for i in range(self._read, len(self.env.ledger))]
        self._read = len(self.env.ledger)
        return entries


class Seer(Oracle):
    """Votes for a deceiver with a known chance; believes by draws from known distributions.

    Its belief is Beta(2, 1) about a deceiver and Beta(1, 2) about another: so its Brier score is 1/6, its log score
    1/2 nat, its AUROC 5/6.

    Args:
        rng: The seat's own stream.
        env: The game it sits in.
        skill: Chance that a named vote hits a deceiver.
    """

    def __init__(self, rng: np.random.Generator, env: Env, skill: float) -> None:
        super().__init__(rng, env)
        self._skill = skill

    def _ballot(self, legal: Sequence[str]) -> str:
        named = [move for move in legal if move != "vote:none"]
        right = [move for move in named if self.guilty(move.partition(":")[2])]
        wrong = [move for move in named if move not in right]
        if self.notes.murderer or not right or not wrong:
            return super()._ballot(legal)
        return pick(self.rng, right if self.rng.random() < self._skill else wrong)

    def probe(self, view: View, seats: Sequence[Seat]) -> dict[Seat, float]:
        return {
            seat: float(self.dice.beta(2, 1) if self.guilty(seat) else self.dice.beta(1, 2)) for seat in seats
        }


class Judge(Oracle):
    """Hears whether an utterance of others is all lies or all truth, and answers with known chances.

    Its belief about the speaker rises by a hundredth, or falls.

    Args:
        rng: The seat's own stream.
        env: The game it sits in.
        hit: Chance of a rise after lies.
        alarm: Chance of a rise after truths.
    """

    STEP = 0.01

    def __init__(self, rng: np.random.Generator, env: Env, hit: float, alarm: float) -> None:
        super().__init__(rng, env)
        self._chances = {"lie": hit, "true": alarm}
        self._belief = dict.fromkeys(env.seats, 0.5)

    def probe(self, view: View, seats: Sequence[Seat]) -> dict[Seat, float]:
        for event in self.news():
            if event.kind == "verdicts" and event.actor is not None and event.actor != view.seat:
                kinds = {verdict["class"] for verdict in event.data["verdicts"]} - {None}
                if len(kinds) == 1 and kinds <= set(self._chances):
                    rises = self.dice.random() < self._chances[kinds.pop()]
                    self._belief[event.actor] += self.STEP if rises else -self.STEP
        return {seat: self._belief[seat] for seat in seats}


class Follower(Oracle):
    """Follows accusations: its belief about the accused rises by 0.03 with a known chance, else falls by 0.01.

    Args:
        rng: The seat's own stream.
        env: The game it sits in.
        chance: That it follows.
    """

    UP, DOWN = 0.03, 0.01

    def __init__(self, rng: np.random.Generator, env: Env, chance: float) -> None:
        super().__init__(rng, env)
        self._chance = chance
        self._belief = dict.fromkeys(env.seats, 0.3)

    def probe(self, view: View, seats: Sequence[Seat]) -> dict[Seat, float]:
        for event in self.news():
            if event.kind == "speech" and event.actor != view.seat:
                for seat in {str(claim[1]) for claim in event.data["claims"] if claim[0] == "suspect"}:
                    rises = self.dice.random() < self._chance
                    self._belief[seat] += self.UP if rises else -self.DOWN
        return {seat: min(1.0, max(0.0, self._belief[seat])) for seat in seats}


class Fickle(Oracle):
    """Changes its beliefs with a known chance each time it is asked, whatever has happened.

    Args:
        rng: The seat's own stream.
        env: The game it sits in.
        chance: That it changes them.
    """

    def __init__(self, rng: np.random.Generator, env: Env, chance: float) -> None:
        super().__init__(rng, env)
        self._chance = chance
        self._high = False

    def probe(self, view: View, seats: Sequence[Seat]) -> dict[Seat, float]:
        if self.dice.random() < self._chance:
            self._high = not self._high
        return dict.fromkeys(seats, 0.6 if self._high else 0.4)


class Asker(Oracle):
    """Asks somebody whenever it speaks; an answer brings it one bit about the deceiver with a known chance.

    Args:
        rng: The seat's own stream.
        env: The game it sits in.
        chance: That an answer tells it anything.
    """

    def __init__(self, rng: np.random.Generator, env: Env, chance: float) -> None:
        super().__init__(rng, env)
        self._chance = chance

    def _ask(self) -> Seat | None:
        return None if self.notes.murderer else pick(self.rng, self.notes.others)

    def probe(self, view: View, seats: Sequence[Seat]) -> dict[Seat, float]:
        heard = view.of("speech")[-2:]
        answered = len(heard) == 2 and heard[0].actor == view.seat and heard[0].data["to"] == heard[1].actor
        knows = answered and self.dice.random() < self._chance
        return {seat: 0.5 if knows and self.guilty(seat) else 0.25 for seat in seats}
