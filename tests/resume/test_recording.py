"""`model: recording`: a stored run's answers in the place of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import liecraft
from liecraft.engine.errors import ConfigError
from liecraft.models.base import ModelError
from liecraft.models.recording import RecordedError
from liecraft.tournament.store import Run
from tests.fault_server import FaultServer, ok, status
from tests.resume.cups import cup, digests, reply


def replaying(data: dict[str, Any], run: Path, **params: Any) -> dict[str, Any]:
    """The same tournament with the recording for its model."""
    kept = {key: value for key, value in data["entrants"]["m"].items() if key in ("agent",)}
    entrants = {**data["entrants"], "m": {**kept, "model": "recording", "recording": str(run), **params}}
    return {**data, "entrants": entrants, "name": "again"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    folder = tmp_path_factory.mktemp("runs")
    with FaultServer(ok(reply)) as server:
        data = cup(server.base_url, blocks=2)
        liecraft.Tournament(data, runs=folder).run(progress=False)
    return data, folder / "cup"


def test_the_same_games_come_of_the_same_answers_without_any_endpoint(
    data: tuple[dict[str, Any], Path], tmp_path: Path
) -> None:
    tournament = liecraft.Tournament(replaying(*data), runs=tmp_path)
    run = tournament.run(progress=False)
    assert digests(run.path) == digests(data[1])
    assert tournament.tally.calls > 0
    assert tournament.tally.money == 0.0, "what is played from a recording costs nothing"
    (model,) = {call["model"] for trace in run.traces() for call in trace.calls}
    assert model == "recording of cup"


def test_answers_are_served_whatever_the_prompt_is(data: tuple[dict[str, Any], Path], tmp_path: Path) -> None:
    changed = replaying(*data, claims=False)
    run = liecraft.Tournament(changed, runs=tmp_path).run(progress=False)
    assert digests(run.path) == digests(data[1])
    firsts = [next(iter(Run(path).traces())).calls[0] for path in (data[1], run.path)]
    assert firsts[0]["messages"] != firsts[1]["messages"]


def test_past_its_end_is_a_failed_game_with_one_clear_line(
    data: tuple[dict[str, Any], Path], tmp_path: Path
) -> None:
    longer = {**replaying(*data), "matches": [{"entrants": ["m", "honest"], "games": 6}]}
    run = liecraft.Tournament(longer, runs=tmp_path).run(progress=False)
    failed = {trace.game: trace.close["failure"] for trace in run.traces() if trace.status == "failed"}
    assert set(failed) == {"g000004", "g000005"}
    assert failed["g000004"]["kind"] == "not_found"
    assert "no model played player_" in failed["g000004"]["message"]
    rounds = {**data[0]["config"], "rounds": 6, "discussion_rounds": 2}
    talk = {**replaying(*data), "config": rounds, "name": "talk"}
    run = liecraft.Tournament(talk, runs=tmp_path).run(progress=False)
    messages = [trace.close["failure"]["message"] for trace in run.traces() if trace.status == "failed"]
    assert any("it ends after " in message for message in messages)
    assert not any("\n" in message for message in messages)


def test_a_game_played_from_a_recording_resumes_and_verifies_too(
    data: tuple[dict[str, Any], Path], tmp_path: Path
) -> None:
    from liecraft.tournament.verify import verify

    run = liecraft.Tournament(replaying(*data), runs=tmp_path).run(progress=False)
    assert {verdict.difference for verdict in verify(run)} == {None}
    shard = run.path / "traces" / "00000.jsonl"
    shard.write_bytes(shard.read_bytes()[: shard.stat().st_size // 2])
    liecraft.Tournament(replaying(*data), runs=tmp_path).run(progress=False, resume=True)
    assert digests(run.path) == digests(data[1])


def test_failures_are_served_as_they_were(tmp_path: Path) -> None:
    with FaultServer([ok(reply)] * 3 + [status(401)]) as server:
        data = {**cup(server.base_url, blocks=1), "concurrency": 1}
        first = liecraft.Tournament(data, runs=tmp_path).run(progress=False)
    again = liecraft.Tournament(replaying(data, first.path), runs=tmp_path).run(progress=False)
    closes = [[trace.close for trace in run.traces() if trace.status == "failed"] for run in (first, again)]
    assert len(closes[0]) == 2
    assert [close["failure"] for close in closes[0]] == [close["failure"] for close in closes[1]]
    assert [close["digest"] for close in closes[0]] == [close["digest"] for close in closes[1]]


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"recording": None}, "model: recording and recording: RUN go together"),
        ({"model": "gpt"}, "model: recording and recording: RUN go together"),
        ({"base_url": "http://127.0.0.1:1/v1"}, "a recording has no base_url"),
    ],
)
def test_a_recording_needs_a_run_and_no_endpoint(
    data: tuple[dict[str, Any], Path], params: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        liecraft.Tournament(replaying(*data, **params))


def test_what_is_no_run_is_one_line_before_anything_starts(
    data: tuple[dict[str, Any], Path], tmp_path: Path
) -> None:
    tournament = liecraft.Tournament(replaying(data[0], tmp_path / "nowhere"), runs=tmp_path)
    with pytest.raises(ConfigError, match="nowhere is no run: it has no traces"):
        tournament.run(progress=False)
    assert not list(tmp_path.iterdir())


def test_a_recorded_error_says_what_the_first_one_said() -> None:
    error = ModelError(
        "rate_limited", "429: slow: down", endpoint="h:1", attempts=4, seconds=2.0, hint="wait"
    )
    again = RecordedError(str(error), 4, 2.0)
    assert (str(again), again.kind, again.endpoint, again.attempts) == (str(error), "rate_limited", "h:1", 4)
    assert str(RecordedError("something else", 1, 0.0)) == "something else"
