"""The table of games: ids as lazy strings, so that knowing of a game imports nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from liecraft.engine.errors import ConfigError, UnknownName

if TYPE_CHECKING:
    from pettingzoo import AECEnv, ParallelEnv

    from liecraft.engine.env import DeceptionEnv

GAMES: Mapping[str, str] = {
    "conflicting_evidence_v0": "liecraft.games.conflicting_evidence.env:ConflictingEvidenceEnv",
    "info_passing_v0": "liecraft.games.info_passing.env:InfoPassingEnv",
    "murder_v0": "liecraft.games.murder.env:MurderEnv",
}
ENTRY_POINTS = "liecraft.games"
"""Entry-point group for games of other packages: `demo_v0 = "package.module:DemoEnv"`."""


@cache
def _table() -> Mapping[str, str]:
    others = {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}
    return {**others, **GAMES}


def list_games() -> list[str]:
    """Ids of all registered games, in-tree and from other packages."""
    return sorted(_table())


def game_id(name: str) -> str:
    """The id for a name with or without its version: `murder` means the newest `murder_v*`.

    Raises:
        UnknownName: No such game.
    """
    table = _table()
    if name in table:
        return name
    versions = [known for known in table if known.rpartition("_v")[0] == name]
    if not versions:
        raise UnknownName("game", name, table)
    return max(versions, key=lambda known: int(known.rpartition("_v")[2]))


def load(reference: str) -> Any:
    """Import what a `module:attribute` string names."""
    module, _, attribute = reference.partition(":")
    return getattr(import_module(module), attribute)


def game_class(name: str) -> type[DeceptionEnv[Any, Any]]:
    """The env class of a game.

    Raises:
        UnknownName: No such game.
        ConfigError: Its module can't be imported.
    """
    reference = _table()[game_id(name)]
    try:
        found: type[DeceptionEnv[Any, Any]] = load(reference)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"game {name!r} is registered as {reference}, which fails: {error}") from None
    return found


def make(name: str, **config: Any) -> AECEnv[str, Any, Any]:
    """Build a game's env with PettingZoo's order and bounds checks around it.

    Args:
        name: A registered game, with or without version.
        **config: The game's configuration, and `render_mode`, `lang`, `text`.

    Raises:
        UnknownName: No such game.
        ConfigError: The configuration is wrong.
    """
    return wrap(game_class(name)(**config))


def wrap(raw: DeceptionEnv[Any, Any]) -> AECEnv[str, Any, Any]:
    """PettingZoo's customary wrappers around a raw env."""
    from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(raw))


def doors(
    reference: str,
) -> tuple[
    Callable[..., AECEnv[str, Any, Any]],
    Callable[..., DeceptionEnv[Any, Any]],
    Callable[..., ParallelEnv[str, Any, Any]],
]:
    """The functions `env`, `raw_env`, `parallel_env` of a game's PettingZoo-style module."""

    def raw_env(**config: Any) -> DeceptionEnv[Any, Any]:
        built: DeceptionEnv[Any, Any] = load(reference)(**config)
        return built

    def env(**config: Any) -> AECEnv[str, Any, Any]:
        return wrap(raw_env(**config))

    def parallel_env(**config: Any) -> ParallelEnv[str, Any, Any]:
        from pettingzoo.utils.conversions import turn_based_aec_to_parallel

        return turn_based_aec_to_parallel(env(**config))

    return env, raw_env, parallel_env
