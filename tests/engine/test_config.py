"""Configs: what is wrong, where, and the mend, in one line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from liecraft.engine.config import GameConfig, checked
from liecraft.engine.errors import ConfigError
from tests.engine.strategies import scalars
from tests.toys.den import DenConfig, DenEnv


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"saets": 5}, "den config: unknown key 'saets'; did you mean 'seats'?"),
        ({"zzz": 5}, "den config: unknown key 'zzz'; known: seats, max_text, max_claims, rounds"),
        ({"seats": 4}, "den config: seats: input should be greater than or equal to 5, got 4"),
        (
            {"seats": 4, "rounds": 9},
            "den config: seats: input should be greater than or equal to 5, got 4 (and 1 more)",
        ),
        ({"rounds": "x" * 99}, "got '" + "x" * 56 + "..."),
    ],
)
def test_a_fault_is_told_in_one_line(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        checked(DenConfig, data, "den config")
    assert message in str(error.value) and "\n" not in str(error.value)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(ConfigError, match=r"^here: 'seats' is missing$"):
        checked(GameConfig, {}, "here")


def test_the_env_names_its_game() -> None:
    with pytest.raises(ConfigError, match=r"^den_v0 config: unknown key 'seat'; did you mean 'seats'\?$"):
        DenEnv(seat=5)


@given(st.dictionaries(st.sampled_from(["seats", "rounds", "max_text", "other\n"]), scalars, max_size=3))
def test_any_data_gives_a_config_or_one_line(data: dict[str, Any]) -> None:
    try:
        config = checked(DenConfig, data, "den")
    except ConfigError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert checked(DenConfig, config.model_dump(mode="json"), "den") == config


def test_a_config_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        DenConfig().seats = 6
