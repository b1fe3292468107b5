"""Events stay as they were recorded, are plain data, and a view leads nowhere but to its events."""

from __future__ import annotations

import json
import types
from collections.abc import Iterator, Mapping
from typing import Any

from liecraft.engine.agent import Request
from liecraft.engine.claims import Predicate, Vocabulary
from liecraft.engine.ledger import Event, View, canonical, thaw
from liecraft.testing.failure import CheckFailed, require
from liecraft.testing.play import EnvFn, bare, generator, random_move

_SCALARS = (str, int, float, bool, type(None))


def writable(value: Any, path: str) -> Iterator[str]:
    """Places in a value that can be changed, or are no JSON."""
    if isinstance(value, types.MappingProxyType):
        for key, item in value.items():
            if type(key) is not str:
                yield f"{path} has the key {key!r}"
            yield from writable(item, f"{path}.{key}")
    elif isinstance(value, tuple):
        for at, item in enumerate(value):
            yield from writable(item, f"{path}[{at}]")
    elif not isinstance(value, _SCALARS):
        yield f"{path} is a {type(value).__name__}"


def events_are_immutable(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """Every event's data is read-only to the bottom and JSON, and no later move changes or drops an event."""
    raw = bare(env_fn())
    for game in range(games):
        rng = generator(seed, game)
        raw.reset(seed=int(rng.integers(2**31)))
        written: list[str] = []
        while True:
            for entry in list(raw.ledger)[len(written) :]:
                _check_data(entry.event, f"game {game} of seed {seed}")
                written.append(canonical(entry.event, raw.ledger.audience_names(entry.audience)))
            if raw.finished:
                break
            raw.step(random_move(raw, rng))
        now = [canonical(entry.event, raw.ledger.audience_names(entry.audience)) for entry in raw.ledger]
        require(now == written, "immutability", f"game {game} of seed {seed}: a recorded event has changed")


def _check_data(event: Event, where: str) -> None:
    for fault in writable(event.data, event.kind):
        raise CheckFailed(
            "immutability", f"{where}: {fault}: events hold JSON scalars, tuples, read-only mappings"
        )
    try:
        json.dumps(thaw(event.data), allow_nan=False)
    except ValueError as error:
        raise CheckFailed("immutability", f"{where}: event {event.kind} is no JSON: {error}") from error


def foreign(value: Any, path: str) -> Iterator[str]:
    """Places where a view or a request leads to something that isn't plain data of its seat."""
    if isinstance(value, View):
        for name in View.__slots__:
            held = getattr(value, name)
            yield from foreign(tuple(held) if name == "_events" else held, f"{path}.{name}")
        if type(value) is not View:
            yield f"{path} is a {type(value).__name__}"
    elif isinstance(value, Request | Vocabulary):
        for name in type(value).__slots__:
            yield from foreign(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from foreign(item, f"{path}[{key!r}]")
    elif isinstance(value, tuple | Predicate | Event):
        for at, item in enumerate(value):
            yield from foreign(item, f"{path}[{at}]")
    elif not isinstance(value, _SCALARS):
        yield f"{path} is a {type(value).__name__}"


def views_lead_nowhere(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """What an agent is given, view and request, leads by no attribute to the ledger, the env or another seat."""
    raw = bare(env_fn())
    for game in range(games):
        rng = generator(seed, game)
        raw.reset(seed=int(rng.integers(2**31)))
        while not raw.finished:
            seat = raw.agent_selection
            view, request = raw.view(seat), raw.request()
            where = f"game {game} of seed {seed}: {seat}"
            require(
                view.seat == request.seat == seat, "views", f"{where} is given another seat's view or request"
            )
            if rng.random() < 0.1:
                for fault in (*foreign(view, "view"), *foreign(request, "request")):
                    raise CheckFailed("views", f"{where}: {fault}")
            raw.step(random_move(raw, rng))


def menus_match_masks(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """The legal moves that a request lists are those that the mask allows, the default among them."""
    raw = bare(env_fn())
    for game in range(games):
        rng = generator(seed, game)
        raw.reset(seed=int(rng.integers(2**31)))
        while not raw.finished:
            mask = raw.observe(raw.agent_selection)["action_mask"]
            allowed = tuple(move_id for move_id, on in zip(raw.moves, mask, strict=True) if on)
            request = raw.request()
            where = f"game {game} of seed {seed}: {request.seat} in {request.phase!r}"
            require(
                request.legal == allowed, "menus", f"{where} is offered {request.legal}, may play {allowed}"
            )
            require(request.default in allowed, "menus", f"{where}: default {request.default!r} is illegal")
            raw.step(random_move(raw, rng))
