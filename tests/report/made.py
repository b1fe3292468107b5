"""Runs to report on: scripted, modelled with hostile words, and made by hand to be long or known exactly."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from liecraft.engine.ledger import ENGINE, EVERYONE, Ledger, freeze
from liecraft.engine.seats import seat_names
from liecraft.tournament.run import Tournament
from liecraft.tournament.store import Run, Shards, create
from liecraft.trace.reader import Trace, from_lines
from liecraft.trace.writer import GameRecorder, ListSink, Sink
from tests.agents.players import SHORT, answering, modelled
from tests.fault_server import Body, FaultServer, ok, status

EVIL = (
    '</script><script>window.pwned = 1</script><!-- <img src=x onerror="window.pwned = 2"> '
    "\u2028{{ 7 * 7 }} $x_1$ &lt; ]]>"
)
EVIL_NAME = '<b onclick="window.pwned=3">$a_1$ & "x"</b>'

ROLES = ("murderer", "innocent", "innocent", "innocent")


def scripted(folder: Path, games: int = 20, name: str = "scripted", **config: Any) -> Run:
    """Murder among scripted agents."""
    entrants = ["detective", "liar", "honest", "accuser", "random"]
    tournament = Tournament(
        name=name,
        game="murder",
        seed=7,
        entrants=entrants,
        games=games,
        config={"seats": 5, **config},
        runs=folder,
    )
    return tournament.run(progress=False)


def _reply(body: Body) -> str:
    """Something hostile to say, or every other seat as likely to deceive as not."""
    properties = body["response_format"]["json_schema"]["schema"]["properties"]
    return (
        answering(lambda _: EVIL)(body)
        if "move" in properties
        else json.dumps(dict.fromkeys(properties, 0.5))
    )


def hostile(folder: Path) -> Run:
    """Four games in which two seats are played by models that say hostile things, and are asked for beliefs."""
    with FaultServer(ok(_reply)) as server:
        entrants: dict[str, Any] = {
            EVIL_NAME: {**_given(server.base_url), "price": {"prompt": 1, "completion": 2}},
            "model": {**_given(server.base_url), "thinks": True},
            "honest": "honest",
            "liar": "liar",
        }
        return Tournament(
            name="hostile",
            game="murder",
            seed=3,
            entrants=entrants,
            games=4,
            config=SHORT,
            probes={"after": ["ballots"]},
            runs=folder,
        ).run(progress=False)


def failing(folder: Path) -> Run:
    """Four games that end when a model's endpoint refuses the key."""
    with FaultServer(status(401)) as server:
        entrants: dict[str, Any] = {
            "model": _given(server.base_url),
            "honest": "honest",
            "liar": "liar",
            "random": "random",
        }
        return Tournament(
            name="failing", game="murder", seed=3, entrants=entrants, games=4, config=SHORT, runs=folder
        ).run(progress=False)


def _given(base_url: str) -> dict[str, Any]:
    given = modelled(base_url)
    assert isinstance(given, Mapping)
    return dict(given)


Act = Callable[[Ledger, GameRecorder], None]


def record(sink: Sink, game: str, act: Act, *, winner: str = "truthful", seats: int = 4) -> None:
    """Write one murder game whose events `act` makes up; player_0 is the murderer."""
    ledger = Ledger(seat_names(seats))
    recorder = GameRecorder(sink, game)
    header = {
        "env": "murder_v0",
        "env_version": "0.1",
        "liecraft": "0.1.0",
        "config": {"seats": seats},
        "seed": 2**61,
        "seats": {seat: f"entrant_{i}" for i, seat in enumerate(ledger.seats)},
        "lang": "en",
    }
    recorder.open(ledger, header)
    ledger.record("world", None, freeze_all(stash={"CANARY_STASH": ["key"]}, seed=1), ENGINE)
    for seat, role in zip(ledger.seats, ROLES, strict=False):
        side = "deceivers" if role == "murderer" else "truthful"
        ledger.record("role", None, {"role": role, "side": side}, ledger.audience([seat]))
    act(ledger, recorder)
    roles = tuple(zip(ledger.seats, ROLES, strict=False))
    ledger.record("outcome", None, {"winner": winner, "reason": "justice", "roles": roles}, EVERYONE)
    rewards = dict.fromkeys(ledger.seats, 0.0)
    recorder.close(
        status="finished", winner=winner, reason="justice", rewards=rewards, failure=None, seconds=1.0
    )


