"""A game as lines to read: through the eyes of everyone, of one seat, or of nobody in it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from liecraft.engine.ledger import Event
from liecraft.engine.render import Renderer, addressed, environment, read_template
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


class Onlooker:
    """Renders a game's events, in order, as far as these eyes may see them.

    Args:
        who: `public`, `god`, or a seat.
        renderer: The game's renderer.
        also: Kinds of hidden events that public eyes are shown as well: the game's `spectator`.
    """

    def __init__(self, who: str, renderer: Renderer, also: Collection[str] = ()) -> None:
        self._who = who
        self._renderer = renderer
        self._also = also
        self._heard = True

    def read(self, event: Event, audience: Heard) -> Shown | None:
        """One event as a line; None if there is nothing to see of it."""
        visible = self._visible(event, audience)
        if event.kind == "speech":
            self._heard = visible
        line = self._renderer.line(event) if visible else ""
        if not line:
            return None
        return Shown(addressed(line, audience) if self._who == GOD else line, audience, event.kind)

    def _visible(self, event: Event, audience: Heard) -> bool:
        if self._who == GOD:
            return True
        if self._who != PUBLIC:
            return sees(audience, self._who)
        if audience == "everyone":
            return True
        return event.kind in self._also and (event.kind != "verdicts" or self._worth_telling(event))

    def _worth_telling(self, event: Event) -> bool:
        """Whether the truth about what was said last, if that was heard, is news to an onlooker."""
        return self._heard and any(
            verdict["class"] not in (None, "true") for verdict in event.data["verdicts"]
        )


def introduction(package: str, lang: str, config: Any, who: str = PUBLIC) -> str:
    """The game in a few lines for those who look on, from its template `intro.md`; empty if it has none.

    Args:
        package: Package that holds the game's templates.
        lang: Language folder.
        config: The game's configuration, as data.
        who: Whose eyes they look through, as in `Onlooker`; the template knows it as `eyes`.
    """
    try:
        source = read_template(package, lang, "intro.md")
    except FileNotFoundError:
        return ""
    return environment().from_string(source).render(config=config, eyes=who).strip()
