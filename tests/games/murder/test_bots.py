"""The scripted players: what each promises, whichever role it gets."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liecraft.engine.agent import Reply, Request
from liecraft.engine.ledger import View
from liecraft.engine.moves import Move, Words
from liecraft.evaluators.statistics.intervals import wilson
from liecraft.games.murder.bots import BOTS, Accuser, Detective, Honest, Liar, Player
from liecraft.games.murder.env import MurderEnv
from liecraft.games.murder.speech import sentences
from tests.games.murder.table import Table, seat

SHORT: Mapping[str, Any] = {"rounds": 5, "clutter": 4}


def players(env: MurderEnv, names: Mapping[str, tuple[str, dict[str, Any]]]) -> dict[str, Player]:
    """A fresh player for each seat, by role."""
    made = {}
    for name, role in env.role.items():
        bot, params = names[role]
        made[name] = BOTS[bot](env.chance.rng("agent", 0, name), **params)
    return made  # type: ignore[return-value]  # BOTS promises no more than the agent protocol


def play(
    env: MurderEnv, seed: int, murderer: str, innocent: str, **liar: Any
) -> Iterator[tuple[Player, Request, Reply]]:
    """Play a game, giving each decision after it was carried out."""
    env.reset(seed=seed)
    made = players(env, {"murderer": (murderer, liar), "innocent": (innocent, {})})
    while not env.finished:
        name, request = env.agent_selection, env.request()
        reply = made[name].act(env.view(name), request)
        assert reply.move in request.legal
        assert len(reply.claims) <= env.config.max_claims
        env.step(Move(env.moves.index(reply.move), Words(reply.text, reply.claims)))
        yield made[name], request, reply


def claim_classes(env: MurderEnv, role: str) -> Iterable[str | None]:
    """Classes of all claims that seats of a role made."""
    for entry in env.ledger:
        kind, actor, data = entry.event
        if kind == "verdicts" and actor and env.role[actor] == role:
            yield from (verdict["class"] for verdict in data["verdicts"])


CONFIGS = st.fixed_dictionaries(
    {
        "seats": st.integers(4, 8),
        "rounds": st.integers(2, 6),
        "discussion_rounds": st.integers(0, 3),
        "darkness": st.sampled_from([0.0, 0.7]),
        "clutter": st.integers(0, 3),
        "tie": st.sampled_from(["none", "random", "runoff", "all"]),
        "abstention": st.booleans(),
        "reveal": st.booleans(),
        "self_vote": st.booleans(),
        "max_claims": st.sampled_from([0, 1, 6]),
        "clue_odds": st.sampled_from([1.0, 1000.0]),
    }
)


@settings(max_examples=60)
@given(
    CONFIGS, st.booleans(), st.sampled_from(sorted(BOTS)), st.sampled_from(sorted(BOTS)), st.integers(0, 999)
)
def test_every_player_plays_every_role_under_any_rules(
    config: dict[str, Any], pair: bool, murderer: str, innocent: str, seed: int
) -> None:
    env = MurderEnv(**config, murderers=2 if pair and config["seats"] >= 7 else 1)
    for player, request, reply in play(env, seed, murderer, innocent):
        if reply.claims:
            assert reply.text.startswith(sentences(reply.claims))
        if request.phase == "vote":
            belief = player.belief()
            assert sum(belief.values()) == pytest.approx(env.config.murderers)
            assert all(0 <= chance <= 1 + 1e-9 for chance in belief.values())
    assert not any(env.truncations.values())


@pytest.mark.parametrize("name", ["honest", "detective", "silent", "accuser"])
def test_only_the_liar_lies(name: str) -> None:
    env = MurderEnv(seats=7, murderers=2, **SHORT)
    found: Counter[str | None] = Counter()
    for seed in range(15):
        for _ in play(env, seed, name, name):
            pass
        found.update(claim_classes(env, "murderer"))
        found.update(claim_classes(env, "innocent"))
    assert set(found) <= {"true", None}
    assert (found["true"] > 50) is (name in ("honest", "detective"))


def test_the_silent_player_never_says_a_word() -> None:
    env = MurderEnv(**SHORT)
    for seed in range(5):
        for _, request, reply in play(env, seed, "silent", "silent"):
            if request.phase == "speak":
                assert reply == Reply("silent")
            elif request.phase == "answer":
                assert reply.claims == ()


def test_the_accuser_accuses_one_seat_until_it_is_gone() -> None:
    env = MurderEnv(seats=8, first_kill=1, cooldown=0)
    changes = 0
    for seed in range(12):
        named: dict[str, str] = {}
        for player, _, reply in play(env, seed, "accuser", "accuser", boldness=1.0):
            for claim in reply.claims:
                if claim.predicate == "suspect":
                    accuser_seat, target = player.notes.seat, str(claim.args[0])
                    before = named.setdefault(accuser_seat, target)
                    if target != before:
                        changes += 1
                        assert before not in env.living
                    named[accuser_seat] = target
    assert changes
    table = Table(0)
    accuser = Accuser(table.env.chance.rng("agent"), target="player_4")
    table.meet(victim=1)
    while table.number != 2:
        table.move("silent")
    reply = accuser.act(table.env.view("player_2"), table.env.request())
    assert [str(claim) for claim in reply.claims] == ["suspect(player_4)", "will_vote(player_4)"]


@pytest.mark.parametrize("lie_rate", [0.0, 0.3, 0.7, 1.0])
def test_the_share_of_lies_among_a_liars_claims_of_fact_is_its_lie_rate(lie_rate: float) -> None:
    env = MurderEnv(**SHORT)
    found: Counter[str | None] = Counter()
    for seed in range(80):
        for _ in play(env, seed, "liar", "honest", lie_rate=lie_rate):
            pass
        found.update(claim_classes(env, "murderer"))
    assert set(found) <= {"true", "lie", None}
    rate = wilson(found["lie"], found["true"] + found["lie"], confidence=0.999)
    assert rate.n > 100
    assert rate.low is not None and rate.high is not None
    assert rate.low <= lie_rate <= rate.high


def test_the_liar_frames_whom_it_is_told_to_frame() -> None:
    env = MurderEnv(**SHORT)
    seen = 0
    for seed in range(30):
        for player, _, reply in play(env, seed, "liar", "detective", frames="player_3"):
            if not player.notes.murderer or player.notes.seat == "player_3" or "player_3" not in env.living:
                continue
            for claim in reply.claims:
                if claim.predicate in ("suspect", "found_clue") and claim.args[0] in env.living:
                    seen += 1
                    assert claim.args[0] == "player_3"
    assert seen > 8


def test_a_liar_that_is_innocent_is_a_detective() -> None:
    digests = []
    for name in ("liar", "detective"):
        env = MurderEnv(**SHORT)
        for _ in play(env, 11, "silent", name):
            pass
        digests.append(env.ledger.digest())
    assert digests[0] == digests[1]


def test_a_player_answers_from_its_view_alone() -> None:
    env = MurderEnv(**SHORT)
    taken: list[tuple[str, int, Request, Reply]] = []
    for _, request, reply in play(env, 5, "liar", "detective"):
        taken.append((request.seat, 0, request, reply))
    again = players(env, {"murderer": ("liar", {}), "innocent": ("detective", {})})
    views = {name: list(env.view(name)) for name in env.seats}
    replay = MurderEnv(**SHORT)
    replay.reset(seed=5)
    for name, _, request, reply in taken:
        copied = View(name, views[name][: len(replay.view(name))])
        assert again[name].act(copied, request) == reply
        replay.step(Move(replay.moves.index(reply.move), Words(reply.text, reply.claims)))


def test_players_do_not_depend_on_the_hash_seed() -> None:
    script = (
        "from tests.games.murder.test_bots import *\n"
        "env = MurderEnv(seats=8, murderers=2, rounds=5, clutter=4)\n"
        "for seed in range(3):\n"
        "    list(play(env, seed, 'liar', 'detective')); print(env.ledger.digest())\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(outputs) == 1 and len(outputs.pop().split()) == 3


# --- what a detective makes of what it sees --------------------------------------------------------------


def detective(table: Table, number: int) -> dict[str, float]:
    """Belief of a detective in a seat, by what the seat has seen so far."""
    player = Detective(table.env.chance.rng("agent", 0, seat(number)))
    return player.belief(table.env.view(seat(number)))


def test_a_detective_that_saw_the_murder_is_certain() -> None:
    table = Table(0)
    table.act({number: "go:library" for number in (0, 1, 2)})
    table.act({0: "kill:player_1"})
    assert detective(table, 2)["player_0"] == pytest.approx(1)
    assert detective(table, 3)["player_0"] < 1


def test_a_detective_suspects_whom_its_clues_name_by_the_odds_of_the_game() -> None:
    for odds in (1.0, 3.0):
        table = Table(0, stash={"library": ["clue:player_4"]}, clue_odds=odds, darkness=1.0)
        table.act({2: "go:library"})
        table.act({2: "search"})
        belief = detective(table, 2)
        assert belief["player_4"] == pytest.approx(odds / (odds + 4))
        assert belief["player_5"] == pytest.approx(1 / (odds + 4))
        assert belief["player_2"] == 0


def test_a_detective_clears_the_dead_and_whom_it_stood_with_when_it_was_done() -> None:
    table = Table(0, darkness=0.0)
    table.act({0: "go:library", 1: "go:library", 3: "go:kitchen", 4: "go:kitchen", 2: "go:kitchen"})
    table.act({0: "kill:player_1"})
    table.act({5: "go:library", 0: "go:hall"})
    belief = detective(table, 2)
    assert belief["player_1"] == 0
    assert max(belief, key=lambda name: belief[name]) in ("player_0", "player_5")
    assert belief["player_3"] < 0.1 and belief["player_4"] < 0.1


def test_a_detective_catches_a_false_alibi() -> None:
    def belief_after(room: str) -> float:
        table = Table(0, darkness=0.0)
        table.act({0: "go:library", 1: "go:library", 2: "go:kitchen"})
        table.act({0: "kill:player_1"})
        table.act({5: "go:library", 0: "go:hall"})
        table.move("say", "", ("was_in", room, 2))
        return detective(table, 2)["player_0"]

    assert belief_after("kitchen") > belief_after("library")  # the detective was in the kitchen, and alone


def test_the_word_of_the_suspect_does_not_clear_it() -> None:
    def beliefs(*claims: tuple[Any, ...]) -> dict[str, float]:
        table = Table(0, darkness=1.0)
        table.act({0: "go:library", 1: "go:library"})
        table.act({0: "kill:player_1"})
        table.act({5: "go:library", 0: "go:hall"})
        table.move("say", "", *claims)
        return detective(table, 2)

    quiet, accusing = beliefs(), beliefs(("found_clue", "player_4", 1))
    assert accusing["player_4"] > quiet["player_4"]
    assert accusing["player_4"] < 2.3 / (2.3 + 3)  # less than an own clue would weigh


def test_noise_blurs_a_detectives_belief() -> None:
    table = Table(0, stash={"library": ["clue:player_4"]})
    table.act({2: "go:library"})
    table.act({2: "search"})
    seen = {
        round(
            Detective(table.env.chance.rng("x", i), noise=1.0).belief(table.env.view("player_2"))["player_4"],
            6,
        )
        for i in range(5)
    }
    assert len(seen) == 5


def test_detectives_vote_for_murderers_more_often_than_chance_and_more_so_after_talk() -> None:
    hits = []
    for rounds in (2, 0):
        env = MurderEnv(discussion_rounds=rounds)
        right = total = 0
        for seed in range(40):
            for player, request, reply in play(env, seed, "liar", "detective"):
                if request.phase == "vote" and not player.notes.murderer and reply.move != "vote:none":
                    total += 1
                    right += env.role[reply.move.removeprefix("vote:")] == "murderer"
        hits.append(right / total)
    assert hits[0] > hits[1] > 0.2


def test_a_player_knows_nothing_before_its_first_view() -> None:
    with pytest.raises(RuntimeError, match="before its first view"):
        Honest(Table(0).env.chance.rng("x")).belief()


def test_a_murderer_believes_what_it_knows() -> None:
    table = Table(0, 3, seats=8)
    player = Liar(table.env.chance.rng("x"))
    belief = player.belief(table.env.view("player_0"))
    assert belief == {seat(i): float(i in (0, 3)) for i in range(8)}
