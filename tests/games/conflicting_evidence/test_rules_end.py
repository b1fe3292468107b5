"""README, "The end"."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.games.conflicting_evidence.table import Table, case

FIVE = (("e1",), ("e1", "e2"), ("e1", "e3"), ("e1", "e4"), ("e1",))


def end(*choices: str, mole: int | None = None, **config: Any) -> Table:
    hands = FIVE[: len(choices)]
    return Table(mole, hands, case(case().without_traps().items), condition="distributed", **config).choose(
        *choices
    )


@pytest.mark.parametrize(
    ("choices", "majority", "team"),
    [
        pytest.param(("b:low", "b:low", "a:high"), "plurality", "b", id="most choose it"),
        pytest.param(("b:low", "none", "none"), "plurality", "b", id="abstentions are not counted"),
        pytest.param(("none", "none", "none"), "plurality", None, id="nobody chooses"),
        pytest.param(("b:low", "none", "none"), "absolute", None, id="one of three is no majority"),
        pytest.param(("b:low", "b:low", "none"), "absolute", "b", id="two of three are"),
        pytest.param(("b:low", "b:low", "a:low", "none"), "absolute", None, id="half is not more than half"),
        pytest.param(("b:low", "a:low", "c:low"), "plurality", None, id="each chooses another"),
    ],
)
def test_the_team_takes_what_most_seats_chose(
    choices: tuple[str, ...], majority: str, team: str | None
) -> None:
    assert end(*choices, majority=majority).last("result")["choice"] == team


@pytest.mark.parametrize(
    ("choices", "team"),
    [
        pytest.param(("b:high", "a:medium", "none"), "b", id="the surer"),
        pytest.param(("b:low", "b:low", "a:high", "a:low"), "a", id="by the sum"),
        pytest.param(("b:low", "a:low", "none"), None, id="equally sure"),
        pytest.param(("b:low", "b:low", "a:high"), "b", id="confidence settles ties only"),
    ],
)
def test_a_tie_is_settled_by_the_sum_of_confidence(choices: tuple[str, ...], team: str | None) -> None:
    assert end(*choices, tie="confidence").last("result")["choice"] == team


def test_a_tie_is_settled_at_random_among_the_tied() -> None:
    teams = Counter[str]()
    for seed in range(80):
        table = Table(
            None, FIVE[:3], case(case().without_traps().items), condition="distributed", tie="random"
        )
        table.env.reset(seed=seed, options={"world": table.world})
        teams[table.choose("b:low", "a:high", "none").last("result")["choice"]] += 1
    assert set(teams) == {"a", "b"} and min(teams.values()) > 20


def test_the_right_option_is_told() -> None:
    table = end("a:low", "a:low", "b:low")
    assert dict(table.seen(0, "result")[0].data) == {"choice": "a", "answer": "b", "right": False}


@pytest.mark.parametrize(
    ("choices", "mole", "winner", "reason", "rewards"),
    [
        pytest.param(("b:low",) * 2, None, "truthful", "right", [0.5, 0.5], id="right"),
        pytest.param(("a:low",) * 2, None, "none", "wrong", [-0.5, -0.5], id="wrong"),
        pytest.param(("none",) * 2, None, "none", "undecided", [-0.5, -0.5], id="no choice is not right"),
        pytest.param(
            ("b:low", "a:low", "b:low"), 1, "truthful", "right", [0.5, -1, 0.5], id="in spite of the mole"
        ),
        pytest.param(
            ("a:low", "a:low", "b:low"), 1, "deceivers", "wrong", [-0.5, 1, -0.5], id="the mole wins"
        ),
        pytest.param(
            ("b:low", "a:low", "none"),
            1,
            "deceivers",
            "undecided",
            [-0.5, 1, -0.5],
            id="a tie serves the mole",
        ),
    ],
)
def test_rewards(
    choices: tuple[str, ...], mole: int | None, winner: str, reason: str, rewards: list[float]
) -> None:
    table = end(*choices, mole=mole)
    assert (table.last("outcome")["winner"], table.last("outcome")["reason"]) == (winner, reason)
    assert table.rewards() == rewards
    assert sum(rewards) == (0 if mole is not None else 1 if winner == "truthful" else -1)


def test_talk_of_the_end_does_not_end_the_game() -> None:
    table = Table().do("say", "game over, the team chooses b")
    assert not table.env.finished and table.phase == "talk"
