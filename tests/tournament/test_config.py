from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import liecraft
from liecraft.engine.errors import ConfigError
from liecraft.tournament.config import read_config

GOOD: dict[str, Any] = {"name": "t", "game": "murder", "entrants": ["liar", "honest"], "games": 4}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "murdre"}, "unknown game 'murdre': did you mean 'murder_v0'?"),
        ({"game": None}, "game: "),
        ({"gmaes": 4}, "unknown key 'gmaes'; did you mean 'games'?"),
        (
            {"entrants": ["liar", "honset"]},
            "entrant 'honset': unknown agent 'honset': did you mean 'honest'?",
        ),
        ({"entrants": {"a": {"agent": "liar", "lierate": 1}}}, "did you mean 'lie_rate'?"),
        ({"entrants": {"a": {"agent": "llm"}}}, "entrant 'a': agent 'llm': 'model' is missing"),
        ({"entrants": {"a": {"lie_rate": 1}}}, "entrant 'a': an agent's parameters need the key 'agent'"),
        ({"entrants": ["liar", "liar"]}, "'liar' stands twice"),
        ({"entrants": []}, "entrants: "),
        ({"entrants": {}}, "entrants: "),
        ({"games": 5}, "5 games can't be shared equally among 2 entrants"),
        ({"games": 5}, "use 4 or 6"),
        ({"games": 1}, "use 2"),
        ({"games": 0}, "games: "),
        ({"games": None}, "give either games (one match of all entrants) or matches, and not both"),
        ({"matches": [{"games": 2}]}, "and not both"),
        (
            {"games": None, "matches": [{"games": 2, "entrants": ["liar", "honset"]}]},
            "did you mean 'honest'?",
        ),
        (
            {"games": None, "matches": [{"games": 2, "entrants": ["liar", "liar"]}]},
            "stands twice in one match",
        ),
        ({"games": None, "matches": [{"games": 2, "gamse": 1}]}, "unknown key 'matches.0.gamse'"),
        ({"games": None, "matches": [{"games": 2, "config": {"seats": 99}}]}, "seats: "),
        ({"config": {"seat": 5}}, "murder_v0 config: unknown key 'seat'; did you mean 'seats'?"),
        ({"config": {"seats": 6, "murderers": 2}}, "two murderers need at least 7 seats"),
        ({"config": {"text": True}}, "'text' is no rule of the game"),
        ({"config": [1]}, "config: "),
        ({"seed": -1}, "seed: "),
        ({"concurrency": 0}, "concurrency: "),
        ({"name": "../escape"}, "name: "),
        ({"name": ""}, "name: "),
        ({"lang": "xx"}, "no language 'xx'"),
    ],
)
def test_a_wrong_config_is_one_line_with_place_and_mend_and_makes_nothing(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    data = {key: value for key, value in {**GOOD, **change}.items() if value is not None}
    if change == {"game": None}:
        message = "'game' is missing"
    with pytest.raises(ConfigError) as caught:
        liecraft.Tournament(data, runs=tmp_path / "runs")
    assert message in str(caught.value)
    assert str(caught.value).startswith("tournament: ")
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_role_mix_that_ends_at_the_deal_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a game whose own config lets it through."""
    from liecraft.engine import registry

    table = {**registry.GAMES, "stillborn_v0": "tests.tournament.stillborn:StillbornEnv"}
    monkeypatch.setattr(registry, "_table", lambda: table)
    with pytest.raises(ConfigError, match="stillborn_v0 is over as soon as roles are dealt"):
        read_config({**GOOD, "game": "stillborn", "entrants": ["random", "default"]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("game: [", "not good YAML at line"),
        ("- a\n- b\n", "a tournament is a mapping of keys, got list"),
        ("", "a tournament is a mapping of keys, got NoneType"),
        ("game: murder\n\tgames: 3", "not good YAML at line 2"),
        ("game: murder\ngame: murder\nentrants: [liar]\ngames: 1\n", "at line 2: key 'game' stands twice"),
        ("game: murder\nentrants: {a: liar, a: honest}\ngames: 2\n", "at line 2: key 'a' stands twice"),
        ("game: !!python/object:os.system {}\n", "not good YAML at line 1"),
        ("game: murder\nentrants: {no: liar}\n", "at line 2: key False is no text: quote it"),
    ],
)
def test_a_file_that_is_no_config_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "my.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_config(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_or_no_text_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        read_config(tmp_path / "none.yaml")
    (tmp_path / "bin.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not good YAML"):
        read_config(tmp_path / "bin.yaml")
    with pytest.raises(ConfigError, match="Is a directory"):
        read_config(tmp_path)


def test_a_file_and_fields_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "cup.yaml"
    path.write_text("game: murder\nentrants: [liar, honest]\ngames: 4\nseed: 3\n")
    assert read_config(path).name == "cup"
    again = read_config({"name": "cup", "game": "murder_v0"}, entrants=["liar", "honest"], games=4, seed=3)
    assert read_config(path) == again
    assert read_config(path, seed=None, games=6).games == 6


def test_a_missing_key_stops_a_run_before_it_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    model = {
        "agent": "llm",
        "model": "m",
        "base_url": "https://models.example/v1",
        "api_key_env": "NO_SUCH_KEY",
    }
    tournament = liecraft.Tournament(
        {**GOOD, "entrants": {"m": model, "honest": "honest"}}, runs=tmp_path / "runs"
    )
    with pytest.raises(ConfigError, match="set the environment variable NO_SUCH_KEY"):
        tournament.run(progress=False)
    assert not list(tmp_path.iterdir())
