from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import liecraft
from liecraft.evaluators.measures import score
from liecraft.tournament import store
from liecraft.tournament.progress import Tally
from liecraft.tournament.results import score_run
from liecraft.tournament.store import Run
from liecraft.trace.schema import DEFAULTED, TraceError
from tests.agents.players import answering, modelled
from tests.fault_server import (
    USAGE,
    Behaviour,
    Body,
    FaultServer,
    big,
    choices_missing,
    echo_authorization,
    error_in_200,
    half_json,
    hang,
    html,
    latency,
    no_choices,
    ok,
    rate_limited,
    refusal,
    refused_port,
    slow_drip,
    status,
)

ROOT = Path(__file__).parents[2]
SHORT: dict[str, Any] = {"seats": 4, "rounds": 2, "first_kill": 9, "discussion_rounds": 1, "key": False}
KEY = "sk-test-0815-never-to-be-seen"


def liecraft_command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "liecraft", *arguments],
        env={**os.environ, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def digests(run: Path) -> dict[str, str]:
    return {trace.game: trace.close["digest"] for trace in Run(run).traces()}


def test_the_same_config_gives_the_same_games_whatever_process_hash_seed_or_concurrency(
    tmp_path: Path,
) -> None:
    config = tmp_path / "cup.yaml"
    config.write_text(
        "game: murder\nseed: 5\nconfig: {seats: 5}\nentrants: [detective, liar, honest, accuser, silent, random]\n"
        "games: 12\n"
    )
    for hash_seed, concurrency in (("0", 1), ("4711", 50)):
        text = config.read_text().partition("concurrency")[0] + f"concurrency: {concurrency}\n"
        config.write_text(text)
        done = liecraft_command(
            "tournament", str(config), "--runs", str(tmp_path), "--json", PYTHONHASHSEED=hash_seed
        )
        assert done.returncode == 0, done.stderr
    runs = [tmp_path / name for name in ("cup", "cup-2")]
    found = [digests(run) for run in runs]
    assert len(found[0]) == 12
    assert len(set(found[0].values())) == 12
    assert found[0] == found[1]
    scores = [json.loads((run / "results.json").read_text()) for run in runs]
    assert scores[0]["play"] == scores[1]["play"]
    assert scores[0]["timings"].keys() == scores[1]["timings"].keys()


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, liecraft.Tournament, dict[str, Any]]:
    """One tournament in which each entrant's endpoint fails in its own way, and scripted ones play on."""
    behaviours: dict[str, Behaviour] = {
        "401": status(401),
        "403": status(403),
        "404": status(404),
        "400": status(400),
        "429": rate_limited(0.01),
        "429 for long": rate_limited(3_600),
        "500": status(500),
        "html": html(503),
        "half a JSON": half_json(),
        "empty choices": no_choices(),
        "no choices": choices_missing(),
        "error in a 200": error_in_200(),
        "hang": hang(),
        "drip": slow_drip(),
        "200 KB": big(200_000),
        "refusal": refusal(),
        "no content": ok(None),
        "well": ok(answering()),
        "no usage": ok(answering(), usage=None),
        "careless": echo_authorization(401),
    }
    folder = tmp_path_factory.mktemp("runs")
    servers = {name: FaultServer(behaviour) for name, behaviour in behaviours.items()}
    urls = {name: server.__enter__().base_url for name, server in servers.items()}
    urls["refused"] = f"http://127.0.0.1:{refused_port()}/v1"
    entrants: dict[str, Any] = {
        name: modelled(
            url,
            deadline=1.0 if name in ("hang", "drip") else 30.0,
            api_key_env="TEST_KEY",
            price={"prompt": 1, "completion": 2},
        )
        for name, url in urls.items()
    }
    entrants["well by autogen"] = {**entrants["well"], "agent": "autogen"}
    entrants["500 by autogen"] = {**entrants["500"], "agent": "autogen"}
    matches = [{"entrants": [name], "games": 1} for name in entrants] + [
        {"entrants": ["default"], "games": 3}
    ]
    os.environ["TEST_KEY"] = KEY
    try:
        cup = liecraft.Tournament(
            name="faulty",
            game="murder",
            config=SHORT,
            entrants={**entrants, "default": "default"},
            matches=matches,
            concurrency=30,
            runs=folder,
        )
        run = cup.run(progress=False)
    finally:
        del os.environ["TEST_KEY"]
        for server in servers.values():
            server.__exit__(None, None, None)
    return run, cup, score_run(run)["play"]


KINDS = {
    "401": "auth",
    "403": "auth",
    "404": "not_found",
    "400": "bad_request",
    "429": "rate_limited",
    "429 for long": "rate_limited",
    "500": "server",
    "500 by autogen": "server",
    "html": "server",
    "half a JSON": "malformed",
    "empty choices": "malformed",
    "no choices": "malformed",
    "error in a 200": "malformed",
    "hang": "timeout",
    "drip": "timeout",
    "refused": "connection",
    "careless": "auth",
}


