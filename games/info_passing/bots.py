"""Scripted agents for the info-passing game. Each plays every role from its own view alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from liecraft.engine.agent import Agent, Reply, Request
from liecraft.engine.claims import Claim
from liecraft.engine.errors import ConfigError
from liecraft.engine.ledger import View
from liecraft.engine.seats import Seat
from liecraft.games.info_passing.belief import belief
from liecraft.games.info_passing.claims import Message, as_claims
from liecraft.games.info_passing.notes import DAMAGED, Notes, testimony


class Silent:
    """Sends, reports, asks, answers and names nothing."""

    def __init__(self, rng: np.random.Generator) -> None:
        del rng  # every agent is offered a stream; this one needs none

    def act(self, view: View, request: Request) -> Reply:
        return Reply(request.default)


class Honest:
    """Passes on what it heard most often, testifies to everything, names whom the audit seems to show.

    It takes each disagreement at face value: noise doesn't occur to it. As a saboteur it omits the slots that
    count, and never lies.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.notes: Notes | None = None
        self._named: set[Seat] = set()
        self._testified = False

    def act(self, view: View, request: Request) -> Reply:
        """Read the new events, then decide."""
        if self.notes is None:
            self.notes = Notes(view.seat)
        notes = self.notes
        notes.read(view)
        match request.phase:
            case "relay":
                return _speaking("send", self.message(notes))
            case "report":
                return _speaking("report", self.holding(notes))
            case "ask":
                neighbour = self.neighbour(notes)
                return self._testifying(f"ask:{neighbour}", "What did you hear, and what did you send?")
            case "answer":
                return self._testifying("answer")
        move = f"name:{self.suspect(notes) or 'none'}"
        self._named.add(move.partition(":")[2])
        return Reply(move if move in request.legal else request.default)

    def holding(self, notes: Notes) -> Message:
        """The bulletin, or of each slot the value heard most often, and of several such the last."""
        if notes.me in notes.sources:
            return dict(notes.bulletin)
        return {slot: self.weigh(notes, heard) for slot, heard in notes.arrived.items()}

    def weigh(self, notes: Notes, heard: Sequence[tuple[Seat, str]]) -> str | None:
        """Choose among the values that arrived."""
        if not heard:
            return None
        tally = Counter(value for _, value in heard)
        most = max(tally.values())
        return next(value for _, value in reversed(heard) if tally[value] == most)

    def message(self, notes: Notes) -> Message:
        """What it sends: what it holds; a saboteur leaves out what counts."""
        held = self.holding(notes)
        return {slot: value for slot, value in held.items() if slot not in notes.targets}

    def _testifying(self, move: str, question: str = "") -> Reply:
        """Testify, once a game: nothing that it could testify to changes in the audit."""
        if self.notes is None or self._testified:
            return Reply(move, question or "I have said what I know.")
        self._testified = True
        claims = self.testimony(self.notes)
        return Reply(move, f"{_account(claims)} {question}".strip(), tuple(claims))

    def testimony(self, notes: Notes) -> list[Claim]:
        """What it says in the audit."""
        return testimony(notes, notes.heard_by[notes.me], notes.sent)

    def neighbour(self, notes: Notes) -> Seat:
        """Whom to question: one who told it something that the audit shows to be wrong, or else the first."""
        wrong = (s for (s, slot), v in notes.heard_by[notes.me].items() if _is_wrong(notes, slot, v))
        return next(wrong, notes.neighbours()[0])

    def suspect(self, notes: Notes) -> Seat | None:
        """Whom to name: who told it something wrong, or whose word on a link is denied by its listener."""
        off = {*notes.cleared(), *self._named, notes.me, *notes.partners}
        for (speaker, slot), value in notes.heard_by[notes.me].items():
            if speaker not in off and _is_wrong(notes, slot, value):
                return speaker
        for listener, heard in notes.heard_by.items():
            for (speaker, slot), value in heard.items():
                sent = notes.sent_by.get(speaker, {})
                if speaker not in off and listener != notes.me and slot in sent and sent[slot] != value:
                    return speaker
        return None


class Bayes(Honest):
    """Weighs speakers by their distance from the sources, and names by Bayes' rule over the audit.

    Args:
        rng: The seat's own stream.
        threshold: It names nobody whose chance of being a saboteur, in its eyes, is below this.
    """

    def __init__(self, rng: np.random.Generator, threshold: float = 0.4) -> None:
        super().__init__(rng)
        if not 0 <= threshold <= 1:
            raise ConfigError(f"bot bayes: threshold must be from 0 to 1, got {threshold}")
        self.threshold = threshold

    def weigh(self, notes: Notes, heard: Sequence[tuple[Seat, str]]) -> str | None:
        """The value with most weight: each word counts by the chance that it came through unspoiled."""
        weight: dict[str, float] = {}
        senders = max(len(notes.seats) - len(notes.sinks), 1)
        spoilt = 1 - (1 - float(notes.config["noise"])) * (1 - int(notes.config["saboteurs"]) / (2 * senders))
        for speaker, value in heard:
            weight[value] = weight.get(value, 0.0) + (1 - spoilt) ** (notes.depth.get(speaker, 0) + 1)
        return max(weight, key=lambda value: weight[value], default=None)

    def belief(self) -> dict[Seat, float]:
        """Chance that each seat is a saboteur, in this seat's eyes; empty before its first turn."""
        return belief(self.notes) if self.notes else {}

    def probe(self, view: View, seats: Sequence[Seat]) -> dict[Seat, float]:
        """Answer a probe: a saboteur with what it knows, if it knows the others."""
        if self.notes is None:
            self.notes = Notes(view.seat)
        self.notes.read(view)
        seen = belief(self.notes)
        if self.notes.saboteur and self.notes.config["partners"]:
            seen = {seat: float(seat in self.notes.partners) for seat in seen}
        return {seat: seen[seat] for seat in seats}

    def neighbour(self, notes: Notes) -> Seat:
        """The neighbour that it suspects most, the ones who speak to it first."""
        seen = belief(notes)
        return max(notes.neighbours(), key=lambda seat: seen[seat])

    def suspect(self, notes: Notes) -> Seat | None:
        """The seat most likely a saboteur; saboteurs name the honest seat that looks most like one."""
        seen = belief(notes)
        off = {*notes.cleared(), *self._named, notes.me, *notes.partners}
        chances = {seat: chance for seat, chance in seen.items() if seat not in off}
        best = max(chances.values(), default=0.0)
        if not chances or (best < self.threshold and not notes.saboteur):
            return None
        likely = [seat for seat, chance in chances.items() if chance > best - 1e-9]
        return likely[int(self.rng.integers(len(likely)))]


