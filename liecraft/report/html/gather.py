"""One pass over a run's traces: sums for the plots, a line for the list of games, the replay of each game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from liecraft.evaluators.measures import score
from liecraft.evaluators.statistics.ratings import RatedGame, rated_game
from liecraft.evaluators.statistics.seasons import canonical, season_of_header
from liecraft.report.html import flows
from liecraft.report.html.replay import replay_data
from liecraft.report.html.shards import Shards
from liecraft.tournament.results import prices
from liecraft.tournament.store import Run
from liecraft.trace.reader import Trace
from liecraft.trace.schema import DEFAULTED

Key = tuple[str, ...]


class Names:
    """Names as small numbers, so that a list of thousands of games stays light."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._places: dict[str, int] = {}

    def __call__(self, name: str | None) -> int:
        """The number of a name; -1 stands for none."""
        if name is None:
            return -1
        place = self._places.get(name)
        if place is None:
            place = self._places[name] = len(self.all)
            self.all.append(name)
        return place


@dataclass(slots=True)
class Sums:
    """What the plots show, summed over games.

    Attributes:
        misled: (liar's entrant, listener's entrant) and `fell` or `heard` to decisions.
        votes: (voter's entrant, target's entrant, `deceiver`, `truthful`, `right`, `wrong` or `abstained`) of
            truthful seats, to ballots.
        claims: (side, round, class) to claims.
        beliefs: (entrant, bin) and `n`, `deceivers` or `millionths` (sum of probabilities) to counts.
    """

    misled: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    votes: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    claims: Counter[tuple[str, int, str]] = field(default_factory=Counter)
    beliefs: Counter[tuple[str, int, str]] = field(default_factory=Counter)


@dataclass(slots=True)
class Gathered:
    """A run, read once.

    Attributes:
        run: The run.
        scores: As `liecraft.evaluators.measures.score` gives them.
        sums: For the plots.
        env: The game's id; empty if there is no game.
        seats: Numbers of seats that its games have.
        seasons: Games to be rated, by season: only games of one season may be pooled.
    """

    run: Run
    scores: dict[str, Any]
    sums: Sums
    env: str = ""
    seats: set[int] = field(default_factory=set)
    seasons: dict[str, list[RatedGame]] = field(default_factory=dict)


class Gatherer:
    """Reads runs one after the other.

    Args:
        shards: Where replays are written.
    """

    def __init__(self, shards: Shards) -> None:
        self._shards = shards
        self.names = Names()
        self.rows: list[list[dict[str, Any]]] = []

    def read(self, run: Run) -> Gathered:
        """Read a run's traces, each but once and none kept.

        Raises:
            TraceError: A trace is broken.
            UnknownName: Its game is not installed here.
        """
        gathered = Gathered(run, {}, Sums())
        rows: list[dict[str, Any]] = []
        gathered.scores = score(self._each(gathered, rows), prices(run))
        rows.sort(key=lambda row: str(row["g"]))
        self.rows.append(rows)
        return gathered

    def _each(self, gathered: Gathered, rows: list[dict[str, Any]]) -> Iterator[Trace]:
        number = len(self.rows)
        for trace in gathered.run.traces():
            gathered.env = str(trace.header["env"])
            gathered.seats.add(len(trace.seats))
            shard = self._shards.add(f"{number}/{trace.game}", replay_data(trace))
            row = self._row(trace)
            rows.append({**row, "f": shard})
            if trace.status != "failed":
                add_up(gathered.sums, trace)
            rated = rated_game(trace)
            if rated is not None:
                gathered.seasons.setdefault(canonical(season_of_header(trace.header)), []).append(rated)
            yield trace

    def _row(self, trace: Trace) -> dict[str, Any]:
        """A game in the list; `games.js` says what the letters mean to it."""
        close = trace.close
        places = {seat: i for i, seat in enumerate(trace.seats)}
        failed = close["failure"]
        return {
            "g": trace.game,
            "t": trace.status,
            "w": self.names(close["winner"]),
            "y": self.names(close["reason"]),
            "m": close["moves"],
            "e": close["events"],
            "s": self._seats(trace),
            "k": [places.get(failed["seat"], -1), self.names(failed["kind"])] if failed else None,
            "v": [
                [
                    places[d.voter],
                    -1 if d.target is None else places[d.target],
                    -1 if d.hit is None else int(d.hit),
                ]
                for d in flows.decisions(trace)
            ],
            "d": [[places[m.liar], places[m.listener], int(m.fell)] for m in flows.misled(trace)],
            "c": sorted(
                [claim.round, self.names(claim.side), self.names(claim.verdict)]
                for claim in set(flows.claims_by_round(trace))
            ),
            "b": sorted({(places[b.observer], flows.bin_of(b.probability)) for b in flows.beliefs(trace)}),
        }

    def _seats(self, trace: Trace) -> list[list[int]]:
        """Each seat: entrant, role, side, won, claims by class, default moves, model calls."""
        roles, sides = trace.roles, trace.sides
        winner = trace.close["winner"]
        counts: Counter[Key] = Counter()
        for event in trace.of("verdicts"):
            for verdict in event["data"]["verdicts"]:
                counts[event["actor"], verdict["class"] or "opinion"] += 1
        for move in trace.moves:
            counts[move["seat"], "defaulted"] += move["how"] in DEFAULTED
        for call in trace.calls:
            counts[call["seat"], "calls"] += 1
        return [
            [
                self.names(entrant),
                self.names(roles.get(seat)),
                self.names(sides.get(seat)),
                int(winner is not None and winner != "none" and sides.get(seat) == winner),
                *(counts[seat, name] for name in (*flows.CLASSES, "opinion", "defaulted", "calls")),
            ]
            for seat, entrant in trace.seats.items()
        ]


def add_up(sums: Sums, trace: Trace) -> None:
    """Add one finished game to the sums."""
    sides, entrants = trace.sides, trace.seats
    for liar, listener, fell in flows.misled(trace):
        pair = entrants[liar], entrants[listener]
        sums.misled[(*pair, "heard")] += 1
        sums.misled[(*pair, "fell")] += fell
    for decision in flows.decisions(trace):
        if sides[decision.voter] != "truthful":
            continue
        voter = entrants[decision.voter]
        if decision.hit is None:
            sums.votes[voter, "", "abstained"] += 1
        elif decision.target is None:
            sums.votes[voter, "", "right" if decision.hit else "wrong"] += 1
        else:
            kind = "deceiver" if decision.hit else "truthful"
            sums.votes[voter, entrants[decision.target], kind] += 1
    for claim in flows.claims_by_round(trace):
        sums.claims[claim.side, claim.round, claim.verdict] += 1
    for observer, target, probability in flows.beliefs(trace):
        key = entrants[observer], flows.bin_of(probability)
        sums.beliefs[(*key, "n")] += 1
        sums.beliefs[(*key, "deceivers")] += sides[target] == "deceivers"
        sums.beliefs[(*key, "millionths")] += round(1_000_000 * probability)
