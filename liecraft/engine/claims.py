"""Claims: the part of an utterance that the engine can check, and the class each one falls into.

A game names its vocabulary: predicates with typed parameters. The speaker is never a parameter; it is the
actor of the speech event, which the engine sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from liecraft.engine.errors import ConfigError, UnknownName

Value = str | int


class Claim(NamedTuple):
    """A statement such as `saw(player_3, kitchen, 2)`.

    >>> str(Claim("saw", ("player_3", "kitchen", 2)))
    'saw(player_3, kitchen, 2)'
    """

    predicate: str
    args: tuple[Value, ...] = ()

    def __str__(self) -> str:
        return f"{self.predicate}({', '.join(map(str, self.args))})"

    def as_json(self) -> list[Value]:
        """Flat list for events and traces: predicate first, then its arguments."""
        return [self.predicate, *self.args]


class Predicate(NamedTuple):
    """One word of a vocabulary.

    Attributes:
        name: What is said.
        params: Parameter names in order, each with the name of its domain.
        opinion: True for statements without truth value (a suspicion, an intention).
    """

    name: str
    params: tuple[tuple[str, str], ...] = ()
    opinion: bool = False


class Support(StrEnum):
    """What the speaker's view says of a claim."""

    ENTAILED = "entailed"
    SUPPORTED = "supported"
    NONE = "none"
    REFUTED = "refuted"


class ClaimClass(StrEnum):
    """Epistemic class of a claim, computed from the truth and the speaker's view.

    Paltering (true, yet it moved listeners away from the truth) needs belief probes, so an evaluator
    assigns it; the engine assigns the others.
    """

    TRUE = "true"
    LIE = "lie"
    MISTAKE = "mistake"
    BLUFF = "bluff"


def classify(truth: bool | None, support: Support) -> ClaimClass | None:
    """Class of a claim; None where it has no truth value.

    A claim that the view neither backs nor excludes is a bluff whether or not it happens to be true.

    >>> classify(False, Support.REFUTED), classify(False, Support.SUPPORTED)
    (<ClaimClass.LIE: 'lie'>, <ClaimClass.MISTAKE: 'mistake'>)
    >>> classify(True, Support.NONE), classify(None, Support.NONE)
    (<ClaimClass.BLUFF: 'bluff'>, None)
    """
    if truth is None:
        return None
    if support is Support.REFUTED:
        return ClaimClass.LIE
    if support is Support.NONE:
        return ClaimClass.BLUFF
    return ClaimClass.TRUE if truth else ClaimClass.MISTAKE


Clash = tuple[tuple[Value, ...], tuple[Value, ...]]
"""A claim and an earlier one of the same speaker that excludes it, both flat."""


class Statements:
    """What one speaker has claimed, each claim once."""

    __slots__ = ("_claims",)

    def __init__(self) -> None:
        self._claims: dict[Claim, None] = {}

    def add(self, claims: Iterable[Claim], excludes: Callable[[Claim, Claim], bool]) -> tuple[Clash, ...]:
        """Take in claims, and return the pairs of a new one and an earlier one that exclude each other.

        Args:
            claims: In the order in which they were made.
            excludes: Whether no world satisfies both of two claims.
        """
        clashes: list[Clash] = []
        for claim in claims:
            if claim not in self._claims:
                for earlier in self._claims:
                    if excludes(claim, earlier):
                        clashes.append((tuple(claim.as_json()), tuple(earlier.as_json())))
                self._claims[claim] = None
        return tuple(clashes)


class Vocabulary:
    """A game's predicates over finite domains.

    Args:
        predicates: The words.
        domains: Domain name to its values; a predicate's parameters name one each.
    """

    __slots__ = ("domains", "predicates")

    def __init__(self, predicates: Sequence[Predicate], domains: Mapping[str, Sequence[Value]]) -> None:
        self.predicates = {predicate.name: predicate for predicate in predicates}
        self.domains = {name: tuple(values) for name, values in domains.items()}
        for predicate in predicates:
            for _, domain in predicate.params:
                if domain not in self.domains:
                    raise UnknownName(f"domain in {predicate.name}", domain, self.domains)

    def __repr__(self) -> str:
        words = (
            f"{word.name}({', '.join(name for name, _ in word.params)})" for word in self.predicates.values()
        )
        return f"Vocabulary({', '.join(words)})"

    def check(self, claim: Claim) -> None:
        """Refuse a claim that is not well formed.

        Raises:
            ConfigError: Unknown predicate, wrong number of arguments, or a value outside its domain.
        """
        predicate = self.predicates.get(claim.predicate)
        if predicate is None:
            raise UnknownName("claim", claim.predicate, self.predicates)
        if len(claim.args) != len(predicate.params):
            wanted = ", ".join(name for name, _ in predicate.params)
            raise ConfigError(f"{claim}: {predicate.name} takes ({wanted})")
        for value, (name, domain) in zip(claim.args, predicate.params, strict=True):
            if type(value) not in (str, int) or value not in self.domains[domain]:  # True == 1 == 1.0
                raise ConfigError(f"{claim}: {name} must be one of {list(self.domains[domain])}")

    def is_opinion(self, claim: Claim) -> bool:
        """Whether a claim has no truth value by its kind."""
        return self.predicates[claim.predicate].opinion

    def parse(self, fields: Mapping[str, Any]) -> Claim:
        """Read a claim from a reply's object, `{"claim": predicate, param: value, ...}`.

        Raises:
            ConfigError: As in `check`, or a parameter is missing.
        """
        name = fields.get("claim")
        predicate = self.predicates.get(name) if isinstance(name, str) else None
        if predicate is None:
            raise UnknownName("claim", str(name), self.predicates)
        missing = [param for param, _ in predicate.params if param not in fields]
        if missing:
            raise ConfigError(f"claim {name}: {missing[0]} is missing")
        claim = Claim(predicate.name, tuple(fields[param] for param, _ in predicate.params))
        self.check(claim)
        return claim

    def schema(self) -> dict[str, Any]:
        """JSON Schema of one claim in a reply: one alternative a predicate, values as enums."""
        return {"anyOf": [self._alternative(predicate) for predicate in self.predicates.values()]}

    def _alternative(self, predicate: Predicate) -> dict[str, Any]:
        properties: dict[str, Any] = {"claim": {"const": predicate.name}}
        for param, domain in predicate.params:
            properties[param] = {"enum": list(self.domains[domain])}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
