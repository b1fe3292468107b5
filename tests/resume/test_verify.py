"""`liecraft replay RUN --verify`: the same answers make the same ledgers, or the first difference is named."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from typer.testing import CliRunner

import liecraft
from liecraft.cli.app import app
from liecraft.games.murder.env import MurderEnv
from liecraft.tournament.store import Run
from liecraft.tournament.verify import NetworkUsed, no_network, verify
from tests.fault_server import FaultServer, status
from tests.resume.cups import SHORT, cup, steady


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A run of models, AutoGen's among them, scripted agents, and a game that failed; the server is gone."""
    folder = tmp_path_factory.mktemp("runs")
    with FaultServer(steady(0.0)) as server, FaultServer(status(401)) as broken:
        data = cup(server.base_url, blocks=1, autogen=True)
        data["entrants"]["broken"] = {**data["entrants"]["m"], "base_url": broken.base_url}
        data["matches"].append({"entrants": ["broken"], "games": 1})
        liecraft.Tournament(data, runs=folder).run(progress=False)
    yield folder / "cup"


def differences(run: Path, game: str | None = None) -> dict[str, str | None]:
    return {verdict.game: verdict.difference for verdict in verify(Run(run), game)}


def test_a_mixed_run_is_played_again_to_the_byte(played: Path) -> None:
    found = differences(played)
    assert len(found) == 9
    assert set(found.values()) == {None}
    assert {trace.status for trace in Run(played).traces()} == {"finished", "failed"}
    result = CliRunner().invoke(app, ["replay", str(played), "--verify"])
    assert result.exit_code == 0
    calls = sum(len(trace.calls) for trace in Run(played).traces())
    assert f"9 games played again, {calls} calls recalled, all digests equal" in result.output


def test_one_game_can_be_picked(played: Path) -> None:
    assert list(differences(played, "3")) == ["g000003"]


def test_a_changed_rule_shows_as_the_first_event_that_differs(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce = MurderEnv.finish

    def otherwise(self: MurderEnv, winner: Any, reason: str) -> None:
        announce(self, winner, f"{reason}, or so they say")

    monkeypatch.setattr(MurderEnv, "finish", otherwise)
    last = {trace.game: event["i"] for trace in Run(played).traces() for event in trace.of("outcome")}
    found = differences(played)
    assert {game for game, text in found.items() if text is not None} == set(last)
    for game, index in last.items():
        text = found[game]
        assert text is not None
        assert text.startswith(f"{game}: event {index} differs: recorded ")
        assert "or so they say" in text.partition(", now ")[2]
        assert "or so they say" not in text.partition(", now ")[0]
        assert "\n" not in text
    result = CliRunner().invoke(app, ["replay", str(played), "--verify"])
    assert result.exit_code == 1
    assert "8 of 9 games differ from their recording" in result.output
    told = json.loads(CliRunner().invoke(app, ["replay", str(played), "--verify", "--json"]).output)
    assert (told["games"], len(told["different"])) == (9, 8)


def test_a_changed_prompt_is_named_where_no_event_differs(played: Path, tmp_path: Path) -> None:
    run = tmp_path / "cup"
    copytree(played, run)
    shard = run / "traces" / "00000.jsonl"
    lines = [json.loads(line) for line in shard.read_text().splitlines()]
    calls = [line for line in lines if line["type"] == "call" and line["game"] == "g000000"]
    calls[5]["messages"][-1]["content"] += " Think twice."
    shard.write_text("".join(json.dumps(line) + "\n" for line in lines))
    seat = calls[5]["seat"]
    number = sum(call["seat"] == seat for call in calls[:6])
    found = differences(run)
    assert found["g000000"] == (
        f"g000000: call {number} of {seat} was recorded for another prompt than the one made now"
    )
    assert set(found.values()) == {None, found["g000000"]}


def test_a_changed_answer_shows_as_an_event(played: Path, tmp_path: Path) -> None:
    run = tmp_path / "cup"
    copytree(played, run)
    shard = run / "traces" / "00000.jsonl"
    text = shard.read_text()
    assert "I say" in text
    shard.write_text(text.replace('\\"say\\": \\"I say', '\\"say\\": \\"I swear'))
    found = [text for text in differences(run).values() if text]
    assert found
    assert all(" differs: recorded " in text and "I swear" in text for text in found)


def test_a_changed_event_in_the_file_is_found(played: Path, tmp_path: Path) -> None:
    run = tmp_path / "cup"
    copytree(played, run)
    shard = run / "traces" / "00000.jsonl"
    lines = [json.loads(line) for line in shard.read_text().splitlines()]
    role = next(line for line in lines if line["type"] == "event" and line["kind"] == "role")
    role["audience"] = "everyone"
    shard.write_text("".join(json.dumps(line) + "\n" for line in lines))
    text = differences(run)[role["game"]]
    assert text == f"{role['game']}: its stored events are not those that its closing line vouches for"


def test_the_network_is_shut_off_meanwhile() -> None:
    with no_network():
        with pytest.raises(NetworkUsed):
            socket.create_connection(("127.0.0.1", 9))
        with pytest.raises(NetworkUsed):
            socket.getaddrinfo("localhost", 80)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))


def test_without_a_game_or_verify_there_is_nothing_to_show(played: Path) -> None:
    result = CliRunner().invoke(app, ["replay", str(played)])
    assert result.exit_code == 2
    assert "--verify" in result.output


@pytest.mark.slow
def test_the_embedded_model_s_games_are_played_again_to_the_byte(tmp_path: Path) -> None:
    model = {"model": "embedded", "temperature": 0.7, "seed": 11}
    entrants = {"small": {"agent": "llm", **model}, "liar": "liar"}
    fields: dict[str, Any] = {"name": "mixed", "game": "murder", "config": SHORT, "entrants": entrants}
    run = liecraft.Tournament(fields, games=2, runs=tmp_path).run(progress=False)
    assert sum(len(trace.calls) for trace in run.traces()) > 10
    assert set(differences(run.path).values()) == {None}
