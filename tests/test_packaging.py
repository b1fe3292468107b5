"""What a user of the wheel gets: every module, every prompt, every game, importable outside the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PHYSICAL = ["liecraft", "games", "prompts", "evaluators"]
USE_IT = """
import importlib.resources, liecraft.evaluators.statistics, liecraft.games, liecraft.prompts
print(liecraft.games.__file__)
print(sum(1 for _ in importlib.resources.files(liecraft.prompts).iterdir()))
"""

pytestmark = pytest.mark.slow


def _run(*command: str | Path, cwd: Path, **env: str) -> str:
    child = subprocess.run(
        command, cwd=cwd, env=os.environ | env, capture_output=True, text=True, check=False
    )
    assert child.returncode == 0, f"{command}\n{child.stdout}{child.stderr}"
    return child.stdout


@dataclass(frozen=True, slots=True)
class Built:
    wheel: Path
    source: Path  # the copy that it was built from


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build the sdist, and the wheel from it, in a copy: a build folder in the checkout would be found again."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("out")
    for name in [*PHYSICAL, "pyproject.toml", "README.md", "LICENSE"]:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, source / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy(ROOT / name, source / name)
    _run(sys.executable, "-m", "build", "--outdir", out, source, cwd=out)
    (wheel,) = out.glob("*.whl")
    return Built(wheel, source)


def _names_in_package(source: Path) -> set[str]:
    """Return every source file by its name in the package."""
    files = set()
    for folder in PHYSICAL:
        prefix = Path() if folder == "liecraft" else Path("liecraft")
        for path in (source / folder).rglob("*"):
            if path.is_file():
                files.add((prefix / path.relative_to(source)).as_posix())
    return files


def test_the_wheel_holds_every_file(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    missing = _names_in_package(built.source) - packed
    assert not missing, "give its suffix a line in tool.setuptools.package-data"
    assert packed == _names_in_package(built.source)
    assert {"liecraft/py.typed", "liecraft/games/__init__.py", "liecraft/prompts/__init__.py"} <= packed


def test_the_wheel_works_outside_the_checkout(built: Built, tmp_path: Path) -> None:
    target = tmp_path / "site"
    _run(
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--target",
        target,
        built.wheel,
        cwd=tmp_path,
    )
    origin, prompts = _run(sys.executable, "-c", USE_IT, cwd=tmp_path, PYTHONPATH=str(target)).split()
    assert Path(origin) == target / "liecraft" / "games" / "__init__.py"
    assert int(prompts) >= sum(1 for path in (built.source / "prompts").iterdir())
