"""Chat models: one protocol, any OpenAI-compatible endpoint, and a small model that runs in the process."""

from liecraft.models.adaptive import AdaptivePolicy
from liecraft.models.base import (
    ChatModel,
    Completion,
    ErrorKind,
    Message,
    ModelConfigError,
    ModelError,
    Sampling,
    Usage,
)
from liecraft.models.breaker import BreakerPolicy
from liecraft.models.embedded import EmbeddedModel, EmbeddedServer, EmbeddedSettings, embedded_model
from liecraft.models.endpoint import Endpoint
from liecraft.models.gguf import ModelFile, find_model
from liecraft.models.openai_compatible import OpenAICompatible
from liecraft.models.retry import RetryPolicy
from liecraft.models.traffic import Traffic

__all__ = [
    "AdaptivePolicy",
    "BreakerPolicy",
    "ChatModel",
    "Completion",
    "EmbeddedModel",
    "EmbeddedServer",
    "EmbeddedSettings",
    "Endpoint",
    "ErrorKind",
    "Message",
    "ModelConfigError",
    "ModelError",
    "ModelFile",
    "OpenAICompatible",
    "RetryPolicy",
    "Sampling",
    "Traffic",
    "Usage",
    "embedded_model",
    "find_model",
]
