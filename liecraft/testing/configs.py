"""Every seat count and every named rule of a game's config builds a game that plays to its end."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from enum import Enum
from typing import Any, Literal

import annotated_types
from pydantic.fields import FieldInfo

from liecraft.engine.config import GameConfig
from liecraft.engine.errors import ConfigError
from liecraft.testing.failure import CheckFailed, require
from liecraft.testing.play import EnvFn, bare, generator, play_on


def seat_counts(config: type[GameConfig]) -> range:
    """All numbers of seats that a config's field allows."""
    bounds = config.model_fields["seats"].metadata
    low = next(bound.ge for bound in bounds if isinstance(bound, annotated_types.Ge))
    high = next(bound.le for bound in bounds if isinstance(bound, annotated_types.Le))
    return range(int(str(low)), int(str(high)) + 1)


def named_values(config: type[GameConfig]) -> Iterator[tuple[str, Any]]:
    """Each field with few values (bool, enum, literal), with each of its values."""
    for name, field in config.model_fields.items():
        for value in _values(field):
            yield name, value


def _values(field: FieldInfo) -> tuple[Any, ...]:
    kind = field.annotation
    if kind is bool:
        return (True, False)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(kind)
    return typing.get_args(kind) if typing.get_origin(kind) is Literal else ()


def every_seat_count(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """Every number of seats that the config allows plays.

    Where the rules that `env_fn` sets beside it refuse a number, the game's own defaults must take it.
    """
    kind = type(bare(env_fn()))
    for seats in seat_counts(kind.Config):
        try:
            env_fn(seats=seats)
        except ConfigError:
            _play(kind, {"seats": seats}, games, seed)
        else:
            _play(env_fn, {"seats": seats}, games, seed)


def every_named_value(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """Each value of each switch of the config plays, or is refused in one line."""
    for name, value in named_values(bare(env_fn()).Config):
        try:
            env_fn(**{name: value})
        except ConfigError as error:
            require(
                "\n" not in str(error), "configs", f"{name}={value!r} is refused in several lines: {error}"
            )
            continue
        _play(env_fn, {name: value}, games, seed)


def _play(env_fn: EnvFn, config: dict[str, Any], games: int, seed: int) -> None:
    shown = ", ".join(f"{name}={value!r}" for name, value in config.items())
    try:
        raw = bare(env_fn(**config))
        for game in range(games):
            raw.reset(seed=seed + game)
            play_on(raw, generator(seed, game))
    except Exception as error:
        raise CheckFailed("configs", f"{shown}: {type(error).__name__}: {error}") from error


def fuzz(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """Random games end without an exception, every seat's text rendered at the end."""
    raw = bare(env_fn())
    for game in range(games):
        try:
            raw.reset(seed=seed + game)
            play_on(raw, generator(seed, game))
            if game % 10 == 0:
                for seat in raw.seats:
                    raw.text(seat)
        except Exception as error:
            raise CheckFailed("fuzz", f"seed {seed + game}: {type(error).__name__}: {error}") from error
