"""Who sits where in which game: seats rotate, so that every entrant plays every role equally often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from liecraft.engine.chance import Chance
from liecraft.engine.registry import game_class
from liecraft.engine.seats import Seat, seat_names
from liecraft.tournament.config import Match, TournamentConfig


@dataclass(frozen=True, slots=True)
class Plan:
    """One game to be played.

    Attributes:
        game: Name within the run.
        config: The game's configuration.
        seed: The game's seed.
        seats: Seat to entrant.
        prompts: Folder that words models' prompts anew, if any.
    """

    game: str
    config: dict[str, Any]
    seed: int
    seats: dict[Seat, str]
    prompts: str | None = None


def schedule(config: TournamentConfig) -> Iterator[Plan]:
    """All games in order.

    A block is as many games as the match has entrants, all on one seed, so on one world: from game to game
    each entrant moves on by one seat, and over the block sits once in every seat, so once in every role as
    dealt. Which entrants are neighbours is drawn anew for each block. Seeds depend on the block alone, so
    entrants of different matches meet on the same ones.
    """
    chance = Chance(config.seed)
    number = 0
    for match in config.all_matches():
        rules = {**config.config, **match.config}
        seats = seat_names(game_class(config.game)(**rules).config.seats)
        for block, lineup in enumerate(_blocks(config, match, chance)):
            seed = int(chance.rng("game", block).integers(2**62))
            for shift in range(len(lineup)):
                sitting = {seat: lineup[(i + shift) % len(lineup)] for i, seat in enumerate(seats)}
                yield Plan(f"g{number:06d}", rules, seed, sitting, match.prompts)
                number += 1


def _blocks(config: TournamentConfig, match: Match, chance: Chance) -> Iterator[Sequence[str]]:
    names = match.entrants or list(config.entrants)
    for block in range(match.games // len(names)):
        order = chance.rng("lineup", block).permutation(len(names))
        yield [names[i] for i in order]
