"""A table at which rule tests play: worlds by hand, whole rounds in one call, seats by number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from liecraft.engine.claims import Claim
from liecraft.engine.ledger import Event
from liecraft.engine.moves import Move, Words
from liecraft.engine.seats import Seat, seat_names
from liecraft.games.murder.env import MurderEnv, MurderWorld

MANOR = (("hall", "library"), ("hall", "kitchen"), ("library", "study"))
"""study - library - hall - kitchen"""


def seat(number: int) -> Seat:
    """Name of a seat."""
    return f"player_{number}"


class Table:
    """One game with a world made by hand, in the light unless told otherwise.

    Args:
        murderers: Numbers of the seats that are murderers.
        stash: Room to the things hidden in it, in the order in which they are found.
        dark: As in MurderWorld.
        seed: The game's seed.
        **config: Changes to a plain configuration.
    """

    def __init__(
        self,
        *murderers: int,
        stash: Mapping[str, Sequence[str]] | None = None,
        dark: Any = (),
        seed: int = 0,
        **config: Any,
    ) -> None:
        plain = {
            "seats": 6,
            "manor": MANOR,
            "rounds": 9,
            "first_kill": 1,
            "cooldown": 0,
            "dawn_meeting": False,
        }
        self.env = MurderEnv(**{**plain, "murderers": len(murderers) or 1, **config})
        seats = range(self.env.config.seats)
        roles = tuple("murderer" if i in (murderers or (0,)) else "innocent" for i in seats)
        hidden = {room: tuple(things) for room, things in (stash or {}).items()}
        self.env.reset(seed=seed, options={"world": MurderWorld(roles, hidden, dark)})

    def move(self, move: str, text: str = "", *claims: tuple[Any, ...]) -> None:
        """Play one move for the seat whose turn it is."""
        said = Words(text, tuple(Claim(name, args) for name, *rest in claims for args in [tuple(rest)]))
        self.env.step(Move(self.env.moves.index(move), said))

    def act(self, acts: Mapping[int, str] | None = None, other: str = "wait") -> None:
        """Play one whole round of acts: those named, and `other` for the rest."""
        assert self.env.phase == "act"
        round_ = self.env.round
        while not self.env.finished and self.env.phase == "act" and self.env.round == round_:
            self.move((acts or {}).get(self.number, other))

    def hush(self) -> None:
        """Let everybody stay silent until the vote."""
        while self.env.phase in ("speak", "answer"):
            self.move("silent" if self.env.phase == "speak" else "answer")

    def vote(self, votes: Mapping[int, int] | None = None) -> None:
        """Play one whole ballot: those named, abstentions for the rest; silence before it."""
        self.hush()
        assert self.env.phase == "vote"
        waiting = set(self.living)
        while waiting:
            waiting.remove(self.number)
            target = (votes or {}).get(self.number)
            self.move("vote:none" if target is None else f"vote:{seat(target)}")

    @property
    def number(self) -> int:
        """Whose turn it is."""
        return seat_names(12).index(self.env.agent_selection)

    @property
    def living(self) -> list[int]:
        """Numbers of the living."""
        return [seat_names(12).index(name) for name in self.env.living]

    @property
    def legal(self) -> tuple[str, ...]:
        """Ids of the legal moves now."""
        return self.env.request().legal

    def legal_of(self, number: int) -> tuple[str, ...]:
        """Legal moves of a seat in this phase, played up to its turn with waiting."""
        while self.number != number:
            self.move(self.env.default(self.env.agent_selection))
        return self.legal

    def seen(self, number: int, kind: str) -> list[dict[str, Any]]:
        """Data of the events of a kind that a seat has seen."""
        return [dict(event.data) for event in self.env.view(seat(number)).of(kind)]

    def last(self, number: int, kind: str) -> dict[str, Any]:
        """Data of the latest event of a kind that a seat has seen."""
        return self.seen(number, kind)[-1]

    def events(self, kind: str) -> list[Event]:
        """All events of a kind in the ledger."""
        return [entry.event for entry in self.env.ledger if entry.event.kind == kind]

    @property
    def outcome(self) -> tuple[str, str] | None:
        """Winner and reason, once the game is over."""
        over = self.events("outcome")
        return (over[0].data["winner"], over[0].data["reason"]) if over else None

    def verdicts(self) -> list[str | None]:
        """Classes of the claims made last."""
        return [verdict["class"] for verdict in self.events("verdicts")[-1].data["verdicts"]]

    def meet(self, victim: int = 1) -> None:
        """Have the first murderer kill a seat in front of all, in the hall, so that a meeting begins."""
        killer = self.env.world.roles.index("murderer")
        self.act({killer: f"kill:{seat(victim)}"})
