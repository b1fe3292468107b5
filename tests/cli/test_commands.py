from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import liecraft
from liecraft.cli import main
from liecraft.tournament.store import Run
from tests.agents.players import answering, modelled
from tests.fault_server import FaultServer, ok, status

ROOT = Path(__file__).parents[2]
HEAVY = (
    "numpy",
    "pydantic",
    "openai",
    "pettingzoo",
    "jinja2",
    "networkx",
    "autogen_core",
    "scipy",
    "aiohttp",
)
SHORT = ["--set", "seats=4", "--set", "rounds=2", "--set", "first_kill=9", "--set", "discussion_rounds=1"]


class Result(NamedTuple):
    code: int
    out: str
    err: str


Command = Callable[..., Result]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command line in this process."""
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["liecraft", *arguments])
        code: Any = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Result(code, out, err)

    return run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one run, `cup`: four short games of scripted agents."""
    folder = tmp_path_factory.mktemp("runs")
    config = {"seats": 4, "rounds": 4}
    fields: dict[str, Any] = {"game": "murder", "config": config, "entrants": ["liar", "honest"], "games": 4}
    liecraft.Tournament(name="cup", runs=folder, **fields).run(progress=False)
    return folder


def shell(*arguments: str, code: str = "") -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", code] if code else [sys.executable, "-m", "liecraft"]
    return subprocess.run([*line, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


# --- help and light start ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["games", "play", "tournament", "scores", "replay"])
def test_every_command_has_help(command: Command, name: str) -> None:
    done = command(name, "--help")
    assert done.code == 0
    assert "Usage:" in done.out
    assert "--json" in done.out


def test_the_help_lists_the_commands(command: Command) -> None:
    done = command("--help")
    assert done.code == 0
    for name in ("games", "play", "tournament", "scores", "replay"):
        assert name in done.out


def test_no_arguments_show_the_help(command: Command) -> None:
    assert "Usage:" in command().out


def test_starting_the_command_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom liecraft.cli import main\nsys.argv = ['liecraft', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"sys.stderr.write(' '.join(name for name in {HEAVY!r} if name in sys.modules))"
    )
    done = shell(code=code)
    assert "Usage:" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["play"],
        ["play", "murder", "--sed", "7"],
        ["play", "murder", "--seed", "-1"],
        ["replay", "x"],
    ],
)
def test_wrong_usage_is_exit_code_2(command: Command, arguments: list[str]) -> None:
    done = command(*arguments)
    assert done.code == 2
    assert done.out == ""


# --- games ---------------------------------------------------------------------------------------------------


def test_games_are_listed_with_seats_roles_and_agents(command: Command) -> None:
    shown = command("games").out
    assert "murder_v0" in shown
    facts = {fact["game"]: fact for fact in json.loads(command("games", "--json").out)}
    assert sorted(facts) == liecraft.list_games()
    murder = facts["murder_v0"]
    assert murder["seats"] == [4, 12]
    assert murder["roles"] == {"murderer": "deceivers", "innocent": "truthful"}
    assert {"random", "detective", "liar", "llm", "autogen"} <= set(murder["agents"])


# --- play ----------------------------------------------------------------------------------------------------


def test_a_game_is_played_and_its_end_told(command: Command) -> None:
    done = command("play", "murder", "--seed", "7", *SHORT)
    assert done.code == 0
    assert "Winner: " in done.out
    assert done.out.count("played by liar") == 1
    assert done.out.count("played by detective") == 3
    assert "-- Round 1 --" not in done.out


def test_play_gives_json(command: Command) -> None:
    data = json.loads(command("play", "murder", "--seed", "7", "--json", *SHORT).out)
    assert data["status"] == "finished"
    assert len(data["roles"]) == len(data["seats"]) == len(data["rewards"]) == 4
    again = json.loads(command("play", "murder", "--seed", "7", "--json", "--watch", *SHORT).out)
    assert again["digest"] == data["digest"]


def lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


def test_watching_shows_what_is_public_and_no_more(command: Command) -> None:
    public = command("play", "murder", "--seed", "7", "--watch", *SHORT).out
    assert "-- Round 1 --" in public
    assert "Votes: " in public
    for secret in ("Your role", "you are in the", "decides in secret", "Dealt:", "in truth"):
        assert secret not in public


def test_a_seat_s_view_shows_its_own_private_lines_and_nobody_else_s(command: Command) -> None:
    eyes = {
        f"player_{i}": command("play", "murder", "--seed", "7", "--as", f"player_{i}", *SHORT).out
        for i in range(4)
    }
    roles = json.loads(command("play", "murder", "--seed", "7", "--json", *SHORT).out)["roles"]
    god = command("play", "murder", "--seed", "7", "--god", *SHORT).out
    for seat, shown in eyes.items():
        assert shown.count("Your role: ") == 1
        assert f"Your role: {roles[seat]}." in shown
        assert "decides in secret" not in shown
        assert "in truth" not in shown
        private = {line.removeprefix(f"[{seat}] ") for line in lines_of(god) if line.startswith(f"[{seat}] ")}
        others = {line.partition("] ")[2] for line in lines_of(god) if line.startswith("[player_")} - private
        assert private <= set(lines_of(shown))
        assert not others & set(lines_of(shown))


