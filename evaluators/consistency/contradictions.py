"""Contradictions among a seat's own claims: pairs that no world of the game satisfies together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from liecraft.evaluators.clusters import EMPTY, Sums, cells, rate
from liecraft.evaluators.game import Game, Seat
from liecraft.evaluators.measures import Counts, Evaluator, Row
from liecraft.trace.reader import Trace

if TYPE_CHECKING:
    import networkx as nx


def claim_graph(trace: Trace, seat: Seat) -> nx.Graph[tuple[Any, ...]]:
    """A seat's claims of fact as nodes, each once, and the pairs that exclude each other as edges."""
    import networkx as nx

    game = Game.read(trace)
    graph: nx.Graph[tuple[Any, ...]] = nx.Graph()
    for speech in game.speeches:
        if speech.speaker == seat:
            graph.add_nodes_from(told.claim for told in speech.facts)
    for event in game.of("contradictions"):
        if event["actor"] == seat:
            graph.add_edges_from((tuple(new), tuple(old)) for new, old in event["data"]["pairs"])
    return graph


def count(trace: Trace) -> Counts:
    """For each claim and each later utterance of facts: whether it is in conflict with the speaker's own words."""
    game = Game.read(trace)
    sums = Sums(game)
    clashes = {
        seat: claim_graph(game, seat) for seat in {event["actor"] for event in game.of("contradictions")}
    }
    claims: dict[Seat, set[tuple[Any, ...]]] = {}
    said_at: dict[Seat, list[int]] = {}
    for speech in game.speeches:
        if speech.facts:
            claims.setdefault(speech.speaker, set()).update(told.claim for told in speech.facts)
            said_at.setdefault(speech.speaker, []).append(speech.at)
    broken = {_before(said_at[event["actor"]], event["i"]) for event in game.of("contradictions")}
    for seat, said in claims.items():
        key = game.entrants[seat], game.sides[seat]
        graph = clashes.get(seat)
        against = 0 if graph is None else sum(1 for _, degree in graph.degree() if degree)
        sums.add("claims", *key, part=against, whole=len(said))
        for at in said_at[seat][1:]:
            sums.add("utterances", *key, part=at in broken)
        sums.add("games", *key, part=graph is not None)
    return sums.counts


def _before(places: list[int], at: int) -> int:
    """The utterance that an engine's event belongs to: the speaker's last one before it."""
    return max(place for place in places if place < at)


def rows(counts: Counts) -> list[Row]:
    """Share of claims, of later utterances and of games with a contradiction, by entrant and side.

    The engine records which of a speaker's claims of fact no world of the game satisfies together, given the rules
    and what is public; it does not know who is right. `claims`: share of distinct claims that another one of the same
    seat excludes; `utterances`: share of the seat's utterances with claims of fact, after its first, that exclude
    something it said before; `games`: share of seats that claimed any fact and contradicted themselves. Pairs only:
    three claims that are possible two by two but not together pass. Cluster-robust intervals.
    """
    found = cells(counts)
    return [
        {
            "entrant": entrant,
            "side": side,
            **{
                part: rate(found.get((part, entrant, side), EMPTY)).as_json()
                for part in ("claims", "utterances", "games")
            },
        }
        for entrant, side in sorted({(key[1], key[2]) for key in found})
    ]


CONTRADICTIONS = Evaluator("Contradictions among own claims", count, rows)
