"""All of an env's state as one text, to tell whether anything changed at all."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

_SCALARS = str | int | float | bool | bytes | None
_PASSED_OVER = (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.ModuleType)
# Lazily filled caches and the samplers of spaces are no state of the game.
_CACHES = {"_masks", "_ids", "_lines", "_hash", "_hashed", "_action_spaces", "_observation_spaces"}


def fingerprint(value: Any) -> str:
    """Text of a value and all it refers to; equal exactly if no part of the state differs."""
    return "".join(_walk(value, {}))


def _walk(value: Any, seen: dict[int, int]) -> Iterator[str]:
    if isinstance(value, _SCALARS):
        yield f"{value!r};"
    elif isinstance(value, _PASSED_OVER):
        yield f"<{type(value).__name__}>"
    elif id(value) in seen:
        yield f"@{seen[id(value)]};"
    else:
        seen[id(value)] = len(seen)
        yield from _inside(value, seen)


def _inside(value: Any, seen: dict[int, int]) -> Iterator[str]:
    name = type(value).__name__
    if isinstance(value, np.ndarray):
        yield f"{name}{value.shape}{value.tobytes().hex()};"
    elif isinstance(value, np.random.Generator):
        yield f"{name}{value.bit_generator.state!r};"
    elif isinstance(value, Mapping):
        yield f"{name}{{"
        for key, item in value.items():
            yield f"{key!r}:"
            yield from _walk(item, seen)
        yield "}"
    elif isinstance(value, set | frozenset):
        yield f"{name}{sorted(map(repr, value))};"
    elif isinstance(value, list | tuple):
        yield f"{name}["
        for item in value:
            yield from _walk(item, seen)
        yield "]"
    else:
        yield f"{name}("
        for key, item in _attributes(value):
            yield f"{key}="
            yield from _walk(item, seen)
        yield ")"


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    slots = [slot for kind in type(value).__mro__ for slot in getattr(kind, "__slots__", ())]
    names = [*slots, *getattr(value, "__dict__", ())]
    for name in sorted(set(names) - _CACHES):
        if hasattr(value, name):
            yield name, getattr(value, name)
