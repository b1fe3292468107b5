"""One game: an env and its agents in, a trace out."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from liecraft.agents.catalog import Given, check_prompts, spec
from liecraft.agents.playing import Env, Table, run_game
from liecraft.agents.pool import Models
from liecraft.agents.probing import Probes, check_kinds
from liecraft.agents.running import run_now, run_to_end
from liecraft.agents.wording import Wording
from liecraft.engine.config import checked
from liecraft.engine.errors import ConfigError
from liecraft.engine.registry import game_class
from liecraft.engine.render import renderer
from liecraft.engine.seats import Seat
from liecraft.trace.reader import Trace, from_lines
from liecraft.trace.writer import FileSink, GameRecorder, ListSink

T = TypeVar("T")


def new_env(game: str, config: Mapping[str, Any], lang: str = "en") -> Env:
    """Build a raw env of a game from a configuration that a user wrote.

    Raises:
        UnknownName: No such game.
        ConfigError: A rule is wrong, or there is no text in this language.
    """
    found = game_class(game)
    for key in ("lang", "render_mode", "text"):
        if key in config and key not in found.Config.model_fields:
            raise ConfigError(f"{found.name} config: {key!r} is no rule of the game")
    env = found(lang=lang, **config)
    renderer(env.prompts, lang)
    return env


def baseline(env: Env, seed: int) -> dict[Seat, Given]:
    """The careful scripted agent for each seat, by the role it is dealt under this seed."""
    env.reset(seed=seed)
    return {seat: env.baseline.get(role, "random") for seat, role in env.role.items()}


def seat_agents(
    env: Env, agents: Sequence[Given] | Mapping[Seat, Given], prompts: str | None = None
) -> Table:
    """Read who sits where.

    Args:
        env: The game to be played.
        agents: One for each seat, in order or by seat name.
        prompts: Folder of templates that word models' prompts anew.

    Raises:
        ConfigError: A seat has no agent or there is one too many; an agent, a parameter or a template is wrong.
    """
    seats = env.seats
    if not isinstance(agents, Mapping):
        if len(agents) != len(seats):
            raise ConfigError(f"{env.name} has {len(seats)} seats here, but {len(agents)} agents are given")
        agents = dict(zip(seats, agents, strict=True))
    if set(agents) != set(seats):
        wrong = sorted(set(agents) ^ set(seats))
        raise ConfigError(f"agents must name each seat once; look at {', '.join(wrong)}")
    specs = {seat: spec(agents[seat], env.name) for seat in seats}
    wording = Wording(env.name, env.lang, prompts)
    wording.check()
    for wanted in specs.values():
        check_prompts(wanted, wording)
    return Table({seat: found.agent for seat, found in specs.items()}, specs, prompts)


def play(
    game: str,
    agents: Sequence[Given] | Mapping[Seat, Given],
    *,
    seed: int,
    config: Mapping[str, Any] | None = None,
    world: Any = None,
    lang: str = "en",
    prompts: str | None = None,
    path: str | Path | None = None,
    probes: Mapping[str, Any] | None = None,
) -> Trace:
    """Play one game and return its trace.

    Args:
        game: Registered game, with or without version.
        agents: Agent for each seat: a name, or a mapping with `agent` and parameters.
        seed: The game's seed.
        config: The game's configuration.
        world: A world to play instead of a dealt one.
        lang: Language of prompts and text.
        prompts: Folder of templates that word models' prompts anew.
        path: Also append the trace to this file.
        probes: Ask the seats for their beliefs: `every` so many events, or `after` these kinds of events.

    Raises:
        ConfigError: Something about the game or an agent is wrong.

    >>> trace = play("murder", ["random"] * 5, seed=3, config={"seats": 5})
    >>> trace.status, len(trace.roles)
    ('finished', 5)
    """
    env = new_env(game, config or {}, lang)
    asked = None if probes is None else checked(Probes, probes, "probes")
    check_kinds(asked, renderer(env.prompts, lang).kinds - {"probe"})
    return play_table(env, seat_agents(env, agents, prompts), seed=seed, world=world, path=path, probes=asked)


def play_table(
    env: Env,
    table: Table,
    *,
    seed: int,
    world: Any = None,
    watch: Callable[[Env], None] | None = None,
    path: str | Path | None = None,
    models: Models | None = None,
    probes: Probes | None = None,
) -> Trace:
    """Play one game at a table and return its trace; arguments as in `play` and `run_game`.

    Models that are passed in are closed at the end.
    """
    file = FileSink(Path(path)) if path is not None else None
    sink, models = ListSink(), models or Models()
    recorder = GameRecorder(sink, "g000000")
    game = run_game(env, table, recorder, models, seed=seed, world=world, watch=watch, probes=probes)
    job = _then_close(game, models)
    try:
        if table.waits:
            run_to_end(job)
        else:
            run_now(job)
        if file is not None:
            file.write(sink.lines)
    finally:
        if file is not None:
            file.close()
    return from_lines(sink.lines)


async def _then_close(job: Coroutine[Any, Any, T], models: Models) -> T:
    try:
        return await job
    finally:
        await models.close()
