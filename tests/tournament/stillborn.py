"""A game that some role mixes end before it begins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import numpy as np
from pydantic import Field

from liecraft.engine.config import GameConfig
from liecraft.engine.env import DeceptionEnv
from liecraft.engine.moves import Words
from liecraft.engine.seats import Seat, Side
from liecraft.engine.world import World


class StillbornConfig(GameConfig):
    """Two seats."""

    seats: int = Field(default=2, ge=2, le=2)


class StillbornEnv(DeceptionEnv[StillbornConfig, World]):
    """Nobody is left to deceive."""

    name = "stillborn_v0"
    summary = "over before it begins"
    Config = StillbornConfig
    roles: ClassVar = {"thief": Side.DECEIVERS}
    phases = ("act",)
    prompts = "liecraft.prompts.murder"

    def move_ids(self) -> Iterable[str]:
        return ["wait"]

    def deal(self, rng: np.random.Generator) -> World:
        return World(("thief", "thief"))

    def open(self) -> None:
        self.finish(Side.DECEIVERS, "parity")

    def legal(self, seat: Seat) -> tuple[int, ...]:
        return (0,)

    def apply(self, seat: Seat, verb: str, target: str, words: Words) -> None:
        """Never reached."""

    def default(self, seat: Seat) -> str:
        return "wait"
