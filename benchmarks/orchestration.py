"""Requests a second of one process playing murder with a model in every seat, against the ideal.

    python benchmarks/orchestration.py
    python benchmarks/orchestration.py --in-flight 200
    python benchmarks/orchestration.py --latency 0.1 --workers 2
    python benchmarks/orchestration.py --agent autogen

The ideal is in flight / latency; what is achieved counts every answer from the first request to the moment when games
begin to run out, prompts, parsing, engine and traces included.
"""

from __future__ import annotations

import argparse
import os
import tempfile

from endpoint import endpoint, rate

from liecraft import Tournament

LATENCY = 1.0
IN_FLIGHT = 100


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latency", type=float, default=LATENCY)
    parser.add_argument("--in-flight", type=int, default=IN_FLIGHT)
    parser.add_argument("--games", type=int, default=0, help="games in all; 0: three times what is in flight")
    parser.add_argument("--workers", type=int, default=1, help="processes that play")
    parser.add_argument("--agent", default="llm", choices=["llm", "autogen"], help="what plays the seats")
    options = parser.parse_args()
    with endpoint(options.latency) as server:
        cpu = _play(server.base_url, options)
        times = server.times()
    achieved, ideal = rate(times, options.latency), options.in_flight / options.latency
    print(
        f"{options.in_flight} in flight, {options.latency:g} s latency, {options.agent}, "
        f"{options.workers} processes, {len(times)} requests"
    )
    print(f"ideal     {ideal:8.1f} requests/s")
    print(f"achieved  {achieved:8.1f} requests/s, {1000 * cpu / len(times):.2f} ms CPU a request")
    print(f"ratio     {achieved / ideal:8.3f}")


def _play(base_url: str, options: argparse.Namespace) -> float:
    """Play, and return the seconds of CPU that it took."""
    with tempfile.TemporaryDirectory() as runs:
        tournament = Tournament(
            name="orchestration",
            game="murder",
            config={"seats": 6},
            entrants={"m": {"agent": options.agent, "model": "m", "base_url": base_url}},
            games=options.games or 3 * options.in_flight,
            concurrency=options.in_flight,
            runs=runs,
        )
        begun = _cpu()
        tournament.run(progress=False, workers=options.workers)
        return _cpu() - begun


def _cpu() -> float:
    """CPU seconds of this process and of its workers that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    main()
