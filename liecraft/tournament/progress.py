"""How far a tournament is: games, rate, tokens, money where prices are known."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from liecraft.agents.budget import Spent


@dataclass(slots=True)
class Tally:
    """What a run has used so far. Tallies add up, in whole numbers, so that their order can't show.

    Attributes:
        games: Games closed.
        failed: Those of them that failed.
        calls: Model calls.
        prompt: Prompt tokens as far as endpoints said.
        completion: Completion tokens, likewise.
        unmetered: Calls whose usage is unknown.
        unpriced: Calls to models whose price is unknown.
        ticks: Time that the calls took, in tenths of a millisecond, as precise as it is recorded.
        spent: Prompt and completion tokens by the price of a million of each.
        entrants: What each entrant has used, for budgets.
        earlier: Games that had closed before this process began.
    """

    games: int = 0
    failed: int = 0
    calls: int = 0
    prompt: int = 0
    completion: int = 0
    unmetered: int = 0
    unpriced: int = 0
    ticks: int = 0
    spent: dict[tuple[float, float], tuple[int, int]] = field(default_factory=dict)
    entrants: dict[str, Spent] = field(default_factory=dict)
    earlier: int = 0
    begun: float = field(default_factory=time.monotonic)

    @property
    def money(self) -> float | None:
        """Cost in the currency of the prices given; None if any price or usage is unknown."""
        if self.unmetered or self.unpriced:
            return None
        return sum(((p * a + c * b) / 1e6 for (a, b), (p, c) in sorted(self.spent.items())), 0.0)

    @property
    def seconds(self) -> float:
        """Time that the calls took, summed over all of them."""
        return self.ticks / 10_000

    def call(self, answer: Mapping[str, Any], price: Any, entrant: str = "") -> None:
        """Count one model call."""
        usage = answer["usage"]
        self.entrants.setdefault(entrant, Spent()).call(answer, price)
        self.calls += 1
        self.ticks += round(answer["seconds"] * 10_000)
        if usage["prompt"] is None or usage["completion"] is None:
            self.unmetered += 1
            return
        self.prompt += usage["prompt"]
        self.completion += usage["completion"]
        if price is None:
            self.unpriced += 1
        else:
            self._spend((price.prompt, price.completion), usage["prompt"], usage["completion"])

    def _spend(self, price: tuple[float, float], prompt: int, completion: int) -> None:
        before = self.spent.get(price, (0, 0))
        self.spent[price] = (before[0] + prompt, before[1] + completion)

    def add(self, other: Tally) -> None:
        """Count what another one has counted."""
        self.games += other.games
        self.failed += other.failed
        self.calls += other.calls
        self.prompt += other.prompt
        self.completion += other.completion
        self.unmetered += other.unmetered
        self.unpriced += other.unpriced
        self.ticks += other.ticks
        for price, tokens in other.spent.items():
            self._spend(price, *tokens)
        for name, spent in other.entrants.items():
            self.entrants.setdefault(name, Spent()).add(spent)

    def become(self, other: Tally) -> None:
        """Take another one's figures for these, but for when they were begun."""
        for name in ("games", "failed", "calls", "prompt", "completion", "unmetered", "unpriced", "ticks"):
            setattr(self, name, getattr(other, name))
        self.spent = other.spent
        self.entrants.clear()  # in place, as the run's meter looks at it
        self.entrants.update(other.entrants)

    def as_json(self) -> dict[str, Any]:
        """What was used, for programs; money is null if any price or usage is unknown."""
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt,
            "completion_tokens": self.completion,
            "calls_without_usage": self.unmetered,
            "money": self.money,
            "seconds": self.seconds,
        }

    def text(self) -> str:
        """Rate, tokens, money, in a few words."""
        rate = (self.games - self.earlier) / max(time.monotonic() - self.begun, 1e-9)
        parts = [f"{rate:.1f} games/s"]
        if self.calls:
            parts.append(f"{self.calls} calls, {self.prompt + self.completion} tokens")
            parts.append("cost unknown" if self.money is None else f"cost {self.money:.4f}")
        if self.failed:
            parts.append(f"{self.failed} failed")
        return ", ".join(parts)


class Progress(Protocol):
    """Shown while a tournament runs."""

    def update(self, tally: Tally) -> None:
        """Something was counted."""
        ...

    def close(self, tally: Tally) -> None:
        """The tournament has ended."""
        ...


class Silent:
    """Shows nothing."""

    def update(self, tally: Tally) -> None:
        pass

    def close(self, tally: Tally) -> None:
        pass


class Bar:
    """A bar on the terminal's error stream; where that is no terminal, one line at the end.

    Args:
        total: Games to be played.
        name: The run's name.
    """

    def __init__(self, total: int, name: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        self._total = total
        self._name = name
        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[used]}"),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
        )
        self._task = self._bar.add_task(name, total=total, used="")
        self._bar.start()

    def update(self, tally: Tally) -> None:
        self._bar.update(self._task, completed=tally.games, used=tally.text())

    def close(self, tally: Tally) -> None:
        self.update(tally)
        self._bar.stop()
        if self._bar.disable:
            sys.stderr.write(f"{self._name}: {tally.games} of {self._total} games, {tally.text()}\n")
