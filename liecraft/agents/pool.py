"""The models of a run: what a config says of one, and each built once, however many seats it plays."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

if TYPE_CHECKING:
    from liecraft.models.base import ChatModel
    from liecraft.models.traffic import Traffic

EMBEDDED = "embedded"
RECORDING = "recording"
_VARIABLE = re.compile(r"(?!GSK_|SK_|HF_[A-Z0-9]{30})[A-Z][A-Z_][A-Z0-9_]{0,62}\Z")
"""Small letters are what keys are made of and names of variables, by custom, are not."""


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
            raise ValueError("name the environment variable that holds the key (A-Z, 0-9, _), never the key")
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
        if self.context is not None and self.max_tokens is not None and self.max_tokens >= self.context:
            raise ValueError(f"max_tokens {self.max_tokens} leave no room in a context of {self.context}")
        if (self.model == RECORDING) != (self.recording is not None):
            raise ValueError(f"model: {RECORDING} and recording: RUN go together: give both, or neither")
        if self.model == RECORDING and self.base_url:
            raise ValueError("a recording has no base_url: leave it out, or name the endpoint's model")
        return self


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
