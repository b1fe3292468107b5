"""Whom truthful seats name, by vote and aloud: precision, recall and false accusations against the base rate."""

from __future__ import annotations

from liecraft.evaluators.clusters import EMPTY, Sums, cells, mean, rate
from liecraft.evaluators.game import DECEIVERS, TRUTHFUL, Game, Seat, accused
from liecraft.evaluators.measures import Counts, Evaluator, Row
from liecraft.trace.reader import Trace

ACTS = ("vote", "accusation")


def count(trace: Trace) -> Counts:
    """For each truthful seat: its named ballots and its accusations, and each other seat, named or not."""
    game = Game.read(trace)
    sums = Sums(game)
    voted: dict[Seat, set[Seat]] = {}
    called: dict[Seat, set[Seat]] = {}
    for vote in game.votes:
        for ballot in vote:
            if game.sides[ballot.voter] == TRUTHFUL:
                named = voted.setdefault(ballot.voter, set())
                if ballot.target is not None:
                    named.add(ballot.target)
                    _precision(game, sums, "vote", ballot.voter, ballot.target, ballot.choices)
    for speech in game.speeches:
        if game.sides[speech.speaker] == TRUTHFUL:
            said = called.setdefault(speech.speaker, set())
            open_to = _open(game, speech.speaker, speech.at)
            aloud = {accused(game, told) for told in speech.told}
            for seat in sorted(seat for seat in aloud if seat is not None and seat != speech.speaker):
                said.add(seat)
                if seat in open_to:
                    _precision(game, sums, "accusation", speech.speaker, seat, open_to)
    for act, acted in zip(ACTS, (voted, called), strict=True):
        for seat, named in acted.items():
            _recall(game, sums, act, seat, named)
    return sums.counts


def _open(game: Game, seat: Seat, at: int) -> tuple[Seat, ...]:
    return tuple(other for other in game.sides if other != seat and game.dead.get(other, at) >= at)


def _precision(game: Game, sums: Sums, act: str, seat: Seat, target: Seat, choices: tuple[Seat, ...]) -> None:
    if not choices:
        return
    entrant = game.entrants[seat]
    guilty = sum(game.sides[other] == DECEIVERS for other in choices)
    sums.add("precision", entrant, act, part=game.sides[target] == DECEIVERS)
    sums.add("chance", entrant, act, part=guilty / len(choices))


def _recall(game: Game, sums: Sums, act: str, seat: Seat, named: set[Seat]) -> None:
    entrant = game.entrants[seat]
    for other, side in game.sides.items():
        if other != seat:
            sums.add("recall" if side == DECEIVERS else "false", entrant, act, part=other in named)


def rows(counts: Counts) -> list[Row]:
    """Precision, recall and false-accusation rate of truthful seats, by vote and by what they say aloud.

    `precision`: share of named ballots (or accusations: `suspect`, a deceiver's role, a murder seen) that name a
    deceiver, beside `chance`, that of a random name among those in play. `recall`: share of (truthful seat,
    deceiver) pairs of a game in which the seat named the deceiver at least once; `false`: the same of (truthful
    seat, truthful seat) pairs, the false-accusation rate. Seats that never voted (or spoke) are not counted.
    Cluster-robust intervals.

    Source: C. J. van Rijsbergen (1979), Information Retrieval, chapter 7.
    """
    found = cells(counts)
    return [
        {
            "entrant": entrant,
            "act": act,
            "precision": rate(found.get(("precision", entrant, act), EMPTY)).as_json(),
            "chance": mean(found.get(("chance", entrant, act), EMPTY)).value,
            "recall": rate(found.get(("recall", entrant, act), EMPTY)).as_json(),
            "false": rate(found.get(("false", entrant, act), EMPTY)).as_json(),
        }
        for entrant, act in sorted({(key[1], key[2]) for key in found})
    ]


NAMINGS = Evaluator("Accusations and votes: precision, recall, false alarms", count, rows)
