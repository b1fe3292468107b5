from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liecraft.arena import new_env, play, play_table, seat_agents
from liecraft.engine.ledger import Ledger
from liecraft.trace.reader import Trace, from_lines, group, parse, read_shard
from liecraft.trace.schema import TraceError
from liecraft.trace.writer import FileSink, GameRecorder, ListSink


def recorded(name: str, events: int = 2, close: bool = True) -> list[str]:
    """Lines of a tiny made-up game."""
    sink, ledger = ListSink(), Ledger(("player_0", "player_1"))
    recorder = GameRecorder(sink, name)
    seats = {"player_0": "a", "player_1": "b"}
    recorder.open(
        ledger,
        {
            "env": "e",
            "env_version": "0",
            "liecraft": "0",
            "config": {},
            "seed": 1,
            "seats": seats,
            "lang": "en",
        },
    )
    for i in range(events):
        ledger.record("note", "player_0", {"i": i, "text": "é\u2028\n\x00"}, -1 if i % 2 else 1)
    if close:
        recorder.close(status="finished", winner="none", reason="cap", rewards={}, failure=None, seconds=0.1)
    else:
        recorder.move(
            seat="player_0", phase="p", round=0, move="m", how="scripted", legal=1, thought=None, seconds=0.0
        )
        recorder.flush()
    return sink.lines


def shard(tmp_path: Path, *lines: str, tail: str = "") -> Path:
    path = tmp_path / "00000.jsonl"
    path.write_bytes(("".join(f"{line}\n" for line in lines) + tail).encode())
    return path


def names(path: Path) -> list[str]:
    return [trace.game for trace in read_shard(path)]


def test_a_game_comes_back_as_it_was_played(tmp_path: Path) -> None:
    env = new_env("murder", {"seats": 6})
    trace = play_table(env, seat_agents(env, ["liar", "detective"] * 3), seed=5, path=tmp_path / "t.jsonl")
    (again,) = read_shard(tmp_path / "t.jsonl", check=True)
    assert again == trace
    assert trace.close["digest"] == env.ledger.digest() == trace.digest()
    assert trace.roles == env.role
    for seat in env.seats:
        assert list(trace.view(seat)) == list(env.view(seat))


def test_a_stored_world_replays_to_the_same_ledger() -> None:
    trace = play("murder", ["liar", "detective", "honest", "silent"], seed=9, config={"seats": 4})
    env = new_env("murder", trace.header["config"])
    (world,) = trace.of("world")
    env.reset(seed=trace.header["seed"], options={"world": world["data"]})
    again = play(
        "murder",
        ["liar", "detective", "honest", "silent"],
        seed=9,
        config=trace.header["config"],
        world=world["data"],
    )
    assert again.close["digest"] == trace.close["digest"]


def test_a_changed_event_changes_the_digest() -> None:
    trace = play("murder", ["default"] * 4, seed=1, config={"seats": 4})
    before = trace.digest()
    trace.events[3]["audience"] = "engine" if trace.events[3]["audience"] != "engine" else "everyone"
    assert trace.digest() != before


@pytest.mark.parametrize("cut", [1, 10, 60, "half"])
def test_a_torn_tail_is_passed_over(tmp_path: Path, cut: Any) -> None:
    whole, torn = recorded("g000000"), "\n".join(recorded("g000001"))
    size = len(torn) // 2 if cut == "half" else cut
    assert names(shard(tmp_path, *whole, tail=torn[:size])) == ["g000000"]


@given(st.integers(0, 2_000))
def test_wherever_the_file_ends_the_closed_games_stay(cut: int) -> None:
    lines = [*recorded("g000000"), *recorded("g000001")]
    data = ("\n".join(lines) + "\n").encode()[:cut]
    text = data.decode("utf-8", errors="replace")
    found = [trace.game for trace in group(parse(text, "x"))]
    assert found == [
        f"g00000{i}" for i in range(2) if f'"g00000{i}","type":"close"' in text.rpartition("\n")[0]
    ]


def test_a_game_without_its_closing_line_does_not_exist(tmp_path: Path) -> None:
    assert names(shard(tmp_path, *recorded("g000000", close=False), *recorded("g000001"))) == ["g000001"]


