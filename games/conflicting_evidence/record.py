"""Who holds what and who said what: the ground on which claims are true, and known to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from liecraft.engine.claims import Claim, Support
from liecraft.engine.seats import Seat
from liecraft.games.conflicting_evidence.case import Case, Item, facts
from liecraft.games.conflicting_evidence.claims import OPINIONS, says

_OF_ITEM = frozenset({"says", "stressed", "sourced", "derives"})


class Record:
    """The evidence of one game, kept as it is talked about.

    Args:
        case: The case as dealt.
        hands: Ids of the items that each seat holds.
    """

    def __init__(self, case: Case, hands: Mapping[Seat, Sequence[str]]) -> None:
        self._items = {item.id: item for item in case.items}
        self._facts = facts(case.items)
        self._hands = {seat: frozenset(held) for seat, held in hands.items()}
        self._said: dict[Claim, set[Seat]] = {}

    def hear(self, speaker: Seat, claims: Iterable[Claim]) -> None:
        """Note what was said aloud of items."""
        for claim in claims:
            if claim.predicate in _OF_ITEM:
                self._said.setdefault(claim, set()).add(speaker)

    def truth(self, claim: Claim, speaker: Seat) -> bool | None:
        """Whether a claim is true.

        A claim about an item is true if the item says so, trap or not; `met` is true if sound evidence says so.
        None for opinions and for what the case leaves open.
        """
        predicate, args = claim
        if predicate in OPINIONS:
            return None
        if predicate == "met":
            found = self._facts.get((str(args[0]), str(args[1])))
            return None if found is None else found == args[2]
        if predicate == "cites":
            return args[0] in self._hands[speaker]
        if predicate == "conflict":
            return _conflict(self._items[str(args[0])], self._items[str(args[1])])
        return _true_of(self._items[str(args[0])], claim)

    def support(self, claim: Claim, speaker: Seat) -> Support:
        """What the speaker's view says: exact about items it holds, hearsay about the others.

        `met` is supported by any item, held or heard of, that says so; it is refuted if it is false and all that
        the speaker knows of says the contrary.
        """
        predicate, args = claim
        truth = self.truth(claim, speaker)
        if truth is None:
            return Support.NONE
        if predicate == "met":
            return self._support_of_fact(claim, speaker, truth)
        held = self._hands[speaker]
        items = args if predicate == "conflict" else args[:1]
        if predicate == "cites" or all(item in held for item in items):
            return Support.ENTAILED if truth else Support.REFUTED
        if predicate == "conflict":
            known = all(item in held or self._heard_of(str(item), speaker) for item in items)
            return Support.SUPPORTED if known and truth else Support.NONE
        return Support.SUPPORTED if self._said.get(claim, set()) - {speaker} else Support.NONE

    def _heard_of(self, item: str, speaker: Seat) -> bool:
        content = self._items[item].content
        return content is not None and bool(self._said.get(says(item, content), set()) - {speaker})

    def _support_of_fact(self, claim: Claim, speaker: Seat, truth: bool) -> Support:
        option, criterion, verdict = claim.args
        contents = [self._items[item].content for item in self._hands[speaker]]
        known = {c.verdict for c in contents if c is not None and c.cell == (option, criterion)}
        known |= {
            str(said.args[3])
            for said, speakers in self._said.items()
            if said.predicate == "says" and said.args[1:3] == (option, criterion) and speakers - {speaker}
        }
        if verdict in known:
            return Support.SUPPORTED
        return Support.REFUTED if known and not truth else Support.NONE


def _conflict(item: Item, other: Item) -> bool | None:
    """Whether two items give one cell different verdicts."""
    if item.content is None or other.content is None:
        return None
    return item.content.cell == other.content.cell and item.content.verdict != other.content.verdict


def _true_of(item: Item, claim: Claim) -> bool | None:
    """Whether an item is as a claim says; None where the item leaves it open."""
    predicate, (_, *told) = claim
    source, content = item.source, item.content
    if predicate == "says":
        return None if content is None else told == [content.option, content.criterion, content.verdict]
    if predicate == "stressed":
        return None if content is None else told == [item.emphasis]
    if source is None:
        return None
    return told == ([source.authority, source.year] if predicate == "sourced" else [source.derives])
