"""README, "Noise"."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from liecraft.engine.moves import Words
from liecraft.games.info_passing.channel import Blow, Channel
from liecraft.games.info_passing.env import InfoPassingEnv
from liecraft.games.info_passing.world import Hit
from tests.games.info_passing.table import SLOTS, Table, claim

LINK = (1, "player_0", "player_1")


def hits(games: int = 200, **config: Any) -> list[Hit]:
    env = InfoPassingEnv(**config)
    found: list[Hit] = []
    for seed in range(games):
        env.reset(seed=seed)
        found += env.world.noise
    return found


@pytest.mark.parametrize("noise", [0.0, 0.1, 1.0])
def test_each_slot_of_each_link_and_wave_is_hit_with_chance_noise(noise: float) -> None:
    found = hits(noise=noise, waves=2, seats=5)
    chances = 200 * 2 * 4 * 4
    assert abs(len(found) / chances - noise) < 0.015
    if noise == 1:
        assert len({hit[:4] for hit in found}) == 2 * 4 * 4


@pytest.mark.parametrize(("kind", "share"), [("blank", 0.0), ("garble", 1.0), ("mixed", 0.5)])
def test_a_hit_blanks_or_garbles_as_its_kind_says(kind: str, share: float) -> None:
    found = hits(noise=0.3, noise_kind=kind)
    assert abs(sum(shift > 0 for *_, shift, _ in found) / len(found) - share) < 0.05


def test_a_garble_shifts_evenly_to_any_other_value() -> None:
    shifts = Counter(shift for *_, slot, shift, _ in hits(noise=0.5, noise_kind="garble") if slot == "who")
    assert set(shifts) == {1, 2, 3, 4}
    assert min(shifts.values()) > 0.8 * max(shifts.values())


@pytest.mark.parametrize("marked", [0.0, 0.5, 1.0])
def test_a_hit_is_marked_with_chance_noise_marked(marked: float) -> None:
    found = hits(noise=0.3, noise_marked=marked)
    assert abs(sum(mark for *_, mark in found) / len(found) - marked) < 0.05


@pytest.mark.parametrize(
    ("shift", "marked", "arrives"),
    [(0, False, None), (0, True, None), (1, False, "harbour"), (2, False, "chapel"), (1, True, "harbour")],
)
def test_a_blank_takes_the_value_away_and_a_garble_changes_it(
    shift: int, marked: bool, arrives: str | None
) -> None:
    table = Table(noise=[(*LINK, "where", shift, marked)]).do("relay:faithful")
    assert table.stated(1).get("where") == arrives
    assert {slot: table.stated(1)[slot] for slot in ("who", "when")} == {"who": "smith", "when": "noon"}
    assert table.heard(1)[0].data["marked"] == (("where",) if marked else ())


def test_noise_hits_its_own_wave_only() -> None:
    table = Table(waves=2, noise=[(2, "player_0", "player_1", "where", 1, False)]).all("relay:faithful")
    table.do("relay:faithful")
    assert [table.stated(1, at)["where"] for at in (0, 1)] == ["mill", "harbour"]


@pytest.mark.parametrize(
    ("shift", "marked", "text"),
    [
        (1, False, "Go to the harbour, harbour: harbour! mill_wheel stays, noon too."),
        (0, True, "Go to the [lost], [lost]: [lost]! mill_wheel stays, noon too."),
        (0, False, "Go to the , : ! mill_wheel stays, noon too."),
    ],
)
def test_noise_also_hits_the_words_of_the_slots_vocabulary(shift: int, marked: bool, text: str) -> None:
    table = Table(noise=[(*LINK, "where", shift, marked)])
    table.do("send", "slot_is(where, mill)", text="Go to the mill, Mill: MILL! mill_wheel stays, noon too.")
    assert table.heard(1)[0].data["text"] == text


@pytest.mark.parametrize("said", ["heard(player_0, where, mill)", "sent(where, mill)"])
def test_no_claim_carries_a_value_past_the_noise(said: str) -> None:
    table = Table(noise=[(*LINK, "where", 1, False)]).do("send", said)
    assert table.heard(1)[0].data["claims"][0][-1] == "harbour"


def test_a_hit_on_what_was_not_said_shows_nowhere() -> None:
    table = Table(noise=[(*LINK, "where", 1, True)]).do("send", "slot_is(who, smith)", "dont_know(where)")
    assert table.heard(1)[0].data["marked"] == ()
    assert table.stated(1) == {"who": "smith", "where": None}
    assert [row[5] for row in table.all_of("hop")[0].data["slots"]] == [None, None, None]


def test_the_speaker_never_learns_of_a_hit() -> None:
    views = []
    for noise in ([], [(*LINK, "where", 1, True)]):
        table = Table(noise=noise).all("relay:faithful")
        views.append([repr(event) for event in table.env.view("player_0")])
    assert views[0] == views[1]


def test_two_listeners_of_one_message_are_hit_apart() -> None:
    table = Table(edges=[(0, 1), (0, 2), (1, 3), (2, 3)], noise=[(*LINK, "where", 1, False)]).do(
        "relay:faithful"
    )
    assert (table.stated(1)["where"], table.stated(2)["where"]) == ("harbour", "mill")


def test_noise_does_not_depend_on_what_is_said() -> None:
    marked = []
    for move in ("relay:faithful", "relay:alter"):
        env = InfoPassingEnv(noise=0.5, noise_kind="garble", noise_marked=1)
        env.reset(seed=5)
        while env.phase == "relay":
            env.step(env.moves.index(move if env.agent_selection == "player_0" else "relay:faithful"))
        marked.append(env.view("player_1").first("heard").data["marked"])
    assert marked[0] == marked[1] != ()


def test_hops_hold_truth_held_sent_arrived_and_noise_for_the_engine_alone() -> None:
    noise = [(*LINK, "where", 1, True), (1, "player_1", "player_2", "when", 0, False)]
    table = Table(noise=noise).do("alter:who").do("relay:faithful")
    lie = table.stated(1)["who"]
    first, second = (event.data for event in table.all_of("hop"))
    assert first["to"] == "player_1"
    assert first["slots"] == (
        ("who", "smith", "smith", lie, lie, None, False),
        ("where", "mill", "mill", "mill", "harbour", "garble", True),
        ("when", "noon", "noon", "noon", "noon", None, False),
    )
    assert second["slots"] == (
        ("who", "smith", lie, lie, lie, None, False),
        ("where", "mill", None, None, None, None, False),
        ("when", "noon", "noon", "noon", None, "blank", False),
    )
    assert all(entry.audience == 0 for entry in table.env.ledger if entry.event.kind == "hop")


def test_a_channel_without_blows_changes_nothing() -> None:
    words = Words("to the mill", (claim("slot_is(where, mill)"), claim("suspect(player_1)")))
    assert Channel(SLOTS).carry(words, {}) == (words, {}, ())


def test_a_blow_knows_its_kind() -> None:
    assert (Blow(0, True).kind, Blow(2, False).kind) == ("blank", "garble")
