"""What a tournament is: a YAML file, or the same fields from Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from liecraft.agents.budget import Budgets
from liecraft.agents.catalog import AgentSpec, check_prompts, spec
from liecraft.agents.loops import Rule
from liecraft.agents.probing import Probes, check_kinds
from liecraft.agents.wording import Wording
from liecraft.arena import new_env
from liecraft.engine.config import checked
from liecraft.engine.errors import ConfigError, UnknownName
from liecraft.engine.registry import game_id
from liecraft.engine.render import renderer

AUTO_LANES = 256
"""Games at once where concurrency is `auto`: enough to keep busy what takes a lot, few enough to be ended."""


class Match(BaseModel):
    """Some entrants, and how many games they play with each other."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    entrants: list[str] | None = Field(default=None, min_length=1)
    """Names of entrants; all of them when left out."""
    games: int = Field(ge=1, le=10_000_000)
    config: dict[str, Any] = {}
    """Rules that differ from the tournament's in these games."""
    prompts: str | None = None
    """Folder of templates that word models' prompts anew in these games."""


class TournamentConfig(BaseModel):
    """A tournament: a game, named agents, who plays how often."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,80}$")
    """Folder of the run under runs/."""
    game: str
    config: dict[str, Any] = {}
    """The game's configuration."""
    entrants: dict[str, str | dict[str, Any]] = Field(min_length=1)
    """Name to agent: the agent's name, or a mapping with `agent` and its parameters."""
    games: int | None = Field(default=None, ge=1)
    """Short for one match of all entrants."""
    matches: list[Match] = []
    seed: int = Field(default=0, ge=0)
    concurrency: int | Literal["auto"] = 8
    """Games at once, where models have to be waited for; `auto` lets each endpoint take as many requests at once
    as it answers well."""
    patience: float = Field(default=300.0, ge=0)
    """Seconds that games wait for an endpoint that keeps failing before they fail themselves."""
    lang: str = "en"
    prompts: str | None = None
    """Folder of templates that word models' prompts anew, where a match has none of its own."""
    probes: Probes | None = None
    """When the seats are asked aside whom they take for deceivers; never, if left out."""
    budgets: Budgets = Budgets()
    """What seats, games, entrants and the run may use of calls, tokens, money and seconds; without bounds, if
    left out."""
    loops: Rule = "note"
    """What is done about a model that repeats itself: `off`, `note`, `default` or `fail`."""
    sync: bool = False
    """Let every answer reach the disk itself, not just the system, before a game acts on it."""

    @field_validator("concurrency", mode="plain")
    @classmethod
    def _whole_or_auto(cls, value: Any) -> Any:
        """A union's own message would name the types, not the mend."""
        whole = isinstance(value, int) and not isinstance(value, bool)
        if value != "auto" and not (whole and 1 <= value <= 10_000):
            raise ValueError("give a whole number from 1 to 10000, or auto")
        return value

    @field_validator("entrants", mode="before")
    @classmethod
    def _names_alone(cls, value: Any) -> Any:
        """A list of agent names stands for entrants called like their agents."""
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            twice = [item for i, item in enumerate(value) if item in value[:i]]
            if twice:
                raise ValueError(f"{twice[0]!r} stands twice: give each entrant a name of its own")
            return {item: item for item in value}
        return value

    @model_validator(mode="after")
    def _some_games(self) -> Self:
        if (self.games is None) == (not self.matches):
            raise ValueError("give either games (one match of all entrants) or matches, and not both")
        return self

    @property
    def lanes(self) -> int:
        """Games at once in one process."""
        return AUTO_LANES if self.concurrency == "auto" else self.concurrency

    def all_matches(self) -> list[Match]:
        """The matches, `games` written out as one of them, each with its prompts."""
        matches = self.matches or [Match(games=self.games or 1)]
        if self.prompts is None:
            return matches
        return [
            match if match.prompts else match.model_copy(update={"prompts": self.prompts})
            for match in matches
        ]

    def wordings(self) -> list[Wording]:
        """All wordings of the prompts, each once, in order."""
        return list(
            dict.fromkeys(Wording(self.game, self.lang, match.prompts) for match in self.all_matches())
        )

    def specs(self) -> dict[str, AgentSpec]:
        """Checked agents by entrant.

        Raises:
            ConfigError: An agent or a parameter is wrong; names the entrant.
        """
        found = {}
        for name, given in self.entrants.items():
            try:
                found[name] = spec(given, self.game)
            except ConfigError as error:
                raise ConfigError(f"entrant {name!r}: {error}") from None
        return found


def read_config(source: str | Path | Mapping[str, Any], **fields: Any) -> TournamentConfig:
    """Read and check a tournament's configuration, agents and rules included, before anything starts.

    Args:
        source: A YAML file, or its content as a mapping.
        **fields: Laid over it where they are not None.

    Raises:
        ConfigError: One line: what is wrong, where, and the mend.
    """
    if isinstance(source, Mapping):
        data, where = dict(source), "tournament"
    else:
        data, where = _load_yaml(Path(source)), str(source)
        data.setdefault("name", Path(source).stem)
    data.update({key: value for key, value in fields.items() if value is not None})
    config = checked(TournamentConfig, data, where)
    try:
        config = config.model_copy(update={"game": game_id(config.game)})
        specs = config.specs()
        for wording in config.wordings():
            wording.check()
            for wanted in specs.values():
                check_prompts(wanted, wording)
        config.budgets.check_prices({name: s.model().price for name, s in specs.items() if s.modelled})
        for match in config.all_matches():
            _check_match(config, match)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
    return config


class _Loader(yaml.SafeLoader):
    """Safe YAML in which a key stands once and is a text; plain YAML lets the last of two win unseen."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            fault = (
                "is no text: quote it" if not isinstance(key, str) else "stands twice" if key in seen else ""
            )
            if fault:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key!r} {fault}", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def _load_yaml(path: Path) -> dict[str, Any]:
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f" at line {mark.line + 1}" if mark else ""
        raise ConfigError(f"{path}: not good YAML{line}: {getattr(error, 'problem', error)}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: a tournament is a mapping of keys, got {type(data).__name__}")
    return data


def _check_match(config: TournamentConfig, match: Match) -> None:
    names = match.entrants or list(config.entrants)
    for name in names:
        if name not in config.entrants:
            raise UnknownName("entrant in matches", name, config.entrants)
    if len(set(names)) != len(names):
        raise ConfigError("an entrant stands twice in one match; give it a second name")
    if match.games % len(names):
        lower = match.games // len(names) * len(names)
        options = " or ".join(str(games) for games in (lower, lower + len(names)) if games)
        raise ConfigError(
            f"{match.games} games can't be shared equally among {len(names)} entrants, so that each plays "
            f"every role as often as the others: use {options}"
        )
    env = new_env(config.game, {**config.config, **match.config}, config.lang)
    check_kinds(config.probes, renderer(env.prompts, env.lang).kinds - {"probe"})
    env.reset(seed=config.seed)
    if env.finished:
        raise ConfigError(f"{config.game} is over as soon as roles are dealt: change the seats or the roles")
