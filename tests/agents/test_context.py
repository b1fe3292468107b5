from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Sequence
from typing import Any

import pytest

from liecraft.agents.chat import DirectChat, remembered
from liecraft.agents.llm import BYTES_A_TOKEN, Limits, ModelAgent, forget
from liecraft.agents.playing import run_game
from liecraft.agents.pool import Models
from liecraft.agents.probing import Probes
from liecraft.agents.prompt import PromptBook
from liecraft.arena import new_env, seat_agents
from liecraft.engine.agent import Reply, Request
from liecraft.engine.ledger import Event, View, freeze
from liecraft.models import Completion, Message, Sampling, Usage
from liecraft.trace.reader import Trace, from_lines
from liecraft.trace.writer import GameRecorder, ListSink
from tests.agents.players import legal, modelled, quick_models, seat_of
from tests.fault_server import Body, FaultServer, ok

LONG: dict[str, Any] = {"seats": 8, "rounds": 60, "first_kill": 1, "cooldown": 9, "key": False}


SEED = 2
"""Deals the murderer to the first of five seats."""
CONFIG = new_env("murder", {"seats": 4, "rounds": 60}).config_data


def size(messages: Sequence[Message]) -> int:
    return sum(len(message["content"].encode()) for message in messages)


def talkative(body: Body) -> str:
    """Long words and a claim at every chance; votes for nobody, so that the game goes on."""
    moves = legal(body)
    schema = body["response_format"]["json_schema"]["schema"]["properties"]
    number = len(body["messages"])
    fields: dict[str, Any] = {"move": next(m for m in ("say", "answer", "vote:none", "wait") if m in moves)}
    if "claims" in schema:
        claim = {"claim": "was_in", "room": "hall", "round": number % 60 + 1}
        fields |= {"say": f"{seat_of(body)} goes on and on. " * 20, "claims": [claim]}
    return json.dumps(fields)


class Talk:
    """A view of many rounds of talk, votes, deaths and private facts, made by hand."""

    def __init__(self, rounds: int) -> None:
        self.events: list[Event] = []
        self.add("game", None, game="murder_v0", version="0", config=CONFIG)
        self.add("role", None, role="innocent", side="truthful")
        for number in range(1, rounds + 1):
            self.add("phase", None, phase="act", round=number)
            self.add("found", None, item="clue", seat="player_3", round=number, room="study")
            for seat in ("player_1", "player_2", "player_0"):
                claims = (("was_in", "hall", number),)
                self.add("speech", seat, text=f"talk {number} of {seat} " * 20, claims=claims, to=None)
            self.add("silence", "player_3")
            self.add("ballots", None, candidates=(), votes=(("player_1", "player_2"), ("player_0", "none")))
        self.add("dead", None, seats=("player_2",))

    def add(self, kind: str, actor: str | None, **data: Any) -> None:
        self.events.append(Event(kind, actor, freeze(data)))

    def view(self) -> View:
        return View("player_0", self.events)


def line_size(event: Event) -> int:
    return len(json.dumps([event.kind, str(dict(event.data))]))


@pytest.mark.parametrize("room", [0, 20_000, 60_000, 10**9])
def test_facts_and_own_claims_are_never_forgotten(room: int) -> None:
    view = Talk(60).view()
    kept, dropped = forget(view, room, line_size)
    for kind in ("game", "role", "phase", "found", "ballots", "dead"):
        assert [event for event in kept if event.kind == kind] == view.of(kind)
    own = [event.data["claims"] for event in kept if event.kind == "speech" and event.actor == "player_0"]
    assert own == [(("was_in", "hall", number),) for number in range(1, 61)]
    others = [event for event in view if event.kind in ("speech", "silence") and event.actor != "player_0"]
    left = [event for event in kept if event.kind in ("speech", "silence") and event.actor != "player_0"]
    assert left == others[len(others) - len(left) :], "what goes is the oldest"
    assert (dropped == 0) == (room == 10**9)
    facts = sum(line_size(event) for event in view if event.kind not in ("speech", "silence"))
    if room > 2 * facts:
        assert left
        assert sum(map(line_size, kept)) <= room


