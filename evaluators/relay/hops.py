"""Fidelity of relays: what each one passed on, against the truth and against what it held itself."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any, NamedTuple

from liecraft.evaluators.clusters import EMPTY, Sums, cells, rate
from liecraft.evaluators.game import Game, Seat
from liecraft.evaluators.measures import Counts, Evaluator, Row
from liecraft.trace.reader import Trace


class Hop(NamedTuple):
    """One slot of one message on one link; None stands for no value."""

    at: int
    wave: int
    speaker: Seat
    listener: Seat
    slot: str
    truth: str
    held: str | None
    sent: str | None
    arrived: str | None
    noise: str | None


def hops(trace: Trace) -> list[Hop]:
    """All slots of all messages, in order."""
    return [
        Hop(event["i"], event["data"]["wave"], event["actor"], event["data"]["to"], *row[:6])
        for event in trace.of("hop")
        for row in event["data"]["slots"]
    ]


def depths(trace: Trace) -> dict[Seat, int]:
    """Links from the nearest source to each seat."""
    graph: dict[str, Any] = next((event["data"] for event in trace.of("graph")), {"edges": [], "sources": []})
    depth = dict.fromkeys(graph["sources"], 0)
    queue = deque(depth)
    while queue:
        seat = queue.popleft()
        for speaker, listener in graph["edges"]:
            if speaker == seat and listener not in depth:
                depth[listener] = depth[seat] + 1
                queue.append(listener)
    return depth


def cause(hop: Hop, guilty: bool) -> str | None:
    """Where an error came in on this hop: `sabotage`, `slip`, `noise`; None if it came from before, or is none."""
    if hop.sent is not None and hop.sent not in (hop.truth, hop.held):
        return "sabotage" if guilty else "slip"
    if hop.arrived is not None and hop.arrived != hop.truth and hop.arrived != hop.sent:
        return "noise"
    return None


def count(trace: Trace) -> Counts:
    """For each slot of each message: kept, true, and where errors came in; for each report: right or wrong."""
    if not str(trace.header["env"]).startswith("info_passing"):
        return Counter()
    game = Game.read(trace)
    sums, depth = Sums(game), depths(trace)
    seen: set[tuple[int, Seat, str]] = set()
    for hop in hops(trace):
        side = game.sides[hop.speaker]
        key = game.entrants[hop.speaker], side
        if (hop.wave, hop.speaker, hop.slot) not in seen:
            seen.add((hop.wave, hop.speaker, hop.slot))  # a message to several listeners is one message
            if hop.held is not None:
                sums.add("faithful", *key, part=hop.sent == hop.held)
                sums.add("altered", *key, part=hop.sent not in (None, hop.held))
            sums.add("true", *key, part=hop.sent == hop.truth)
        level = str(depth.get(hop.speaker, 0) + 1)
        sums.add("arrived", "links", level, part=hop.arrived == hop.truth)
        sums.add("wrong", "links", level, part=hop.arrived not in (None, hop.truth))
        found = cause(hop, side == "deceivers")
        for name in ("sabotage", "slip", "noise"):
            sums.add(name, "links", level, part=found == name)
    for event in game.of("report"):
        for slot, value in event["data"]["slots"]:
            truth = next(game.of("world"))["data"]["bulletin"][slot]
            sums.add("arrived", "report", "", part=value == truth)
            sums.add("wrong", "report", "", part=value not in (None, truth))
    return sums.counts


def rows(counts: Counts) -> list[Row]:
    """Fidelity of speakers by entrant and side, of links by their distance from the sources, and of the report.

    Of speakers: `faithful`, share of slots of which the speaker held a value and sent that one: an honest relay of a
    wrong value is faithful; `altered`, share in which it sent another value; `true`, share of slots sent as they
    are in the bulletin. Of links at a distance (`side` is the number of links from the nearest source) and of the
    `report`: `arrived`, share of slots that arrived true, `wrong`, with a wrong value (the rest: none); their change
    with distance is the amplification along paths. `sabotage`, `slip`, `noise`: share of slots of a link on which
    an error came in, by a deceiver, an honest speaker, the channel. Cluster-robust intervals.
    """
    found = cells(counts)
    names = ("faithful", "altered", "true", "arrived", "wrong", "sabotage", "slip", "noise")
    return [
        {
            "entrant": entrant,
            "side": side,
            **{name: rate(found.get((name, entrant, side), EMPTY)).as_json() for name in names},
        }
        for entrant, side in sorted({(key[1], key[2]) for key in found})
    ]


HOPS = Evaluator("Relay: fidelity by hop", count, rows)
