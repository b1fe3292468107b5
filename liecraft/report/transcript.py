"""A game as lines to read: through the eyes of everyone, of one seat, or of nobody in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from liecraft.engine.ledger import Event
from liecraft.engine.render import Renderer, addressed
from liecraft.trace.reader import sees

PUBLIC = "public"
GOD = "god"

Heard = str | list[str]


class Shown(NamedTuple):
    """One line of a transcript.

    Attributes:
        text: The event, rendered.
        audience: `everyone`, `engine`, or the seats that saw it.
        kind: The event's kind.
    """

    text: str
    audience: Heard
    kind: str


def transcript(entries: Iterable[tuple[Event, Heard]], eyes: str, renderer: Renderer) -> Iterator[Shown]:
    """Render what these eyes may see.

    Args:
        entries: Events with their audiences, as a trace names them.
        eyes: `public`, `god`, or a seat.
        renderer: The game's renderer.
    """
    for event, audience in entries:
        if not _visible(audience, eyes):
            continue
        line = renderer.line(event)
        if not line:
            continue
        yield Shown(addressed(line, audience) if eyes == GOD else line, audience, event.kind)


def _visible(audience: Heard, eyes: str) -> bool:
    if eyes == GOD:
        return True
    if eyes == PUBLIC:
        return audience == "everyone"
    return sees(audience, eyes)
