"""Who speaks to whom: the topologies as directed edges between seat numbers.

All but a given edge list lead to the last seat. Edges lead from lower to higher numbers, so that seat order is
a speaking order in which everybody has heard all of its speakers; only the link that closes a ring leads back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

if TYPE_CHECKING:
    from liecraft.games.info_passing.config import InfoPassingConfig

Edge = tuple[int, int]
Ends = tuple[tuple[int, ...], tuple[int, ...]]


def build(config: InfoPassingConfig, rng: np.random.Generator) -> tuple[Edge, ...]:
    """The edges of a game, sorted: (speaker, listener) in seat numbers.

    Args:
        config: The rules.
        rng: Drawn from by `small_world` and `scale_free` only.
    """
    n, topology = config.seats, config.topology
    chain = [(i, i + 1) for i in range(n - 1)]
    if topology == "chain":
        return tuple(chain)
    if topology == "ring":
        return (*chain, (n - 1, 0))
    if topology == "tree":
        # Node k of a heap has the parent (k - 1) // 2; numbered from the end, the root is the last seat.
        return tuple(sorted((n - 1 - k, n - 1 - (k - 1) // 2) for k in range(1, n)))
    if topology == "small_world":
        return _small_world(n, config.shortcuts, rng)
    if topology == "scale_free":
        grown = nx.barabasi_albert_graph(n, min(config.attachments, n - 1), seed=rng)
        return tuple(sorted((n - 1 - max(a, b), n - 1 - min(a, b)) for a, b in grown.edges))
    return tuple(sorted(config.edges))


def _small_world(n: int, shortcuts: float, rng: np.random.Generator) -> tuple[Edge, ...]:
    """Newman and Watts' ring with shortcuts, opened between the first and the last seat."""
    graph = nx.newman_watts_strogatz_graph(n, 2, shortcuts, seed=rng)
    edges = {(min(a, b), max(a, b)) for a, b in graph.edges}
    return tuple(sorted(edges - {(0, n - 1)}))


def ends(seats: int, edges: Iterable[Edge], sources: Sequence[int], sinks: Sequence[int]) -> Ends:
    """Sources and sinks: as given, else those to whom nobody speaks and those who speak to nobody.

    >>> ends(4, [(0, 2), (1, 2), (2, 3)], (), ())
    ((0, 1), (3,))
    """
    speakers, listeners = {a for a, _ in edges}, {b for _, b in edges}
    everyone = range(seats)
    return (
        tuple(sorted(sources)) or tuple(i for i in everyone if i not in listeners),
        tuple(sorted(sinks)) or tuple(i for i in everyone if i not in speakers),
    )


def ends_of(config: InfoPassingConfig, edges: Sequence[Edge]) -> Ends:
    """Sources and sinks of a game's graph; a ring has the first and the last seat."""
    if config.topology == "ring":
        return (0,), (config.seats - 1,)
    return ends(config.seats, edges, config.sources, config.sinks)


def check(seats: int, edges: Sequence[Edge], sources: Sequence[int], sinks: Sequence[int]) -> None:
    """Refuse a graph on which a bulletin can't travel.

    Raises:
        ValueError: No edges, a number that is no seat, an edge that stands twice or leads to its own start, no
            source, no sink, a seat that is both, or a seat that lies on no way from a source to a sink.
    """
    if not edges:
        raise ValueError("topology: edges needs edges, a list of [speaker, listener] seat numbers")
    for number in (*(i for edge in edges for i in edge), *sources, *sinks):
        if not 0 <= number < seats:
            raise ValueError(f"edges, sources and sinks name seat {number}, but seats are 0 to {seats - 1}")
    for a, b in edges:
        if a == b:
            raise ValueError(f"edge [{a}, {b}] leads from a seat to itself")
    if len(set(edges)) < len(edges):
        raise ValueError("an edge stands twice in edges")
    if alone := set(range(seats)) - {i for edge in edges for i in edge}:
        raise ValueError(f"seat {min(alone)} lies on no way from a source to a sink")
    first, last = ends(seats, edges, sources, sinks)
    if not first or not last:
        raise ValueError("a graph without a start or an end needs sources and sinks to be given")
    if both := set(first) & set(last):
        raise ValueError(f"seat {min(both)} can't be both a source and a sink")
    graph: nx.DiGraph[int] = nx.DiGraph(edges)
    graph.add_nodes_from(range(seats))
    reached = set(first).union(*(nx.descendants(graph, i) for i in first))
    leading = set(last).union(*(nx.ancestors(graph, i) for i in last))
    if lost := set(range(seats)) - (reached & leading):
        raise ValueError(f"seat {min(lost)} lies on no way from a source to a sink")
