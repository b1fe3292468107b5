from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from liecraft.agents.catalog import AgentSpec
from liecraft.agents.playing import Env, Table, run_game
from liecraft.agents.pool import Models
from liecraft.agents.running import run_now, run_to_end
from liecraft.arena import baseline, new_env, play, play_table, seat_agents
from liecraft.engine.agent import Agent, Reply, Request
from liecraft.engine.claims import Claim
from liecraft.engine.errors import ConfigError
from liecraft.engine.ledger import View
from liecraft.games.murder.env import MurderEnv
from liecraft.tournament.run import Tournament
from liecraft.tournament.store import Run
from liecraft.tournament.verify import verify
from liecraft.trace.reader import Trace, from_lines
from liecraft.trace.schema import LINE
from liecraft.trace.writer import GameRecorder, ListSink
from tests.agents.players import SHORT, answering, modelled
from tests.fault_server import FaultServer, latency, ok


class Stubborn:
    """Replies from a list, the last one for ever; remembers what it was asked."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.asked: list[Request] = []

    def act(self, view: View, request: Request) -> Any:
        self.asked.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, BaseException):
            raise reply
        return Reply(request.default) if reply is None else reply


def seated(env: Env, agent: Agent, seat: str = "player_0", seed: int = 1) -> Trace:
    """A game in which one seat is played by `agent` and the others do as little as they can."""
    sink = ListSink()
    table = Table(dict.fromkeys(env.seats, "default"), dict.fromkeys(env.seats, AgentSpec("default")))
    run_now(run_game(env, table, GameRecorder(sink, "g000000"), Models(), seed=seed, given={seat: agent}))
    for line in sink.lines:
        LINE.validate_json(line)
    return from_lines(sink.lines)


def moves_of(trace: Trace, seat: str = "player_0") -> list[dict[str, Any]]:
    return [move for move in trace.moves if move["seat"] == seat]


def test_a_refused_reply_is_asked_for_once_more_with_the_reason() -> None:
    agent = Stubborn(Reply("vote:player_1"), Reply("search"), None)
    trace = seated(new_env("murder", SHORT), agent)
    first, second = agent.asked[:2]
    assert (first.error, second.error) == (None, "vote:player_1 is not one of your legal moves now")
    assert second.legal == first.legal
    assert (moves_of(trace)[0]["move"], moves_of(trace)[0]["how"]) == ("search", "reasked")


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(Reply("vote:player_0"), id="a vote for itself"),
        pytest.param(Reply("fly"), id="no move at all"),
        pytest.param(Reply(""), id="an empty id"),
        pytest.param(Reply("x" * 100_000), id="an endless id"),
    ],
)
def test_refused_twice_the_default_stands_in(reply: Reply) -> None:
    agent = Stubborn(reply)
    trace = seated(new_env("murder", SHORT), agent)
    assert trace.status == "finished"
    for move in moves_of(trace):
        assert (move["move"], move["how"]) in {
            ("wait", "invalid"),
            ("silent", "invalid"),
            ("vote:none", "invalid"),
        }
    assert len(agent.asked) == 2 * len(moves_of(trace))
    assert all(len(request.error or "") < 200 for request in agent.asked)


def test_a_vote_for_a_dead_seat_is_refused() -> None:
    """The seat killed in round one can't be voted for at dawn."""

    class Killer:
        def act(self, view: View, request: Request) -> Reply:
            return Reply(next((move for move in request.legal if move.startswith("kill:")), request.default))

    class Haunted:
        def __init__(self) -> None:
            self.errors: list[str] = []

        def act(self, view: View, request: Request) -> Reply:
            if request.phase != "vote" or request.error:
                self.errors += [request.error] if request.error else []
                return Reply(request.default)
            (dead,) = view.of("dead")
            assert f"vote:{dead.data['seats'][0]}" not in request.legal
            return Reply(f"vote:{dead.data['seats'][0]}")

    env = new_env("murder", {**SHORT, "seats": 6, "first_kill": 1})
    env.reset(seed=1)
    killer = next(seat for seat, role in env.role.items() if role == "murderer")
    voters = {seat: Haunted() for seat in env.seats if seat != killer}
    sink = ListSink()
    table = Table(dict.fromkeys(env.seats, "default"), dict.fromkeys(env.seats, AgentSpec("default")))
    given: dict[str, Agent] = {killer: Killer(), **voters}
    run_now(run_game(env, table, GameRecorder(sink, "g0"), Models(), seed=1, given=given))
    trace = from_lines(sink.lines)
    votes = [move for move in trace.moves if move["phase"] == "vote" and move["seat"] != killer]
    assert votes
    assert {move["how"] for move in votes} == {"reasked"}
    assert {move["move"] for move in votes} == {"vote:none"}
    assert all(error.startswith("vote:player_") for voter in voters.values() for error in voter.errors)


