"""From a name and parameters to an agent: generic ones, a game's own bots, language models."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PydanticUserError,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from liecraft.agents.scripted import DefaultAgent, RandomAgent
from liecraft.engine.agent import Agent
from liecraft.engine.config import checked
from liecraft.engine.errors import ConfigError, UnknownName
from liecraft.engine.registry import game_class, load
from liecraft.engine.seats import Seat

if TYPE_CHECKING:
    from liecraft.agents.budget import GameMeter
    from liecraft.agents.chat import CallLog
    from liecraft.agents.prompt import PromptBook
    from liecraft.models.base import ChatModel
    from liecraft.models.traffic import Traffic

GENERIC: Mapping[str, Callable[..., Agent]] = {"random": RandomAgent, "default": DefaultAgent}
MODELLED = ("llm", "autogen")
EMBEDDED = "embedded"
RECORDING = "recording"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class Price(BaseModel):
    """What a million tokens cost, in any one currency."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)


class ModelSpec(BaseModel):
    """Parameters of an entrant that a language model plays.

    `model` is a name known to the endpoint, `embedded` for the packaged one, or `recording` for what a stored
    run's models answered.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())

    model: str = Field(min_length=1)
    model_path: str | None = None
    """A .gguf file for the embedded server."""
    recording: str | None = None
    """Folder of the run that `model: recording` answers from."""
    base_url: str | None = None
    """Endpoint up to `/v1`; without one, OPENAI_BASE_URL or OpenAI itself."""
    api_key_env: str = "OPENAI_API_KEY"
    """Environment variable that holds the key."""
    temperature: float | None = Field(default=None, ge=0, le=5)
    seed: int | None = None
    max_tokens: int | None = Field(default=None, ge=8)
    deadline: float = Field(default=120.0, gt=0)
    """Seconds of wall clock a turn."""
    context: int | None = Field(default=None, ge=500)
    """Estimated tokens of prompt past which old talk is dropped."""
    thinks: bool = False
    """Ask for private reasoning with each reply."""
    claims: bool | None = None
    """Tell the model of the game's claims; the embedded model is not told unless asked for."""
    structured: bool = True
    """Ask the endpoint for structured output."""
    price: Price | None = None
    """What the model costs; unknown without it, but for the embedded model and recordings, which are free."""

    @property
    def told_of_claims(self) -> bool:
        """Whether the prompts tell of the game's claims."""
        return self.model != EMBEDDED if self.claims is None else self.claims

    @field_validator("api_key_env")
    @classmethod
    def _variable_not_key(cls, value: str) -> str:
        if not _VARIABLE.match(value):  # it may be the key itself: not to be repeated
            raise ValueError("name the environment variable that holds the key, never the key")
        return value

    @field_validator("base_url")
    @classmethod
    def _no_secret_in_url(cls, value: str | None) -> str | None:
        if value and ("@" in value or "?" in value):
            raise ValueError(
                "keep keys and passwords out of the URL: they would be written to the run's manifest"
            )
        return value

    @model_validator(mode="before")
    @classmethod
    def _local_is_free(cls, data: Any) -> Any:
        local = (EMBEDDED, RECORDING)
        if isinstance(data, Mapping) and data.get("model") in local and data.get("price") is None:
            return {**data, "price": {"prompt": 0, "completion": 0}}
        return data

    @model_validator(mode="after")
    def _embedded_or_endpoint(self) -> Self:
        if self.model == EMBEDDED and self.base_url:
            raise ValueError("the embedded model has no base_url: leave it out, or name the endpoint's model")
        if self.model != EMBEDDED and self.model_path:
            raise ValueError(f"model_path is for model: {EMBEDDED}; an endpoint has its files itself")
        if (self.model == RECORDING) != (self.recording is not None):
            raise ValueError(f"model: {RECORDING} and recording: RUN go together: give both, or neither")
        if self.model == RECORDING and self.base_url:
            raise ValueError("a recording has no base_url: leave it out, or name the endpoint's model")
        return self


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """An entrant: which agent, with which parameters.

    Attributes:
        agent: `random`, `default`, a bot of the game, `llm` or `autogen`.
        params: What its factory takes.
    """

    agent: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def modelled(self) -> bool:
        """Whether a language model plays it."""
        return self.agent in MODELLED

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


def _factory(name: str, game: str) -> Callable[..., Agent]:
    bots = _bots(game)
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
    known = [name for name in inspect.signature(factory).parameters if name != "rng"]
    kinds = _kinds(factory)
    for name, value in found.params.items():
        if name not in known:
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
    try:
        factory(np.random.default_rng(0), **found.params)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"agent {found.agent!r}: {error}") from None


