"""One game at a table: each turn asked, recorded, played, to the game's end or to what stops it."""

from __future__ import annotations

import inspect
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from liecraft import __version__
from liecraft.agents.budget import BudgetSpent, GameMeter
from liecraft.agents.catalog import AgentSpec, build
from liecraft.agents.loops import Loop, LoopGuard, Rule
from liecraft.agents.pool import Models
from liecraft.agents.probing import ProbeClock, ProbeError, Probes, ask_all
from liecraft.agents.running import BROKEN, one_line
from liecraft.agents.wording import Wording
from liecraft.engine.agent import DEFAULTED, Agent, Closing, How, Reply, Request
from liecraft.engine.chance import Chance
from liecraft.engine.claims import Claim
from liecraft.engine.env import DeceptionEnv
from liecraft.engine.errors import LieCraftError
from liecraft.engine.ledger import thaw
from liecraft.engine.moves import Move, Words
from liecraft.engine.seats import Seat
from liecraft.models.base import ModelError
from liecraft.trace.schema import TraceError
from liecraft.trace.writer import GameRecorder

log = logging.getLogger(__name__)

Env = DeceptionEnv[Any, Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """A game that could not go on: whose turn it was, and why."""

    seat: Seat
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Table:
    """Who sits where: seat to the entrant's name and agent, and the folder that words their prompts anew, if any."""

    names: Mapping[Seat, str]
    specs: Mapping[Seat, AgentSpec]
    prompts: str | None = None

    @property
    def waits(self) -> bool:
        """Whether anybody at it may answer later."""
        return any(wanted.waits for wanted in self.specs.values())


async def run_game(
    env: Env,
    table: Table,
    recorder: GameRecorder,
    models: Models,
    *,
    seed: int,
    world: Any = None,
    given: Mapping[Seat, Agent] | None = None,
    watch: Callable[[Env], None] | None = None,
    probes: Probes | None = None,
    meter: GameMeter | None = None,
    loops: Rule = "note",
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
        watch: Called after the deal and after every move.
        probes: When the seats' beliefs are asked for, if they are.
        meter: The game's budgets.
        loops: What is done about a seat that repeats itself, where a model plays it.

    Returns:
        What stopped the game, if anything did.

    Raises:
        BudgetSpent: The whole run is over; the game is left as it stands.
        TraceError: It can't be written.
    """
    begun = time.perf_counter()
    env.reset(seed=seed, options={"world": world})
    wording = Wording(env.name, env.lang, table.prompts)
    recorder.open(env.ledger, _header(env, table, seed, probes, wording))
    chance = Chance(seed)
    given = given or {}
    built: dict[Seat, Agent] = {}
    guard = LoopGuard(loops, [seat for seat, wanted in table.specs.items() if wanted.modelled])
    clock = ProbeClock(probes) if probes else None
    failure: Failure | None = None
    try:
        for seat, wanted in table.specs.items():
            if seat not in given:
                built[seat] = _built(wording, wanted, seat, chance, models, recorder, meter)
        failure = await _play(env, {**built, **given}, recorder, watch, clock, guard)
    except _Unbuilt as unbuilt:
        failure = unbuilt.failure
    finally:
        for agent in built.values():
            if isinstance(agent, Closing):
                await _let_go(agent)
    _close(env, recorder, failure, time.perf_counter() + recorder.recalled - begun)
    return failure


class _Unbuilt(Exception):
    """An agent's own code broke down when it was to be made."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def _built(
    wording: Wording,
    wanted: AgentSpec,
    seat: Seat,
    chance: Chance,
    models: Models,
    recorder: GameRecorder,
    meter: GameMeter | None,
) -> Agent:
    rng = chance.rng("agent", seat=seat)
    try:
        return build(wanted, wording, seat, rng, models=models, log=recorder, meter=meter)
    except LieCraftError:
        raise  # what the user can mend: a model that can't be set up
    except BROKEN as error:  # a broken agent ends its own game, not the others
        raise _Unbuilt(Failure(seat, "agent", one_line(error))) from None


async def _play(
    env: Env,
    agents: Mapping[Seat, Agent],
    recorder: GameRecorder,
    watch: Callable[[Env], None] | None,
    clock: ProbeClock | None,
    guard: LoopGuard,
) -> Failure | None:
    while not env.finished:
        if watch:
            watch(env)
        request = env.request()
        began = time.perf_counter() + recorder.recalled  # a recalled call took its time when it was made
        try:
            reply, refused = await _decide(agents[request.seat], env, request)
        except ModelError as error:
            return Failure(request.seat, error.kind, str(error))
        except BudgetSpent as spent:
            if spent.stops_run:
                raise
            return Failure(request.seat, "budget", str(spent))
        except TraceError:
            raise  # what can't be written is the run's trouble, not the agent's
        except AgentFault as fault:
            return Failure(request.seat, "agent", str(fault))
        except BROKEN as error:  # a broken agent ends its own game, not the others
            return Failure(request.seat, "agent", one_line(error))
        seconds = time.perf_counter() + recorder.recalled - began
        reply, loop = guard.judge(request, reply)
        recorder.move(**_decision(request, reply, seconds, loop, refused))
        if loop and guard.fails:
            return Failure(request.seat, "loop", f"{request.phase} in round {request.round}: {loop}")
        words = Words(reply.text, reply.claims)
        index = env.moves.index(reply.move)
        before = len(env.ledger)
        try:
            env.step(Move(index, words) if request.words else index)
        except BROKEN as error:  # so does a broken game
            return Failure(request.seat, "game", one_line(error))
        if clock is not None and clock.due(env.ledger[i].event for i in range(before, len(env.ledger))):
            try:
                await ask_all(env, agents)
            except ProbeError as error:
                return Failure(error.seat, "agent", str(error))
    if watch:
        watch(env)
    return None


async def _let_go(agent: Closing) -> None:
    try:
        done = agent.close()
        if done is not None:
            await done
    except BROKEN as error:  # the game is over: what it came to stands
        log.warning("an agent could not be closed: %s", one_line(error))


async def _decide(agent: Agent, env: Env, request: Request) -> tuple[Reply, str | None]:
    """Ask an agent; a reply that the rules refuse is asked for once more, then the default stands in.

    Returns:
        The reply, and why the last one that was refused was, if any was.
    """
    first = await _ask(agent, env, request)
    refused = env.refusal(first)
    if refused is None:
        return first, None
    second = await _ask(agent, env, replace(request, error=refused))
    again = env.refusal(second)
    if again is not None:
        return Reply(request.default, how=How.INVALID, thought=second.thought), again
    if second.how is How.HUMAN or second.how in DEFAULTED:
        return second, refused
    return replace(second, how=How.REASKED), refused


class AgentFault(Exception):
    """An agent did not return what an agent returns. The text says what it did."""


async def _ask(agent: Agent, env: Env, request: Request) -> Reply:
    answer = agent.act(env.view(request.seat), request)
    reply = await answer if inspect.isawaitable(answer) else answer
    if not isinstance(reply, Reply):
        raise AgentFault(f"act returned a {type(reply).__name__}, not a Reply")
    for name, kinds in _FIELDS.items():
        value = getattr(reply, name)
        if not isinstance(value, kinds):
            raise AgentFault(f"act returned a Reply whose {name} is a {type(value).__name__}")
    strange = next((claim for claim in reply.claims if not isinstance(claim, Claim)), None)
    if strange is not None:
        raise AgentFault(
            f"act returned a Reply with a {type(strange).__name__} among its claims, not a Claim"
        )
    return reply


_FIELDS: Mapping[str, Any] = {"move": str, "text": str, "claims": tuple, "how": How, "thought": str | None}
"""What the fields of a reply have to be."""


def _decision(
    request: Request, reply: Reply, seconds: float, loop: Loop | None, refused: str | None
) -> dict[str, Any]:
    marks = {"loop": loop, "refused": refused}
    return {
        "seat": request.seat,
        "phase": request.phase,
        "round": request.round,
        "move": reply.move,
        "how": str(reply.how),
        "legal": len(request.legal),
        "thought": reply.thought,
        "seconds": round(seconds, 6),
        **{name: mark for name, mark in marks.items() if mark is not None},
    }


@cache
def _digest(wording: Wording) -> str:
    """As the prompts were when this process first used them."""
    return wording.digest()


def _header(env: Env, table: Table, seed: int, probes: Probes | None, wording: Wording) -> dict[str, Any]:
    asked = {"probes": probes.model_dump(mode="json")} if probes else {}
    return {
        "env": env.name,
        "env_version": env.version,
        "liecraft": __version__,
        "config": thaw(env.config_data),
        "seed": seed,
        "seats": dict(table.names),
        "lang": env.lang,
        "prompts": _digest(wording),
        **asked,
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
