"""README, "Scripted players", and the effects that the game is built to show."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

from liecraft.engine.errors import ConfigError
from liecraft.games.info_passing.belief import belief
from liecraft.games.info_passing.bots import BOTS
from liecraft.games.info_passing.env import InfoPassingEnv
from liecraft.games.info_passing.notes import Notes
from tests.games.info_passing.play import Tale, difference, factory, interval, play, tale, tales
from tests.games.info_passing.table import Table

GAMES = 150


@cache
def games(
    honest: str, lie_rate: float | None, noise: float, games: int = GAMES, **config: Any
) -> tuple[Tale, ...]:
    """Games of honest bots against the saboteur bot; `lie_rate` None means that there is none."""
    count = {} if lie_rate is not None else {"saboteurs": 0}
    liar = factory("saboteur", lie_rate=lie_rate or 0.0)
    return tuple(tales(games, factory(honest), liar, noise=noise, **count, **config))


def rates(played: tuple[Tale, ...]) -> list[float]:
    return [float(np.mean(one.accusing)) for one in played]


@pytest.mark.parametrize("topology", ["chain", "ring", "tree", "small_world", "scale_free"])
@pytest.mark.parametrize("bot", sorted(BOTS))
def test_every_bot_plays_every_role_on_every_graph(bot: str, topology: str) -> None:
    for seats in (3, 5, 11, 20):
        for saboteurs in (1, 2) if seats > 3 else (1,):
            env = InfoPassingEnv(
                seats=seats, topology=topology, saboteurs=saboteurs, noise=0.2, question_rounds=2
            )
            for seed in range(2):
                play(env, seed, factory(bot), factory(bot))
                assert env.finished


@pytest.mark.parametrize("bot", sorted(BOTS))
def test_a_bot_plays_the_same_game_again_under_the_same_seed(bot: str) -> None:
    digests = []
    for _ in range(2):
        env = InfoPassingEnv(noise=0.2)
        play(env, 5, factory(bot), factory(bot))
        digests.append(env.ledger.digest())
    assert digests[0] == digests[1]


@pytest.mark.parametrize("bot", sorted(BOTS))
@pytest.mark.parametrize("topology", ["chain", "tree"])
def test_honest_seats_of_any_bot_never_lie(bot: str, topology: str) -> None:
    env = InfoPassingEnv(noise=0.2, topology=topology, seats=7)
    for seed in range(40):
        events = play(env, seed, factory(bot), factory("saboteur"))
        lies = [
            (event.actor, verdict)
            for event in events
            if event.kind == "verdicts" and env.role[str(event.actor)] == "honest"
            for verdict in event.data["verdicts"]
            if verdict["class"] == "lie"
        ]
        assert not lies


@pytest.mark.parametrize("bot", ["honest", "bayes"])
def test_as_saboteurs_honest_and_bayes_leave_out_the_targets_and_never_lie(bot: str) -> None:
    env = InfoPassingEnv(noise=0, seats=5)
    for seed in range(40):
        events = play(env, seed, factory(bot), factory(bot))
        liar = next(seat for seat in env.seats if env.role[seat] == "saboteur")
        sent = next(event.data["slots"] for event in events if event.kind == "hop" and event.actor == liar)
        assert [row[0] for row in sent if row[3] is None] == list(env.world.targets)
        assert "lie" not in tale(events).all_classes


def test_the_text_of_the_bots_says_what_their_claims_say() -> None:
    env = InfoPassingEnv(noise=0)
    events = play(env, 3, factory("honest"), factory("saboteur"))
    spoken = [event.data for event in events if event.kind == "speech"]
    for said in spoken:
        for predicate, *args in said["claims"]:
            shown = [arg for arg in args if arg] if predicate != "dont_know" else args
            assert all(str(arg) in said["text"] for arg in shown)


def test_silent_plays_every_default() -> None:
    env = InfoPassingEnv()
    events = play(env, 0, factory("silent"), factory("silent"))
    assert not any(event.data["claims"] for event in events if event.kind == "speech")
    assert {target for _, target in env.ballots} == {"none"}


@pytest.mark.parametrize("bot", ["honest", "bayes", "saboteur"])
def test_the_bots_testify_once_and_to_the_audited_slots(bot: str) -> None:
    env = InfoPassingEnv(noise=0.1, topology="tree")
    for seed in range(10):
        events = play(env, seed, factory(bot), factory(bot))
        spoken = [event for event in events if event.kind == "speech" and event.data["claims"]]
        audit = [event for event in spoken if event.data["claims"][0][0] not in ("slot_is", "dont_know")]
        assert len({event.actor for event in audit}) == len(audit) == 6
        assert {
            claim[2 - claim[0].startswith("sent")] for event in audit for claim in event.data["claims"]
        } <= set(env.world.audit)


@pytest.mark.parametrize("lie_rate", [0.0, 0.3, 0.7, 1.0])
def test_the_saboteurs_lie_rate_can_be_read_from_its_claims(lie_rate: float) -> None:
    liar = factory("saboteur", lie_rate=lie_rate, targets="all", cover=False)
    played = tales(GAMES, factory("bayes"), liar, noise=0.1)
    lies = [np.mean([found == "lie" for found in one.all_classes]) for one in played if one.all_classes]
    low, high = interval([float(share) for share in lies])
    assert low - 1e-9 <= lie_rate <= high + 1e-9


def test_the_saboteur_changes_the_targets_or_every_slot() -> None:
    for targets, count in (("assigned", 2), ("all", 4)):
        env = InfoPassingEnv(noise=0)
        for seed in range(20):
            events = play(env, seed, factory("bayes"), factory("saboteur", targets=targets))
            liar = next(seat for seat in env.seats if env.role[seat] == "saboteur")
            hop = next(event for event in events if event.kind == "hop" and event.actor == liar)
            assert sum(sent != truth for _, truth, _, sent, *_ in hop.data["slots"]) == count


def test_under_cover_the_saboteur_claims_to_have_heard_what_it_sent() -> None:
    table = Table(saboteurs=[1], audit=["where"])
    bot, view = BOTS["saboteur"](np.random.default_rng(0)), table.env.view("player_1")
    table.do("relay:faithful")
    reply: Any = bot.act(view, table.env.request())
    table.do("send", *map(str, reply.claims))
    sent = table.stated(2)["where"]
    table.until("ask").do("ask:none").do("ask:player_1")
    answer: Any = bot.act(view, table.env.request())
    assert f"heard(player_0, where, {sent})" in map(str, answer.claims)
    assert f"sent(where, {sent})" in map(str, answer.claims)


@pytest.mark.parametrize(
    ("bot", "params"),
    [("saboteur", {"lie_rate": 1.2}), ("saboteur", {"targets": "some"}), ("bayes", {"threshold": -1})],
)
def test_wrong_parameters_are_refused_in_one_line(bot: str, params: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"bot {bot}: ") as refused:
        factory(bot, **params)(np.random.default_rng(0))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("saboteurs", [1, 2, 3])
def test_beliefs_are_chances_that_count_out_sinks_and_oneself(saboteurs: int) -> None:
    env = InfoPassingEnv(seats=7, topology="small_world", saboteurs=saboteurs, noise=0.2)
    for seed in range(20):
        play(env, seed, factory("honest"), factory("saboteur"))
        seat = next(seat for seat in env.seats if env.role[seat] == "honest")
        notes = Notes(seat)
        notes.read(env.view(seat))
        seen = belief(notes)
        assert seen[seat] == seen[env.seats[-1]] == 0
        assert all(0 <= chance <= 1 for chance in seen.values())
        if saboteurs < 3:
            assert sum(seen.values()) == pytest.approx(saboteurs)


def test_one_who_was_lied_about_to_its_face_knows_the_liar() -> None:
    table = Table(saboteurs=[1], noise=[], audit=["where"], seats=5)
    table.env.reset(seed=1, options={"world": table.world})
    table.do("relay:faithful").do("send", "slot_is(where, harbour)").until("ask")
    table.do("ask:none").do("ask:none").do("ask:none")
    table.do("ask:none", "heard(player_0, where, harbour)").do("ask:player_1")
    table.do("answer", "heard(player_0, where, harbour)", "sent(where, harbour)")
    notes = Notes("player_0")
    notes.read(table.env.view("player_0"))
    seen = belief(notes)
    assert max(seen, key=lambda seat: seen[seat]) == "player_1"
    assert seen["player_1"] > 0.8


def test_where_words_conflict_bayes_trusts_the_speaker_nearer_to_the_source() -> None:
    edges = [(0, 1), (1, 2), (2, 3), (0, 3), (3, 4)]
    for bot, chosen in (("bayes", "harbour"), ("honest", "chapel")):
        table = Table(seats=5, edges=edges, saboteurs=[0])
        table.do("send", "slot_is(where, harbour)").do("send", "slot_is(where, harbour)")
        table.do("send", "slot_is(where, chapel)")
        reply: Any = BOTS[bot](np.random.default_rng(0)).act(table.env.view("player_3"), table.env.request())
        assert f"slot_is(where, {chosen})" in map(str, reply.claims)


# --- the designed effects, with intervals that exclude zero --------------------------------------------


@pytest.mark.parametrize("honest", ["honest", "bayes"])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_saboteurs_lower_fidelity(honest: str, noise: float) -> None:
    clean = [one.right for one in games(honest, None, noise)]
    spoilt = [one.right for one in games(honest, 1.0, noise)]
    assert difference(clean, spoilt)[0] > 0


@pytest.mark.parametrize("topology", ["tree", "small_world"])
def test_saboteurs_lower_fidelity_less_where_words_come_by_several_ways(topology: str) -> None:
    clean = [one.right for one in games("bayes", None, 0.05, topology=topology)]
    spoilt = [one.right for one in games("bayes", 1.0, 0.05, topology=topology)]
    assert difference(clean, spoilt)[0] > 0
    chain = [one.right for one in games("bayes", 1.0, 0.05)]
    assert difference(spoilt, chain)[0] > 0


@pytest.mark.parametrize("honest", ["honest", "bayes"])
@pytest.mark.parametrize("lie_rate", [0.0, 0.5])
def test_noise_raises_false_accusations_of_honest_seats(honest: str, lie_rate: float) -> None:
    quiet = rates(games(honest, lie_rate, 0.0))
    noisy = rates(games(honest, lie_rate, 0.2))
    assert difference(noisy, quiet)[0] > 0


@pytest.mark.parametrize("honest", ["honest", "bayes"])
def test_noise_draws_accusations_to_the_relays_that_it_struck(honest: str) -> None:
    senders = [sender for one in games(honest, 0.5, 0.1) for sender in one.hit]
    struck = [float(votes) for hit, votes in senders if hit]
    spared = [float(votes) for hit, votes in senders if not hit]
    assert interval(struck)[0] > interval(spared)[1]


def test_noise_lowers_fidelity_though_every_relay_is_faithful() -> None:
    quiet, noisy = games("bayes", None, 0.0), games("bayes", None, 0.2)
    assert difference([one.right for one in quiet], [one.right for one in noisy])[0] > 0
    assert all(all(one.kept) for one in noisy)


def test_bayes_finds_the_saboteur_more_often_than_a_naive_auditor_or_chance() -> None:
    careful = [one.caught or 0.0 for one in games("bayes", 1.0, 0.05)]
    naive = [one.caught or 0.0 for one in games("honest", 1.0, 0.05)]
    assert difference(careful, naive)[0] > 0
    assert interval(careful)[0] > 0.2


def test_neither_side_always_wins_when_both_play_with_care() -> None:
    wins = [float(one.winner == "deceivers") for one in games("bayes", 1.0, 0.05)]
    assert 0.3 < interval(wins)[0]
    assert interval(wins)[1] < 0.7


def test_lies_pay_a_saboteur_that_goes_unnamed() -> None:
    lying = [one.damage for one in games("bayes", 1.0, 0.05)]
    tame = [one.damage for one in games("bayes", 0.0, 0.05)]
    assert difference(lying, tame)[0] > 0


@pytest.mark.slow
def test_hundreds_of_games_take_seconds() -> None:
    start = time.perf_counter()
    tales(300, factory("bayes"), factory("saboteur"))
    assert time.perf_counter() - start < 15
