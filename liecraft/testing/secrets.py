"""What a game keeps secret: worlds that a seat can't tell apart, and what the rules let it perceive."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from liecraft.engine.agent import Request
from liecraft.engine.ledger import View
from liecraft.engine.seats import Seat
from liecraft.engine.world import World
from liecraft.testing.play import RawEnv, pick

Variants = Callable[[RawEnv, Seat, np.random.Generator], World | None]
"""Another world for the env's own that the seat may not be able to tell from it, or None if there is none."""
Entitled = Callable[[RawEnv, Seat], Sequence[Any]]
"""All that the rules have let a seat perceive so far, in order: a list that only grows."""
Prompts = Callable[[View, Request], Any]
"""All that a model is sent for a request."""

TELLING = frozenset({"phase", "speech", "ballots", "dead", "outcome", "disclose"})
"""Kinds of events of the engine's own that tell, by the rules, what was hidden or decided."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """What the pairs of worlds are drawn from and judged by.

    Attributes:
        variants: Draws the other world of a pair.
        entitled: States the rules' entitlements, from the full state and not from the view.
        prompts: Builds prompts; None leaves them out.
    """

    variants: Variants
    entitled: Entitled
    prompts: Prompts | None = None


def other_worlds(raw: RawEnv, seat: Seat, rng: np.random.Generator) -> World | None:
    """Swap the roles of two other seats, or deal anew until the seat's own role comes out the same."""
    own = raw.seats.index(seat)
    if rng.random() < 0.5:
        roles = list(raw.world.roles)
        pairs = [
            (i, j) for i in range(len(roles)) for j in range(i) if own not in (i, j) and roles[i] != roles[j]
        ]
        if pairs:
            i, j = pick(rng, pairs)
            roles[i], roles[j] = roles[j], roles[i]
            swapped: World = dataclasses.replace(raw.world, roles=tuple(roles))
            return swapped
    for _ in range(20):
        dealt: World = raw.deal(rng)
        if dealt.roles[own] == raw.world.roles[own] and dealt != raw.world:
            return dealt
    return None


def told_by(kinds: Iterable[str] = ()) -> Entitled:
    """Entitlement by kind: a seat may know its role, and what its events of these and the engine's kinds say.

    It believes the game about who hears an event of a declared kind. An oracle that follows the rules on its
    own is stronger: give one where the game tells much in private.

    Args:
        kinds: The game's own kinds of events that tell what was hidden.
    """
    telling = TELLING | set(kinds)

    def entitled(raw: RawEnv, seat: Seat) -> Sequence[Any]:
        own = ("role", raw.world.roles[raw.seats.index(seat)])
        return [own, *(event for event in raw.view(seat) if event.kind in telling)]

    return entitled
