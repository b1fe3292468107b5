"""`liecraft games` and `liecraft replay`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from liecraft.cli.eyes import Screen, resolve_eyes
from liecraft.engine.errors import ConfigError
from liecraft.engine.registry import game_class, list_games
from liecraft.engine.render import quoted, renderer
from liecraft.report.transcript import GOD, Onlooker
from liecraft.tournament.store import Run
from liecraft.trace.reader import Trace, as_event, sees


def game_facts(name: str) -> dict[str, Any]:
    """What there is to say of a game without playing it."""
    from liecraft.agents.catalog import agents_of

    found = game_class(name)
    bounds = found.Config.model_json_schema()["properties"]["seats"]
    return {
        "game": name,
        "summary": found.summary,
        "seats": [bounds.get("minimum"), bounds.get("maximum")],
        "default_seats": bounds.get("default"),
        "roles": {role: str(side) for role, side in found.roles.items()},
        "agents": agents_of(name),
    }


def show_games(as_json: bool) -> None:
    """List all games."""
    facts = [game_facts(name) for name in list_games()]
    if as_json:
        print(json.dumps(facts, indent=1))  # noqa: T201  # data goes to stdout
        return
    table = Table("game", "seats", "roles", "agents", "what it is")
    for fact in facts:
        low, high = fact["seats"]
        roles = ", ".join(f"{role} ({side})" for role, side in fact["roles"].items())
        row = (fact["game"], f"{low}-{high}", roles, ", ".join(fact["agents"]), fact["summary"])
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)


def open_run(run: Path, runs: Path) -> Run:
    """A run by folder, or by its name under the runs' folder."""
    return Run(run if run.exists() or not (runs / run).exists() else runs / run)


def replay_game(
    run: Path, game: str, seat: str | None, god: bool, prompts: bool, as_json: bool, runs: Path
) -> None:
    """Print one stored game."""
    trace = open_run(run, runs).trace(game)
    who = resolve_eyes(seat, god, list(trace.seats))
    if prompts and who != GOD:
        raise ConfigError("--prompts shows what seats were told in secret: give --god with it")
    if as_json:
        print(json.dumps(_lines(trace, seat), ensure_ascii=False))  # noqa: T201  # data goes to stdout
        return
    console = Console()
    calls = iter(trace.calls if prompts and who == GOD else ())
    call = next(calls, None)
    kind = game_class(trace.header["env"])
    onlooker = Onlooker(who, renderer(kind.prompts, trace.header["lang"]), kind.spectator)
    screen = Screen(console)
    for line in trace.events:
        while call is not None and call["i"] <= line["i"]:
            _print_call(console, call)
            call = next(calls, None)
        screen.show(onlooker.read(as_event(line), line["audience"]))
    while call is not None:  # a failed game ends in one that no event follows
        _print_call(console, call)
        call = next(calls, None)
    _print_end(console, trace)


def _lines(trace: Trace, seat: str | None) -> list[dict[str, Any]]:
    """All lines of a game, or the events that one seat saw."""
    if seat is not None:
        seen = (line for line in trace.events if sees(line["audience"], seat))
        return [{key: line[key] for key in ("kind", "actor", "data")} for line in seen]
    lines = [*trace.events, *trace.moves, *trace.calls, *trace.compactions]
    return [trace.header, *lines, trace.close]


def _print_call(console: Console, call: dict[str, Any]) -> None:
    for message in call["messages"]:
        for line in message["content"].split("\n"):
            shown = "".join(char if char.isprintable() else "?" for char in line)
            console.print(Text(f"    {call['seat']} <- {message['role']}: {shown}", style="dim"))
    said = call["error"] or quoted(call["text"])
    console.print(Text(f"    {call['seat']} -> {said}", style="dim cyan"))


def _print_end(console: Console, trace: Trace) -> None:
    close = trace.close
    sitting = ", ".join(f"{seat} {name}" for seat, name in trace.seats.items())
    console.print(
        Text(f"{trace.game}: {close['status']}; {sitting}; digest {close['digest'][:16]}", style="dim")
    )
    if close["failure"]:
        console.print(
            Text(f"failed at {close['failure']['seat']}: {close['failure']['message']}", style="red")
        )
