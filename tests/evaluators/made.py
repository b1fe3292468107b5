"""Traces made by hand, so that every figure of an evaluator is known beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from liecraft.trace.reader import Trace

THIEF, GUARD = ("thief", "deceivers"), ("guard", "truthful")


class Made:
    """A trace in the making.

    Args:
        seats: Entrant, role and side of each seat.
        winner: A side, `none`, or None for a failed game.
        config: Rules in the header.
    """

    def __init__(
        self,
        seats: Sequence[tuple[str, tuple[str, str]]],
        winner: str | None = "truthful",
        config: Mapping[str, Any] | None = None,
        game: str = "g000000",
    ) -> None:
        names = {f"player_{i}": entrant for i, (entrant, _) in enumerate(seats)}
        header = {
            "game": game,
            "type": "game",
            "env": "made_v0",
            "config": dict(config or {}),
            "seats": names,
        }
        self.trace = Trace(header)
        self.trace.close = {
            "status": "finished" if winner else "failed",
            "winner": winner,
            "digest": "d" * 64,
            "seconds": 2.0,
            "failure": None if winner else {"seat": "player_0", "kind": "timeout", "message": "late"},
        }
        for i, (_, (role, side)) in enumerate(seats):
            self.event("role", None, [f"player_{i}"], role=role, side=side)

    def event(self, kind: str, actor: str | None, audience: str | list[str], **data: Any) -> None:
        """Add an event."""
        line = {"i": len(self.trace.events), "kind": kind, "actor": actor, "audience": audience, "data": data}
        self.trace.events.append({"game": self.trace.game, "type": "event", **line})

    def vote(self, *votes: tuple[int, int | None], candidates: Sequence[int] | None = None) -> Made:
        """Add a count: pairs of voter and target, None for an abstention."""
        cast = [[f"player_{a}", "none" if b is None else f"player_{b}"] for a, b in votes]
        named = {} if candidates is None else {"candidates": [f"player_{i}" for i in candidates]}
        self.event("ballots", None, "everyone", votes=cast, **named)
        return self

    def claims(self, seat: int, *classes: str | None) -> Made:
        """Add a speech's verdicts."""
        verdicts = [{"truth": None, "support": "none", "class": found} for found in classes]
        self.event("verdicts", f"player_{seat}", "engine", verdicts=verdicts)
        return self

    def moves(self, seat: int, *hows: str, seconds: float = 0.5) -> Made:
        """Add moves that came about in these ways."""
        for how in hows:
            move = {
                "i": 0,
                "seat": f"player_{seat}",
                "phase": "p",
                "round": 0,
                "move": "m",
                "how": how,
                "legal": 2,
            }
            self.trace.moves.append({"game": self.trace.game, "type": "move", **move, "seconds": seconds})
        return self

    def call(self, seat: int, prompt: int | None, completion: int | None, attempts: int = 1) -> Made:
        """Add a model call."""
        usage = {"prompt": prompt, "completion": completion, "cached": None}
        line = {"i": 0, "seat": f"player_{seat}", "usage": usage, "attempts": attempts}
        line |= {
            "model": "m",
            "kept": 0,
            "messages": [{"role": "user", "content": "Move?"}],
            "text": "",
            "error": None,
        }
        self.trace.calls.append({"game": self.trace.game, "type": "call", **line})
        return self
