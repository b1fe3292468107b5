"""`liecraft new-game`: the skeleton of a complete small game, as a package of its own or in the tree."""

from __future__ import annotations

import importlib.util
import keyword
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from liecraft import __version__
from liecraft.engine.errors import ConfigError
from liecraft.engine.registry import list_games

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
_TABLE = "GAMES: Mapping[str, str] = {\n"
_REGISTRY = Path("liecraft/engine/registry.py")

Tree = Mapping[str, str]
"""Path of a file to the templates that make it up, joined by `+`."""

PACKAGE: Tree = {
    ".gitignore": "gitignore",
    "README.md": "rules.md+commands.md",
    "pyproject.toml": "pyproject.toml",
    "tournament.yaml": "tournament.yaml",
    "src/@NAME@/__init__.py": "init.py",
    "src/@NAME@/bots.py": "bots.py",
    "src/@NAME@/env.py": "env.py",
    "src/@NAME@/prompts/en/events.md": "events.md",
    "src/@NAME@/prompts/en/intro.md": "intro.md",
    "src/@NAME@/prompts/en/request.md": "request.md",
    "src/@NAME@/prompts/en/system.md": "system.md",
    "tests/test_@NAME@.py": "test.py",
}
IN_TREE: Tree = {
    "games/@NAME@/README.md": "rules.md",
    "games/@NAME@/__init__.py": "init.py",
    "games/@NAME@/@NAME@_v0.py": "door.py",
    "games/@NAME@/bots.py": "bots.py",
    "games/@NAME@/env.py": "env.py",
    "prompts/@NAME@/en/events.md": "events.md",
    "prompts/@NAME@/en/intro.md": "intro.md",
    "prompts/@NAME@/en/request.md": "request.md",
    "prompts/@NAME@/en/system.md": "system.md",
    "tests/games/@NAME@/test_@NAME@.py": "test.py",
}


def new_game(name: str, into: Path, in_tree: bool) -> list[str]:
    """Write the skeleton of a game.

    Args:
        name: The game's name, without version; also its Python package.
        into: Where a folder `name` is made; in the tree, the root of a checkout of LieCraft.
        in_tree: Write the game into the checkout, its row in the registry included.

    Returns:
        The commands to go on with.

    Raises:
        ConfigError: The name can't be a game's, something is in the way, or nothing can be written there.
            Nothing has been left behind.
    """
    _check_name(name, in_tree)
    if not into.is_dir():
        raise ConfigError(f"--into {into}: there is no such folder; make it first")
    try:
        if in_tree:
            return _in_tree(name, into)
        return _package(name, into)
    except OSError as error:
        raise ConfigError(f"{error.filename or into}: {error.strerror}") from None


def _check_name(name: str, in_tree: bool) -> None:
    if not _NAME.match(name) or re.search(r"_v\d+\Z", name):
        raise ConfigError(
            f"{name!r} can't be a game's name: at most 40 of a-z, 0-9 and _, a letter first, no version at the end"
        )
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise ConfigError(f"{name!r} is a word of Python's own: choose another name")
    if any(known.rpartition("_v")[0] == name for known in list_games()):
        raise ConfigError(f"there is a game {name!r} already: choose another name")
    if not in_tree and importlib.util.find_spec(name) is not None:
        raise ConfigError(f"there is a Python module {name!r} already: choose another name")


def _package(name: str, into: Path) -> list[str]:
    target = into / name
    _refuse_existing(target)
    words = _words(name, module=name, prompts=f"{name}.prompts")
    with _staged(into) as stage:
        _write(stage / name, PACKAGE, words)
        (stage / name).rename(target)
    return [f"cd {target}", "pip install -e .", "python -m pytest", f"liecraft play {name} --watch"]


def _in_tree(name: str, root: Path) -> list[str]:
    registry = root / _REGISTRY
    if not registry.is_file():
        raise ConfigError(
            f"--in-tree wants the root of a checkout of LieCraft, and {root} has no {_REGISTRY}"
        )
    folders = [Path("games", name), Path("prompts", name), Path("tests", "games", name)]
    for folder in folders:
        _refuse_existing(root / folder)
    words = _words(name, module=f"liecraft.games.{name}", prompts=f"liecraft.prompts.{name}")
    row = f'    "{name}_v0": "liecraft.games.{name}.env:{words["CLASS"]}Env",\n'
    table = _with_row(registry.read_text("utf-8"), row)
    moved: list[Path] = []
    with _staged(root) as stage:
        _write(stage, IN_TREE, words)
        (stage / "registry.py").write_text(table, "utf-8")
        try:
            for folder in folders:
                (stage / folder).rename(root / folder)
                moved.append(root / folder)
            (stage / "registry.py").replace(registry)
        except OSError:
            for folder in moved:
                shutil.rmtree(folder)
            raise
    return [f"python -m pytest tests/games/{name}", f"liecraft play {name} --watch"]


def _with_row(source: str, row: str) -> str:
    """The registry's source with one more row in its table of games, in order of names."""
    before, table, rest = source.partition(_TABLE)
    rows, end, after = rest.partition("}\n")
    if not table or not end:
        raise ConfigError(f"{_REGISTRY} has no table of games that a row could be added to")
    return before + table + "".join(sorted([*rows.splitlines(keepends=True), row])) + end + after


def _refuse_existing(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise ConfigError(f"{path} exists already: choose another name or another folder")


def _words(name: str, module: str, prompts: str) -> dict[str, str]:
    """What stands in the templates' blanks."""
    camel = "".join(part.capitalize() for part in name.split("_"))
    imports = [
        "from liecraft.engine.world import World",
        "from liecraft.testing import check_game",
        f"from {module}.bots import BOTS",
        f"from {module}.env import THIEF, WITNESS, {camel}Env",
    ]
    return {
        "NAME": name,
        "DASHED": name.replace("_", "-").strip("-"),
        "CLASS": camel,
        "MODULE": module,
        "PROMPTS": prompts,
        "VERSION": __version__,
        "IMPORTS": "\n" + "\n".join(sorted(imports)),
    }


@contextmanager
def _staged(beside: Path) -> Iterator[Path]:
    """A folder on the same disk in which to write everything before any of it shows."""
    stage = Path(tempfile.mkdtemp(prefix=".new-game-", dir=beside))
    try:
        yield stage
    finally:
        shutil.rmtree(stage)


def _write(root: Path, tree: Tree, words: Mapping[str, str]) -> None:
    skeleton = files("liecraft.cli") / "skeleton"
    for path, templates in tree.items():
        parts = [(skeleton / f"{part}.tmpl").read_text("utf-8") for part in templates.split("+")]
        target = root / _filled(path, words)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_filled("".join(parts), words), "utf-8")


def _filled(text: str, words: Mapping[str, str]) -> str:
    for blank, word in words.items():
        text = text.replace(f"@{blank}@", word)
    return text