def _kinds(factory: Callable[..., Agent]) -> dict[str, Any]:
    """Types of a factory's parameters, as far as they are annotated."""
    try:
        found = inspect.signature(factory, eval_str=True).parameters.values()
    except NameError:  # imported for type checkers only
        return {}
    return {each.name: each.annotation for each in found if each.annotation is not each.empty}


class Models:
    """The chat models of a run, one for each distinct endpoint and model, shared by all seats.

    Models of one endpoint share its circuit breaker.

    Args:
        make: Builds a model from its parameters; tests pass their own.
        adaptive: Let the number of requests in flight to each endpoint adapt to it.
        patience: Seconds that calls wait for an endpoint that is out of order before they fail.
    """

    def __init__(
        self,
        make: Callable[[ModelSpec], ChatModel] | None = None,
        *,
        adaptive: bool = False,
        patience: float = 300.0,
    ) -> None:
        self._make = make or self._on_endpoint
        self._adaptive = adaptive
        self._patience = patience
        self._traffic: dict[str, Traffic] = {}
        self._models: dict[tuple[Any, ...], ChatModel] = {}

    def get(self, wanted: ModelSpec) -> ChatModel:
        """The model for these parameters, built at the first call.

        Raises:
            ConfigError: It can't be set up.
        """
        key = (
            wanted.model,
            wanted.model_path,
            wanted.recording,
            wanted.base_url,
            wanted.api_key_env,
            wanted.structured,
        )
        if key not in self._models:
            self._models[key] = self._make(wanted)
        return self._models[key]

    def _on_endpoint(self, wanted: ModelSpec) -> ChatModel:
        if wanted.model in (EMBEDDED, RECORDING):
            return make_model(wanted)
        from liecraft.models.adaptive import AdaptivePolicy
        from liecraft.models.breaker import BreakerPolicy
        from liecraft.models.endpoint import Endpoint
        from liecraft.models.traffic import Traffic

        address = Endpoint.resolve(wanted.base_url, wanted.api_key_env).address
        if address not in self._traffic:
            self._traffic[address] = Traffic(
                address,
                adaptive=AdaptivePolicy() if self._adaptive else None,
                breaker=BreakerPolicy(patience=self._patience),
            )
        return make_model(wanted, self._traffic[address])

    async def close(self) -> None:
        """Close all of them."""
        for model in self._models.values():
            await model.close()
        self._models.clear()


def make_model(wanted: ModelSpec, traffic: Traffic | None = None) -> ChatModel:
    """Build the chat model that the parameters describe.

    Args:
        wanted: The parameters.
        traffic: What the clients of its endpoint share, if anything.

    Raises:
        ConfigError: No key, no embedded model, a file or a run that is none.
    """
    if wanted.recording is not None:
        from liecraft.models.recording import Recording

        return Recording(Path(wanted.recording))
    if wanted.model == EMBEDDED:
        from liecraft.models.embedded import embedded_model

        return embedded_model(wanted.model_path)
    from liecraft.models.openai_compatible import OpenAICompatible

    key, structured = wanted.api_key_env, wanted.structured
    return OpenAICompatible(wanted.model, wanted.base_url, key, structured=structured, traffic=traffic)


def check_prompts(wanted: AgentSpec, game: str, lang: str) -> None:
    """See that the prompts of a modelled entrant are there.

    Raises:
        ConfigError: The game has no prompts in this language, or a template is broken.
    """
    if wanted.modelled:
        _book(wanted.model(), game, lang)


def _book(params: ModelSpec, game: str, lang: str) -> PromptBook:
    from liecraft.agents.prompt import prompt_book

    return prompt_book(game, lang, params.told_of_claims, params.thinks)


def build(
    wanted: AgentSpec,
    game: str,
    seat: Seat,
    rng: np.random.Generator,
    *,
    models: Models,
    log: CallLog | None = None,
    lang: str = "en",
    meter: GameMeter | None = None,
) -> Agent:
    """A fresh agent for one seat of one game.

    Args:
        wanted: Which agent.
        game: Registered game.
        seat: Where it sits.
        rng: The seat's own stream.
        models: The run's models.
        log: Where model calls are recorded.
        lang: Language of the prompts.
        meter: The budgets of the game.
    """
    if not wanted.modelled:
        return _factory(wanted.agent, game)(rng, **wanted.params)
    return _model_agent(wanted, game, seat, models, log, lang, meter)


def _model_agent(
    wanted: AgentSpec,
    game: str,
    seat: Seat,
    models: Models,
    log: CallLog | None,
    lang: str,
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
    return ModelAgent(chat, _book(params, game, lang), limits, thinks=params.thinks, log=log, meter=meter)