def test_own_old_speeches_keep_their_first_words() -> None:
    kept, _ = forget(Talk(60).view(), 0, line_size)
    own = [event.data["text"] for event in kept if event.kind == "speech"]
    assert len(own) == 60
    assert all(text.startswith("talk") and len(text) < 70 for text in own)


class Killer:
    """Kills whenever it may, so that there are bodies to talk about; else does as little as it can."""

    def act(self, view: View, request: Request) -> Reply:
        return Reply(next((move for move in request.legal if move.startswith("kill:")), request.default))


@pytest.fixture(scope="module")
def long_game() -> tuple[Trace, list[Body]]:
    """Up to sixty rounds with a killing and a long talk every ten; the calls and requests of one survivor."""
    env, sink = new_env("murder", LONG), ListSink()
    env.reset(seed=3)
    killer = next(seat for seat, role in env.role.items() if role == "murderer")
    with FaultServer(ok(talkative)) as server:
        wanted = modelled(server.base_url, context=6_000, max_tokens=300)
        models = quick_models()
        job = run_game(
            env,
            seat_agents(env, [wanted] * len(env.seats)),
            GameRecorder(sink, "g000000"),
            models,
            seed=3,
            given={killer: Killer()},
        )
        asyncio.run(closing(job, models))
    trace = from_lines(sink.lines)
    seat = next(seat for seat in reversed(env.living) if seat != killer)
    trace.calls = [call for call in trace.calls if call["seat"] == seat]
    trace.compactions = [line for line in trace.compactions if line["seat"] == seat]
    return trace, [each.body for each in server.requests if seat_of(each.body) == seat]


async def closing(job: Coroutine[Any, Any, Any], models: Models) -> None:
    await job
    await models.close()


def test_a_long_game_stays_within_its_context_budget(long_game: tuple[Trace, list[Body]]) -> None:
    trace, bodies = long_game
    assert trace.compactions, "the game must be long enough, or this test shows nothing"
    for body in bodies:
        assert 300 + size(body["messages"]) / BYTES_A_TOKEN <= 6_000


def test_compactions_are_recorded_where_the_prompt_begins_anew(long_game: tuple[Trace, list[Body]]) -> None:
    trace, _ = long_game
    anew = [call for call in trace.calls[1:] if call["kept"] <= 1]
    assert len(anew) == len(trace.compactions)
    for call, compaction in zip(anew, trace.compactions, strict=True):
        assert call["i"] == compaction["i"]
        assert compaction["dropped"] > 0
        assert f"[{compaction['dropped']} lines of earlier talk" in call["messages"][-1]["content"]


def test_after_a_compaction_all_facts_are_still_in_the_prompt(long_game: tuple[Trace, list[Body]]) -> None:
    trace, bodies = long_game
    last = max(trace.compactions, key=lambda line: int(line["i"]))
    seat = last["seat"]
    told = next(
        body["messages"][-1]["content"]
        for call, body in zip(trace.calls, bodies, strict=True)
        if call["i"] == last["i"]
    )
    book = PromptBook("murder_v0", "en")
    seen = [e for e in trace.events[: last["i"]] if e["audience"] == "everyone" or seat in e["audience"]]
    wanted = [
        e for e in seen if e["kind"] in ("ballots", "dead", "banished", "body", "room", "found", "witness")
    ]
    assert {e["kind"] for e in wanted} >= {"ballots", "dead", "room", "witness"}
    for event in wanted:
        line = book.renderer.line(Event(event["kind"], event["actor"], freeze(event["data"])))
        assert line in told
    own = [e for e in seen if e["kind"] == "speech" and e["actor"] == seat]
    assert own
    for event in own:
        claims = ", ".join(f"{c[0]}({', '.join(map(str, c[1:]))})" for c in event["data"]["claims"])
        assert f"[claims: {claims}]" in told


