import csv
import json
from pathlib import Path

import pytest

from liecraft import ConfigError, Run, Tournament, load
from liecraft.report.frames import TABLES, export


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    tournament = Tournament(
        name="frames",
        game="murder",
        config={"seats": 5},
        entrants=["detective", "liar", "honest", "silent", "random"],
        games=10,
        seed=3,
        runs=tmp_path_factory.mktemp("runs"),
    )
    return tournament.run(progress=False)


def test_a_run_loads_as_one_frame_a_table(run: Run) -> None:
    frames = load(run.path)
    assert tuple(frames) == TABLES
    assert len(frames["games"]) == 10
    assert len(frames["seats"]) == 50
    assert len(frames["moves"]) == sum(trace.close["moves"] for trace in run.traces())
    assert frames["seats"].groupby("game")["reward"].sum().abs().max() < 1e-9


def test_frames_agree_with_the_scores_of_the_run(run: Run) -> None:
    frames = load(run)
    lies = frames["claims"].query("entrant == 'liar' and side == 'deceivers'")["class"].dropna().eq("lie")
    scores = frames["scores"].query("measure == 'claims' and entrant == 'liar' and figure == 'lie'")
    told = scores[scores["by"] == "deceivers"].iloc[0]
    assert (int(told["n"]), float(told["value"])) == (len(lies), float(lies.mean()))


def test_a_claim_keeps_its_speaker_round_and_class(run: Run) -> None:
    claims = load(run)["claims"]
    assert set(claims["class"].dropna()) <= {"true", "lie", "mistake", "bluff"}
    assert (claims["round"] >= 1).all()


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_an_export_writes_one_file_a_table_with_all_rows(run: Run, tmp_path: Path, form: str) -> None:
    paths = export(run, tmp_path / "out", form)
    assert [path.name for path in paths] == [f"{name}.{form}" for name in TABLES]
    wanted = len(load(run)["moves"])
    moves = tmp_path / "out" / f"moves.{form}"
    if form == "parquet":
        import pyarrow.parquet

        assert pyarrow.parquet.read_table(moves).num_rows == wanted
    elif form == "csv":
        with moves.open(encoding="utf-8") as file:
            assert len(list(csv.DictReader(file))) == wanted
    else:
        assert len([json.loads(line) for line in moves.read_text(encoding="utf-8").splitlines()]) == wanted


def test_a_table_without_rows_is_exported_empty(run: Run, tmp_path: Path) -> None:
    for form in ("csv", "jsonl", "parquet"):
        export(run, tmp_path, form)
        assert (tmp_path / f"probes.{form}").exists()


def test_an_unknown_format_is_refused_in_one_line(run: Run, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown format 'xlsx': known: csv, jsonl, parquet"):
        export(run, tmp_path, "xlsx")


def test_a_folder_that_is_a_file_is_refused_in_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(ConfigError, match="can't write to"):
        export(run, tmp_path / "taken", "csv")
