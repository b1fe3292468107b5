from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from liecraft.engine.ledger import EVERYONE, Ledger
from liecraft.report.html.flows import (
    BINS,
    Belief,
    Misled,
    RoundClaim,
    beliefs,
    bin_of,
    claims_by_round,
    decisions,
    misled,
)
from liecraft.report.html.gather import Sums, add_up
from liecraft.trace.writer import GameRecorder
from tests.report.made import phase, probe, say, trace_of, vote

LIE = (("saw", "player_1", "hall", 1), "lie")
TRUE = (("saw", "player_2", "hall", 1), "true")


def test_a_lie_counts_for_those_who_heard_it_before_they_decided() -> None:
    def act(ledger: Ledger, _: GameRecorder) -> None:
        vote(ledger, player_1="player_2")  # before the lie
        say(ledger, "player_0", [LIE], to=ledger.audience(["player_0", "player_1"]))
        vote(ledger, player_1="player_2", player_2="player_3")  # player_2 was not told
        vote(ledger, player_1="player_0", player_2="player_0", player_3="none")

    assert misled(trace_of(act)) == [
        Misled("player_0", "player_1", True),
        Misled("player_0", "player_1", False),
    ]


def test_true_claims_opinions_and_abstentions_mislead_nobody() -> None:
    def act(ledger: Ledger, _: GameRecorder) -> None:
        say(ledger, "player_0", [TRUE, (("suspect", "player_1"), None)])
        vote(ledger, player_1="player_2")
        say(ledger, "player_0", [LIE])
        vote(ledger, player_1="none", player_2="none")

    assert misled(trace_of(act)) == []


def test_a_lie_of_a_truthful_seat_is_not_counted_as_a_deceivers() -> None:
    def act(ledger: Ledger, _: GameRecorder) -> None:
        say(ledger, "player_1", [LIE])
        vote(ledger, player_2="player_3")

    assert misled(trace_of(act)) == []


def test_a_lie_that_is_relayed_reaches_whom_it_is_relayed_to() -> None:
    def act(ledger: Ledger, _: GameRecorder) -> None:
        own = ledger.audience(["player_0"])
        say(ledger, "player_0", [LIE], to=own)
        heard = {"text": "", "claims": (LIE[0],), "to": "player_2"}
        changed = {"text": "", "claims": (TRUE[0],), "to": "player_3"}
        ledger.record("heard", "player_0", heard, ledger.audience(["player_2"]))
        ledger.record("heard", "player_0", changed, ledger.audience(["player_3"]))
        vote(ledger, player_2="player_1", player_3="player_1")

    assert misled(trace_of(act)) == [Misled("player_0", "player_2", True)]


def test_choices_between_options_are_decisions_and_the_result_says_which_was_right() -> None:
    def act(ledger: Ledger, _: GameRecorder) -> None:
        choices = (("player_1", "a", "high", ()), ("player_2", "b", "low", ()), ("player_3", "none", "", ()))
        ledger.record("choices", None, {"choices": choices}, EVERYONE)
        ledger.record("result", None, {"choice": "a", "answer": "a"}, EVERYONE)

    assert [(d.voter, d.target, d.hit) for d in decisions(trace_of(act))] == [
        ("player_1", None, True),
        ("player_2", None, False),
        ("player_3", None, None),
    ]


def test_a_claim_belongs_to_the_round_of_its_phase() -> None:
    def act(ledger: Ledger, _: GameRecorder) -> None:
        phase(ledger, 2)
        say(ledger, "player_0", [LIE, (("suspect", "player_1"), None)])
        phase(ledger, 3)
        say(ledger, "player_1", [TRUE])

    assert claims_by_round(trace_of(act)) == [
        RoundClaim(2, "deceivers", "lie"),
        RoundClaim(3, "truthful", "true"),
    ]


def test_beliefs_are_those_of_truthful_seats_about_others() -> None:
    def act(ledger: Ledger, _: GameRecorder) -> None:
        probe(ledger, "player_0", player_1=0.5)
        probe(ledger, "player_1", player_0=0.75, player_1=0.0)

    trace = trace_of(act)
    assert beliefs(trace) == [Belief("player_1", "player_0", 0.75)]
    sums = Sums()
    add_up(sums, trace)
    assert dict(sums.beliefs) == {
        ("entrant_1", 7, "n"): 1,
        ("entrant_1", 7, "deceivers"): 1,
        ("entrant_1", 7, "millionths"): 750_000,
    }


def test_sums_count_only_ballots_of_truthful_seats() -> None:
    def act(ledger: Ledger, _: GameRecorder) -> None:
        vote(ledger, player_0="player_1", player_1="player_0", player_2="player_3", player_3="none")

    sums = Sums()
    add_up(sums, trace_of(act))
    assert dict(sums.votes) == {
        ("entrant_1", "entrant_0", "deceiver"): 1,
        ("entrant_2", "entrant_3", "truthful"): 1,
        ("entrant_3", "", "abstained"): 1,
    }


@given(st.floats(0, 1))
def test_every_probability_has_a_bin_that_holds_it(probability: float) -> None:
    found = bin_of(probability)
    assert 0 <= found < BINS
    assert found / BINS <= probability + 1e-9 and probability <= (found + 1) / BINS + 1e-9
