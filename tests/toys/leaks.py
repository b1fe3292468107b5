"""Eight games that leak, one leak each; the kit must catch each one by the name of its leak."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from liecraft.engine.agent import Request
from liecraft.engine.errors import IllegalMove
from liecraft.engine.moves import Words
from liecraft.engine.seats import Seat
from tests.toys.den import SHEEP, DenEnv


class RoleInPublicEventEnv(DenEnv):
    """The order of the dealt cards, sorted by what they say."""

    def open(self) -> None:
        super().open()
        self.public("dealt", order=tuple(sorted(self.seats, key=self.role.__getitem__)))


class BallotVisibleEarlyEnv(DenEnv):
    """A ballot is announced as it is cast, before the others have theirs in."""

    def apply(self, seat: Seat, verb: str, target: str, words: Words) -> None:
        super().apply(seat, verb, target, words)
        if verb == "vote":
            self.public("raised", seat, target=target)


class ErrorTextByRoleEnv(DenEnv):
    """The refusal of a move names a wolf."""

    def _checked_move(self, action: int | None) -> tuple[int, Words]:
        try:
            return super()._checked_move(action)
        except IllegalMove as error:
            raise IllegalMove(f"{error.move}, said {self.pack[0]},") from None


class MaskByRoleEnv(DenEnv):
    """Sheep can't vote for the first wolf."""

    def legal(self, seat: Seat) -> tuple[int, ...]:
        legal = super().legal(seat)
        if self.phase == "vote" and self.role[seat] == SHEEP and len(legal) > 2:
            return tuple(i for i in legal if self.moves.target[i] != self.pack[0])
        return legal


class SharedMutableDefaultEnv(DenEnv):
    """All envs of the process add to one list."""

    gossip: ClassVar[list[str]] = []

    def open(self) -> None:
        super().open()
        self.public("gossip", heard=tuple(self.gossip[-3:]))
        self.gossip.append(self.pack[0])


class HistorySurvivesResetEnv(DenEnv):
    """An env remembers the games that were played in it."""

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        self.past: list[str] = []

    def open(self) -> None:
        super().open()
        self.public("past", packs=tuple(self.past[-2:]))
        self.past.append("+".join(self.pack))


class DeadSeatOnPrivateChannelEnv(DenEnv):
    """A dead wolf goes on hearing the pack."""

    def listeners(self) -> list[Seat]:
        return self.pack if self.phase == "pack" else super().listeners()


class MenuLengthByRoleEnv(DenEnv):
    """The menu of a vote lists a move twice if its seat is a wolf; the mask does not."""

    def request(self) -> Request:
        request = super().request()
        if request.phase != "vote":
            return request
        twice = [move_id for move_id in request.legal if move_id.partition(":")[2] in self.pack]
        return dataclasses.replace(request, legal=(*request.legal, *twice[:1]))
