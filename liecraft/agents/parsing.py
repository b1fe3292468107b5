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
from liecraft.models.wire import valid_unicode

_TAG = r"(think|thinking|thought|reasoning)"
_THINK = re.compile(rf"<{_TAG}\s*>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(rf"</{_TAG}\s*>", re.IGNORECASE)
_FENCE = re.compile(r"^```[a-z]*\s*\n(.*)\n?```\s*$", re.DOTALL)
_KEY = re.compile(r"""["']move["']\s*:""")
_SEAT = re.compile(r"(?:player[_ ]?|p)(\d{1,2})\Z", re.IGNORECASE)
_SEATS = re.compile(r"(?<![A-Za-z0-9])(?:player|seat|p)[ _#-]{0,2}(\d{1,3})(?![A-Za-z0-9])", re.IGNORECASE)
_OPENING = re.compile(r"(?:my |final )*(?:answer|move|vote)(?: is| for)*[:= ]+", re.IGNORECASE)
_ID = r"[A-Za-z_]+(?::[A-Za-z0-9_]+)+"
_BARE = re.compile(
    rf"(?P<name>{_ID}|(?:player[_ ]?|p)\d{{1,2}}|[A-Za-z_]+|\d{{1,4}})(?!\w)[`\"'*\])]*(?P<remark>.*)",
    re.DOTALL | re.IGNORECASE,
)
_REMARK = re.compile(r"\s*[(,.;!\n\u2014\u2013-]|\s+(?:because|since|as)\b", re.IGNORECASE)
_UNSURE = re.compile(
    r"\b(?:no|not|never|nobody|none|neither|nor|or|but|unless|instead|rather|wait|actually|cannot)\b"
    r"|n['\u2019]t\b|\?|不|没|沒|别|別|非|或",
    re.IGNORECASE,
)
"""What turns a name around or leaves it open; a remark that holds any of it makes the answer invalid."""
_MAX_READ = 20_000
"""Characters of an answer that is no plain JSON; a longer one is invalid, as its end might contradict it."""
_MAX_NAME = 200
_FIELDS = frozenset({"move", "say", "claims", "thought"})
_WRAPPING = "`*\"'[]() \t\r\n."


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


def spoken(text: str) -> str:
    """An answer without its reasoning blocks, those that were never opened or never closed included.

    >>> spoken("<think>I did it.</think> vote:player_2")
    'vote:player_2'
    """
    left = _THINK.sub("", text)
    ends = [end.end() for end in _THOUGHT_END.finditer(left)]  # its opening was in the model's own template
    return left[ends[-1] if ends else 0 :].strip()


def parse(answer: Answer, request: Request) -> Reply | Fault:
    """Read an answer to a request, or say why it can't be used."""
    if answer.refusal:
        return Fault.REFUSAL
    cut = answer.finish_reason == "length"
    text = spoken(answer.text)
    if not text:
        return Fault.TRUNCATED if cut else Fault.EMPTY
    if answer.finish_reason == "content_filter":
        return Fault.REFUSAL
    try:
        reply = _structured(answer.text, request) or _structured(text, request) or _embedded(text, request)
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
    """JSON inside a fence or between words; several objects must agree, and no part of one may be left over."""
    if len(text) > _MAX_READ:
        return None
    fence = _FENCE.match(text)
    inside = fence.group(1) if fence else text
    decoder = json.JSONDecoder(object_pairs_hook=_no_duplicates)
    replies, rest, read, at = [], "", 0, inside.find("{")
    while at >= 0:
        try:
            fields, end = decoder.raw_decode(inside, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if "move" in fields:
                replies.append(_reply(fields, request, How.REPAIRED))
                rest, read = rest + inside[read:at], end
        at = inside.find("{", end)
    if _KEY.search(rest + inside[read:]):  # a reply that is no JSON, maybe around one that it only quotes
        raise _Ambiguous
    if len({reply.move if reply else None for reply in replies}) > 1:
        raise _Ambiguous
    return replies[0] if replies else None


def _reply(fields: dict[str, Any], request: Request, how: How) -> Reply | None:
    named = fields.get("move")
    if isinstance(named, bool) or not isinstance(named, str | int):
        return None
    move, exact = _move(str(named), request)
    if move is None:
        return None
    for key, value in fields.items():
        if key not in _FIELDS and isinstance(value, str) and _move(value, request)[0] not in (None, move):
            raise _Ambiguous
    text, claims, whole = _words(fields, request)
    if how is How.STRUCTURED and not exact:
        how = How.MENU
    elif how is How.STRUCTURED and not whole:
        how = How.REPAIRED
    thought = fields.get("thought")
    return Reply(move, text, claims, how, valid_unicode(thought) if isinstance(thought, str) else None)


def _words(fields: dict[str, Any], request: Request) -> tuple[str, tuple[Claim, ...], bool]:
    """Words and well-formed claims; the last value tells whether nothing had to be left out."""
    if not request.words:
        return "", (), True
    said, listed = fields.get("say", ""), fields.get("claims", [])
    text = valid_unicode(spoken(said)) if isinstance(said, str) else ""
    whole = text == (said.strip() if isinstance(said, str) else None) and isinstance(listed, list)
    claims = []
    for item in listed if isinstance(listed, list) else ():
        claim = _claim(item, request.vocabulary)
        whole = whole and claim is not None
        if claim is not None:
            claims.append(claim)
    return text, tuple(claims), whole


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
    if len(named) > _MAX_NAME:
        return None, False
    plain = unicodedata.normalize("NFKC", named).strip()
    if plain.lower() in request.legal:
        return plain.lower(), False
    if plain.isascii() and plain.isdigit():
        number = int(plain)
        return (request.legal[number - 1] if 1 <= number <= len(request.legal) else None), False
    if seat := _SEAT.match(plain):
        return _aimed(f"player_{int(seat.group(1))}", request), False
    return None, False


def _aimed(seat: str, request: Request) -> str | None:
    """The move that a seat's name alone stands for: only where all moves do one thing to one seat or another."""
    verbs = {move.partition(":")[0] for move in request.legal}
    if len(verbs) != 1:
        return None
    move = f"{verbs.pop()}:{seat}"
    return move if move in request.legal else None


def _bare(text: str, request: Request) -> Reply | None:
    """An answer that is a move's name, or begins with it and adds a remark that takes nothing back."""
    if len(text) > _MAX_READ:
        return None
    plain = unicodedata.normalize("NFKC", text).strip(_WRAPPING)
    for opened in (plain, _OPENING.sub("", plain, count=1).lstrip(_WRAPPING)):
        found = _BARE.match(opened)
        move = _move(found["name"], request)[0] if found else None
        if found and move and _harmless(found["name"], found["remark"], move, request):
            return Reply(move, how=How.MENU)
    return None


def _harmless(name: str, remark: str, move: str, request: Request) -> bool:
    """Whether what follows a move's name can't change it."""
    if not remark.strip(_WRAPPING):
        return True
    if name.isdigit():  # "2. vote:player_1", yet not "2 players lied"
        return _move(remark.strip(_WRAPPING + ":-"), request)[0] == move
    if name.isalpha() or not _REMARK.match(remark) or _UNSURE.search(remark):
        return False  # a word alone may be just a word: "Wait, let me think"
    target = move.partition(":")[2]
    seats = {f"player_{int(number)}" for number in _SEATS.findall(remark)}
    moves = {other for other in re.findall(_ID, remark) if other in request.legal}
    return moves <= {move} and (seats <= {target} or not _SEAT.match(target))
