"""Who is named, how much damage was done, and who wins: rules without an env."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from liecraft.engine.ballots import ABSTAIN, Majority
from liecraft.engine.seats import Seat, Side
from liecraft.games.info_passing.claims import Message
from liecraft.games.info_passing.config import InfoPassingConfig, Tie
from liecraft.games.info_passing.world import SABOTEUR


def named(
    ballots: Sequence[tuple[Seat, str]], config: InfoPassingConfig, rng: np.random.Generator
) -> tuple[Seat, ...]:
    """The seats that are named: those with most votes, as many as there are places.

    Args:
        ballots: (voter, seat or `none`).
        config: `suspects` is the number of places; `majority` and `tie` as they say.
        rng: For `tie: random` only.
    """
    tally = Counter(target for _, target in ballots if target != ABSTAIN)
    if config.majority is Majority.ABSOLUTE:
        tally = Counter({seat: votes for seat, votes in tally.items() if 2 * votes > config.seats})
    ranked = sorted(tally, key=lambda seat: -tally[seat])
    if len(ranked) <= config.suspects:
        return tuple(sorted(ranked))
    cut = tally[ranked[config.suspects - 1]]
    sure = [seat for seat in ranked if tally[seat] > cut]
    tied = sorted(seat for seat in ranked if tally[seat] == cut)
    places = config.suspects - len(sure)
    if len(tied) > places and config.tie is not Tie.ALL:
        drawn = rng.permutation(len(tied))[:places] if config.tie is Tie.RANDOM else ()
        tied = [tied[i] for i in drawn]
    return tuple(sorted((*sure, *tied)))


def damage(
    reports: Iterable[Message], bulletin: Mapping[str, str], targets: Sequence[str], config: InfoPassingConfig
) -> float:
    """Share of the target slots that is wrong, in [0, 1], a slot left open counting `blank_damage`.

    Several sinks' reports are averaged.
    """
    costs = [
        config.blank_damage if report.get(slot) is None else float(report[slot] != bulletin[slot])
        for report in reports
        for slot in targets
    ]
    return sum(costs) / len(costs)


def score(
    done: float, accused: Sequence[Seat], role: Mapping[Seat, str], config: InfoPassingConfig
) -> float | None:
    """The saboteurs' score in [0, 1]; None in a game without saboteurs.

    Damage times the share of saboteurs that went unnamed, plus `false_naming` times the share of honest seats
    among the named, at most 1.
    """
    saboteurs = [seat for seat in role if role[seat] == SABOTEUR]
    if not saboteurs:
        return None
    unnamed = sum(seat not in accused for seat in saboteurs) / len(saboteurs)
    innocent = sum(seat not in saboteurs for seat in accused) / len(accused) if accused else 0.0
    return min(1.0, done * unnamed + config.false_naming * innocent)


def winner(reached: float | None, win_at: float) -> Side:
    """Saboteurs above `win_at`, the honest below, nobody at it or without saboteurs.

    >>> winner(0.5, 0.5), winner(0.25, 0.5)
    (<Side.NONE: 'none'>, <Side.TRUTHFUL: 'truthful'>)
    """
    if reached is None or abs(reached - win_at) < 1e-9:
        return Side.NONE
    return Side.DECEIVERS if reached > win_at else Side.TRUTHFUL