@pytest.mark.parametrize(("entrant", "kind"), KINDS.items())
def test_a_failing_endpoint_fails_its_game_and_the_scores_say_so(
    faulty: tuple[Run, liecraft.Tournament, dict[str, Any]], entrant: str, kind: str
) -> None:
    run, _, play = faulty
    (trace,) = [trace for trace in run.traces() if set(trace.seats.values()) == {entrant}]
    assert trace.status == "failed"
    assert trace.close["failure"]["kind"] == kind
    assert trace.close["failure"]["seat"] == "player_0"
    assert "\n" not in trace.close["failure"]["message"]
    assert trace.calls[-1]["error"] == trace.close["failure"]["message"]
    assert {"entrant": entrant, "kind": kind, "games": 1} in play["failures"]


@pytest.mark.parametrize(
    ("entrant", "how"),
    [
        ("well", {"structured"}),
        ("well by autogen", {"structured"}),
        ("no usage", {"structured"}),
        ("200 KB", {"invalid"}),
        ("refusal", {"fallback"}),
        ("no content", {"fallback"}),
        ("default", {"scripted"}),
    ],
)
def test_the_other_games_are_finished(
    faulty: tuple[Run, liecraft.Tournament, dict[str, Any]], entrant: str, how: set[str]
) -> None:
    run, _, play = faulty
    traces = [trace for trace in run.traces() if set(trace.seats.values()) == {entrant}]
    assert traces
    assert {trace.status for trace in traces} == {"finished"}
    assert {move["how"] for trace in traces for move in trace.moves} == how
    (row,) = [row for row in play["conduct"] if row["entrant"] == entrant]
    assert row["defaulted"]["value"] == float(how <= {"invalid", "fallback"})


def test_all_games_are_counted(faulty: tuple[Run, liecraft.Tournament, dict[str, Any]]) -> None:
    _, cup, play = faulty
    assert play["games"] == {"finished": 9, "truncated": 0, "failed": len(KINDS)}
    assert (cup.tally.games, cup.tally.failed) == (9 + len(KINDS), len(KINDS))
    assert sum(row["games"] for row in play["failures"]) == len(KINDS)
    assert {row["entrant"] for row in play["outcomes"]}.isdisjoint(KINDS)


def test_unknown_tokens_are_null_and_known_ones_add_up(
    faulty: tuple[Run, liecraft.Tournament, dict[str, Any]],
) -> None:
    _, cup, play = faulty
    rows = {row["entrant"]: row for row in play["conduct"]}
    assert rows["no usage"]["prompt_tokens"] is None
    assert rows["no usage"]["completion_tokens"] is None
    assert rows["no usage"]["calls"] > 0
    assert rows["well"]["prompt_tokens"] == USAGE["prompt_tokens"] * rows["well"]["calls"]
    assert rows["well"]["completion_tokens"] == USAGE["completion_tokens"] * rows["well"]["calls"]
    assert rows["default"]["prompt_tokens"] is None
    assert rows["default"]["calls"] == 0
    assert cup.tally.money is None, "some calls' usage is unknown, so is what they cost"
    assert "cost unknown" in cup.tally.text()


def test_no_key_is_in_any_file_of_the_run(faulty: tuple[Run, liecraft.Tournament, dict[str, Any]]) -> None:
    run, _, _ = faulty
    files = [path for path in run.path.rglob("*") if path.is_file()]
    assert len(files) >= 2
    for path in files:
        assert KEY not in path.read_text()
    stored = (run.path / "traces" / "00000.jsonl").read_text()
    assert "***" in stored, "the careless endpoint's echo was stored, or this test shows nothing"


def test_no_key_is_in_what_the_command_prints(tmp_path: Path) -> None:
    with FaultServer(echo_authorization(401)) as server:
        config = tmp_path / "leaky.yaml"
        model = modelled(server.base_url, api_key_env="TEST_KEY")
        config.write_text(
            json.dumps({"game": "murder", "entrants": {"m": model}, "games": 1, "config": SHORT})
        )
        done = liecraft_command("tournament", str(config), "--runs", str(tmp_path), TEST_KEY=KEY)
        shown = liecraft_command("replay", str(tmp_path / "leaky"), "0", "--god", "--prompts", TEST_KEY=KEY)
        assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert done.returncode == 1, "no game came to its end"
    assert KEY not in done.stdout + done.stderr + shown.stdout + shown.stderr
    assert "auth" in done.stdout
    assert "auth" in shown.stdout
    for path in (tmp_path / "leaky").rglob("*"):
        assert path.is_dir() or KEY not in path.read_text()


