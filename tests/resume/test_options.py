"""What `liecraft tournament` says to ways of running that make no sense, or that find something else than expected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from liecraft.cli.app import app
from liecraft.engine.errors import ConfigError

CUP = "game: murder\nconfig: {seats: 5}\nentrants: [liar, honest]\ngames: 4\n"


def tournament(folder: Path, text: str, *options: str) -> Any:
    config = folder / "cup.yaml"
    config.write_text(text)
    command = ["tournament", str(config), "--runs", str(folder / "runs"), "--quiet", *options]
    return CliRunner().invoke(app, command)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--retry-failed"], "--retry-failed goes with --resume"),
        (["--workers", "2", "--ray", "local"], "--workers and --ray are two ways of doing the same"),
    ],
)
def test_ways_that_make_no_sense_are_one_line_before_anything_starts(
    tmp_path: Path, options: list[str], says: str
) -> None:
    result = tournament(tmp_path, CUP, *options)
    assert isinstance(result.exception, ConfigError)
    assert says in str(result.exception)
    assert not (tmp_path / "runs").exists()


def test_resuming_with_other_rules_is_refused_and_without_resume_it_is_a_new_run(tmp_path: Path) -> None:
    assert tournament(tmp_path, CUP).exit_code == 0
    changed = CUP.replace("seats: 5", "seats: 6")
    result = tournament(tmp_path, changed, "--resume")
    assert isinstance(result.exception, ConfigError)
    assert "config.config.seats is 5 in the run and 6 in what is asked for now" in str(result.exception)
    assert tournament(tmp_path, changed).exit_code == 0
    assert tournament(tmp_path, changed, "--resume").exit_code == 0
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["cup", "cup-2"]


def test_no_half_made_folder_is_ever_there_under_a_run_s_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that dies before the manifest is written leaves nothing that looks like a run."""
    from liecraft.tournament import store

    def die(path: Path, data: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "write_json", die)
    assert tournament(tmp_path, CUP).exit_code != 0
    assert not [path for path in (tmp_path / "runs").iterdir() if not path.name.startswith(".")]
    monkeypatch.undo()
    assert tournament(tmp_path, CUP, "--resume").exit_code == 0
    assert (tmp_path / "runs" / "cup" / "results.json").exists()
