"""Seats that go round in circles: noticed, marked in the trace, dealt with by the rule that was named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import liecraft
from liecraft.agents.loops import TIMES, WINDOW, LoopGuard, LoopWatch, Rule
from liecraft.engine.agent import How, Reply, Request
from liecraft.engine.errors import ConfigError
from liecraft.evaluators.measures import score
from liecraft.tournament.verify import verify
from liecraft.trace.reader import Trace
from liecraft.trace.schema import LINE
from tests.agents.players import SHORT, legal, modelled
from tests.fault_server import Body, FaultServer, ok

LEGAL = ("wait", "search", "go:hall", "go:study")


def request(phase: str = "act", legal: tuple[str, ...] = LEGAL, seat: str = "player_0") -> Request:
    return Request("murder_v0", seat, phase, 1, legal, legal[0])


def notices(*moves: str, texts: tuple[str, ...] = (), phase: str = "act") -> list[str | None]:
    watch = LoopWatch()
    said = texts or ("",) * len(moves)
    pairs = zip(moves, said, strict=True)
    return [watch.notice(request(phase), Reply(move, text)) for move, text in pairs]


def test_the_same_move_three_times_is_told_at_the_third_and_as_long_as_it_goes_on() -> None:
    assert notices("search", "search", "search", "search", "wait") == [
        None,
        None,
        "same_move",
        "same_move",
        None,
    ]


def test_the_same_text_is_told_whatever_its_case_and_spaces() -> None:
    texts = ("I was there.", "i was  THERE.", " I was there.\n", "I was not.")
    assert notices(*["say"] * 4, texts=texts) == [None, None, "same_text", None]


def test_to_say_something_new_by_the_same_move_is_no_loop() -> None:
    assert notices(*["say"] * 6, texts=("a", "b", "c", "d", "e", "f")) == [None] * 6


def test_to_and_fro_three_times_is_an_oscillation() -> None:
    assert notices(*("go:hall", "go:study") * 3)[-2:] == [None, "oscillation"]
    assert notices("go:hall", "go:study", "go:hall", "go:hall", "go:study", "go:hall") == [None] * 6


def test_a_window_of_doing_nothing_is_no_progress() -> None:
    watch = LoopWatch()
    found = []
    for number in range(WINDOW):  # in four phases by turns, so that no phase by itself repeats
        legal = ("none", f"vote:{number}")
        found.append(watch.notice(request(f"phase {number % (WINDOW // 2)}", legal), Reply("none")))
    assert found == [None] * (WINDOW - 1) + ["no_progress"]


def test_phases_and_seats_are_looked_at_by_themselves() -> None:
    watch = LoopWatch()
    for number in range(2 * (TIMES - 1)):
        asked = request("act" if number % 2 else "vote")
        assert watch.notice(asked, Reply("search")) is None
    assert watch.notice(request("act", seat="player_1"), Reply("search")) is None
    assert watch.notice(request("act"), Reply("search")) == "same_move"


def test_a_move_without_a_choice_says_nothing() -> None:
    watch = LoopWatch()
    assert {watch.notice(request(legal=("wait",)), Reply("wait")) for _ in range(20)} == {None}


@pytest.mark.parametrize("rule", ["off", "note", "default", "fail"])
def test_the_rule_decides_what_becomes_of_it(rule: Rule) -> None:
    guard = LoopGuard(rule, ["player_0"])
    replies = [guard.judge(request(), Reply("search", thought="hm")) for _ in range(3)]
    move, loop = replies[-1]
    assert loop == (None if rule == "off" else "same_move")
    assert guard.fails == (rule == "fail")
    expected = (
        Reply("wait", how=How.LOOP, thought="hm") if rule == "default" else Reply("search", thought="hm")
    )
    assert move == expected
    others = [guard.judge(request(seat="player_1"), Reply("search"))[1] for _ in range(5)]
    assert others == [None] * 5


LONG: dict[str, Any] = {**SHORT, "rounds": 5, "discussion_rounds": 3}


def parrot(body: Body) -> str:
    """Searches and says one thing for ever."""
    offered = legal(body)
    fields: dict[str, Any] = {"move": next((m for m in ("say", "search") if m in offered), offered[-1])}
    if "say" in body["response_format"]["json_schema"]["schema"]["properties"]:
        fields |= {"say": "It was not me.", "claims": []}
    return json.dumps(fields)


def play(rule: str | None, tmp_path: Path) -> tuple[list[Trace], liecraft.Tournament]:
    with FaultServer(ok(parrot)) as server:
        tournament = liecraft.Tournament(
            name="cup",
            game="murder",
            config=LONG,
            entrants={
                "m": modelled(server.base_url),
                "a": "default",
                "b": "default",
                "c": "default",
            },
            games=4,
            loops=rule,
            runs=tmp_path,
        )
        run = tournament.run(progress=False)
        assert all(verdict.difference is None for verdict in verify(run))
        return list(run.traces()), tournament


def of_model(trace: Trace) -> list[dict[str, Any]]:
    (seat,) = [seat for seat, name in trace.seats.items() if name == "m"]
    return [move for move in trace.moves if move["seat"] == seat]


def test_by_default_a_loop_is_noted_and_counted_and_the_game_goes_on(tmp_path: Path) -> None:
    traces, _ = play(None, tmp_path)
    for trace in traces:
        assert trace.status == "finished"
        moves = of_model(trace)
        acts = [move.get("loop") for move in moves if move["phase"] == "act"]
        talk = [move.get("loop") for move in moves if move["phase"] == "speak"]
        assert acts == [None, None] + ["same_move"] * (len(acts) - 2)
        assert talk == [None, None] + ["same_text"] * (len(talk) - 2)
        assert {move["how"] for move in moves} == {"structured"}
        for move in trace.moves:
            LINE.validate_python(move)
            assert move in moves or "loop" not in move, "what code plays is not looked at"
    rows = {row["entrant"]: row["loops"] for row in score(traces)["play"]["conduct"]}
    assert set(rows["m"]) == {"same_move", "same_text"}
    assert rows["a"] == rows["b"] == rows["c"] == {}


def test_the_default_move_stands_in_where_the_rule_says_so(tmp_path: Path) -> None:
    traces, _ = play("default", tmp_path)
    for trace in traces:
        acts = [move for move in of_model(trace) if move["phase"] == "act"]
        assert [move["how"] for move in acts[:3]] == ["structured", "structured", "loop"]
        assert acts[2]["move"] == "wait"
        spoken = [event for event in trace.of("speech") if trace.seats[event["actor"]] == "m"]
        assert len(spoken) == 2, "the third time it is silent"


def test_a_game_ends_as_failed_where_the_rule_says_so(tmp_path: Path) -> None:
    traces, tournament = play("fail", tmp_path)
    assert tournament.tally.failed == 4
    for trace in traces:
        failure = trace.close["failure"]
        assert (failure["kind"], trace.seats[failure["seat"]]) == ("loop", "m")
        assert failure["message"] == "act in round 3: same_move"


def test_switched_off_nothing_is_marked(tmp_path: Path) -> None:
    traces, _ = play("off", tmp_path)
    assert not any("loop" in move for trace in traces for move in trace.moves)


def test_an_unknown_rule_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        liecraft.Tournament(game="murder", entrants=["random"], games=1, loops="never", runs=tmp_path)
    assert "loops" in str(caught.value)
    assert str(caught.value).count("\n") == 0


def test_the_digest_is_that_of_a_run_that_is_not_watched(tmp_path: Path) -> None:
    noted, _ = play("note", tmp_path / "a")
    unwatched, _ = play("off", tmp_path / "b")
    assert [one.close["digest"] for one in noted] == [other.close["digest"] for other in unwatched]
