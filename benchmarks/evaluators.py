"""Scoring a run against playing it: `python -m benchmarks.evaluators [games]`.

Plays a tournament of scripted murder games to disk, then scores it from disk with every evaluator, and prints the
ratio of the two times. Scoring has to stay the cheaper part: below 1.
"""

from __future__ import annotations

import sys
import tempfile
from time import perf_counter, process_time

import liecraft
from liecraft.tournament.results import score_run

ENTRANTS = {"liar": "liar", "detective": "detective", "honest": "honest", "silent": "silent"}


def main(games: int) -> None:
    """Play, score, print."""
    with tempfile.TemporaryDirectory() as folder:
        tournament = liecraft.Tournament(
            name="scored", game="murder", entrants=ENTRANTS, games=games, seed=1, runs=folder
        )
        began, used = perf_counter(), process_time()
        run = tournament.run(progress=False)
        played, play_cpu = perf_counter() - began, process_time() - used
        began, used = perf_counter(), process_time()
        scores = score_run(run)
        scored, score_cpu = perf_counter() - began, process_time() - used
    n = sum(scores["play"]["games"].values())
    print(f"{n} games: played in {played:.1f} s, scored in {scored:.1f} s, ratio {scored / played:.2f}")
    print(
        f"a game: {1e3 * play_cpu / n:.2f} ms of CPU to play, {1e3 * score_cpu / n:.2f} ms to score, "
        f"ratio {score_cpu / play_cpu:.2f} (wanted: below 1)"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
