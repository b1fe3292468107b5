from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from liecraft.agents.catalog import AgentSpec
from liecraft.agents.playing import Table, run_game
from liecraft.agents.pool import Models
from liecraft.agents.running import run_now
from liecraft.arena import new_env, play_table, seat_agents
from liecraft.engine.agent import Reply, Request
from liecraft.engine.ledger import View
from liecraft.trace.reader import from_lines
from liecraft.trace.schema import LINE, json_schema
from liecraft.trace.writer import GameRecorder, ListSink
from tests.agents.players import SHORT, answering, modelled, quick_models
from tests.fault_server import FaultServer, length, ok, status

DOCS = Path(__file__).parents[2] / "docs"


class Broken:
    """Fails at its third move."""

    def __init__(self) -> None:
        self.moves = 0

    def act(self, view: View, request: Request) -> Reply:
        self.moves += 1
        if self.moves == 3:
            raise RuntimeError("out of\nideas")
        return Reply(request.default, thought="hm")


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Lines of games of every kind: scripted, modelled, compacted, cut short by an agent or an endpoint."""
    folder = tmp_path_factory.mktemp("traces")
    for seed in range(3):
        env = new_env("murder", {"seats": 6})
        play_table(env, seat_agents(env, ["liar", "detective", "honest"] * 2), seed=seed, path=folder / "all")
    with FaultServer([length(), ok("?"), ok(answering())]) as good, FaultServer(status(500)) as bad:
        for agent, url in (("llm", good.base_url), ("autogen", good.base_url), ("llm", bad.base_url)):
            env = new_env("murder", SHORT)
            seats = [modelled(url, agent, context=600, max_tokens=100), "default", "default", "default"]
            play_table(env, seat_agents(env, seats), seed=1, path=folder / "all", models=quick_models())
    found = (folder / "all").read_text(encoding="utf-8").splitlines()
    env, sink = new_env("murder", SHORT), ListSink()
    table = Table(dict.fromkeys(env.seats, "default"), dict.fromkeys(env.seats, AgentSpec("default")))
    given = {"player_1": Broken()}
    run_now(run_game(env, table, GameRecorder(sink, "g000009"), Models(), seed=0, given=given))
    return [*found, *sink.lines]


def test_the_lines_show_every_type_and_status(lines: list[str]) -> None:
    data = [json.loads(line) for line in lines]
    assert {each["type"] for each in data} == {"game", "event", "move", "call", "compaction", "close"}
    assert {each["status"] for each in data if each["type"] == "close"} == {"finished", "failed"}


def test_every_line_satisfies_the_json_schema(lines: list[str]) -> None:
    schema = json_schema()
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    for line in lines:
        validator.validate(json.loads(line))


def test_every_line_satisfies_the_models(lines: list[str]) -> None:
    for line in lines:
        LINE.validate_json(line)


def test_no_line_holds_what_json_does_not_have(lines: list[str]) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    for line in lines:
        json.loads(line, parse_constant=refuse)


def test_the_published_schema_is_the_code_s() -> None:
    published = json.loads((DOCS / "trace.schema.json").read_text(encoding="utf-8"))
    assert published == json_schema(), "run: python -m liecraft.trace.schema > docs/trace.schema.json"


def test_the_examples_of_the_document_are_valid_lines() -> None:
    text = (DOCS / "trace-format.md").read_text(encoding="utf-8")
    examples = [line for line in text.splitlines() if line.startswith('{"game"')]
    kinds = [LINE.validate_json(line).type for line in examples]
    assert set(kinds) == {"game", "event", "move", "call", "compaction", "close"}
    validator = jsonschema.Draft202012Validator(json_schema())
    for line in examples:
        validator.validate(json.loads(line))


def test_the_example_game_of_the_document_has_the_digest_it_says() -> None:
    text = (DOCS / "trace-format.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith('{"game":"g000007"')]
    trace = from_lines(lines)
    assert trace.digest() == trace.close["digest"]


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"seed": "7"},
        {"extra": 1},
        {"seats": ["a"]},
        {"type": "gam"},
        {"lang": None},
    ],
)
def test_a_line_of_another_shape_is_refused_by_models_and_schema(
    lines: list[str], change: dict[str, Any]
) -> None:
    line = {**json.loads(lines[0]), **change}
    with pytest.raises(ValidationError):
        LINE.validate_json(json.dumps(line))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(line, json_schema())
