"""What chance deals in an info-passing game: links, bulletin, targets, roles, and every hit of the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from liecraft.engine.errors import ConfigError
from liecraft.engine.seats import Seat
from liecraft.engine.world import World
from liecraft.games.info_passing import graph
from liecraft.games.info_passing.config import InfoPassingConfig, NoiseKind

SABOTEUR = "saboteur"
HONEST = "honest"

Hit = tuple[int, str, str, str, int, bool]
"""Wave (from 1), speaker, listener, slot, shift of the value in its vocabulary (0: lost), marked."""


@dataclass(frozen=True, slots=True)
class InfoPassingWorld(World):
    """Everything dealt before play.

    Attributes:
        edges: (speaker, listener), sorted by seat number.
        bulletin: Slot to its true value.
        targets: Slots whose report counts.
        audit: Slots that the audit discloses.
        noise: The hits, whatever will be said.
    """

    edges: tuple[tuple[str, str], ...]
    bulletin: dict[str, str]
    targets: tuple[str, ...]
    audit: tuple[str, ...]
    noise: tuple[Hit, ...]


def deal(config: InfoPassingConfig, seats: Sequence[Seat], rng: np.random.Generator) -> InfoPassingWorld:
    """Draw a world: links, then roles, bulletin, targets and audit, then noise."""
    numbers = graph.build(config, rng)
    _, sinks = graph.ends_of(config, numbers)
    senders = [i for i in range(len(seats)) if i not in sinks]
    guilty = {senders[i] for i in rng.permutation(len(senders))[: config.saboteurs]}
    slots = list(config.slots)
    bulletin = {slot: values[rng.integers(len(values))] for slot, values in config.slots.items()}
    targets, audit = (
        tuple(slots[i] for i in sorted(rng.permutation(len(slots))[:count].tolist()))
        for count in (config.targets, config.audit_slots)
    )
    edges = tuple((seats[a], seats[b]) for a, b in numbers)
    roles = tuple(SABOTEUR if i in guilty else HONEST for i in range(len(seats)))
    return InfoPassingWorld(roles, edges, bulletin, targets, audit, _noise(config, edges, rng))


def _noise(
    config: InfoPassingConfig, edges: Sequence[tuple[str, str]], rng: np.random.Generator
) -> tuple[Hit, ...]:
    slots = list(config.slots)
    shape = (config.waves, len(edges), len(slots))
    struck = np.argwhere(rng.random(shape) < config.noise).tolist()
    hits = []
    for wave, edge, slot in struck:
        garbles = config.noise_kind is NoiseKind.GARBLE or (
            config.noise_kind is NoiseKind.MIXED and rng.random() < 0.5
        )
        shift = int(rng.integers(1, len(config.slots[slots[slot]]))) if garbles else 0
        marked = bool(rng.random() < config.noise_marked)
        hits.append((wave + 1, *edges[edge], slots[slot], shift, marked))
    return tuple(hits)


def check(world: InfoPassingWorld, config: InfoPassingConfig, seats: Sequence[Seat]) -> None:
    """Refuse a given world that doesn't fit the configuration.

    Raises:
        ConfigError: An unknown seat, slot or value, a graph that can't be played, or a sink as saboteur.
    """
    strangers = {seat for edge in world.edges for seat in edge} - set(seats)
    if strangers or not world.edges:
        raise ConfigError(f"world: edges must link seats {seats[0]} to {seats[-1]}, got {world.edges}")
    if list(world.bulletin) != list(config.slots):
        raise ConfigError(f"world: bulletin must have the slots {', '.join(config.slots)}, in this order")
    for slot, value in world.bulletin.items():
        if value not in config.slots[slot]:
            raise ConfigError(f"world: bulletin.{slot}: {value!r} is not one of {list(config.slots[slot])}")
    named = {*world.targets, *world.audit, *(hit[3] for hit in world.noise)}
    if not named <= set(config.slots) or not world.targets:
        raise ConfigError(f"world: targets, audit and noise must name slots among {', '.join(config.slots)}")
    numbers = [(seats.index(a), seats.index(b)) for a, b in world.edges]
    sources, sinks = graph.ends_of(config, numbers)
    try:
        graph.check(len(seats), numbers, sources, sinks)
    except ValueError as error:
        raise ConfigError(f"world: {error}") from None
    if any(world.roles[i] == SABOTEUR for i in sinks):
        raise ConfigError("world: roles: a sink can't be a saboteur")
