"""A tournament in which every endpoint misbehaves in a way of its own: it ends, in time, and says what happened."""

from __future__ import annotations

import io
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from rich.console import Console

import liecraft
from liecraft.report.tables import print_scores
from liecraft.tournament.results import score_run
from liecraft.tournament.verify import verify
from tests import fault_server as fault
from tests.agents.players import SHORT, answering, modelled
from tests.fault_server import Behaviour, FaultServer

DEADLINE = 3.0
SLACK = 1.0
"""Seconds by which a busy machine may be late."""

KEY = "sk-test-4711-never-to-be-seen"
GOOD = answering()


class Case(NamedTuple):
    """A behaviour, and what has to become of those who meet it: a kind of failure, or a way of moving."""

    behaviour: Behaviour
    fails: str = ""
    moves: str = ""


CASES: dict[str, Case] = {
    "429": Case(fault.rate_limited(), fails="rate_limited"),
    "429_after_1": Case(fault.rate_limited(1), fails="rate_limited"),
    "429_after_90": Case(fault.rate_limited(90), fails="rate_limited"),
    "429_after_3600": Case(fault.rate_limited(3600), fails="rate_limited"),
    "500": Case(fault.status(500), fails="server"),
    "503_html": Case(fault.html(503), fails="server"),
    "401_echo": Case(fault.echo_authorization(401), fails="auth"),
    "404": Case(fault.status(404), fails="not_found"),
    "400": Case(fault.status(400), fails="bad_request"),
    "context": Case(fault.status(400, "prompt is too long"), fails="context"),
    "reset_before": Case(fault.reset(), fails="connection"),
    "reset_mid_body": Case(fault.reset(20), fails="connection"),
    "garbage": Case(fault.garbage(), fails="connection"),
    "broken_gzip": Case(fault.broken_gzip(), fails="malformed"),
    "half_json": Case(fault.half_json(), fails="malformed"),
    "no_choices": Case(fault.no_choices(), fails="malformed"),
    "choices_missing": Case(fault.choices_missing(), fails="malformed"),
    "error_in_200": Case(fault.error_in_200(), fails="malformed"),
    "hang": Case(fault.hang(), fails="timeout"),
    "slow_drip": Case(fault.slow_drip(), fails="timeout"),
    "null_content": Case(fault.ok(None), moves="fallback"),
    "refusal": Case(fault.refusal(), moves="fallback"),
    "content_filter": Case(fault.content_filter(), moves="fallback"),
    "length": Case(fault.length(), moves="truncated"),
    "200_KB": Case(fault.big(200_000), moves="invalid"),
    "1_MB": Case(fault.big(1_000_000), moves="invalid"),
    "invalid_utf8": Case(fault.invalid_utf8(), moves="invalid"),
    "wrong_model": Case(fault.ok(GOOD, model="another"), moves="structured"),
    "no_usage": Case(fault.ok(GOOD, usage=None), moves="structured"),
    "late": Case(fault.latency(0.1, fault.ok(GOOD)), moves="structured"),
    "good": Case(fault.ok(GOOD), moves="structured"),
}
BOTS = ("random", "default", "silent")
GAMES = 4
"""A name; one for each seat."""
OUTAGE = frozenset({"server", "connection", "malformed", "timeout"})
"""Kinds that open the breaker: later games may then run out of time, or of patience, before they get to see it."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[liecraft.Tournament, liecraft.Run, float]:
    runs = tmp_path_factory.mktemp("runs")
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAULT_KEY", KEY)
        servers = {name: stack.enter_context(FaultServer(case.behaviour)) for name, case in CASES.items()}
        entrants = {
            name: modelled(server.base_url, deadline=DEADLINE, api_key_env="FAULT_KEY")
            for name, server in servers.items()
        }
        tournament = liecraft.Tournament(
            name="faults",
            game="murder",
            config=SHORT,
            entrants={**entrants, **{bot: bot for bot in BOTS}},
            matches=[{"entrants": [name, *BOTS], "games": GAMES} for name in CASES],
            concurrency=24,
            patience=3.0,
            runs=runs,
        )
        start = time.monotonic()
        run = tournament.run(progress=False)
        return tournament, run, time.monotonic() - start


Played = tuple[liecraft.Tournament, "liecraft.Run", float]


def test_it_comes_to_its_end(played: Played) -> None:
    tournament, run, seconds = played
    assert len(CASES) >= 15
    assert len(list(run.traces())) == GAMES * len(CASES)
    assert tournament.tally.games == GAMES * len(CASES)
    assert seconds < 45


@pytest.mark.parametrize("name", CASES)
def test_each_meets_its_fate_and_nobody_else_s(name: str, played: Played) -> None:
    _, run, _ = played
    case = CASES[name]
    traces = [trace for trace in run.traces() if name in trace.seats.values()]
    assert len(traces) == GAMES
    kinds = {trace.close["failure"]["kind"] for trace in traces if trace.status == "failed"}
    if case.fails:
        assert {trace.status for trace in traces} == {"failed"}
        assert {trace.seats[trace.close["failure"]["seat"]] for trace in traces} == {name}
        # Those that are tried again may have a request under way at the deadline.
        later = {"timeout"} if case.fails == "rate_limited" else set()
        later |= {"timeout", "unavailable"} if case.fails in OUTAGE else set()
        assert case.fails in kinds
        assert kinds <= {case.fails, *later}
    else:
        assert {trace.status for trace in traces} == {"finished"}
        hows = {m["how"] for t in traces for m in t.moves if t.seats[m["seat"]] == name}
        assert hows == {case.moves}


def test_every_deadline_held(played: Played) -> None:
    _, run, _ = played
    for trace in run.traces():
        for call in trace.calls:
            assert call["seconds"] <= DEADLINE + SLACK, (trace.seats, call["error"])


def test_the_table_says_what_happened_to_whom(played: Played) -> None:
    _, run, _ = played
    out = io.StringIO()
    scores = score_run(run)
    print_scores(scores, Console(file=out, width=200))
    text = out.getvalue()
    told = {(row["entrant"], row["kind"]): row["games"] for row in scores["play"]["failures"]}
    conduct = {row["entrant"]: row for row in scores["play"]["conduct"]}
    for name, case in CASES.items():
        if case.fails:
            assert sum(games for (entrant, _), games in told.items() if entrant == name) == GAMES
            assert (name, case.fails) in told
            assert name in text
        else:
            assert set(conduct[name]["how"]) == {case.moves}
    assert scores["play"]["games"] == {
        "finished": GAMES * sum(not case.fails for case in CASES.values()),
        "truncated": 0,
        "failed": GAMES * sum(bool(case.fails) for case in CASES.values()),
    }
    assert conduct["no_usage"]["prompt_tokens"] is None
    assert "unknown" in text


def test_the_key_is_nowhere_and_the_recording_plays_again(played: Played) -> None:
    _, run, _ = played
    for file in run.path.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()
    assert [verdict.difference for verdict in verify(run) if verdict.difference] == []


def test_a_share_of_each_at_one_endpoint_fails_only_the_games_that_it_hits(tmp_path: Path) -> None:
    # A good answer after every bad one: it is the same endpoint, and it keeps working.
    bad = [case.behaviour for name, case in CASES.items() if case.fails and name not in ("hang", "slow_drip")]
    mixed: list[Any] = [each for one in bad for each in (one, fault.ok(GOOD))]
    with FaultServer(mixed) as server:
        model = modelled(server.base_url, deadline=4.0)
        run = liecraft.Tournament(
            name="mixed",
            game="murder",
            config=SHORT,
            entrants={"m": model, "n": model, "o": model, "p": model},
            games=20,
            concurrency=1,
            runs=tmp_path,
        ).run(progress=False)
    kinds = [trace.close["failure"]["kind"] for trace in run.traces() if trace.status == "failed"]
    assert len(list(run.traces())) == 20
    # What is worth another try got one; what is not failed its game.
    assert {"auth", "not_found", "bad_request", "context"} <= set(kinds)
    assert set(kinds) <= {"auth", "not_found", "bad_request", "context", "rate_limited"}
    assert len(kinds) == 6
