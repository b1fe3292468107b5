"""A seat out of play hears what is public, and what its game says in so many words that the dead hear."""

from __future__ import annotations

from collections.abc import Collection

from liecraft.engine.ledger import ENGINE, EVERYONE
from liecraft.testing.failure import require
from liecraft.testing.play import EnvFn, bare, generator, random_move


def dead_seats(env_fn: EnvFn, *, games: int, seed: int, dead_hear: Collection[str] = ()) -> None:
    """From the move after its death on, a seat is in the audience of public events only.

    Args:
        env_fn: Builds the env.
        games: Games to play.
        seed: Seed of the check.
        dead_hear: Kinds of private events that the rules let the dead hear.
    """
    raw = bare(env_fn())
    for game in range(games):
        rng = generator(seed, game)
        raw.reset(seed=int(rng.integers(2**31)))
        while not raw.finished:
            out = raw.ledger.audience(seat for seat in raw.seats if seat not in raw.living)
            recorded = len(raw.ledger)
            raw.step(random_move(raw, rng))
            for at in range(recorded, len(raw.ledger)):
                event, audience = raw.ledger[at]
                private = audience not in (EVERYONE, ENGINE) and event.kind not in dead_hear
                names = raw.ledger.audience_names(audience & out) if private and audience & out else ""
                where = f"game {game} of seed {seed}"
                require(not names, "dead_seats", f"{where}: {names}, out of play, are told {event.kind!r}")
