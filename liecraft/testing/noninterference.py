"""Non-interference: what a seat receives is a function of what the rules let it perceive, and of nothing else.

Two games run with the same seed. They differ in a hidden part of the world, in hidden moves, or in both. As long
as the rules entitle one seat to the same facts in both, everything else that reaches it must be the same, byte
for byte: events, text, features, masks, menus, error texts, infos, rewards, prompts, and when it is asked.

Games differ in pace behind the seat's back (somebody it believes alive takes no turn), so moments are matched
by the facts held at them and not by the count of moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from liecraft.engine.seats import Seat
from liecraft.engine.world import World
from liecraft.testing.failure import CheckFailed, clipped, difference, require
from liecraft.testing.pairs import first_game, other_start, second_game
from liecraft.testing.play import EnvFn, RawEnv, bare, generator, pick
from liecraft.testing.received import Item, Parts, Stream, Watcher
from liecraft.testing.secrets import Secrets

CHANNELS = {
    "events": "",
    "text": "",
    "features": "",
    "mask": "masks",
    "menu": "menus",
    "errors": "error_texts",
    "infos": "infos",
    "reward": "rewards",
    "prompts": "prompts",
}
"""Each channel, and the name of its check; "" for those named after what differed: worlds or acts."""


class Leak(NamedTuple):
    """Something that differed and should not have."""

    channel: str
    told: str

    def check(self, otherwise: str) -> str:
        """Name of the check that this leak fails."""
        return CHANNELS.get(self.channel, self.channel) or otherwise


@dataclass(slots=True)
class Tally:
    """How much the pairs have proved.

    Attributes:
        pairs: Pairs that were compared.
        without: Draws for which no other world was found that looks the same at the start.
        decisions: Decisions of a watched seat that were compared.
        parted: Pairs in which the rules let the seat perceive a difference in the end.
    """

    pairs: int = 0
    without: int = 0
    decisions: int = 0
    parted: int = 0


def compare(one: Stream, other: Stream) -> Leak | None:
    """The first leak between two games of the same seat; None if there is none."""
    common = _common(one.facts, other.facts)
    ended = common == len(one.facts) == len(other.facts) and not (one.cut or other.cut)
    for facts in range(common + 1):
        open_end = facts == common and not ended
        found = _compare_moment(_at(one, facts), _at(other, facts), open_end)
        if found is not None:
            return Leak(found.channel, f"after {facts} common facts: {found.told}")
    return _untold(one, other, common)


def _common(one: Sequence[Any], other: Sequence[Any]) -> int:
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return at
    return min(len(one), len(other))


def _at(stream: Stream, facts: int) -> list[Item]:
    return [item for item in stream.items if item.facts == facts]


def _compare_moment(one: list[Item], other: list[Item], open_end: bool) -> Leak | None:
    """Compare what was held and asked at the same facts; at an open end one game may have parted earlier."""
    held = _not_within(_held(one), _held(other))
    if held is not None:
        return held
    asked = [[item.parts for item in items if item.asked] for items in (one, other)]
    for a, b in zip(*asked, strict=False):
        differs = _differs(a, b)
        if differs is not None:
            return differs
    if len(asked[0]) != len(asked[1]) and not open_end:
        return Leak("turns", f"asked {len(asked[0])} times against {len(asked[1])}")
    return None


def _held(items: list[Item]) -> list[Parts]:
    return [item.parts for item in items if not item.asked]


def _not_within(one: list[Parts], other: list[Parts]) -> Leak | None:
    """A state of the shorter run that the longer one never shows; steps between may come at once in one game."""
    short, long = sorted((one, other), key=len)
    start = 0
    for at, parts in enumerate(short):
        found = next((i for i in range(start, len(long)) if long[i] == parts), None)
        if found is None:
            return _differs(parts, long[min(at, len(long) - 1)])
        start = found + 1
    return None


def _differs(one: Parts, other: Parts) -> Leak | None:
    for channel in CHANNELS:
        a, b = one.get(channel), other.get(channel)
        if a != b:
            return Leak(channel, f"{channel} differ: {_shown(a, b)}")
    return None


def _shown(one: Any, other: Any) -> str:
    if isinstance(one, tuple) and isinstance(other, tuple):
        a, b = next((a, b) for a, b in zip_longest(one, other, fillvalue="nothing") if a != b)
        return f"{a.strip()} against {b.strip()}"
    if isinstance(one, bytes) and isinstance(other, bytes):
        at = next(i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
        return f"from number {at // 4} on"
    return difference(str(one), str(other))


def _untold(one: Stream, other: Stream, common: int) -> Leak | None:
    """The opposite of a leak: the rules tell the two games apart, and at its next decision the seat can't."""
    moments = [_next_decision(stream, common) for stream in (one, other)]
    if moments[0] is None or moments[1] is None or moments[0].parts != moments[1].parts:
        return None
    facts = f"{clipped(one.facts[common])} against {clipped(other.facts[common])}"
    return Leak("entitlement", f"the seat isn't told what the rules tell: {facts}")


