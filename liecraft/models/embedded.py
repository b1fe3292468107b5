"""A language model inside the process: llama.cpp's OpenAI-compatible server on a loopback port."""

import asyncio
import importlib
import os
import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType, TracebackType
from typing import Any, Self
from weakref import finalize

from liecraft.models.base import Completion, Message, ModelConfigError, Sampling
from liecraft.models.gguf import INSTALL, ModelFile, find_model
from liecraft.models.openai_compatible import OpenAICompatible

# Seconds. llama.cpp looks whether a client has hung up when a second has passed without any result, and what
# we ask it yields a result: asked more often, it would finish every reply that nobody waits for.
_ASK_AGAIN = 1.25
_IN_HAND = re.compile(r"^llamacpp:requests_(?:processing|deferred) (\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """How the server uses the machine."""

    context: int = 4096
    """Tokens of prompt and reply together, for each request."""
    parallel: int = 2
    """Requests served at the same time; further ones wait their turn."""
    threads: int = 1
    """Several threads wait for each other, and for each other's cores where other work shares them."""
    cache_mib: int = 1024
    """Most RAM, in MiB, for prompts kept to be continued later (beyond those in the slots)."""


class EmbeddedServer:
    """A running server; a context manager that stops it at the end.

    >>> with EmbeddedServer(find_model()) as server:  # doctest: +SKIP
    ...     server.base_url
    'http://127.0.0.1:37469/v1'
    """

    def __init__(self, file: ModelFile, settings: EmbeddedSettings | None = None) -> None:
        """Start the server, which takes about a second for a small model.

        Raises:
            ModelConfigError: llama.cpp is not installed, or cannot load the file; one line.
        """
        llama = import_llama()
        try:
            self._server: Any = llama.Server(_params(llama, file, settings or EmbeddedSettings()))
        except RuntimeError:  # it says no more than that it failed
            raise ModelConfigError(
                f"llama.cpp cannot load {file.path}: the file is damaged, or of a kind it does not know"
            ) from None
        self.file = file
        self.base_url = f"{self._server.listening_address}/v1"
        # Answered by the server's loop, so that the loop is known to run: a server stopped before it does
        # misses the word and hangs.
        self._requests_in_hand()

    def stop(self, patience: float = 30.0) -> None:
        """Stop serving and free the model's memory; harmless when called twice.

        Requests in hand are waited for, `patience` seconds at most: llama.cpp crashes when it is torn down
        under them. Those whose client has hung up it drops within a second or two.
        """
        if self._server is None:
            return
        give_up = time.monotonic() + patience
        while self._requests_in_hand() and time.monotonic() < give_up:
            time.sleep(_ASK_AGAIN)
        self._server = None  # its destructor joins the threads and closes the port

    def _requests_in_hand(self) -> int:
        metrics = str(self._server.handle_metrics())
        return sum(int(count) for count in _IN_HAND.findall(metrics))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class EmbeddedModel:
    """A `ChatModel` on a server that all models of the process with the same file and settings share.

    The server runs from the first such model until the last is closed, or the process ends.
    """

    def __init__(self, file: ModelFile, settings: EmbeddedSettings | None = None) -> None:
        """Start the server, or join the one that runs.

        Raises:
            ModelConfigError: see `EmbeddedServer`.
        """
        self.file = file
        self.name = file.name
        self._settings = settings or EmbeddedSettings()
        self._open()

    @property
    def base_url(self) -> str:
        """The server's URL, for other clients; good until `close`."""
        return self._client.endpoint.base_url

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None,
        sampling: Sampling,
        deadline: float,
    ) -> Completion:
        """See `ChatModel.complete`. A closed model opens again."""
        if not self._release.alive:
            self._open()
        return await self._client.complete(messages, schema=schema, sampling=sampling, deadline=deadline)

    async def close(self) -> None:
        """Close the connections, and the server if nobody else uses it."""
        await self._client.close()
        await asyncio.to_thread(self._release)  # waits for what the server has in hand, the loop must not

    def _open(self) -> None:
        key = (os.getpid(), self.file.path, self._settings)
        server = _acquire(key, self.file)
        # Runs once: by `close`, when the model is forgotten, or as the process ends.
        self._release = finalize(self, _release, key)
        # As many calls in flight as the server has slots: the rest wait here, where no deadline runs yet.
        self._client = OpenAICompatible(
            self.name, server.base_url, api_key_env="", concurrency=self._settings.parallel
        )


def embedded_model(
    path: str | os.PathLike[str] | None = None, settings: EmbeddedSettings | None = None
) -> EmbeddedModel:
    """Return a chat model that needs no network: on the file at `path`, or else on a packaged one.

    Raises:
        ModelConfigError: there is no model to run, or nothing to run it; one line, with the mend.
    """
    return EmbeddedModel(find_model(path), settings)


_Key = tuple[int, os.PathLike[str], EmbeddedSettings]


@dataclass(slots=True)
class _Shared:
    server: EmbeddedServer
    users: int = 0


_lock = threading.Lock()
_running: dict[_Key, _Shared] = {}


def _acquire(key: _Key, file: ModelFile) -> EmbeddedServer:
    with _lock:
        shared = _running.get(key)
        if shared is None:
            shared = _running[key] = _Shared(EmbeddedServer(file, key[2]))
        shared.users += 1
        return shared.server


def _release(key: _Key) -> None:
    with _lock:
        shared = _running[key]
        shared.users -= 1
        if shared.users:
            return
        del _running[key]
    shared.server.stop()


def import_llama() -> ModuleType:
    """Import llama.cpp's binding.

    Raises:
        ModelConfigError: it is not installed.
    """
    # Read once, as the library loads. By default its threads wait for each other in busy loops, which on a
    # machine with anything else to do made generation five to ten times slower.
    mine = "OMP_WAIT_POLICY" not in os.environ
    if mine:
        os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        return importlib.import_module("xllamacpp")
    except ImportError:
        raise ModelConfigError(f"the embedded model needs llama.cpp: {INSTALL}") from None
    finally:
        if mine:
            del os.environ["OMP_WAIT_POLICY"]


def _params(llama: ModuleType, file: ModelFile, settings: EmbeddedSettings) -> Any:
    params = llama.CommonParams()
    params.model.path = str(file.path)
    params.model_alias = {file.name}  # else the endpoint calls itself by the file's path
    params.n_parallel = settings.parallel
    params.n_ctx = settings.context * settings.parallel  # llama.cpp splits it evenly over the slots
    params.cpuparams.n_threads = settings.threads
    params.cpuparams_batch.n_threads = settings.threads
    params.cache_ram_mib = settings.cache_mib
    params.port = 0  # any free one
    params.verbosity = 0
    params.ui = False
    params.endpoint_slots = False  # prompts hold secret roles: no page in a browser may list them
    params.endpoint_metrics = True  # counts only; how `stop` knows that nobody is being served
    return params
