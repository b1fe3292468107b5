"""From a name and parameters to an agent: generic ones, a game's own bots, language models."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import PydanticUserError, TypeAdapter, ValidationError

from liecraft.agents.pool import EMBEDDED, Models, ModelSpec
from liecraft.agents.running import BROKEN, run_to_end
from liecraft.agents.scripted import DefaultAgent, RandomAgent
from liecraft.agents.wording import Wording
from liecraft.engine.agent import Agent, Closing
from liecraft.engine.config import checked
from liecraft.engine.errors import ConfigError, UnknownName
from liecraft.engine.registry import game_class, load
from liecraft.engine.seats import Seat

if TYPE_CHECKING:
    from liecraft.agents.budget import GameMeter
    from liecraft.agents.chat import CallLog
    from liecraft.agents.prompt import PromptBook

GENERIC: Mapping[str, Callable[..., Agent]] = {"random": RandomAgent, "default": DefaultAgent}
MODELLED = ("llm", "autogen")


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An entrant: which agent, with which parameters.

    Attributes:
        agent: `random`, `default`, a bot of the game, `llm`, `autogen`, or `module:factory` of one's own.
        params: What its factory takes.
    """

    agent: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def modelled(self) -> bool:
        """Whether a language model plays it."""
        return self.agent in MODELLED

    @property
    def waits(self) -> bool:
        """Whether it may answer later, so that playing it needs an event loop."""
        return self.modelled or _is_own(self.agent)

    def model(self) -> ModelSpec:
        """The checked parameters of a modelled entrant."""
        return checked(ModelSpec, self.params, f"agent {self.agent!r}")


Given = str | Mapping[str, Any] | AgentSpec


def spec(given: Given, game: str) -> AgentSpec:
    """Read what a config says of an agent, and check it against the game.

    Args:
        given: A name, or a mapping with the key `agent` and parameters beside it.
        game: Registered game; its bots are known by name.

    Raises:
        UnknownName: No such agent, or a parameter that it doesn't take.
        ConfigError: A parameter is missing or of the wrong kind.
    """
    if isinstance(given, AgentSpec):
        found = given
    elif isinstance(given, str):
        found = AgentSpec(given)
    else:
        params = dict(given)
        name = params.pop("agent", None)
        if not isinstance(name, str):
            raise ConfigError(
                f"an agent's parameters need the key 'agent' beside {', '.join(params) or 'them'}"
            )
        found = AgentSpec(name, params)
    if found.modelled:
        found.model()
    else:
        _check_params(found, _factory(found.agent, game))
    return found


def _is_own(name: str) -> bool:
    return ":" in name


def _own(reference: str) -> Callable[..., Agent]:
    """A factory from outside the package, `module:factory`."""
    module, _, attribute = reference.partition(":")
    if not module or not attribute or module.endswith(".py"):
        raise ConfigError(f"agent {reference!r}: name it module:factory, such as my_agents:Shy")
    try:
        found: Callable[..., Agent] = load(reference)
        inspect.signature(found)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"agent {reference!r}: no module {error.name!r}: install it, or put its folder on PYTHONPATH"
        ) from None
    except TypeError:
        raise ConfigError(f"agent {reference!r} is no class or function that makes an agent") from None
    except (ImportError, AttributeError, SyntaxError) as error:
        raise ConfigError(f"agent {reference!r}: {' '.join(str(error).split())}") from None
    except BROKEN as error:  # the class alone: what it says may hold a key
        raise ConfigError(
            f"agent {reference!r} can't be imported: {type(error).__name__}; import it in Python to see why"
        ) from None
    return found


def own_code(agents: Iterable[AgentSpec]) -> dict[str, str]:
    """SHA-256 of the file that each agent from outside the package is made in, by `module:factory`.

    Raises:
        ConfigError: One can't be imported.
    """
    found = {}
    for wanted in agents:
        if _is_own(wanted.agent):
            _own(wanted.agent)
            source = sys.modules[wanted.agent.partition(":")[0]].__file__
            found[wanted.agent] = sha256(Path(source).read_bytes()).hexdigest() if source else "built in"
    return dict(sorted(found.items()))


def _factory(name: str, game: str) -> Callable[..., Agent]:
    if _is_own(name):
        return _own(name)
    bots = _bots(game)
    if "." in name:
        raise ConfigError(f"agent {name!r}: one of your own is named module:factory, such as my_agents:Shy")
    if name not in bots and name not in GENERIC:
        raise UnknownName("agent", name, [*GENERIC, *bots, *MODELLED])
    return bots.get(name) or GENERIC[name]


def _bots(game: str) -> Mapping[str, Callable[..., Agent]]:
    reference = game_class(game).bots
    bots: Mapping[str, Callable[..., Agent]] = load(reference) if reference else {}
    return bots


def agents_of(game: str) -> list[str]:
    """Names of all agents that can play a game."""
    return [*GENERIC, *_bots(game), *MODELLED]


