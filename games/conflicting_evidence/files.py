"""Cases from files: our JSONL (docs/evidence-cases.md) and the public HiddenBench layout, told apart by content."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from liecraft.engine.config import checked
from liecraft.engine.errors import ConfigError, UnknownName
from liecraft.engine.ledger import thaw
from liecraft.games.conflicting_evidence import case as cases
from liecraft.games.conflicting_evidence.case import (
    LETTERS,
    MAX_AUTHORITY,
    MAX_CRITERIA,
    MAX_ITEMS,
    MAX_OPTIONS,
    MAX_TOXICITY,
    OTHER,
    Case,
    Content,
    Criterion,
    Item,
    Source,
    Trap,
)

Text = Annotated[str, Field(min_length=1, max_length=4000)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
Id = Annotated[str, Field(min_length=1, max_length=200)]
Date = Annotated[
    str, BeforeValidator(lambda v: str(v) if type(v) is int else v), Field(pattern=r"^\d{4}(-\d\d){0,2}$")
]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CriterionLine(_Strict):
    """A requirement."""

    id: Name
    rule: Literal["at_least", "at_most"]
    limit: int
    unit: str = ""


class SourceLine(_Strict):
    """Where an item comes from."""

    kind: Name
    name: Text
    authority: int = Field(ge=1, le=MAX_AUTHORITY)
    date: Date
    derives: str | None = None


class ContentLine(_Strict):
    """What an item says: a value for a requirement, or a verdict."""

    option: Text
    criterion: Name
    value: int | None = None
    verdict: Literal["meets", "fails"] | None = None


class TrapLine(_Strict):
    """What is wrong with an item."""

    kind: Literal["fabricated", "beside_the_point", "contradiction", "outdated"]
    toxicity: int = Field(ge=1, le=MAX_TOXICITY)


class ItemLine(_Strict):
    """An item of evidence."""

    id: Name
    shared: bool
    text: str = Field(default="", max_length=4000)
    source: SourceLine | None = None
    content: ContentLine | None = None
    emphasis: int = Field(default=1, ge=1, le=MAX_TOXICITY)
    trap: TrapLine | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.text and self.content is None:
            raise ValueError(f"item {self.id!r} has neither text nor content; give one of them")
        return self


class CaseLine(_Strict):
    """One line of a cases file."""

    id: Id
    domain: Name = "case"
    question: Text
    options: list[Text] = Field(min_length=2, max_length=MAX_OPTIONS)
    answer: Text
    decoy: Text | None = None
    today: Date | Literal[""] = ""
    criteria: list[CriterionLine] = Field(default=[], max_length=MAX_CRITERIA)
    items: list[ItemLine] = Field(min_length=1, max_length=MAX_ITEMS)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        _distinct("options", self.options)
        _distinct("items: id", [item.id for item in self.items])
        _distinct("criteria: id", [criterion.id for criterion in self.criteria])
        _known("answer", self.answer, self.options)
        if self.decoy is not None:
            _known("decoy", self.decoy, self.options)
        if self.decoy == self.answer:
            raise ValueError(f"decoy: {self.decoy!r} is the answer; name a wrong option")
        ids = [item.id for item in self.items]
        for item in self.items:
            if item.content is not None:
                self._checkable(item.id, item.content)
            if item.source is not None and item.source.derives is not None:
                _known(f"item {item.id!r}: source.derives", item.source.derives, ids)
        if all(item.trap is not None for item in self.items):
            raise ValueError("items: all are trapped; at least one must be sound")
        return self

    def _checkable(self, item: str, content: ContentLine) -> None:
        where = f"item {item!r}: content"
        _known(f"{where}.option", content.option, self.options)
        _known(f"{where}.criterion", content.criterion, [*(c.id for c in self.criteria), OTHER])
        if content.verdict is None and (content.value is None or content.criterion == OTHER):
            raise ValueError(f"{where}.verdict is missing: give meets or fails, or a value for a requirement")
        stated = self._verdict(content)
        if content.verdict not in (None, stated):
            raise ValueError(f"{where}.verdict is {content.verdict!r}, but the value makes it {stated!r}")

    def _verdict(self, content: ContentLine) -> str:
        if content.value is not None and content.criterion != OTHER:
            found = next(c for c in self.criteria if c.id == content.criterion)
            return Criterion(found.id, cases.Rule(found.rule), found.limit).verdict(content.value)
        return str(content.verdict)

    def build(self) -> Case:
        """The case as the game plays it."""
        letter = dict(zip(self.options, LETTERS, strict=False))
        return Case(
            id=self.id,
            domain=self.domain,
            question=self.question,
            options=tuple(self.options),
            answer=letter[self.answer],
            items=tuple(self._item(item, letter) for item in self.items),
            decoy=None if self.decoy is None else letter[self.decoy],
            criteria=tuple(Criterion(c.id, cases.Rule(c.rule), c.limit, c.unit) for c in self.criteria),
            today=self.today,
        )

    def _item(self, line: ItemLine, letter: dict[str, str]) -> Item:
        content, source, trap = line.content, line.source, line.trap
        said = None
        if content is not None:
            verdict = self._verdict(content)
            said = Content(letter[content.option], content.criterion, verdict, content.value)
        return Item(
            id=line.id,
            shared=line.shared,
            text=line.text,
            source=Source(**source.model_dump()) if source else None,
            content=said,
            emphasis=line.emphasis,
            trap=Trap(cases.TrapKind(trap.kind), trap.toxicity) if trap else None,
        )


class HiddenBenchTask(BaseModel):
    """One object of a HiddenBench file; keys beside these are passed over."""

    model_config = ConfigDict(frozen=True, strict=True)

    id: int | Id
    name: str
    description: Text
    shared_information: list[Text]
    hidden_information: list[Text] = Field(min_length=1)
    possible_answers: list[Text] = Field(min_length=2, max_length=MAX_OPTIONS)
    correct_answer: Text

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        _distinct("possible_answers", self.possible_answers)
        _known("correct_answer", self.correct_answer, self.possible_answers)
        total = len(self.shared_information) + len(self.hidden_information)
        if total > MAX_ITEMS:
            raise ValueError(f"hidden_information: {total} items with the shared ones, at most {MAX_ITEMS}")
        return self

    def build(self) -> Case:
        """The case as the game plays it."""
        texts = [(True, text) for text in self.shared_information]
        texts += [(False, text) for text in self.hidden_information]
        return Case(
            id=str(self.id),
            domain="hiddenbench",
            question=self.description,
            options=tuple(self.possible_answers),
            answer=LETTERS[self.possible_answers.index(self.correct_answer)],
            items=tuple(Item(f"e{i}", shared, text) for i, (shared, text) in enumerate(texts, 1)),
        )


def _distinct(field: str, values: Sequence[str]) -> None:
    twice = [value for i, value in enumerate(values) if value in values[:i]]
    if twice:
        raise ValueError(f"{field}: {twice[0]!r} stands twice")


def _known(field: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise ValueError(f"{field}: {value!r} is not one of {', '.join(map(repr, known))}")


def read_cases(path: str | Path) -> tuple[Case, ...]:
    """Read all cases of a file.

    Raises:
        ConfigError: The file can't be read or a case in it can't be played; names the place and the field.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"cases file {str(path)!r}: {reason}") from None
    found = _hiddenbench(path, text) if text.lstrip()[:1] == "[" else _jsonl(path, text)
    if not found:
        raise ConfigError(f"cases file {str(path)!r}: it holds no case")
    seen: set[str] = set()
    for case in found:
        if case.id in seen:
            raise ConfigError(f"cases file {str(path)!r}: id {case.id!r} stands twice")
        seen.add(case.id)
    return tuple(found)


