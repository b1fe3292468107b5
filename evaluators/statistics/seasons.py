"""Seasons: games may be pooled only if they were played by the same rules, with the same prompts.

A season is what has to be equal: the game and its version, its whole configuration, the language, the digest of
the prompts. It is a nested mapping of JSON values, taken from a trace's header or from a run's manifest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from liecraft.evaluators.statistics.estimate import StatisticsError

Season = dict[str, Any]

_ABSENT = object()


class SeasonError(StatisticsError):
    """Games of different seasons that were to be pooled: names the field that differs."""


def season_of_header(header: Mapping[str, Any]) -> Season:
    """The season of one game, from its trace's `game` line."""
    season = {key: header[key] for key in ("env", "env_version", "config", "lang")}
    return {**season, **({"prompts": header["prompts"]} if "prompts" in header else {})}


def season_of_manifest(manifest: Mapping[str, Any]) -> Season:
    """The season of a run, from its manifest.

    Number of games, seeds, concurrency and the run's name don't belong to it. What its entrants are does,
    since one name must not stand for two agents; entrants that only one run has are no difference.
    """
    config = manifest["config"]
    matches = config.get("matches") or [{}]
    rules = [{**config.get("config", {}), **match.get("config", {})} for match in matches]
    told = {canonical(rule): rule for rule in rules}
    season = {
        "env": config["game"],
        "rules": {str(i): told[key] for i, key in enumerate(sorted(told))} if len(told) > 1 else rules[0],
        "lang": config.get("lang", "en"),
        "entrants": config.get("entrants", {}),
    }
    for field in ("env_version", "prompts"):
        if field in manifest:
            season[field] = manifest[field]
    return season


def canonical(value: Any) -> str:
    """A JSON value as the same text whatever the order of its keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def differences(a: Season, b: Season) -> Iterator[tuple[str, Any, Any]]:
    """Fields in which two seasons differ, by dotted name, with both values; None where one lacks it.

    Entrants are compared only where both have one of that name.

    >>> list(differences({"config": {"seats": 5}}, {"config": {"seats": 6}}))
    [('config.seats', 5, 6)]
    """
    for key in sorted({*a, *b}):
        if key == "entrants":
            shared = {*a.get(key, {})} & {*b.get(key, {})}
            pairs = [({name: side[key][name] for name in sorted(shared)}) for side in (a, b) if shared]
            yield from _unequal(key, *pairs) if pairs else ()
        else:
            yield from _unequal(key, a.get(key, _ABSENT), b.get(key, _ABSENT))


def _unequal(name: str, a: Any, b: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in sorted({*a, *b}):
            yield from _unequal(f"{name}.{key}", a.get(key, _ABSENT), b.get(key, _ABSENT))
    elif a is _ABSENT or b is _ABSENT or canonical(a) != canonical(b):
        yield name, None if a is _ABSENT else a, None if b is _ABSENT else b


def difference_text(found: tuple[str, Any, Any], names: tuple[str, str]) -> str:
    """One difference as a clause: `config.seats is 5 in A and 6 in B`."""
    field, a, b = found
    return f"{field} is {_short(a)} in {names[0]} and {_short(b)} in {names[1]}"


def _short(value: Any) -> str:
    if value is None:
        return "not set"
    text = value if isinstance(value, str) else canonical(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def check_same_season(seasons: Iterable[tuple[str, Season]]) -> None:
    """Refuse to pool what belongs to different seasons.

    Args:
        seasons: Name (of a run, of a game) and season of each.

    Raises:
        SeasonError: Names the first field that differs, both values, and how many fields more do.
    """
    first: tuple[str, Season] | None = None
    for name, season in seasons:
        if first is None:
            first = name, season
            continue
        if season == first[1]:
            continue
        found = list(differences(first[1], season))
        if found:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            clause = difference_text(found[0], (first[0], name))
            raise SeasonError(
                f"{first[0]} and {name} are different seasons and can't be pooled: {clause}{more}; "
                "score them one by one, or compare them"
            )
