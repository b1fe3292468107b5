"""Games made by hand, word by word and belief by belief, so that every figure is known beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.evaluators.made import GUARD, THIEF, Made

FIVE = [("thief", THIEF), ("a", GUARD), ("b", GUARD), ("c", GUARD), ("d", GUARD)]


def seat(number: int) -> str:
    return f"player_{number}"


class Scene(Made):
    """A trace with talk and beliefs in it; one thief in the first seat, unless told otherwise.

    Args:
        seats: As in `Made`.
        number: Of the game; also its seed, so its cluster.
        **options: As in `Made`.
    """

    def __init__(self, seats: Any = FIVE, number: int = 0, **options: Any) -> None:
        super().__init__(seats, game=f"g{number:06d}", **options)
        self.trace.header["seed"] = number

    def vote(self, *votes: tuple[int, int | None], candidates: Sequence[int] | None = None) -> Scene:
        """Add a count, as in `Made`."""
        super().vote(*votes, candidates=candidates)
        return self

    def moves(self, seat: int, *hows: str, seconds: float = 0.5) -> Scene:
        """Add moves, as in `Made`."""
        super().moves(seat, *hows, seconds=seconds)
        return self

    def phase(self, name: str, round_: int) -> Scene:
        """Begin a phase."""
        self.event("phase", None, "everyone", phase=name, round=round_)
        return self

    def say(
        self,
        speaker: int,
        *claims: tuple[Any, ...],
        text: str = "Hear me.",
        to: int | None = None,
        thought: str | None = None,
        audience: Any = "everyone",
    ) -> Scene:
        """An utterance; each claim is (class or None, predicate, *arguments)."""
        if thought is not None:
            self.moves(speaker, "structured")
            self.trace.moves[-1] |= {"i": len(self.trace.events), "thought": thought}
        said = [list(claim[1:]) for claim in claims]
        to_seat = None if to is None else seat(to)
        self.event("speech", seat(speaker), audience, text=text, claims=said, to=to_seat)
        if claims:
            verdicts = [
                {"truth": None if c[0] is None else c[0] == "true", "support": "none", "class": c[0]}
                for c in claims
            ]
            self.event("verdicts", seat(speaker), "engine", verdicts=verdicts)
        return self

    def clash(self, speaker: int, *pairs: Sequence[Sequence[Any]]) -> Scene:
        """What the engine records of contradicting claims."""
        self.event(
            "contradictions", seat(speaker), "engine", pairs=[[list(c) for c in pair] for pair in pairs]
        )
        return self

    def believe(self, observer: int, beliefs: Mapping[int, float]) -> Scene:
        """A probe."""
        stated = [[seat(other), p] for other, p in beliefs.items()]
        self.event("probe", seat(observer), "engine", beliefs=stated)
        return self

    def die(self, *dead: int) -> Scene:
        """Deaths that all learn of."""
        self.event("dead", None, "everyone", seats=[seat(number) for number in dead])
        return self
