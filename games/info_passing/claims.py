"""What can be claimed in an info-passing game, and how claims and messages turn into each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from liecraft.engine.claims import Claim, Predicate, Value, Vocabulary
from liecraft.engine.seats import Seat

PREDICATES = (
    Predicate("slot_is", (("slot", "slot"), ("value", "value"))),
    Predicate("dont_know", (("slot", "slot"),)),
    Predicate("heard", (("sender", "seat"), ("slot", "slot"), ("value", "value"))),
    Predicate("heard_nothing", (("sender", "seat"), ("slot", "slot"))),
    Predicate("damaged", (("sender", "seat"), ("slot", "slot"))),
    Predicate("sent", (("slot", "slot"), ("value", "value"))),
    Predicate("sent_nothing", (("slot", "slot"),)),
    Predicate("role", (("seat", "seat"), ("role", "role"))),
    Predicate("suspect", (("seat", "seat"),), opinion=True),
    Predicate("trust", (("seat", "seat"),), opinion=True),
)

Message = dict[str, str | None]
"""Slot to the value stated of it, or None for "don't know"; a slot that is not mentioned is absent."""

Slots = Mapping[str, Sequence[str]]
"""Slot to its vocabulary, in the bulletin's order."""


def vocabulary(seats: Sequence[Seat], slots: Slots, roles: Sequence[str]) -> Vocabulary:
    """The vocabulary under one configuration; values of all slots share a domain."""
    values = [value for words in slots.values() for value in words]
    return Vocabulary(PREDICATES, {"seat": seats, "slot": list(slots), "value": values, "role": roles})


def fits(claim: Claim, slots: Slots) -> bool:
    """Whether a claim's value is one that its slot can have; claims without a value always fit."""
    if claim.predicate in ("slot_is", "heard", "sent"):
        slot, value = claim.args[-2:]
        return value in slots[str(slot)]
    return True


def statements(claims: Iterable[Sequence[Value]]) -> Message:
    """What claims, as events hold them, state of slots: for each slot the last word counts.

    >>> statements([("slot_is", "where", "mill"), ("dont_know", "who"), ("slot_is", "where", "harbour")])
    {'where': 'harbour', 'who': None}
    """
    said: Message = {}
    for predicate, *args in claims:
        if predicate == "slot_is":
            said[str(args[0])] = str(args[1])
        elif predicate == "dont_know":
            said[str(args[0])] = None
    return said


def stated(claims: Iterable[Claim]) -> Message:
    """As `statements`, of claims as they are made."""
    return statements(claim.as_json() for claim in claims)


def as_claims(message: Message) -> tuple[Claim, ...]:
    """A message as the claims that state it.

    >>> [str(claim) for claim in as_claims({"where": "mill", "who": None})]
    ['slot_is(where, mill)', 'dont_know(who)']
    """
    return tuple(
        Claim("dont_know", (slot,)) if value is None else Claim("slot_is", (slot, value))
        for slot, value in message.items()
    )


def heard_properly(claims: Sequence[Claim], slots: Slots) -> tuple[Claim, ...]:
    """Claims as they count: those that do not fit are dropped, and of several on one slot the last is kept.

    >>> slots = {"where": ("mill", "harbour"), "when": ("dawn", "noon")}
    >>> said = [Claim("slot_is", ("where", "mill")), Claim("slot_is", ("when", "mill"))]
    >>> [str(claim) for claim in heard_properly(said, slots)]
    ['slot_is(where, mill)']
    """
    fitting = [claim for claim in claims if fits(claim, slots)]
    last = {claim.args[0]: claim for claim in fitting if claim.predicate in ("slot_is", "dont_know")}
    return tuple(
        claim
        for claim in fitting
        if claim.predicate not in ("slot_is", "dont_know") or last[claim.args[0]] is claim
    )


def excludes(claim: Claim, other: Claim, waves: int, saboteurs: int) -> bool:
    """Whether no world satisfies both of one speaker's claims.

    A slot has one true value and a seat one role. What was heard and sent is one value a wave, so with several
    waves two values exclude nothing.

    >>> one = Claim("slot_is", ("where", "mill"))
    >>> excludes(one, Claim("slot_is", ("where", "harbour")), 1, 1), excludes(one, one, 1, 1)
    (True, False)
    """
    kinds = {claim.predicate, other.predicate}
    if kinds == {"slot_is"} or (kinds == {"sent"} and waves == 1):
        return claim.args[0] == other.args[0] and claim != other
    if kinds == {"heard"}:
        return waves == 1 and claim.args[:2] == other.args[:2] and claim != other
    if kinds == {"heard", "heard_nothing"}:
        return claim.args[:2] == other.args[:2]
    if kinds == {"sent", "sent_nothing"}:
        return claim.args[0] == other.args[0]
    if kinds == {"role"}:
        if claim.args[0] == other.args[0]:
            return claim != other
        return saboteurs < 2 and claim.args[1] == other.args[1] == "saboteur"
    return False