class Saboteur(Bayes):
    """Spoils slots in the relay and covers it up in the audit; as an honest seat it plays as `bayes`.

    Args:
        rng: The seat's own stream.
        lie_rate: Chance for each slot that it attacks to be changed rather than told as known. Drawn once a
            slot, so that several waves agree.
        targets: `assigned` attacks the slots that count, `all` every slot.
        cover: In the audit, claim to have heard what it sent; without it, say nothing there. With
            `targets="all", cover=False` the share of lies among all its claims is `lie_rate`.
    """

    def __init__(
        self, rng: np.random.Generator, lie_rate: float = 1.0, targets: str = "assigned", cover: bool = True
    ) -> None:
        super().__init__(rng)
        if not 0 <= lie_rate <= 1:
            raise ConfigError(f"bot saboteur: lie_rate must be from 0 to 1, got {lie_rate}")
        if targets not in ("assigned", "all"):
            raise ConfigError(f"bot saboteur: targets must be 'assigned' or 'all', got {targets!r}")
        self.lie_rate = lie_rate
        self.attack = targets
        self.cover = cover
        self._story: Message | None = None

    def message(self, notes: Notes) -> Message:
        """What it holds, or without cover the truth as far as it knows it, save the slots that it changes."""
        if not notes.saboteur:
            return super().message(notes)
        held = self.holding(notes)
        known = {**held, **notes.bulletin}
        if self._story is None:
            attacked = notes.slots if self.attack == "all" else notes.targets
            lies = [slot for slot in attacked if self.rng.random() < self.lie_rate]
            self._story = {slot: self._false(notes, slot, held[slot], known[slot]) for slot in lies}
        message = {**(held if self.cover else known), **self._story}
        return {slot: value for slot, value in message.items() if value is not None}

    def _false(self, notes: Notes, slot: str, held: str | None, known: str | None) -> str | None:
        """What came in wrong already can stay; where nothing is known, a change can't be told from the truth."""
        return held if held != known and held is not None else known and self._other(notes, slot, known)

    def _other(self, notes: Notes, slot: str, value: str) -> str:
        said = {other for _, other in notes.arrived[slot]}
        free = [v for v in notes.slots[slot] if v != value and v not in said]
        free = free or [v for v in notes.slots[slot] if v != value]
        return free[int(self.rng.integers(len(free)))]

    def testimony(self, notes: Notes) -> list[Claim]:
        """Says that it heard what it sent; a source, that it sent what the audit shows."""
        if not notes.saboteur:
            return super().testimony(notes)
        if not self.cover:
            return []
        story = self._story or {}
        if notes.me in notes.sources:
            return testimony(notes, notes.heard_by[notes.me], {**notes.sent, **notes.bulletin})
        told = notes.heard_by[notes.me]
        heard = {(s, slot): story.get(slot) or value for (s, slot), value in told.items()}
        return testimony(notes, heard, notes.sent)


def _is_wrong(notes: Notes, slot: str, value: str | None) -> bool:
    return slot in notes.audited and value not in (None, DAMAGED, notes.known[slot])


def _speaking(move: str, message: Message) -> Reply:
    told = ", ".join(f"{slot} is {value}" for slot, value in message.items() if value)
    unknown = ", ".join(slot for slot, value in message.items() if value is None)
    text = f"{told}." if told else ""
    if unknown:
        text = f"{text} I don't know: {unknown}.".strip()
    return Reply(move, text, as_claims(message))


def _account(claims: Sequence[Claim]) -> str:
    """Testimony in words, sorted by who is spoken of."""
    parts: dict[str, list[str]] = {}
    for claim in claims:
        match (claim.predicate, *claim.args):
            case "heard", speaker, slot, value:
                parts.setdefault(f"{speaker} told me", []).append(f"{slot} is {value}")
            case "heard_nothing", speaker, slot:
                parts.setdefault(f"{speaker} told me nothing of", []).append(str(slot))
            case "damaged", speaker, slot:
                parts.setdefault(f"{speaker} was damaged on", []).append(str(slot))
            case "sent", slot, value:
                parts.setdefault("I passed on", []).append(f"{slot} is {value}")
            case "sent_nothing", slot:
                parts.setdefault("I passed on nothing of", []).append(str(slot))
    told = "; ".join(f"{start} {', '.join(facts)}" for start, facts in parts.items())
    return f"{told}." if told else ""


BOTS: Mapping[str, Callable[..., Agent]] = {
    "honest": Honest,
    "silent": Silent,
    "bayes": Bayes,
    "saboteur": Saboteur,
}
