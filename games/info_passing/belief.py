"""Who is a saboteur, judged from the audit: Bayes' rule over who could have caused what is testified.

Every pair of testimonies on one link and slot either agrees or not, and every relay's own account either hangs
together or not. Honest seats disagree about a link only through noise; a saboteur makes for disagreement
because it changes what it passes on, or what it says of it. The rates below are what the scripted saboteurs do
to a slot on average; they are a model, not knowledge of who plays.
"""

from __future__ import annotations

from itertools import combinations
from math import exp, log

from liecraft.engine.seats import Seat
from liecraft.games.info_passing.notes import DAMAGED, Notes

MISDEED = 0.4
"""Chance that a saboteur spoils a given slot."""
SLIP = 0.02
"""Chance that an honest seat's own account doesn't hang together: it weighed several speakers, or erred."""
MAX_SETS = 400
"""Up to so many sets of suspects are weighed exactly; beyond, seats are weighed one by one."""


class Suspicion:
    """Weights of evidence: log likelihood ratios of "one of these seats is a saboteur" to "none is"."""

    def __init__(self, seats: list[Seat]) -> None:
        self.single = dict.fromkeys(seats, 0.0)
        self.joint: dict[tuple[Seat, Seat], float] = {}

    def add(self, seats: tuple[Seat, ...], bad: bool, honest: float, guilty: float) -> None:
        """Count one observation that goes wrong with chance `honest` or `guilty`."""
        ratio = log(guilty / honest) if bad else log((1 - guilty) / (1 - honest))
        suspects = [seat for seat in seats if seat in self.single]
        for seat in suspects:
            self.single[seat] += ratio
        if len(suspects) == 2:
            pair = (suspects[0], suspects[1])
            self.joint[pair] = self.joint.get(pair, 0.0) + ratio

    def of(self, group: tuple[Seat, ...]) -> float:
        """Weight of "exactly these are saboteurs"; what two of them share counts once."""
        weight = sum(self.single[seat] for seat in group)
        if len(group) > 1 and self.joint:
            members = set(group)
            weight -= sum(r for (a, b), r in self.joint.items() if a in members and b in members)
        return weight


def belief(notes: Notes) -> dict[Seat, float]:
    """Chance that each seat is a saboteur, in the eyes of the notes' owner, in [0, 1].

    An honest owner counts itself out; a saboteur reckons as an onlooker would. Sums to the number of saboteurs.
    """
    suspects = [seat for seat in notes.seats if seat not in notes.cleared()]
    count = int(notes.config["saboteurs"])
    if not suspects or not count:
        return dict.fromkeys(notes.seats, 0.0)
    suspicion = Suspicion(suspects)
    _weigh_links(notes, suspicion)
    _weigh_accounts(notes, suspicion)
    shares = _shares(suspicion, suspects, count)
    return {seat: shares.get(seat, 0.0) for seat in notes.seats}


def _weigh_links(notes: Notes, suspicion: Suspicion) -> None:
    noise = min(max(float(notes.config["noise"]), 0.005), 0.5)
    unmarked = max(noise * (1 - float(notes.config["noise_marked"])), 0.005)
    guilty = MISDEED + unmarked * (1 - MISDEED)
    for listener, heard in notes.heard_by.items():
        for (speaker, slot), value in heard.items():
            if speaker not in notes.speakers[listener] or value == DAMAGED:
                continue
            sent = notes.sent_by[speaker]
            if slot in sent:
                suspicion.add((speaker, listener), sent[slot] != value, unmarked, guilty)
            elif speaker in notes.sources and slot in notes.known:
                suspicion.add((speaker, listener), notes.known[slot] != value, unmarked, guilty)


def _weigh_accounts(notes: Notes, suspicion: Suspicion) -> None:
    for seat in suspicion.single:
        sent, heard = notes.sent_by[seat], notes.heard_by[seat]
        for slot, value in sent.items():
            if seat in notes.sources:
                if slot in notes.known:
                    suspicion.add((seat,), value != notes.known[slot], SLIP, MISDEED)
                continue
            told = [heard[s, slot] for s in notes.speakers[seat] if (s, slot) in heard]
            if told:
                values = {v for v in told if v not in (None, DAMAGED)}
                sound = value in values or (value is None and not values)
                # A saboteur that lies of its deeds tells a sound story; half of them are thought to.
                suspicion.add((seat,), not sound, SLIP, MISDEED / 2)


def _shares(suspicion: Suspicion, suspects: list[Seat], count: int) -> dict[Seat, float]:
    count = min(count, len(suspects))
    groups = list(combinations(suspects, count)) if count <= 2 else []
    if not groups or len(groups) > MAX_SETS:
        return _one_by_one(suspicion, suspects, count)
    weights = [suspicion.of(group) for group in groups]
    top = max(weights)
    chances = [exp(weight - top) for weight in weights]
    total = sum(chances)
    shares = dict.fromkeys(suspects, 0.0)
    for group, chance in zip(groups, chances, strict=True):
        for seat in group:
            shares[seat] += chance / total
    return shares


def _one_by_one(suspicion: Suspicion, suspects: list[Seat], count: int) -> dict[Seat, float]:
    """Odds of each seat by itself, scaled until they sum to the number of saboteurs."""
    prior = log(count / max(len(suspects) - count, 0.5))
    odds = {seat: exp(min(suspicion.single[seat] + prior, 50.0)) for seat in suspects}
    chances = {seat: value / (1 + value) for seat, value in odds.items()}
    scale = count / max(sum(chances.values()), 1e-9)
    return {seat: min(1.0, chance * scale) for seat, chance in chances.items()}
