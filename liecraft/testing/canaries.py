"""Canaries: unique strings in all that is said, refused or dealt, over games played in turns."""

from __future__ import annotations

import contextlib
import io
import logging
import re
from collections.abc import Callable, Collection, Iterator

import numpy as np

from liecraft.engine.claims import Claim
from liecraft.engine.ledger import canonical
from liecraft.engine.moves import Move, Words
from liecraft.engine.seats import Seat
from liecraft.engine.world import World
from liecraft.testing.aec import refusal
from liecraft.testing.failure import require
from liecraft.testing.play import EnvFn, RawEnv, bare, legal_now, plain, random_move
from liecraft.testing.received import Watcher
from liecraft.testing.secrets import Secrets, told_by

Plant = Callable[[RawEnv, World, str], tuple[World, Collection[Seat]]]
"""Puts a string into a world's secrets; gives the world, and the seats that may hear the string at the start."""

_TOKEN = re.compile(r"canary_[a-z0-9_]+z")


class _Game:
    """One of the concurrent games."""

    def __init__(self, number: int, raw: RawEnv, rng: np.random.Generator, plant: Plant | None) -> None:
        self.number, self.raw, self.rng = number, raw, rng
        self.seed = 10**17 + int(rng.integers(10**16))
        self.heard: dict[Seat, list[str]] = {seat: [] for seat in raw.seats}
        self.planted: dict[str, Collection[Seat]] = {}
        raw.reset(seed=self.seed)
        if plant is not None:
            token = self.token("planted")
            world, self.planted[token] = plant(raw, raw.world, token)
            raw.reset(seed=self.seed, options={"world": world})

    def token(self, use: str) -> str:
        """A string that stands nowhere else."""
        return f"canary_{self.number}_{use}_{int(self.rng.integers(10**12))}z"

    def turn(self, secrets: Secrets) -> None:
        """Try what is refused, then play a random legal move with canaries in its words; note what is received."""
        raw, seat = self.raw, self.raw.agent_selection
        watcher = Watcher(raw, seat, secrets)
        self.heard[seat].append(plain(watcher.held()) + plain(watcher.asked()))
        self._refused(legal_now(raw)[0])
        move = random_move(raw, self.rng)
        if raw.phase in raw.speaking:
            text = self.token("said").ljust(raw.config.max_text) + self.token("lost")
            move = Move(int(move), Words(text, move.words.claims))
        raw.step(move)

    def _refused(self, legal: int) -> None:
        """Words that are refused: with a claim outside the vocabulary, or outside a speaking phase."""
        token = self.token("refused")
        words = [Words(token, (Claim("no_such_claim", (token,)),))]
        if self.raw.phase not in self.raw.speaking:
            words.append(Words(token))
        for refused in words:
            refusal(self.raw, Move(legal, refused))

    def meant_for(self, secrets: Secrets, seat: Seat) -> set[str]:
        """The canaries that the rules entitle a seat to: those in its facts, and those planted for it."""
        facts = repr(secrets.entitled(self.raw, seat))
        said = {token for token in _TOKEN.findall(facts) if token.startswith(f"canary_{self.number}_said_")}
        return said | {token for token, knowers in self.planted.items() if seat in knowers}

    def received(self, seat: Seat) -> str:
        """All that a seat received in this game."""
        view = "".join(canonical(event, "") for event in self.raw.view(seat))
        return "\n".join([*self.heard[seat], view, self.raw.text(seat)])


@contextlib.contextmanager
def _overheard() -> Iterator[io.StringIO]:
    """Everything that is logged or printed meanwhile."""
    heard = io.StringIO()
    handler, root = logging.StreamHandler(heard), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard):
            yield heard
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


def canaries(
    env_fn: EnvFn, *, games: int, seed: int, secrets: Secrets | None = None, plant: Plant | None = None
) -> None:
    """No canary reaches a view, text, menu, prompt, error, log line or other game that it doesn't belong to.

    Canaries are what is said in every game, what is refused, what is cut off as too long, the games' seeds, and
    with `plant` a string among the secrets of the world.
    """
    kept = secrets or Secrets(lambda raw, seat, rng: None, told_by())
    rng = np.random.default_rng([seed, 77])
    with _overheard() as logged:
        playing = [_Game(number, bare(env_fn()), rng, plant) for number in range(games)]
        going = list(playing)
        while going:
            game = going[int(rng.integers(len(going)))]
            game.turn(kept)
            going = [other for other in going if not other.raw.finished]
    for game in playing:
        for seat in game.raw.seats:
            _check(game, seat, kept)
    leaked = _TOKEN.findall(logged.getvalue())
    leaked += [str(game.seed) for game in playing if str(game.seed) in logged.getvalue()]
    require(not leaked, "canaries", f"logged or printed: {leaked[:3]}")


def _check(game: _Game, seat: Seat, secrets: Secrets) -> None:
    where, received = f"game {game.number} (seed {game.seed}), {seat}", game.received(seat)
    found, meant = set(_TOKEN.findall(received)), game.meant_for(secrets, seat)
    extra, missing = sorted(found - meant), sorted(meant - found)
    require(not extra, "canaries", f"{where} received {extra[:3]}, not meant for it")
    require(not missing, "canaries", f"{where} never received {missing[:3]}, which the rules let it hear")
    require(str(game.seed) not in received, "canaries", f"{where} received the game's seed")
