from __future__ import annotations

import asyncio
import json
import re
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import ModelFamily, ModelInfo
from autogen_ext.models.openai import OpenAIChatCompletionClient

from liecraft.agents.autogen import AssistantChat, ModelClient, OwnAssistantChat
from liecraft.agents.catalog import spec
from liecraft.agents.llm import Limits, ModelAgent
from liecraft.agents.playing import Env, run_game
from liecraft.agents.pool import Models
from liecraft.agents.prompt import prompt_book
from liecraft.arena import new_env, seat_agents
from liecraft.models import ModelError, Sampling
from liecraft.trace.reader import Trace, from_lines
from liecraft.trace.schema import LINE
from liecraft.trace.writer import GameRecorder, ListSink
from tests.agents.players import SHORT, answering, modelled, play_murder, quick_models
from tests.fault_server import Body, FaultServer, completion, hang, no_choices, ok, raw, status

SCHEMA = {"type": "object", "properties": {"move": {"enum": ["wait"]}}}
INFO = ModelInfo(
    vision=False, function_calling=True, json_output=True, structured_output=True, family=ModelFamily.UNKNOWN
)
KEY = "sk-user-built-4711"


@pytest.fixture(autouse=True)
def quiet_autogen() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Resolved model mismatch")
        yield


def test_a_seat_over_autogen_sends_what_a_direct_seat_sends() -> None:
    """The same prompts, byte for byte: only who holds the conversation differs."""
    sent = []
    for agent in ("llm", "autogen"):
        with FaultServer(ok(answering())) as server:
            play_murder([modelled(server.base_url, agent), "default", "default", "default"])
        sent.append([each.body for each in server.requests])
    assert sent[0] == sent[1]


def test_a_failing_call_leaves_nothing_in_the_context() -> None:
    async def talk(url: str) -> None:
        model = quick_models().get(spec(modelled(url), "murder_v0").model())
        chat = AssistantChat("player_0", ModelClient("player_0", model, Sampling(), None))
        await chat.begin("Rules.")
        with pytest.raises(ModelError, match="auth"):
            await chat.send("first", SCHEMA, 50, 5.0)
        size = chat.size
        await chat.send("first", SCHEMA, 50, 5.0)
        await chat.send("second", SCHEMA, 50, 5.0)
        await chat.retract()
        await chat.send("third", SCHEMA, 50, 5.0)
        assert size == len("Rules.")
        await model.close()

    with FaultServer([status(401), ok("one"), ok("two"), ok("three")]) as server:
        asyncio.run(talk(server.base_url))
    contents = [[message["content"] for message in each.body["messages"]] for each in server.requests]
    assert contents == [
        ["Rules.", "first"],
        ["Rules.", "first"],
        ["Rules.", "first", "one", "second"],
        ["Rules.", "first", "one", "third"],
    ]


def test_no_word_of_autogens_own_reaches_the_prompt() -> None:
    with FaultServer(ok(answering())) as server:
        play_murder([modelled(server.base_url, "autogen"), "default", "default", "default"])
    told = json.dumps([each.body["messages"] for each in server.requests])
    assert "TERMINATE" not in told
    assert "helpful AI assistant" not in told
    assert all(
        set(message) == {"role", "content"} for each in server.requests for message in each.body["messages"]
    )


def own_assistant(url: str, **options: Any) -> tuple[AssistantAgent, OpenAIChatCompletionClient]:
    """What a user may build: AutoGen's own client, a tool, a system message."""
    client = OpenAIChatCompletionClient(
        model="user-model",
        base_url=url,
        api_key=KEY,
        model_info=INFO,
        max_retries=0,
        include_name_in_message=False,
    )
    agent = AssistantAgent(
        "helper", client, system_message="You are my secret strategist. CANARY-SYSTEM", **options
    )
    return agent, client


async def ponder(question: str) -> str:
    """Think about a question."""
    return f"CANARY-TOOL {question}"


def play_own(server: FaultServer, deadline: float = 20.0, **options: Any) -> Trace:
    """A short game with a user's assistant in the first seat."""

    async def job(env: Env, sink: ListSink) -> None:
        assistant, client = own_assistant(server.base_url, **options)
        book = prompt_book(env.name, "en", True, False)
        player = ModelAgent(OwnAssistantChat(assistant), book, Limits(deadline=deadline))
        table = seat_agents(env, ["default"] * 4)
        await run_game(
            env, table, GameRecorder(sink, "g000000"), Models(), seed=1, given={"player_0": player}
        )
        await client.close()

    env, sink = new_env("murder", SHORT), ListSink()
    asyncio.run(job(env, sink))
    for line in sink.lines:
        LINE.validate_json(line)
    return from_lines(sink.lines)


