from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from liecraft.arena import play
from liecraft.evaluators.statistics.ratings import (
    Capacity,
    Neighbours,
    RatedGame,
    Rating,
    Ratings,
    Side,
    rate,
    rate_traces,
    rated_game,
)
from liecraft.evaluators.statistics.seasons import SeasonError

NAMES = ("ann", "bob", "cat", "dan", "eve", "fay", "gus")
LADDER = (-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5)
FLAT = (0.0,) * 7


def season(
    rng: np.random.Generator,
    seeds: int,
    deceiving: Sequence[float] = FLAT,
    detecting: Sequence[float] = FLAT,
    *,
    entrants: int = 7,
    side: float = -0.7,
    world: float = 0.8,
) -> list[RatedGame]:
    """Games of one deceiver against four, each entrant once in each seat of a seed; skills in log odds."""
    games: list[RatedGame] = []
    for seed in range(seeds):
        lineup, ease = rng.permutation(entrants), rng.normal() * world
        for shift in range(entrants):
            sitting = np.roll(lineup, shift)[:5]
            odds = side + ease + deceiving[sitting[0]] - sum(detecting[i] for i in sitting[1:])
            winner: Side = "deceivers" if rng.random() < 1 / (1 + np.exp(-odds)) else "truthful"
            team = tuple(sorted(NAMES[i] for i in sitting[1:]))
            games.append(RatedGame(seed, f"g{len(games):06d}", (NAMES[sitting[0]],), team, winner))
    return games


def of(found: Ratings, capacity: Capacity) -> dict[str, Rating]:
    return {row.entrant: row for row in found.ratings if row.capacity == capacity}


def values(found: Ratings, capacity: Capacity) -> list[float]:
    rows = of(found, capacity)
    return [rows[name].rating or 0.0 for name in NAMES]


def pairs_of(found: Ratings, capacity: Capacity) -> list[Neighbours]:
    return [pair for pair in found.neighbours if pair.capacity == capacity]


def test_planted_skills_come_out_in_order_by_role() -> None:
    found = rate(season(np.random.default_rng(1), 120, LADDER, tuple(-s / 2 for s in LADDER)))
    assert np.corrcoef(values(found, "deceiver"), LADDER)[0, 1] > 0.9
    assert np.corrcoef(values(found, "detector"), LADDER)[0, 1] < -0.85
    assert of(found, "deceiver")["gus"].rank in (1, 2)
    assert of(found, "detector")["gus"].rank in (6, 7)
    best, worst = of(found, "deceiver")["gus"], of(found, "deceiver")["ann"]
    assert best.low is not None
    assert worst.high is not None
    assert best.low > worst.high


def test_what_the_rules_give_to_a_side_is_nobodys_skill() -> None:
    """Deceivers win one game in ten here, whoever they are; ann is dealt that side far more often than others."""
    rng = np.random.default_rng(2)
    games = []
    for i in range(700):
        others = [str(name) for name in rng.permutation(NAMES[1:])]
        sitting = ["ann", *others] if rng.random() < 0.6 else [*others[:4], "ann"]
        winner: Side = "deceivers" if rng.random() < 0.1 else "truthful"
        games.append(RatedGame(i, f"g{i}", (sitting[0],), tuple(sitting[1:5]), winner))
    found = rate(games)
    assert of(found, "deceiver")["ann"].games > 5 * of(found, "deceiver")["bob"].games
    for capacity in ("deceiver", "overall"):
        ann = of(found, capacity)["ann"]
        assert ann.low is not None
        assert ann.high is not None
        assert ann.low < 0 < ann.high


def test_one_win_of_the_smaller_team_is_worth_no_more_than_one_of_the_larger() -> None:
    few, many = ("ann",), ("bob", "cat", "dan", "eve", "fay")
    won = rate([RatedGame(0, "g0", few, many, "deceivers"), RatedGame(1, "g1", ("gus",), many, "truthful")])
    up, down = of(won, "deceiver")["ann"].rating, of(won, "deceiver")["gus"].rating
    assert up is not None
    assert down is not None
    assert up == pytest.approx(-down)
    assert up < 3  # openskill's own start gives 2.9 to each of two deceivers, and as much to one


def test_the_overall_rating_weighs_both_roles_alike_whatever_was_played() -> None:
    """Each entrant is detector four times as often."""
    found = rate(season(np.random.default_rng(3), 60, LADDER))
    for name in NAMES:
        halves = [of(found, capacity)[name].rating for capacity in ("deceiver", "detector")]
        assert of(found, "overall")[name].rating == pytest.approx(sum(half or 0 for half in halves) / 2)
        assert of(found, "overall")[name].games == 60


def test_ratings_do_not_depend_on_the_order_in_which_games_come() -> None:
    games = season(np.random.default_rng(4), 30)
    mixed = [games[i] for i in np.random.default_rng(5).permutation(len(games))]
    assert rate(games) == rate(mixed)
    json.dumps(rate(games).as_json(), allow_nan=False)


def test_one_lineup_settles_the_overall_order_but_neither_role_by_itself() -> None:
    """Five entrants on five seats: bad deceivers here look like good detectors, being absent when they deceive."""
    ladder = (-1.5, -0.75, 0.0, 0.75, 1.5)
    games = season(np.random.default_rng(1), 60, ladder, ladder, entrants=5)
    found = rate(games)
    for capacity in ("deceiver", "detector"):
        assert {row.rank for row in of(found, capacity).values()} == {None}
        assert not pairs_of(found, capacity)
        assert f"As {capacity}, there are no ranks: in these lineups to deceive well" in " ".join(
            found.sentences
        )
    assert [row.entrant for row in found.ratings if row.capacity == "overall"] == [
        "eve",
        "dan",
        "cat",
        "bob",
        "ann",
    ]
    assert of(found, "overall")["eve"].rank == 1
    assert not any("no rank:" in said for said in found.sentences)


