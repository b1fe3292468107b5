"""Moves: every decision of a game as a stable text id and an index in one flat Discrete space."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Self

from liecraft.engine.claims import Claim
from liecraft.engine.errors import ConfigError, UnknownName


class Words(NamedTuple):
    """What an utterance says: free text beside claims that the engine can check."""

    text: str = ""
    claims: tuple[Claim, ...] = ()


NO_WORDS = Words()


class Move(int):
    """A move's index that carries words, so that every PettingZoo wrapper passes it on.

    >>> move = Move(3, Words("I was in the library."))
    >>> move == 3, move.words.text
    (True, 'I was in the library.')
    """

    words: Words

    def __new__(cls, index: int, words: Words = NO_WORDS) -> Self:
        """Make a move of index `index` that says `words`."""
        move = super().__new__(cls, index)
        move.words = words
        return move

    def __repr__(self) -> str:
        return f"Move({int(self)}, {self.words!r})"


class MoveTable:
    """All moves of a game, in a fixed order: id `verb` or `verb:target` against index.

    Args:
        ids: Every move id that any seat may ever play under this configuration.

    >>> table = MoveTable(["wait", "vote:player_0"])
    >>> table.index("vote:player_0"), table.verb[1], table.target[1]
    (1, 'vote', 'player_0')
    """

    __slots__ = ("_index", "ids", "target", "verb")

    def __init__(self, ids: Iterable[str]) -> None:
        self.ids = tuple(ids)
        self._index = {move_id: i for i, move_id in enumerate(self.ids)}
        if len(self._index) != len(self.ids):
            raise ConfigError("a move id stands twice in the game's table of moves")
        parts = [move_id.partition(":") for move_id in self.ids]
        self.verb = tuple(verb for verb, _, _ in parts)
        self.target = tuple(target for _, _, target in parts)

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __contains__(self, move_id: str) -> bool:
        return move_id in self._index

    def index(self, move_id: str) -> int:
        """Index of a move id.

        Raises:
            UnknownName: The game has no such move.
        """
        try:
            return self._index[move_id]
        except KeyError:
            raise UnknownName("move", move_id, self.ids) from None

    def all(self, *move_ids: str) -> tuple[int, ...]:
        """Indices of several ids, sorted, as `legal` returns them."""
        return tuple(sorted(self.index(move_id) for move_id in move_ids))

    def each(self, verb: str, targets: Iterable[str]) -> tuple[int, ...]:
        """Indices of `verb:target` for each target, sorted."""
        return self.all(*(f"{verb}:{target}" for target in targets))
