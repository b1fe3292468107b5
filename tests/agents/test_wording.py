"""The wording of prompts: its digest, and folders that word them anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from liecraft.agents.wording import Wording
from liecraft.arena import play
from liecraft.engine.errors import ConfigError
from liecraft.tournament.config import read_config
from liecraft.tournament.results import score_run
from liecraft.tournament.run import Tournament
from liecraft.tournament.verify import verify
from tests.agents.players import SHORT, answering, modelled
from tests.fault_server import FaultServer, ok

ASK = "Your turn, friend: {{ phase }}.\n"


@pytest.fixture
def anew(tmp_path: Path) -> Path:
    folder = tmp_path / "anew"
    folder.mkdir()
    (folder / "request.md").write_text(ASK)
    return folder


def test_a_digest_changes_with_a_template_and_with_nothing_else(anew: Path) -> None:
    plain, worded = Wording("murder_v0"), Wording("murder_v0", folder=str(anew))
    first = worded.digest()
    assert len(first) == 64
    (anew / "notes.txt").write_text("no template")
    (anew / "request.md").write_bytes(ASK.replace("\n", "\r\n").encode())
    assert worded.digest() == first
    (anew / "request.md").write_text(ASK + "!")
    second = worded.digest()
    (anew / "request.md").rename(anew / "system.md")
    assert len({plain.digest(), first, second, worded.digest()}) == 4


def test_each_game_and_language_has_a_digest_of_its_own() -> None:
    games = ("murder_v0", "info_passing_v0", "conflicting_evidence_v0")
    assert len({Wording(game, lang).digest() for game in games for lang in ("en", "zh")}) == 6
    with pytest.raises(ConfigError, match="no prompts in 'xx'"):
        Wording("murder_v0", "xx").digest()


def test_a_folder_stands_in_for_the_templates_that_it_holds_and_for_no_other(anew: Path) -> None:
    with FaultServer(ok(answering())) as server:
        seats = [modelled(server.base_url), "default", "default", "default"]
        trace = play("murder", seats, seed=1, config=SHORT, prompts=str(anew))
        plain = play("murder", seats, seed=1, config=SHORT)
        told = server.requests[0].body["messages"]
        usual = server.requests[len(trace.calls)].body["messages"]
    assert "Your turn, friend: act. Moves: 1 wait" in told[1]["content"]
    assert "What do you do in round 1? Moves: 1 wait" in usual[1]["content"]
    assert told[0] == usual[0]
    assert trace.header["prompts"] == Wording("murder_v0", folder=str(anew)).digest()
    assert plain.header["prompts"] == Wording("murder_v0").digest()


def test_a_run_in_two_wordings_says_how_stable_its_games_are_and_can_be_verified(
    anew: Path, tmp_path: Path
) -> None:
    with FaultServer(ok(answering())) as server:
        matches: list[dict[str, Any]] = [{"games": 4}, {"games": 4, "prompts": str(anew)}]
        cup = Tournament(
            name="cup",
            game="murder",
            config=SHORT,
            entrants={"m": modelled(server.base_url), "honest": "honest"},
            matches=matches,
            runs=tmp_path,
        )
        run = cup.run(progress=False)
        anew_asked = [each for each in server.requests if "Your turn, friend" in str(each.body["messages"])]
        assert 0 < len(anew_asked) < server.count
        again = [row for row in score_run(run)["play"]["stability"] if row["reruns"] == "paraphrased"]
        assert {row["what"]: row["agree"]["n"] for row in again} == {"winner": 4, "play": 4}
        assert [verdict.difference for verdict in verify(run)] == [None] * 8
        assert set(run.manifest["prompts"]) == {"", str(anew)}
        (anew / "request.md").write_text("Well?")
        with pytest.raises(ConfigError, match=r"can't resume .*prompts\..*anew is "):
            cup.run(progress=False, resume=True)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (None, "prompts: {folder} is no folder"),
        ({}, "prompts: {folder} holds none of system.md, request.md"),
        ({"notes.txt": "x"}, "prompts: {folder} holds none of"),
        ({"sytem.md": "x"}, "unknown template in {folder} 'sytem.md': did you mean 'system.md'?"),
        ({"system.md": "{% if %}"}, "system.md of {folder}: "),
        ({"system.md": b"\xff"}, "system.md: 'utf-8' codec can't decode"),
    ],
)
def test_a_folder_that_can_t_be_used_is_refused_in_one_line(
    files: dict[str, str | bytes] | None, message: str, tmp_path: Path
) -> None:
    folder = tmp_path / "bad"
    if files is not None:
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    entrants = {"m": {"agent": "llm", "model": "m", "base_url": "http://127.0.0.1:1/v1"}}
    with pytest.raises(ConfigError) as caught:
        read_config(
            {"name": "cup", "game": "murder", "entrants": entrants, "games": 1, "prompts": str(folder)}
        )
    assert message.format(folder=folder) in str(caught.value)
    assert "\n" not in str(caught.value)
