"""Scripted players of the murder game; each plays every role, from its own view alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from liecraft.engine.agent import Agent, Reply, Request
from liecraft.engine.claims import Claim
from liecraft.engine.ledger import View
from liecraft.engine.seats import Seat
from liecraft.games.murder.belief import Belief
from liecraft.games.murder.notes import Notes
from liecraft.games.murder.prowl import Hunter, innocent_act, pick
from liecraft.games.murder.speech import blanks, findings, opinions, rounds_to_tell, sentences, whereabouts
from liecraft.games.murder.story import Story

ABSTAIN = "none"


class Player:
    """What all have in common: notes, acts, and a belief that can be asked for.

    It searches as an innocent and hunts as a murderer. It says nothing, votes for whom it saw do it or for whom
    its own clues name, and else abstains. As a murderer it never votes for itself or its partner.

    Args:
        rng: The seat's own stream.
        boldness: Chance that, as a murderer, it kills a lone companion when it may.
        noise: Standard deviation of the noise on its belief's log-likelihoods.
    """

    def __init__(self, rng: np.random.Generator, boldness: float = 0.5, noise: float = 0.0) -> None:
        self.rng = rng
        self._noise = noise
        self._hunter = Hunter(boldness)
        self._notes: Notes | None = None
        self._mind: Belief | None = None
        self._posterior: dict[Seat, float] | None = None

    @property
    def notes(self) -> Notes:
        """What it has seen.

        Raises:
            RuntimeError: It has not seen a view yet.
        """
        if self._notes is None:
            raise RuntimeError("a player knows nothing before its first view")
        return self._notes

    def observe(self, view: View) -> None:
        """Take in what is new in the view."""
        if self._notes is None:
            self._notes = Notes(view.seat)
            self._mind = Belief(self._notes, view.seat, self._noise, self.rng)
        if self._notes.read(view):
            self._posterior = None

    def belief(self, view: View | None = None) -> dict[Seat, float]:
        """Probability of each seat to be a murderer, as of the last view (or of the one given)."""
        if view is not None:
            self.observe(view)
        if self.notes.murderer:
            return {seat: float(seat in self.notes.guilty) for seat in self.notes.seats}
        return dict(self._suspicion())

    def _stated(self, view: View, seats: Sequence[Seat]) -> dict[Seat, float]:
        """The belief about some seats, asked for aside: noise and memory are then as if it had not been."""
        self.observe(view)
        kept, state = self._posterior, self.rng.bit_generator.state
        belief = self.belief()
        self._posterior, self.rng.bit_generator.state = kept, state
        return {seat: belief[seat] for seat in seats}

    def _suspicion(self) -> Mapping[Seat, float]:
        """The belief of an innocent in this seat; a murderer uses it to guess what others think."""
        if self._posterior is None:
            assert self._mind is not None
            self._posterior = self._mind.posterior()
        return self._posterior

    def act(self, view: View, request: Request) -> Reply:
        """Decide on one request."""
        self.observe(view)
        if request.phase == "act":
            return Reply(self._act(request.legal))
        if request.phase == "vote":
            return Reply(self._ballot(request.legal))
        if request.phase == "answer":
            return self._utter("answer", self._limit(self._answer()))
        claims = self._limit(self._speak())
        to = self._ask()
        if to is not None and f"ask:{to}" in request.legal:
            return self._utter(f"ask:{to}", claims, f"{to}, where were you, and whom did you see?")
        return self._utter("say", claims) if claims else Reply("silent")

    def _utter(self, move: str, claims: Sequence[Claim], question: str = "") -> Reply:
        text = " ".join(part for part in (sentences(claims), question) if part)
        return Reply(move, text or "I have nothing to say.", tuple(claims))

    def _limit(self, claims: Sequence[Claim]) -> Sequence[Claim]:
        return claims[: self.notes.config["max_claims"]]

    def _act(self, legal: Sequence[str]) -> str:
        if self.notes.murderer:
            return self._hunter.act(self.notes, legal, self.rng)
        return innocent_act(self.notes, legal, self.rng)

    def _ballot(self, legal: Sequence[str]) -> str:
        target = self._vote()
        if target is not None and f"vote:{target}" in legal:
            return f"vote:{target}"
        if f"vote:{ABSTAIN}" in legal:
            return f"vote:{ABSTAIN}"
        return pick(self.rng, [move for move in legal if not self._spared(move)] or legal)

    def _spared(self, move: str) -> bool:
        target = move.partition(":")[2]
        return target == self.notes.seat or target in self.notes.partners

    # --- what the players differ in --------------------------------------------------------------------

    def _vote(self) -> Seat | None:
        """Whom to vote for; None to abstain."""
        return self._most({named: 1.0 for named, _ in self.notes.clues})

    def _speak(self) -> Sequence[Claim]:
        """What to claim when it is its turn to speak."""
        return ()

    def _answer(self) -> Sequence[Claim]:
        """What to claim when asked."""
        return ()

    def _ask(self) -> Seat | None:
        """To whom to put a question."""
        return None

    def _most(self, score: Mapping[Seat, float]) -> Seat | None:
        """The living seat with most against it, known murderers first; None if there is nothing."""
        notes = self.notes
        if not notes.murderer:
            score = {**score, **dict.fromkeys((seat for seat in notes.seats if seat in notes.guilty), 1e9)}
        open_to = [seat for seat in notes.others if seat not in notes.partners and score.get(seat, 0) > 0]
        return max(open_to, key=lambda seat: score[seat], default=None)


class Silent(Player):
    """Never says a word; votes by its own clues and what it saw."""


class Honest(Player):
    """Tells what it knows, and only that; as a murderer it leaves out what tells against it, and never lies."""

    def __init__(self, rng: np.random.Generator, boldness: float = 0.5, noise: float = 0.0) -> None:
        super().__init__(rng, boldness, noise)
        self._told: dict[Claim, None] = {}

    def _untold(self) -> list[Claim]:
        notes = self.notes
        if notes.murderer:
            seen = [round_ for round_ in rounds_to_tell(notes) if not notes.unseen(round_)]
            clues = [Claim("found_clue", clue) for clue in notes.clues if clue[0] not in notes.guilty]
            queue = [*clues, *whereabouts(notes, seen)]
        else:
            queue = [*findings(notes), *whereabouts(notes, rounds_to_tell(notes)), *blanks(notes)]
        return [claim for claim in dict.fromkeys(queue) if claim not in self._told]

    def _facts(self, room_for: int) -> list[Claim]:
        facts = self._untold()[:room_for]
        self._told.update(dict.fromkeys(facts))
        return facts

    def _speak(self) -> Sequence[Claim]:
        limit, last = self.notes.config["max_claims"], self._last_talk()
        said = opinions(self._vote()) if last and not self.notes.murderer else ()
        return (*self._facts(max(limit - len(said), 0)), *said)

    def _last_talk(self) -> bool:
        return bool(self.notes.talk >= self.notes.config["discussion_rounds"])

    def _answer(self) -> Sequence[Claim]:
        facts = self._facts(self.notes.config["max_claims"])
        if facts or self.notes.murderer:
            return facts
        return tuple(whereabouts(self.notes, rounds_to_tell(self.notes)))

    def _ask(self) -> Seat | None:
        notes = self.notes
        if not self._last_talk():
            return None
        quiet = [seat for seat in notes.others if seat not in notes.spoke and seat not in notes.asked]
        return quiet[0] if quiet else None

    def _vote(self) -> Seat | None:
        score: dict[Seat, float] = {}
        for named, _ in self.notes.clues:
            score[named] = score.get(named, 0) + 1
        for speaker, (predicate, *args) in self.notes.said:
            if predicate in _AGAINST and speaker != self.notes.seat:
                named = str(args[0])
                score[named] = score.get(named, 0) + _AGAINST[predicate]
        return self._most(score)


_AGAINST = {"saw_murder": 3.0, "found_clue": 0.6, "suspect": 0.1}
"""What the word of another weighs against an own clue."""


class Accuser(Player):
    """Accuses one and the same seat, whatever happens, and the next one when it is gone.

    Args:
        target: Whom it accuses; else drawn from `rng`.
    """

    def __init__(self, rng: np.random.Generator, target: Seat | None = None, boldness: float = 0.5) -> None:
        super().__init__(rng, boldness)
        self._target = target

    def _vote(self) -> Seat | None:
        open_to = [seat for seat in self.notes.others if seat not in self.notes.partners]
        if self._target not in open_to:
            self._target = pick(self.rng, open_to) if open_to else None
        return self._target

    def _speak(self) -> Sequence[Claim]:
        return opinions(self._vote())

    def _answer(self) -> Sequence[Claim]:
        return opinions(self._vote())


class Detective(Honest):
    """Keeps a Bayesian belief over who did it, tells all it saw, and votes by the belief.

    Args:
        threshold: It votes if its first suspect's probability is at least this; else it abstains.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        noise: float = 0.0,
        threshold: float = 0.34,
        boldness: float = 0.5,
    ) -> None:
        super().__init__(rng, boldness, noise)
        self._threshold = threshold

    def _vote(self) -> Seat | None:
        suspicion = self._suspicion()
        suspect = self._most(suspicion)
        if suspect is None or suspicion.get(suspect, 0) < self._threshold:
            return None
        return suspect

    def probe(self, view: View, seats: Sequence[Seat]) -> dict[Seat, float]:
        """Answer a probe with the belief it votes by."""
        return self._stated(view, seats)

    def _ask(self) -> Seat | None:
        """The first suspect, late in the talk, if it is not asked yet and the matter is open."""
        if not self._last_talk() or self.notes.murderer:
            return None
        suspicion = self._suspicion()
        suspect = self._most(suspicion)
        if suspect is None or suspect in self.notes.asked or not 0.25 < suspicion[suspect] < 0.9:
            return None
        return suspect


