"""The kit's promises for this game, judged by an oracle of its own."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np
import pytest

import liecraft
from liecraft.engine.moves import Move, Words
from liecraft.games.info_passing.env import InfoPassingEnv
from liecraft.testing import CheckFailed, Secrets, check_game, configs
from liecraft.testing.noninterference import hidden_acts, hidden_worlds
from tests.games.info_passing.oracle import entitled, variants

ENV = partial(liecraft.make, "info_passing_v0")
SECRETS = Secrets(variants, entitled)
SHAPES: list[dict[str, Any]] = [
    {},
    {"seats": 4, "topology": "ring", "noise": 0.3, "saboteurs": 2},
    {"seats": 7, "topology": "tree", "noise": 0.3, "informed": False},
    {"seats": 6, "topology": "edges", "edges": [(0, 2), (1, 2), (2, 3), (2, 4), (3, 5)], "waves": 2},
]


@pytest.mark.parametrize("shape", SHAPES)
def test_worlds_and_hidden_acts_that_look_alike_play_alike(shape: dict[str, Any]) -> None:
    tally = hidden_worlds(partial(ENV, **shape), SECRETS, pairs=25, seed=3)
    assert tally.pairs == 25
    assert tally.decisions >= 25
    assert hidden_acts(partial(ENV, **shape), SECRETS, pairs=15, seed=3).pairs == 15


def test_the_kit_passes() -> None:
    report = check_game(ENV, games=4, fuzz_games=50, pairs=40, entitled=entitled, variants=variants)
    assert report.worlds.pairs == report.acts.pairs == 40


@pytest.mark.parametrize("topology", ["chain", "ring", "tree", "small_world", "scale_free"])
def test_every_topology_plays_with_every_seat_count(topology: str) -> None:
    configs.every_seat_count(partial(ENV, topology=topology), games=2, seed=0)


def test_what_is_said_reaches_those_who_may_hear_it_and_nobody_else_over_several_games() -> None:
    rng = np.random.default_rng(4)
    games = [InfoPassingEnv(seats=5, topology="small_world", noise=0.3) for _ in range(4)]
    for number, env in enumerate(games):
        env.reset(seed=number)
    going, said = list(range(4)), 0
    while going:
        number = going[int(rng.integers(len(going)))]
        env = games[number]
        index = int(rng.choice(env.observe(env.agent_selection)["action_mask"].nonzero()[0]))
        said += 1
        words = Words(f"canary_{number}_{said}z") if env.phase in env.speaking else Words()
        env.step(Move(index, words))
        going = [other for other in going if not games[other].finished]
    for env in games:
        for seat in env.seats:
            may = set(re.findall(r"canary_\w+z", repr(entitled(env, seat))))
            heard = set(re.findall(r"canary_\w+z", repr(list(env.view(seat)))))
            assert heard == may != set()
            assert set(re.findall(r"canary_\w+z", env.text(seat))) == may


@pytest.mark.parametrize("fault", ["bulletin to all", "message to all", "noise told to the speaker"])
def test_a_planted_leak_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = InfoPassingEnv.tell

    def leaking(self: Any, seats: Any, kind: str, actor: Any = None, /, **data: Any) -> Any:
        hearers = set(seats)
        if (fault, kind) in (("bulletin to all", "bulletin"), ("message to all", "heard")):
            hearers = set(self.seats)
        if (fault, kind) == ("noise told to the speaker", "heard"):
            hearers.add(actor)
        return told(self, [seat for seat in self.seats if seat in hearers], kind, actor, **data)

    monkeypatch.setattr(InfoPassingEnv, "tell", leaking)
    with pytest.raises(CheckFailed):
        hidden_worlds(partial(ENV, noise=0.4), SECRETS, pairs=60, seed=0)