@pytest.mark.parametrize(
    "claim",
    [
        Claim("fly", ()),
        Claim("was_in", ("nowhere", 1)),
        Claim("was_in", ("hall",)),
        Claim("was_in", ("hall", True)),
    ],
)
def test_an_illegal_claim_is_refused_and_named(claim: Claim) -> None:
    class Liar:
        errors: ClassVar[list[str]] = []

        def act(self, view: View, request: Request) -> Reply:
            if request.error:
                self.errors.append(request.error)
            return Reply("say", "Well.", (claim,)) if request.phase == "speak" else Reply(request.default)

    trace = seated(new_env("murder", SHORT), Liar())
    (talk,) = [move for move in moves_of(trace) if move["phase"] == "speak"]
    assert (talk["move"], talk["how"]) == ("silent", "invalid")
    assert Liar.errors[-1] == talk["refused"] == f"claim {claim} is not one of your legal moves now"
    assert not list(trace.of("speech"))


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Stubborn(None, RuntimeError("my key is sk-secret")), "RuntimeError at "),
        (Stubborn(None, KeyError("x" * 9_000)), "KeyError at "),
        (Stubborn(None, SystemExit(3)), "SystemExit at "),
        (Stubborn(None, "not a reply"), "act returned a str, not a Reply"),
        (Stubborn(None, Reply("wait", thought=0.5)), "act returned a Reply whose thought is a float"),  # type: ignore[arg-type]  # likewise
        (Stubborn(None, Reply("wait", text=4)), "act returned a Reply whose text is a int"),  # type: ignore[arg-type]  # likewise
        (Stubborn(None, Reply("wait", claims=["a"])), "act returned a Reply whose claims is a list"),  # type: ignore[arg-type]  # likewise
        (Stubborn(None, Reply("wait", claims=("a",))), "act returned a Reply with a str among its claims"),  # type: ignore[arg-type]  # likewise
        (Stubborn(None, Reply(7)), "act returned a Reply whose move is a int"),  # type: ignore[arg-type]  # what a careless agent returns
    ],
)
def test_a_broken_agent_ends_its_game_in_a_recorded_way(broken: Stubborn, message: str) -> None:
    trace = seated(new_env("murder", SHORT), broken, seat="player_2")
    assert trace.status == "failed"
    failure = trace.close["failure"]
    assert (failure["seat"], failure["kind"]) == ("player_2", "agent")
    assert failure["message"].startswith(message)
    assert "secret" not in str(trace.close)  # what a foreign error says may be a key
    assert len(failure["message"]) <= 300
    assert (trace.close["winner"], trace.close["rewards"]) == (None, {})
    assert trace.close["events"] == len(trace.events)
    assert trace.digest() == trace.close["digest"]


def test_a_broken_game_ends_in_a_recorded_way_too() -> None:
    class Rigged(MurderEnv):
        def advance(self) -> None:
            raise ZeroDivisionError("a bug in the rules")

    env = Rigged(**SHORT)
    trace = seated(env, Stubborn(None))
    failure = trace.close["failure"]
    assert (failure["seat"], failure["kind"]) == ("player_3", "game")
    assert failure["message"].startswith("ZeroDivisionError at test_arena.py:")


def test_words_are_cut_to_the_rules_limits_and_surrogates_replaced() -> None:
    class Chatterbox:
        def act(self, view: View, request: Request) -> Reply:
            said = Reply("say", "\ud800" + "x" * 5_000, (Claim("was_in", ("hall", 1)),) * 50)
            return said if request.phase == "speak" else Reply(request.default)

    trace = seated(new_env("murder", {**SHORT, "max_text": 100, "max_claims": 3}), Chatterbox())
    (speech,) = trace.of("speech")
    assert speech["data"]["text"] == "?" + "x" * 99
    assert len(speech["data"]["claims"]) == 3


def test_games_and_tournaments_are_played_inside_a_running_event_loop_too(tmp_path: Path) -> None:
    """As in a notebook."""

    async def cell(url: str) -> tuple[Trace, Run, list[str | None]]:
        seats = [modelled(url), "default", "default", "default"]
        trace = play("murder", seats, seed=1, config=SHORT)
        fields: dict[str, Any] = {
            "name": "cup",
            "game": "murder",
            "config": SHORT,
            "games": 2,
            "runs": tmp_path,
        }
        run = Tournament(entrants={"m": modelled(url), "r": "random"}, **fields).run(progress=False)
        return trace, run, [verdict.difference for verdict in verify(run)]

    with FaultServer(ok(answering())) as server:
        trace, run, differences = asyncio.run(cell(server.base_url))
    assert trace.status == "finished"
    assert [each.status for each in run.traces()] == ["finished"] * 2
    assert differences == [None, None]


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A process started in the background may have been told to ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_inside_a_running_event_loop_fails_no_game(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def cell(url: str) -> None:
        def interrupt() -> None:
            while server.count < 30:
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt).start()
        fields: dict[str, Any] = {
            "name": "cup",
            "game": "murder",
            "config": SHORT,
            "games": 12,
            "runs": tmp_path,
        }
        Tournament(entrants={"m": modelled(url)}, concurrency=12, **fields).run(progress=False)

    with FaultServer(latency(0.2, ok(answering()))) as server:
        loop = asyncio.new_event_loop()
        try:
            with pytest.raises(KeyboardInterrupt):
                loop.run_until_complete(cell(server.base_url))
        finally:
            loop.close()
    stored = b"".join(file.read_bytes() for file in (tmp_path / "cup" / "traces").iterdir())
    assert stored.count(b'"type":"game"') > 6
    assert b'"failed"' not in stored
    assert "connection" not in caplog.text, "a model was closed under a game"


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_inside_a_running_event_loop_ends_what_was_started() -> None:
    async def forever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    async def cell() -> None:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        run_to_end(forever())

    ended: list[bool] = []
    loop = asyncio.new_event_loop()  # bare, as a notebook's: asyncio.run would take the interrupt for itself
    with pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(cell())
    loop.close()
    assert ended == [True]


