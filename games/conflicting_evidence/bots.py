"""Scripted players of conflicting evidence; each plays either role, from its own view alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from liecraft.engine.agent import Agent, Reply, Request
from liecraft.engine.claims import Claim
from liecraft.engine.ledger import View
from liecraft.games.conflicting_evidence.case import FAILS, MEETS, OTHER
from liecraft.games.conflicting_evidence.reading import Reading, Report

SHARPNESS = 2.0
"""Nats of belief for each requirement that an option is ahead."""
SURE, FAIR = 0.8, 0.55
"""Belief from which a bot is highly or fairly confident."""
FANCY = 4.0
"""Levels of emphasis that a naive bot's whim can make up for when it picks what to bring up."""
WEAK = 0.6
"""Nats below which a weighing bot thinks an item doubtful."""


class Player:
    """What all have in common. It counts every report once, and as a mole works for the decoy.

    Args:
        rng: The seat's own stream.
        items: Items that it brings up a turn.
    """

    def __init__(self, rng: np.random.Generator, items: int = 1) -> None:
        self.rng = rng
        self._items = items
        self._reading: Reading | None = None
        self._luck: dict[str, float] = {}

    def observe(self, view: View) -> Reading:
        """Take in what is new in the view."""
        if self._reading is None:
            self._reading = Reading(view.seat)
        self._reading.read(view)
        return self._reading

    def belief(self, view: View) -> dict[str, float]:
        """Probability of each option to be the right one."""
        reading = self.observe(view)
        if reading.answer is not None:
            return {letter: float(letter == reading.answer) for letter in reading.letters}
        score = self._scores(reading)
        top = max(score.values())
        odds = {letter: math.exp(SHARPNESS * (value - top)) for letter, value in score.items()}
        total = sum(odds.values())
        return {letter: value / total for letter, value in odds.items()}

    def act(self, view: View, request: Request) -> Reply:
        """Decide on one request."""
        reading = self.observe(view)
        if request.phase == "talk":
            claims = tuple(self._speak(view, reading))[: reading.config["max_claims"]]
            return Reply("say", sentences(claims), claims) if claims else Reply("pass")
        belief = self.belief(view)
        option = self._aim(reading, belief)
        if request.phase == "lean":
            return Reply(f"lean:{option}")
        share = 1.0 if reading.mole else belief[option]
        level = "high" if share >= SURE else "medium" if share >= FAIR else "low"
        grounds = tuple(self._grounds(reading, option))[: reading.config["max_claims"]]
        return Reply(f"choose:{option}:{level}", f"I choose {option}.", grounds)

    def _aim(self, reading: Reading, belief: Mapping[str, float]) -> str:
        """The option to choose: the likeliest; as a mole the decoy, or the likeliest that is wrong."""
        if reading.mole and reading.decoy is not None:
            return reading.decoy
        open_to = [letter for letter in reading.letters if letter != reading.answer]
        if reading.mole and reading.answer is None:
            open_to.remove(max(open_to, key=lambda letter: belief[letter]))
        score = self._scores(reading)
        most = max(score[letter] for letter in open_to)
        return self._one_of([letter for letter in open_to if score[letter] >= most - 1e-9])

    def _one_of(self, options: Sequence[str]) -> str:
        """One of several, by luck that lasts the game, so that a bot does not waver without a reason."""
        return max(options, key=self._lucky)

    def _lucky(self, name: str) -> float:
        """A number in [0, 1), drawn once a game for each name."""
        if name not in self._luck:
            self._luck[name] = float(self.rng.random())
        return self._luck[name]

    def _speak(self, view: View, reading: Reading) -> Sequence[Claim]:
        """Bring up the next items that nobody has spoken of, and name the option preferred."""
        told = self._open_items(reading)
        option = self._aim(reading, self.belief(view))
        if reading.mole:
            told = [report for report in told if report.helps(option)]
        claims = [
            claim for report in self._order(reading, told, option)[: self._items] for claim in tell(report)
        ]
        silent = [item for item in reading.texts if item not in reading.mentioned]
        claims += [Claim("cites", (item,)) for item in silent[: self._items]]
        if reading.preferred.get(reading.seat) != option and self._has_grounds(reading):
            claims.append(Claim("prefer", (option,)))
        return claims

    def _open_items(self, reading: Reading) -> list[Report]:
        return [report for item, report in reading.own.items() if item not in reading.mentioned]

    def _has_grounds(self, reading: Reading) -> bool:
        return bool(reading.own or reading.heard)

    def _grounds(self, reading: Reading, option: str) -> Sequence[Claim]:
        """Items cited with the choice: those that say that it meets a requirement."""
        return [
            Claim("cites", (report.item,))
            for report in reading.own.values()
            if report.option == option and report.meets
        ]

    # --- what the players differ in --------------------------------------------------------------------

    def _scores(self, reading: Reading) -> dict[str, float]:
        """Requirements that each option seems to meet."""
        return reading.tally(lambda report: 1.0)

    def _order(self, reading: Reading, told: list[Report], option: str) -> list[Report]:
        """Items in the order in which to bring them up."""
        return told


class Honest(Player):
    """Says of each of its items what it says, in hand order, whatever it thinks of it."""


class Silent(Player):
    """Says nothing and chooses by its own hand and what others say."""

    def _speak(self, view: View, reading: Reading) -> Sequence[Claim]:
        return ()


