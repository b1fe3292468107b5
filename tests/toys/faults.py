"""Games with one fault each that isn't one of the eight leaks; the kit must name these too."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from liecraft.engine.ledger import EVERYONE, View
from liecraft.engine.moves import Words
from liecraft.engine.seats import Seat, Side
from tests.toys.den import WOLF, DenEnv, DenWorld


class LeavesAtDeathEnv(DenEnv):
    """A dead seat is terminated at once."""

    def dies(self, seat: Seat) -> None:
        super().dies(seat)
        self.terminations[seat] = True


class TurnOfTheDeadEnv(DenEnv):
    """The dead are asked for a ballot."""

    def announce_dead(self, seats: Any) -> None:
        super().announce_dead(seats)
        self.living.extend(seat for seat in seats if seat not in self.living)


class ForgetfulRefusalEnv(DenEnv):
    """A refused move is counted."""

    tries = 0

    def _checked_move(self, action: int | None) -> tuple[int, Words]:
        self.tries += 1
        return super()._checked_move(action)


class PaidTwiceEnv(DenEnv):
    """The winners get more than the losers lose."""

    def finish(self, winner: Side, reason: str) -> None:
        self.pay("player_0", 0.5)
        super().finish(winner, reason)


class WritableEventEnv(DenEnv):
    """An event holds a list that the game goes on using."""

    def open(self) -> None:
        super().open()
        self.diary: list[str] = []
        self.ledger.record("diary", None, {"pages": self.diary}, EVERYONE)


class SharedDrawsEnv(DenEnv):
    """One generator for all: a hidden act shifts a later public draw."""

    def open(self) -> None:
        self.rng = self.chance.rng("all")
        super().open()

    def _dawn(self, acts: dict[Seat, tuple[str, str]]) -> None:
        for verb, _ in acts.values():
            if verb == "watch":
                self.rng.random()
        super()._dawn(acts)
        self.public("weather", rain=bool(self.rng.random() < 0.5))


class HashOrderEnv(DenEnv):
    """Deals in the order of a set of strings."""

    def deal(self, rng: np.random.Generator) -> DenWorld:
        world = super().deal(rng)
        first = next(iter({seat + "!" for seat in self.seats}))
        return DenWorld(world.roles, f"{world.word}_{first}")


class SeedInTheOpenEnv(DenEnv):
    """The header of the game states its seed."""

    def open(self) -> None:
        super().open()
        self.public("seed", number=self.chance.seed)


class ChattyLogEnv(DenEnv):
    """Writes what the pack says to the log."""

    def apply(self, seat: Seat, verb: str, target: str, words: Words) -> None:
        if self.phase == "pack":
            logging.getLogger("den").info("%s whispers %s", seat, words.text)
        super().apply(seat, verb, target, words)


class BackReference(View):
    """A view that knows its env."""

    __slots__ = ("env",)
    env: DenEnv


class ViewWithEnvEnv(DenEnv):
    """A view leads back to the env."""

    def view(self, seat: Seat) -> View:
        view = BackReference(seat, super().view(seat))
        view.env = self
        return view


class TellTaleRewardEnv(DenEnv):
    """Wolves' bites are paid for by all sheep at once, who know of none."""

    def apply(self, seat: Seat, verb: str, target: str, words: Words) -> None:
        super().apply(seat, verb, target, words)
        if self.phase == "night" and self.role[seat] == WOLF:
            for other in self.seats:
                self.pay(other, 0.125 if verb == "bite" else 0.0)


class TooFewSeatsEnv(DenEnv):
    """Can't be played by eight."""

    def open(self) -> None:
        super().open()
        if len(self.seats) == 8:
            raise KeyError("player_8")


class NeverToldEnv(DenEnv):
    """Nobody is told what it saw."""

    def tell(self, seats: Any, kind: str, actor: Seat | None = None, /, **data: Any) -> Any:
        return super().tell(() if kind == "watched" else seats, kind, actor, **data)


class UnreadableEnv(DenEnv):
    """An event that everyone sees has no template."""

    def open(self) -> None:
        super().open()
        self.public("fog", thick=True)
