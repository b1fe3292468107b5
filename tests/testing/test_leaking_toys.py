"""The kit has teeth: it passes an honest game and catches each leak by its name."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection

import pytest

from liecraft.engine.seats import Seat
from liecraft.engine.world import World
from liecraft.testing import CheckFailed, Secrets, check_game, other_worlds, told_by
from liecraft.testing.canaries import canaries
from liecraft.testing.dead import dead_seats
from liecraft.testing.noninterference import hidden_acts, hidden_worlds
from liecraft.testing.play import RawEnv
from liecraft.testing.sealed import sealed_moves
from tests.toys import leaks
from tests.toys.den import WOLF, DenEnv, DenWorld
from tests.toys.oracle import entitled

SECRETS = Secrets(other_worlds, entitled)
TOYS = [
    (leaks.RoleInPublicEventEnv, "hidden_worlds"),
    (leaks.BallotVisibleEarlyEnv, "hidden_acts"),
    (leaks.ErrorTextByRoleEnv, "error_texts"),
    (leaks.MaskByRoleEnv, "masks"),
    (leaks.SharedMutableDefaultEnv, "shared_state"),
    (leaks.HistorySurvivesResetEnv, "reset"),
    (leaks.DeadSeatOnPrivateChannelEnv, "dead_seats"),
    (leaks.MenuLengthByRoleEnv, "menus"),
]


def plant(raw: RawEnv, world: World, token: str) -> tuple[World, Collection[Seat]]:
    assert isinstance(world, DenWorld)
    pack = [seat for seat, role in zip(raw.seats, world.roles, strict=True) if role == WOLF]
    return dataclasses.replace(world, word=token), pack


def test_the_honest_toy_passes_with_its_oracle() -> None:
    report = check_game(DenEnv, games=5, fuzz_games=20, pairs=60, entitled=entitled, plant=plant)
    assert report.worlds.pairs == report.acts.pairs == 60
    assert report.worlds.decisions > 90
    assert {"hidden_worlds", "processes", "pettingzoo_api"} <= set(report.passed)


def test_the_honest_toy_passes_without_an_oracle_if_it_says_what_tells() -> None:
    secrets = Secrets(other_worlds, told_by(["pack", "watched"]))
    assert hidden_worlds(DenEnv, secrets, pairs=40, seed=1).decisions > 40


@pytest.mark.parametrize(("toy", "check"), TOYS, ids=lambda value: getattr(value, "__name__", value))
def test_a_leak_is_caught_by_name(toy: type[DenEnv], check: str) -> None:
    with pytest.raises(CheckFailed) as caught:
        check_game(toy, games=5, fuzz_games=20, pairs=60, entitled=entitled)
    assert caught.value.check == check


@pytest.mark.parametrize(("toy", "check"), TOYS, ids=lambda value: getattr(value, "__name__", value))
def test_a_leak_is_caught_without_an_oracle(toy: type[DenEnv], check: str) -> None:
    with pytest.raises(CheckFailed) as caught:
        check_game(toy, games=5, fuzz_games=20, pairs=60, tells=["pack", "watched"])
    assert caught.value.check == check


def test_the_pairs_alone_find_a_role_in_a_public_event() -> None:
    with pytest.raises(CheckFailed, match=r"events differ: \[\"dealt\",.+\] against \[\"dealt\",") as caught:
        hidden_worlds(leaks.RoleInPublicEventEnv, SECRETS, pairs=60, seed=2)
    assert caught.value.check == "hidden_worlds"


def test_the_pairs_alone_find_an_early_ballot() -> None:
    with pytest.raises(CheckFailed, match=r"events differ: .+raised") as caught:
        hidden_acts(leaks.BallotVisibleEarlyEnv, SECRETS, pairs=60, seed=2)
    assert caught.value.check == "hidden_acts"


def test_the_pairs_alone_find_a_dead_seat_on_the_private_channel() -> None:
    with pytest.raises(CheckFailed, match=r"events differ: .+speech") as caught:
        hidden_acts(leaks.DeadSeatOnPrivateChannelEnv, SECRETS, pairs=600, seed=2)
    assert caught.value.check == "hidden_acts"


def test_the_pairs_alone_find_a_longer_menu() -> None:
    with pytest.raises(CheckFailed, match="menu differ: ") as caught:
        hidden_worlds(leaks.MenuLengthByRoleEnv, SECRETS, pairs=60, seed=2)
    assert caught.value.check == "menus"


def test_sealed_moves_need_no_oracle() -> None:
    sealed_moves(DenEnv, games=40, seed=1)
    with pytest.raises(CheckFailed, match=r"shows to player_. before its time") as caught:
        sealed_moves(leaks.BallotVisibleEarlyEnv, games=40, seed=1)
    assert caught.value.check == "hidden_acts"


def test_a_game_may_let_its_dead_hear() -> None:
    dead_seats(leaks.DeadSeatOnPrivateChannelEnv, games=50, seed=1, dead_hear=["speech"])


def test_a_planted_canary_is_caught_where_it_is_not_meant_to_be() -> None:
    canaries(DenEnv, games=3, seed=1, plant=plant)
    canaries(DenEnv, games=3, seed=1, plant=plant, secrets=SECRETS)
    for toy in (leaks.DeadSeatOnPrivateChannelEnv, leaks.HistorySurvivesResetEnv):
        canaries(toy, games=3, seed=1, plant=plant)  # these leak no word of a secret

    with pytest.raises(CheckFailed, match=r"player_\d received \['canary_0_said_.*not meant for it"):
        canaries(leaks.DeadSeatOnPrivateChannelEnv, games=9, seed=1, secrets=SECRETS)

    def nobody(raw: RawEnv, world: World, token: str) -> tuple[World, Collection[Seat]]:
        return plant(raw, world, token)[0], ()

    with pytest.raises(CheckFailed, match=r"received .*canary_0_planted_.*not meant for it"):
        canaries(DenEnv, games=3, seed=1, plant=nobody)


def test_a_failure_can_be_seen_again_from_its_message() -> None:
    with pytest.raises(CheckFailed) as caught:
        hidden_worlds(leaks.MaskByRoleEnv, SECRETS, pairs=60, seed=5)
    found = re.match(
        r"masks: (player_\d), seed (\d+), after \d+ common facts: mask differ", str(caught.value)
    )
    assert found is not None
    with pytest.raises(CheckFailed) as again:
        hidden_worlds(leaks.MaskByRoleEnv, SECRETS, pairs=60, seed=5)
    assert str(again.value) == str(caught.value)
