"""What happened and who perceived it: the ground on which claims are true, and known to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from liecraft.engine.claims import Claim, Support
from liecraft.engine.seats import Seat
from liecraft.games.murder.manor import CLUE, KEY, NOTHING, Murder, Sight

MURDERER = "murderer"
INNOCENT = "innocent"


class Memory:
    """The record of one game, kept as it is played.

    Args:
        role: Role of each seat.
        hall: Where all stand in round 0, each seeing all others.
    """

    def __init__(self, role: Mapping[Seat, str], hall: str) -> None:
        self._role = role
        self._murderers = {seat for seat, name in role.items() if name == MURDERER}
        self._trail: list[dict[Seat, str]] = [dict.fromkeys(role, hall)]
        self._sights = {seat: {(other, hall, 0) for other in role if other != seat} for seat in role}
        self._found: dict[Seat, set[tuple[str, int]]] = {seat: set() for seat in role}
        self._seen: dict[Seat, set[tuple[Seat, Seat, int]]] = {seat: set() for seat in role}
        self._open: dict[Seat, str] = {}

    def positions(self, at: Mapping[Seat, str]) -> None:
        """Where the living stand at the end of the next round."""
        self._trail.append(dict(at))

    def sight(self, seat: Seat, sight: Sight) -> None:
        """Whom a seat stood with at the end of the latest round."""
        round_ = len(self._trail) - 1
        self._sights[seat].update((other, sight.room, round_) for other in sight.here)

    def find(self, seat: Seat, thing: str, round_: int) -> None:
        """What a search found."""
        self._found[seat].add((thing, round_))

    def murder(self, seat: Seat, murder: Murder, round_: int) -> None:
        """A murder that a seat saw, or did; so it saw killer and victim in the room."""
        killer, victim, room = murder
        self._seen[seat].add((killer, victim, round_))
        self._sights[seat].update((other, room, round_) for other in (killer, victim) if other != seat)

    def publish(self, seats: Sequence[Seat]) -> None:
        """Roles that have become known to all, by reveal or by being a victim."""
        self._open.update((seat, self._role[seat]) for seat in seats)

    def truth(self, claim: Claim, speaker: Seat) -> bool | None:
        """Whether a claim is true; None for opinions and for rounds that are still to come."""
        predicate, args = claim
        if predicate == "role":
            return self._role[str(args[0])] == args[1]
        if predicate in ("suspect", "trust", "will_vote") or int(args[-1]) >= len(self._trail):
            return None
        match predicate, *args:
            case "was_in", room, int(round_):
                return self._trail[round_].get(speaker) == room
            case "saw", seat, room, round_:
                return (seat, room, round_) in self._sights[speaker]
            case "found_clue", seat, int(round_):
                return (f"{CLUE}:{seat}", round_) in self._found[speaker]
            case "found_key", int(round_):
                return (KEY, round_) in self._found[speaker]
            case "found_nothing", int(round_):
                return (NOTHING, round_) in self._found[speaker]
            case _:
                return args in self._seen[speaker]

    def support(self, claim: Claim, speaker: Seat) -> Support:
        """What the speaker's own view says: exact about what it lived through, evidence about roles."""
        if claim.predicate != "role":
            truth = self.truth(claim, speaker)
            if truth is None:
                return Support.NONE
            return Support.ENTAILED if truth else Support.REFUTED
        seat, role = str(claim.args[0]), claim.args[1]
        known = self.known_roles(speaker).get(seat)
        if known is not None:
            return Support.ENTAILED if known == role else Support.REFUTED
        named = any(thing == f"{CLUE}:{seat}" for thing, _ in self._found[speaker])
        return Support.SUPPORTED if named and role == MURDERER else Support.NONE

    def known_roles(self, speaker: Seat) -> dict[Seat, str]:
        """Roles that the speaker's view entails."""
        if speaker in self._murderers:
            return dict(self._role)
        killers = {killer for killer, _, _ in self._seen[speaker]}
        known = {speaker: INNOCENT, **self._open, **dict.fromkeys(killers, MURDERER)}
        if self._murderers <= {seat for seat, role in known.items() if role == MURDERER}:
            return dict(self._role)
        return known
