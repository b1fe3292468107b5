"""`liecraft play`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import typer
import yaml
from rich.console import Console
from rich.text import Text

from liecraft.agents.catalog import Given
from liecraft.agents.playing import Env, Table
from liecraft.arena import baseline, new_env, play_table, seat_agents
from liecraft.cli.eyes import Screen, resolve_eyes
from liecraft.engine.errors import ConfigError
from liecraft.engine.render import renderer
from liecraft.report.transcript import GOD, Onlooker, introduction
from liecraft.trace.reader import Trace

ModelChoice = tuple[str | None, Path | None, str | None]


class _Words(NamedTuple):
    """What stands under a game."""

    played_by: str
    reward: str
    winner: str
    moves: str


_WORDS = {
    "en": _Words("played by", "reward", "Winner: ", "moves"),
    "zh": _Words("由", "得分", "获胜方 ", "步"),
}
"""By language; others get the English ones."""


@dataclass(frozen=True, slots=True)
class Eyes:
    """How the game is to be watched."""

    watch: bool
    seat: str | None
    god: bool
    delay: float


def settings(pairs: Sequence[str]) -> dict[str, Any]:
    """Read KEY=VALUE options; values are YAML, `a.b=1` sets a key inside a key.

    Raises:
        ConfigError: No equals sign, or a value that is not YAML.
    """
    config: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise ConfigError(f"--set {pair}: write it as KEY=VALUE")
        *path, last = key.split(".")
        inner = config
        for part in path:
            inner = inner.setdefault(part, {})
            if not isinstance(inner, dict):
                raise ConfigError(f"--set {pair}: {part} is already set to a value")
        try:
            inner[last] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise ConfigError(f"--set {pair}: the value is not YAML") from None
    return config


def play_one(
    game: str,
    seed: int,
    agents: str | None,
    model: ModelChoice,
    config: Mapping[str, Any],
    eyes: Eyes,
    lang: str,
    as_json: bool,
) -> None:
    """Play one game in the terminal; exit code 1 if it fails."""
    env = new_env(game, config, lang)
    who = resolve_eyes(eyes.seat, eyes.god, env.seats)
    table = _table(env, seed, agents, model)
    console = Console()
    watching = (eyes.watch or eyes.seat is not None or eyes.god) and not as_json
    trace = play_table(
        env, table, seed=seed, watch=_watcher(env, who, console, eyes.delay) if watching else None
    )
    if watching:
        console.print()
    if as_json:
        print(json.dumps(_facts(trace, who), ensure_ascii=False))  # noqa: T201  # data goes to stdout
    else:
        _report(trace, who, console, env.lang)
    if trace.status == "failed":
        raise typer.Exit(1)


def _table(env: Env, seed: int, agents: str | None, model: ModelChoice) -> Table:
    seats = env.seats
    wanted: dict[str, Given]
    if agents is None:
        wanted = baseline(env, seed)
    else:
        named = [name.strip() for name in agents.split(",")]
        if len(named) > len(seats):
            raise ConfigError(f"{len(named)} agents for {len(seats)} seats: name at most {len(seats)}")
        wanted = {seat: named[i % len(named)] for i, seat in enumerate(seats)}
    name, path, url = model
    if path is not None and name is None:
        name = "embedded"
    if name is not None:
        params = {"model": name, "model_path": str(path) if path else None, "base_url": url}
        wanted[seats[0]] = {"agent": "llm", **{key: value for key, value in params.items() if value}}
    return seat_agents(env, wanted)


def _watcher(env: Env, who: str, console: Console, delay: float) -> Callable[[Env], None]:
    onlooker = Onlooker(who, renderer(env.prompts, env.lang), env.spectator)
    screen = Screen(console)
    told = 0
    intro = introduction(env.prompts, env.lang, env.config_data, who)
    if intro:
        console.print(Text(intro, style="italic"), soft_wrap=True)
        console.print()

    def watch(env: Env) -> None:
        nonlocal told
        for event, audience in (env.ledger[i] for i in range(told, len(env.ledger))):
            screen.show(onlooker.read(event, env.ledger.audience_names(audience)))
        told = len(env.ledger)
        if delay:
            time.sleep(delay)

    return watch


def _facts(trace: Trace, who: str) -> dict[str, Any]:
    """The line-up and the end, by the same rule as `_report`: a failed game keeps its secrets."""
    open_ = trace.status != "failed" or who == GOD
    told = {seat for seat in trace.seats if open_ or seat == who}
    seats = {seat: name for seat, name in trace.seats.items() if seat in told}
    roles = {seat: role for seat, role in trace.roles.items() if seat in told}
    return {"seats": seats, "roles": roles, **trace.close}


def _report(trace: Trace, who: str, console: Console, lang: str) -> None:
    """How it ended; a game that failed never told the roles (nor would its line-up), so they stay secret."""
    close, words = trace.close, _WORDS.get(lang, _WORDS["en"])
    for seat, entrant in trace.seats.items():
        if trace.status == "failed" and who not in (GOD, seat):
            continue
        reward = close["rewards"].get(seat)
        gained = "" if reward is None else f"  {words.reward} {reward:+.2f}"
        console.print(Text(f"{seat}  {trace.roles[seat]:<10} {words.played_by} {entrant}{gained}"))
    if close["failure"]:
        failure = close["failure"]
        console.print(Text(f"The game failed at {failure['seat']}: {failure['message']}", style="red"))
    else:
        ended = f"{words.winner}{close['winner']} ({close['reason']}), {close['moves']} {words.moves}"
        console.print(Text(ended, style="bold"))
