"""Which two claims of one speaker no world of a murder game satisfies together, whatever was dealt and done."""

from __future__ import annotations

from collections.abc import Sequence

from liecraft.engine.claims import Claim
from liecraft.games.murder.memory import MURDERER
from liecraft.games.murder.plan import Plan

_FINDS = frozenset(("found_clue", "found_key", "found_nothing"))


def excludes(claim: Claim, other: Claim, plan: Plan, murderers: int, met: Sequence[int]) -> bool:
    """Whether two claims of one speaker exclude each other under the rules and the meetings there were.

    Args:
        claim: One claim.
        other: The other.
        plan: The manor.
        murderers: How many there are.
        met: Rounds after which all met in the hall, in order.
    """
    kinds = claim.predicate, other.predicate
    if kinds == ("was_in", "was_in"):
        return _apart(claim, other, plan, met)
    if kinds == ("saw", "saw"):
        return _seen_twice(claim, other, plan)
    if claim.predicate in _FINDS and other.predicate in _FINDS:
        return claim != other and claim.args[-1] == other.args[-1]  # a search finds one thing
    for one, two in ((claim, other), (other, claim)):
        if (one.predicate, two.predicate) == ("was_in", "saw"):
            return one.args[1] == two.args[2] and _too_far(str(one.args[0]), str(two.args[1]), plan)
        if (one.predicate, two.predicate) == ("found_clue", "was_in"):
            return one.args[1] == two.args[1] and two.args[0] == plan.hall
    return _roles(claim, other, murderers)


def _apart(claim: Claim, other: Claim, plan: Plan, met: Sequence[int]) -> bool:
    """Two places of one seat between which there was no time to walk; a meeting sets out from the hall."""
    (room, round_), (later_room, later) = sorted(
        ((str(room), int(round_)) for room, round_ in (claim.args, other.args)), key=lambda place: place[1]
    )
    setting_out = [meeting for meeting in met if round_ <= meeting < later]
    if setting_out:
        room, round_ = plan.hall, setting_out[-1]
    return bool(plan.distance[room][later_room] > later - round_)


def _seen_twice(claim: Claim, other: Claim, plan: Plan) -> bool:
    """One seat in two rooms, or two seats in rooms too far apart to be seen from one place in one round."""
    (seat, room, round_), (other_seat, other_room, other_round) = claim.args, other.args
    if round_ != other_round or room == other_room:
        return False
    return seat == other_seat or _too_far(str(room), str(other_room), plan)


def _too_far(room: str, other: str, plan: Plan) -> bool:
    """Whether no step leads from one room to the other: who saw a murder may have left its room since."""
    return bool(plan.distance[room][other] > 1)


def _roles(claim: Claim, other: Claim, murderers: int) -> bool:
    """A seat of two roles, more murderers than there are, or one victim killed by two on two occasions."""
    roles: dict[str, bool] = {}
    for predicate, args in (claim, other):
        if predicate == "role":
            named = [(str(args[0]), args[1] == MURDERER)]
        elif predicate == "saw_murder" and args[0] != args[1]:  # who murders itself excludes no other claim
            named = [(str(args[0]), True), (str(args[1]), False)]
        else:
            return False
        for seat, guilty in named:
            if roles.setdefault(seat, guilty) != guilty:
                return True
    if claim.predicate == other.predicate == "saw_murder" and claim.args[1] == other.args[1]:
        return claim != other and (murderers == 1 or claim.args[2] != other.args[2])
    return sum(roles.values()) > murderers
