from __future__ import annotations

from typing import Any

import pytest

from liecraft.arena import play
from liecraft.engine.errors import LieCraftError
from liecraft.evaluators.statistics.seasons import (
    SeasonError,
    check_same_season,
    differences,
    season_of_header,
    season_of_manifest,
)

HEADER: dict[str, Any] = {
    "game": "g000000",
    "type": "game",
    "v": 1,
    "env": "murder_v0",
    "env_version": "0.1",
    "liecraft": "0.1.0",
    "config": {"seats": 5, "shaping": {"kill": 0.0}},
    "seed": 1,
    "seats": {"player_0": "liar"},
    "lang": "en",
    "prompts": "aa",
}
MANIFEST: dict[str, Any] = {
    "name": "first",
    "created": "2026-01-01",
    "prompts": "aa",
    "config": {
        "name": "first",
        "game": "murder_v0",
        "config": {"seats": 5},
        "entrants": {"liar": "liar", "gpt": {"agent": "llm", "model": "m"}},
        "games": 10,
        "matches": [],
        "seed": 0,
        "concurrency": 8,
        "lang": "en",
    },
}


def changed(base: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A deep copy with one field set, by dotted path."""
    head, _, rest = path.partition(".")
    return {**base, head: changed(base.get(head, {}), rest, value) if rest else value}


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("env", "info_passing_v0", "env is murder_v0 in A and info_passing_v0 in B"),
        ("env_version", "0.2", "env_version is 0.1 in A and 0.2 in B"),
        ("config.seats", 6, "config.seats is 5 in A and 6 in B"),
        ("config.shaping.kill", 0.5, "config.shaping.kill is 0.0 in A and 0.5 in B"),
        ("config.tie", "none", "config.tie is not set in A and none in B"),
        ("lang", "zh", "lang is en in A and zh in B"),
        ("prompts", "bb", "prompts is aa in A and bb in B"),
    ],
)
def test_games_of_different_seasons_are_not_pooled_and_the_field_is_named(
    path: str, value: Any, said: str
) -> None:
    other = season_of_header(changed(HEADER, path, value))
    with pytest.raises(SeasonError, match=f"A and B are different seasons.*: {said};") as caught:
        check_same_season([("A", season_of_header(HEADER)), ("B", other)])
    assert isinstance(caught.value, LieCraftError)  # so the command line shows it as one line
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", ["game", "seed", "seats.player_0", "liecraft"])
def test_what_is_no_rule_makes_no_season(path: str) -> None:
    check_same_season([("A", season_of_header(HEADER)), ("B", season_of_header(changed(HEADER, path, "x")))])


def test_how_many_more_fields_differ_is_told() -> None:
    other = changed(changed(HEADER, "lang", "zh"), "config.seats", 6)
    with pytest.raises(SeasonError, match=r"config\.seats is 5 in A and 6 in C \(and 1 more\)"):
        check_same_season(
            [(name, season_of_header(h)) for name, h in (("A", HEADER), ("B", HEADER), ("C", other))]
        )


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("config.game", "murder_v1", "env is murder_v0 in A and murder_v1 in B"),
        ("config.config.seats", 6, "rules.seats is 5 in A and 6 in B"),
        (
            "config.matches",
            [{"games": 5, "config": {"rounds": 4}}],
            "rules.rounds is not set in A and 4 in B",
        ),
        ("config.lang", "zh", "lang is en in A and zh in B"),
        ("prompts", "bb", "prompts is aa in A and bb in B"),
        ("config.entrants.gpt.model", "n", "entrants.gpt.model is m in A and n in B"),
        ("config.entrants.liar", "honest", "entrants.liar is liar in A and honest in B"),
    ],
)
def test_runs_of_different_seasons_are_not_pooled(path: str, value: Any, said: str) -> None:
    with pytest.raises(SeasonError, match=f": {said};"):
        check_same_season(
            [("A", season_of_manifest(MANIFEST)), ("B", season_of_manifest(changed(MANIFEST, path, value)))]
        )


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("name", "second"),
        ("created", "2027-01-01"),
        ("config.games", 99),
        ("config.seed", 5),
        ("config.concurrency", 1),
        ("config.entrants.newcomer", "random"),
        ("config.matches", [{"games": 5}, {"games": 9, "entrants": ["liar"]}]),
    ],
)
def test_more_games_seeds_or_entrants_are_the_same_season(path: str, value: Any) -> None:
    other = changed(MANIFEST, path, value)
    check_same_season([("A", season_of_manifest(MANIFEST)), ("B", season_of_manifest(other))])


def test_no_season_and_one_season_are_always_the_same() -> None:
    check_same_season([])
    check_same_season([("A", season_of_header(HEADER))])


def test_true_and_one_are_different_rules() -> None:
    assert list(differences({"config": {"key": True}}, {"config": {"key": 1}})) == [("config.key", True, 1)]


def test_real_games_are_told_apart_by_their_rules() -> None:
    traces = [play("murder", ["random"] * n, seed=1, config={"seats": n}) for n in (5, 5, 6)]
    seasons = [(str(i), season_of_header(trace.header)) for i, trace in enumerate(traces)]
    check_same_season(seasons[:2])
    with pytest.raises(SeasonError, match=r"config\.seats is 5 in 0 and 6 in 2"):
        check_same_season(seasons)
