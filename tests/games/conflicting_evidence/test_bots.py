"""The scripted players: what each does, and the designed effects, with intervals that exclude zero."""

from __future__ import annotations

import time
from typing import get_args

import numpy as np
import pytest

from liecraft.engine.registry import game_class
from liecraft.evaluators.statistics import wilson
from liecraft.games.conflicting_evidence.bots import BOTS, Bayes, Naive
from liecraft.games.conflicting_evidence.config import Condition
from liecraft.games.conflicting_evidence.reading import Reading
from tests.games.conflicting_evidence.play import accuracy, game, mean_low, right, with_mole
from tests.games.conflicting_evidence.table import Table, claim

GAMES = 120
TOXICITIES = (1, 3, 5)


@pytest.mark.parametrize("bot", ["bayes", "naive"])
def test_full_information_beats_distributed(bot: str) -> None:
    full, spread = accuracy(bot, GAMES, "full_information"), accuracy(bot, GAMES, "distributed")
    gap, low = mean_low([a - b for a, b in zip(full, spread, strict=True)])
    assert all(full)
    assert low > 0, (gap, low)


def costs(bot: str, games: int) -> dict[int, list[int]]:
    """What traps of each toxicity cost a team, case by case."""
    base = accuracy(bot, games, "distributed")
    return {
        toxicity: [
            a - b for a, b in zip(base, accuracy(bot, games, "distributed+traps", toxicity), strict=True)
        ]
        for toxicity in TOXICITIES
    }


@pytest.mark.parametrize("toxicity", [3, 5])
def test_traps_cost_the_naive_more_than_the_one_who_weighs_sources(toxicity: int) -> None:
    naive, bayes = costs("naive", GAMES)[toxicity], costs("bayes", GAMES)[toxicity]
    extra, low = mean_low([a - b for a, b in zip(naive, bayes, strict=True)])
    assert low > 0, (extra, low)


def test_the_more_so_the_higher_the_toxicity() -> None:
    naive, bayes = costs("naive", GAMES), costs("bayes", GAMES)
    extra = {t: [a - b for a, b in zip(naive[t], bayes[t], strict=True)] for t in TOXICITIES}
    slope, low = mean_low([high - slight for high, slight in zip(extra[5], extra[1], strict=True)])
    assert low > 0, (slope, low)
    means = [float(np.mean(extra[t])) for t in TOXICITIES]
    assert means == sorted(means)


@pytest.mark.slow
def test_the_designed_effects_on_many_cases() -> None:
    games = 600
    for bot in ("bayes", "naive"):
        full, spread = accuracy(bot, games, "full_information"), accuracy(bot, games, "distributed")
        assert mean_low([a - b for a, b in zip(full, spread, strict=True)])[1] > 0.1
    naive, bayes = costs("naive", games), costs("bayes", games)
    extra = {t: [a - b for a, b in zip(naive[t], bayes[t], strict=True)] for t in TOXICITIES}
    for toxicity in TOXICITIES:
        assert mean_low(extra[toxicity])[1] > 0, toxicity
    for less, more in ((1, 3), (3, 5)):
        assert mean_low([b - a for a, b in zip(extra[less], extra[more], strict=True)])[1] > 0, (less, more)


def test_nobody_solves_a_hidden_profile_alone() -> None:
    for bot in ("honest", "naive", "bayes"):
        assert not any(accuracy(bot, 40, "solo"))
    assert not any(accuracy("silent", 40, "distributed"))


def test_a_mole_costs_the_team() -> None:
    base = accuracy("bayes", GAMES, "distributed")
    moles = [right(env) for env in with_mole("bayes", GAMES)]
    assert wilson(sum(moles), GAMES).high < wilson(sum(base), GAMES).low  # type: ignore[operator]  # n > 0


@pytest.mark.parametrize("lie_rate", [0.0, 0.3, 0.7, 1.0])
def test_the_planted_lie_rate_is_what_the_engine_counts(lie_rate: float) -> None:
    lies = n = honest_lies = 0
    for env in with_mole("honest", 60, lie_rate=lie_rate):
        mole = env.seats[env.world.roles.index("mole")]
        for event, _ in env.ledger:
            if event.kind == "verdicts":
                found = [verdict["class"] for verdict in event.data["verdicts"] if verdict["class"]]
                if event.actor == mole:
                    assert len(set(found)) <= 1, "a report is false in all, or in nothing"
                    lies, n = lies + (found[:1] == ["lie"]), n + bool(found)
                else:
                    honest_lies += found.count("lie")
    rate = wilson(lies, n)
    assert n > 100 and rate.low is not None and rate.high is not None
    assert rate.low <= lie_rate + 1e-9 and lie_rate - 1e-9 <= rate.high
    assert honest_lies == 0


@pytest.mark.parametrize("bot", ["honest", "naive", "bayes"])
def test_others_cast_as_moles_tell_only_truths_that_help_the_decoy(bot: str) -> None:
    told = 0
    for seed in range(15):
        env = game(game_class("conflicting_evidence_v0")(condition="distributed+mole"), [bot] * 4, seed)
        mole, case = env.seats[env.world.roles.index("mole")], env.world.case
        for event, _ in env.ledger:
            if event.actor == mole and event.kind == "verdicts":
                assert not {verdict["class"] for verdict in event.data["verdicts"]} & {"lie", "bluff"}
            if event.actor == mole and event.kind == "speech":
                for said in event.data["claims"]:
                    if said[0] == "says":
                        told += 1
                        assert (said[2] == case.decoy) == (said[4] == "meets")
        choices = {seat: option for seat, option, _, _ in _last(env, "choices")["choices"]}
        assert choices[mole] == case.decoy
    assert told > 15


