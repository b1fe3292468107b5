"""The table of games: lazy, forgiving about versions, open to other packages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

import liecraft
from liecraft.engine import registry
from liecraft.engine.errors import ConfigError, UnknownName

MODULE = """
from tests.toys.den import DenEnv

class FoxEnv(DenEnv):
    name = "fox_v2"
"""
ENTRY_POINTS = """[liecraft.games]
fox_v1 = "absent_module:FoxEnv"
fox_v2 = fox_game:FoxEnv
fox_v10 = fox_game:Absent
murder_v0 = fox_game:FoxEnv
"""


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed distribution that brings games."""
    info = tmp_path / "fox-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fox\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS.replace('"', ""))
    (tmp_path / "fox_game.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    registry._table.cache_clear()
    yield
    registry._table.cache_clear()
    sys.modules.pop("fox_game", None)


def test_an_unknown_game_is_answered_with_the_nearest() -> None:
    with pytest.raises(
        UnknownName, match=r"^unknown game 'mruder_v0': did you mean 'murder_v0'\? known: .*murder_v0"
    ):
        liecraft.make("mruder_v0")
    with pytest.raises(UnknownName, match="unknown game 'chess'"):
        liecraft.make("chess")


def test_a_game_is_found_with_and_without_its_version() -> None:
    assert registry.game_id("murder") == registry.game_id("murder_v0") == "murder_v0"


@pytest.mark.usefixtures("other_package")
def test_a_game_of_another_package_registers_by_entry_point() -> None:
    assert {"fox_v1", "fox_v2", "fox_v10"} <= set(liecraft.list_games())
    env = liecraft.make("fox_v2", seats=7)
    env.reset(seed=1)
    assert len(env.agents) == 7 and str(env) == "fox_v2"
    assert isinstance(env, OrderEnforcingWrapper)
    assert registry.game_id("fox") == "fox_v10"


@pytest.mark.usefixtures("other_package")
def test_another_package_cannot_take_the_place_of_a_game_of_ours() -> None:
    assert registry.game_class("murder_v0").name == "murder_v0"


@pytest.mark.usefixtures("other_package")
@pytest.mark.parametrize("name", ["fox_v1", "fox_v10"])
def test_a_registration_that_fails_is_told_in_one_line(name: str) -> None:
    with pytest.raises(ConfigError, match=f"game '{name}' is registered as .*, which fails: ") as error:
        liecraft.make(name)
    assert "\n" not in str(error.value)


def test_knowing_of_games_imports_none_of_them() -> None:
    script = (
        "import sys, liecraft; liecraft.list_games();"
        "print([m for m in sys.modules if m.startswith(('liecraft.games.', 'numpy', 'pettingzoo', 'pydantic'))])"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"


@pytest.mark.parametrize("name", liecraft.list_games())
def test_a_class_says_the_name_it_is_registered_under(name: str) -> None:
    assert registry.game_class(name).name == name
