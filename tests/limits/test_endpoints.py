"""Endpoints that come, go and push back, in whole tournaments."""

from __future__ import annotations

import asyncio
import logging
import time
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import liecraft
from liecraft.engine.errors import ConfigError
from tests.agents.players import SHORT, answering, modelled
from tests.fault_server import Behaviour, Body, FaultServer, latency, ok, rate_limited, status

BOTS = {"a": "random", "b": "random", "c": "random"}


def cup(
    runs: Path, entrants: dict[str, Any], matches: list[dict[str, Any]], **fields: Any
) -> liecraft.Tournament:
    settings = {"name": "cup", "game": "murder", "config": SHORT, "entrants": entrants, "matches": matches}
    return liecraft.Tournament({**settings, "concurrency": 4, **fields}, runs=runs)


def warnings(caplog: pytest.LogCaptureFixture, begin: str) -> list[str]:
    said = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    return [line for line in said if line.startswith(begin)]


def test_games_wait_out_an_outage_and_those_of_other_endpoints_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    reply = ok(answering())
    down = [status(503)] * 6  # after three good answers
    with FaultServer([reply] * 3 + down + [reply]) as weak, FaultServer(reply) as sound:
        tournament = cup(
            tmp_path,
            {"weak": modelled(weak.base_url), "sound": modelled(sound.base_url), **BOTS},
            [{"entrants": [name, *BOTS], "games": 4} for name in ("weak", "sound")],
        )
        traces = list(tournament.run(progress=False).traces())
        where = weak.base_url.removeprefix("http://").removesuffix("/v1")
        assert weak.count > 6 + 3
    assert len(traces) == 8
    assert {trace.status for trace in traces} == {"finished"}
    opened, closed = warnings(caplog, where)
    assert "games wait until it answers again" in opened
    assert "answers again after" in closed
    assert warnings(caplog, sound.base_url.removeprefix("http://").removesuffix("/v1")) == []


def test_an_endpoint_that_stays_away_fails_its_own_games_only_and_not_for_ever(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with FaultServer(status(500)) as dead, FaultServer(ok(answering())) as sound:
        start = time.monotonic()
        tournament = cup(
            tmp_path,
            {"dead": modelled(dead.base_url, deadline=1.0), "sound": modelled(sound.base_url), **BOTS},
            [{"entrants": ["dead", *BOTS], "games": 24}, {"entrants": ["sound", *BOTS], "games": 4}],
            patience=2.0,
        )
        traces = list(tournament.run(progress=False).traces())
        assert time.monotonic() - start < 20
        assert dead.count < 24 * 2  # four requests a game, were they not held back
    for trace in traces:
        if "sound" in trace.seats.values():
            assert trace.status == "finished"
        else:
            failure = trace.close["failure"]
            assert trace.seats[failure["seat"]] == "dead"
            assert failure["kind"] in ("server", "timeout", "unavailable")
    assert len(traces) == 28
    where = dead.base_url.removeprefix("http://").removesuffix("/v1")
    assert len(warnings(caplog, where)) == 2  # that it opened, and that it was given up


class Crowded:
    """Answers `size` requests at once and refuses the others."""

    def __init__(self, size: int, then: Behaviour) -> None:
        self.size = size
        self.then = then
        self.here = 0
        self.most = 0
        self.refused = 0

    async def __call__(self, request: web.Request, body: Body) -> web.StreamResponse:
        if self.here >= self.size:
            self.refused += 1
            return await rate_limited()(request, body)
        self.here += 1
        self.most = max(self.most, self.here)
        try:
            await asyncio.sleep(0.02)
            return await self.then(request, body)
        finally:
            self.here -= 1


def test_auto_finds_out_what_an_endpoint_takes(tmp_path: Path) -> None:
    crowded = Crowded(12, ok(answering()))
    with FaultServer(crowded) as server:
        model = modelled(server.base_url)
        tournament = cup(
            tmp_path,
            {"m": model, "n": model, "o": model, "p": model},
            [{"games": 40}],
            concurrency="auto",
        )
        traces = list(tournament.run(progress=False).traces())
        failed = [trace.close["failure"]["kind"] for trace in traces if trace.status == "failed"]
        assert set(failed) <= {"rate_limited"}
        assert len(failed) <= 2  # a call may be refused at each of its tries while the limit settles
        assert crowded.most > 4, "it grew"
        assert 0 < crowded.refused < 0.1 * server.count, "it stopped where it was told to"


def test_auto_grows_where_nothing_says_stop(tmp_path: Path) -> None:
    crowded = Crowded(10_000, latency(0.1, ok(answering())))
    with FaultServer(crowded) as server:
        model = modelled(server.base_url)
        tournament = cup(
            tmp_path, {"m": model, "n": model, "o": model, "p": model}, [{"games": 60}], concurrency="auto"
        )
        assert len(list(tournament.run(progress=False).traces())) == 60
        assert crowded.most >= 16


@pytest.mark.parametrize("concurrency", ["all", 0, 1.5, True, -1, "4"])
def test_a_wrong_concurrency_is_one_line(concurrency: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        cup(tmp_path, {**BOTS, "d": "random"}, [{"games": 4}], concurrency=concurrency)
    assert "concurrency: give a whole number from 1 to 10000, or auto" in str(caught.value)
