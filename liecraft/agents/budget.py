"""Budgets: how many calls, tokens, how much money and time a seat, a game, an entrant and a run may use."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from liecraft.engine.errors import ConfigError
from liecraft.engine.seats import Seat

log = logging.getLogger(__name__)

Kind = Literal["calls", "tokens", "money", "seconds"]
KINDS: tuple[Kind, ...] = ("calls", "tokens", "money", "seconds")

WARN = 0.8
"""Share of a run's or an entrant's budget at which the log says so."""


class Priced(Protocol):
    """What a million tokens cost."""

    prompt: float
    completion: float


class Budget(BaseModel):
    """Most that may be used; what is left out has no bound."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    calls: int | None = Field(default=None, ge=1)
    """Model calls, however many requests each took."""
    tokens: int | None = Field(default=None, ge=1)
    """Prompt and completion tokens, as endpoints count them."""
    money: float | None = Field(default=None, gt=0)
    """In the currency of the entrants' prices."""
    seconds: float | None = Field(default=None, gt=0)
    """Time that calls took, summed; of a run, the wall clock since it was started or resumed."""

    def limits(self) -> Iterator[tuple[Kind, float]]:
        """What is bounded, and by how much."""
        for kind in KINDS:
            limit = getattr(self, kind)
            if limit is not None:
                yield kind, limit


class Budgets(BaseModel):
    """Budgets by what they are for: each seat of each game, each game, each entrant over the run, the run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seat: Budget = Budget()
    """Past it, the phases' default moves are played in the seat's stead, marked `budget`."""
    game: Budget = Budget()
    """Past it, the game ends as failed, of kind `budget`."""
    entrant: Budget = Budget()
    """Past it, the run stops, to be resumed with more."""
    run: Budget = Budget()
    """Likewise."""

    def check_prices(self, prices: Mapping[str, Priced | None]) -> None:
        """See that money can be counted where it is bounded.

        Args:
            prices: By entrant, of those that models play.

        Raises:
            ConfigError: An entrant has no price.
        """
        for scope in ("seat", "game", "entrant", "run"):
            if getattr(self, scope).money is None:
                continue
            for name, price in prices.items():
                if price is None:
                    raise ConfigError(
                        f"budgets.{scope}.money: what entrant {name!r} costs is unknown; give it a price, such as "
                        "price: {prompt: 0.5, completion: 1.5} for a million tokens"
                    )


@dataclass(slots=True)
class Spent:
    """What has been used, as far as it is known.

    Attributes:
        calls: Calls that have come back.
        tokens: Of the calls whose usage is known.
        money: Of those whose price is known too.
        seconds: Time that the calls took.
        silent: Answers whose usage is unknown.
    """

    calls: int = 0
    tokens: int = 0
    money: float = 0.0
    seconds: float = 0.0
    silent: int = 0

    def call(self, answer: Mapping[str, Any], price: Priced | None) -> None:
        """Count a call, given as a trace has it. A failed one's tokens can't be known."""
        usage = answer["usage"]
        self.calls += 1
        self.seconds += answer["seconds"]
        if usage["prompt"] is None or usage["completion"] is None:
            self.silent += answer.get("error") is None
            return
        self.tokens += usage["prompt"] + usage["completion"]
        if price is not None:
            self.money += (usage["prompt"] * price.prompt + usage["completion"] * price.completion) / 1e6

    def add(self, other: Spent) -> None:
        """Count what another one has counted."""
        self.calls += other.calls
        self.tokens += other.tokens
        self.money += other.money
        self.seconds += other.seconds
        self.silent += other.silent

    def excess(self, budget: Budget, calls: int) -> str | None:
        """Which bound leaves no room for one more call, in words; None if all do.

        Args:
            budget: The bounds.
            calls: Calls begun, those that have not come back included.
        """
        for kind, limit in budget.limits():
            if (calls if kind == "calls" else getattr(self, kind)) >= limit:
                return f"{limit:g} {kind}"
            if kind in ("tokens", "money") and self.silent:
                return (
                    f"{limit:g} {kind}, which can't be kept: the endpoint does not say what its answers use"
                )
        return None


def total(parts: Iterable[Spent]) -> Spent:
    """The sum."""
    whole = Spent()
    for part in parts:
        whole.add(part)
    return whole


class BudgetSpent(Exception):
    """There is no room for another call. Its text is one line.

    Attributes:
        scope: Whose budget it is.
    """

    def __init__(self, scope: Literal["seat", "game", "entrant", "run"], text: str) -> None:
        super().__init__(text)
        self.scope = scope

    @property
    def stops_run(self) -> bool:
        """Whether the whole run is over, not just a seat's part or a game."""
        return self.scope in ("entrant", "run")


