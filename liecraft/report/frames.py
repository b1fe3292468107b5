"""A run as tidy tables: one row a game, seat, move, claim, stated belief, score."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liecraft.engine.errors import ConfigError
from liecraft.tournament.results import score_run
from liecraft.tournament.store import Run
from liecraft.trace.reader import Trace

if TYPE_CHECKING:
    from pandas import DataFrame

Row = dict[str, Any]
EXTRA = 'pip install "liecraft[frames]"'


def games(trace: Trace) -> Iterator[Row]:
    """The game as a whole."""
    header, close = trace.header, trace.close
    failure = close["failure"] or {}
    yield {
        "game": trace.game,
        "env": header["env"],
        "env_version": header["env_version"],
        "seed": header["seed"],
        "seats": len(trace.seats),
        "status": close["status"],
        "winner": close["winner"],
        "reason": close["reason"],
        "moves": close["moves"],
        "events": close["events"],
        "failed_seat": failure.get("seat"),
        "failure": failure.get("kind"),
        "seconds": close["seconds"],
        "digest": close["digest"],
    }


def seats(trace: Trace) -> Iterator[Row]:
    """Who sat where, with which role, and what it gained."""
    roles, sides = trace.roles, trace.sides
    winner, rewards = trace.close["winner"], trace.close["rewards"]
    for seat, entrant in trace.seats.items():
        side = sides.get(seat)
        yield {
            "game": trace.game,
            "seat": seat,
            "entrant": entrant,
            "role": roles.get(seat),
            "side": side,
            "won": None if winner is None else side == winner and side != "none",
            "reward": rewards.get(seat),
        }


def moves(trace: Trace) -> Iterator[Row]:
    """Each decision and how it came about."""
    for line in trace.moves:
        row = {key: value for key, value in line.items() if key not in ("type", "game", "seat")}
        yield {"game": trace.game, "seat": line["seat"], "entrant": trace.seats[line["seat"]], **row}


def claims(trace: Trace) -> Iterator[Row]:
    """Each claim with its truth, what the speaker's view said of it, and its class."""
    sides = trace.sides
    round_, said = 0, None
    for event in trace.events:
        data = event["data"]
        if event["kind"] == "phase":
            round_ = data["round"]
        elif event["kind"] == "speech":
            said = event
        elif event["kind"] == "verdicts" and said is not None:
            for claim, verdict in zip(said["data"]["claims"], data["verdicts"], strict=True):
                seat = event["actor"]
                predicate, *args = claim
                yield {
                    "game": trace.game,
                    "i": said["i"],
                    "round": round_,
                    "seat": seat,
                    "entrant": trace.seats[seat],
                    "side": sides[seat],
                    "predicate": predicate,
                    "claim": f"{predicate}({', '.join(map(str, args))})",
                    "truth": verdict["truth"],
                    "support": verdict["support"],
                    "class": verdict["class"],
                }


def probes(trace: Trace) -> Iterator[Row]:
    """Each stated probability that a seat is a deceiver, beside whether it is."""
    sides = trace.sides
    for event in trace.of("probe"):
        for about, probability in event["data"]["beliefs"]:
            yield {
                "game": trace.game,
                "i": event["i"],
                "seat": event["actor"],
                "entrant": trace.seats[event["actor"]],
                "about": about,
                "probability": probability,
                "deceiver": sides[about] == "deceivers",
            }


PER_GAME: Mapping[str, Callable[[Trace], Iterator[Row]]] = {
    "games": games,
    "seats": seats,
    "moves": moves,
    "claims": claims,
    "probes": probes,
}
TABLES = (*PER_GAME, "scores")


def scores(run: Run) -> Iterator[Row]:
    """Every rate of every measure, one a row."""
    for measure, rows in score_run(run)["play"].items():
        for row in rows if isinstance(rows, list) else ():
            facts = {key: value for key, value in row.items() if isinstance(value, str)}
            for name, rate in row.items():
                if isinstance(rate, dict) and {"value", "n", "low", "high"} <= rate.keys():
                    by = ", ".join(value for key, value in facts.items() if key != "entrant" and value)
                    yield {
                        "measure": measure,
                        "entrant": facts.get("entrant"),
                        "by": by,
                        "figure": name,
                        **{key: rate[key] for key in ("value", "n", "low", "high")},
                    }


def tables(run: Run) -> dict[str, list[Row]]:
    """All tables of a run, by name."""
    found: dict[str, list[Row]] = {name: [] for name in TABLES}
    for trace in run.traces():
        for name, rows in PER_GAME.items():
            found[name] += rows(trace)
    found["scores"] = list(scores(run))
    return found


def load(run: str | Path | Run) -> dict[str, DataFrame]:
    """A run as pandas frames: `games`, `seats`, `moves`, `claims`, `probes`, `scores`.

    Raises:
        RunError: No run is there.
        ConfigError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise ConfigError(f"frames need pandas: {EXTRA}") from None
    opened = run if isinstance(run, Run) else Run(run)
    return {name: pandas.DataFrame(rows) for name, rows in tables(opened).items()}


def export(run: Run, folder: Path, form: str) -> list[Path]:
    """Write one file a table.

    Args:
        run: What to export.
        folder: Where to; made if it isn't there.
        form: `parquet`, `csv` or `jsonl`.

    Raises:
        ConfigError: An unknown form, a folder that can't be written, or parquet without pyarrow.
    """
    writers = {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet}
    if form not in writers:
        raise ConfigError(f"unknown format {form!r}: known: {', '.join(writers)}")
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in tables(run).items():
            path = folder / f"{name}.{form}"
            writers[form](path, rows)
            written.append(path)
    except OSError as error:
        raise ConfigError(f"can't write to {error.filename or folder}: {error.strerror}") from None
    return written


def _csv(path: Path, rows: Sequence[Row]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]) if rows else [])
        table.writeheader()
        table.writerows(rows)


def _jsonl(path: Path, rows: Sequence[Row]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _parquet(path: Path, rows: Sequence[Row]) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ConfigError(f"parquet needs pyarrow: {EXTRA}; or choose csv or jsonl") from None
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), path)
