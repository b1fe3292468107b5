from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from liecraft.report.html import ReportError, write_report
from liecraft.report.html.shards import Shards, script
from liecraft.tournament.store import Run
from tests.report.made import EVIL_NAME, by_hand, hostile, long_game, phase, scripted

ROOT = Path(__file__).parents[2]


def liecraft_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "liecraft", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def calls(path: Path, name: str) -> list[list[Any]]:
    """The arguments of each call of a function in a data file."""
    found = []
    for line in path.read_text(encoding="ascii").splitlines():
        assert line.startswith(f"{name}(") and line.endswith(");")
        found.append(json.loads(f"[{line[len(name) + 1 : -2]}]"))
    return found


def test_the_command_writes_a_report_and_says_where(tmp_path: Path) -> None:
    run = scripted(tmp_path, 5)
    told = liecraft_command("report", str(run.path))
    assert told.returncode == 0 and told.stdout == ""
    assert told.stderr == f"report: {run.path / 'report' / 'index.html'}\n"
    assert (run.path / "report" / "index.html").is_file()


def test_every_game_is_listed_once_and_its_shard_holds_its_replay(tmp_path: Path) -> None:
    runs = [scripted(tmp_path, 10), scripted(tmp_path, 5, name="second")]
    write_report(runs, tmp_path / "out")
    ((index,),) = calls(tmp_path / "out" / "data" / "games.js", "LieCraft.games")
    assert [run["name"] for run in index["runs"]] == ["scripted", "second"]
    assert [len(games) for games in index["games"]] == [10, 5]
    for number, run in enumerate(runs):
        for row, trace in zip(index["games"][number], run.traces(), strict=True):
            shard = tmp_path / "out" / "data" / f"replay-{row['f']}.js"
            replays = dict(calls(shard, "LieCraft.replay"))
            replay = replays[f"{number}/{trace.game}"]
            assert row["g"] == trace.game
            assert len(replay["events"]) == row["e"] == len(trace.events)
            assert len(replay["moves"]) == row["m"] == len(trace.moves)
            assert [index["names"][seat[0]] for seat in row["s"]] == list(trace.seats.values())
            assert [index["names"][seat[1]] for seat in row["s"]] == list(trace.roles.values())


def test_nothing_in_the_folder_names_an_outside_address(tmp_path: Path) -> None:
    run = scripted(tmp_path, 10)
    write_report([run], tmp_path / "out")
    for path in (tmp_path / "out").rglob("*.*"):
        addresses = set(
            re.findall(r"(?:https?:)?//[\w.-]+\.[a-z]+[^\s\"'<>)]*", path.read_text(encoding="utf-8"))
        )
        assert addresses <= {"http://www.w3.org/1999/xlink", "http://www.w3.org/2000/svg"}, path


def test_equal_runs_give_equal_pages(tmp_path: Path) -> None:
    run = scripted(tmp_path, 5)
    for out in ("a", "b"):
        write_report([run], tmp_path / out)
    for path in sorted((tmp_path / "a").rglob("*.*")):
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()


def test_a_new_report_replaces_an_old_one_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_report([scripted(tmp_path, 10)], out)
    stale = out / "data" / "replay-99.js"
    stale.write_text("")
    write_report([by_hand(tmp_path, "long", long_game)], out)
    assert not stale.exists()
    assert "CANARY_STASH" in (out / "data" / "replay-0.js").read_text()
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    with pytest.raises(ReportError, match="holds something that is no report: choose another --out"):
        write_report([by_hand(tmp_path, "again", long_game)], other)
    assert [path.name for path in other.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["report", "nowhere"], "nowhere is not a run", id="no run"),
        pytest.param(
            ["report", "RUN", "--out", "RUN/manifest.json"], "is a file: choose another --out", id="file"
        ),
    ],
)
def test_what_is_wrong_is_told_in_one_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    run = scripted(tmp_path, 5)
    told = liecraft_command(*(argument.replace("RUN", str(run.path)) for argument in arguments))
    assert told.returncode == 2
    assert words in told.stderr and told.stderr.count("\n") == 1


def test_without_matplotlib_one_line_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = scripted(tmp_path, 5)
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as if it were not installed
    with pytest.raises(ReportError, match=r"need matplotlib: pip install 'liecraft\[report\]'"):
        write_report([run], tmp_path / "out")


def test_a_run_without_games_has_a_report_that_says_so(tmp_path: Path) -> None:
    run = by_hand(tmp_path, "empty")
    index = write_report([run], tmp_path / "out").read_text(encoding="utf-8")
    assert "No game has ended: there is nothing to score." in index
    assert "nan" not in index.lower().replace("nancy", "")


def test_one_game_in_which_nothing_happens_is_nothing_to_score(tmp_path: Path) -> None:
    run = by_hand(tmp_path, "quiet", lambda ledger, recorder: phase(ledger, 1))
    index = write_report([run], tmp_path / "out").read_text(encoding="utf-8")
    assert "Nothing was claimed." in index and "No truthful seat has voted." in index


@pytest.fixture(scope="module")
def hostile_report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    """A run of hostile words, and the folder of its report."""
    folder = tmp_path_factory.mktemp("hostile")
    run = hostile(folder)
    return run, write_report([run], folder / "out").parent


def test_names_and_words_from_outside_are_escaped_in_the_pages_and_the_data(
    hostile_report: tuple[Run, Path],
) -> None:
    _, out = hostile_report
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "<b onclick" not in page and "&lt;b onclick" in page
    for path in (out / "data").iterdir():
        assert "<" not in path.read_text(encoding="ascii")
    assert EVIL_NAME in json.dumps(calls(out / "data" / "games.js", "LieCraft.games")).replace('\\"', '"')


def test_cost_is_what_the_prices_say_and_unknown_without_one(hostile_report: tuple[Run, Path]) -> None:
    run, out = hostile_report
    page = (out / "index.html").read_text(encoding="utf-8")
    table = page[page.index("Conduct and cost") : page.index("All measures")]
    calls = [call for trace in run.traces() for call in trace.calls if trace.seats[call["seat"]] == EVIL_NAME]
    for probe in (False, True):
        used = [call["usage"] for call in calls if bool(call.get("probe")) is probe]
        cost = sum(usage["prompt"] + 2 * usage["completion"] for usage in used) / 1e6
        assert used and f">{cost:.4f}</a>" in table and f">{len(used)}</a>" in table
    assert ">unknown</a>" in table


def test_a_script_ends_nowhere_but_at_its_end() -> None:
    told = script("f", "</script>", "<!--", "\u2028", {"<": "\u2029"})
    assert told.count("\n") == 1 and "<" not in told and told.isascii()
    assert json.loads(f"[{told[2:-3]}]") == ["</script>", "<!--", "\u2028", {"<": "\u2029"}]


def test_shards_split_between_games_only(tmp_path: Path) -> None:
    shards = Shards(tmp_path)
    numbers = [shards.add(f"0/{i}", {"text": "x" * 300_000}) for i in range(5)]
    shards.flush()
    assert numbers == [0, 0, 1, 1, 2]
    kept = [key for i in range(3) for key, _ in calls(tmp_path / f"replay-{i}.js", "LieCraft.replay")]
    assert kept == [f"0/{i}" for i in range(5)]


def test_a_folder_whose_data_is_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    run = scripted(tmp_path, 5)
    other = tmp_path / "other"
    other.mkdir()
    (other / "data").write_text("mine")
    with pytest.raises(ReportError, match="holds something"):
        write_report([run], other)
    assert (other / "data").read_text() == "mine"