class Thinker:
    """Calls the tool once, then declares a move, never knowing the schema: the prompt tells the moves."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, body: Body) -> dict[str, Any]:
        self.calls += 1
        if body["messages"][-1]["role"] == "user":
            call: dict[str, Any] = {"id": f"c{self.calls}", "type": "function"}
            call["function"] = {"name": "ponder", "arguments": '{"question": "CANARY-QUESTION"}'}
            done = completion("CANARY-THOUGHT", finish_reason="tool_calls")
            done["choices"][0]["message"]["tool_calls"] = [call]
            return done
        asked = next(m["content"] for m in reversed(body["messages"]) if m["role"] == "user")
        move = re.search(r"Moves: 1 (\S+?)[,.]", asked)
        assert move is not None
        said = '{"move": "say", "say": "Declared."}' if "2 say," in asked else json.dumps({"move": move[1]})
        return completion(said)


def thinking() -> Any:
    from aiohttp import web

    think = Thinker()

    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        return web.json_response(think(body))

    return behave


def test_only_the_declared_reply_of_a_users_assistant_reaches_the_game() -> None:
    """Tool calls, tool results and inner thoughts stay inside; so does the user's own system message."""
    with FaultServer(thinking()) as server:
        trace = play_own(server, tools=[ponder], reflect_on_tool_use=True)
    assert trace.status == "finished"
    mine = [move for move in trace.moves if move["seat"] == "player_0"]
    assert {move["how"] for move in mine} <= {"structured", "menu"}
    assert [event["data"]["text"] for event in trace.of("speech")] == ["Declared."]
    assert "CANARY" not in json.dumps([trace.events, trace.moves, trace.calls, trace.close])
    assert server.count == 2 * len(mine)
    assert "CANARY-TOOL" in json.dumps([each.body for each in server.requests])


def test_a_users_assistant_gets_our_rules_once_and_its_own_system_message_stays() -> None:
    with FaultServer(thinking()) as server:
        play_own(server, tools=[ponder], reflect_on_tool_use=True)
    last = server.requests[-1].body["messages"]
    assert last[0] == {"role": "system", "content": "You are my secret strategist. CANARY-SYSTEM"}
    assert json.dumps(last).count("You are player_0") == 1


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (status(401, f"bad key {KEY}"), "server"),
        (no_choices(), "server"),
        (raw(b"{"), "server"),
        (hang(), "timeout"),
    ],
)
def test_a_users_assistant_that_fails_ends_its_game_and_tells_no_key(behaviour: Any, kind: str) -> None:
    with FaultServer(behaviour) as server:
        trace = play_own(server, deadline=1.0)
    assert trace.status == "failed"
    assert trace.close["failure"]["kind"] == kind
    assert trace.close["failure"]["seat"] == "player_0"
    assert KEY not in json.dumps(trace.close)


def test_a_users_assistant_is_asked_once_more_without_doubling_the_context() -> None:
    with FaultServer([ok("no move"), ok('{"move": "wait"}')]) as server:
        trace = play_own(server)
    assert next(move["how"] for move in trace.moves if move["seat"] == "player_0") == "reasked"
    first, second = (each.body["messages"] for each in server.requests[:2])
    assert second[: len(first)] == first
    assert [message["role"] for message in second[len(first) :]] == ["assistant", "user"]


def test_tokens_that_the_endpoint_does_not_tell_stay_unknown() -> None:
    with FaultServer(ok(answering(), usage=None)) as server:
        trace = play_murder([modelled(server.base_url, "autogen"), "default", "default", "default"])
    assert {json.dumps(call["usage"]) for call in trace.calls} == {
        '{"prompt": null, "completion": null, "cached": null}'
    }


def test_a_model_client_does_not_stream_and_takes_text_only() -> None:
    from autogen_core.models import AssistantMessage, UserMessage

    client = ModelClient(
        "player_0",
        quick_models().get(spec(modelled("http://127.0.0.1:9/v1"), "murder").model()),
        Sampling(),
        None,
    )
    with pytest.raises(ValueError, match="does not stream"):
        client.create_stream([UserMessage(content="hi", source="env")])
    with pytest.raises(ValueError, match="text messages only"):
        client.count_tokens([AssistantMessage(content=[], source="a")])
