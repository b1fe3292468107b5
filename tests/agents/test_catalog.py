from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from liecraft.agents.catalog import AgentSpec, agents_of, build, spec
from liecraft.agents.pool import Models, ModelSpec, Price
from liecraft.agents.wording import Wording
from liecraft.engine.errors import ConfigError
from liecraft.engine.registry import list_games


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("randon", "unknown agent 'randon': did you mean 'random'?"),
        ({"agent": "detectiv"}, "did you mean 'detective'?"),
        (
            {"agent": "liar", "lie_rat": 0.5},
            "unknown parameter of agent 'liar' 'lie_rat': did you mean 'lie_rate'?",
        ),
        ({"agent": "liar", "lie_rate": "often"}, "agent 'liar': "),
        ({"lie_rate": 0.5}, "need the key 'agent' beside lie_rate"),
        ({}, "need the key 'agent'"),
        ({"agent": 7}, "need the key 'agent'"),
        ("llm", "agent 'llm': 'model' is missing"),
        ({"agent": "llm", "modl": "m"}, "unknown key 'modl'; did you mean 'model'?"),
        ({"agent": "llm", "model": "m", "deadline": 0}, "deadline: input should be greater than 0, got 0"),
        ({"agent": "llm", "model": ""}, "model: "),
        ({"agent": "llm", "model": "m", "model_path": "a.gguf"}, "model_path is for model: embedded"),
        ({"agent": "llm", "model": "embedded", "base_url": "http://localhost/v1"}, "has no base_url"),
        ({"agent": "llm", "model": "m", "price": {"prompt": 1}}, "'price.completion' is missing"),
        (AgentSpec("nobody"), "unknown agent 'nobody'"),
    ],
)
def test_a_wrong_agent_is_refused_in_one_line_with_the_mend(given: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        spec(given, "murder_v0")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "params",
    [
        {"api_key_env": "sk-live-0815"},
        {"base_url": "http://user:sk-live-0815@127.0.0.1/v1"},
        {"base_url": "http://127.0.0.1/v1?key=sk-live-0815"},
    ],
)
def test_a_key_in_a_config_is_refused_and_not_repeated(params: dict[str, str]) -> None:
    """What a config holds is written to the run's manifest."""
    with pytest.raises(ConfigError) as caught:
        spec({"agent": "llm", "model": "m", **params}, "murder_v0")
    assert "0815" not in str(caught.value)


def test_a_missing_key_is_one_line_that_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    wanted = ModelSpec(model="m", base_url="https://models.example/v1", api_key_env="SOME_KEY")
    with pytest.raises(ConfigError, match="set the environment variable SOME_KEY"):
        Models().get(wanted)


def test_a_file_that_is_no_model_is_one_line() -> None:
    with pytest.raises(ConfigError, match=r"cannot read nowhere\.gguf"):
        Models().get(ModelSpec(model="embedded", model_path="nowhere.gguf"))


def test_the_embedded_model_is_free_and_others_have_no_price_unless_given() -> None:
    assert ModelSpec(model="embedded").price == Price(prompt=0, completion=0)
    assert ModelSpec(model="m").price is None
    assert ModelSpec(model="embedded", price=Price(prompt=1, completion=2)).price == Price(
        prompt=1, completion=2
    )


def test_claims_are_left_out_for_the_embedded_model_unless_asked_for() -> None:
    assert not ModelSpec(model="embedded").told_of_claims
    assert ModelSpec(model="embedded", claims=True).told_of_claims
    assert ModelSpec(model="m").told_of_claims
    assert not ModelSpec(model="m", claims=False).told_of_claims


def test_seats_with_the_same_model_share_its_client() -> None:
    models = Models()
    first = models.get(ModelSpec(model="m", base_url="http://127.0.0.1:9/v1", temperature=0.0))
    assert models.get(ModelSpec(model="m", base_url="http://127.0.0.1:9/v1", temperature=1.0)) is first
    assert models.get(ModelSpec(model="n", base_url="http://127.0.0.1:9/v1")) is not first


@pytest.mark.parametrize("game", list_games())
def test_every_scripted_agent_of_every_game_can_be_built_afresh_for_each_seat(game: str) -> None:
    names = [name for name in agents_of(game) if name not in ("llm", "autogen")]
    assert {"random", "default", "honest", "silent"} <= set(names)
    for name in names:
        wanted = spec(name, game)
        built = [
            build(wanted, Wording(game), "player_0", np.random.default_rng(0), models=Models())
            for _ in range(2)
        ]
        assert built[0] is not built[1]
