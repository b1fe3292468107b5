"""How a check fails: by name, with what was seen and how to see it again."""

from __future__ import annotations


class CheckFailed(AssertionError):
    """A game broke a promise.

    Attributes:
        check: Name of the check.
        message: What was seen, where, and the seed to see it again.
    """

    def __init__(self, check: str, message: str) -> None:
        super().__init__(f"{check}: {message}")
        self.check = check
        self.message = message


def clipped(value: object, limit: int = 300) -> str:
    """A value for a message, cut in the middle where it is long."""
    shown = value if isinstance(value, str) else repr(value)
    if len(shown) <= limit:
        return shown
    half = limit // 2
    return f"{shown[:half]} ... {shown[-half:]}"


def require(condition: object, check: str, message: str) -> None:
    """Fail the check unless the condition holds.

    Raises:
        CheckFailed: It does not.
    """
    if not condition:
        raise CheckFailed(check, message)


def difference(one: str, other: str) -> str:
    """Two texts from where they begin to differ."""
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    start = max(0, start - 40)
    return f"{clipped(one[start:])!r} against {clipped(other[start:])!r}"
