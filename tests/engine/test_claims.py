"""Claims: well formed or refused in one line; their schema; their classes."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liecraft.engine.claims import Claim, ClaimClass, Predicate, Support, Vocabulary, classify
from liecraft.engine.errors import ConfigError, UnknownName

WORDS = Vocabulary(
    [
        Predicate("saw", (("seat", "seat"), ("room", "room"), ("round", "round"))),
        Predicate("suspect", (("seat", "seat"),), opinion=True),
        Predicate("nothing"),
    ],
    {"seat": ["player_0", "player_1"], "room": ["hall", "study"], "round": range(3)},
)
good = st.sampled_from(list(WORDS.predicates.values())).flatmap(
    lambda predicate: st.tuples(
        *(st.sampled_from(WORDS.domains[domain]) for _, domain in predicate.params)
    ).map(lambda args: Claim(predicate.name, args))
)
anything = (
    st.none()
    | st.booleans()
    | st.integers(-1, 4)
    | st.floats(0, 3)
    | st.sampled_from(["hall", "player_0", ""])
)
objects = st.dictionaries(
    st.sampled_from(["claim", "seat", "room", "round", "x"]), anything | st.just("saw"), max_size=5
)


def as_object(claim: Claim) -> dict[str, Any]:
    names = [name for name, _ in WORDS.predicates[claim.predicate].params]
    return {"claim": claim.predicate, **dict(zip(names, claim.args, strict=True))}


@given(good)
def test_a_well_formed_claim_is_read_back_and_fits_the_schema(claim: Claim) -> None:
    WORDS.check(claim)
    assert WORDS.parse(as_object(claim)) == claim
    jsonschema.validate(as_object(claim), WORDS.schema())
    assert claim.as_json() == [claim.predicate, *claim.args]


@given(objects)
def test_what_is_read_is_well_formed_and_what_the_schema_accepts_is_read(fields: dict[str, Any]) -> None:
    schema = jsonschema.Draft202012Validator(WORDS.schema())
    try:
        claim = WORDS.parse(fields)
    except ConfigError as error:
        assert "\n" not in str(error)
        # JSON Schema knows one kind of number; 1.0 is refused here all the same
        assert not schema.is_valid(fields) or any(isinstance(value, float) for value in fields.values())
    else:
        WORDS.check(claim)
        assert all(type(value) in (str, int) for value in claim.args)


def test_the_schema_itself_is_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(WORDS.schema())


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (Claim("swa", ("player_0",)), "unknown claim 'swa': did you mean 'saw'"),
        (Claim("suspect", ()), r"suspect\(\): suspect takes \(seat\)"),
        (
            Claim("suspect", ("player_9",)),
            r"suspect\(player_9\): seat must be one of \['player_0', 'player_1'\]",
        ),
        (Claim("saw", ("player_0", "hall", 1.0)), r"round must be one of \[0, 1, 2\]"),  # type: ignore[arg-type]  # the point
        (Claim("saw", ("player_0", "hall", True)), r"round must be one of \[0, 1, 2\]"),
    ],
)
def test_a_malformed_claim_is_refused_in_one_line(claim: Claim, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        WORDS.check(claim)
    assert "\n" not in str(error.value)


def test_a_missing_parameter_and_an_unknown_domain_are_named() -> None:
    with pytest.raises(ConfigError, match="claim saw: room is missing"):
        WORDS.parse({"claim": "saw", "seat": "player_0"})
    with pytest.raises(UnknownName, match="unknown domain in saw 'romo': did you mean 'room'"):
        Vocabulary([Predicate("saw", (("room", "romo"),))], {"room": []})


def test_opinions_are_known_by_their_kind() -> None:
    assert WORDS.is_opinion(Claim("suspect", ("player_0",)))
    assert not WORDS.is_opinion(Claim("nothing"))


@pytest.mark.parametrize(
    ("truth", "support", "found"),
    [
        (None, Support.NONE, None),
        (None, Support.REFUTED, None),
        (True, Support.ENTAILED, ClaimClass.TRUE),
        (True, Support.SUPPORTED, ClaimClass.TRUE),
        (True, Support.NONE, ClaimClass.BLUFF),
        (True, Support.REFUTED, ClaimClass.LIE),
        (False, Support.SUPPORTED, ClaimClass.MISTAKE),
        (False, Support.ENTAILED, ClaimClass.MISTAKE),
        (False, Support.NONE, ClaimClass.BLUFF),
        (False, Support.REFUTED, ClaimClass.LIE),
    ],
)
def test_the_class_follows_from_truth_and_what_the_speaker_knew(
    truth: bool | None, support: Support, found: ClaimClass | None
) -> None:
    assert classify(truth, support) is found
