"""Cases without limit: a hidden profile over invented names, with traps that the sound evidence refutes.

The right option meets the most requirements, and every verdict stands in a sound item. Shared items show what
speaks for the decoy and against the right option; what speaks for the right option is spread unshared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from liecraft.games.conflicting_evidence.case import (
    FAILS,
    LETTERS,
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
from liecraft.games.conflicting_evidence.domains import DOMAINS, Domain, Measure, invented

YEAR = 2031
"""The present of generated cases."""
SOUND = (("register", 5), ("survey", 4), ("expert", 4), ("report", 3))
"""Kinds of sound sources, each with its authority."""
_EMPHATIC_SHARE = 0.25
_SHARES = (0.35, 0.65)


class Shape(NamedTuple):
    """What a generated case looks like; see the fields of the same name in the configuration."""

    options: int = 3
    criteria: int = 6
    echoes: int = 1
    traps: int = 2
    toxicity: int = 3
    trap_kinds: tuple[TrapKind, ...] = tuple(TrapKind)


class _Draft(NamedTuple):
    """An item before it gets its id; `origin` is the place of the draft that its source derives from."""

    content: Content
    kind: str
    name: str
    authority: int
    date: str
    shared: bool
    emphasis: int = 1
    origin: int | None = None
    trap: Trap | None = None
    text: str = ""


class _Plan(NamedTuple):
    """The truth of a case: requirements with their measures, and the verdict of each cell."""

    domain: Domain
    measures: tuple[Measure, ...]
    criteria: tuple[Criterion, ...]
    answer: str
    decoy: str
    verdicts: dict[tuple[str, str], str]


def generate(number: int, shape: Shape) -> Case:
    """Make the case of a number.

    The sound evidence depends on the number and on `options`, `criteria` and `echoes` alone, so that conditions
    and toxicities compare on the same cases.

    Args:
        number: Any non-negative integer.
        shape: Sizes and traps.
    """
    rng = np.random.default_rng((number, 0))
    plan = _plan(rng, shape)
    names = invented(rng, shape.options)
    drafts = list(_sound(rng, plan, shape))
    drafts += _traps(np.random.default_rng((number, 1)), plan, shape, drafts)
    order = np.random.default_rng((number, 2)).permutation(len(drafts)).tolist()
    ids = {draft: f"e{place + 1}" for place, draft in enumerate(order)}
    return Case(
        id=f"generated-{number}",
        domain=plan.domain.id,
        question=plan.domain.question,
        options=names,
        answer=plan.answer,
        items=tuple(_item(drafts[i], ids[i], ids) for i in order),
        decoy=plan.decoy,
        criteria=plan.criteria,
        today=f"{YEAR}-06",
    )


def _item(draft: _Draft, item_id: str, ids: dict[int, str]) -> Item:
    derives = None if draft.origin is None else ids[draft.origin]
    source = Source(draft.kind, draft.name, draft.authority, draft.date, derives)
    return Item(item_id, draft.shared, draft.text, source, draft.content, draft.emphasis, draft.trap)


def _plan(rng: np.random.Generator, shape: Shape) -> _Plan:
    domain = DOMAINS[rng.integers(len(DOMAINS))]
    picked = sorted(rng.permutation(len(domain.measures))[: shape.criteria].tolist())
    measures = tuple(domain.measures[i] for i in picked)
    shares = rng.uniform(*_SHARES, shape.criteria).tolist()
    criteria = tuple(
        Criterion(m.id, m.rule, m.low + max(1, round(share * (m.high - m.low - 1))), m.unit)
        for m, share in zip(measures, shares, strict=True)
    )
    letters = [LETTERS[i] for i in rng.permutation(shape.options).tolist()]
    counts = _met(rng, shape)
    verdicts = {
        (letter, criteria[c].id): MEETS if rank < met else FAILS
        for letter, met in zip(letters, counts, strict=True)
        for rank, c in enumerate(rng.permutation(shape.criteria).tolist())
    }
    return _Plan(domain, measures, criteria, letters[0], letters[1], verdicts)


def _met(rng: np.random.Generator, shape: Shape) -> list[int]:
    """How many requirements the right option, the decoy and the others meet."""
    gap = int(rng.integers(1, 3))
    answer = int(rng.integers(max(gap + 1, shape.criteria - 1), shape.criteria + 1))
    decoy = answer - gap
    return [answer, decoy, *rng.integers(0, decoy, shape.options - 2).tolist()]


def _value(measure: Measure, criterion: Criterion, verdict: str, share: float) -> int:
    """A value with this verdict; a share of 1 is the plausible one farthest from the limit."""
    limit = criterion.limit
    up = (verdict == MEETS) == (criterion.rule is Rule.AT_LEAST)
    if criterion.rule is Rule.AT_LEAST:
        near, far = (limit, measure.high) if up else (limit - 1, measure.low)
    else:
        near, far = (limit + 1, measure.high) if up else (limit, measure.low)
    return near + int(share * (far - near))


def _sound(rng: np.random.Generator, plan: _Plan, shape: Shape) -> Iterator[_Draft]:
    """One sound item for each option and requirement, then the echoes."""
    cells = list(plan.verdicts.items())
    luck = rng.random((len(cells), 3)).tolist()
    kinds = rng.integers(0, len(SOUND), len(cells)).tolist()
    months = rng.integers(0, 18, len(cells)).tolist()
    names = invented(rng, len(cells) + shape.echoes)
    pros: list[int] = []
    made: list[_Draft] = []
    for i, ((option, criterion_id), verdict) in enumerate(cells):
        c = next(c for c, criterion in enumerate(plan.criteria) if criterion.id == criterion_id)
        value = _value(plan.measures[c], plan.criteria[c], verdict, luck[i][0])
        kind, authority = SOUND[kinds[i]]
        shared = (
            verdict == MEETS if option == plan.decoy else verdict == FAILS and _told(option, plan, luck[i][1])
        )
        content = Content(option, criterion_id, verdict, value)
        emphasis = 2 if luck[i][2] < _EMPHATIC_SHARE else 1
        made.append(
            _Draft(content, kind, f"{names[i]} {kind}", authority, _date(12 + months[i]), shared, emphasis)
        )
        if option == plan.decoy and verdict == MEETS:
            pros.append(i)
    yield from made
    for e in range(shape.echoes):
        origin = pros[e % len(pros)]
        content = made[origin].content
        yield _Draft(content, "press", f"{names[len(cells) + e]} Courier", 2, _date(4 + e), True, 1, origin)


def _told(option: str, plan: _Plan, luck: float) -> bool:
    """Whether what speaks against an option is shared: all for the answer, half for those out of question."""
    return option == plan.answer or luck < 0.5


def _date(months_ago: int) -> str:
    months = YEAR * 12 + 5 - months_ago
    return f"{months // 12}-{months % 12 + 1:02}"


def _traps(rng: np.random.Generator, plan: _Plan, shape: Shape, sound: Sequence[_Draft]) -> Iterator[_Draft]:
    """Items that speak for the decoy or against the right option, and are wrong or beside the point."""
    open_cells = [
        i
        for i, draft in enumerate(sound[: len(plan.verdicts)])
        if draft.content.option in (plan.answer, plan.decoy)
        and (draft.content.option == plan.answer) == (draft.content.verdict == MEETS)
    ]
    targets = [open_cells[i] for i in rng.permutation(len(open_cells)).tolist()]
    start, kinds = int(rng.integers(len(shape.trap_kinds))), shape.trap_kinds
    names = invented(rng, shape.traps)
    for t in range(shape.traps):
        kind = kinds[(start + t) % len(kinds)]
        draft = _trap(kind, names[t], plan, shape.toxicity, sound, targets[t % len(targets)])
        if kind is TrapKind.BESIDE:
            beside = plan.domain.beside
            draft = draft._replace(text=beside[int(rng.integers(len(beside)))])
        yield draft


def _trap(
    kind: TrapKind, name: str, plan: _Plan, toxicity: int, sound: Sequence[_Draft], target: int
) -> _Draft:
    trap = Trap(kind, toxicity)
    weak = 2 if toxicity <= 2 else 1
    if kind is TrapKind.BESIDE:
        content = Content(plan.decoy, OTHER, MEETS)
        return _Draft(content, "essay", _dressed(name, toxicity), weak, _date(3), False, toxicity, None, trap)
    victim = sound[target].content
    c = next(c for c, criterion in enumerate(plan.criteria) if criterion.id == victim.criterion)
    verdict = FAILS if victim.verdict == MEETS else MEETS
    value = _value(plan.measures[c], plan.criteria[c], verdict, toxicity / 5)
    content = Content(victim.option, victim.criterion, verdict, value)
    if kind is TrapKind.OUTDATED:
        old = _date(12 * (2 + 2 * toxicity))
        return _Draft(content, "register", f"{name} register", 4, old, False, toxicity, None, trap)
    if kind is TrapKind.CONTRADICTION:
        return _Draft(
            content, "press", _dressed(name, toxicity), weak, _date(2), False, toxicity, target, trap
        )
    return _Draft(content, "advert", _dressed(name, toxicity), weak, _date(1), False, toxicity, None, trap)


def _dressed(name: str, toxicity: int) -> str:
    """A source's name, the grander the more toxic the trap."""
    titles = ("{} Letters", "{} Bulletin", "{} Institute", "Grand {} Academy", "Supreme Council of {}")
    return titles[toxicity - 1].format(name)
