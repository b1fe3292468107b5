"""What a run on disk has come to: games closed, what they used, and what is recorded of the others."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from liecraft import __version__
from liecraft.agents.budget import Spent
from liecraft.agents.catalog import AgentSpec, own_code
from liecraft.engine.errors import ConfigError
from liecraft.engine.registry import game_class
from liecraft.evaluators.statistics.seasons import difference_text, differences
from liecraft.tournament.config import TournamentConfig
from liecraft.tournament.progress import Tally
from liecraft.tournament.store import Run, RunError
from liecraft.trace.recall import longest
from liecraft.trace.scan import Attempt, Span, read_lines, scan

FREE = ("name", "concurrency", "patience", "sync")
"""Fields of a configuration that may change when a run is resumed: no game depends on them."""


def facts(config: TournamentConfig) -> dict[str, Any]:
    """What a manifest says, beside the configuration, of all that a run's games depend on."""
    game = game_class(config.game)
    told = {wording.folder or "": wording.digest() for wording in config.wordings()}
    prompts = told if len(told) > 1 else next(iter(told.values()))
    own = own_code(config.specs().values())
    return {"env_version": game.version, "prompts": prompts, **({"own_code": own} if own else {})}


def check_same(run: Run, config: TournamentConfig) -> None:
    """See that a run can go on under this configuration and this software.

    Raises:
        ConfigError: Names the field that differs.
    """
    now = {"liecraft": __version__, **facts(config), "config": config.model_dump(mode="json")}
    then = {key: run.manifest.get(key) for key in now}
    for side in (now, then):
        side["config"] = _binding(side["config"] or {})
    for found in differences(then, now):
        told = difference_text(found, ("the run", "what is asked for now"))
        raise ConfigError(
            f"can't resume {run.path}: {told}; change it back, or leave out --resume to start a new run"
        )


def _binding(config: Mapping[str, Any]) -> dict[str, Any]:
    """What of a configuration the games depend on; a run that has used up its budget goes on with a larger one."""
    kept = {key: value for key, value in config.items() if key not in FREE}
    if "budgets" in kept:
        kept["budgets"] = {key: kept["budgets"].get(key) for key in ("seat", "game")}
    return kept


@dataclass(slots=True)
class Stock:
    """What is there of a run.

    Attributes:
        closed: Games with a closing line.
        begun: Attempts at the others that asked a model, by game.
        tally: What the closed games used.
        failed: Those closed games that failed.
    """

    closed: set[str] = field(default_factory=set)
    begun: dict[str, list[Attempt]] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    failed: list[Attempt] = field(default_factory=list)


def take_stock(
    files: Iterable[Path], specs: Mapping[str, AgentSpec], only: Collection[str] | None = None
) -> Stock:
    """Look through trace files, by their bytes; only model calls are read.

    Args:
        files: The files.
        specs: Entrants, whose prices count.
        only: Games to look at; all of them if left out.

    Raises:
        TraceError: A file can't be read, or a line is broken.
    """
    stock = Stock()
    for file in files:
        for attempt in scan(file):
            if only is not None and attempt.game not in only:
                continue
            if attempt.closing is None:
                if attempt.calls:
                    stock.begun.setdefault(attempt.game, []).append(attempt)
                continue
            if attempt.game in stock.closed:
                continue  # closed twice, by a worker cut off from the others: the first counts
            stock.closed.add(attempt.game)
            stock.tally.games += 1
            if attempt.failed:
                stock.tally.failed += 1
                stock.failed.append(attempt)
            _count_calls(stock.tally, attempt, specs)
    for game in stock.closed & stock.begun.keys():
        del stock.begun[game]
    return stock


def used(stock: Stock, specs: Mapping[str, AgentSpec]) -> dict[str, Spent]:
    """What each entrant has used, in open games too.

    Raises:
        TraceError: A file can't be read, or a line is broken.
    """
    whole = Tally()
    whole.add(stock.tally)
    for attempts in stock.begun.values():
        [header] = read_lines(attempts[0].path, [attempts[0].opening])
        _count(whole, header, chain.from_iterable(longest(attempts).values()), specs)
    return whole.entrants


def _count_calls(tally: Tally, attempt: Attempt, specs: Mapping[str, AgentSpec]) -> None:
    if not attempt.calls:
        return
    header, *calls = read_lines(attempt.path, [attempt.opening, *attempt.calls])
    _count(tally, header, calls, specs)


def _count(
    tally: Tally,
    header: Mapping[str, Any],
    calls: Iterable[Mapping[str, Any]],
    specs: Mapping[str, AgentSpec],
) -> None:
    prices = {
        seat: specs[name].model().price for seat, name in header["seats"].items() if specs[name].modelled
    }
    for call in calls:
        tally.call(call, prices[call["seat"]], header["seats"][call["seat"]])


def reopen(failed: Iterable[Attempt]) -> None:
    """Take failed games back to just before they failed, so that a resumed run plays them on.

    Their closing lines go, and the failed call that ended them; what had been answered stays.

    Raises:
        TraceError: A file can't be read, or a line is broken.
        RunError: A file can't be written.
    """
    by_file: dict[Path, list[Span]] = {}
    for attempt in failed:
        by_file.setdefault(attempt.path, []).extend(_last_words(attempt))
    for path, spans in by_file.items():
        _cut(path, sorted(spans))


def _last_words(attempt: Attempt) -> list[Span]:
    """The closing line of a failed game, and the failed call of the seat that it names."""
    assert attempt.closing is not None, "only closed games have failed"
    *calls, close = read_lines(attempt.path, [*attempt.calls, attempt.closing])
    seat = close["failure"]["seat"]
    latest = [(span, call) for span, call in zip(attempt.calls, calls, strict=True) if call["seat"] == seat]
    if latest and latest[-1][1]["error"] is not None:
        return [latest[-1][0], attempt.closing]
    return [attempt.closing]


def _cut(path: Path, spans: Iterable[Span]) -> None:
    """Write a file anew without these lines; it is the old one or the new one at any time."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with path.open("rb") as old, draft.open("wb") as new:
            for start, end in spans:
                new.write(old.read(start - old.tell()))
                old.seek(end + 1)
            while block := old.read(1 << 20):
                new.write(block)
            new.flush()
            os.fsync(new.fileno())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise RunError(f"can't write {path}: {error.strerror}") from None
