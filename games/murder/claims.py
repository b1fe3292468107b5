"""What can be claimed in a murder game, and the domains of the arguments."""

from __future__ import annotations

from collections.abc import Sequence

from liecraft.engine.claims import Predicate, Vocabulary
from liecraft.engine.seats import Seat

PREDICATES = (
    Predicate("was_in", (("room", "room"), ("round", "round"))),
    Predicate("saw", (("seat", "seat"), ("room", "room"), ("round", "round"))),
    Predicate("found_clue", (("seat", "seat"), ("round", "round"))),
    Predicate("found_key", (("round", "round"),)),
    Predicate("found_nothing", (("round", "round"),)),
    Predicate("saw_murder", (("killer", "seat"), ("victim", "seat"), ("round", "round"))),
    Predicate("role", (("seat", "seat"), ("role", "role"))),
    Predicate("suspect", (("seat", "seat"),), opinion=True),
    Predicate("trust", (("seat", "seat"),), opinion=True),
    Predicate("will_vote", (("target", "ballot"),), opinion=True),
)


def vocabulary(seats: Sequence[Seat], rooms: Sequence[str], roles: Sequence[str], rounds: int) -> Vocabulary:
    """The vocabulary under one configuration; rounds count from 0, the beginning in the hall."""
    return Vocabulary(
        PREDICATES,
        {
            "seat": seats,
            "room": rooms,
            "role": roles,
            "round": range(rounds + 1),
            "ballot": [*seats, "none"],
        },
    )
