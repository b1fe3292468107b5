"""The other process of `same_in_every_process`: plays games told on stdin, writes their transcripts to stdout."""

from __future__ import annotations

import json
import sys

from liecraft.engine.registry import load
from liecraft.testing.play import RawEnv, generator, play_on, transcript


def main() -> None:
    """Play each seed's game in a fresh env."""
    order = json.load(sys.stdin)
    told = []
    for seed in order["seeds"]:
        raw: RawEnv = load(order["reference"])(lang=order["lang"], **order["config"])
        raw.reset(seed=seed)
        play_on(raw, generator(seed))
        told.append(transcript(raw))
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