def test_an_agent_that_waits_can_not_be_run_now() -> None:
    class Slow:
        async def act(self, view: View, request: Request) -> Reply:
            await asyncio.sleep(0)
            return Reply(request.default)

    async def at_once() -> int:
        return 7

    assert run_now(at_once()) == 7
    env = new_env("murder", SHORT)
    table = Table(dict.fromkeys(env.seats, "default"), dict.fromkeys(env.seats, AgentSpec("default")))
    job = run_game(env, table, GameRecorder(ListSink(), "g0"), Models(), seed=1, given={"player_0": Slow()})
    with pytest.raises(RuntimeError, match="went to wait"):
        run_now(job)


def test_an_agent_is_given_its_view_and_no_more() -> None:
    env = new_env("murder", SHORT)
    seen: list[View] = []

    class Watcher(Stubborn):
        def act(self, view: View, request: Request) -> Any:
            seen.append(view)
            return super().act(view, request)

    agent = Watcher(None)
    seated(env, agent)
    assert {view.seat for view in seen} == {"player_0"}
    assert all(view is env.view("player_0") for view in seen)


def test_equal_seeds_give_equal_traces_but_for_the_clock() -> None:
    def stored(seed: int) -> list[dict[str, Any]]:
        trace = play("murder", ["liar", "detective", "random", "honest"], seed=seed, config={"seats": 4})
        lines = [trace.header, *trace.events, *trace.moves, trace.close]
        return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]

    assert stored(5) == stored(5)
    assert stored(5) != stored(6)


def test_a_game_can_be_watched_move_by_move() -> None:
    lengths: list[int] = []
    env = new_env("murder", SHORT)
    trace = play_table(
        env, seat_agents(env, ["default"] * 4), seed=1, watch=lambda env: lengths.append(len(env.ledger))
    )
    assert len(lengths) == len(trace.moves) + 1
    assert lengths == sorted(lengths)
    assert lengths[-1] == len(trace.events)


def test_a_game_is_appended_to_a_file(tmp_path: Path) -> None:
    for seed in (1, 2):
        play("murder", ["default"] * 4, seed=seed, config={"seats": 4}, path=tmp_path / "t.jsonl")
    closes = [json.loads(line)["type"] for line in (tmp_path / "t.jsonl").read_text().splitlines()].count(
        "close"
    )
    assert closes == 2


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        (["random"] * 3, "murder_v0 has 4 seats here, but 3 agents are given"),
        ({"player_0": "random"}, "agents must name each seat once; look at player_1, player_2, player_3"),
        ({f"player_{i}": "random" for i in range(5)}, "look at player_4"),
        (["random", "random", "random", "rendom"], "did you mean 'random'?"),
    ],
)
def test_a_wrong_line_up_is_refused(agents: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        play("murder", agents, seed=1, config={"seats": 4})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("game", "config", "lang", "message"),
    [
        ("murdr", {}, "en", "unknown game 'murdr': did you mean 'murder_v0'?"),
        ("murder", {"seat": 5}, "en", "murder_v0 config: unknown key 'seat'; did you mean 'seats'?"),
        ("murder", {"seats": 3}, "en", "seats: input should be greater than or equal to 4, got 3"),
        ("murder", {"seats": 5, "murderers": 2}, "en", "two murderers need at least 7 seats, got 5"),
        ("murder", {"render_mode": "human"}, "en", "'render_mode' is no rule of the game"),
        ("murder", {"lang": "en"}, "en", "'lang' is no rule of the game"),
        ("murder", {"shaping": {"kil": 1}}, "en", "unknown key 'shaping.kil'"),
        ("murder", {}, "xx", "no language 'xx' for murder: it has en"),
    ],
)
def test_a_wrong_game_is_refused_in_one_line(
    game: str, config: dict[str, Any], lang: str, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        new_env(game, config, lang)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_careful_line_up_follows_the_roles() -> None:
    env = new_env("murder", {"seats": 6})
    named = baseline(env, 3)
    env.reset(seed=3)
    assert {env.role[seat]: agent for seat, agent in named.items()} == {
        "murderer": "liar",
        "innocent": "detective",
    }
