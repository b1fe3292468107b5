"""Chance, keyed by its point in the game and never by how many draws came before.

A shared generator would let a hidden act shift a later public draw: a leak. Here each draw has a stream of
its own, named by (game seed, purpose, round, seat), so that a counterfactual replay shares its luck with the
original game.
"""

from __future__ import annotations

import hashlib

import numpy as np


class Chance:
    """Named random streams of one game.

    Args:
        seed: The game's seed, any non-negative integer.
    """

    __slots__ = ("seed",)

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def rng(self, purpose: str, round_: int = 0, seat: str = "") -> np.random.Generator:
        """The stream of one point of the game; asked for twice, it begins anew."""
        key = f"{self.seed}/{purpose}/{round_}/{seat}".encode()
        entropy = int.from_bytes(hashlib.blake2b(key, digest_size=16).digest(), "little")
        return np.random.Generator(np.random.PCG64(entropy))
