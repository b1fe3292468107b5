"""What can be claimed about evidence, and the claims that report an item."""

from __future__ import annotations

from collections.abc import Sequence

from liecraft.engine.claims import Claim, Predicate, Value, Vocabulary
from liecraft.engine.seats import Seat
from liecraft.games.conflicting_evidence.case import (
    FAILS,
    MAX_AUTHORITY,
    MAX_TOXICITY,
    MEETS,
    OTHER,
    Case,
    Content,
    Source,
    years,
)

_ITEM, _OPTION, _CRITERION = ("item", "item"), ("option", "option"), ("criterion", "criterion")
_VERDICT = ("verdict", "verdict")

OF_SEATS = (
    Predicate("suspect", (("seat", "seat"),), opinion=True),
    Predicate("trust", (("seat", "seat"),), opinion=True),
)
ALWAYS = (
    Predicate("cites", (_ITEM,)),
    Predicate("favours", (_ITEM, _OPTION), opinion=True),
    Predicate("doubts", (_ITEM,), opinion=True),
    Predicate("prefer", (_OPTION,), opinion=True),
    *OF_SEATS,
)
CHECKABLE = (
    Predicate("says", (_ITEM, _OPTION, ("criterion", "content"), _VERDICT)),
    Predicate("stressed", (_ITEM, ("emphasis", "emphasis"))),
    Predicate("conflict", (_ITEM, ("other", "item"))),
    Predicate("met", (_OPTION, _CRITERION, _VERDICT)),
)
SOURCED = (
    Predicate("sourced", (_ITEM, ("authority", "authority"), ("year", "year"))),
    Predicate("derives", (_ITEM, ("other", "item"))),
)
OPINIONS = frozenset(predicate.name for predicate in ALWAYS if predicate.opinion)


def vocabulary(seats: Sequence[Seat], case: Case | None) -> Vocabulary:
    """The claims of a case: about sources only if it is dated, about content only if it has requirements.

    Args:
        seats: All seats.
        case: The case as dealt; None before the first game, when there are opinions of seats only.
    """
    domains: dict[str, Sequence[Value]] = {"seat": seats, "verdict": (MEETS, FAILS)}
    if case is None:
        return Vocabulary(OF_SEATS, domains)
    predicates = list(ALWAYS)
    domains |= {"item": [item.id for item in case.items], "option": tuple(case.letters)}
    # By what all know of the case, and not by its items: those would tell of hands that one can't see.
    if case.criteria:
        named = [criterion.id for criterion in case.criteria]
        predicates += CHECKABLE
        domains |= {"criterion": named, "content": [*named, OTHER], "emphasis": range(1, MAX_TOXICITY + 1)}
    if case.today:
        predicates += SOURCED
        domains |= {"authority": range(1, MAX_AUTHORITY + 1), "year": years(case.today)}
    return Vocabulary(predicates, domains)


def says(item: str, content: Content) -> Claim:
    """The claim that an item has this content."""
    return Claim("says", (item, content.option, content.criterion, content.verdict))


def sourced(item: str, source: Source) -> list[Claim]:
    """The claims that an item has this source."""
    told = [Claim("sourced", (item, source.authority, source.year))]
    return told if source.derives is None else [*told, Claim("derives", (item, source.derives))]


def opposite(verdict: str) -> str:
    """The other verdict."""
    return FAILS if verdict == MEETS else MEETS


_SUBJECT = {"says": 1, "stressed": 1, "sourced": 1, "derives": 1, "met": 2}
"""How many first arguments of a claim say what it is about: of one thing it can say only one thing."""


def excludes(claim: Claim, other: Claim) -> bool:
    """Whether no case satisfies both claims.

    >>> excludes(Claim("met", ("a", "depth", "meets")), Claim("met", ("a", "depth", "fails")))
    True
    """
    subject = _SUBJECT.get(claim.predicate)
    if subject is None or claim.predicate != other.predicate:
        return False
    return claim.args[:subject] == other.args[:subject] and claim != other