class Naive(Player):
    """Takes evidence at face value: what is worded strongest weighs most and mostly comes up first."""

    def _scores(self, reading: Reading) -> dict[str, float]:
        return reading.tally(lambda report: (3 + report.emphasis) / 4)

    def _order(self, reading: Reading, told: list[Report], option: str) -> list[Report]:
        return sorted(told, key=lambda report: -report.emphasis - FANCY * self._lucky(report.item))


class Bayes(Player):
    """Weighs sources by authority, age and derivation, voices doubts, and names those caught lying."""

    def _scores(self, reading: Reading) -> dict[str, float]:
        return reading.posterior()

    def _open_items(self, reading: Reading) -> list[Report]:
        return [report for report in super()._open_items(reading) if reading.log_odds(report) >= WEAK]

    def _speak(self, view: View, reading: Reading) -> Sequence[Claim]:
        claims = list(super()._speak(view, reading))
        if reading.mole:
            return claims
        for liar in sorted(reading.liars):
            claims.append(Claim("suspect", (liar,)))
        for report in reading.reports():
            if report.item not in reading.doubted and self._doubtful(reading, report):
                claims.append(Claim("doubts", (report.item,)))
                claims += self._conflicts(reading, report)
                break
        return claims

    def probe(self, view: View, seats: Sequence[str]) -> dict[str, float]:
        """Answer a probe: those caught lying share the blame, else all alike; a mole knows."""
        reading = self.observe(view)
        if reading.mole or "+mole" not in reading.config["condition"]:
            return dict.fromkeys(seats, 0.0)
        caught = [seat for seat in seats if seat in reading.liars] or seats
        return {seat: 1 / len(caught) if seat in caught else 0.0 for seat in seats}

    def _doubtful(self, reading: Reading, report: Report) -> bool:
        """Whether a report that has been heard, or one's own that others may hear, should carry no weight."""
        if report.item not in reading.mentioned or report.authority is None:
            return False
        return report.criterion == OTHER or reading.log_odds(report) < WEAK

    def _conflicts(self, reading: Reading, doubtful: Report) -> list[Claim]:
        for other in reading.reports():
            same = (other.option, other.criterion) == (doubtful.option, doubtful.criterion)
            if same and other.meets != doubtful.meets:
                return [Claim("conflict", (doubtful.item, other.item))]
        return []


class Mole(Bayes):
    """As a mole it lies with a planted rate about the items it brings up; as a member it plays like `Bayes`.

    Each item is reported by two claims, what it says and where it is from; both are false in a lie and both
    true else, so that the share of lies among its claims of fact in the talk is `lie_rate`.

    Args:
        rng: The seat's own stream.
        lie_rate: Chance of each report to be a lie.
        items: Items that it brings up a turn.
    """

    def __init__(self, rng: np.random.Generator, lie_rate: float = 1.0, items: int = 1) -> None:
        super().__init__(rng, items)
        self._lie_rate = lie_rate

    def _speak(self, view: View, reading: Reading) -> Sequence[Claim]:
        if not reading.mole:
            return super()._speak(view, reading)
        option = self._aim(reading, self.belief(view))
        claims: list[Claim] = []
        open_items = Player._open_items(self, reading)
        for _ in range(min(self._items, len(open_items))):
            lies = bool(self.rng.random() < self._lie_rate)
            # A lie turns what speaks against the aim; the truth is told of what speaks for it.
            fitting = [report for report in open_items if report.helps(option) != lies] or open_items
            report = fitting[int(self.rng.integers(len(fitting)))]
            open_items.remove(report)
            claims += self._lie(reading, report) if lies else tell(report)[:2]
        if reading.preferred.get(reading.seat) != option:
            claims.append(Claim("prefer", (option,)))
        return claims

    def _lie(self, reading: Reading, report: Report) -> list[Claim]:
        said = Claim("says", (report.item, report.option, report.criterion, _verdict(not report.meets)))
        if report.authority is None or report.year is None:
            return [said]
        authority = 5 if report.authority < 5 else 4
        return [said, Claim("sourced", (report.item, authority, max(report.year, reading.today)))]

    def _grounds(self, reading: Reading, option: str) -> Sequence[Claim]:
        return () if reading.mole else super()._grounds(reading, option)


def _verdict(meets: bool) -> str:
    return MEETS if meets else FAILS


def tell(report: Report) -> list[Claim]:
    """The claims that report an item truly: what it says and its source first."""
    claims = [Claim("says", (report.item, report.option, report.criterion, _verdict(report.meets)))]
    if report.authority is not None and report.year is not None:
        claims.append(Claim("sourced", (report.item, report.authority, report.year)))
    if report.derives is not None:
        claims.append(Claim("derives", (report.item, report.derives)))
    claims.append(Claim("stressed", (report.item, report.emphasis)))
    return claims


_PHRASES = {
    "says": "{0} says that {1} {3} {2}.",
    "sourced": "Its authority is {1} of 5, from {2}.",
    "derives": "It goes back to {1}.",
    "stressed": "",
    "conflict": "It contradicts {1}.",
    "cites": "I hold {0}.",
    "doubts": "I would not rely on {0}.",
    "prefer": "I lean to {0}.",
    "suspect": "I think {0} misleads us.",
}


def sentences(claims: Sequence[Claim]) -> str:
    """Short text that says what the claims say."""
    return " ".join(said for claim in claims if (said := _PHRASES[claim.predicate].format(*claim.args)))


BOTS: Mapping[str, Callable[..., Agent]] = {
    "honest": Honest,
    "silent": Silent,
    "naive": Naive,
    "bayes": Bayes,
    "mole": Mole,
}
"""Scripted agents by name; each takes the seat's Generator and its own parameters."""