def test_a_compacted_prompt_is_appended_to_again(long_game: tuple[Trace, list[Body]]) -> None:
    trace, bodies = long_game
    for before, after, call in zip(bodies, bodies[1:], trace.calls[1:], strict=False):
        shared = before["messages"] if call["kept"] > 1 else before["messages"][:1]
        assert after["messages"][: len(shared)] == shared


def test_a_trace_holds_every_prompt_whole(long_game: tuple[Trace, list[Body]]) -> None:
    """Each call stores what is new; put together they are what was sent."""
    trace, bodies = long_game
    messages: list[Message] = []
    for call, body in zip(trace.calls, bodies, strict=True):
        messages = messages[: call["kept"]] + call["messages"]
        assert messages == body["messages"]


@pytest.mark.parametrize("agent", ["llm", "autogen"])
def test_probes_stay_within_the_budget_too_and_change_no_prompt_of_the_game(agent: str) -> None:
    def beliefs_or_talk(body: Body) -> str:
        asked = body["response_format"]["json_schema"]["schema"]["properties"]
        return talkative(body) if "move" in asked else json.dumps(dict.fromkeys(asked, 0.5))

    sent: list[list[Body]] = []
    for probes in (None, Probes(every=5)):
        env, sink = new_env("murder", {**LONG, "seats": 5, "rounds": 30}), ListSink()
        with FaultServer(ok(beliefs_or_talk)) as server:
            table = seat_agents(env, [modelled(server.base_url, agent, context=3_000, max_tokens=300)] * 5)
            killer = {"player_0": Killer()}
            models = quick_models()
            job = run_game(
                env, table, GameRecorder(sink, "g0"), models, seed=SEED, given=killer, probes=probes
            )
            asyncio.run(closing(job, models))
        sent.append([each.body for each in server.requests])
    asides = [body for body in sent[1] if "move" not in str(body["response_format"])]
    afresh = [
        body for body in asides if "lines of earlier talk are left out" in body["messages"][1]["content"]
    ]
    assert [body for body in sent[1] if body not in asides] == sent[0]
    assert len(asides) > len(afresh) > 5, "some must have been past the budget, or this test shows nothing"
    assert all(300 + size(body["messages"]) / BYTES_A_TOKEN <= 3_000 for body in sent[1])
    trace = from_lines(sink.lines)
    assert len(list(trace.of("probe"))) == len(asides), "all were answered"


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("", "(no answer)"),
        ("<think>a</think>yes", "yes"),
        ("x" * 5_000, "x" * 2_000),
        ('{"move": "wait"}', '{"move": "wait"}'),
    ],
)
def test_what_stays_of_an_answer_is_short_and_free_of_reasoning(answer: str, kept: str) -> None:
    assert remembered(answer) == kept


def test_facts_alone_may_exceed_the_budget_and_are_still_told() -> None:
    """Never dropped means never: the endpoint is left to say that a prompt is too long."""

    class Silent:
        name = "m"

        def __init__(self) -> None:
            self.prompts: list[list[Message]] = []

        async def complete(self, messages: Sequence[Message], **options: Any) -> Completion:
            self.prompts.append(list(messages))
            return Completion('{"move": "wait"}', "stop", None, Usage(1, 1, None), 0.0, 1, "m")

        async def close(self) -> None:
            pass

    model = Silent()
    chat = DirectChat("player_0", model, Sampling(), None)
    agent = ModelAgent(chat, PromptBook("murder_v0", "en"), Limits(max_tokens=100, context=700))
    talk = Talk(60)
    request = Request("murder_v0", "player_0", "act", 60, ("wait", "search"), "wait")
    view = talk.view()
    asyncio.run(agent.act(view, request))
    told = model.prompts[0][-1]["content"]
    assert told.count("You found a clue") == 60
    assert "talk 59 of player_1" not in told
