"""Where the endpoint is, where its key comes from, and where the key must never go."""

import asyncio
import json
import pickle
import traceback

import pytest

from liecraft.models import Endpoint, ModelConfigError, ModelError, OpenAICompatible
from tests import fault_server as fault
from tests.fault_server import FaultServer
from tests.models.calls import call, complete, failing_call, make_model

KEY = 'very"secret\\key-0123456789'


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def test_url_and_key_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with FaultServer(fault.ok("hi")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.base_url}/")
        monkeypatch.setenv("MY_KEY", f"{KEY}\n")
        model = OpenAICompatible(model="never-heard-of", api_key_env="MY_KEY")
        assert asyncio.run(complete(model)).text == "hi"
        assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
        assert server.requests[0].body["model"] == "never-heard-of"


def test_an_endpoint_on_this_machine_needs_no_key() -> None:
    with FaultServer(fault.ok("hi")) as server:
        assert call(server.base_url).text == "hi"


def test_a_remote_endpoint_without_its_key_is_refused_before_anything_starts() -> None:
    with pytest.raises(ModelConfigError, match=r"no key for api\.openai\.com: .* OTHER_KEY"):
        OpenAICompatible(model="m", api_key_env="OTHER_KEY")


@pytest.mark.parametrize(
    "url", ["localhost:8000", "ftp://host/v1", "http://", "http://host:port/v1", "http://[::1"]
)
def test_a_base_url_that_is_none_is_refused_in_one_line(url: str) -> None:
    with pytest.raises(ModelConfigError, match=r"is no http\(s\) URL: write it like") as caught:
        Endpoint.resolve(url)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["sécret-key", "secret\nkey"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", key)
    with pytest.raises(ModelConfigError, match="MY_KEY") as caught:
        Endpoint.resolve("http://far.example/v1", "MY_KEY")
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1:8000/v1", "127.0.0.1:8000"),
        ("https://u:p@far.example/v1?token=abc", "far.example:443"),
        ("http://[::1]/v1", "[::1]:80"),
    ],
)
def test_errors_name_host_and_port_only(url: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert Endpoint.resolve(url).address == address


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_the_key_never_shows_even_if_the_server_repeats_it(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with FaultServer(fault.echo_authorization(status)) as server:
        model = make_model(server.base_url, api_key_env="MY_KEY")
        with pytest.raises(ModelError, match="bad header") as caught:
            asyncio.run(complete(model))
    error = caught.value
    shown = [
        str(error),
        repr(error),
        repr(model),
        repr(model.endpoint),
        "".join(traceback.format_exception(error)),
    ]
    shown += [repr(vars(error)), str(error.__context__), str(error.__cause__)]
    for text in shown:
        assert "secret" not in text
    assert "***" in str(error)


def test_passwords_in_the_url_and_foreign_keys_are_scrubbed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    scrub = Endpoint.resolve("https://user:passw0rd@far.example/v1?sig=s1gn4ture").scrubber()
    said = scrub(
        'no passw0rd, sig=s1gn4ture\tBEARER abc.def sk-proj-123456\x1b[31m very"sec\x00ret\\key-0123456789'
    )
    assert said == "no ***, *** BEARER *** ***[31m ***"


def test_the_key_is_found_in_its_json_spelling_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with FaultServer(fault.raw(json.dumps({"key": KEY}).encode())) as server:
        error, _ = failing_call(server.base_url, api_key_env="MY_KEY")
    assert error.detail == 'the answer has no choices: {"key": "***"}'


def test_a_long_error_text_is_clipped_after_it_is_scrubbed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    said = Endpoint.resolve().scrubber()("x" * 290 + " " + KEY + "y" * 900)
    assert len(said) <= 301
    assert "very" not in said


def test_an_auth_error_names_the_variable_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with FaultServer(fault.status(401, "wrong key")) as server:
        error, _ = failing_call(server.base_url, api_key_env="MY_KEY")
    assert str(error) == f"{error.endpoint}: auth: 401 wrong key (1 request); check the key in MY_KEY"


def test_an_error_crosses_process_boundaries() -> None:
    error = ModelError("server", "500 no", endpoint="h:1", attempts=4, seconds=1.5, hint="wait")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), vars(again)) == (str(error), vars(error))