def _parsed(text: str, where: str, more: str = "") -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = (
            f"{error.msg} at column {error.colno}" if isinstance(error, json.JSONDecodeError) else str(error)
        )
        raise ConfigError(f"{where}: not JSON: {reason}{more}") from None


def _jsonl(path: str | Path, text: str) -> list[Case]:
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"cases file {str(path)!r} line {number}"
            data = _object(_parsed(line, where), where)
            built = checked(CaseLine, data, _named(where, data)).build()
            fault = cases.fault(built)
            if fault is not None:
                raise ConfigError(f"{_named(where, data)}: {': '.join(fault)}")
            by_items = cases.best(built)
            if by_items not in (None, built.answer):
                right, told = built.name(by_items or ""), built.name(built.answer)
                raise ConfigError(
                    f"{_named(where, data)}: answer: {told!r}, but by the sound items {right!r} meets the most "
                    "requirements; mend one of them"
                )
            found.append(built)
    return found


def _hiddenbench(path: str | Path, text: str) -> list[Case]:
    where = f"cases file {str(path)!r}"
    found = []
    for number, data in enumerate(_parsed(text, where)):
        place = f"{where} item {number}"
        found.append(checked(HiddenBenchTask, _object(data, place), _named(place, data)).build())
    return found


def _object(data: Any, where: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise ConfigError(f"{where}: a case is an object with fields, got {json.dumps(data)[:60]}")
    return data


def _named(where: str, data: dict[str, Any]) -> str:
    """The place with the case's id, if it has one."""
    shown = data.get("id")
    return f"{where} (id {shown!r})" if isinstance(shown, str | int) else where


def pick(found: Sequence[Case], case: int | str, path: str) -> Case:
    """A case by its number (from 0) or its id.

    Raises:
        ConfigError: There is none.
    """
    if isinstance(case, str):
        by_id = {known.id: known for known in found}
        if case not in by_id:
            raise UnknownName(f"case of {path}", case, by_id)
        return by_id[case]
    if case >= len(found):
        raise ConfigError(f"case {case} of {path!r}: it holds {len(found)}, counted from 0")
    return found[case]


def as_line(case: Case) -> str:
    """A case as one line of our JSONL, as `read_cases` reads it."""
    data = thaw(cases.as_data(case))
    data["answer"] = case.name(case.answer)
    data["decoy"] = case.decoy and case.name(case.decoy)
    for item in data["items"]:
        if item["content"]:
            item["content"]["option"] = case.name(item["content"]["option"])
    return json.dumps(data, ensure_ascii=False)


def write_cases(path: str | Path, made: Iterable[Case]) -> None:
    """Write cases as our JSONL."""
    Path(path).write_text("".join(f"{as_line(case)}\n" for case in made), encoding="utf-8")
