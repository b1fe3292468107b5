"""Every registered game keeps its secrets: `check_game` on each, with the oracle of its test folder.

A game in the table without an oracle fails here: `tests/games/<game>/oracle.py` states in `entitled` what the rules
let a seat perceive, and may draw other worlds in `variants`.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from importlib.resources import files
from typing import Any

import pytest

import liecraft
from liecraft.engine.registry import game_class
from liecraft.testing import Report, check_game
from liecraft.testing.configs import fuzz
from liecraft.testing.pettingzoo_suite import pettingzoo_api, pettingzoo_seed

GAMES = liecraft.list_games()
CONFIGS: list[tuple[str, dict[str, Any]]] = [
    ("murder_v0", {"seats": 8, "murderers": 2, "tie": "random", "darkness": 0.0}),
    (
        "murder_v0",
        {"seats": 5, "reveal": False, "tie": "runoff", "abstention": False, "discussion_rounds": 1},
    ),
    (
        "murder_v0",
        {"tie": "all", "majority": "absolute", "shaping": {"kill": 0.1, "clue": 0.1, "right_vote": 0.1}},
    ),
]
"""Rules beside the default ones under which a game must be as tight."""


KITS: dict[str, dict[str, Any]] = {
    "conflicting_evidence_v0": {"zero_sum": False},  # without a mole the team wins or loses together
}
"""Further arguments of `check_game`."""


def check(game: str, config: dict[str, Any], **amount: int) -> Report:
    folder = import_module(f"tests.games.{game.rpartition('_v')[0]}.oracle")
    kit: dict[str, Any] = {"variants": getattr(folder, "variants", None), **KITS.get(game, {}), **amount}
    return check_game(partial(liecraft.make, game, **config), entitled=folder.entitled, **kit)


@pytest.mark.parametrize("game", GAMES)
def test_a_game_keeps_its_secrets(game: str) -> None:
    report = check(game, {}, games=5, fuzz_games=50, pairs=100)
    assert report.worlds.decisions > report.worlds.pairs


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_game_keeps_its_secrets_over_2000_pairs(game: str) -> None:
    report = check(game, {}, games=30, fuzz_games=10_000, pairs=2_000, seed=1)
    assert report.worlds.pairs >= 2_000 and report.acts.pairs >= 2_000
    assert report.worlds.decisions > report.worlds.pairs


@pytest.mark.slow
@pytest.mark.parametrize(("game", "config"), CONFIGS, ids=str)
def test_other_rules_are_as_tight(game: str, config: dict[str, Any]) -> None:
    check(game, config, games=5, fuzz_games=500, pairs=400, seed=2)


@pytest.mark.parametrize("game", GAMES)
def test_text_in_the_infos_passes_the_tests_of_pettingzoo(game: str) -> None:
    for test in (pettingzoo_api, pettingzoo_seed):
        test(partial(liecraft.make, game, text=True))


@pytest.mark.parametrize("game", GAMES)
def test_every_language_renders_every_event(game: str) -> None:
    folders = [item.name for item in files(game_class(game).prompts).iterdir() if item.is_dir()]
    for lang in [name for name in folders if name.isalpha()]:
        fuzz(partial(liecraft.make, game, lang=lang), games=20, seed=3)
