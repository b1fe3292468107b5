"""Agents from outside the package, `module:factory`: as good as the package's own, and refused as clearly."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Awaitable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
import yaml
from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.replay import ReplayChatCompletionClient

from liecraft.agents.autogen import AssistantSeat
from liecraft.agents.catalog import spec
from liecraft.arena import new_env, play, play_table, seat_agents
from liecraft.engine.agent import Reply, Request
from liecraft.engine.errors import ConfigError
from liecraft.engine.ledger import View
from liecraft.tournament.run import Tournament
from liecraft.tournament.verify import verify
from tests.agents.players import SHORT
from tests.fault_server import FaultServer, ok

EXAMPLES = Path(__file__).parents[2] / "examples"
HERE = "tests.agents.test_own"
DEAF = SimpleNamespace()


class First:
    """Plays the first legal move."""

    def __init__(self, rng: np.random.Generator, patience: int = 0) -> None:
        pass

    def act(self, view: View, request: Request) -> Reply:
        return Reply(request.legal[0])


def without_key(rng: np.random.Generator) -> First:
    raise PermissionError("sk-live-0815 is no key")


def wrong_key(rng: np.random.Generator) -> First:
    raise ValueError("sk-live-0815\nis no key")


def other_game(rng: np.random.Generator) -> AssistantSeat:
    return AssistantSeat(AssistantAgent("a", ReplayChatCompletionClient([])), "muder")


def any_options(rng: np.random.Generator, **options: Any) -> First:
    return First(rng)


def without_rng() -> None:
    pass


def leaves(rng: np.random.Generator) -> First:
    sys.exit(0)


class Unclosable(First):
    def close(self) -> None:
        raise OSError("sk-live-0815")


class Brittle(First):
    """Can be tried out, and not made for a game."""

    def __init__(self, rng: np.random.Generator) -> None:
        if rng.random() != np.random.default_rng(0).random():
            raise OSError("sk-live-0815")


def no_agent(rng: np.random.Generator) -> object:
    return DEAF


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nowhere:Agent", "no module 'nowhere': install it, or put its folder on PYTHONPATH"),
        (f"{HERE}:Last", f"module '{HERE}' has no attribute 'Last'"),
        (f"{HERE}:DEAF", "is no class or function that makes an agent"),
        (f"{HERE}:no_agent", "makes a SimpleNamespace, which has no method act"),
        (f"{HERE}:without_key", "can't be made: PermissionError"),
        (f"{HERE}:wrong_key", "can't be made: ValueError"),
        (f"{HERE}:other_game", "unknown game 'muder': did you mean"),
        ({"agent": f"{HERE}:First", "rng": 7}, "multiple values for argument 'rng'"),
        ("builtins:dict", "agent 'builtins:dict'"),
        ({"agent": f"{HERE}:First", "patienc": 1}, "did you mean 'patience'?"),
        ({"agent": f"{HERE}:First", "patience": "much"}, "patience: input should be a valid integer"),
        (":First", "agent ':First': name it module:factory"),
        (f"{HERE}:", f"agent '{HERE}:': name it module:factory"),
        ("my_agents.py:Shy", "name it module:factory, such as my_agents:Shy"),
        ("my_agents.Shy", "one of your own is named module:factory, such as my_agents:Shy"),
        (f"{HERE}:without_rng", "its factory takes rng, then the parameters: too many positional arguments"),
        (f"{HERE}:leaves", "can't be made: SystemExit"),
        (f"{HERE}:Unclosable", "can't be closed: OSError"),
    ],
)
def test_an_own_agent_that_can_t_play_is_refused_in_one_line(given: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        spec(given, "murder_v0")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "0815" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("class Agent(", "'(' was never closed"),
        ("import os\nos.environ['sk-live-0815']", "can't be imported: KeyError"),
        ("import nowhere_at_all", "no module 'nowhere_at_all'"),
        ("import sys\nsys.exit(0)", "can't be imported: SystemExit"),
    ],
)
def test_a_module_that_can_t_be_imported_is_one_line(
    source: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "unusable.py").write_text(source)
    with pytest.raises(ConfigError) as caught:
        spec("unusable:Agent", "murder_v0")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "0815" not in str(caught.value)


def test_an_own_agent_plays() -> None:
    trace = play("murder", [{"agent": f"{HERE}:First"}, "random", "random", "random"], seed=2, config=SHORT)
    assert trace.status == "finished"
    mine = [move for move in trace.moves if move["seat"] == "player_0"]
    assert mine
    assert {move["how"] for move in mine} == {"scripted"}


class Holding(First):
    """Holds something open, and some let go of it later or not at all."""

    closed: ClassVar[list[str]] = []

    def __init__(self, rng: np.random.Generator, way: str = "at once") -> None:
        self._way = way
        self._played = False

    def act(self, view: View, request: Request) -> Reply:
        self._played = True
        return super().act(view, request)

    def close(self) -> Awaitable[None] | None:
        if self._way == "fails" and self._played:
            raise OSError("sk-live-0815")
        if self._way == "later":
            return self._later()
        self.closed.append("at once")
        return None

    async def _later(self) -> None:
        await asyncio.sleep(0.01)
        self.closed.append("later")


def test_an_own_agent_is_closed_with_its_game(caplog: pytest.LogCaptureFixture) -> None:
    Holding.closed.clear()
    env = new_env("murder", SHORT)
    seats = [{"agent": f"{HERE}:Holding", "way": way} for way in ("at once", "fails", "later", "at once")]
    table = seat_agents(env, seats)
    assert Holding.closed == ["at once", "at once", "later", "at once"], (
        "those that were made to see if they can be"
    )
    Holding.closed.clear()
    trace = play_table(env, table, seed=2)
    assert trace.status == "finished"
    assert Holding.closed == ["at once", "later", "at once"]
    [record] = caplog.records
    assert record.getMessage().startswith("an agent could not be closed: OSError at test_own.py:")


def test_an_own_factory_that_fails_ends_its_own_game_and_no_other(tmp_path: Path) -> None:
    cup = {"name": "cup", "game": "murder", "config": SHORT, "concurrency": 1}
    entrants = {"b": f"{HERE}:Brittle", "r": "random"}
    run = Tournament(
        {**cup, "matches": [{"entrants": ["b"], "games": 1}, {"entrants": ["r"], "games": 3}]},
        entrants=entrants,
        runs=tmp_path,
    ).run(progress=False)
    first, *others = run.traces()
    assert first.status == "failed"
    assert first.close["failure"]["kind"] == "agent"
    assert first.close["failure"]["message"].startswith("OSError at test_own.py:")
    assert [trace.status for trace in others] == ["finished"] * 3


def test_a_run_does_not_go_on_with_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    mine = tmp_path / "mine_4711.py"
    mine.write_text((EXAMPLES / "own_agents.py").read_text())
    fields: dict[str, Any] = {"name": "cup", "game": "murder", "config": SHORT, "games": 2}
    entrants = {"me": "mine_4711:Follower", "r": "random"}
    cup = Tournament(entrants=entrants, runs=tmp_path / "runs", **fields)
    run = cup.run(progress=False)
    assert list(run.manifest["own_code"]) == ["mine_4711:Follower"]
    cup.run(progress=False, resume=True)
    mine.write_text(mine.read_text() + "# another one\n")
    with pytest.raises(ConfigError, match=r"can't resume .*own_code\.mine_4711:Follower is "):
        cup.run(progress=False, resume=True)


def test_a_factory_may_take_any_parameter() -> None:
    assert spec({"agent": f"{HERE}:any_options", "whatever": 1}, "murder_v0").params == {"whatever": 1}


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)


@pytest.mark.usefixtures("examples")
def test_the_example_s_strategies_play_the_same_games_in_two_workers_and_can_be_verified(
    tmp_path: Path,
) -> None:
    fields = {**yaml.safe_load((EXAMPLES / "own_agents.yaml").read_text()), "games": 12}
    one = Tournament(fields, runs=tmp_path / "one").run(progress=False)
    two = Tournament(fields, runs=tmp_path / "two").run(progress=False, workers=2)
    digests = [[trace.close["digest"] for trace in run.traces()] for run in (one, two)]
    assert digests[0] == digests[1]
    assert [verdict.difference for verdict in verify(two)] == [None] * 12


def test_the_command_finds_own_agents_in_the_folder_one_is_in(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text((EXAMPLES / "own_agents.py").read_text())
    cup = {"name": "cup", "game": "murder", "entrants": {"me": {"agent": "mine:Follower"}}, "games": 4}
    (tmp_path / "cup.yaml").write_text(yaml.safe_dump(cup))
    # -P keeps the folder off the path that `python -m` would put there itself, and the installed command does not.
    command = [sys.executable, "-P", "-m", "liecraft", "tournament", "cup.yaml", "--workers", "2"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    command = [sys.executable, "-P", "-m", "liecraft", "replay", "cup", "--verify"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (
        0,
        "cup: 4 games played again, 0 calls recalled, all digests equal\n",
    )


@pytest.mark.usefixtures("examples")
@pytest.mark.filterwarnings("ignore:Resolved model mismatch")
def test_the_example_s_autogen_assistant_plays_over_its_own_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-own-4711")

    def reply(body: dict[str, Any]) -> str:
        """What a model makes of the menu in the prompt: nobody sends it a schema."""
        asked = body["messages"][-1]["content"]
        return '{"move": "say", "say": "Hm."}' if "2 say," in asked else "1"

    with FaultServer(ok(reply)) as server:
        mine = {"agent": "own_agents:strategist", "model": "m", "base_url": server.base_url}
        trace = play(
            "murder", [mine, "default", "default", "default"], seed=1, config=SHORT, path=tmp_path / "t"
        )
        assert server.count > 2
        assert all("You play to win" in each.body["messages"][0]["content"] for each in server.requests)
        assert all(each.headers["Authorization"] == "Bearer sk-own-4711" for each in server.requests)
    assert trace.status == "finished"
    hows = {move["how"] for move in trace.moves if move["seat"] == "player_0"}
    assert hows == {"structured", "menu"}
    assert "4711" not in (tmp_path / "t").read_text()


@pytest.mark.usefixtures("examples")
def test_an_own_assistant_without_a_key_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="agent 'own_agents:strategist' can't be made: OpenAIError"):
        spec("own_agents:strategist", "murder_v0")


def test_the_code_in_the_doc_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    doc = (EXAMPLES.parent / "docs" / "write-an-agent.md").read_text("utf-8")
    scripted, assistant = re.findall(r"```python\n(.*?)```", doc, re.DOTALL)
    (tmp_path / "my_agents.py").write_text(scripted)
    (tmp_path / "my_assistants.py").write_text(assistant)
    config = re.findall(r"```yaml\n(entrants:.*?)```", doc, re.DOTALL)[0]
    run = Tournament(
        name="doc", game="murder", config=SHORT, games=4, runs=tmp_path, **yaml.safe_load(config)
    ).run(progress=False)
    assert [trace.status for trace in run.traces()] == ["finished"] * 4
    assert spec("my_assistants:strategist", "murder_v0").waits
