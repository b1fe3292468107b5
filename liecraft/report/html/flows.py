"""What went from seat to seat in one game: lies heard, votes cast, claims by round, beliefs stated.

Everything here is read off standard events, so it holds for any game that records them: `speech` and whatever
else carries an actor's claims, `verdicts`, `ballots`, `choices` with `result`, `phase`, `probe`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from liecraft.trace.reader import Trace, sees

Seat = str
CLASSES = ("lie", "bluff", "mistake", "true")
"""Epistemic classes of claims, in the order in which the report shows them."""
BINS = 10
"""Bins of a calibration curve, each a tenth wide."""


class Decision(NamedTuple):
    """One ballot, or one choice between options.

    Attributes:
        at: Place of its event in the ledger.
        voter: Who decided.
        target: The seat voted for; None for an option or an abstention.
        hit: Whether it named a deceiver, or the right option; None for an abstention.
    """

    at: int
    voter: Seat
    target: Seat | None
    hit: bool | None


class Misled(NamedTuple):
    """A truthful seat's decision after it had heard a lie of a deceiver's.

    Attributes:
        liar: Whose lie it had heard.
        listener: Who decided.
        fell: Whether it then decided against its own side; an abstention is not listed.
    """

    liar: Seat
    listener: Seat
    fell: bool


class Belief(NamedTuple):
    """A seat's stated probability that another one is a deceiver."""

    observer: Seat
    target: Seat
    probability: float


def decisions(trace: Trace) -> list[Decision]:
    """All ballots and choices, in order; none where the game has neither."""
    sides = trace.sides
    answer = next((event["data"].get("answer") for event in trace.of("result")), None)
    found = []
    for event in trace.of("ballots", "choices"):
        if event["kind"] == "ballots":
            for voter, target in event["data"]["votes"]:
                named = target in sides
                hit = sides[target] == "deceivers" if named else None
                found.append(Decision(event["i"], voter, target if named else None, hit))
        elif answer is not None:
            for voter, option, *_ in event["data"]["choices"]:
                hit = None if option == "none" else option == answer
                found.append(Decision(event["i"], voter, None, hit))
    return found


def misled(trace: Trace) -> list[Misled]:
    """For each decision of a truthful seat, one entry a deceiver whose lie it had heard by then."""
    sides = trace.sides
    hearings = list(_hearings(trace))
    found = []
    for decision in decisions(trace):
        if sides[decision.voter] != "truthful" or decision.hit is None:
            continue
        liars = {liar for at, liar, listener in hearings if at < decision.at and listener == decision.voter}
        found += [
            Misled(liar, decision.voter, not decision.hit)
            for liar in sorted(liars)
            if sides[liar] == "deceivers"
        ]
    return found


def _hearings(trace: Trace) -> Iterator[tuple[int, Seat, Seat]]:
    """Place in the ledger, liar, listener, for each lie that reached another seat.

    A lie counts where its claim is heard: in the speech itself, or in a later event that carries it on in the
    speaker's name, as a relayed message does.
    """
    lies: dict[Seat, set[tuple[Any, ...]]] = {}
    last: dict[Seat, dict[str, Any]] = {}
    for event in trace.events:
        actor = event["actor"]
        if actor is None:
            continue
        if event["kind"] == "verdicts" and actor in last:
            said = last[actor]
            verdicts = zip(said["data"]["claims"], event["data"]["verdicts"], strict=False)
            told = {tuple(claim) for claim, verdict in verdicts if verdict["class"] == "lie"}
            lies.setdefault(actor, set()).update(told)
            if told:
                yield from _reached(trace, said)
        elif event["data"].get("claims"):
            last[actor] = event
            if lies.get(actor, set()) & {tuple(claim) for claim in event["data"]["claims"]}:
                yield from _reached(trace, event)


def _reached(trace: Trace, event: dict[str, Any]) -> Iterator[tuple[int, Seat, Seat]]:
    actor = event["actor"]
    for seat in trace.seats:
        if seat != actor and sees(event["audience"], seat):
            yield event["i"], actor, seat


class RoundClaim(NamedTuple):
    """A claim with a truth value: in which round, by a seat of which side, of which class."""

    round: int
    side: str
    verdict: str


def claims_by_round(trace: Trace) -> list[RoundClaim]:
    """All claims that have a truth value, in order; the round is that of the phase they were made in."""
    sides = trace.sides
    round_, found = 0, []
    for event in trace.of("phase", "verdicts"):
        if event["kind"] == "phase":
            round_ = event["data"].get("round") or 0
        else:
            classes = (verdict["class"] for verdict in event["data"]["verdicts"])
            found += [RoundClaim(round_, sides[event["actor"]], name) for name in classes if name]
    return found


def beliefs_in(event: dict[str, Any]) -> Iterator[Belief]:
    """What one `probe` event says: data `beliefs` is a list of (seat, probability), the actor the observer."""
    for target, probability in event["data"]["beliefs"]:
        yield Belief(event["actor"], target, float(probability))


def beliefs(trace: Trace) -> list[Belief]:
    """All beliefs of truthful seats about others, in order: what a deceiver knows is no belief."""
    sides = trace.sides
    told: Iterable[Belief] = (belief for event in trace.of("probe") for belief in beliefs_in(event))
    return [
        belief for belief in told if sides[belief.observer] == "truthful" and belief.observer != belief.target
    ]


def bin_of(probability: float) -> int:
    """The bin of a calibration curve that a probability falls into.

    >>> bin_of(0.0), bin_of(0.29), bin_of(1.0)
    (0, 2, 9)
    """
    return min(BINS - 1, max(0, int(probability * BINS)))
