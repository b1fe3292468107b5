"""One game: an env and its agents in, a trace out."""

from __future__ import annotations

import inspect
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from liecraft import __version__
from liecraft.agents.catalog import AgentSpec, Given, Models, build, spec
from liecraft.engine.agent import Agent, How, Reply, Request
from liecraft.engine.chance import Chance
from liecraft.engine.env import DeceptionEnv
from liecraft.engine.errors import ConfigError
from liecraft.engine.ledger import thaw
from liecraft.engine.moves import Move, Words
from liecraft.engine.registry import game_class, game_id
from liecraft.engine.seats import Seat
from liecraft.models.base import ModelError
from liecraft.trace.reader import Trace, from_lines
from liecraft.trace.writer import FileSink, GameRecorder, ListSink

Env = DeceptionEnv[Any, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Failure:
    """A game that could not go on: whose turn it was, and why."""

    seat: Seat
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Table:
    """Who sits where: seat to the entrant's name and agent."""

    names: Mapping[Seat, str]
    specs: Mapping[Seat, AgentSpec]

    @property
    def modelled(self) -> bool:
        """Whether a language model sits at it."""
        return any(wanted.modelled for wanted in self.specs.values())


async def run_game(
    env: Env,
    table: Table,
    recorder: GameRecorder,
    models: Models,
    *,
    seed: int,
    world: Any = None,
    given: Mapping[Seat, Agent] | None = None,
) -> Failure | None:
    """Play one game to its end or failure and close its record.

    Args:
        env: A raw env; it is reset here.
        table: Who sits where.
        recorder: Where the game is written.
        models: The run's models.
        seed: The game's seed; each seat's agent has a stream of its own under it.
        world: A world to play instead of a dealt one.
        given: Ready agents for some seats, in the place of what the table says.

    Returns:
        What stopped the game, if anything did.
    """
    begun = time.perf_counter()
    env.reset(seed=seed, options={"world": world})
    recorder.open(env.ledger, _header(env, table, seed))
    chance = Chance(seed)
    agents: dict[Seat, Agent] = dict(given or {})
    for seat, wanted in table.specs.items():
        if seat not in agents:
            rng = chance.rng("agent", seat=seat)
            agents[seat] = build(wanted, env.name, seat, rng, models=models, log=recorder, lang=env.lang)
    failure = await _play(env, agents, recorder)
    _close(env, recorder, failure, time.perf_counter() - begun)
    return failure


async def _play(env: Env, agents: Mapping[Seat, Agent], recorder: GameRecorder) -> Failure | None:
    while not env.finished:
        request = env.request()
        began = time.perf_counter()
        try:
            reply = await _decide(agents[request.seat], env, request)
        except ModelError as error:
            return Failure(request.seat, error.kind, str(error))
        seconds = time.perf_counter() - began
        recorder.move(**_decision(request, reply, seconds))
        words = Words(reply.text, reply.claims)
        env.step(Move(env.moves.index(reply.move), words) if request.words else env.moves.index(reply.move))
    return None


async def _decide(agent: Agent, env: Env, request: Request) -> Reply:
    """Ask an agent; a reply that the rules refuse is asked for once more, then the default stands in."""
    view = env.view(request.seat)
    for _ in range(2):
        answer = agent.act(view, request)
        reply = await answer if inspect.isawaitable(answer) else answer
        refused = env.refusal(reply)
        if refused is None:
            return reply
        request = replace(request, error=refused)
    return Reply(request.default, how=How.INVALID, thought=reply.thought)


def _decision(request: Request, reply: Reply, seconds: float) -> dict[str, Any]:
    return {
        "seat": request.seat,
        "phase": request.phase,
        "round": request.round,
        "move": reply.move,
        "how": str(reply.how),
        "legal": len(request.legal),
        "thought": reply.thought,
        "seconds": round(seconds, 6),
    }


def _header(env: Env, table: Table, seed: int) -> dict[str, Any]:
    return {
        "env": env.name,
        "env_version": env.version,
        "liecraft": __version__,
        "config": thaw(env.config_data),
        "seed": seed,
        "seats": dict(table.names),
        "lang": env.lang,
    }


def _close(env: Env, recorder: GameRecorder, failure: Failure | None, seconds: float) -> None:
    outcome = next((e.data for e, _ in reversed(list(env.ledger)) if e.kind == "outcome"), None)
    status = "failed" if failure else "truncated" if any(env.truncations.values()) else "finished"
    recorder.close(
        status=status,
        winner=outcome["winner"] if outcome else None,
        reason=outcome["reason"] if outcome else None,
        rewards=env.totals if not failure else {},
        failure={"seat": failure.seat, "kind": failure.kind, "message": failure.message} if failure else None,
        seconds=round(seconds, 4),
    )


def run_now(coroutine: Coroutine[Any, Any, T]) -> T:
    """Drive a coroutine that never has to wait: a game of scripted agents, without an event loop.

    Raises:
        RuntimeError: It waited after all.
    """
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]  # StopIteration carries it untyped
    coroutine.close()
    raise RuntimeError("an agent that should answer at once went to wait")


def seat_agents(game: str, agents: Sequence[Given] | Mapping[Seat, Given], seats: Sequence[Seat]) -> Table:
    """Read who sits where.

    Args:
        game: Registered game.
        agents: One for each seat, in order or by seat name.
        seats: The game's seats.

    Raises:
        ConfigError: A seat has no agent or there is one too many.
    """
    if not isinstance(agents, Mapping):
        if len(agents) != len(seats):
            raise ConfigError(f"{game} has {len(seats)} seats here, but {len(agents)} agents are given")
        agents = dict(zip(seats, agents, strict=True))
    if set(agents) != set(seats):
        wrong = sorted(set(agents) ^ set(seats))
        raise ConfigError(f"agents must name each seat once; look at {', '.join(wrong)}")
    specs = {seat: spec(agents[seat], game) for seat in seats}
    return Table({seat: found.agent for seat, found in specs.items()}, specs)


def play(
    game: str,
    agents: Sequence[Given] | Mapping[Seat, Given],
    *,
    seed: int,
    config: Mapping[str, Any] | None = None,
    world: Any = None,
    lang: str = "en",
    path: str | Path | None = None,
) -> Trace:
    """Play one game and return its trace.

    Args:
        game: Registered game, with or without version.
        agents: Agent for each seat: a name, or a mapping with `agent` and parameters.
        seed: The game's seed.
        config: The game's configuration.
        world: A world to play instead of a dealt one.
        lang: Language of prompts and text.
        path: Also append the trace to this file.

    Raises:
        ConfigError: Something about the game or an agent is wrong.

    >>> trace = play("murder", ["random"] * 5, seed=3, config={"seats": 5})
    >>> trace.status, len(trace.roles)
    ('finished', 5)
    """
    import asyncio

    env: Env = game_class(game)(lang=lang, **(config or {}))
    table = seat_agents(game_id(game), agents, env.seats)
    sink = ListSink()
    models = Models()
    job = _with_models(
        run_game(env, table, GameRecorder(sink, "g00000"), models, seed=seed, world=world), models
    )
    if table.modelled:
        asyncio.run(job)
    else:
        run_now(job)
    if path is not None:
        file = FileSink(Path(path))
        file.write(sink.lines)
        file.close()
    return from_lines(sink.lines)


async def _with_models(job: Coroutine[Any, Any, T], models: Models) -> T:
    try:
        return await job
    finally:
        await models.close()
