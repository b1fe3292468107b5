"""How much of what models are sent a prefix cache could have, measured from the stored prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from liecraft.trace.reader import Trace


def prompt_sizes(trace: Trace) -> Iterator[tuple[Mapping[str, Any], int, int]]:
    """For each model call: its line, the bytes of its prompt, and how many of them a cache could have.

    That is as much as the prompt has in common, from its beginning on, with the seat's previous request and the
    answer to it; at the seat's first, with that of another seat of the game, as the rules that begin all of them are
    the same. What was asked aside (a probe) is compared in the same way, and not gone on from. Bytes stand for
    tokens, of which endpoints tell only the sum.
    """
    stored: dict[str, list[Mapping[str, str]]] = {}
    known: dict[str, list[str]] = {}
    rules: dict[str, list[str]] = {}
    for call in trace.calls:
        seat = call["seat"]
        prompt = [*stored.get(seat, [])[: call["kept"]], *call["messages"]]
        stored[seat] = prompt
        now = [f"{message['role']}\n{message['content']}" for message in prompt]
        before = known.get(seat) or rules.get(call["model"], [])
        rules.setdefault(call["model"], now[:1])
        yield call, _size(now), _shared(before, now)
        if not call.get("probe") and call["error"] is None:
            known[seat] = [*now, f"assistant\n{call['text']}"]


def _shared(before: Sequence[str], now: Sequence[str]) -> int:
    """Bytes of the common prefix of two conversations."""
    same = 0
    while same < min(len(before), len(now)) and before[same] == now[same]:
        same += 1
    return _size(now[:same]) + _begin_alike("".join(before[same : same + 1]), "".join(now[same : same + 1]))


def _begin_alike(one: str, other: str) -> int:
    """Bytes of the common prefix of two texts."""
    length = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    return len(one[: min(len(one), len(other)) if length is None else length].encode())


def _size(texts: Sequence[str]) -> int:
    return sum(len(text.encode()) for text in texts)
