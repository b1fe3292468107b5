"""What was sent, what arrived and who knows what: the ground on which claims are true, and known to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from liecraft.engine.claims import Claim, Support
from liecraft.engine.seats import Seat
from liecraft.games.info_passing.claims import Message
from liecraft.games.info_passing.world import HONEST, SABOTEUR


class Record:
    """The record of one game, kept as it is played.

    Args:
        bulletin: Slot to its true value.
        role: Role of each seat.
        knowers: Seats that know the bulletin.
        sources: Knowers whose place it is to know it.
        cleared: Seats known to everyone as honest.
        partners: Whether saboteurs know each other.
    """

    def __init__(
        self,
        bulletin: Mapping[str, str],
        role: Mapping[Seat, str],
        knowers: Iterable[Seat],
        sources: Iterable[Seat],
        cleared: Iterable[Seat],
        partners: bool,
    ) -> None:
        self._bulletin = bulletin
        self._role = role
        self._knowers = frozenset(knowers)
        self._sources = frozenset(sources)
        self._cleared = frozenset(cleared)
        self._saboteurs = frozenset(seat for seat, name in role.items() if name == SABOTEUR)
        self._partners = partners or len(self._saboteurs) == 1
        # By listener and slot: unmarked values in the order in which they arrived, each with its speaker.
        self._arrived: dict[Seat, dict[str, list[tuple[Seat, str]]]] = {
            seat: {slot: [] for slot in bulletin} for seat in role
        }
        self._heard: dict[Seat, set[tuple[Seat, str, str]]] = {seat: set() for seat in role}
        self._damaged: dict[Seat, set[tuple[Seat, str]]] = {seat: set() for seat in role}
        self._sent: dict[Seat, set[tuple[str, str]]] = {seat: set() for seat in role}
        self._latest: dict[Seat, Message] = {seat: {} for seat in role}
        self._public: dict[str, list[tuple[Seat, str]]] = {slot: [] for slot in bulletin}
        self._disclosed: set[str] = set()

    # --- what happened ---------------------------------------------------------------------------------

    def send(self, speaker: Seat, message: Message) -> None:
        """A message as it was sent."""
        stated = {slot: value for slot, value in message.items() if value is not None}
        self._sent[speaker].update(stated.items())
        self._latest[speaker].update(stated)

    def arrive(self, listener: Seat, speaker: Seat, message: Message, marked: Sequence[str]) -> None:
        """A message as it arrived, with the slots that were marked as damaged."""
        self._damaged[listener].update((speaker, slot) for slot in marked)
        for slot, value in message.items():
            if value is not None:
                self._heard[listener].add((speaker, slot, value))
                if slot not in marked:
                    self._arrived[listener][slot].append((speaker, value))

    def state(self, speaker: Seat, message: Message) -> None:
        """A statement that everyone heard."""
        for slot, value in message.items():
            if value is not None:
                self._public[slot].append((speaker, value))

    def disclose(self, slots: Iterable[str]) -> None:
        """Slots whose true value is now known to everyone."""
        self._disclosed.update(slots)

    # --- what a seat holds -----------------------------------------------------------------------------

    def held(self, seat: Seat) -> Message:
        """What a faithful relay would pass on.

        A source holds the bulletin. Any other seat holds, of each slot, the value it heard most often, of
        several such the one that it heard last, and None if it heard none; damaged values aren't counted.
        """
        if seat in self._sources:
            return dict(self._bulletin)
        return {slot: _most(arrived) for slot, arrived in self._arrived[seat].items()}

    def told(self, seat: Seat, speaker: Seat) -> Message:
        """What one speaker told a seat, slot by slot the last that arrived unmarked; None where nothing did."""
        return {
            slot: next((value for other, value in reversed(arrived) if other == speaker), None)
            for slot, arrived in self._arrived[seat].items()
        }

    def heard_from(self, seat: Seat, speaker: Seat, slot: str) -> str | None:
        """The last value of a slot that arrived from a speaker unmarked."""
        arrived = self._arrived[seat][slot]
        return next((value for other, value in reversed(arrived) if other == speaker), None)

    def is_damaged(self, seat: Seat, speaker: Seat, slot: str) -> bool:
        """Whether something of a slot reached the seat marked as damaged."""
        return (speaker, slot) in self._damaged[seat]

    def last_sent(self, seat: Seat, slot: str) -> str | None:
        """The last value of a slot that a seat sent."""
        return self._latest[seat].get(slot)

    def known(self, seat: Seat, slot: str) -> str | None:
        """A slot's true value if the seat's view entails it."""
        return self._bulletin[slot] if seat in self._knowers or slot in self._disclosed else None

    def values(self, seat: Seat, slot: str) -> frozenset[str]:
        """The values of a slot that speak from a seat's view: the true one if known, else all it has heard."""
        known = self.known(seat, slot)
        if known is not None:
            return frozenset((known,))
        public = (value for speaker, value in self._public[slot] if speaker != seat)
        return frozenset((*(value for _, value in self._arrived[seat][slot]), *public))

    # --- claims ----------------------------------------------------------------------------------------

    def truth(self, claim: Claim, speaker: Seat) -> bool | None:
        """Whether a claim is true; None for opinions."""
        predicate, args = claim
        match predicate, *args:
            case "slot_is", slot, value:
                return self._bulletin[str(slot)] == value
            case "dont_know", slot:
                return len(self.values(speaker, str(slot))) != 1
            case "heard", *_:
                return args in self._heard[speaker]
            case "heard_nothing", sender, slot:
                return not any((s, t) == (sender, slot) for s, t, _ in self._heard[speaker])
            case "damaged", *_:
                return args in self._damaged[speaker]
            case "sent", *_:
                return args in self._sent[speaker]
            case "sent_nothing", slot:
                return all(sent != slot for sent, _ in self._sent[speaker])
            case "role", seat, role:
                return self._role[str(seat)] == role
            case _:
                return None

    def support(self, claim: Claim, speaker: Seat) -> Support:
        """What the speaker's own view says: exact of its own acts, evidence of the bulletin."""
        predicate, args = claim
        if predicate == "slot_is":
            return self._support_value(speaker, str(args[0]), str(args[1]))
        if predicate == "role":
            known = self.known_role(speaker, str(args[0]))
            if known is None:
                return Support.NONE
            return Support.ENTAILED if known == args[1] else Support.REFUTED
        truth = self.truth(claim, speaker)
        if truth is None:
            return Support.NONE
        return Support.ENTAILED if truth else Support.REFUTED

    def _support_value(self, speaker: Seat, slot: str, value: str) -> Support:
        """A value is refuted if everything that speaks of the slot says another."""
        if self.known(speaker, slot) is not None:
            return Support.ENTAILED if self.known(speaker, slot) == value else Support.REFUTED
        values = self.values(speaker, slot)
        if not values:
            return Support.NONE
        return Support.SUPPORTED if value in values else Support.REFUTED

    def known_role(self, speaker: Seat, seat: Seat) -> str | None:
        """A role that the speaker's view entails: its own, the cleared, and those that partners know."""
        insider = speaker in self._saboteurs and self._partners
        if seat == speaker or insider or not self._saboteurs:
            return self._role[seat]
        return HONEST if seat in self._cleared else None


def _most(arrived: Sequence[tuple[Seat, str]]) -> str | None:
    if not arrived:
        return None
    tally = Counter(value for _, value in arrived)
    most = max(tally.values())
    return next(value for _, value in reversed(arrived) if tally[value] == most)
