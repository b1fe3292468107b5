"""What the parts of a large tournament cost: workers, the check before a resume, replay, writes, bytes.

python benchmarks/scaling.py [--games 2000] [--stock 100000]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import liecraft
from liecraft.tournament.stock import take_stock
from liecraft.tournament.verify import verify
from liecraft.trace.writer import FileSink

CUP: dict[str, Any] = {
    "name": "cup",
    "game": "murder",
    "entrants": ["liar", "honest"],
    "config": {"seats": 6},
}


def timed(job: Callable[[], object]) -> float:
    """Seconds of wall clock."""
    begun = time.perf_counter()
    job()
    return time.perf_counter() - begun


def play(runs: Path, games: int, workers: int) -> Path:
    """Play scripted games and return the run's folder."""
    cup = liecraft.Tournament(CUP, games=games, runs=runs)
    return cup.run(progress=False, workers=workers).path


def copies(shard: Path, folder: Path, games: int) -> list[Path]:
    """Shards of as many games, made of one that was played."""
    data = shard.read_bytes()
    each = data.count(b'"type":"close"')
    made = []
    for number in range(-(-games // each)):
        path = folder / f"{number:05d}.jsonl"
        # Other names, of the same length: a run's games are told apart by them.
        path.write_bytes(data.replace(b'{"game":"g00', f'{{"game":"{number:03d}'.encode()))
        made.append(path)
    return made


def writes(folder: Path, number: int, *, sync: bool) -> float:
    """Seconds a call line of 4 kB takes to be written."""
    sink = FileSink(folder / f"sync-{sync}", sync=sync)
    line = "x" * 4_000

    def write() -> None:
        for _ in range(number):
            sink.write([line])

    seconds = timed(write)
    sink.close()
    return seconds / number


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--stock", type=int, default=100_000)
    args = parser.parse_args()
    rows: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        play(folder / "warm", 20, 2)
        seconds = {}
        for workers in (1, 2):
            seconds[workers] = timed(partial(play, folder / f"by-{workers}", args.games, workers))
            rows.append((f"{workers} worker(s), games/s", f"{args.games / seconds[workers]:.1f}"))
        rows.append(("2 workers over 1", f"{seconds[1] / seconds[2]:.2f}"))
        run = liecraft.Run(folder / "by-1" / "cup")
        replayed = timed(lambda: list(verify(run)))
        rows.append(("replay --verify, games/s", f"{args.games / replayed:.1f}"))
        shards = sorted((run.path / "traces").glob("*.jsonl"))
        stored = sum(shard.stat().st_size for shard in shards)
        rows.append(("bytes a game", f"{stored / args.games:,.0f}"))
        files = copies(shards[0], folder, args.stock)
        size = sum(file.stat().st_size for file in files)
        rows.append(
            (f"stock of {args.stock:,} games, seconds", f"{timed(lambda: take_stock(files, {})):.1f}")
        )
        rows.append(("its size, GB", f"{size / 1e9:.2f}"))
        for sync in (False, True):
            rows.append((f"write of 4 kB, sync={sync}, ms", f"{1000 * writes(folder, 300, sync=sync):.3f}"))
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}")
    for label, figure in rows:
        print(f"{label:40} {figure:>14}")


if __name__ == "__main__":
    main()
