"""What a game calls: recording events, speech, turns, deaths, rewards, the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from liecraft.engine.claims import Claim, Statements, classify
from liecraft.engine.features import Features, Vector
from liecraft.engine.ledger import ENGINE, EVERYONE, Event, Ledger, freeze
from liecraft.engine.moves import Words
from liecraft.engine.rules import C, Rules, W
from liecraft.engine.seats import Seat, Side


class Turn(NamedTuple):
    """A seat that must decide, and in which phase."""

    phase: str
    seat: Seat


class Stage(Rules[C, W]):
    """A game under way, as its rules see it; `DeceptionEnv` sets up what is named here and plays the turns."""

    config: C
    world: W
    seats: tuple[Seat, ...]
    agents: list[Seat]
    living: list[Seat]
    """Seats that still take turns, in order."""
    role: dict[Seat, str]
    ledger: Ledger
    round: int
    finished: bool
    rewards: dict[Seat, float]
    totals: dict[Seat, float]
    """Rewards of the game so far."""
    terminations: dict[Seat, bool]
    agent_selection: Seat
    features: Features
    _index: dict[Seat, int]
    _public: Vector
    _privates: list[Vector]
    _stated: dict[Seat, Statements]
    _turns: list[Turn]
    _legal: tuple[int, ...]
    _rewarded: bool

    def public(self, kind: str, actor: Seat | None = None, /, **data: Any) -> Event:
        """Record an event that everyone sees."""
        event = self.ledger.record(kind, actor, data, EVERYONE)
        self.features.see_public(self._public, event)
        return event

    def tell(self, seats: Iterable[Seat], kind: str, actor: Seat | None = None, /, **data: Any) -> Event:
        """Record an event that only these seats see."""
        seen_by = tuple(seats)
        event = self.ledger.record(kind, actor, data, self.ledger.audience(seen_by))
        for seat in seen_by:
            i = self._index[seat]
            self.features.see_private(self._privates[i], event, i)
        return event

    def seal(self, seat: Seat, move_id: str) -> None:
        """Record a commitment that nobody sees."""
        self.ledger.record("sealed", seat, {"move": move_id}, ENGINE)

    def say(
        self, seat: Seat, words: Words, to: Seat | None = None, among: Iterable[Seat] | None = None
    ) -> None:
        """Record an utterance, heard by `among` (default everyone), and its claims' truth for the engine."""
        data = {"text": words.text, "claims": tuple(tuple(c.as_json()) for c in words.claims), "to": to}
        if among is None:
            self.public("speech", seat, **data)
        else:
            self.tell(among, "speech", seat, **data)
        if words.claims:
            verdicts = tuple(self._verdict(claim, seat) for claim in words.claims)
            self.ledger.record("verdicts", seat, {"verdicts": verdicts}, ENGINE)
            clashes = self._stated[seat].add(words.claims, partial(self.excludes, speaker=seat))
            if clashes:
                self.ledger.record("contradictions", seat, {"pairs": clashes}, ENGINE)

    def probed(self, seat: Seat, beliefs: Iterable[tuple[Seat, float]]) -> None:
        """Record, for the engine alone, with which probability a seat takes each other one for a deceiver."""
        self.ledger.record("probe", seat, {"beliefs": tuple(beliefs)}, ENGINE)

    def _verdict(self, claim: Claim, speaker: Seat) -> Any:
        truth, support = self.truth(claim, speaker), self.support(claim, speaker)
        found = classify(truth, support)
        return freeze({"truth": truth, "support": str(support), "class": found and str(found)})

    def begin(self, phase: str, order: Iterable[Seat], *, round_: int | None = None) -> None:
        """Begin a phase: these seats decide in this order; the order itself is told to nobody."""
        if round_ is not None:
            self.round = round_
        self._turns = [Turn(phase, seat) for seat in order]
        self.public("phase", phase=phase, round=self.round)

    def interrupt(self, phase: str, seat: Seat) -> None:
        """Have a seat decide before the phase goes on."""
        self._turns.insert(0, Turn(phase, seat))

    def dies(self, seat: Seat) -> None:
        """Take a seat out of play; it stays in `agents` until the end and hears what is public."""
        self.living.remove(seat)

    def announce_dead(self, seats: Sequence[Seat]) -> None:
        """Make deaths public."""
        self.public("dead", seats=tuple(seats))

    def pay(self, seat: Seat, amount: float) -> None:
        """Give a reward to one seat; it sees it at its next `last`."""
        self.rewards[seat] += amount
        self.totals[seat] += amount
        self._rewarded = True

    def side(self, seat: Seat) -> Side:
        """The side of a seat's role."""
        return self.roles[self.role[seat]]

    def finish(self, winner: Side, reason: str) -> None:
        """End the game: the winning side shares +1, the losing side -1; `Side.NONE` is a draw.

        Equal shares within a side, so rewards sum to zero over all seats.
        """
        roles = tuple(self.role.items())
        self.public("outcome", winner=str(winner), reason=reason, roles=roles)
        if winner is not Side.NONE:
            for side in (Side.DECEIVERS, Side.TRUTHFUL):
                members = [seat for seat in self.seats if self.side(seat) is side]
                for seat in members:
                    self.pay(seat, (1 if side is winner else -1) / len(members))
        self._end(self.terminations)

    def _end(self, flags: dict[Seat, bool]) -> None:
        for seat in self.agents:
            flags[seat] = True
        self.finished = True
        self._turns = []
        self._legal = ()
        self.agent_selection = self.agents[0]
