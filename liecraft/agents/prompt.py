"""Prompts: pure functions of a seat's view and what is asked of it, from the game's templates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, Template, TemplateError

from liecraft.agents.wording import Wording
from liecraft.engine.agent import Request
from liecraft.engine.claims import Predicate, Vocabulary
from liecraft.engine.errors import ConfigError
from liecraft.engine.ledger import Event, View
from liecraft.engine.registry import game_class
from liecraft.engine.render import Safe, environment, renderer


class PromptBook:
    """The prompts of one game in one language.

    Args:
        game: Registered game.
        lang: Language folder of the templates.
        claims: Tell the model of the game's claims.
        thinks: Ask for private reasoning in the reply.
        folder: Templates that word the prompts anew; see `Wording`.

    Raises:
        ConfigError: A template is missing or can't be read.
    """

    def __init__(
        self,
        game: str,
        lang: str = "en",
        *,
        claims: bool = True,
        thinks: bool = False,
        folder: str | None = None,
    ) -> None:
        wording = Wording(game, lang, folder)
        self.renderer = renderer(game_class(game).prompts, lang)
        made = environment()
        made.filters["signature"] = _signature
        self._system = _template(made, wording, "system.md")
        self._request = _template(made, wording, "request.md")
        self._reply = _template(made, wording, "reply.md")
        self._turn = _template(made, wording, "turn.md")
        self._reask = _template(made, wording, "reask.md")
        self._compacted = _template(made, wording, "compacted.md")
        self._probe = _template(made, wording, "probe.md")
        self._claims = claims
        self._thinks = thinks

    def system(self, view: View, vocabulary: Vocabulary | None) -> str:
        """The fixed system message: the rules first, so that seats share a prefix, then who the seat is."""
        config, role = view.first("game").data["config"], view.first("role").data
        facts = {"config": config, "me": view.seat, "role": role["role"], "side": role["side"]}
        domains = vocabulary.domains if vocabulary else {}
        rooms = domains.get("room", ())
        reply = Safe(self._reply.render(thinks=self._thinks, **self._claim_facts(vocabulary)).strip())
        return self._system.render(reply=reply, rooms=rooms, domains=domains, **facts).strip()

    def _claim_facts(self, vocabulary: Vocabulary | None) -> dict[str, Any]:
        if vocabulary is None or not self._claims:
            return {"predicates": (), "example": None}
        predicates = list(vocabulary.predicates.values())
        first = max(predicates, key=lambda predicate: len(predicate.params))
        args = [(param, vocabulary.domains[domain][-1]) for param, domain in first.params]
        return {"predicates": predicates, "example": {"name": first.name, "args": args}}

    def turn(self, events: Iterable[Event], request: Request, dropped: int | None = None) -> str:
        """One user message: what happened since the seat's last turn, then what is asked.

        Args:
            events: What happened.
            request: What is asked.
            dropped: In the place of all before, a note that so many events of old talk are left out of `events`.
        """
        facts = {"phase": request.phase, "round": request.round, "request": request}
        ask = Safe(self._request.render(**facts).strip())
        moves = [Safe(move) for move in request.legal]
        return self._turn.render(lines=self._lines(events, dropped), ask=ask, moves=moves).strip()

    def _lines(self, events: Iterable[Event], dropped: int | None) -> list[Safe]:
        note = [] if dropped is None else [Safe(self._compacted.render(dropped=dropped).strip())]
        return [*note, *(Safe(line) for line in self.renderer.lines(events) if line)]

    def reask(self, request: Request, problem: str, error: str | None = None) -> str:
        """What is said after an answer that can't be used."""
        moves = [Safe(move) for move in request.legal]
        return " ".join(self._reask.render(problem=problem, error=error, moves=moves).split())

    def probe(self, events: Iterable[Event], seats: Sequence[str], dropped: int | None = None) -> str:
        """One user message: what happened since the seat's last turn, then whom it takes for deceivers."""
        return self._probe.render(lines=self._lines(events, dropped), seats=seats).strip()


def _template(made: Environment, wording: Wording, name: str) -> Template:
    try:
        return made.from_string(wording.read(name))
    except (FileNotFoundError, TemplateError) as error:
        where = wording.folder or f"{wording.game} in {wording.lang!r}"
        raise ConfigError(f"{name} of {where}: {error}") from None


def _signature(predicate: Predicate) -> Safe:
    return Safe(f"{predicate.name}({', '.join(param for param, _ in predicate.params)})")


@cache
def prompt_book(game: str, lang: str, claims: bool, thinks: bool, folder: str | None = None) -> PromptBook:
    """The prompts of a game, read once a process."""
    return PromptBook(game, lang, claims=claims, thinks=thinks, folder=folder)
