"""The action space of a seat: a Discrete that, asked without a mask, samples what is legal now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete


class MoveSpace(Discrete[np.int64]):
    """Discrete over all move ids of a game.

    PettingZoo's `state_test` and many training loops call `sample()` without a mask; a uniform index would
    nearly always be illegal here. So the space asks for the seat's legal moves, and falls back to all of
    them when it is not the seat's turn.

    Args:
        n: Number of move ids.
        legal: Returns the indices legal for the seat now, empty when it has no turn.
    """

    def __init__(self, n: int, legal: Callable[[], Sequence[int]]) -> None:
        super().__init__(n)
        self._legal = legal

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """Sample an index: under `mask` if given, else among the moves legal now."""
        if mask is None and probability is None and (legal := self._legal()):
            return np.int64(legal[int(self.np_random.integers(len(legal)))])
        return super().sample(mask=mask, probability=probability)
