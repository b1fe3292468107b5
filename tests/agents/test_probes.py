from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from aiohttp import web

from liecraft.agents.autogen import OwnAssistantChat
from liecraft.agents.llm import ModelAgent
from liecraft.agents.parsing import Answer
from liecraft.agents.playing import Env, run_game
from liecraft.agents.pool import Models
from liecraft.agents.probing import ProbeClock, Probes, belief_schema, checked_beliefs, read_beliefs
from liecraft.agents.prompt import prompt_book
from liecraft.agents.running import run_now
from liecraft.agents.scripted import DefaultAgent
from liecraft.arena import new_env, play, play_table, seat_agents
from liecraft.engine.errors import ConfigError
from liecraft.engine.ledger import Event, View
from liecraft.tournament.config import read_config
from liecraft.trace.reader import Trace, from_lines
from liecraft.trace.schema import LINE
from liecraft.trace.writer import GameRecorder, ListSink
from tests.agents.players import SHORT, answering, modelled, quick_models
from tests.agents.test_autogen import own_assistant
from tests.fault_server import Behaviour, Body, FaultServer, length, ok, refusal, status

TABLES: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "murder": (
        [{"agent": name, "noise": 1.0} for name in ("liar", "detective", "honest", "liar", "detective")],
        {"seats": 5, "rounds": 4},
    ),
    "info_passing": (["bayes", "saboteur", "honest", "bayes", "silent"], {"seats": 5}),
    "conflicting_evidence": (["bayes", "mole", "naive"], {"seats": 3, "condition": "distributed+traps+mole"}),
}


def moves(trace: Trace) -> list[tuple[Any, ...]]:
    return [(move["seat"], move["move"], move["how"]) for move in trace.moves]


def without_probes(trace: Trace) -> list[tuple[Any, ...]]:
    return [(e["kind"], e["actor"], e["data"], e["audience"]) for e in trace.events if e["kind"] != "probe"]


@pytest.mark.parametrize("game", TABLES)
@pytest.mark.parametrize("probes", [{"every": 1}, {"every": 7}, {"after": ["speech", "phase"]}])
def test_bots_play_the_same_game_whether_they_are_asked_or_not(game: str, probes: dict[str, Any]) -> None:
    """Also bots whose beliefs are noisy: the noise of an answer is not taken from that of a decision."""
    agents, config = TABLES[game]
    for seed in range(3):
        plain = play(game, agents, seed=seed, config=config)
        asked = play(game, agents, seed=seed, config=config, probes=probes)
        assert moves(asked) == moves(plain)
        assert without_probes(asked) == without_probes(plain)
        assert any(True for _ in asked.of("probe"))
        assert not any(True for _ in plain.of("probe"))


def test_no_seat_sees_a_probe() -> None:
    trace = play("murder", TABLES["murder"][0], seed=1, config={"seats": 5}, probes={"every": 5})
    assert {event["audience"] for event in trace.of("probe")} == {"engine"}
    for seat in trace.seats:
        assert not trace.view(seat).of("probe")


def test_a_probe_names_all_other_seats_in_order_the_dead_too() -> None:
    """To leave out the dead would tell of a death that nobody has found yet."""
    trace = play("murder", TABLES["murder"][0], seed=2, config={"seats": 5}, probes={"every": 3})
    for event in trace.of("probe"):
        named = [seat for seat, _ in event["data"]["beliefs"]]
        assert named == [seat for seat in trace.seats if seat != event["actor"]]


def test_only_the_living_are_asked() -> None:
    for seed in range(8):
        trace = play(
            "murder", ["liar", *["detective"] * 4], seed=seed, config={"seats": 5}, probes={"every": 1}
        )
        gone: set[str] = set()
        for event in trace.events:
            if event["kind"] == "killed":
                gone |= set(event["audience"])
            elif event["kind"] == "banished":
                gone.add(event["data"]["seat"])
            elif event["kind"] == "probe":
                assert event["actor"] not in gone


def test_agents_that_cannot_say_are_passed_over() -> None:
    trace = play(
        "murder",
        ["detective", "honest", "silent", "random", "accuser"],
        seed=1,
        config={"seats": 5},
        probes={"every": 4},
    )
    assert {event["actor"] for event in trace.of("probe")} == {"player_0"}


def test_probes_come_every_so_many_events_or_after_the_kinds_named() -> None:
    clock = ProbeClock(Probes(every=3))
    speech, phase, probe = (Event(kind, None, {}) for kind in ("speech", "phase", "probe"))
    assert [clock.due([speech]), clock.due([probe, probe]), clock.due([phase]), clock.due([phase])] == [
        False,
        False,
        False,
        True,
    ]
    clock = ProbeClock(Probes(after=("speech",)))
    assert [clock.due([phase, phase]), clock.due([phase, speech]), clock.due([phase])] == [False, True, False]


