"""What a bot makes of its view: reports of items, who gave them, and how much each option gains by them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from liecraft.engine.ledger import Data, View
from liecraft.engine.seats import Seat
from liecraft.games.conflicting_evidence.case import MEETS, OTHER

RELIABILITY = (0.5, 0.53, 0.6, 0.82, 0.9, 0.96)
"""Chance that a source of each authority is right; index 0 and an unstated authority tell nothing."""
HALF_LIFE = 1.5
"""Years after which a source older than `FRESH` years tells half as much."""
FRESH = 2
MOLE_LIES = 0.2
"""Share of a mole's reports that a wary reader takes to be false."""
BESIDE = 0.25
"""What an uncritical reader gives an option for praise that bears on no requirement."""


@dataclass(slots=True)
class Report:
    """What an item is known to say. A seat's own items are known; of others it knows what their holders say."""

    item: str
    option: str
    criterion: str
    meets: bool
    authority: int | None = None
    year: int | None = None
    derives: str | None = None
    emphasis: int = 1
    speaker: Seat | None = None

    def helps(self, option: str) -> bool:
        """Whether it speaks for an option or against another."""
        return (self.option == option) == self.meets


class Reading:
    """A seat's memory of its own view; each event is read once.

    Attributes:
        own: Own items with checkable content, by id.
        texts: Own items without, in hand order.
        heard: Reports of other items, by id.
        mentioned: Items that somebody has spoken of.
        liars: Seats whose report of an item contradicts one's own copy of it.
        preferred: The option that each seat last said it prefers.
        doubted: Items that somebody has voiced doubts about.
    """

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self._cursor = 0
        self.config: Data = {}
        self.letters: tuple[str, ...] = ()
        self.criteria: tuple[str, ...] = ()
        self.today = 0
        self.mole = False
        self.answer: str | None = None
        self.decoy: str | None = None
        self.own: dict[str, Report] = {}
        self.texts: list[str] = []
        self.heard: dict[str, Report] = {}
        self.mentioned: set[str] = set()
        self.liars: set[Seat] = set()
        self.preferred: dict[Seat, str] = {}
        self.doubted: set[str] = set()

    def read(self, view: View) -> None:
        """Take in what is new."""
        fresh = view.since(self._cursor)
        self._cursor += len(fresh)
        for kind, actor, data in fresh:
            if kind == "speech":
                self._hear(str(actor), data["claims"])
            elif kind == "evidence":
                self._hold(data)
            elif kind == "case":
                self.letters = tuple(letter for letter, _ in data["options"])
                self.criteria = tuple(criterion["id"] for criterion in data["criteria"])
                self.today = int(data["today"][:4]) if data["today"] else 0
            elif kind == "game":
                self.config = data["config"]
            elif kind == "role":
                self.mole = data["side"] == "deceivers"
            elif kind == "briefing":
                self.answer, self.decoy = data["answer"], data["decoy"]

    def _hold(self, data: Data) -> None:
        if data["option"] is None:
            self.texts.append(data["item"])
            return
        self.own[data["item"]] = Report(
            data["item"],
            data["option"],
            data["criterion"],
            data["verdict"] == MEETS,
            data["authority"],
            int(data["date"][:4]) if data["date"] else None,
            data["derives"],
            data["emphasis"],
        )

    def _hear(self, speaker: Seat, claims: Collection[tuple[Any, ...]]) -> None:
        for predicate, first, *args in claims:
            if predicate == "says":
                self._report(speaker, str(first), *args)
            elif predicate == "prefer":
                self.preferred[speaker] = str(first)
            elif predicate == "doubts":
                self.doubted.add(str(first))
            elif predicate == "cites":
                self.mentioned.add(str(first))
        for predicate, first, *args in claims:
            report = self.heard.get(str(first))
            if report is not None and report.speaker == speaker:
                if predicate == "sourced":
                    report.authority, report.year = args
                elif predicate == "derives":
                    report.derives = str(args[0])
                elif predicate == "stressed":
                    report.emphasis = int(args[0])

    def _report(self, speaker: Seat, item: str, option: str, criterion: str, verdict: str) -> None:
        self.mentioned.add(item)
        if speaker == self.seat:
            return
        told = Report(item, option, criterion, verdict == MEETS, speaker=speaker)
        mine = self.own.get(item)
        if mine is None:
            known = self.heard.get(item)
            if known is None or known.speaker in self.liars:
                self.heard[item] = told
        elif (mine.option, mine.criterion, mine.meets) != (option, criterion, told.meets):
            self.liars.add(speaker)

    def reports(self) -> list[Report]:
        """All reports, own items first."""
        return [*self.own.values(), *self.heard.values()]

    # --- what each option gains ------------------------------------------------------------------------

    def tally(self, weigh: Callable[[Report], float]) -> dict[str, float]:
        """Requirements that each option seems to meet if every report counts by its weight.

        A requirement counts with the share of the weight that says it is met, and half where nothing is known;
        praise beside the point counts `BESIDE` times its weight.
        """
        pros: dict[tuple[str, str], float] = {}
        total: dict[tuple[str, str], float] = {}
        score = dict.fromkeys(self.letters, 0.5 * len(self.criteria))
        for report in self.reports():
            weight = weigh(report)
            if report.criterion == OTHER:
                score[report.option] += BESIDE * weight * (1 if report.meets else -1)
                continue
            cell = report.option, report.criterion
            total[cell] = total.get(cell, 0.0) + weight
            pros[cell] = pros.get(cell, 0.0) + weight * report.meets
        for cell, weight in total.items():
            score[cell[0]] += pros[cell] / weight - 0.5
        return score

    def posterior(self) -> dict[str, float]:
        """Requirements that each option meets in expectation, sources weighed: log-odds add up a requirement."""
        odds: dict[tuple[str, str], float] = {}
        for report in self.reports():
            if report.criterion != OTHER:
                cell = report.option, report.criterion
                odds[cell] = odds.get(cell, 0.0) + self.log_odds(report) * (1 if report.meets else -1)
        score = dict.fromkeys(self.letters, 0.5 * len(self.criteria))
        for (option, _), logit in odds.items():
            score[option] += 1 / (1 + math.exp(-logit)) - 0.5
        return score

    def log_odds(self, report: Report) -> float:
        """How much a report tells, in nats: by authority, age, derivation, and the chance that its teller lies."""
        if report.speaker in self.liars or report.criterion == OTHER:
            return 0.0
        right = RELIABILITY[report.authority or 0]
        if report.speaker is not None and "+mole" in self.config["condition"]:
            mole = MOLE_LIES / (self.config["seats"] - 1)
            right = right * (1 - mole) + (1 - right) * mole
        told = math.log(right / (1 - right))
        if self.today and report.year is not None:
            told *= 0.5 ** (max(0, self.today - report.year - FRESH) / HALF_LIFE)
        if report.derives is not None:
            # A repetition adds nothing to its origin, a misquotation is worth nothing; unchecked it is half worth.
            known = report.derives in self.own or report.derives in self.heard
            told *= 0.0 if known else 0.5
        return told
