"""What chance deals before a murder game: roles, hidden things, the dark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from liecraft.engine.errors import ConfigError
from liecraft.engine.seats import Seat
from liecraft.engine.world import World
from liecraft.games.murder.config import MurderConfig
from liecraft.games.murder.manor import CLUE, KEY, NOTHING
from liecraft.games.murder.memory import INNOCENT, MURDERER


@dataclass(frozen=True, slots=True)
class MurderWorld(World):
    """Roles, what is hidden in each room in the order in which searches find it, and the dark.

    Attributes:
        stash: Room to things: `key`, `nothing`, or `clue:player_i` for a clue that names a seat.
        dark: For each round, for each seat in order, whom it can't make out; rounds beyond are light.
    """

    stash: dict[str, tuple[str, ...]]
    dark: tuple[tuple[tuple[Seat, ...], ...], ...] = ()


def deal(config: MurderConfig, seats: Sequence[Seat], rng: np.random.Generator) -> MurderWorld:
    """Draw the murderers, what lies where and in which order, what each clue says, and the dark."""
    n = len(seats)
    guilty = set(rng.permutation(n)[: config.murderers].tolist())
    roles = tuple(MURDERER if i in guilty else INNOCENT for i in range(n))
    things = [_clue(config, seats, roles, rng) for _ in range(config.clues)]
    things += [KEY] * config.key + [NOTHING] * (config.clutter * n)
    rooms = sorted(room for room in config.graph() if room != config.hall)
    stash: dict[str, list[str]] = {room: [] for room in rooms}
    where = rng.integers(len(rooms), size=len(things)).tolist()
    for i, room in zip(rng.permutation(len(things)).tolist(), where, strict=True):
        stash[rooms[room]].append(things[i])
    found = {room: tuple(hidden) for room, hidden in stash.items()}
    return MurderWorld(roles, found, _dark(config, seats, rng) if config.darkness else ())


def _clue(config: MurderConfig, seats: Sequence[Seat], roles: Sequence[str], rng: np.random.Generator) -> str:
    weight = config.clue_odds * config.murderers
    named = MURDERER if rng.random() * (weight + len(seats) - config.murderers) < weight else INNOCENT
    choices = [seat for seat, role in zip(seats, roles, strict=True) if role == named]
    return f"{CLUE}:{choices[rng.integers(len(choices))]}"


def _dark(
    config: MurderConfig, seats: Sequence[Seat], rng: np.random.Generator
) -> tuple[tuple[tuple[Seat, ...], ...], ...]:
    n = len(seats)
    draws = (rng.random((config.rounds, n, n)) < config.darkness).tolist()
    return tuple(
        tuple(
            tuple(other for other, dark in zip(seats, row, strict=True) if dark and other != seat)
            for seat, row in zip(seats, night, strict=True)
        )
        for night in draws
    )


def check(world: MurderWorld, config: MurderConfig, seats: Sequence[Seat]) -> None:
    """Refuse a world that was handed in and does not fit the configuration.

    Raises:
        ConfigError: The number of murderers, a room, a thing, a second key, or the shape of the dark.
    """
    guilty = world.roles.count(MURDERER)
    if guilty != config.murderers:
        raise ConfigError(f"world: roles hold {guilty} murderers, the configuration says {config.murderers}")
    rooms = set(config.graph())
    known = {KEY, NOTHING, *(f"{CLUE}:{seat}" for seat in seats)}
    for room, things in world.stash.items():
        if room not in rooms:
            raise ConfigError(f"world: stash names {room!r}, which is no room of {', '.join(sorted(rooms))}")
        if not known.issuperset(things):
            wrong = next(thing for thing in things if thing not in known)
            raise ConfigError(f"world: {room} hides {wrong!r}; use key, nothing or clue:player_i")
    if sum(things.count(KEY) for things in world.stash.values()) > 1:
        raise ConfigError("world: more than one key is hidden; use one at most")
    known_seats = set(seats)
    for round_, night in enumerate(world.dark, 1):
        if len(night) != len(seats) or not known_seats.issuperset(chain.from_iterable(night)):
            raise ConfigError(f"world: dark of round {round_} must list seats for each of {len(seats)} seats")
