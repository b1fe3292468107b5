"""Chat models: one protocol, any OpenAI-compatible endpoint, and a small model that runs in the process."""

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
from liecraft.models.embedded import EmbeddedModel, EmbeddedServer, EmbeddedSettings, embedded_model
from liecraft.models.endpoint import Endpoint
from liecraft.models.gguf import ModelFile, find_model
from liecraft.models.openai_compatible import OpenAICompatible
from liecraft.models.retry import RetryPolicy

__all__ = [
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
    "Usage",
    "embedded_model",
    "find_model",
]