def freeze_all(**data: Any) -> dict[str, Any]:
    """Event data made immutable."""
    return {key: freeze(value) for key, value in data.items()}


def phase(ledger: Ledger, round_: int, name: str = "discuss") -> None:
    """Begin a phase."""
    ledger.record("phase", None, {"phase": name, "round": round_}, EVERYONE)


def say(
    ledger: Ledger,
    seat: str,
    claims: Sequence[tuple[tuple[Any, ...], str | None]],
    text: str = "",
    to: int = EVERYONE,
) -> None:
    """Record a speech and its verdicts: pairs of claim and class."""
    data = {"text": text, "claims": tuple(claim for claim, _ in claims), "to": None}
    ledger.record("speech", seat, data, to)
    if claims:
        verdicts = [{"truth": found != "lie", "support": "none", "class": found} for _, found in claims]
        ledger.record("verdicts", seat, freeze_all(verdicts=verdicts), ENGINE)


def vote(ledger: Ledger, **votes: str) -> None:
    """Record a count of ballots."""
    ledger.record("ballots", None, {"votes": tuple(votes.items()), "candidates": ledger.seats}, EVERYONE)


def probe(ledger: Ledger, seat: str, **beliefs: float) -> None:
    """Record what a seat believes of others."""
    ledger.record("probe", seat, {"beliefs": tuple(beliefs.items())}, ENGINE)


def trace_of(act: Act, **fields: Any) -> Trace:
    """The trace of a game as `record` writes it."""
    sink = ListSink()
    record(sink, "g000000", act, **fields)
    return from_lines(sink.lines)


def by_hand(folder: Path, name: str, *acts: Act) -> Run:
    """A run of games that are made up."""
    run = create(folder, name, {"name": name, "game": "murder_v0", "entrants": {}})
    shards = Shards(run)
    for number, act in enumerate(acts):
        game = f"g{number:06d}"
        record(shards.sink(game), game, act)
    shards.close()
    return run


def long_game(ledger: Ledger, recorder: GameRecorder) -> None:
    """More than 2,000 events: talk with lies, secrets for each seat, beliefs."""
    for round_ in range(1, 101):
        phase(ledger, round_)
        for i, seat in enumerate(ledger.seats):
            room = {
                "round": round_,
                "room": f"CANARY_{seat}_{round_}",
                "here": (),
                "came": (),
                "left": (),
                "bodies": (),
            }
            ledger.record("room", None, room, ledger.audience([seat]))
            recorder.move(
                seat=seat, phase="discuss", round=round_, move="say", how="structured", legal=3,
                thought=f"CANARY_THOUGHT_{seat}_{round_}", seconds=0.1,
            )  # fmt: skip
            claims = [(("saw", "player_1", "hall", round_), "lie" if i == 0 else "true")]
            say(ledger, seat, claims, f"In round {round_} I saw player_1.")
            probe(
                ledger,
                seat,
                **{other: 0.9 if other == "player_0" else 0.1 for other in ledger.seats if other != seat},
            )
            ledger.record("sealed", seat, {"move": f"CANARY_SEALED_{seat}_{round_}"}, ENGINE)
        vote(ledger, player_1="player_0", player_2="none")


def multiplied(run: Run, folder: Path, games: int) -> Run:
    """A run of many games, each a copy of the first of `run` under another name."""
    many = create(folder, "many", run.manifest["config"])
    first = next(run.traces())
    lines = [first.header, *first.events, *first.moves, first.close]
    texts = [json.dumps(line) for line in lines]
    shards = Shards(many)
    for number in range(games):
        game = f"g{number:06d}"
        shards.sink(game).write([text.replace(f'"{first.game}"', f'"{game}"', 1) for text in texts])
    shards.close()
    return many
