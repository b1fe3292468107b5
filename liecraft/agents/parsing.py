"""From a model's answer to one legal move: a ladder, each rung recorded, ambiguity never resolved by guess.

Rungs: the whole text is the JSON asked for; JSON inside other text; an exact move id, menu number or seat.
What names two different moves, or none, is invalid. Reasoning blocks are private and never read.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from liecraft.engine.agent import How, Reply, Request
from liecraft.engine.claims import Claim, Vocabulary
from liecraft.engine.errors import ConfigError

_THINK = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^```[a-z]*\s*\n(.*)\n?```\s*$", re.DOTALL)
_SEAT = re.compile(r"(?:player[_ ]?|p)(\d{1,2})\Z", re.IGNORECASE)
_OPENING = re.compile(r"^(?:(?:my |final )?(?:answer|move|vote)(?: is| for)?[:= ]+)?", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Za-z_]+(?::[A-Za-z0-9_]+)?\d*|\d+")
_MAX_READ = 20_000


class Fault(StrEnum):
    """Why an answer could not be used."""

    EMPTY = "empty"
    REFUSAL = "refusal"
    INVALID = "invalid"
    TRUNCATED = "truncated"


DEFAULT_HOW = {
    Fault.EMPTY: How.FALLBACK,
    Fault.REFUSAL: How.FALLBACK,
    Fault.INVALID: How.INVALID,
    Fault.TRUNCATED: How.TRUNCATED,
}
"""How the default move is recorded that stands in for a faulty answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model sent back, as far as parsing cares."""

    text: str
    finish_reason: str | None = None
    refusal: str | None = None
    seconds: float = 0.0


class _Ambiguous(Exception):
    """Two readings."""


def parse(answer: Answer, request: Request) -> Reply | Fault:
    """Read an answer to a request, or say why it can't be used."""
    if answer.refusal:
        return Fault.REFUSAL
    cut = answer.finish_reason == "length"
    text = _THINK.sub("", answer.text).strip()
    if not text:
        return Fault.TRUNCATED if cut else Fault.EMPTY
    if answer.finish_reason == "content_filter":
        return Fault.REFUSAL
    try:
        reply = _structured(text, request) or _embedded(text, request)
        if reply is None and not cut:
            reply = _bare(text, request)
    except _Ambiguous:
        reply = None
    if reply is not None:
        return reply
    return Fault.TRUNCATED if cut else Fault.INVALID


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Ambiguous
    return found


def _structured(text: str, request: Request) -> Reply | None:
    try:
        fields = json.loads(text, object_pairs_hook=_no_duplicates)
    except (ValueError, RecursionError):
        return None
    return _reply(fields, request, How.STRUCTURED) if isinstance(fields, dict) else None


def _embedded(text: str, request: Request) -> Reply | None:
    """JSON inside a fence or between words; several objects must agree on the move."""
    fence = _FENCE.match(text)
    inside = (fence.group(1) if fence else text)[:_MAX_READ]
    decoder = json.JSONDecoder(object_pairs_hook=_no_duplicates)
    replies, at = [], inside.find("{")
    while at >= 0:
        try:
            fields, end = decoder.raw_decode(inside, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if "move" in fields:
                replies.append(_reply(fields, request, How.REPAIRED))
        at = inside.find("{", end)
    moves = {reply.move if reply else None for reply in replies}
    if len(moves) > 1:
        raise _Ambiguous
    return replies[0] if replies else None


def _reply(fields: dict[str, Any], request: Request, how: How) -> Reply | None:
    named = fields.get("move")
    if isinstance(named, bool) or not isinstance(named, str | int):
        return None
    move, exact = _move(str(named), request)
    if move is None:
        return None
    text, claims, whole = _words(fields, request)
    if how is How.STRUCTURED and not exact:
        how = How.MENU
    elif how is How.STRUCTURED and not whole:
        how = How.REPAIRED
    thought = fields.get("thought")
    return Reply(move, text, claims, how, thought if isinstance(thought, str) else None)


def _words(fields: dict[str, Any], request: Request) -> tuple[str, tuple[Claim, ...], bool]:
    """Words and well-formed claims; the last value tells whether nothing had to be left out."""
    if not request.words:
        return "", (), True
    said, listed = fields.get("say", ""), fields.get("claims", [])
    whole = isinstance(said, str) and isinstance(listed, list)
    claims = []
    for item in listed if isinstance(listed, list) else ():
        claim = _claim(item, request.vocabulary)
        whole = whole and claim is not None
        if claim is not None:
            claims.append(claim)
    return said if isinstance(said, str) else "", tuple(claims), whole


def _claim(item: Any, vocabulary: Vocabulary | None) -> Claim | None:
    if vocabulary is None or not isinstance(item, dict):
        return None
    try:
        return vocabulary.parse(item)
    except (ConfigError, TypeError):
        return None


def _move(named: str, request: Request) -> tuple[str | None, bool]:
    """The one legal move that a name stands for, and whether it was the id itself."""
    if named in request.legal:
        return named, True
    plain = unicodedata.normalize("NFKC", named).strip()
    for legal in request.legal:
        if plain.lower() == legal:
            return legal, False
    if plain.isascii() and plain.isdigit():
        number = int(plain)
        return (request.legal[number - 1] if 1 <= number <= len(request.legal) else None), False
    if seat := _SEAT.match(plain):
        aimed = [move for move in request.legal if move.endswith(f":player_{int(seat.group(1))}")]
        return (aimed[0] if len(aimed) == 1 else None), False
    return None, False


def _bare(text: str, request: Request) -> Reply | None:
    """An answer that begins with a move id, a menu number or a seat and names no other."""
    plain = unicodedata.normalize("NFKC", text)[:_MAX_READ].strip("`*\"'[]() \n.")
    plain = _OPENING.sub("", plain, count=1).lstrip("`*\"'[](")
    first = _TOKEN.match(plain)
    if first is None:
        return None
    move, _ = _move(first.group(), request)
    if move is None:
        return None
    others = {_mentioned(token.group(), request) for token in _TOKEN.finditer(plain, first.end())}
    if others - {move, None}:
        raise _Ambiguous
    return Reply(move, how=How.MENU)


def _mentioned(token: str, request: Request) -> str | None:
    """A move named in passing; bare numbers and single words there are just words."""
    return _move(token, request)[0] if ":" in token or _SEAT.match(token) else None