def test_interleaved_games_come_apart_in_the_order_in_which_they_closed(tmp_path: Path) -> None:
    first, second = recorded("g000000", 3), recorded("g000001", 3)
    mixed = [
        first[0],
        second[0],
        second[1],
        first[1],
        second[2],
        first[2],
        second[3],
        second[4],
        first[3],
        first[4],
    ]
    traces = list(read_shard(shard(tmp_path, *mixed), check=True))
    assert [trace.game for trace in traces] == ["g000001", "g000000"]
    assert [trace.digest() for trace in traces] == [trace.close["digest"] for trace in traces]


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        pytest.param(lambda lines: [lines[0], lines[1][:20], *lines[2:]], ":2: ", id="torn in the middle"),
        pytest.param(lambda lines: [lines[0], "", *lines[1:]], ":2: ", id="an empty line"),
        pytest.param(lambda lines: [lines[0], "[]", *lines[1:]], ":2: not a trace line", id="no object"),
        pytest.param(
            lambda lines: [lines[0], '{"type":"event"}', *lines[1:]], ":2: not a trace line", id="no game"
        ),
        pytest.param(
            lambda lines: [lines[0], '{"game":[],"type":"event"}'], ":2: not a trace", id="a list for a game"
        ),
        pytest.param(
            lambda lines: [lines[0], '{"game":"g","type":"x"}'], ":2: not a trace line", id="unknown type"
        ),
        pytest.param(
            lambda lines: [lines[0], '{"game":"g","type":{}}'], ":2: not a trace line", id="no type"
        ),
        pytest.param(lambda lines: [lines[0], "[" * 100_000], ":2: not a trace line", id="too deep"),
        pytest.param(lambda lines: lines[1:], "event line of g000000 before its game line", id="no header"),
        pytest.param(
            lambda lines: [lines[0], *lines[2:]], "closes with 2 events, but 1 are there", id="lost line"
        ),
    ],
)
def test_a_fault_inside_a_shard_is_one_line_that_names_file_and_place(
    tmp_path: Path, spoil: Callable[[list[str]], list[str]], says: str
) -> None:
    path = shard(tmp_path, *spoil(recorded("g000000")))
    with pytest.raises(TraceError) as caught:
        names(path)
    message = str(caught.value)
    assert says in message
    assert message.startswith(str(path))
    assert "\n" not in message
    assert len(message) < 300 + len(str(path))


def test_checking_holds_every_line_against_the_schema(tmp_path: Path) -> None:
    lines = recorded("g000000")
    lines[1] = json.dumps({**json.loads(lines[1]), "kind": 7})
    path = shard(tmp_path, *lines)
    assert names(path) == ["g000000"]
    with pytest.raises(TraceError, match=r":2: event\.kind: "):
        list(read_shard(path, check=True))


def test_a_shard_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"can't read .*00000\.jsonl: No such file"):
        names(tmp_path / "00000.jsonl")


def test_bytes_that_are_no_text_do_not_stop_the_other_games(tmp_path: Path) -> None:
    path = shard(tmp_path, *recorded("g000000"))
    with path.open("ab") as file:
        file.write(b'{"game":"g000001","type":"ga\xff\xfe')
    assert names(path) == ["g000000"]


def test_lone_surrogates_from_an_agent_do_not_stop_the_writing(tmp_path: Path) -> None:
    sink = FileSink(tmp_path / "a")
    sink.write(["\ud800"])
    sink.close()
    assert (tmp_path / "a").read_bytes() == b"?\n"


def test_a_file_that_can_not_be_opened_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"can't write to .*: No such file or directory"):
        FileSink(tmp_path / "no" / "where")
    with pytest.raises(TraceError, match="can't write to"):
        play("murder", ["default"] * 4, seed=1, config={"seats": 4}, path=tmp_path / "no" / "where")


def test_a_trace_answers_for_its_seats() -> None:
    trace = from_lines(recorded("g000000"))
    assert isinstance(trace, Trace)
    assert (trace.game, trace.seats, trace.status) == (
        "g000000",
        {"player_0": "a", "player_1": "b"},
        "finished",
    )
    assert [len(trace.view(seat)) for seat in trace.seats] == [2, 1]
