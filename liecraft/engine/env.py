"""DeceptionEnv: all AEC bookkeeping, so that a game is its rules and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from liecraft.engine.agent import Reply, Request
from liecraft.engine.chance import Chance
from liecraft.engine.claims import Statements
from liecraft.engine.config import checked
from liecraft.engine.errors import ConfigError, GameOver, IllegalMove
from liecraft.engine.features import Vector
from liecraft.engine.ledger import ENGINE, Ledger, View, freeze
from liecraft.engine.moves import NO_WORDS, Move, MoveTable, Words
from liecraft.engine.rules import C, W
from liecraft.engine.seats import Seat, Side, seat_names
from liecraft.engine.spaces import MoveSpace
from liecraft.engine.stage import Stage, Turn

RenderMode = Literal["human", "ansi"]
Observation = dict[str, NDArray[Any]]


class DeceptionEnv(Stage[C, W], AECEnv[Seat, Observation, int]):
    """A game of hidden roles over a ledger. Subclass it and fill in the facts and hooks of `Rules`.

    Args:
        render_mode: `human` prints the game as it goes, `ansi` returns it as text.
        lang: Language folder of the templates for text.
        text: Put each seat's text view into `infos[seat]["text"]` when `last` is called.
        **config: Fields of the game's `Config`.

    Raises:
        ConfigError: A key or a value of the configuration is wrong.
    """

    # --- construction ----------------------------------------------------------------------------------

    def __init__(
        self, *, render_mode: RenderMode | None = None, lang: str = "en", text: bool = False, **config: Any
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # PettingZoo leaves it unannotated
        self.config: C = checked(cast("type[C]", self.Config), config, f"{self.name} config")
        self.config_data = freeze(self.config.model_dump(mode="json"))
        told = {key: value for key, value in self.config_data.items() if key not in self.untold}
        self._told_config = freeze(told)
        self.render_mode = render_mode
        self.lang = lang
        self.metadata = {"name": self.name, "render_modes": ["human", "ansi"], "is_parallelizable": False}
        self.possible_agents = list(seat_names(self.config.seats))
        self.seats = tuple(self.possible_agents)
        self._index = {seat: i for i, seat in enumerate(self.seats)}
        self.moves = MoveTable(self.move_ids())
        self.words = self.vocabulary()
        self.cap = self.max_moves()
        self.features = self.Features(self.config, self.seats, self.roles, self.phases)
        self._text = text
        self._masks: dict[tuple[int, ...], NDArray[np.int8]] = {}
        self._ids: dict[tuple[int, ...], tuple[str, ...]] = {}
        self._next_seeds = np.random.default_rng()
        self._build_spaces()

    def _build_spaces(self) -> None:
        n, public, private = len(self.seats), self.features.public_size, self.features.private_size
        self._action_spaces = {
            seat: MoveSpace(len(self.moves), partial(self._legal_for, seat)) for seat in self.seats
        }
        space = spaces.Dict(
            observation=spaces.Box(0, 1, (public + private,), np.float32),
            action_mask=spaces.Box(0, 1, (len(self.moves),), np.int8),
        )
        self._observation_spaces = dict.fromkeys(self.seats, space)
        self.state_space = spaces.Box(0, 1, (public + n * private,), np.float32)
        self._public: Vector = np.zeros(public, np.float32)
        self._private: Vector = np.zeros((n, private), np.float32)
        self._privates = list(self._private)

    def observation_space(self, agent: Seat) -> spaces.Space[Any]:
        """Dict of `observation` (float32 in [0, 1]) and `action_mask` (int8 `[moves]`)."""
        return self._observation_spaces[agent]

    def action_space(self, agent: Seat) -> spaces.Space[Any]:
        """Discrete over all move ids; sampled without a mask it gives a move legal now."""
        return self._action_spaces[agent]

    # --- the AEC interface -----------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game.

        Args:
            seed: The game's seed. Without one, seeds follow from the last one given.
            options: `world` may hold a World, or its data, to be played instead of a dealt one.
        """
        if seed is not None:
            self._next_seeds = np.random.default_rng(seed)
            self.chance = Chance(seed)
        else:
            self.chance = Chance(int(self._next_seeds.integers(2**62)))
        given = (options or {}).get("world")
        if given is None:
            self.world: W = self.deal(self.chance.rng("world"))
        else:
            self.world = given if isinstance(given, self.World) else self.World.from_data(given)
            self._check_roles(self.world.roles)
        self._start_bookkeeping()
        self.ledger.record("world", None, {"seed": self.chance.seed, **self.world.as_data()}, ENGINE)
        self.public("game", game=self.name, version=self.version, config=self._told_config)
        self.role = dict(zip(self.seats, self.world.roles, strict=True))
        for seat, role in self.role.items():
            self.tell((seat,), "role", role=role, side=str(self.roles[role]))
        self.open()
        if not self.finished:
            self._next_turn()

    def _check_roles(self, roles: Sequence[str]) -> None:
        if len(roles) != len(self.seats) or not set(roles) <= set(self.roles):
            known = ", ".join(self.roles)
            raise ConfigError(f"world: roles must be {len(self.seats)} of {known}, got {list(roles)}")

    def _start_bookkeeping(self) -> None:
        seats = self.possible_agents
        self.agents = list(seats)
        self.living = list(seats)
        self.rewards = dict.fromkeys(seats, 0.0)
        self._cumulative_rewards = dict.fromkeys(seats, 0.0)
        self.totals = dict.fromkeys(seats, 0.0)
        self.terminations = dict.fromkeys(seats, False)
        self.truncations = dict.fromkeys(seats, False)
        self.infos = {seat: {} for seat in seats}
        self.ledger = Ledger(self.seats)
        self.features.start(self._public, self._privates)
        self._lines: dict[Seat, list[str]] = {seat: [] for seat in seats}
        self._stated = {seat: Statements() for seat in seats}
        self.finished = self._rewarded = False
        self.played = self.round = 0
        self._turns: list[Turn] = []
        self._legal: tuple[int, ...] = ()

    def step(self, action: int | None) -> None:
        """Play the selected seat's move: an index, or a `Move` that carries words.

        Raises:
            IllegalMove: Not legal now; nothing has changed.
            GameOver: The game has ended for all seats.
        """
        if not self.agents:
            raise GameOver("the game is over: call reset to start another")
        seat = self.agent_selection
        if self.terminations[seat] or self.truncations[seat]:
            self._was_dead_step(action)  # type: ignore[arg-type]  # None is what a dead step passes
            return
        index, words = self._checked_move(action)
        self._cumulative_rewards[seat] = 0.0
        if self._rewarded:
            self._clear_rewards()
            self._rewarded = False
        self.played += 1
        self._turns.pop(0)
        self.apply(seat, self.moves.verb[index], self.moves.target[index], words)
        if not self.finished:
            self._next_turn()
        if self._rewarded:
            self._accumulate_rewards()

    def _checked_move(self, action: int | None) -> tuple[int, Words]:
        if action is None or not 0 <= action < len(self.moves):
            raise IllegalMove(f"move {action}")
        index = int(action)
        if index not in self._legal:
            raise IllegalMove(self.moves.ids[index])
        if type(action) is not Move or action.words == NO_WORDS:
            return index, NO_WORDS
        if self.phase not in self.speaking:
            raise IllegalMove(f"{self.moves.ids[index]} with words")
        return index, self._heard(action.words)

    def _heard(self, words: Words) -> Words:
        """What the others get to hear: cut to the limits, claims checked."""
        claims = words.claims[: self.config.max_claims]
        for claim in claims:
            if self.words is None:
                raise IllegalMove(f"claim {claim}")
            try:
                self.words.check(claim)
            except ConfigError:
                raise IllegalMove(f"claim {claim}") from None
        text = words.text[: self.config.max_text]
        # A lone surrogate, which JSON can spell, is no text: traces could not hold it.
        return Words(text if text.isascii() else text.encode(errors="replace").decode(), claims)

    def _next_turn(self) -> None:
        """Select the next living seat that must decide; resolve phases until there is one or the end."""
        while True:
            while self._turns and self._turns[0].seat not in self.living:
                self._turns.pop(0)
            if self._turns:
                break
            self.advance()
            if self.finished:
                return
        if self.played >= self.cap:
            self._truncate()
            return
        self.phase, seat = self._turns[0]
        self.agent_selection = seat
        self._legal = self.legal(seat)

    def _truncate(self) -> None:
        self.public("outcome", winner=str(Side.NONE), reason="move cap", roles=tuple(self.role.items()))
        self._end(self.truncations)

    def _legal_for(self, seat: Seat) -> tuple[int, ...]:
        if self.finished or not self.agents or seat != self.agent_selection:
            return ()
        return self._legal

    def observe(self, agent: Seat) -> Observation:
        """The seat's numeric view and mask; the mask is all zero when it has no turn."""
        return {
            "observation": np.concatenate((self._public, self._privates[self._index[agent]])),
            "action_mask": self._mask(self._legal_for(agent)),
        }

    def _mask(self, legal: tuple[int, ...]) -> NDArray[np.int8]:
        mask = self._masks.get(legal)
        if mask is None:
            mask = np.zeros(len(self.moves), np.int8)
            mask[list(legal)] = 1
            mask.setflags(write=False)
            self._masks[legal] = mask
        return mask

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """As PettingZoo's, with the text view in the info if the env was made with `text=True`."""
        if self._text and self.agents:
            self.infos[self.agent_selection]["text"] = self.text(self.agent_selection)
        return super().last(observe)

    def state(self) -> Vector:
        """Public and all private features, for centralised training: `[public + seats * private]`."""
        return np.concatenate((self._public, self._private.ravel()))

    # --- what the arena asks ---------------------------------------------------------------------------

    def request(self) -> Request:
        """What is asked of the selected seat now."""
        legal = self._ids.get(self._legal)
        if legal is None:
            legal = self._ids[self._legal] = tuple(self.moves.ids[i] for i in self._legal)
        seat, phase = self.agent_selection, self.phase
        speaks = phase in self.speaking
        return Request(self.name, seat, phase, self.round, legal, self.default(seat), speaks, self.words)

    def refusal(self, reply: Reply) -> str | None:
        """Why the selected seat's reply would be refused; None if it is legal."""
        if reply.move not in self.moves:
            return str(IllegalMove(reply.move[:80]))
        words = Words(reply.text, reply.claims)
        try:
            self._checked_move(Move(self.moves.index(reply.move), words))
        except IllegalMove as error:
            return str(error)
        return None

    def view(self, seat: Seat) -> View:
        """The seat's part of the ledger."""
        return self.ledger.views[seat]

    def text(self, seat: Seat) -> str:
        """The seat's view as text, one line an event that has something to show."""
        lines = self._lines[seat]
        lines += self._renderer().lines(self.view(seat).since(len(lines)))
        return "\n".join(line for line in lines if line)

    def render(self) -> str | None:
        """The whole ledger, secrets included, as text (`ansi`) or printed (`human`)."""
        from liecraft.engine.render import addressed

        one, names = self._renderer().line, self.ledger.audience_names
        lines = [addressed(one(event), names(audience)) for event, audience in self.ledger]
        shown = "\n".join(line for line in lines if line)
        if self.render_mode == "ansi":
            return shown
        if self.render_mode == "human":
            print(shown)  # noqa: T201  # what render_mode="human" asks for
        return None

    def _renderer(self) -> Any:
        from liecraft.engine.render import renderer  # templates load jinja2: only where text is asked for

        return renderer(self.prompts, self.lang)

    def close(self) -> None:
        """Nothing is held open."""