def start_slow_tournament(tmp_path: Path, url: str) -> subprocess.Popen[str]:
    config = tmp_path / "slow.yaml"
    entrants = {"m": modelled(url), "default": "default"}
    matches = [{"entrants": ["default"], "games": 5}, {"entrants": ["m"], "games": 20}]
    data = {"game": "murder", "entrants": entrants, "matches": matches, "config": SHORT, "concurrency": 3}
    config.write_text(json.dumps(data))
    return subprocess.Popen(
        [sys.executable, "-m", "liecraft", "tournament", str(config), "--runs", str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)],
    ids=lambda number: number.name,
)
def test_an_interrupt_stops_cleanly_and_keeps_what_had_finished(
    tmp_path: Path, number: signal.Signals
) -> None:
    with FaultServer(latency(0.3, ok(answering()))) as server:
        process = start_slow_tournament(tmp_path, server.base_url)
        shard = tmp_path / "slow" / "traces" / "00000.jsonl"
        deadline = time.monotonic() + 60
        while server.count < 6 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert "Traceback" not in stderr
    assert "interrupted: what had finished is kept" in stderr
    assert "Games: 5 finished." in stdout, "the scores of what there is are shown"
    scores = score_run(Run(tmp_path / "slow"))["play"]
    assert scores["games"] == {"finished": 5, "truncated": 0, "failed": 0}
    assert '"type":"call"' in shard.read_text(), "unfinished games leave their calls, and no closing line"


def test_a_run_that_breaks_down_stops_asking_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once one game can't be written, the others' lanes don't go on paying for calls."""
    monkeypatch.setattr(store, "SHARD", 1)

    def reply(body: Body) -> str:
        (tmp_path / "tournament" / "traces" / "00003.jsonl").mkdir(exist_ok=True)
        return answering()(body)

    with FaultServer(ok(reply)) as server:
        model = modelled(server.base_url)
        fields: dict[str, Any] = {"game": "murder", "config": SHORT, "games": 40, "concurrency": 2}
        cup = liecraft.Tournament(entrants={"m": model}, runs=tmp_path, **fields)
        with pytest.raises(TraceError, match=r"can't write to .*00003\.jsonl: Is a directory"):
            cup.run(progress=False)
    assert 2 <= cup.tally.games <= 4
    assert len(list((tmp_path / "tournament" / "traces").iterdir())) <= 5


def test_money_is_what_the_prices_say() -> None:
    from liecraft.agents.pool import Price

    tally = Tally()
    answer = {"usage": {"prompt": 1_000_000, "completion": 500_000, "cached": None}, "seconds": 0.5}
    tally.call(answer, Price(prompt=2, completion=8))
    assert (tally.money, tally.calls, tally.prompt, tally.completion) == (6.0, 1, 1_000_000, 500_000)
    tally.call(answer, None)
    assert tally.money is None
    tally.call(answer, Price(prompt=2, completion=8))
    assert tally.money is None, "once unknown, a sum stays unknown"


def test_a_call_without_usage_costs_an_unknown_sum() -> None:
    from liecraft.agents.pool import Price

    tally = Tally()
    tally.call(
        {"usage": {"prompt": None, "completion": 7, "cached": None}, "seconds": 0.5},
        Price(prompt=1, completion=1),
    )
    assert (tally.money, tally.unmetered, tally.prompt, tally.completion) == (None, 1, 0, 0)


def test_free_calls_cost_nothing_and_scripted_games_speak_of_no_cost() -> None:
    from liecraft.agents.pool import Price

    tally = Tally(games=3)
    assert "cost" not in tally.text()
    tally.call(
        {"usage": {"prompt": 5, "completion": 7, "cached": None}, "seconds": 0.5},
        Price(prompt=0, completion=0),
    )
    assert "12 tokens, cost 0.0000" in tally.text()


@pytest.mark.slow
def test_the_embedded_model_plays_direct_and_through_autogen() -> None:
    """At most a tenth of its moves are defaults played in its stead."""
    model = {"model": "embedded", "temperature": 0.7, "seed": 11}
    agents: list[Any] = [{"agent": "llm", **model}, {"agent": "autogen", **model}, "liar", "detective"]
    config = {"seats": 4, "rounds": 4, "first_kill": 9, "discussion_rounds": 1, "key": False}
    trace = liecraft.play("murder", agents, seed=11, config=config)
    assert trace.status == "finished"
    (llm, autogen) = (
        row for row in score([trace])["play"]["conduct"] if row["entrant"] in ("llm", "autogen")
    )
    for row in (llm, autogen):
        assert row["moves"] >= 6, "four acts, one speech, one vote, and an answer to each question"
        assert row["calls"] >= row["moves"]
        assert row["prompt_tokens"] > 0
    moves = [move for move in trace.moves if move["seat"] in ("player_0", "player_1")]
    assert sum(move["how"] in DEFAULTED for move in moves) <= len(moves) / 10