def _last(env: object, kind: str) -> dict[str, tuple[tuple[str, str, str, tuple[str, ...]], ...]]:
    return next(dict(event.data) for event, _ in env.ledger if event.kind == kind)  # type: ignore[attr-defined]  # any env


def test_the_silent_one_says_nothing() -> None:
    env = game(game_class("conflicting_evidence_v0")(), ["silent"] * 4, 1)
    assert not [
        event for event, _ in env.ledger if event.kind == "speech" and event.data["text"][:8] != "I choose"
    ]


def test_the_naive_brings_up_the_loudest_more_often_than_the_weighing_one() -> None:
    """How far a trap spreads: games in which its item was spoken of before the choice."""
    spread = {"naive": 0, "bayes": 0}
    for bot in spread:
        for seed in range(60):
            env = game(
                game_class("conflicting_evidence_v0")(condition="distributed+traps", toxicity=5),
                [bot] * 4,
                seed,
            )
            traps = {item.id for item in env.world.case.items if item.trap}
            said = {
                claimed[1]
                for event, _ in env.ledger
                if event.kind == "speech"
                for claimed in event.data["claims"]
                if claimed[0] == "says"
            }
            spread[bot] += len(traps & said)
    assert spread["naive"] > 90
    assert spread["bayes"] < 20


def test_the_weighing_one_catches_who_misreports_an_item_that_it_holds_too() -> None:
    table = Table().do("say", "", [claim("says(e1, a, depth, fails)")])
    bot = Bayes(np.random.default_rng(1))
    reply = bot.act(table.env.view("player_1"), table.env.request())
    assert claim("suspect(player_0)") in reply.claims
    reading = bot.observe(table.env.view("player_1"))
    assert reading.liars == {"player_0"}


def test_the_weighing_one_voices_doubt_and_conflict_about_a_trap() -> None:
    table = Table(max_claims=10).do("pass").do("share:2")
    reply = Bayes(np.random.default_rng(1)).act(table.env.view("player_2"), table.env.request())
    assert claim("doubts(e5)") in reply.claims and claim("conflict(e5, e4)") in reply.claims


def test_sources_are_weighed_by_authority_age_and_derivation() -> None:
    table = Table()
    weights: dict[str, float] = {}
    for seat in table.env.seats:
        reading = Reading(seat)
        reading.read(table.env.view(seat))
        weights |= {report.item: reading.log_odds(report) for report in reading.own.values()}
    assert weights["e2"] > weights["e1"] > weights["e3"] > 0  # authority 5, 4, 3
    assert 0 < weights["e4"] < weights["e3"]  # authority 4, yet derived from what its holder has not seen
    assert weights["e5"] < 0.4 and weights["e6"] == 0


def test_belief_is_a_distribution_and_follows_the_evidence() -> None:
    table = Table()
    bot = Bayes(np.random.default_rng(1))
    before = bot.belief(table.env.view("player_0"))
    table.do("pass").do("share:1").do("share:1")
    after = bot.belief(table.env.view("player_0"))
    assert (
        set(before) == set("abc")
        and abs(sum(before.values()) - 1) < 1e-9
        and abs(sum(after.values()) - 1) < 1e-9
    )
    assert after["b"] > before["b"]


def test_emphasis_moves_the_naive_and_not_the_weighing_one() -> None:
    table = Table().do("pass").do("share:2").do("share:1")
    naive, bayes = (
        bot(np.random.default_rng(1)).belief(table.env.view("player_0")) for bot in (Naive, Bayes)
    )
    assert naive["b"] < bayes["b"]


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("condition", get_args(Condition))
def test_every_bot_plays_every_condition_and_table_size_legally(bot: str, condition: str) -> None:
    for seats in (2, 5, 12):
        env = game_class("conflicting_evidence_v0")(condition=condition, seats=seats, polls="each")
        assert game(env, [bot] * seats, seats).finished


@pytest.mark.parametrize("bot", BOTS)
def test_every_bot_keeps_to_narrow_limits(bot: str) -> None:
    for config in ({"max_claims": 0}, {"max_claims": 1}, {"abstention": False, "mole_knows": False}):
        env = game_class("conflicting_evidence_v0")(condition="distributed+traps+mole", **config)
        assert game(env, [bot] * 4, 3).finished


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_repeats_itself_under_one_seed(bot: str) -> None:
    digests = {
        game(
            game_class("conflicting_evidence_v0")(condition="distributed+traps+mole"), [bot] * 4, 5
        ).ledger.digest()
        for _ in range(2)
    }
    assert len(digests) == 1


def test_a_hundred_games_take_seconds() -> None:
    env = game_class("conflicting_evidence_v0")(condition="distributed+traps")
    start = time.process_time()
    for seed in range(100):
        game(env, ["bayes", "naive", "honest", "mole"], seed)
    assert time.process_time() - start < 5
