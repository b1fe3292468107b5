"""A case: options, requirements, and items of evidence with their sources. Plain frozen values."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

LETTERS = "abcdefgh"
OLDEST = 40
"""Years before the present that a source may date from."""
MAX_OPTIONS = len(LETTERS)
MAX_CRITERIA = 8
MAX_ITEMS = 40
MAX_AUTHORITY = 5
MAX_TOXICITY = 5

MEETS, FAILS = "meets", "fails"
OTHER = "other"
"""The criterion of content that bears on none of the requirements."""


class Rule(StrEnum):
    """How a value is held against a requirement's limit."""

    AT_LEAST = "at_least"
    AT_MOST = "at_most"


class TrapKind(StrEnum):
    """What is wrong with a trapped item."""

    FABRICATED = "fabricated"  # a number from nowhere
    BESIDE = "beside_the_point"  # relevant on its face, bears on no requirement
    CONTRADICTION = "contradiction"  # a weak source contradicts the stronger one that it quotes
    OUTDATED = "outdated"  # was so once


@dataclass(frozen=True, slots=True)
class Criterion:
    """A requirement: its name in claims, and the limit that a value must keep."""

    id: str
    rule: Rule
    limit: int
    unit: str = ""

    def verdict(self, value: int) -> str:
        """`meets` or `fails`.

        >>> Criterion("depth", Rule.AT_LEAST, 30, "m").verdict(30)
        'meets'
        """
        kept = value >= self.limit if self.rule is Rule.AT_LEAST else value <= self.limit
        return MEETS if kept else FAILS


@dataclass(frozen=True, slots=True)
class Source:
    """Where an item comes from.

    Attributes:
        kind: Such as `register`, `survey`, `press`.
        name: Who it is.
        authority: 1 (hearsay) to 5 (official record).
        date: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
        derives: Id of the item whose source this one repeats; None for a source of its own.
    """

    kind: str
    name: str
    authority: int
    date: str
    derives: str | None = None

    @property
    def year(self) -> int:
        """Year of the date."""
        return int(self.date[:4])


@dataclass(frozen=True, slots=True)
class Content:
    """What an item says, as far as a machine can check it.

    Attributes:
        option: Letter of the option it is about.
        criterion: Id of a requirement, or `other`.
        verdict: `meets` or `fails`; under `other` it speaks for or against the option.
        value: The number stated, in the criterion's unit.
    """

    option: str
    criterion: str
    verdict: str
    value: int | None = None

    @property
    def cell(self) -> tuple[str, str]:
        """Option and criterion."""
        return self.option, self.criterion


@dataclass(frozen=True, slots=True)
class Trap:
    """What makes an item misleading, and how much: toxicity 1 (slight) to 5 (blatant, dressed as authority)."""

    kind: TrapKind
    toxicity: int


@dataclass(frozen=True, slots=True)
class Item:
    """An item of evidence.

    Attributes:
        id: Name in claims, such as `e3`; says nothing about the rest.
        shared: Whether every seat holds it.
        text: Its wording; empty if source and content say all.
        source: None if not stated.
        content: None if only a reader can tell.
        emphasis: How strongly it is worded, 1 (plain) to 5 (beyond all doubt).
        trap: None for sound evidence.
    """

    id: str
    shared: bool
    text: str = ""
    source: Source | None = None
    content: Content | None = None
    emphasis: int = 1
    trap: Trap | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its evidence.

    Attributes:
        id: Name of the case.
        domain: What it is about, a plain identifier.
        question: What must be chosen.
        options: Names of the options; option i goes by the i-th letter.
        answer: Letter of the right option.
        decoy: Letter of the wrong option that the shared items favour, where known.
        criteria: Requirements, if content is checkable; the right option meets the most of them.
        today: Date at which the question is asked, as in sources.
        items: All items, trapped ones included.
    """

    id: str
    domain: str
    question: str
    options: tuple[str, ...]
    answer: str
    items: tuple[Item, ...]
    decoy: str | None = None
    criteria: tuple[Criterion, ...] = ()
    today: str = ""

    @property
    def letters(self) -> str:
        """Letters of the options."""
        return LETTERS[: len(self.options)]

    def name(self, letter: str) -> str:
        """Name of an option."""
        return self.options[LETTERS.index(letter)]

    def without_traps(self) -> Case:
        """The same case with its sound items only."""
        return dataclasses.replace(self, items=tuple(item for item in self.items if item.trap is None))


def years(today: str) -> range:
    """Years that a source may date from, where the case is asked at `today`.

    >>> years("2031-06")
    range(1991, 2032)
    """
    last = int(today[:4])
    return range(last - OLDEST, last + 1)


def fault(case: Case) -> tuple[str, str] | None:
    """What makes an item's claims impossible: the field at fault, and why."""
    for item in case.items:
        if item.content is not None and not case.criteria:
            return (
                f"item {item.id!r}: content",
                "the case has no criteria; name the requirements or leave it out",
            )
        if item.source is not None and not case.today:
            return f"item {item.id!r}: source", "the case has no today; give its date or leave the source out"
        if item.source is not None and item.source.year not in years(case.today):
            span = years(case.today)
            return f"item {item.id!r}: source.date", f"{item.source.date} is not in {span[0]} to {span[-1]}"
    return None


def facts(items: Iterable[Item]) -> dict[tuple[str, str], str]:
    """What sound items establish: (option, criterion) to verdict, where they agree."""
    said: dict[tuple[str, str], set[str]] = {}
    for item in items:
        if item.trap is None and item.content is not None and item.content.criterion != OTHER:
            said.setdefault(item.content.cell, set()).add(item.content.verdict)
    return {cell: next(iter(verdicts)) for cell, verdicts in said.items() if len(verdicts) == 1}


def best(case: Case) -> str | None:
    """The option that meets the most requirements by the sound items.

    Returns:
        Its letter; None if two share the first place or some option's verdict is missing.
    """
    known = facts(case.items)
    if not case.criteria or len(known) < len(case.options) * len(case.criteria):
        return None
    met = Counter({letter: 0 for letter in case.letters})
    met.update(option for (option, _), verdict in known.items() if verdict == MEETS)
    (first, most), (_, second) = met.most_common(2)
    return first if most > second else None


def as_data(value: Any) -> Any:
    """Dataclasses as read-only mappings, all the way down, as events hold them."""
    fields = _FIELDS.get(type(value))
    if fields is not None:
        return MappingProxyType({field: as_data(getattr(value, field)) for field in fields})
    if type(value) is tuple:
        return tuple([as_data(part) for part in value])
    return str(value) if isinstance(value, StrEnum) else value


_FIELDS = {
    cls: tuple(field.name for field in dataclasses.fields(cls))
    for cls in (Case, Item, Source, Content, Trap, Criterion)
}
