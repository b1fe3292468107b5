"""What statistics hand back: an estimate with its n and bounds, and the error for what can't be given."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib import import_module
from types import ModuleType

from liecraft.trace.schema import TraceError


class StatisticsError(TraceError):
    """Traces that don't carry the figure asked of them: says why, and the mend."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure other than a plain proportion: a mean, a difference, an agreement.

    Attributes:
        value: The figure; None if there was nothing to score, which is not 0.
        n: Number of observations behind it, >= 0.
        low: Lower bound of its interval; None if none can be given.
        high: Upper bound of its interval; None if none can be given.
        clusters: Number of independent groups among the observations; None if each stands alone.
    """

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    clusters: int | None = None

    def as_json(self) -> dict[str, float | int | None]:
        """Return the fields as a JSON object; "nothing to score" is null."""
        return asdict(self)


def check_level(confidence: float) -> None:
    """Refuse a confidence level that is not one.

    Raises:
        ValueError: It is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}, not between 0 and 1 (95 % is 0.95)")


def quantile(confidence: float) -> float:
    """Two-sided normal quantile of a level in (0, 1), in standard deviations: 1.96 for 0.95.

    Raises:
        ValueError: The level is out of range.
    """
    from scipy.stats import norm

    check_level(confidence)
    return float(norm.ppf((1 + confidence) / 2))


def need(module: str) -> ModuleType:
    """Import a module of the `stats` extra.

    Raises:
        StatisticsError: It is not installed; names the extra.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError:
        library = module.partition(".")[0]
        raise StatisticsError(f'{library} is not installed: pip install "liecraft[stats]"') from None
