"""Counting votes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from liecraft.engine.ballots import ABSTAIN, Majority, count
from liecraft.engine.seats import Seat
from tests.engine.strategies import SEATS

ballots = st.dictionaries(st.sampled_from(SEATS), st.sampled_from([*SEATS, ABSTAIN]))


@given(ballots)
def test_every_ballot_is_counted_once(votes: dict[Seat, str]) -> None:
    assert sum(count(votes).tally.values()) == len(votes)


@given(ballots)
def test_the_top_has_more_votes_than_anybody_else_and_an_abstention_is_never_chosen(
    votes: dict[Seat, str],
) -> None:
    top, tally = count(votes)
    named = {seat: number for seat, number in tally.items() if seat != ABSTAIN}
    assert list(top) == sorted(seat for seat in named if named[seat] == max(named.values()))
    assert ABSTAIN not in top


@given(ballots)
def test_an_absolute_majority_is_more_than_half_of_all_ballots_and_never_a_tie(
    votes: dict[Seat, str],
) -> None:
    top = count(votes, Majority.ABSOLUTE).top
    assert len(top) <= 1
    for seat in SEATS:
        assert (seat in top) == (2 * list(votes.values()).count(seat) > len(votes))


@given(ballots, st.permutations(SEATS))
def test_the_order_of_ballots_is_no_matter(votes: dict[Seat, str], order: list[Seat]) -> None:
    shuffled = {seat: votes[seat] for seat in order if seat in votes}
    assert count(votes) == count(shuffled)
