"""Canaries: unique strings in all that is said, refused or dealt, over games played in turns."""

from __future__ import annotations

import contextlib
import io
import logging
import re
from collections.abc import Callable, Collection, Iterator

import numpy as np

from liecraft.engine.claims import Claim
from liecraft.engine.ledger import EVERYONE, canonical
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
    """One of the concurrent games, with who may hear each of its canaries."""

    def __init__(self, number: int, raw: RawEnv, rng: np.random.Generator, plant: Plant | None) -> None:
        self.number, self.raw, self.rng = number, raw, rng
        self.seed = 10**17 + int(rng.integers(10**16))
        self.heard: dict[Seat, list[str]] = {seat: [] for seat in raw.seats}
        self.allowed: dict[str, set[Seat]] = {}
        raw.reset(seed=self.seed)
        if plant is not None:
            token = self.token()
            world, knowers = plant(raw, raw.world, token)
            raw.reset(seed=self.seed, options={"world": world})
            self.allowed[token] = set(knowers)

    def token(self) -> str:
        """A string that stands nowhere else."""
        return f"canary_{self.number}_{len(self.allowed)}_{int(self.rng.integers(10**9))}z"

    def turn(self, secrets: Secrets) -> None:
        """Try what is refused, then play a random legal move with canaries in its words; note what is received."""
        raw, seat = self.raw, self.raw.agent_selection
        watcher = Watcher(raw, seat, secrets)
        self.heard[seat].append(plain(watcher.held()) + plain(watcher.asked()))
        self._refused(legal_now(raw)[0])
        move, token = random_move(raw, self.rng), self.token()
        recorded = len(raw.ledger)
        if raw.phase in raw.speaking:
            lost = self.token().replace("canary_", "canary_lost_")
            self.allowed[lost] = set()
            text = token.ljust(raw.config.max_text) + lost
            move = Move(int(move), Words(text, move.words.claims))
        self.allowed[token] = set()
        raw.step(move)
        self._spread(token, recorded)

    def _refused(self, legal: int) -> None:
        """Words that are refused: with a claim outside the vocabulary, or outside a speaking phase."""
        token = self.token()
        self.allowed[token] = set()
        words = [Words(token, (Claim("no_such_claim", (token,)),))]
        if self.raw.phase not in self.raw.speaking:
            words.append(Words(token))
        for refused in words:
            refusal(self.raw, Move(legal, refused))

    def _spread(self, token: str, recorded: int) -> None:
        """Who may hear a speech is decided when it is recorded; the speaker itself may."""
        for at in range(recorded, len(self.raw.ledger)):
            event, audience = self.raw.ledger[at]
            if event.kind == "speech" and token in str(event.data["text"]):
                names = self.raw.ledger.audience_names(audience)
                self.allowed[token] |= set(self.raw.seats if audience == EVERYONE else names)

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
            _check(game, seat, game.received(seat))
    _unlogged(playing, logged.getvalue())


def _check(game: _Game, seat: Seat, received: str) -> None:
    where = f"game {game.number} (seed {game.seed}), {seat}"
    for token in sorted(set(_TOKEN.findall(received))):
        may = seat in game.allowed.get(token, ())
        origin = "of another game" if token not in game.allowed else "not meant for it"
        require(may, "canaries", f"{where} received {token}, {origin}")
    require(str(game.seed) not in received, "canaries", f"{where} received the game's seed")
    told = [token for token, seats in game.allowed.items() if seat in seats]
    missing = [token for token in told if token not in received]
    require(not missing, "canaries", f"{where} never received {missing}, said in its hearing")


def _unlogged(playing: list[_Game], logged: str) -> None:
    leaked = _TOKEN.findall(logged) + [str(game.seed) for game in playing if str(game.seed) in logged]
    require(not leaked, "canaries", f"logged or printed: {leaked[:3]}")
