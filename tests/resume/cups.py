"""Shared by the tests of runs that die: tournaments, a server that always answers alike, what was asked and kept."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from liecraft.tournament.store import Run
from tests.fault_server import Behaviour, Body, FaultServer, latency, ok

ROOT = Path(__file__).parents[2]
KEY = "sk-test-4711-never-to-be-seen"
SHORT: dict[str, Any] = {"seats": 4, "rounds": 2, "first_kill": 9, "discussion_rounds": 1, "key": False}
Key = tuple[str, str, int]
"""A call: its game, its seat, which of the seat's it is."""


def digest(messages: Any) -> str:
    return hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()


def reply(body: Body) -> str:
    """A move, or beliefs, that depend on the prompt and on nothing else."""
    drawn = int(digest(body["messages"])[:8], 16)
    properties = body["response_format"]["json_schema"]["schema"]["properties"]
    if "move" not in properties:
        return json.dumps({seat: round(drawn % (7 + i) / 10, 1) for i, seat in enumerate(properties)})
    offered = properties["move"]["enum"]
    fields: dict[str, Any] = {"move": offered[drawn % len(offered)]}
    if "say" in properties:
        fields |= {"say": f"I say {drawn}.", "claims": []}
    return json.dumps(fields)


def steady(seconds: float = 0.02) -> Behaviour:
    return latency(seconds, ok(reply))


def cup(url: str, *, autogen: bool = False, blocks: int = 3, **fields: Any) -> dict[str, Any]:
    """A tournament of models and scripted agents, with probes."""
    model = {"agent": "llm", "model": "m", "base_url": url, "api_key_env": "TEST_KEY"}
    model["price"] = {"prompt": 3, "completion": 7}  # type: ignore[assignment]  # a mapping among texts
    entrants: dict[str, Any] = {"m": model, "honest": "honest", "liar": "liar"}
    matches = [
        {"entrants": ["m", "honest"], "games": 2 * blocks},
        {"entrants": ["honest", "liar"], "games": 4},
    ]
    if autogen:
        entrants["auto"] = {**model, "agent": "autogen"}
        matches.append({"entrants": ["auto", "liar"], "games": 2 * blocks})
    data = {"name": "cup", "game": "murder", "config": SHORT, "entrants": entrants, "matches": matches}
    return {**data, "probes": {"after": ["ballots"]}, "concurrency": 3, "seed": 5, **fields}


def recorded(run: Path) -> dict[Key, str]:
    """Prompts of all calls on disk, whatever attempt at the game they belong to."""
    found: dict[Key, str] = {}
    for path in sorted((run / "traces").glob("*.jsonl")):
        prompts: dict[tuple[str, str], list[Any]] = {}
        numbers: Counter[tuple[str, str]] = Counter()
        for raw in path.read_bytes().split(b"\n")[:-1]:
            line = json.loads(raw)
            if line["type"] == "game":
                for who in [who for who in prompts if who[0] == line["game"]]:
                    del prompts[who], numbers[who]
            elif line["type"] == "call":
                who = line["game"], line["seat"]
                prompts[who] = [*prompts.get(who, [])[: line["kept"]], *line["messages"]]
                found[(*who, numbers[who])] = digest(prompts[who])
                numbers[who] += 1
    return found


def digests(run: Path) -> dict[str, str]:
    """Digest of each closed game; none may be there twice."""
    found = {trace.game: trace.close["digest"] for trace in Run(run).traces()}
    closings = sum(
        path.read_bytes().count(b'","type":"close","digest"') for path in run.glob("traces/*.jsonl")
    )
    assert len(found) == closings, "a game is there twice"
    return found


def asked(server: FaultServer, since: int = 0) -> Counter[str]:
    return Counter(digest(request.body["messages"]) for request in server.requests[since:])


class Process:
    """`liecraft tournament` in a process group of its own."""

    def __init__(self, folder: Path, data: dict[str, Any], *options: str) -> None:
        config = folder / "cup.yaml"
        config.write_text(json.dumps(data))
        command = [
            sys.executable,
            "-m",
            "liecraft",
            "tournament",
            str(config),
            "--runs",
            str(folder / "runs"),
        ]
        self._process = subprocess.Popen(
            [*command, "--json", *options],
            cwd=ROOT,
            env={**os.environ, "TEST_KEY": KEY},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_for(self, server: FaultServer, count: int) -> bool:
        """Wait until so many requests have come in all; False if the process ended before."""
        while server.count < count:
            if self._process.poll() is not None:
                return False
            time.sleep(0.002)
        return True

    def kill(self) -> None:
        """End the whole group, now."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()

    def end(self) -> tuple[int, str, str]:
        """Wait for its end: exit code, output, errors."""
        stdout, stderr = self._process.communicate(timeout=120)
        return self._process.returncode, stdout, stderr
