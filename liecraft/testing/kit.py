"""`check_game`: every promise of a game, checked one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from liecraft.engine.registry import list_games
from liecraft.engine.seats import Seat
from liecraft.engine.world import World
from liecraft.testing import aec, canaries, configs, dead, determinism, immutability, sealed, templates
from liecraft.testing import noninterference as pairs_of_worlds
from liecraft.testing import pettingzoo_suite as zoo
from liecraft.testing.noninterference import Tally
from liecraft.testing.play import EnvFn, bare
from liecraft.testing.prompts import model_prompts
from liecraft.testing.secrets import Entitled, Prompts, Secrets, Variants, other_worlds, told_by

Check = Callable[[], Tally | None]


@dataclass(slots=True)
class Report:
    """What `check_game` has done.

    Attributes:
        passed: Names of the checks in order, with the seconds that each took.
        acts: Pairs of games in one world with other hidden moves.
        worlds: Pairs of games in two worlds.
    """

    passed: dict[str, float] = field(default_factory=dict)
    acts: Tally = field(default_factory=Tally)
    worlds: Tally = field(default_factory=Tally)


def check_game(
    env_fn: EnvFn,
    *,
    games: int = 20,
    fuzz_games: int = 200,
    pairs: int = 200,
    seed: int = 0,
    entitled: Entitled | None = None,
    tells: Collection[str] = (),
    variants: Variants | None = None,
    prompts: Prompts | None = None,
    plant: canaries.Plant | None = None,
    dead_hear: Collection[str] = (),
    zero_sum: bool = True,
) -> Report:
    """Check a game: PettingZoo's tests, a stricter AEC suite, determinism, configs, immutability, isolation.

    Args:
        env_fn: Takes fields of the game's config and `render_mode`, gives its env:
            `functools.partial(liecraft.make, "murder_v0")`.
        games: Random games for each check that plays some.
        fuzz_games: Random games that must end without an exception.
        pairs: Pairs of worlds, and as many pairs of games with other hidden moves.
        seed: Everything repeats itself under the same seed.
        entitled: What the rules have let a seat perceive so far, stated from the full state: the oracle against
            which a leak shows. Without it, what events of the kinds in `tells` say is taken as allowed.
        tells: Kinds of the game's own events that tell what was hidden; only used without `entitled`.
        variants: Draws another world that a seat can't tell from the env's at the start. Without it, the env's own
            method `variants(seat, rng)` if it has one, else roles of others are swapped or the world dealt anew.
        prompts: Builds all that a model is sent, from a view and a request. Without it, the prompts of a registered
            game; those of an unregistered one are left out.
        plant: Puts a canary into the world's secrets.
        dead_hear: Kinds of private events that the rules let the dead hear.
        zero_sum: Whether the returns of all seats add up to zero.

    Returns:
        What was checked.

    Raises:
        CheckFailed: With the name of the first check that failed, and how to see it again.
    """
    prompts = prompts or _own_prompts(env_fn)
    secrets = Secrets(variants or _own_variants(env_fn), entitled or told_by(tells), prompts)
    plays = {"games": games, "seed": seed}
    checks: dict[str, Check] = {
        "dead_steps": lambda: aec.dead_steps(env_fn, **plays),
        "turn_order": lambda: aec.turn_order(env_fn, **plays),
        "illegal_moves": lambda: aec.illegal_moves(env_fn, **plays),
        "spaces": lambda: aec.spaces_hold(env_fn, **plays),
        "rewards": lambda: aec.rewards_add_up(env_fn, **plays, zero_sum=zero_sum),
        "masks": lambda: determinism.masks_are_obeyed(env_fn, **plays),
        "menus": lambda: immutability.menus_match_masks(env_fn, **plays),
        "immutability": lambda: immutability.events_are_immutable(env_fn, **plays),
        "views": lambda: immutability.views_lead_nowhere(env_fn, **plays),
        "shared_state": lambda: determinism.no_shared_state(env_fn, **plays),
        "reset": lambda: determinism.reset_forgets(env_fn, **plays),
        "seeds": lambda: determinism.seeds_follow(env_fn, seed=seed),
        "dead_seats": lambda: dead.dead_seats(env_fn, games=5 * games, seed=seed, dead_hear=dead_hear),
        "sealed_moves": lambda: sealed.sealed_moves(env_fn, games=2 * games, seed=seed),
        "hidden_acts": lambda: pairs_of_worlds.hidden_acts(env_fn, secrets, pairs=pairs, seed=seed),
        "hidden_worlds": lambda: pairs_of_worlds.hidden_worlds(env_fn, secrets, pairs=pairs, seed=seed),
        "canaries": lambda: canaries.canaries(env_fn, games=6, seed=seed, secrets=secrets, plant=plant),
        "wrappers": lambda: determinism.wrapped_is_bare(env_fn, games=min(games, 5), seed=seed),
        "processes": lambda: determinism.same_in_every_process(env_fn, **plays),
        "seat_counts": lambda: configs.every_seat_count(env_fn, games=2, seed=seed),
        "named_values": lambda: configs.every_named_value(env_fn, games=2, seed=seed),
        "fuzz": lambda: configs.fuzz(env_fn, games=fuzz_games, seed=seed),
        **dict(_pettingzoo(env_fn)),
        "templates": lambda: templates.every_kind_has_a_template(env_fn, **plays),
    }
    report = Report()
    for name, check in checks.items():
        start = time.perf_counter()
        tally = check()
        if tally is not None:
            setattr(report, name.removeprefix("hidden_"), tally)
        report.passed[name] = time.perf_counter() - start
    return report


def _own_variants(env_fn: EnvFn) -> Variants:
    if not hasattr(bare(env_fn()), "variants"):
        return other_worlds

    def own(raw: Any, seat: Seat, rng: np.random.Generator) -> World | None:
        world: World | None = raw.variants(seat, rng)
        return world

    return own


def _own_prompts(env_fn: EnvFn) -> Prompts | None:
    raw = bare(env_fn())
    return model_prompts(raw.name, raw.lang) if raw.name in list_games() else None


def _pettingzoo(env_fn: EnvFn) -> Iterator[tuple[str, Check]]:
    for test in (
        zoo.pettingzoo_api,
        zoo.pettingzoo_seed,
        zoo.pettingzoo_parallel,
        zoo.pettingzoo_parallel_seed,
        zoo.pettingzoo_render,
        zoo.pettingzoo_state,
    ):
        yield test.__name__, partial(test, env_fn)
