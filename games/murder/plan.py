"""The manor as bots reason about it: rooms as bits, so that "where can it be" is one integer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import networkx as nx

Corridors = tuple[tuple[str, str], ...]


class Plan:
    """Distances and steps in a manor.

    Args:
        corridors: Pairs of rooms.
        hall: The room in which all meet.
    """

    __slots__ = ("_grown", "_near", "_next", "bit", "distance", "everywhere", "hall", "near", "rooms")

    def __init__(self, corridors: Corridors, hall: str) -> None:
        graph: nx.Graph[str] = nx.Graph(corridors)
        self.rooms = tuple(sorted(graph))
        self.hall = hall
        self.bit = {room: 1 << i for i, room in enumerate(self.rooms)}
        self.everywhere = (1 << len(self.rooms)) - 1
        self.near = {room: tuple(sorted(graph[room])) for room in self.rooms}
        self._near = [sum(self.bit[other] for other in (room, *self.near[room])) for room in self.rooms]
        self._grown: dict[int, int] = {}
        self.distance: dict[str, dict[str, int]] = {
            room: dict(lengths) for room, lengths in nx.all_pairs_shortest_path_length(graph)
        }
        self._next = {room: self._steps_from(room) for room in self.rooms}

    def _steps_from(self, start: str) -> dict[str, tuple[str, ...]]:
        return {
            goal: tuple(
                step for step in self.near[start] if self.distance[step][goal] < self.distance[start][goal]
            )
            for goal in self.rooms
        }

    def grow(self, mask: int) -> int:
        """Rooms that can be reached within one round from the rooms of `mask`."""
        grown = self._grown.get(mask)
        if grown is None:
            grown = 0
            for i, around in enumerate(self._near):
                if mask >> i & 1:
                    grown |= around
            self._grown[mask] = grown
        return grown

    def steps(self, start: str, goal: str) -> tuple[str, ...]:
        """Adjacent rooms that are nearer to `goal`; none at the goal itself."""
        return self._next[start][goal]


@cache
def _plan(corridors: Corridors, hall: str) -> Plan:
    return Plan(corridors, hall)


def plan(manor: Sequence[Sequence[Any]], hall: str) -> Plan:
    """The plan of a manor as the header event states it; made once a process."""
    return _plan(tuple((str(a), str(b)) for a, b in manor), hall)
