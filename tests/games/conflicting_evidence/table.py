"""A table for the rule tests: a small case in given hands, played move by move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from liecraft.engine.claims import Claim
from liecraft.engine.ledger import Event
from liecraft.engine.moves import Move, Words
from liecraft.engine.registry import game_class
from liecraft.games.conflicting_evidence.case import (
    FAILS,
    MEETS,
    OTHER,
    Case,
    Content,
    Criterion,
    Item,
    Rule,
    Source,
    Trap,
    TrapKind,
)
from liecraft.games.conflicting_evidence.env import MEMBER, MOLE, ConflictingEvidenceEnv, EvidenceWorld


def source(authority: int, date: str = "2030-05", derives: str | None = None) -> Source:
    return Source("survey", "Parish survey", authority, date, derives)


SOUND = (
    Item("e1", True, "", source(4), Content("a", "depth", MEETS, 12)),
    Item("e2", False, "", source(5), Content("a", "flow", FAILS, 2), emphasis=2),
    Item("e3", False, "", source(3), Content("b", "depth", MEETS, 15)),
    Item("e4", False, "", source(4, "2029-01", "e3"), Content("b", "flow", MEETS, 9)),
)
TRAPS = (
    Item(
        "e5",
        False,
        "",
        source(1, "2031-05", "e4"),
        Content("b", "flow", FAILS, 1),
        4,
        Trap(TrapKind.CONTRADICTION, 4),
    ),
    Item("e6", False, "praise", source(2), Content("a", OTHER, MEETS), 3, Trap(TrapKind.BESIDE, 3)),
)
TEXTS = (Item("e7", False, "The miller never liked Orrin."),)
CRITERIA = (Criterion("depth", Rule.AT_MOST, 20, "m"), Criterion("flow", Rule.AT_LEAST, 5, "litres"))


def case(items: Sequence[Item] = (*SOUND, *TRAPS, *TEXTS), answer: str = "b", options: int = 3) -> Case:
    """Where to dig: `b` is right, the shared item speaks for `a`."""
    return Case(
        "well",
        "well",
        "Where shall the well be dug?",
        ("Orrin", "Telm", "Varrow")[:options],
        answer,
        tuple(items),
        "a" if answer != "a" else "b",
        CRITERIA,
        "2031-06",
    )


HANDS = (("e1", "e2"), ("e1", "e3", "e5"), ("e1", "e4", "e6", "e7"))


class Table:
    """One game of the well.

    Args:
        mole: Number of the mole's seat.
        hands: Items of each seat.
        dealt: The case; None for the whole well.
        **config: Fields of the configuration; `polls` is `none` unless given.
    """

    def __init__(
        self,
        mole: int | None = None,
        hands: Sequence[Sequence[str]] = HANDS,
        dealt: Case | None = None,
        **config: Any,
    ) -> None:
        given = {"polls": "none", "seats": len(hands), "condition": "distributed+traps", **config}
        if mole is not None:
            given["condition"] += "+mole"
        self.env: ConflictingEvidenceEnv = game_class("conflicting_evidence_v0")(**given)  # type: ignore[assignment]  # the table gives the general class
        roles = tuple(MOLE if i == mole else MEMBER for i in range(len(hands)))
        self.world = EvidenceWorld(roles, dealt or case(), tuple(map(tuple, hands)))
        self.env.reset(seed=1, options={"world": self.world})

    @property
    def phase(self) -> str:
        return self.env.phase

    @property
    def seat(self) -> int:
        """Number of the seat whose turn it is."""
        return self.env.seats.index(self.env.agent_selection)

    def legal(self) -> tuple[str, ...]:
        return self.env.request().legal

    def do(self, move: str, text: str = "", claims: Sequence[Claim] = ()) -> Table:
        self.env.step(Move(self.env.moves.index(move), Words(text, tuple(claims))))
        return self

    def all(self, move: str) -> Table:
        """The same move by every seat, once."""
        for _ in self.env.seats:
            self.do(move)
        return self

    def until(self, phase: str) -> Table:
        """Default moves up to a phase."""
        while self.phase != phase:
            self.do(self.env.request().default)
        return self

    def choose(self, *moves: str) -> Table:
        """Pass until the choice, then `choose:` each of these in seat order."""
        self.until("choose")
        for move in moves:
            self.do(f"choose:{move}")
        return self

    def events(self, kind: str) -> list[Event]:
        """All of the game's events of a kind, secrets included."""
        return [event for event, _ in self.env.ledger if event.kind == kind]

    def last(self, kind: str) -> Mapping[str, Any]:
        return self.events(kind)[-1].data

    def seen(self, seat: int, kind: str) -> list[Event]:
        return self.env.view(f"player_{seat}").of(kind)

    def verdicts(self) -> list[tuple[str, str | None]]:
        """Support and class of each claim of the last utterance."""
        return [(verdict["support"], verdict["class"]) for verdict in self.last("verdicts")["verdicts"]]

    def rewards(self) -> list[float]:
        return [round(self.env.totals[seat], 9) for seat in self.env.seats]


def claim(text: str) -> Claim:
    """Read `says(e1, a, depth, meets)`.

    >>> claim("sourced(e1, 4, 2030)").args
    ('e1', 4, 2030)
    """
    predicate, _, rest = text.rstrip(")").partition("(")
    args = [part.strip() for part in rest.split(",")]
    return Claim(predicate, tuple(int(arg) if arg.isdigit() else arg for arg in args))