def test_probes_without_a_time_are_refused() -> None:
    with pytest.raises(ConfigError, match="say when"):
        play("murder", ["detective"] * 4, seed=1, config={"seats": 4}, probes={})
    with pytest.raises(ConfigError, match="every"):
        play("murder", ["detective"] * 4, seed=1, config={"seats": 4}, probes={"every": 0})


def test_probes_after_an_event_that_the_game_does_not_know_are_refused() -> None:
    asked = {"name": "p", "game": "murder", "entrants": ["liar"], "games": 1, "probes": {"after": ["speach"]}}
    with pytest.raises(ConfigError, match=r"probes.after 'speach': did you mean 'speech'\?"):
        read_config(asked)
    with pytest.raises(ConfigError, match=r"probes.after 'speach': did you mean 'speech'\?"):
        play("murder", ["detective"] * 4, seed=1, config={"seats": 4}, probes={"after": ["speach"]})


def test_a_tournament_takes_probes_from_its_config() -> None:
    config = read_config(
        {"name": "p", "game": "murder", "entrants": ["liar"], "games": 1, "probes": {"every": 9}}
    )
    assert config.probes == Probes(every=9)
    with pytest.raises(ConfigError, match=r"probes.*say when"):
        read_config({"name": "p", "game": "murder", "entrants": ["liar"], "games": 1, "probes": {}})


class Sure(DefaultAgent):
    """Answers a probe with what it was given."""

    def __init__(self, answer: Any) -> None:
        super().__init__(np.random.default_rng(0))
        self.answer = answer

    def probe(self, view: View, seats: Sequence[str]) -> Mapping[str, float] | None:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[no-any-return]  # whatever the test gave


@pytest.mark.parametrize(
    "answer",
    [
        {"player_1": 1.5},
        {"player_1": float("nan")},
        {"player_1": "high"},
        {"player_0": 0.5},
        {"player_9": 0.5},
        RuntimeError("broken"),
    ],
)
def test_a_code_agent_with_impossible_beliefs_ends_its_game_in_a_recorded_way(answer: Any) -> None:
    env, sink = new_env("murder", SHORT), ListSink()
    table = seat_agents(env, ["default"] * 4)
    job = run_game(
        env,
        table,
        GameRecorder(sink, "g0"),
        Models(),
        seed=1,
        given={"player_0": Sure(answer)},
        probes=Probes(every=1),
    )
    failure = run_now(job)
    assert failure is not None
    assert (failure.seat, failure.kind) == ("player_0", "agent")
    assert "asked for its beliefs" in failure.message
    trace = from_lines(sink.lines)
    assert trace.status == "failed"


def test_beliefs_left_out_are_not_stated_and_none_is_no_answer() -> None:
    assert checked_beliefs({"player_2": 1}, ["player_1", "player_2"]) == [("player_2", 1.0)]
    answers: tuple[Any, ...] = (None, {})
    for answer in answers:
        env = new_env("murder", SHORT)
        sink = ListSink()
        table = seat_agents(env, ["default"] * 4)
        given = {"player_0": Sure(answer)}
        job = run_game(
            env, table, GameRecorder(sink, "g0"), Models(), seed=1, given=given, probes=Probes(every=1)
        )
        assert run_now(job) is None
        assert not any(True for _ in from_lines(sink.lines).of("probe"))


# --- models --------------------------------------------------------------------------------------------


def is_probe(body: Body) -> bool:
    return "move" not in body["response_format"]["json_schema"]["schema"]["properties"]


def believing(body: Body) -> str:
    """Beliefs for a probe, a well-formed reply for a move."""
    if not is_probe(body):
        return answering()(body)
    seats = body["response_format"]["json_schema"]["schema"]["properties"]
    return json.dumps({seat: (i + 1) / 10 for i, seat in enumerate(seats)})


def play_modelled(
    behaviour: Behaviour | list[Behaviour], agent: str, probes: Probes | None
) -> tuple[Trace, Any]:
    with FaultServer(behaviour) as server:
        env = new_env("murder", SHORT)
        agents = [modelled(server.base_url, agent), "default", "default", "default"]
        trace = play_table(env, seat_agents(env, agents), seed=1, models=quick_models(), probes=probes)
    return trace, server


