"""What a model seat is sent, as a pure function of view and request, for the pairs of worlds."""

from __future__ import annotations

from typing import Any

from liecraft.agents.llm import Limits, reply_schema
from liecraft.agents.prompt import PromptBook
from liecraft.engine.agent import Request
from liecraft.engine.ledger import View
from liecraft.testing.secrets import Prompts

RECENT = 6
"""Events that the user message repeats; all older ones stood in earlier messages, line by line the same."""


def model_prompts(game: str, lang: str = "en") -> Prompts:
    """The prompts of a registered game: system message, user message, its compacted form, reply schema.

    Raises:
        ConfigError: A template is missing or can't be read.
    """
    book, limits = PromptBook(game, lang, thinks=True), Limits()

    def prompts(view: View, request: Request) -> Any:
        recent = view.since(max(0, len(view) - RECENT))
        return [
            book.system(view, request.vocabulary),
            book.turn(recent, request),
            book.turn(recent[-1:], request, RECENT),
            reply_schema(request, limits, thinks=True),
        ]

    return prompts
