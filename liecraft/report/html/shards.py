"""Data that pages load with <script src>: the one way to read a file that works from a folder, offline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SHARD = 512_000
"""Characters after which a shard of replays is full; one game is never parted."""


def script(call: str, *data: Any) -> str:
    r"""A script that hands data to a function of the page.

    ASCII only, and `<` escaped: neither a line separator nor a closing tag in the data can end anything.

    >>> print(script("f", {"a": "</script>"}), end="")
    f({"a":"\u003c/script>"});
    """
    told = ",".join(json.dumps(item, separators=(",", ":"), allow_nan=False) for item in data)
    return f"{call}({told});".replace("<", "\\u003c") + "\n"


class Shards:
    """Replays, packed into files of bearable size as they come.

    Args:
        folder: Where the files go.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parts: list[str] = []
        self._size = 0
        self._number = 0

    def add(self, key: str, data: dict[str, Any]) -> int:
        """Take in one game and say in which shard it is."""
        if self._size >= SHARD:
            self.flush()
        part = script("LieCraft.replay", key, data)
        self._parts.append(part)
        self._size += len(part)
        return self._number

    def flush(self) -> None:
        """Write the shard that is being filled."""
        if not self._parts:
            return
        path = self._folder / f"replay-{self._number}.js"
        path.write_text("".join(self._parts), encoding="ascii")
        self._parts, self._size = [], 0
        self._number += 1
