"""What a schedule of games can tell apart at all, however many of them are played.

Where all entrants sit in every game, whoever deceives is just the one missing among the detectors. To deceive well
and to detect badly then look the same, and a table of either by itself would be made up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Lineup = tuple[tuple[str, ...], tuple[str, ...]]
"""Entrants on the deceivers' seats and on the truthful ones, one for each seat."""
Member = tuple[str, str]
"""Capacity (`deceiver` or `detector`) and entrant."""


class Design:
    """The linear model behind ratings: a side's advantage, plus deceivers' skills, less detectors' skills.

    Args:
        lineups: Of the games; repeats change nothing.

    Source: R. Christensen (2011), Plane Answers to Complex Questions, section 2.1 (estimable functions).
    """

    def __init__(self, lineups: Iterable[Lineup]) -> None:
        import numpy as np

        distinct = sorted(set(lineups))
        self._columns: dict[Member, int] = {}
        for deceivers, truthful in distinct:
            for member in (*(("deceiver", e) for e in deceivers), *(("detector", e) for e in truthful)):
                self._columns.setdefault(member, len(self._columns) + 1)  # column 0 is the side's advantage
        gram = np.zeros((len(self._columns) + 1,) * 2)
        for deceivers, truthful in distinct:
            row = np.zeros(len(gram))
            row[0] = 1.0
            for entrant in deceivers:
                row[self._columns["deceiver", entrant]] += 1
            for entrant in truthful:
                row[self._columns["detector", entrant]] -= 1
            gram += np.outer(row, row)
        self._projector = np.linalg.pinv(gram, rcond=1e-10, hermitian=True) @ gram

    def can_tell(self, contrast: Mapping[Member, float]) -> bool:
        """Whether a weighted sum of skills is settled by these lineups; False where one never played.

        >>> one = Design([(("a",), ("b", "c")), (("b",), ("a", "c")), (("c",), ("a", "b"))])
        >>> one.can_tell({("deceiver", "a"): 1, ("deceiver", "b"): -1})
        False
        >>> one.can_tell({("deceiver", "a"): 1, ("detector", "a"): 1, ("deceiver", "b"): -1, ("detector", "b"): -1})
        True
        """
        import numpy as np

        if any(member not in self._columns for member in contrast):
            return False
        wanted = np.zeros(len(self._projector))
        for member, weight in contrast.items():
            wanted[self._columns[member]] = weight
        return bool(np.abs(wanted @ self._projector - wanted).max() < 1e-6)