@pytest.mark.parametrize("agent", ["llm", "autogen"])
def test_a_models_probe_is_asked_on_a_copy_of_its_conversation_and_leaves_no_trace_in_it(agent: str) -> None:
    plain, before = play_modelled(ok(believing), agent, None)
    asked, after = play_modelled(ok(believing), agent, Probes(every=1))
    assert moves(asked) == moves(plain)
    assert without_probes(asked) == without_probes(plain)
    for_moves = [each.body["messages"] for each in after.requests if not is_probe(each.body)]
    assert for_moves == [each.body["messages"] for each in before.requests]
    for_probes = [each.body["messages"] for each in after.requests if is_probe(each.body)]
    assert len(for_probes) == sum(1 for _ in asked.of("probe")) > 3
    for messages in for_probes:
        shared = min(len(messages) - 1, len(for_moves[-1]))
        assert messages[:shared] == for_moves[-1][:shared]
        assert messages[-1]["role"] == "user"
    for event in asked.of("probe"):
        assert event["data"]["beliefs"] == [["player_1", 0.1], ["player_2", 0.2], ["player_3", 0.3]]


@pytest.mark.parametrize("agent", ["llm", "autogen"])
def test_calls_for_probes_are_marked_so_that_their_cost_stands_apart(agent: str) -> None:
    from liecraft.evaluators.measures import score

    trace, server = play_modelled(ok(believing), agent, Probes(every=4))
    marked = [call for call in trace.calls if call.get("probe")]
    assert len(marked) == sum(is_probe(each.body) for each in server.requests) > 0
    (row,) = [row for row in score([trace])["play"]["conduct"] if row["entrant"] == agent]
    assert row["probes"]["calls"] == len(marked)
    assert row["calls"] == len(trace.calls) - len(marked)
    assert trace.header["probes"] == {"every": 4, "after": []}
    for line in [trace.header, *trace.calls, *trace.events]:
        LINE.validate_python(line)


@pytest.mark.parametrize("answer", [ok("no idea"), ok('{"player_1": 7}'), refusal(), length(), status(400)])
def test_an_answer_that_is_no_belief_is_passed_over_and_the_game_goes_on(answer: Behaviour) -> None:
    async def behave(request: web.Request, body: Body) -> web.StreamResponse:
        return await (answer if is_probe(body) else ok(believing))(request, body)

    trace, server = play_modelled(behave, "llm", Probes(every=1))
    assert trace.status == "finished"
    assert any(is_probe(each.body) for each in server.requests)
    assert not any(True for _ in trace.of("probe"))


def test_beliefs_are_read_from_json_alone_or_among_words() -> None:
    seats = ["player_1", "player_2"]
    whole = '{"player_1": 0.2, "player_2": 1}'
    for text in (whole, f"Well: {whole}", f"```json\n{whole}\n```", f"<think>player_1?</think>{whole}"):
        assert read_beliefs(Answer(text), seats) == {"player_1": 0.2, "player_2": 1.0}
    for text in ("", "player_1: 0.2", "{}", '{"player_0": 0.2}', '{"player_1": true}', "[0.2]", "{" * 5000):
        assert read_beliefs(Answer(text), seats) is None
    assert belief_schema(seats)["required"] == seats


def play_own(probes: Probes | None) -> tuple[Trace, list[Body]]:
    """A short game with a user's own assistant in the first seat; it is told what to answer by the prompt alone."""

    def answer(body: Body) -> str:
        asked = body["messages"][-1]["content"]
        if "For each of these players" in asked:
            return '{"player_1": 0.9}'
        return json.dumps({"move": re.findall(r"Moves: 1 ([a-z_:0-9]+)", asked)[-1]})

    async def job(url: str, env: Env, sink: ListSink) -> None:
        assistant, client = own_assistant(url)
        player = ModelAgent(OwnAssistantChat(assistant), prompt_book(env.name, "en", True, False))
        table = seat_agents(env, ["default"] * 4)
        given = {"player_0": player}
        await run_game(env, table, GameRecorder(sink, "g0"), Models(), seed=1, given=given, probes=probes)
        await client.close()

    env, sink = new_env("murder", SHORT), ListSink()
    with FaultServer(ok(answer)) as server:
        asyncio.run(job(server.base_url, env, sink))
        return from_lines(sink.lines), [each.body for each in server.requests]


@pytest.mark.filterwarnings("ignore:Resolved model mismatch")
def test_a_users_own_assistant_is_asked_aside_too() -> None:
    plain, before = play_own(None)
    asked, after = play_own(Probes(every=1))
    assert moves(asked) == moves(plain)
    assert plain.status == asked.status == "finished"
    for_moves = [
        b["messages"] for b in after if "For each of these players" not in json.dumps(b["messages"][-1])
    ]
    assert for_moves == [body["messages"] for body in before]
    assert [event["data"]["beliefs"] for event in asked.of("probe")] == [[["player_1", 0.9]]] * (
        len(after) - len(before)
    )
