"""How far a tournament is: games, rate, tokens, money where prices are known."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(slots=True)
class Tally:
    """What a run has used so far.

    Attributes:
        games: Games closed.
        failed: Those of them that failed.
        calls: Model calls.
        prompt: Prompt tokens as far as endpoints said.
        completion: Completion tokens, likewise.
        unmetered: Calls whose usage is unknown.
        money: Cost in the currency of the prices given; None if any model has no price.
    """

    games: int = 0
    failed: int = 0
    calls: int = 0
    prompt: int = 0
    completion: int = 0
    unmetered: int = 0
    money: float | None = 0.0
    begun: float = field(default_factory=time.monotonic)

    def call(self, answer: Mapping[str, Any], price: Any) -> None:
        """Count one model call."""
        usage = answer["usage"]
        self.calls += 1
        if usage["prompt"] is None or usage["completion"] is None:
            self.unmetered += 1
            self.money = None
            return
        self.prompt += usage["prompt"]
        self.completion += usage["completion"]
        if price is None:
            self.money = None
        elif self.money is not None:
            self.money += (usage["prompt"] * price.prompt + usage["completion"] * price.completion) / 1e6

    def text(self) -> str:
        """Rate, tokens, money, in a few words."""
        rate = self.games / max(time.monotonic() - self.begun, 1e-9)
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
