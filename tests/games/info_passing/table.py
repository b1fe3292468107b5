"""A table for the rule tests: a small game in a given world, played move by move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from liecraft.engine.claims import Claim
from liecraft.engine.ledger import Event
from liecraft.engine.moves import Move, Words
from liecraft.games.info_passing.env import InfoPassingEnv
from liecraft.games.info_passing.world import HONEST, SABOTEUR, Hit, InfoPassingWorld

TRUE = {"who": "smith", "where": "mill", "when": "noon"}
SLOTS = {
    "who": ("smith", "baker", "weaver"),
    "where": ("mill", "harbour", "chapel"),
    "when": ("noon", "dawn"),
}


def claim(text: str) -> Claim:
    """Read `slot_is(where, mill)`.

    >>> claim("slot_is(where, mill)").args
    ('where', 'mill')
    """
    predicate, _, rest = text.rstrip(")").partition("(")
    return Claim(predicate, tuple(part.strip() for part in rest.split(",")))


class Table:
    """One game over three slots, without noise unless the world has hits.

    Args:
        saboteurs: Seat numbers.
        edges: Links as seat numbers; None for what the configuration's topology gives.
        noise: Hits.
        targets: Slots that count.
        audit: Slots that the audit discloses.
        **config: Fields of the game's config.
    """

    def __init__(
        self,
        saboteurs: Sequence[int] = (1,),
        edges: Sequence[tuple[int, int]] | None = None,
        noise: Sequence[Hit] = (),
        targets: Sequence[str] = ("who", "where"),
        audit: Sequence[str] = ("where",),
        **config: Any,
    ) -> None:
        chosen = {"seats": 4, "slots": SLOTS, "saboteurs": len(saboteurs), "audit_slots": 1, **config}
        if edges is not None:
            chosen |= {"topology": "edges", "edges": edges}
        self.env = InfoPassingEnv(**chosen)
        self.env.reset(seed=1)
        roles = [SABOTEUR if i in saboteurs else HONEST for i in range(len(self.env.seats))]
        links = self.env.world.edges
        self.world = InfoPassingWorld(
            tuple(roles), links, dict(TRUE), tuple(targets), tuple(audit), tuple(noise)
        )
        self.env.reset(seed=1, options={"world": self.world})

    @property
    def seat(self) -> str:
        """Whose turn it is."""
        return self.env.agent_selection

    @property
    def phase(self) -> str:
        """The phase of that turn."""
        return self.env.phase

    def do(self, move: str, *claims: str, text: str = "") -> Table:
        """Play one move with words."""
        words = Words(text, tuple(claim(said) for said in claims))
        self.env.step(Move(self.env.moves.index(move), words))
        return self

    def all(self, move: str) -> Table:
        """Everybody plays this move until the phase is over."""
        phase, round_ = self.env.phase, self.env.round
        while not self.env.finished and (self.env.phase, self.env.round) == (phase, round_):
            self.do(move)
        return self

    def until(self, phase: str) -> Table:
        """Everybody is faithful, asks nobody and names nobody until a phase begins."""
        plain = {
            "relay": "relay:faithful",
            "report": "report:faithful",
            "ask": "ask:none",
            "name": "name:none",
        }
        while not self.env.finished and self.env.phase != phase:
            self.do(plain[self.env.phase])
        return self

    def names(self, *votes: str) -> Table:
        """Go to the ballot and cast these in seat order, as seat numbers or `none`."""
        self.until("name")
        for vote in votes:
            self.do(f"name:{vote}" if vote == "none" else f"name:player_{vote}")
        return self

    def legal(self) -> list[str]:
        """Ids of the legal moves."""
        return list(self.env.request().legal)

    def heard(self, seat: int, kind: str = "heard") -> list[Event]:
        """A seat's events of one kind."""
        return self.env.view(f"player_{seat}").of(kind)

    def stated(self, seat: int, at: int = -1) -> dict[str, str | None]:
        """What the messages that reached a seat stated, one of them."""
        claims = self.heard(seat)[at].data["claims"]
        return {c[1]: c[2] if c[0] == "slot_is" else None for c in claims}

    def all_of(self, kind: str) -> list[Event]:
        """All events of a kind in the ledger."""
        return [entry.event for entry in self.env.ledger if entry.event.kind == kind]

    def verdicts(self) -> list[str | None]:
        """Classes of the claims of the latest utterance with claims."""
        return [verdict["class"] for verdict in self.all_of("verdicts")[-1].data["verdicts"]]

    def result(self) -> Mapping[str, Any]:
        """The result event."""
        return self.all_of("result")[0].data

    def winner(self) -> str:
        """The side that won."""
        return str(self.all_of("outcome")[0].data["winner"])