class RunMeter:
    """Watches the budgets of a run and its entrants.

    Args:
        budgets: The bounds.
        spent: What each entrant has used so far; others go on counting in it.
    """

    def __init__(self, budgets: Budgets, spent: Mapping[str, Spent]) -> None:
        self.stopped: str | None = None
        """Why the run is over, once it is."""
        self._budgets = budgets
        self._spent = spent
        self._begun = time.monotonic()
        self._calls = Counter({name: part.calls for name, part in spent.items()})
        self._warned: set[tuple[str, Kind]] = set()

    def admit(self, entrant: str) -> None:
        """Let one more call be made.

        Raises:
            BudgetSpent: The run is over.
        """
        self.check(entrant)
        self._calls[entrant] += 1

    def stop(self, reason: str) -> None:
        """Let no more calls be made, as is decided elsewhere; `reason` is one line."""
        self.stopped = reason

    def over(self) -> bool:
        """Whether there is no room left."""
        try:
            self.check()
        except BudgetSpent:
            return True
        return False

    def check(self, entrant: str | None = None) -> None:
        """See that there is room for a call of an entrant, or left out, of any.

        Raises:
            BudgetSpent: There is none: the run is over.
        """
        if self.stopped is not None:
            raise BudgetSpent("run", self.stopped)
        budgets = self._budgets
        whole = total(self._spent.values())
        whole.seconds = time.monotonic() - self._begun
        self._hold("run", "the run", budgets.run, whole, max(whole.calls, self._calls.total()))
        for name in self._spent if entrant is None else [entrant]:
            spent = self._spent.get(name, Spent())
            calls = max(spent.calls, self._calls[name])
            self._hold("entrant", f"entrant {name!r}", budgets.entrant, spent, calls)

    def _hold(
        self, scope: Literal["entrant", "run"], name: str, budget: Budget, spent: Spent, calls: int
    ) -> None:
        for kind, limit in budget.limits():
            used = calls if kind == "calls" else getattr(spent, kind)
            if used >= WARN * limit and (name, kind) not in self._warned:
                self._warned.add((name, kind))
                log.warning("the budget of %s: %.4g of %g %s are used", name, used, limit, kind)
        excess = spent.excess(budget, calls)
        if excess is not None:
            self.stopped = f"the budget of {name} is used up: {excess}"
            raise BudgetSpent(scope, self.stopped)


class GameMeter:
    """Watches the budgets of one game and its seats.

    Args:
        budgets: The bounds.
        names: Seat to entrant.
        prices: Seat to price, of those that models play.
        run: The run's meter, if there is one.
    """

    def __init__(
        self,
        budgets: Budgets,
        names: Mapping[Seat, str],
        prices: Mapping[Seat, Priced | None],
        run: RunMeter | None = None,
    ) -> None:
        self._budgets = budgets
        self._names = names
        self._prices = prices
        self._run = run
        self._calls: Counter[Seat] = Counter()
        self._spent: dict[Seat, Spent] = {}

    def admit(self, seat: Seat) -> None:
        """Let a seat make one more call.

        Raises:
            BudgetSpent: It may not; see its `scope` for what is over.
        """
        mine = self._spent.get(seat, Spent())
        excess = total(self._spent.values()).excess(self._budgets.game, self._calls.total())
        if excess is not None:
            raise BudgetSpent("game", f"the budget of the game is used up: {excess}")
        excess = mine.excess(self._budgets.seat, self._calls[seat])
        if excess is not None:
            raise BudgetSpent("seat", f"the budget of {seat} is used up: {excess}")
        if self._run is not None:
            self._run.admit(self._names[seat])
        self._calls[seat] += 1

    def spend(self, seat: Seat, answer: Mapping[str, Any]) -> None:
        """Count a call that has come back, given as a trace has it."""
        self._spent.setdefault(seat, Spent()).call(answer, self._prices.get(seat))