class Liar(Detective):
    """As a murderer it tells a false story and frames a seat; as an innocent it is a detective.

    Each factual claim it makes as a murderer is an opportunity: it lies with probability `lie_rate` and else
    tells a truth, so that the share of lies among those claims is `lie_rate` in expectation.

    Args:
        lie_rate: Chance of a lie at each claim of fact.
        frames: Whom it frames: `auto` (whom others are likeliest to suspect), `random`, or a seat.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        lie_rate: float = 1.0,
        frames: str = "auto",
        noise: float = 0.0,
        threshold: float = 0.34,
        boldness: float = 0.5,
    ) -> None:
        super().__init__(rng, noise, threshold, boldness)
        self._frames = frames
        self._framed: Seat | None = None
        self._story = Story(rng, lie_rate)

    def _frame(self) -> Seat | None:
        """The seat to blame; kept while it lives."""
        notes = self.notes
        prey = [seat for seat in notes.others if seat not in notes.partners]
        if self._frames in prey:
            return self._frames
        if self._framed not in prey or (self._frames != "random" and notes.talk <= 1):
            self._framed = self._choose(prey)
        return self._framed

    def _choose(self, prey: Sequence[Seat]) -> Seat | None:
        if not prey:
            return None
        if self._frames == "random":
            return pick(self.rng, prey)
        suspicion = self._suspicion()
        return max(prey, key=lambda seat: suspicion[seat])

    def _vote(self) -> Seat | None:
        """As a murderer: whoever of the others is about to be voted out, else the one it framed."""
        if not self.notes.murderer:
            return super()._vote()
        calls: dict[Seat, float] = {}
        for speaker, target in self.notes.declared.items():
            if speaker != self.notes.seat and target != ABSTAIN:
                calls[target] = calls.get(target, 0) + 1
        return self._most(calls) or self._frame()

    def _speak(self) -> Sequence[Claim]:
        if not self.notes.murderer:
            return super()._speak()
        said = opinions(self._frame()) if self._last_talk() else ()
        room_for = self.notes.config["max_claims"] - len(said)
        return (*self._story.tell(self.notes, self._frame(), room_for, self._last_talk()), *said)

    def _answer(self) -> Sequence[Claim]:
        if not self.notes.murderer:
            return super()._answer()
        return self._story.tell(self.notes, self._frame(), self.notes.config["max_claims"], True)


BOTS: dict[str, Callable[..., Agent]] = {
    "silent": Silent,
    "honest": Honest,
    "accuser": Accuser,
    "detective": Detective,
    "liar": Liar,
}
"""Name to factory: `BOTS[name](rng, **params)` makes a fresh player for one game and seat."""

__all__ = ["BOTS", "Accuser", "Detective", "Honest", "Liar", "Player", "Silent"]
