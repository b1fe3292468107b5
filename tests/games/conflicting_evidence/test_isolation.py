"""Nothing leaks: the kit's checks, and one pair of worlds for each hidden field."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import liecraft
from liecraft.games.conflicting_evidence.case import Case, Content, Trap, TrapKind
from liecraft.games.conflicting_evidence.env import EvidenceWorld
from liecraft.testing import check_game
from tests.games.conflicting_evidence.oracle import entitled, variants
from tests.games.conflicting_evidence.table import HANDS, Table, case, claim

GAME = "conflicting_evidence_v0"


def isolated(pairs: int, condition: str) -> None:
    report = check_game(
        partial(_make, condition),
        games=8,
        fuzz_games=50,
        pairs=pairs,
        entitled=entitled,
        variants=variants,
        zero_sum=condition.endswith("+mole"),
    )
    assert report.worlds.pairs == report.acts.pairs == pairs
    assert report.worlds.decisions > pairs and report.worlds.without == 0


def _make(default: str, **config: Any) -> Any:
    return liecraft.make(GAME, **{"condition": default, **config})


def test_the_game_keeps_every_promise() -> None:
    isolated(40, "distributed+traps")


@pytest.mark.slow
def test_the_game_keeps_every_promise_over_thousands_of_pairs_with_traps_and_a_mole() -> None:
    isolated(2000, "distributed+traps+mole")


def turned(world: EvidenceWorld, item_id: str, **changes: Any) -> EvidenceWorld:
    """The world with one item changed."""
    items = tuple(
        dataclasses.replace(item, **changes) if item.id == item_id else item for item in world.case.items
    )
    return dataclasses.replace(world, case=dataclasses.replace(world.case, items=items))


def recast(world: EvidenceWorld, **changes: Any) -> EvidenceWorld:
    return dataclasses.replace(world, case=dataclasses.replace(world.case, **changes))


# What differs, all of it hidden from player_0, who holds e1 and e2.
HIDDEN: dict[str, Callable[[EvidenceWorld], EvidenceWorld]] = {
    "the content of another's item": lambda w: turned(w, "e3", content=Content("c", "flow", "fails", 1)),
    "another's item without content": lambda w: turned(w, "e4", content=None, text="words"),
    "the source of another's item": lambda w: turned(w, "e3", source=None),
    "its emphasis": lambda w: turned(w, "e3", emphasis=5),
    "that an own item is trapped": lambda w: turned(w, "e2", trap=Trap(TrapKind.OUTDATED, 5)),
    "that an own item is shared": lambda w: turned(w, "e2", shared=True),
    "the answer": lambda w: recast(w, answer="c"),
    "the decoy": lambda w: recast(w, decoy="c"),
    "who holds what": lambda w: dataclasses.replace(w, hands=(w.hands[0], ("e1",), ("e1", "e3", "e4", "e5"))),
    "that no other item has content or a source": lambda w: recast(
        w,
        items=tuple(
            item
            if item.id in HANDS[0]
            else dataclasses.replace(item, content=None, source=None, text="words")
            for item in w.case.items
        ),
    ),
    "how much others hold": lambda w: dataclasses.replace(w, hands=(w.hands[0], (), ())),
    "who the mole is": lambda w: dataclasses.replace(w, roles=("member", "mole", "member")),
}


def received(world: EvidenceWorld, lean: str, choice: str) -> list[str]:
    """All that reaches player_0 up to the last choice, while the others lean and choose as given, and pass."""
    table = Table(mole=2, polls="each")
    table.env.reset(seed=5, options={"world": world})
    got: list[str] = []
    while True:
        env = table.env
        seat = env.agent_selection
        if seat == "player_0":
            observation, reward, *_, info = env.last()
            assert observation is not None
            got.append(
                repr([observation["observation"].tolist(), observation["action_mask"].tolist(), reward, info])
            )
            request = env.request()
            assert request.vocabulary is not None
            got += [repr(dataclasses.replace(request, vocabulary=None)), repr(request.vocabulary.schema())]
            got += [repr(list(env.view(seat))), env.text(seat)]
        if table.phase == "choose" and seat == "player_2":
            got += [
                repr(list(env.view("player_0"))),
                repr(env.observe("player_0")),
                repr(env.infos["player_0"]),
            ]
            return got
        if seat == "player_0":
            move = {"lean": "lean:a", "talk": "share:1", "choose": "choose:a:low"}[table.phase]
        else:
            move = {"lean": lean, "talk": "pass", "choose": choice}[table.phase]
        table.do(move)


@pytest.mark.parametrize("field", HIDDEN)
def test_worlds_that_differ_in_a_hidden_field_look_the_same(field: str) -> None:
    world = Table(mole=2).world
    other = HIDDEN[field](world)
    assert other != world
    assert received(world, "lean:a", "choose:a:low") == received(other, "lean:a", "choose:a:low")


def test_leanings_and_choices_of_others_do_not_show() -> None:
    world = Table(mole=2).world
    assert received(world, "lean:a", "choose:a:low") == received(world, "lean:none", "choose:b:high")


def test_the_comparison_sees_what_is_not_hidden() -> None:
    world = Table(mole=2).world
    other = turned(world, "e2", emphasis=3)
    assert received(world, "lean:a", "choose:a:low") != received(other, "lean:a", "choose:a:low")


def test_refusals_tell_nothing_of_hands_or_roles() -> None:
    texts = []
    for world in (Table(mole=2).world, dataclasses.replace(Table(mole=1).world, hands=(HANDS[0], (), ()))):
        table = Table(mole=2)
        table.env.reset(seed=5, options={"world": world})
        for move in ("share:7", "twist:2", "choose:a:low", "lean:a"):
            with pytest.raises(liecraft.IllegalMove) as caught:
                table.do(move)
            texts.append(str(caught.value))
        with pytest.raises(liecraft.IllegalMove) as caught:
            table.do("say", "", [claim("says(e8, a, flow, meets)")])
        texts.append(str(caught.value))
    assert texts[:5] == texts[5:]


def test_the_numeric_view_shows_own_items_and_what_is_said() -> None:
    table = Table()
    env = table.env
    before = env.observe("player_0")["observation"].copy()
    hidden = env.observe("player_1")["observation"].copy()
    table.do("share:1")
    after = env.observe("player_0")["observation"]
    assert not np.array_equal(before, after)
    features = env.features
    assert np.count_nonzero(after - before) == 1, "one report more that a fails flow"
    assert not np.array_equal(before[features.public_size :], hidden[features.public_size :])


def test_a_case_is_a_plain_value() -> None:
    made: Case = case()
    assert hash(made) == hash(case())
