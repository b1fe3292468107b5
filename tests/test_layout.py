"""The checkout's own shape: links, guards, versions, the README's commands, the closed network."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import liecraft

ROOT = Path(__file__).resolve().parent.parent
LINKED = ["games", "prompts", "evaluators"]


@pytest.mark.parametrize("name", LINKED)
def test_a_linked_folder_is_the_same_folder(name: str) -> None:
    """A copy would drift; on a system that lost the link there is no folder at all."""
    assert (ROOT / "liecraft" / name).resolve() == (ROOT / name).resolve()
    assert (ROOT / name / "__init__.py").is_file()


@pytest.mark.parametrize("name", LINKED)
def test_the_short_name_cannot_be_imported(name: str) -> None:
    """Else each class in it would exist twice."""
    child = subprocess.run(
        [sys.executable, "-c", f"import {name}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert child.returncode == 1
    assert f"ImportError: import liecraft.{name}, not {name}" in child.stderr


def test_every_file_names_the_same_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert liecraft.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    heading = rf"^(## \[{re.escape(version)}\]|To become {re.escape(version)}\.$)"
    assert re.search(heading, (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)


def test_the_readme_opens_with_two_commands() -> None:
    opening = (ROOT / "README.md").read_text("utf-8").split("\n## ")[0]
    blocks = re.findall(r"^<!-- (\w+) -->\n```sh\n(.+?)\n```$", opening, re.MULTILINE | re.DOTALL)
    assert [marker for marker, _ in blocks] == ["first", "tests"]
    assert opening.count("```") == 4
    first, tests = (command for _, command in blocks)
    assert first.endswith("liecraft tournament examples/first.yaml")
    assert tests.endswith("python -m pytest -q -n auto")


def test_the_readme_s_python_runs_and_repeats_itself() -> None:
    (script,) = re.findall(
        r"^```python\n(.+?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    digests = {
        subprocess.run(
            [sys.executable, "-W", "error", "-c", script],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    (digest,) = digests
    assert re.fullmatch(r"[0-9a-f]{64}\n", digest)


@pytest.mark.parametrize("host", ["192.0.2.1", "example.org"])
def test_a_test_cannot_leave_the_machine(host: str, outside_calls: list[str]) -> None:
    with pytest.raises(RuntimeError, match="may not leave this machine"):
        socket.create_connection((host, 80), timeout=1)
    assert len(outside_calls) == 1
    outside_calls.clear()  # this once, meant


def test_a_test_can_use_loopback() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()