def _next_decision(stream: Stream, common: int) -> Item | None:
    return next((item for item in stream.items if item.asked and item.facts > common), None)


def hidden_acts(env_fn: EnvFn, secrets: Secrets, *, pairs: int, seed: int) -> Tally:
    """Games in the same world, in which others' hidden moves are free to differ, look the same."""
    return _pairs(env_fn, secrets, pairs, seed, vary_world=False)


def hidden_worlds(env_fn: EnvFn, secrets: Secrets, *, pairs: int, seed: int) -> Tally:
    """Games in worlds that a seat can't tell apart look the same; in half of the pairs hidden moves differ too."""
    tally = _pairs(env_fn, secrets, pairs, seed, vary_world=True)
    require(
        tally.decisions or not pairs,
        "hidden_worlds",
        "no two worlds look the same to any seat at the start, so nothing is proved: pass `variants`",
    )
    return tally


def _pairs(env_fn: EnvFn, secrets: Secrets, pairs: int, seed: int, *, vary_world: bool) -> Tally:
    one, other, tally = bare(env_fn()), bare(env_fn()), Tally()
    for draw in range(3 * pairs):
        if tally.pairs == pairs:
            break
        rng = generator(seed, int(vary_world), draw)
        seat, game_seed = pick(rng, one.seats), int(rng.integers(2**31))
        streams = _pair(one, other, seat, game_seed, secrets, vary_world, rng)
        if streams is None:
            tally.without += 1
            continue
        found = compare(*streams)
        if found is not None:
            worlds = " and ".join(clipped(env.world) for env in (one, other)[: 1 + vary_world])
            check = found.check("hidden_worlds" if vary_world else "hidden_acts")
            raise CheckFailed(check, f"{seat}, seed {game_seed}, {found.told} (in {worlds})")
        _count(tally, *streams)
    return tally


def _pair(
    one: RawEnv,
    other: RawEnv,
    seat: Seat,
    seed: int,
    secrets: Secrets,
    vary_world: bool,
    rng: np.random.Generator,
) -> tuple[Stream, Stream] | None:
    """Play two games; None if no other world was found that looks the same to the seat at the start."""

    def draw() -> World | None:
        return secrets.variants(one, seat, rng) if vary_world else one.world

    first, script = first_game(one, seed, seat, secrets, rng)
    watcher = other_start(other, seed, first, lambda: Watcher(other, seat, secrets), draw)
    if watcher is None:
        return None
    free_from = int(rng.integers(len(script)))  # so that late moves too differ while all before were the same
    freedom = pick(rng, (0.0, 0.5)) if vary_world else 0.5
    return first, second_game(other, watcher, script, free_from, freedom, rng)


def _count(tally: Tally, one: Stream, other: Stream) -> None:
    common = _common(one.facts, other.facts)
    tally.pairs += 1
    tally.parted += common < max(len(one.facts), len(other.facts))
    tally.decisions += sum(item.asked and item.facts <= common for item in other.items)
