"""Which case is played, who holds what of it, and what a holder sees of an item."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from liecraft.engine.errors import ConfigError
from liecraft.games.conflicting_evidence.case import MEETS, Case, Item
from liecraft.games.conflicting_evidence.files import read_cases
from liecraft.games.conflicting_evidence.generator import Shape, generate


def hands_of(rng: np.random.Generator, case: Case, seats: int) -> list[set[str]]:
    """Shared items to all, the others one by one around the table, sound ones first.

    Items that serve the same purpose follow each other, so that no hand holds many of them.
    """
    hands = [{item.id for item in case.items if item.shared} for _ in range(seats)]
    chairs = rng.permutation(seats).tolist()
    spread = [item for item in case.items if not item.shared and item.trap is None]
    shuffled = [spread[i] for i in rng.permutation(len(spread)).tolist()]
    shuffled.sort(key=lambda item: _purpose(item, case))
    traps = [item for item in case.items if not item.shared and item.trap is not None]
    shuffled += [traps[i] for i in rng.permutation(len(traps)).tolist()]
    for i, item in enumerate(shuffled):
        hands[chairs[i % seats]].add(item.id)
    return hands


def _purpose(item: Item, case: Case) -> int:
    if item.content is None or item.content.option == case.answer:
        return 0
    if item.content.option == case.decoy:
        return 1
    return 2 if item.content.verdict == MEETS else 3


def shown(item: Item, case: Case) -> dict[str, Any]:
    """What the holder of an item sees of it: all but whether others hold it too, and whether it is a trap."""
    source, content = item.source, item.content
    criterion = content and next((c for c in case.criteria if c.id == content.criterion), None)
    return {
        "item": item.id,
        "text": item.text,
        "kind": source and source.kind,
        "source": source and source.name,
        "authority": source and source.authority,
        "date": source and source.date,
        "derives": source and source.derives,
        "option": content and content.option,
        "name": content and case.name(content.option),
        "criterion": content and content.criterion,
        "value": content and content.value,
        "unit": criterion and criterion.unit,
        "verdict": content and content.verdict,
        "emphasis": item.emphasis,
    }


@lru_cache(maxsize=64)
def numbered(number: int, shape: Shape) -> Case:
    """A generated case that is played again and again."""
    return generate(number, shape)


def cases_of(path: str) -> tuple[Case, ...]:
    """The cases of a file, read once for as long as it does not change.

    Raises:
        ConfigError: As `read_cases`.
    """
    return _read(path, _stamp(path))


def _stamp(path: str) -> tuple[int, int]:
    """What changes when a file does, so that it is read once however many envs are made."""
    try:
        status = Path(path).stat()
    except OSError as error:
        raise ConfigError(f"cases file {path!r}: {error.strerror}") from None
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=16)
def _read(path: str, stamp: tuple[int, int]) -> tuple[Case, ...]:
    return read_cases(path)
