"""Faults that PettingZoo's tests don't see, or see late, are named too."""

from __future__ import annotations

import pytest

from liecraft.testing import CheckFailed, check_game
from tests.toys import faults
from tests.toys.den import DenEnv
from tests.toys.oracle import entitled

FAULTS = [
    (faults.LeavesAtDeathEnv, "dead_steps"),
    (faults.TurnOfTheDeadEnv, "turn_order"),
    (faults.ForgetfulRefusalEnv, "illegal_moves"),
    (faults.PaidTwiceEnv, "rewards"),
    (faults.WritableEventEnv, "immutability"),
    (faults.SharedDrawsEnv, "hidden_acts"),
    (faults.HashOrderEnv, "processes"),
    (faults.SeedInTheOpenEnv, "canaries"),
    (faults.ChattyLogEnv, "canaries"),
    (faults.ViewWithEnvEnv, "views"),
    (faults.TellTaleRewardEnv, "rewards"),
    (faults.TooFewSeatsEnv, "configs"),
    (faults.NeverToldEnv, "entitlement"),
    (faults.UnreadableEnv, "templates"),
]


@pytest.mark.parametrize(("toy", "check"), FAULTS, ids=lambda value: getattr(value, "__name__", value))
def test_a_fault_is_named(toy: type[DenEnv], check: str) -> None:
    pairs = 60 if check in ("hidden_acts", "entitlement") else 10
    zero_sum = toy is not faults.TellTaleRewardEnv
    with pytest.raises(CheckFailed) as caught:
        check_game(toy, games=4, fuzz_games=10, pairs=pairs, entitled=entitled, zero_sum=zero_sum)
    assert caught.value.check == check, str(caught.value)
    assert "\n" not in str(caught.value)
