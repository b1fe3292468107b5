"""What the rules of the den let a seat perceive, from the world and the sealed moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from liecraft.engine.ballots import count
from liecraft.engine.seats import Seat
from liecraft.testing.play import RawEnv
from tests.toys.den import WOLF


class _Den:
    """Follows one ledger for one seat."""

    def __init__(self, raw: RawEnv, seat: Seat) -> None:
        self.seat = seat
        self.role: dict[Seat, str] = dict(zip(raw.seats, raw.world.roles, strict=True))
        self.living = list(raw.seats)
        self.acts: dict[Seat, tuple[str, str]] = {}
        self.phase = ""
        self.facts: list[Any] = [("role", self.role[seat])]
        if self.wolf(seat):
            self.facts.append(("pack", raw.world.roles, raw.world.word))

    def wolf(self, seat: Seat) -> bool:
        return self.role[seat] == WOLF

    def sealed(self, actor: Seat, move: str) -> None:
        verb, _, target = move.partition(":")
        self.acts[actor] = (verb, target)
        if len(self.acts) < len(self.living):
            return
        acts, self.acts = self.acts, {}
        if self.phase == "night":
            self.night(acts)
        else:
            votes = {seat: target for seat, (_, target) in acts.items()}
            self.facts.append(("ballots", votes))
            top = count(votes).top
            self.die(top if len(top) == 1 else ())

    def night(self, acts: dict[Seat, tuple[str, str]]) -> None:
        bites = [target for seat, (verb, target) in acts.items() if verb == "bite"]
        verb, target = acts.get(self.seat, ("", ""))
        if verb == "watch" and self.seat not in bites[:1]:
            self.facts.append(("watched", target, acts[target][0] == "sleep"))
        self.die(tuple(bites[:1]))

    def die(self, seats: tuple[Seat, ...]) -> None:
        self.living = [seat for seat in self.living if seat not in seats]
        self.facts.append(("dead", seats))

    def speech(self, actor: Seat, data: Any) -> None:
        hears = self.phase == "talk" or (self.wolf(self.seat) and self.seat in self.living)
        if hears:
            self.facts.append(("speech", actor, data["text"], data["claims"]))


def entitled(raw: RawEnv, seat: Seat) -> Sequence[Any]:
    den = _Den(raw, seat)
    for (kind, actor, data), _ in raw.ledger:
        if kind == "phase":
            den.phase = data["phase"]
            den.facts.append(("phase", data["phase"], data["round"]))
        elif kind == "sealed" and actor:
            den.sealed(actor, data["move"])
        elif kind == "speech" and actor:
            den.speech(actor, data)
        elif kind == "outcome":
            den.facts.append(("outcome", data["winner"], raw.world.roles))
    return den.facts