def test_god_sees_everything(command: Command) -> None:
    god = command("play", "murder", "--seed", "7", "--god", *SHORT).out
    for secret in ("Dealt:", "[player_0] Your role:", "decides in secret"):
        assert secret in god


def test_a_failed_game_tells_no_secrets_and_is_exit_code_1(command: Command) -> None:
    with FaultServer(status(401)) as server:
        model = ["--model", "m", "--base-url", server.base_url]
        done = command("play", "murder", "--seed", "7", "--as", "player_2", *model, *SHORT)
        god = command("play", "murder", "--seed", "7", "--god", *model, *SHORT)
    assert done.code == god.code == 1
    assert "The game failed at player_0" in done.out
    assert "auth" in done.out
    assert [line for line in lines_of(done.out) if "played by" in line] == [
        line for line in lines_of(god.out) if line.startswith("player_2") and "played by" in line
    ]


def test_words_of_agents_are_never_markup(command: Command) -> None:
    said = "[red]blood[/red] [bold]x[/bold] :skull: [link=file:///x]y[/link]\x1b[31m"
    with FaultServer(ok(answering(lambda body: said))) as server:
        model = ["--model", "m", "--base-url", server.base_url]
        done = command("play", "murder", "--seed", "7", "--watch", *model, *SHORT)
    assert "[red]blood[/red] [bold]x[/bold] :skull: [link=file:///x]y[/link]" in done.out
    assert "\x1b" not in done.out


def test_agents_are_seated_in_order_and_go_round(command: Command) -> None:
    seats = json.loads(command("play", "murder", "--json", "--agents", "liar, honest", *SHORT).out)["seats"]
    assert list(seats.values()) == ["liar", "honest", "liar", "honest"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["murdr"], "unknown game 'murdr': did you mean 'murder_v0'?"),
        (["murder", "--agents", "lair"], "unknown agent 'lair': did you mean 'liar'?"),
        (["murder", "--agents", ",".join(["random"] * 7)], "7 agents for 6 seats: name at most 6"),
        (["murder", "--set", "seats=99"], "seats: input should be less than or equal to 12, got 99"),
        (["murder", "--set", "seat=5"], "unknown key 'seat'; did you mean 'seats'?"),
        (["murder", "--set", "seats"], "--set seats: write it as KEY=VALUE"),
        (["murder", "--set", "seats=["], "the value is not YAML"),
        (["murder", "--set", "seats=5", "--set", "seats.a=1"], "seats is already set to a value"),
        (["murder", "--set", "lang=zh"], "'lang' is no rule of the game"),
        (["murder", "--as", "player_9"], "unknown seat 'player_9'"),
        (["murder", "--as", "player_1", "--god"], "--as and --god exclude each other"),
        (["murder", "--lang", "xx"], "no language 'xx'"),
        (["murder", "--model-path", "nowhere.gguf"], "cannot read nowhere.gguf"),
        (["murder", "--model", "m", "--base-url", "nonsense"], "is no http(s) URL"),
        (["murder", "--model", "m", "--model-path", "x.gguf"], "model_path is for model: embedded"),
    ],
)
def test_what_a_user_can_mend_is_one_line_and_exit_code_2(
    command: Command, arguments: list[str], message: str
) -> None:
    done = command("play", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert len(lines_of(done.err)) == 1
    assert done.err.startswith("error: ")


# --- tournament, scores, replay ------------------------------------------------------------------------------


def test_a_tournament_prints_its_table_and_says_where_it_is(command: Command, tmp_path: Path) -> None:
    config = tmp_path / "cup.yaml"
    config.write_text("game: murder\nentrants: [liar, honest]\ngames: 2\nconfig: {seats: 4}\n")
    done = command("tournament", str(config), "--runs", str(tmp_path))
    assert done.code == 0
    assert "Win rate" in done.out
    assert f"run: {tmp_path / 'cup'}" in done.err
    assert "2 of 2 games" in done.err
    named = command("tournament", str(config), "--runs", str(tmp_path), "--name", "other", "--quiet")
    assert (named.code, named.out) == (0, "")
    data = json.loads(command("tournament", str(config), "--runs", str(tmp_path), "--json").out)
    assert data["run"] == str(tmp_path / "cup-2")
    assert data["play"] == json.loads((tmp_path / "cup" / "results.json").read_text())["play"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("game: murdr\nentrants: [liar]\ngames: 1\n", "unknown game 'murdr'"),
        ("game: murder\nentrants: [liar, honest]\ngames: 3\n", "use 2 or 4"),
        ("game: [", "not good YAML"),
    ],
)
def test_a_wrong_tournament_is_one_line_and_makes_no_folder(
    command: Command, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "cup.yaml").write_text(text)
    done = command("tournament", str(tmp_path / "cup.yaml"), "--runs", str(tmp_path / "runs"))
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert len(lines_of(done.err)) == 1
    assert not (tmp_path / "runs").exists()


