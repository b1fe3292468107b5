"""What bots say: claims, and the plain sentences that hold the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from liecraft.engine.claims import Claim
from liecraft.engine.seats import Seat
from liecraft.games.murder.notes import Notes

_SENTENCES = {
    "was_in": "In round {1} I was in the {0}.",
    "saw": "In round {2} I saw {0} in the {1}.",
    "found_clue": "In round {1} I found a clue that points to {0}.",
    "found_key": "In round {0} I found the key.",
    "found_nothing": "My search in round {0} found nothing.",
    "saw_murder": "In round {2} I saw {0} murder {1}!",
    "role": "{0} is: {1}.",
    "suspect": "I suspect {0}.",
    "trust": "I trust {0}.",
    "will_vote": "I will vote for {0}.",
}


def sentences(claims: Iterable[Claim]) -> str:
    """The claims in words, one sentence each, in order.

    >>> sentences([Claim("was_in", ("kitchen", 2)), Claim("suspect", ("player_3",))])
    'In round 2 I was in the kitchen. I suspect player_3.'
    """
    return " ".join(_sentence(claim) for claim in claims)


def _sentence(claim: Claim) -> str:
    predicate, args = claim
    if predicate == "will_vote" and args[0] == "none":
        return "I will vote for nobody."
    return _SENTENCES[predicate].format(*args)


def rounds_to_tell(notes: Notes) -> list[int]:
    """Rounds since the last meeting, latest first."""
    return [round_ for round_ in reversed(notes.window) if round_ in notes.rooms]


def whereabouts(notes: Notes, rounds: Iterable[int]) -> Iterator[Claim]:
    """True claims of place: whom the seat saw, or where it was if it was alone; sighting says both."""
    for round_ in rounds:
        room, here = notes.rooms[round_], notes.here[round_]
        if not here:
            yield Claim("was_in", (room, round_))
        for other in here:
            yield Claim("saw", (other, room, round_))


def findings(notes: Notes) -> Iterator[Claim]:
    """True claims of clues and murders, the gravest first; the key stays a secret."""
    for killer, victim, round_ in notes.witnessed:
        yield Claim("saw_murder", (killer, victim, round_))
    for named, round_ in reversed(notes.clues):
        yield Claim("found_clue", (named, round_))


def blanks(notes: Notes) -> Iterator[Claim]:
    """True claims of rooms found empty; each says where the seat was."""
    for round_, room in reversed(notes.blanks):
        yield Claim("was_in", (room, round_))
        yield Claim("found_nothing", (round_,))


def opinions(suspect: Seat | None) -> tuple[Claim, ...]:
    """Whom the seat suspects and will vote for; an announced abstention if nobody."""
    if suspect is None:
        return (Claim("will_vote", ("none",)),)
    return (Claim("suspect", (suspect,)), Claim("will_vote", (suspect,)))
