"""README, "Claims": what is true, what the speaker could know, and the class of each claim."""

from __future__ import annotations

from dataclasses import replace

import pytest

from liecraft.engine.errors import IllegalMove
from tests.games.conflicting_evidence.table import TEXTS, Table, case, claim

# player_0 holds e1 e2, player_1 e1 e3 e5(trap), player_2 e1 e4 e6(trap) e7(text)


@pytest.mark.parametrize(
    ("said", "support", "found"),
    [
        ("says(e2, a, flow, fails)", "entailed", "true"),
        ("says(e2, a, flow, meets)", "refuted", "lie"),
        ("says(e2, b, flow, fails)", "refuted", "lie"),
        ("says(e3, b, depth, meets)", "none", "bluff"),
        ("says(e3, b, depth, fails)", "none", "bluff"),
        ("says(e7, b, depth, fails)", "none", None),
        ("stressed(e2, 2)", "entailed", "true"),
        ("stressed(e2, 5)", "refuted", "lie"),
        ("sourced(e2, 5, 2030)", "entailed", "true"),
        ("sourced(e2, 4, 2030)", "refuted", "lie"),
        ("sourced(e2, 5, 2029)", "refuted", "lie"),
        ("sourced(e7, 5, 2029)", "none", None),
        ("derives(e2, e1)", "refuted", "lie"),
        ("derives(e4, e3)", "none", "bluff"),
        ("conflict(e1, e2)", "refuted", "lie"),
        ("conflict(e4, e5)", "none", "bluff"),
        ("conflict(e4, e7)", "none", None),
        ("met(a, flow, fails)", "supported", "true"),
        ("met(a, flow, meets)", "refuted", "lie"),
        ("met(b, flow, meets)", "none", "bluff"),
        ("met(c, flow, meets)", "none", None),
        ("cites(e2)", "entailed", "true"),
        ("cites(e3)", "refuted", "lie"),
        ("favours(e1, a)", "none", None),
        ("doubts(e3)", "none", None),
        ("prefer(a)", "none", None),
        ("suspect(player_1)", "none", None),
        ("trust(player_1)", "none", None),
    ],
)
def test_what_player_0_says_first(said: str, support: str, found: str | None) -> None:
    assert Table().do("say", "", [claim(said)]).verdicts() == [(support, found)]


@pytest.mark.parametrize(
    ("said", "support", "found"),
    [
        ("says(e5, b, flow, fails)", "supported", "true"),
        ("says(e5, b, flow, meets)", "none", "bluff"),
        ("stressed(e5, 4)", "supported", "true"),
        ("sourced(e5, 1, 2031)", "supported", "true"),
        ("derives(e5, e4)", "supported", "true"),
        ("met(b, flow, fails)", "supported", "mistake"),
        ("conflict(e5, e4)", "entailed", "true"),
    ],
)
def test_what_player_2_says_after_hearing_a_trap(said: str, support: str, found: str) -> None:
    """Passing on a trap as it stands is true; to claim that it is so is a mistake."""
    table = Table().do("pass").do("share:2")
    if said.startswith("conflict"):
        support = "supported"  # it holds only one of the two
    assert table.do("say", "", [claim(said)]).verdicts() == [(support, found)]


def test_a_falsehood_heard_and_passed_on_is_a_mistake() -> None:
    table = Table().do("pass").do("twist:1")
    assert table.do("say", "", [claim("says(e3, b, depth, fails)")]).verdicts() == [("supported", "mistake")]


def test_one_s_own_words_support_nothing() -> None:
    table = Table().do("say", "", [claim("says(e3, b, depth, fails)")]).do("pass").do("pass")
    while table.seat != 0:
        table.do("pass")
    assert table.do("say", "", [claim("says(e3, b, depth, fails)")]).verdicts() == [("none", "bluff")]
    assert table.events("verdicts")[-1].actor == "player_0"


def test_against_all_that_one_knows_and_yet_true_is_no_lie() -> None:
    """player_1 holds only the trap that says that b fails."""
    table = Table().do("pass")
    assert table.do("say", "", [claim("met(b, flow, meets)")]).verdicts() == [("none", "bluff")]


@pytest.mark.parametrize(
    "said", ["says(e9, a, flow, fails)", "met(a, other, fails)", "prefer(d)", "cites(1)"]
)
def test_a_claim_outside_the_case_is_refused(said: str) -> None:
    table = Table()
    before = table.env.ledger.digest()
    with pytest.raises(IllegalMove):
        table.do("say", "", [claim(said)])
    assert table.env.ledger.digest() == before


def test_praise_beside_the_point_is_about_other() -> None:
    table = Table().do("pass").do("pass").do("share:2")
    assert table.last("speech")["claims"][0] == ("says", "e6", "a", "other", "meets")


def test_a_case_of_texts_has_no_claims_about_content_or_sources() -> None:
    texts = tuple(TEXTS[0].__class__(f"e{i}", i == 1, f"Text {i}.") for i in range(1, 5))
    table = Table(
        hands=(("e1", "e2"), ("e1", "e3"), ("e1", "e4")),
        dealt=replace(case(texts), criteria=(), today=""),
        condition="distributed",
    )
    assert table.env.words is not None
    assert set(table.env.words.predicates) == {"cites", "favours", "doubts", "prefer", "suspect", "trust"}


def test_the_years_that_can_be_named_do_not_tell_how_old_the_oldest_item_is() -> None:
    assert Table().env.words is not None
    domains = [
        t.env.words.domains["year"]
        for t in (
            Table(),
            Table(dealt=case(case().without_traps().items), hands=(("e1", "e2"), ("e1", "e3"), ("e1", "e4"))),
        )
        if t.env.words
    ]
    assert domains[0] == domains[1] == tuple(range(1991, 2032))