def test_pools_that_never_meet_have_no_common_order() -> None:
    teams = (("ann", "bob", "cat", "dan"), ("eve", "fay", "gus", "hal"))
    games = []
    for i in range(400):
        team = teams[i % 2]
        mixed = [team[j] for j in np.random.default_rng(i).permutation(4)][:3]
        games.append(RatedGame(i, f"g{i}", (mixed[0],), tuple(mixed[1:]), None))
    found = rate(games)
    assert {row.rank for row in found.ratings} == {None}
    assert "Overall, there are no ranks: some entrants have never met" in " ".join(found.sentences)


def test_below_the_minimum_no_rank_is_given_and_the_sentence_says_why() -> None:
    games = season(np.random.default_rng(6), 29)
    found = rate(games)
    assert all(row.rank is None for row in of(found, "deceiver").values())
    assert sorted(row.rank or 0 for row in of(found, "detector").values()) == [1, 2, 3, 4, 5, 6, 7]
    assert all(row.rank is None for row in of(found, "overall").values())
    assert "As deceiver, ann has no rank: 29 games, and it takes 30." in found.sentences
    assert not pairs_of(found, "deceiver")
    assert len(pairs_of(found, "detector")) == 6


def test_many_games_on_few_seeds_give_neither_bounds_nor_rank() -> None:
    games = [game for i in range(20) for game in season(np.random.default_rng(i), 9)]
    found = rate(games)
    assert of(found, "deceiver")["ann"].games == 180
    for row in found.ratings:
        assert (row.low, row.high, row.rank) == (None, None, None)
        assert row.rating is not None
    assert "As deceiver, ann has no rank: its games are on 9 seeds, too few" in " ".join(found.sentences)


def test_an_entrant_of_one_role_has_no_overall_rating() -> None:
    games = [RatedGame(i, f"g{i}", ("ann",), ("bob", "bob"), None) for i in range(40)]
    found = rate(games)
    assert of(found, "overall")["ann"].rating is None
    assert of(found, "detector")["ann"].rating is None
    assert of(found, "deceiver")["ann"].rating == 0
    assert of(found, "detector")["bob"].games == 40
    assert "Overall, ann has no rank: 0 games, and it takes 30." in found.sentences


def test_an_entrant_on_two_seats_of_a_side_takes_what_both_have_earned() -> None:
    found = rate([RatedGame(0, "g", ("ann",), ("bob", "bob", "cat"), "deceivers")])
    bob, cat = (of(found, "detector")[name].rating or 0.0 for name in ("bob", "cat"))
    assert bob < -0.1  # below the mean of both, having lost twice as much
    assert bob == pytest.approx(-cat)


def test_no_games_are_no_ratings() -> None:
    assert rate([]) == Ratings(0, (), (), ())


def test_entrants_without_a_difference_are_told_apart_no_more_often_than_the_level() -> None:
    """Holm over six pairs: any separation at all counts as a false one."""
    rng = np.random.default_rng(8)
    found = [rate(season(rng, 30)) for _ in range(12)]
    assert all(len(pairs_of(one, "deceiver")) == 6 for one in found)
    false = sum(any(pair.separated for pair in pairs_of(one, "deceiver")) for one in found)
    assert false <= 2
    bounds = [(row.low or 0.0, row.high or 0.0) for one in found for row in of(one, "deceiver").values()]
    assert sum(low < 0 < high for low, high in bounds) >= 0.88 * len(bounds)


@pytest.mark.slow
@pytest.mark.parametrize("skilled", [False, True])
def test_bounds_cover_and_equal_neighbours_stay_together_over_repeated_seasons(skilled: bool) -> None:
    """The truth of a spread field is the mean of the estimates: their scale is openskill's own."""
    rng = np.random.default_rng(9)
    found = [rate(season(rng, 30, LADDER if skilled else FLAT)) for _ in range(100)]
    truth = np.mean([values(one, "deceiver") for one in found], axis=0) if skilled else np.zeros(7)
    covered = 0
    for one in found:
        rows = of(one, "deceiver")
        for name, true in zip(NAMES, truth, strict=True):
            low, high = rows[name].low, rows[name].high
            assert low is not None
            assert high is not None
            covered += low <= true <= high
    assert 0.92 <= covered / 700 <= 0.98
    if not skilled:
        false = sum(any(pair.separated for pair in pairs_of(one, "deceiver")) for one in found)
        assert false / 100 <= 0.08


# Over traces


def test_traces_are_rated_by_entrant_and_failed_or_one_sided_ones_are_left_out() -> None:
    agents = ["random", "default", "default", "random", "random"]
    traces = [play("murder", agents, seed=seed, config={"seats": 5}) for seed in range(12)]
    found = rate_traces(traces, min_games=2)
    assert found.games == 12
    assert {row.entrant for row in found.ratings} == {"random", "default"}
    game = rated_game(traces[0])
    assert game is not None
    assert game.winner == traces[0].close["winner"]
    assert len(game.deceivers) + len(game.truthful) == 5
    traces[0].close["status"] = "failed"
    for event in traces[1].of("role"):
        event["data"]["side"] = "truthful"
    assert rate_traces(traces).games == 10


def test_traces_of_two_seasons_are_not_rated_together() -> None:
    traces = [play("murder", ["random"] * n, seed=1, config={"seats": n}) for n in (5, 6)]
    with pytest.raises(SeasonError, match=r"game 1 \(g000000\) and game 2 .*config\.seats is 5 in"):
        rate_traces(traces)
