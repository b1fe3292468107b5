"""`liecraft new-game`, and docs/write-a-game.md followed to the letter."""

from __future__ import annotations

import importlib.util
import itertools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import liecraft
from liecraft.cli import main
from liecraft.cli.new_game import new_game
from liecraft.engine import registry
from liecraft.testing import CheckFailed, Secrets, other_worlds, told_by
from liecraft.testing.noninterference import hidden_worlds
from liecraft.testing.templates import every_kind_has_a_template

ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs" / "write-a-game.md").read_text("utf-8")
BLOCK = re.compile(r"(?:<!-- (.+?) -->\n)?```(\w+)\n(.+?)^```$", re.MULTILINE | re.DOTALL)
NUMBERS = itertools.count()

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run the command line in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["liecraft", *arguments])
        code: Any = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        return code, *capsys.readouterr()

    return run


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, ModuleType, ModuleType]]:
    """A new game that is registered as its package would be: its name, its env module, its tests."""
    name = f"parlour_{next(NUMBERS)}"  # its own for each test, for Python keeps what it has imported
    new_game(name, tmp_path, in_tree=False)
    source = tmp_path / name / "src"
    info = source / f"{name}-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
    project = (tmp_path / name / "pyproject.toml").read_text()
    point = re.search(r'"liecraft.games"\]\n(.+)\n', project)
    assert point is not None
    (info / "entry_points.txt").write_text(f"[liecraft.games]\n{point[1]}\n".replace('"', ""))
    monkeypatch.syspath_prepend(str(source))
    registry._table.cache_clear()
    yield (
        name,
        importlib.import_module(f"{name}.env"),
        loaded(tmp_path / name / "tests" / f"test_{name}.py"),
    )
    registry._table.cache_clear()
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]


# --- what is written -----------------------------------------------------------------------------------------


