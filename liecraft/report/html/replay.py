"""One game as the replay page wants it: rendered lines with their audiences, moves, prompts, verdicts.

The page shows to a seat's eyes only what this data marks as heard by that seat; see `static/replay.js`.
"""

from __future__ import annotations

from typing import Any

from liecraft.engine.registry import game_class
from liecraft.engine.render import Renderer, claim_text, renderer
from liecraft.report.html.flows import beliefs_in
from liecraft.trace.reader import Trace, as_event


def replay_data(trace: Trace) -> dict[str, Any]:
    """All there is to show of a game; seats are numbers throughout.

    Raises:
        UnknownName: The game is not installed here.
        ConfigError: It has no text in the trace's language.
    """
    header, close = trace.header, trace.close
    places = {seat: i for i, seat in enumerate(trace.seats)}
    shown = renderer(game_class(header["env"]).prompts, header["lang"])
    failure = close["failure"]
    return {
        "env": f"{header['env']} {header['env_version']}",
        "seed": str(header["seed"]),  # beyond what a JavaScript number can hold
        "seats": list(trace.seats),
        "entrants": list(trace.seats.values()),
        "roles": [trace.roles.get(seat) for seat in trace.seats],
        "sides": [trace.sides.get(seat) for seat in trace.seats],
        "status": close["status"],
        "winner": close["winner"],
        "reason": close["reason"],
        "digest": close["digest"],
        "failure": f"{failure['seat'] or 'the game'}: {failure['message']}" if failure else None,
        "events": _events(trace, places, shown),
        "moves": _moves(trace, places),
    }


def _events(trace: Trace, places: dict[str, int], shown: Renderer) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for line in trace.events:
        kind, data, audience = line["kind"], line["data"], line["audience"]
        event = {"k": kind, "a": places.get(line["actor"], -1), "l": shown.line(as_event(line))}
        if audience != "everyone":
            event["w"] = [] if audience == "engine" else [places[seat] for seat in audience]
        if data.get("claims"):
            event["q"] = [claim_text(claim) for claim in data["claims"]]
        if not event["l"]:
            event["x"] = data
        if kind == "phase":
            event["p"] = [data["phase"], data.get("round")]
        elif kind == "dead":
            event["dead"] = [places[seat] for seat in data["seats"]]
        elif kind == "outcome":
            event["end"] = 1
        elif kind == "probe":
            event["b"] = [[places[b.target], b.probability] for b in beliefs_in(line)]
        elif kind == "verdicts":
            _mark(events, line, event, places)
        events.append(event)
    return events


def _mark(
    events: list[dict[str, Any]], line: dict[str, Any], event: dict[str, Any], places: dict[str, int]
) -> None:
    """Put the verdicts on claims beside the engine's event, and on the speech that made them."""
    event["c"] = [
        [verdict["class"] or "opinion", verdict["support"], verdict["truth"]]
        for verdict in line["data"]["verdicts"]
    ]
    speaker = places[line["actor"]]
    for said in reversed(events):
        if said["a"] == speaker and "q" in said:
            said["c"] = event["c"]
            return


def _moves(trace: Trace, places: dict[str, int]) -> list[dict[str, Any]]:
    """Decisions with the model calls behind them; calls that no move followed stand as an entry without one.

    So do those that asked for a belief, marked `probe`. `n` numbers the calls as they came.
    """
    calls: dict[tuple[int, str, bool], list[dict[str, Any]]] = {}
    for n, call in enumerate(trace.calls):
        kept = {key: value for key, value in call.items() if key not in ("game", "type", "seat", "i")}
        key = call["i"], call["seat"], bool(call.get("probe"))
        calls.setdefault(key, []).append({**kept, "n": n})
    moves = [
        {
            "i": move["i"],
            "s": places[move["seat"]],
            "m": move["move"],
            "p": move["phase"],
            "r": move["round"],
            "how": move["how"],
            "legal": move["legal"],
            "thought": move["thought"],
            "seconds": move["seconds"],
            "calls": calls.pop((move["i"], move["seat"], False), []),
        }
        for move in trace.moves
    ]
    rest = [
        {"i": i, "s": places[seat], "m": None, "probe": probe, "calls": left}
        for (i, seat, probe), left in calls.items()
    ]
    return sorted([*moves, *rest], key=lambda move: int(str(move["i"])))