def _check_params(found: AgentSpec, factory: Callable[..., Agent]) -> None:
    parameters = inspect.signature(factory).parameters
    open_ended = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    kinds = _kinds(factory)
    for name, value in found.params.items():
        if name not in parameters and not open_ended:
            known = [name for name in parameters if name != "rng"]
            raise UnknownName(f"parameter of agent {found.agent!r}", name, known)
        try:
            # Strict for scalars, as the factory gets what was written: "0.5" would stay a text.
            TypeAdapter(kinds.get(name, Any)).validate_python(
                value, strict=isinstance(value, str | int | float)
            )
        except PydanticUserError:
            continue  # an annotation that says nothing to pydantic: the factory checks for itself
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]["msg"]
            raise ConfigError(f"agent {found.agent!r}: {name}: {fault.lower()}, got {value!r}") from None
    _try_out(found, factory)


def _try_out(found: AgentSpec, factory: Callable[..., Agent]) -> None:
    """Make an agent and let it go again."""
    try:
        inspect.signature(factory).bind("rng", **found.params)
    except TypeError as error:
        raise ConfigError(
            f"agent {found.agent!r}: its factory takes rng, then the parameters: {error}"
        ) from None
    doing = "made"
    try:
        made = factory(np.random.default_rng(0), **found.params)
        act, doing = getattr(made, "act", None), "closed"
        if isinstance(made, Closing) and (closing := made.close()) is not None:
            run_to_end(_awaited(closing))
    except ConfigError:
        raise
    except BROKEN as error:
        if _is_own(found.agent):
            # The class alone: what a foreign client says may hold a key.
            why = f"{type(error).__name__}; call its factory in Python to see why"
            raise ConfigError(f"agent {found.agent!r} can't be {doing}: {why}") from None
        if isinstance(error, TypeError | ValueError):
            raise ConfigError(f"agent {found.agent!r}: {error}") from None
        raise
    if not callable(act):
        raise ConfigError(f"agent {found.agent!r} makes a {type(made).__name__}, which has no method act")


async def _awaited(closing: Awaitable[None]) -> None:
    await closing


def _kinds(factory: Callable[..., Agent]) -> dict[str, Any]:
    """Types of a factory's parameters, as far as they are annotated."""
    try:
        found = inspect.signature(factory, eval_str=True).parameters.values()
    except (NameError, AttributeError, TypeError, SyntaxError):
        # Imported for type checkers only, or no types at all.
        return {}
    return {each.name: each.annotation for each in found if each.annotation is not each.empty}


def check_prompts(wanted: AgentSpec, wording: Wording) -> None:
    """See that the prompts of a modelled entrant are there.

    Raises:
        ConfigError: The game has no prompts in this language, or a template is broken.
    """
    if wanted.modelled:
        _book(wanted.model(), wording)


def _book(params: ModelSpec, wording: Wording) -> PromptBook:
    from liecraft.agents.prompt import prompt_book

    return prompt_book(wording.game, wording.lang, params.told_of_claims, params.thinks, wording.folder)


def build(
    wanted: AgentSpec,
    wording: Wording,
    seat: Seat,
    rng: np.random.Generator,
    *,
    models: Models,
    log: CallLog | None = None,
    meter: GameMeter | None = None,
) -> Agent:
    """A fresh agent for one seat of one game.

    Args:
        wanted: Which agent.
        wording: The game and its prompts.
        seat: Where it sits.
        rng: The seat's own stream.
        models: The run's models.
        log: Where model calls are recorded.
        meter: The budgets of the game.
    """
    if not wanted.modelled:
        return _factory(wanted.agent, wording.game)(rng, **wanted.params)
    return _model_agent(wanted, wording, seat, models, log, meter)


def _model_agent(
    wanted: AgentSpec,
    wording: Wording,
    seat: Seat,
    models: Models,
    log: CallLog | None,
    meter: GameMeter | None,
) -> Agent:
    from liecraft.agents.chat import Chat, DirectChat
    from liecraft.agents.llm import Limits, ModelAgent
    from liecraft.models.base import Sampling
    from liecraft.models.recording import Recording

    params = wanted.model()
    model = models.get(params)
    if isinstance(model, Recording):
        model = model.bound(log.game if log else "", seat)
    tiny = params.model == EMBEDDED
    limits = Limits(
        max_tokens=params.max_tokens or (60 if tiny else 400),
        deadline=params.deadline,
        context=params.context or (3_000 if tiny else 24_000),
        say_chars=60 if tiny else None,
        max_claims=4 if params.told_of_claims else 0,
    )
    sampling = Sampling(limits.max_tokens, params.temperature, params.seed)
    chat: Chat
    if wanted.agent == "autogen":
        from liecraft.agents.autogen import AssistantChat, ModelClient

        chat = AssistantChat(seat, ModelClient(seat, model, sampling, log))
    else:
        chat = DirectChat(seat, model, sampling, log)
    return ModelAgent(chat, _book(params, wording), limits, thinks=params.thinks, log=log, meter=meter)