def test_scores_are_printed_and_given_as_json(command: Command, runs: Path) -> None:
    assert "Win rate" in command("scores", "cup", "--runs", str(runs)).out
    by_name = command("scores", "cup", "--runs", str(runs), "--json")
    by_path = command("scores", str(runs / "cup"), "--json")
    assert by_name.out == by_path.out
    data = json.loads(by_name.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert set(data) == {"play", "timings"}
    assert data["play"]["games"]["finished"] == 4


def test_a_stored_game_is_shown_again(command: Command, runs: Path) -> None:
    public = command("replay", "cup", "0", "--runs", str(runs))
    assert public.code == 0
    assert "-- Round 1 --" in public.out
    assert "Your role" not in public.out
    assert "g000000: finished; " in public.out
    seat = command("replay", "cup", "g000000", "--as", "player_1", "--runs", str(runs)).out
    assert seat.count("Your role") == 1
    god = command("replay", "cup", "0", "--god", "--runs", str(runs)).out
    assert god.count("Your role") == 4
    assert set(lines_of(public.out)) <= set(lines_of(god))


def test_a_stored_game_as_json_is_its_lines_or_what_a_seat_saw(command: Command, runs: Path) -> None:
    trace = Run(runs / "cup").trace("1")
    lines = json.loads(command("replay", "cup", "1", "--json", "--runs", str(runs)).out)
    assert lines[0] == trace.header
    assert lines[-1] == trace.close
    assert [line for line in lines if line["type"] == "event"] == trace.events
    seen = json.loads(command("replay", "cup", "1", "--json", "--as", "player_2", "--runs", str(runs)).out)
    assert len(seen) == len(trace.view("player_2"))
    told = [(event.kind, event.actor) for event in trace.view("player_2")]
    assert [(line["kind"], line["actor"]) for line in seen] == told
    assert all(set(line) == {"kind", "actor", "data"} for line in seen)  # no place, no audience: both tell


def test_prompts_are_shown_to_god_alone_the_failing_call_included(command: Command, tmp_path: Path) -> None:
    with FaultServer([ok(answering()), status(401)]) as server:
        fields: dict[str, Any] = {"game": "murder", "config": {"seats": 4}, "games": 1}
        entrants = {"m": modelled(server.base_url)}
        liecraft.Tournament(name="t", entrants=entrants, runs=tmp_path, **fields).run(progress=False)
    shown = command("replay", str(tmp_path / "t"), "0", "--god", "--prompts").out
    assert "player_0 <- system: You are a guest" in shown
    assert 'player_0 -> "{' in shown
    assert "player_1 -> 127.0.0.1" in shown
    assert "auth" in shown
    refused = command("replay", str(tmp_path / "t"), "0", "--as", "player_0", "--prompts")
    assert (refused.code, refused.out) == (2, "")
    assert "give --god" in refused.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scores", "nowhere"], "nowhere is not a run: it has no manifest.json"),
        (["replay", "nowhere", "0"], "nowhere is not a run"),
        (["replay", "cup", "99"], "has no finished game g000099"),
        (["replay", "cup", "nonsense"], "has no finished game nonsense"),
        (["replay", "cup", "0", "--as", "player_7"], "unknown seat 'player_7'"),
        (["replay", "cup", "0", "--as", "player_1", "--god"], "exclude each other"),
    ],
)
def test_an_unknown_run_game_or_seat_is_one_line(
    command: Command, runs: Path, arguments: list[str], message: str
) -> None:
    done = command(*arguments, "--runs", str(runs))
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert len(lines_of(done.err)) == 1


def test_a_broken_run_is_one_line(command: Command, tmp_path: Path, runs: Path) -> None:
    import shutil

    shutil.copytree(runs / "cup", tmp_path / "cup")
    shard = tmp_path / "cup" / "traces" / "00000.jsonl"
    shard.write_text("{\n" + shard.read_text())
    for arguments in (["scores", "cup"], ["replay", "cup", "0"]):
        done = command(*arguments, "--runs", str(tmp_path))
        assert (done.code, done.out) == (2, "")
        assert "00000.jsonl:1: " in done.err
        assert len(lines_of(done.err)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "play murder --god --set rounds=60 --set first_kill=60 --agents honest",
        "replay cup 0 --god --json",
        "games --json",
    ],
)
def test_a_reader_that_leaves_early_gets_no_traceback(runs: Path, line: str) -> None:
    tail = f" --runs {runs}" if line.startswith("replay") else ""
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m liecraft {line}{tail} | head -c 10; exit ${{PIPESTATUS[1]}}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert len(done.stdout) == 10
    assert done.stderr == ""
