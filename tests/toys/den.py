"""The honest toy: wolves among sheep. Each leaking toy is this game with one leak put in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from pydantic import Field

from liecraft.engine.ballots import count
from liecraft.engine.claims import Predicate, Vocabulary
from liecraft.engine.config import GameConfig
from liecraft.engine.env import DeceptionEnv
from liecraft.engine.moves import Words
from liecraft.engine.seats import Seat, Side, seat_names
from liecraft.engine.world import World

WOLF, SHEEP = "wolf", "sheep"


class DenConfig(GameConfig):
    seats: int = Field(default=6, ge=5, le=8)
    rounds: int = Field(default=3, ge=1, le=5)


@dataclass(frozen=True, slots=True)
class DenWorld(World):
    """`word` is the pack's password."""

    word: str


class DenEnv(DeceptionEnv[DenConfig, DenWorld]):
    """Each round: a secret night, whispers of the pack, open talk, a sealed vote."""

    name = "den_v0"
    summary = "Wolves among sheep"
    Config = DenConfig
    World = DenWorld
    roles: ClassVar = {WOLF: Side.DECEIVERS, SHEEP: Side.TRUTHFUL}
    phases = ("night", "pack", "talk", "vote")
    speaking = frozenset({"pack", "talk"})
    prompts = "tests.toys.prompts"

    def move_ids(self) -> Iterable[str]:
        seats = seat_names(self.config.seats)
        return ["sleep", "say", *(f"{verb}:{seat}" for verb in ("bite", "watch", "vote") for seat in seats)]

    def vocabulary(self) -> Vocabulary:
        words = [Predicate("suspect", (("seat", "seat"),), opinion=True)]
        return Vocabulary(words, {"seat": self.seats})

    def deal(self, rng: np.random.Generator) -> DenWorld:
        wolves = {int(i) for i in rng.permutation(len(self.seats))[:2]}
        roles = tuple(WOLF if i in wolves else SHEEP for i in range(len(self.seats)))
        return DenWorld(roles, f"word_{int(rng.integers(1000))}")

    def open(self) -> None:
        self.pack = [seat for seat in self.seats if self.role[seat] == WOLF]
        self.tell(self.pack, "pack", seats=tuple(self.pack), word=self.world.word)
        self.acts: dict[Seat, tuple[str, str]] = {}
        self.begin("night", self.living, round_=1)

    def legal(self, seat: Seat) -> tuple[int, ...]:
        others = [other for other in self.living if other != seat]
        if self.phase in self.speaking:
            return self.moves.all("say")
        if self.phase == "vote":
            return self.moves.each("vote", others)
        wolf = self.role[seat] == WOLF
        acts = self.moves.each(
            "bite" if wolf else "watch", [o for o in others if not wolf or o not in self.pack]
        )
        return (*self.moves.all("sleep"), *acts)

    def default(self, seat: Seat) -> str:
        return self.moves.ids[self.legal(seat)[0]]

    def apply(self, seat: Seat, verb: str, target: str, words: Words) -> None:
        if self.phase == "pack":
            self.say(seat, words, among=self.listeners())
        elif self.phase == "talk":
            self.say(seat, words)
        else:
            self.seal(seat, f"{verb}:{target}" if target else verb)
            self.acts[seat] = (verb, target)

    def listeners(self) -> list[Seat]:
        return [seat for seat in self.pack if seat in self.living]

    def advance(self) -> None:
        acts, self.acts = self.acts, {}
        if self.phase == "night":
            self._dawn(acts)
            self.begin("pack", self.listeners())
        elif self.phase == "pack":
            self.begin("talk", self.living)
        elif self.phase == "talk":
            self.begin("vote", self.living)
        else:
            self._count({seat: target for seat, (_, target) in acts.items()})

    def _dawn(self, acts: dict[Seat, tuple[str, str]]) -> None:
        bitten = next((target for verb, target in acts.values() if verb == "bite"), None)
        if bitten:
            self.dies(bitten)
        for seat, (verb, target) in acts.items():
            if verb == "watch" and seat != bitten:
                self.tell((seat,), "watched", seat=target, asleep=acts[target][0] == "sleep")
        self.announce_dead([bitten] if bitten else [])

    def _count(self, ballots: dict[Seat, str]) -> None:
        top = count(ballots).top
        self.public("ballots", votes=tuple(ballots.items()))
        for seat in top if len(top) == 1 else ():
            self.dies(seat)
            self.announce_dead([seat])
        wolves = len(self.listeners())
        if not wolves:
            self.finish(Side.TRUTHFUL, "no wolf left")
        elif 2 * wolves >= len(self.living):
            self.finish(Side.DECEIVERS, "parity")
        elif self.round == self.config.rounds:
            self.finish(Side.TRUTHFUL, "summer")
        else:
            self.begin("night", self.living, round_=self.round + 1)
