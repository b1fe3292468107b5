"""Budgets: what runs out is named, exactly where it should, and nothing that was unknown counts as nothing."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web

import liecraft
from liecraft.engine.errors import ConfigError
from liecraft.tournament.store import Run
from liecraft.tournament.verify import verify
from tests.agents.players import SHORT, answering, modelled
from tests.fault_server import Body, FaultServer, ok
from tests.resume.cups import reply

PRICE = {"prompt": 1000.0, "completion": 10_000.0}
A_CALL = (12 * PRICE["prompt"] + 3 * PRICE["completion"]) / 1e6
"""What a call costs whose usage is as the fault server says."""


def cup(server: FaultServer, runs: Path, **fields: Any) -> liecraft.Tournament:
    """Four games, two entrants of which one is played by a model; one game at a time."""
    model = modelled(server.base_url, price=fields.pop("price", PRICE))
    settings = {
        "name": "cup",
        "game": "murder",
        "config": SHORT,
        "entrants": {"m": model, "n": model, "bot": "random", "bat": "random"},
        "games": 8,
        "concurrency": 1,
        **fields,
    }
    return liecraft.Tournament(settings, runs=runs)


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    ("scope", "bounds", "calls"),
    [
        pytest.param("run", {"calls": 10}, 10, id="calls"),
        pytest.param("run", {"tokens": 15 * 7}, 7, id="tokens"),
        pytest.param("run", {"money": A_CALL * 6.5}, 7, id="money"),
        pytest.param("entrant", {"calls": 6}, None, id="an entrant's calls"),
    ],
)
def test_a_run_stops_where_its_budget_ends_and_goes_on_with_a_larger_one(
    scope: str, bounds: dict[str, Any], calls: int | None, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with FaultServer(ok(answering())) as server:
        whole = cup(server, tmp_path / "whole")
        run = whole.run(progress=False)
        assert whole.stopped is None
        expected, needed = {t.game: t.close["digest"] for t in run.traces()}, server.count
        before = server.count
        short = cup(server, tmp_path, budgets={scope: bounds})
        short.run(progress=False)
        made = server.count - before
        assert short.stopped is not None
        kind = next(iter(bounds))
        assert short.stopped.endswith(kind)
        assert short.stopped.count("\n") == 0
        if calls is not None:
            assert made == calls
        else:
            assert max(part.calls for part in short.tally.entrants.values()) == 6
        said = warnings(caplog)
        assert len(said) == len(set(said)) == (1 if scope == "run" else 2)
        assert all(line.endswith(f" {kind} are used") for line in said)
        assert len(list(Run(tmp_path / "cup").traces())) < 8
        # Under a larger budget the same run goes on, and pays for nothing twice.
        more = cup(server, tmp_path, budgets={scope: {kind: 10**6}})
        run = more.run(progress=False, resume=True)
        assert more.stopped is None
        assert server.count - before == needed
        assert {t.game: t.close["digest"] for t in run.traces()} == expected
        assert more.tally.calls == whole.tally.calls == needed


def test_calls_in_flight_when_a_run_stops_are_recorded(tmp_path: Path) -> None:
    with FaultServer(ok(answering())) as server:
        stopped = cup(server, tmp_path, budgets={"run": {"calls": 9}}, concurrency=4)
        stopped.run(progress=False)
        assert server.count == 9
        stored = b"".join(file.read_bytes() for file in (tmp_path / "cup" / "traces").iterdir())
        assert stored.count(b'"type":"call"') == 9


def test_seconds_of_a_run_are_the_clock_s(tmp_path: Path) -> None:
    with FaultServer(ok(answering())) as server:
        stopped = cup(server, tmp_path, budgets={"run": {"seconds": 1e-6}})
        stopped.run(progress=False)
        assert stopped.stopped == "the budget of the run is used up: 1e-06 seconds"
        assert server.count == 0


def test_a_seat_past_its_budget_plays_the_default_move_and_is_marked(tmp_path: Path) -> None:
    with FaultServer(ok(answering())) as server:
        done = cup(server, tmp_path, budgets={"seat": {"calls": 2}})
        run = done.run(progress=False)
        assert done.stopped is None
        traces = list(run.traces())
        assert [trace.status for trace in traces] == ["finished"] * 8
        for trace in traces:
            for seat, name in trace.seats.items():
                moves = [move["how"] for move in trace.moves if move["seat"] == seat]
                calls = sum(call["seat"] == seat for call in trace.calls)
                if name in ("m", "n"):
                    assert moves == ["structured"] * 2 + ["budget"] * (len(moves) - 2)
                    assert calls == 2
        assert all(verdict.difference is None for verdict in verify(run))


def test_a_game_past_its_budget_ends_as_failed_and_the_others_are_played(tmp_path: Path) -> None:
    with FaultServer(ok(answering())) as server:
        done = cup(server, tmp_path, budgets={"game": {"calls": 5}})
        run = done.run(progress=False)
        traces = list(run.traces())
        assert len(traces) == 8
        for trace in traces:
            assert trace.status == "failed"
            assert trace.close["failure"]["kind"] == "budget"
            assert trace.close["failure"]["message"] == "the budget of the game is used up: 5 calls"
            assert len(trace.calls) == 5
        assert done.tally.failed == 8
        assert all(verdict.difference is None for verdict in verify(run))


def test_a_probe_past_the_budget_is_passed_over(tmp_path: Path) -> None:
    with FaultServer(ok(answering())) as server:
        done = cup(server, tmp_path, budgets={"seat": {"calls": 1}}, probes={"every": 1}, games=4)
        traces = list(done.run(progress=False).traces())
        assert {trace.status for trace in traces} == {"finished"}
        assert all(len(trace.calls) == 2 for trace in traces)


@pytest.mark.parametrize("left_out", [1, 2, 3])
def test_no_game_closes_without_a_probe_that_a_run_s_budget_kept_back(left_out: int, tmp_path: Path) -> None:
    """The last probes come after the last moves, which would have met the same bound."""
    fields: dict[str, Any] = {"probes": {"after": ["outcome"]}, "games": 4}
    with FaultServer(ok(reply)) as server:
        cup(server, tmp_path / "whole", **fields).run(progress=False)
        needed = server.count
        bound = {"run": {"calls": needed - left_out}}
        stopped = cup(server, tmp_path, budgets=bound, **fields).run(progress=False)
        assert len(list(stopped.traces())) < 4
        run = cup(server, tmp_path, **fields).run(progress=False, resume=True)
        assert server.count == 2 * needed
    assert [verdict.difference for verdict in verify(run)] == [None] * 4


@pytest.mark.parametrize("scope", ["seat", "game", "entrant", "run"])
def test_money_can_t_be_bounded_where_a_price_is_unknown(scope: str, tmp_path: Path) -> None:
    with FaultServer(ok(answering())) as server, pytest.raises(ConfigError) as caught:
        cup(server, tmp_path, price=None, budgets={scope: {"money": 1}})
    said = str(caught.value)
    assert said.startswith(f"tournament: budgets.{scope}.money: what entrant 'm' costs is unknown")
    assert said.count("\n") == 0
    assert server.count == 0


@pytest.mark.parametrize("bounds", [{"tokens": 10**9}, {"money": 1e9}])
def test_an_endpoint_that_tells_no_usage_stops_a_run_that_counts_on_it(
    bounds: dict[str, float], tmp_path: Path
) -> None:
    with FaultServer(ok(answering(), usage=None)) as server:
        stopped = cup(server, tmp_path, budgets={"run": bounds})
        stopped.run(progress=False)
        assert stopped.stopped is not None
        assert "can't be kept: the endpoint does not say what its answers use" in stopped.stopped
        assert server.count == 1
        assert stopped.tally.money is None


def test_without_such_a_budget_unknown_usage_stops_nothing(tmp_path: Path) -> None:
    with FaultServer(ok(answering(), usage=None)) as server:
        done = cup(server, tmp_path, budgets={"run": {"calls": 10_000}}, games=4)
        assert len(list(done.run(progress=False).traces())) == 4
        assert done.stopped is None


@pytest.mark.parametrize(
    ("budgets", "said"),
    [
        ({"runs": {"calls": 1}}, "budgets"),
        ({"run": {"call": 1}}, "call"),
        ({"run": {"calls": 0}}, "calls"),
        ({"seat": {"money": -1}}, "money"),
    ],
)
def test_a_wrong_budget_is_one_line(budgets: Any, said: str, tmp_path: Path) -> None:
    with FaultServer(ok()) as server, pytest.raises(ConfigError) as caught:
        cup(server, tmp_path, budgets=budgets)
    assert said in str(caught.value)
    assert str(caught.value).count("\n") == 0


def test_the_command_says_which_budget_stopped_it_and_how_to_go_on(tmp_path: Path) -> None:
    with FaultServer(ok(answering())) as server:
        config = tmp_path / "cup.yaml"
        model = modelled(server.base_url)
        entrants = {"m": model, "n": model, "o": model, "p": model}
        fields = {"game": "murder", "config": SHORT, "entrants": entrants, "games": 4}
        config.write_text(yaml.safe_dump({**fields, "budgets": {"run": {"calls": 5}}}), encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "liecraft",
            "tournament",
            str(config),
            "--runs",
            str(tmp_path / "runs"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "the budget of the run: 4 of 5 calls are used" in done.stderr
    assert (
        "stopped: the budget of the run is used up: 5 calls; raise it and go on with --resume" in done.stderr
    )
    assert "Traceback" not in done.stderr
    assert server.count == 5


@pytest.mark.parametrize(
    ("where", "seconds"),
    [
        pytest.param({"workers": 2}, 0.1, id="two workers"),
        pytest.param({"ray": "local"}, 0.4, id="Ray", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("scope", ["run", "entrant"])
def test_a_run_in_several_processes_stops_in_the_middle_of_games_and_loses_no_answer(
    scope: str, where: dict[str, Any], seconds: float, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pause = 0.0

    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        await asyncio.sleep(pause)
        return await ok(answering())(request, body)

    with FaultServer(behave) as server:
        whole = cup(server, tmp_path / "whole", games=24, concurrency=6)
        whole.run(progress=False)
        needed = server.count
        bound = needed // 4 if scope == "run" else needed // 8
        pause = seconds
        stopped = cup(server, tmp_path, games=24, concurrency=6, budgets={scope: {"calls": bound}})
        run = stopped.run(progress=False, **where)
        assert stopped.stopped is not None
        assert stopped.stopped.endswith(f"is used up: {bound} calls")
        assert any("calls are used" in line for line in warnings(caplog))
        made = server.count - needed
        assert needed // 8 <= made < needed * 3 // 4, "it stops long before the games would"
        stored = b"".join(file.read_bytes() for file in (run.path / "traces").iterdir())
        assert stored.count(b'"type":"call"') == made == stopped.tally.calls, "all that was asked is recorded"
        assert stored.count(b'"type":"game"') > stored.count(b'"type":"close"'), "games were left open"
        cup(server, tmp_path, games=24, concurrency=6, budgets={scope: {"calls": bound}}).run(
            progress=False, resume=True, **where
        )
        assert server.count == needed + made, "under the same budget there is nothing to ask"
        pause = 0.0
        again = cup(server, tmp_path, games=24, concurrency=6)
        again.run(progress=False, resume=True, **where)
        assert server.count == 2 * needed, "nothing is asked again"
        if scope == "run":
            fields: dict[str, Any] = {"games": 24, "concurrency": 6, "budgets": {"run": {"calls": needed}}}
            exact = cup(server, tmp_path / "exact", **fields)
            exact.run(progress=False, **where)
            assert exact.stopped is None, "what its budget just sufficed for has come to its end"
            exact.run(progress=False, resume=True, **where)
            assert exact.stopped is None
    assert (again.stopped, again.tally.calls) == (None, whole.tally.calls)
    assert again.tally.money == whole.tally.money