def test_it_says_how_to_go_on_and_leaves_one_folder(run: Run, tmp_path: Path) -> None:
    code, out, err = run("new-game", "parlour")
    assert (code, err) == (0, "")
    assert out.splitlines()[:3] == ["cd parlour", "pip install -e .", "python -m pytest"]
    assert [path.name for path in tmp_path.iterdir()] == ["parlour"]
    written = {
        path.relative_to(tmp_path / "parlour").as_posix() for path in (tmp_path / "parlour").rglob("*.*")
    }
    assert {"pyproject.toml", "README.md", "tournament.yaml", "src/parlour/env.py"} <= written
    assert {f"src/parlour/prompts/en/{name}.md" for name in ("events", "system", "request")} <= written
    for path in (tmp_path / "parlour").rglob("*.*"):
        if path.is_file():
            assert not re.search(r"@[A-Z]+@", path.read_text("utf-8")), path
    assert len((tmp_path / "parlour" / "src" / "parlour" / "env.py").read_text().splitlines()) < 120


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Parlour"], "'Parlour' can't be a game's name: at most 40 of a-z, 0-9 and _"),
        (["my-game"], "can't be a game's name"),
        (["../up"], "can't be a game's name"),
        (["9lives"], "can't be a game's name"),
        (["parlour_v2"], "no version at the end"),
        (["a" * 41], "at most 40"),
        ([""], "can't be a game's name"),
        (["class"], "'class' is a word of Python's own"),
        (["murder"], "there is a game 'murder' already"),
        (["json"], "there is a Python module 'json' already"),
        (["liecraft"], "there is a Python module 'liecraft' already"),
        (["taken"], "taken exists already: choose another name or another folder"),
        (["parlour", "--into", "nowhere"], "--into nowhere: there is no such folder; make it first"),
        (["parlour", "--in-tree"], "--in-tree wants the root of a checkout of LieCraft"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_and_nothing_is_written(
    run: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine.txt").write_text("mine")
    code, out, err = run("new-game", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and message in err and err.count("\n") == 1
    assert [path.name for path in tmp_path.rglob("*")] == ["taken", "mine.txt"]


def test_a_folder_that_cannot_be_written_to_is_one_line(run: Run) -> None:
    code, out, err = run("new-game", "parlour", "--into", "/proc/self")
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and err.count("\n") == 1


# --- the game -------------------------------------------------------------------------------------------------


def test_the_new_game_plays_with_its_bots_and_in_a_tournament(
    game: tuple[str, ModuleType, ModuleType], run: Run, tmp_path: Path
) -> None:
    name, _, _ = game
    code, out, _ = run("play", name, "--watch", "--seed", "2")
    assert code == 0
    assert "something was stolen" in out and "is convicted." in out and "played by liar" in out
    code, out, _ = run("tournament", str(tmp_path / name / "tournament.yaml"), "--quiet")
    assert code == 0
    trace = liecraft.Run(tmp_path / "runs" / name).trace("0")
    assert trace.status == "finished"
    assert set(trace.close["rewards"].values()) != {0.0}


def test_lies_are_the_thief_s_and_guesses_are_bluffs(game: tuple[str, ModuleType, ModuleType]) -> None:
    _, module, tests = game
    (env_class,) = (value for key, value in vars(tests).items() if key.startswith("Parlour"))
    env = env_class(seats=3, rounds=1)
    env.reset(seed=1, options={"world": module.World(("thief", "witness", "guest"))})
    for move in ("accuse:player_2", "accuse:player_0", "accuse:player_1"):
        env.step(env.moves.index(move))
    found = [event.data["verdicts"][0]["class"] for event, _ in env.ledger if event.kind == "verdicts"]
    assert found == ["lie", "true", "bluff"]


def test_its_own_tests_pass_but_for_the_long_one(game: tuple[str, ModuleType, ModuleType]) -> None:
    _, _, tests = game
    tests.test_ballots_are_secret_until_the_last_is_in()
    tests.test_the_scripted_players_are_there()
    (mark,) = tests.test_the_thief_escapes_unless_it_alone_has_the_most_votes.pytestmark
    for case in mark.args[1]:
        tests.test_the_thief_escapes_unless_it_alone_has_the_most_votes(*case.values)


def test_its_oracle_passes_it_and_finds_leaks(game: tuple[str, ModuleType, ModuleType]) -> None:
    _, _, tests = game
    (honest,) = (value for key, value in vars(tests).items() if key.startswith("Parlour"))
    secrets = Secrets(other_worlds, tests.entitled)
    assert hidden_worlds(honest, secrets, pairs=40, seed=0).decisions > 40
    every_kind_has_a_template(honest, games=3, seed=0)

    def spread(env: Any, seats: Any, kind: str, actor: Any = None, /, **data: Any) -> Any:
        """Tells everyone what only the witness may know."""
        return honest.tell(env, env.seats if kind == "saw" else seats, kind, actor, **data)

    leaking = type("Leaking", (honest,), {"tell": spread})
    with pytest.raises(CheckFailed, match="hidden_worlds"):
        hidden_worlds(leaking, secrets, pairs=40, seed=0)
    hidden_worlds(leaking, Secrets(other_worlds, told_by(["saw"])), pairs=40, seed=0)  # as the doc warns


# --- in the tree ----------------------------------------------------------------------------------------------


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """As much of a checkout as the command looks at."""
    root = tmp_path / "checkout"
    for folder in ("games", "prompts", "tests/games", "liecraft/engine"):
        (root / folder).mkdir(parents=True)
    shutil.copy(ROOT / "liecraft" / "engine" / "registry.py", root / "liecraft" / "engine")
    return root


def names(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def test_in_the_tree_it_is_three_folders_and_one_row(run: Run, checkout: Path) -> None:
    before = (checkout / "liecraft" / "engine" / "registry.py").read_text().splitlines()
    code, out, err = run("new-game", "heist", "--in-tree", "--into", str(checkout))
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "python -m pytest tests/games/heist"
    written = {name.partition("/heist")[0] for name in names(checkout)} - {"liecraft/engine/registry.py"}
    assert written == {"games", "prompts", "tests/games"}
    after = (checkout / "liecraft" / "engine" / "registry.py").read_text().splitlines()
    (row,) = [line for line in after if line not in before]
    assert row == '    "heist_v0": "liecraft.games.heist.env:HeistEnv",'
    rows = [line for line in after if line.startswith('    "') and "_v0" in line]
    assert rows == sorted(rows)
    assert [line for line in after if line != row] == before


def test_in_the_tree_nothing_is_left_of_what_fails(run: Run, checkout: Path) -> None:
    (checkout / "tests" / "games").rmdir()
    before = names(checkout)
    code, _, err = run("new-game", "heist", "--in-tree", "--into", str(checkout))
    assert code == 2 and err.count("\n") == 1
    assert names(checkout) == before
    assert not list((checkout / "games").iterdir()) and not list((checkout / "prompts").iterdir())


def test_in_the_tree_an_existing_folder_is_refused(run: Run, checkout: Path) -> None:
    (checkout / "prompts" / "heist").mkdir()
    before = names(checkout)
    code, _, err = run("new-game", "heist", "--in-tree", "--into", str(checkout))
    assert code == 2 and "prompts/heist exists already" in err
    assert names(checkout) == before


# --- the doc --------------------------------------------------------------------------------------------------


def blocks(*languages: str) -> list[tuple[str, str]]:
    """The doc's blocks of code in these languages, with the note above each."""
    return [(note, code) for note, language, code in BLOCK.findall(DOC) if language in languages]


def test_every_block_of_the_doc_is_one_that_is_tested() -> None:
    assert DOC.count("```") == 2 * len(BLOCK.findall(DOC))
    for note, language, _ in BLOCK.findall(DOC):
        assert language in ("sh", "python", "jinja", "toml"), language
        assert note or language == "sh", "say of which file it is a piece"


def test_the_doc_shows_the_whole_env_and_true_pieces_of_the_rest(tmp_path: Path) -> None:
    new_game("demo", tmp_path, in_tree=False)
    env = (tmp_path / "demo" / "src" / "demo" / "env.py").read_text("utf-8")
    pieces = "".join(code for note, code in blocks("python") if note == "src/demo/env.py")
    assert [line for line in pieces.splitlines() if line] == [line for line in env.splitlines() if line]
    for note, code in blocks("python", "jinja", "toml"):
        if not note.startswith("run "):
            assert code.strip("\n") in (tmp_path / "demo" / note).read_text("utf-8"), note


@pytest.mark.slow
def test_the_doc_followed_to_the_letter(tmp_path: Path) -> None:
    """In an environment of its own, that sees the packages of this one."""
    home = tmp_path / "env"
    venv.create(home, with_pip=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    links = home / "lib" / version / "site-packages" / "ours.pth"
    links.write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    command = [str(home / "bin" / "python"), "-c", "from liecraft.cli import main; main()", '"$@"']
    script = home / "bin" / "liecraft"
    script.write_text(f"#!/bin/sh\nexec {command[0]} -c '{command[2]}' {command[3]}\n")
    script.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    shell = partial(_shell, PATH=f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}", COLUMNS="200")
    told, folder = [], work
    for note, code in blocks("sh", "python"):
        if note.startswith("run "):
            (folder / note.removeprefix("run ")).write_text(code)
            told.append(shell(f"python {note.removeprefix('run ')}", folder))
        elif not note:
            told.append(shell(code, folder))
            folder = work / "demo"
    tests, lists, leak, policy, cup = told
    assert "7 passed" in tests
    assert "demo_v0" in lists and "Roles: " in lists and "[player_0] Your role: " in lists
    assert leak == "hidden_worlds\n"
    assert len(policy.splitlines()) == 4
    assert "Win rate" in cup and "200" in cup and "Your role: " in cup


@pytest.mark.slow
def test_the_doc_s_way_into_the_tree(tmp_path: Path) -> None:
    """In a copy of the checkout, whose linters the new game must please too."""
    root = tmp_path / "checkout"
    root.mkdir()
    for name in ("liecraft", "games", "prompts", "evaluators"):
        shutil.copytree(ROOT / name, root / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / "tests" / "games").mkdir(parents=True)
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "liecraft").write_text(f'#!/bin/sh\nexec {sys.executable} -m liecraft "$@"\n')
    (bin_ / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    for script in bin_.iterdir():
        script.chmod(0o755)
    ((_, code),) = [block for block in blocks("sh") if block[0] == "in a checkout"]
    path = f"{bin_}{os.pathsep}{os.environ['PATH']}"
    told = _shell(code, root, PATH=path, PYTHONPATH=str(root), PYTHONDONTWRITEBYTECODE="1")
    assert "7 passed" in told and "Winner: " in told
    for linter in (
        "ruff check games tests",
        "ruff format --check games tests",
        "mypy liecraft/games/parlour tests",
    ):
        _shell(f"{Path(sys.executable).parent}/{linter}", root, PATH=path)


def _shell(code: str, folder: Path, **environment: str) -> str:
    child = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        cwd=folder,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, f"{code}\n{child.stdout}\n{child.stderr}"
    return child.stdout
