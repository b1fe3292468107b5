"""A run's folder: `manifest.json`, `traces/` in shards, `results.json`."""

from __future__ import annotations

import errno
import glob
import json
import os
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import count
from pathlib import Path
from threading import get_ident
from typing import Any

from liecraft import __version__
from liecraft.engine.errors import LieCraftError
from liecraft.trace.reader import Trace, read_shard
from liecraft.trace.writer import FileSink, lock

SHARD = 1_000
"""Games a shard."""


class RunError(LieCraftError):
    """A run folder that can't be made or read: says which, why, and the mend."""


class Run:
    """A run on disk.

    Args:
        path: Its folder.

    Raises:
        RunError: No run is there, or its manifest is broken.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        manifest = self.path / "manifest.json"
        try:
            self.manifest = dict[str, Any](json.loads(manifest.read_text(encoding="utf-8")))
        except FileNotFoundError:
            raise RunError(f"{self.path} is not a run: it has no manifest.json") from None
        except OSError as error:
            raise RunError(f"can't read {manifest}: {error.strerror}") from None
        except (ValueError, TypeError, RecursionError) as error:
            raise RunError(
                f"{manifest} is broken ({error}); the traces beside it may still be whole"
            ) from None

    def traces(self) -> Iterator[Trace]:
        """All games with a closing line, in order, whoever played them.

        Raises:
            TraceError: A shard can't be read or is broken inside.
        """
        for files in self.shards():
            traces: dict[str, Trace] = {}
            for file in files:
                for trace in read_shard(file):
                    # A worker cut off from the others may have closed a game that was taken from it.
                    traces.setdefault(trace.game, trace)
            yield from (traces[game] for game in sorted(traces))

    def shards(self) -> list[list[Path]]:
        """The trace files, those of one shard together: each worker has a file of its own for a shard."""
        found: dict[str, list[Path]] = {}
        for file in sorted((self.path / "traces").glob("*.jsonl")):
            found.setdefault(file.stem.rpartition("-")[2], []).append(file)
        return [found[shard] for shard in sorted(found)]

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep others from playing the same run.

        Raises:
            RunError: Another process is playing it, or it can't be written to.
        """
        path = self.path / "manifest.json"
        try:
            manifest = path.open("r+b")  # some shared file systems lock only what may be written to
        except OSError as error:
            raise RunError(f"can't write to {path}: {error.strerror}") from None
        with manifest:
            try:
                lock(manifest.fileno())
            except BlockingIOError:
                raise RunError(f"{self.path} is being played by another process: wait for its end") from None
            yield

    def trace(self, game: str) -> Trace:
        """One game, by name (`g000042`) or number (`42`).

        Raises:
            RunError: No such finished game.
        """
        name = f"g{game:0>6}" if game.isdecimal() else game
        for trace in self.traces():
            if trace.game == name:
                return trace
        raise RunError(f"{self.path} has no finished game {name}")


def create(runs: Path, name: str, config: dict[str, Any], **facts: Any) -> Run:
    """Make the folder of a new run; a taken name gets a number, nothing is ever overwritten.

    Args:
        runs: Where runs are kept.
        name: Name of the run.
        config: What is to be played.
        **facts: What else the manifest is to say.

    Raises:
        RunError: The folder can't be made or written to.
    """
    draft = runs / f".{name}.{os.getpid()}.{get_ident()}"
    try:
        (draft / "traces").mkdir(parents=True, exist_ok=True)
        for number in count(1):
            path = runs / (name if number == 1 else f"{name}-{number}")
            if path.exists():
                continue
            write_json(draft / "manifest.json", {**_manifest(path.name, config), **facts})
            if _moved(draft, path):
                return Run(path)
    except OSError as error:
        raise RunError(f"can't write to {runs}: {error.strerror}; choose another --runs") from None
    raise AssertionError("numbers do not end")


def _moved(draft: Path, path: Path) -> bool:
    """Give a folder its place, so that it is there whole or not at all; False if somebody was quicker."""
    try:
        draft.rename(path)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            return False
        raise
    return True


def _manifest(name: str, config: dict[str, Any]) -> dict[str, Any]:
    libraries = ("pettingzoo", "gymnasium", "numpy", "networkx", "openai")
    return {
        "v": 1,
        "name": name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "liecraft": __version__,
        "python": platform.python_version(),
        "libraries": {library: version(library) for library in libraries},
        "config": config,
    }


def write_json(path: Path, data: Any) -> None:
    """Write a JSON file so that it is there whole or not at all.

    Raises:
        RunError: The disk is full, or the folder can't be written to.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.write(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())  # or a power cut may leave the new name with nothing behind it
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise RunError(f"can't write {path}: {error.strerror}") from None


def find(runs: Path, name: str) -> Run | None:
    """The latest run of a tournament: of `cup`, `cup-2`, `cup-3` the last; None if there is none.

    A folder without a manifest is that of a run which died before it had begun.
    """
    latest: tuple[int, Run] | None = None
    for manifest in runs.glob(f"{glob.escape(name)}*/manifest.json"):
        found = re.fullmatch(f"{re.escape(name)}(?:-([0-9]+))?", manifest.parent.name)
        if found is None:
            continue
        run = Run(manifest.parent)
        # `cup-2` may also be a tournament of that name.
        if found[1] and run.manifest.get("config", {}).get("name") != name:
            continue
        number = int(found[1] or 1)
        if latest is None or number > latest[0]:
            latest = number, run
    return latest[1] if latest else None


class Shards:
    """The trace files of a run that one process writes.

    Args:
        run: Where they are.
        writer: What the names of the files begin with, where several processes write.
        sync: Let each write reach the disk itself.
    """

    def __init__(self, run: Run, writer: str = "", *, sync: bool = False) -> None:
        self._folder = run.path / "traces"
        self._prefix = f"{writer}-" if writer else ""
        self._sync = sync
        self._open: dict[int, FileSink] = {}

    def sink(self, game: str) -> FileSink:
        """The file that a game is written to."""
        shard = int(game.removeprefix("g")) // SHARD
        if shard not in self._open:
            path = self._folder / f"{self._prefix}{shard:05d}.jsonl"
            self._open[shard] = FileSink(path, sync=self._sync)
        return self._open[shard]

    def close(self) -> None:
        """Close all files."""
        for sink in self._open.values():
            sink.close()
        self._open.clear()
