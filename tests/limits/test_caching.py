"""How much of a model's input a prefix cache could have: by hand, and in whole games."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import liecraft
from liecraft.evaluators.caching import prompt_sizes
from liecraft.evaluators.measures import score
from liecraft.trace.reader import Trace
from tests.agents.players import legal, modelled
from tests.evaluators.made import GUARD, THIEF, Made
from tests.fault_server import Body, FaultServer, ok

SPEECH = "I was in the hall when it happened, and saw player_2 go to the study: ask them where they were."


def call(seat: int, kept: int, *messages: str, text: str = "", **fields: Any) -> dict[str, Any]:
    """A call line; messages are `role content`."""
    parted = [message.split(" ", 1) for message in messages]
    told = [{"role": role, "content": content} for role, content in parted]
    line = {"type": "call", "seat": f"player_{seat}", "model": "m", "kept": kept, "messages": told}
    return {**line, "text": text, "error": None, **fields}


def sizes(*calls: dict[str, Any]) -> list[tuple[int, int]]:
    trace: Trace = Made([("a", THIEF), ("b", GUARD)]).trace
    trace.calls.extend(calls)
    return [(size, again) for _, size, again in prompt_sizes(trace)]


def length(*messages: str) -> int:
    return sum(len(message.encode()) for message in messages)


def test_each_request_begins_with_the_previous_one_and_its_answer() -> None:
    first = ("system Rules of 投票.", "user Round 1?")
    second = ("assistant go", "user Round 2?")
    found = sizes(call(0, 0, *first, text="go"), call(0, 2, *second, text="stay"))
    assert found == [(length(*first), 0), (length(*first, *second), length(*first, "assistant go"))]


def test_an_answer_that_is_kept_otherwise_than_it_came_counts_as_far_as_it_is_the_same() -> None:
    found = sizes(call(0, 0, "user 1", text="go north"), call(0, 1, "assistant go", "user 2"))
    assert found[1] == (length("user 1", "assistant go", "user 2"), length("user 1", "assistant go"))
    found = sizes(call(0, 0, "user 1", text="go north"), call(0, 1, "assistant no", "user 2"))
    assert found[1][1] == length("user 1", "assistant ")


def test_a_prompt_built_anew_shares_what_it_begins_with() -> None:
    old = ("system Rules", "user abcdef", "assistant x", "user 2")
    found = sizes(call(0, 0, *old), call(0, 1, "user abcxyz"))
    assert found[1] == (length("system Rules", "user abcxyz"), length("system Rules", "user abc"))


def test_the_rules_that_another_seat_was_told_count_at_a_seat_s_first_request() -> None:
    found = sizes(
        call(0, 0, "system Rules. You are 0.", "user x"), call(1, 0, "system Rules. You are 1.", "user x")
    )
    assert found[1][1] == length("system Rules. You are ")
    other = call(1, 0, "system Rules. You are 1.", model="another")
    assert sizes(call(0, 0, "system Rules. You are 0."), other)[1][1] == 0


def test_nothing_goes_on_from_a_probe_or_a_failed_call() -> None:
    calls = [
        call(0, 0, "user 1", text="go"),
        call(0, 1, "assistant go", "user who?", text="me", probe=True),
        call(0, 2, "user 2", error="timeout"),
        call(0, 3, text="go"),
    ]
    kept = length("user 1", "assistant go")
    assert [again for _, again in sizes(*calls)] == [0, kept, kept, kept]


def player(body: Body) -> str:
    """Kills when it can, talks when it may, else does something that only its prompt decides."""
    offered = legal(body)
    draw = int.from_bytes(sha256(json.dumps(body["messages"]).encode()).digest()[:4])
    first = [move for move in offered if move.startswith(("say", "answer", "kill"))]
    fields: dict[str, Any] = {"move": (first or offered)[draw % len(first or offered)]}
    if "say" in body["response_format"]["json_schema"]["schema"]["properties"]:
        fields |= {"say": SPEECH, "claims": []}
    return json.dumps(fields)


@pytest.mark.parametrize("agent", ["llm", "autogen"])
def test_nine_tenths_of_the_input_are_cacheable_in_murder(agent: str, tmp_path: Path) -> None:
    with FaultServer(ok(player)) as server:
        model = modelled(server.base_url, agent)
        run = liecraft.Tournament(
            name="cup",
            game="murder",
            config={"seats": 6, "discussion_rounds": 3},
            entrants={"m": model},  # one alone: each game is another, of another length
            games=12,
            runs=tmp_path,
        ).run(progress=False)
    traces = list(run.traces())
    assert {trace.status for trace in traces} == {"finished"}
    told = [sum(part) for part in zip(*((s, a) for t in traces for _, s, a in prompt_sizes(t)), strict=True)]
    assert told[1] / told[0] >= 0.9
    [row] = score(traces)["play"]["conduct"]
    assert row["cacheable"] >= 0.9
