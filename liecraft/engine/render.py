"""The one renderer of events to text: for prompts, the terminal and the replay page alike.

A game's templates are Jinja macros, one a kind of event, in `<prompts package>/<lang>/events.md`. One event
becomes one line. Words of agents are data: whatever a template prints that isn't a plain identifier or number
is quoted and escaped as a JSON string, so that no utterance can look like a line of the engine's.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, TemplateError

from liecraft.engine.errors import ConfigError
from liecraft.engine.ledger import Event, thaw
from liecraft.engine.seats import Seat

_PLAIN = re.compile(r"[A-Za-z0-9_.:-]+\Z")
_BREAKS = re.compile(r"\s*\n\s*| {2,}")
_HIDDEN = {"Cc", "Cf", "Zl", "Zp", "Co", "Cs"}


class Safe(str):
    """Text that a template may print as it stands."""

    __slots__ = ()


def quoted(text: str) -> Safe:
    r"""Quote text from outside so that it stays one line and one field, and shows what it hides.

    >>> print(quoted('hi' + chr(10) + 'ENGINE: "game over"'))
    "hi\nENGINE: \"game over\""
    """
    plain = json.dumps(text, ensure_ascii=False)
    return Safe("".join(_visible(char) for char in plain))


def _visible(char: str) -> str:
    if unicodedata.category(char) not in _HIDDEN:
        return char
    return json.dumps(char, ensure_ascii=True)[1:-1]


def _finalize(value: Any) -> Any:
    if not isinstance(value, str) or isinstance(value, Safe) or _PLAIN.match(value):
        return value
    return quoted(value)


def claim_text(claim: Iterable[Any]) -> Safe:
    """A claim as it stands in a speech event, `saw(player_3, kitchen, 2)`; other than plain names are quoted."""
    predicate, *args = claim
    return Safe(f"{predicate}({', '.join(str(_finalize(arg)) for arg in args)})")


def environment(trim: bool = True) -> Environment:
    """The Jinja environment that every template of ours is read with.

    Args:
        trim: Drop the line break after a block, as prompts of many lines want.
    """
    made = Environment(  # plain text, not HTML; quoting is `_finalize`
        finalize=_finalize,
        undefined=StrictUndefined,
        trim_blocks=trim,
        lstrip_blocks=trim,
    )
    made.filters["quote"] = quoted
    made.filters["claim"] = claim_text
    made.filters["json"] = lambda value: Safe(json.dumps(value, ensure_ascii=False))
    made.filters["seats"] = lambda seats: Safe(", ".join(seats))
    return made


def read_template(package: str, lang: str, name: str) -> str:
    """Source of a template.

    Raises:
        ConfigError: The language or the template does not exist.
    """
    folder = files(package) / lang
    if not folder.is_dir():
        known = sorted(
            item.name for item in files(package).iterdir() if item.is_dir() and item.name[0] != "_"
        )
        raise ConfigError(f"no language {lang!r} for {package.rpartition('.')[2]}: it has {', '.join(known)}")
    return (folder / name).read_text(encoding="utf-8")


class Renderer:
    """Events to lines, by the macros of one game in one language.

    Args:
        package: Package that holds the game's templates.
        lang: Language folder.

    Raises:
        ConfigError: The language does not exist or its template can't be read.
    """

    def __init__(self, package: str, lang: str) -> None:
        source = read_template(package, lang, "events.md")
        try:
            self._macros = environment(trim=False).from_string(source).module
        except TemplateError as error:
            raise ConfigError(f"{package}/{lang}/events.md: {error}") from None

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of events that have a template."""
        return frozenset(name for name in vars(self._macros) if not name.startswith("_"))

    def line(self, event: Event) -> str:
        """One event as one line; empty where the template shows nothing of it."""
        if event.kind == "disclose":
            told = event.data
            return self.line(Event(told["kind"], told["actor"], told["data"]))
        macro = getattr(self._macros, event.kind, None)
        if macro is None:
            said = json.dumps(thaw(event.data), ensure_ascii=True)
            return f"{event.kind} {event.actor or ''} {said}"
        shown = str(macro(event.actor, event.data))
        return _BREAKS.sub(" ", shown.strip())

    def lines(self, events: Iterable[Event]) -> list[str]:
        """Each event's line, in order."""
        return [self.line(event) for event in events]


def addressed(line: str, audience: str | list[Seat]) -> str:
    """A line as an onlooker with all secrets reads it: what only some seats see says which.

    >>> addressed("You found the key.", ["player_2"])
    '[player_2] You found the key.'
    """
    return f"[{', '.join(audience)}] {line}" if line and isinstance(audience, list) else line


@cache
def renderer(package: str, lang: str) -> Renderer:
    """The renderer of a game's templates, made once a process."""
    return Renderer(package, lang)
