"""What is left to play of a run, wherever it is going to be played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from liecraft.agents.budget import RunMeter
from liecraft.tournament.config import TournamentConfig
from liecraft.tournament.player import Task
from liecraft.tournament.progress import Progress, Tally
from liecraft.tournament.store import Run


@dataclass(slots=True)
class Work:
    """Games to be played.

    Attributes:
        config: The tournament.
        run: Where it is kept.
        tasks: The games; each is handed out once.
        left: How many they are.
        tally: What the run has used, kept up to date.
        shown: Where progress is shown.
        meter: The budgets of the run.
    """

    config: TournamentConfig
    run: Run
    tasks: Iterator[Task]
    left: int
    tally: Tally
    shown: Progress
    meter: RunMeter

    def count(self, parts: Iterable[Tally]) -> None:
        """Take the sum of these for what the run has used, and show it."""
        total = Tally()
        for part in parts:
            total.add(part)
        self.tally.become(total)
        self.shown.update(self.tally)
