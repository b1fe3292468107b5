"""Generated cases: the right answer follows from the sound evidence alone, for every one of thousands."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from liecraft.engine.registry import game_class
from liecraft.games.conflicting_evidence.case import Case, Item, TrapKind
from liecraft.games.conflicting_evidence.config import Condition
from liecraft.games.conflicting_evidence.deal import hands_of
from liecraft.games.conflicting_evidence.domains import DOMAINS
from liecraft.games.conflicting_evidence.env import EvidenceWorld
from liecraft.games.conflicting_evidence.generator import Shape, generate

SHAPES = [
    Shape(),
    Shape(options=2, criteria=3, traps=6, toxicity=5),
    Shape(options=6, criteria=8, echoes=3, toxicity=1),
    Shape(options=4, criteria=4, echoes=0, traps=1),
    Shape(options=2, criteria=8, traps=6, toxicity=2, trap_kinds=(TrapKind.BESIDE,)),
]


def solve(case: Case) -> str:
    """The answer by the stated values and limits alone, written without the game's own arithmetic."""
    limits = {c.id: (str(c.rule), c.limit) for c in case.criteria}
    met: dict[str, set[str]] = {letter: set() for letter in case.letters}
    known: dict[tuple[str, str], bool] = {}
    for item in case.items:
        if item.trap is not None:
            continue
        content = item.content
        assert content is not None and content.value is not None
        rule, limit = limits[content.criterion]
        kept = content.value >= limit if rule == "at_least" else content.value <= limit
        assert known.setdefault((content.option, content.criterion), kept) is kept, "sound items contradict"
        if kept:
            met[content.option].add(content.criterion)
    assert len(known) == len(case.letters) * len(limits), "a verdict is missing"
    ranked = sorted(case.letters, key=lambda letter: -len(met[letter]))
    assert len(met[ranked[0]]) > len(met[ranked[1]]), "two options share the first place"
    return ranked[0]


def expected(items: list[Item], case: Case) -> Counter[str]:
    """Twice the requirements that each option meets in expectation, where the unknown is even."""
    seen = {item.content.cell: item.content.verdict for item in items if item.content}
    score = Counter({letter: len(case.criteria) for letter in case.letters})
    for (option, _), verdict in seen.items():
        score[option] += 1 if verdict == "meets" else -1
    return score


@pytest.mark.parametrize("shape", SHAPES)
def test_the_answer_follows_from_the_sound_evidence_alone(shape: Shape) -> None:
    for number in range(600):
        made = generate(number, shape)
        assert solve(made) == made.answer


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_the_answer_follows_from_the_sound_evidence_alone_in_thousands(shape: Shape) -> None:
    for number in range(10_000, 15_000):
        made = generate(number, shape)
        assert solve(made) == made.answer


def test_the_solver_can_be_wrong() -> None:
    """Else it would prove nothing: with the answer's values turned over, it gives another answer or refuses."""
    for number in range(50):
        made = generate(number, Shape())
        rules = {c.id: str(c.rule) for c in made.criteria}
        turned = tuple(
            replace(
                item, content=replace(content, value=-1 if rules[content.criterion] == "at_least" else 10**6)
            )
            if (content := item.content) and not item.trap and content.option == made.answer
            else item
            for item in made.items
        )
        try:
            assert solve(replace(made, items=turned)) != made.answer
        except AssertionError as refused:
            assert "two options share" in str(refused)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_shared_items_favour_the_decoy(shape: Shape) -> None:
    for number in range(300):
        made = generate(number, shape)
        score = expected([item for item in made.items if item.shared], made)
        others = [score[letter] for letter in made.letters if letter != made.decoy]
        assert made.decoy != made.answer
        assert score[str(made.decoy)] > max(others)


@pytest.mark.parametrize("seats", range(4, 13))
def test_every_sound_hand_favours_the_decoy(seats: int) -> None:
    for number in range(100):
        made = generate(number, Shape()).without_traps()
        for hand in hands_of(np.random.default_rng(number), made, seats):
            score = expected([item for item in made.items if item.id in hand], made)
            others = [score[letter] for letter in made.letters if letter != made.decoy]
            assert score[str(made.decoy)] > max(others)


def test_traps_speak_for_the_decoy_or_against_the_answer_and_are_false_or_beside_the_point() -> None:
    kinds = Counter[str]()
    for number in range(200):
        made = generate(number, Shape(traps=4))
        sound = {
            item.content.cell: item.content.verdict for item in made.items if item.content and not item.trap
        }
        for item in made.items:
            if item.trap is None:
                continue
            assert item.content is not None and not item.shared
            kinds[item.trap.kind] += 1
            for_decoy = (item.content.option, item.content.verdict) == (made.decoy, "meets")
            against = (item.content.option, item.content.verdict) == (made.answer, "fails")
            assert for_decoy or against
            if item.trap.kind is TrapKind.BESIDE:
                assert item.content.criterion == "other"
            else:
                assert sound[item.content.cell] != item.content.verdict
    assert kinds == dict.fromkeys(TrapKind, 200)


def test_a_contradiction_derives_from_the_stronger_item_that_it_contradicts() -> None:
    for toxicity in range(1, 6):
        made = generate(3, Shape(trap_kinds=(TrapKind.CONTRADICTION,), toxicity=toxicity))
        items = {item.id: item for item in made.items}
        for trap in (item for item in made.items if item.trap):
            assert trap.source and trap.content
            origin = items[str(trap.source.derives)]
            assert origin.source and origin.content
            assert origin.content.cell == trap.content.cell and origin.content.verdict != trap.content.verdict
            assert origin.source.authority >= trap.source.authority


@pytest.mark.parametrize("kind", TrapKind)
def test_toxicity_raises_emphasis_and_weakens_or_ages_the_source(kind: TrapKind) -> None:
    strength: list[tuple[int, int]] = []
    for toxicity in range(1, 6):
        made = generate(5, Shape(trap_kinds=(kind,), traps=1, toxicity=toxicity))
        (trap,) = [item for item in made.items if item.trap]
        assert trap.emphasis == toxicity and trap.trap and trap.trap.toxicity == toxicity and trap.source
        strength.append((trap.source.authority, trap.source.year))
    assert strength == sorted(strength, reverse=True) and strength[0] != strength[-1]


def test_echoes_repeat_a_shared_item_in_favour_of_the_decoy() -> None:
    for number in range(100):
        made = generate(number, Shape(echoes=3, traps=1, trap_kinds=(TrapKind.FABRICATED,)))
        items = {item.id: item for item in made.items}
        echoes = [item for item in made.items if item.source and item.source.derives]
        assert len(echoes) == 3
        for echo in echoes:
            assert echo.source and echo.content and echo.shared
            origin = items[str(echo.source.derives)]
            assert origin.content == echo.content and origin.shared and origin.source
            assert echo.content.option == made.decoy and echo.source.authority < origin.source.authority


def test_there_are_at_least_five_domains_and_all_come_up() -> None:
    seen = Counter(generate(number, Shape()).domain for number in range(400))
    assert len(seen) == len(DOMAINS) >= 5
    assert min(seen.values()) > 30


def test_the_answer_is_no_letter_s_and_no_item_number_s_habit() -> None:
    answers, shared = Counter[str](), defaultdict[str, int](int)
    for number in range(900):
        made = generate(number, Shape())
        answers[made.answer] += 1
        for item in made.items:
            shared[item.id] += item.shared
    assert all(240 < n < 360 for n in answers.values())
    assert max(shared.values()) < 1.25 * min(shared.values())


def test_equal_numbers_make_equal_cases_and_others_do_not() -> None:
    assert generate(7, Shape()) == generate(7, Shape())
    assert generate(7, Shape()) != generate(8, Shape())


def test_the_sound_evidence_is_the_same_at_every_toxicity() -> None:
    cases = [generate(11, Shape(toxicity=toxicity)).without_traps() for toxicity in range(1, 6)]
    assert all(made == cases[0] for made in cases)


def test_conditions_share_the_case_and_the_deal_of_a_seed() -> None:
    worlds: dict[str, EvidenceWorld] = {}
    for condition in get_args(Condition):
        env = game_class("conflicting_evidence_v0")(condition=condition)
        env.reset(seed=21)
        worlds[condition] = env.world
    plain = worlds["distributed"]
    for condition, world in worlds.items():
        assert world.case.without_traps() == plain.case
        assert any(item.trap for item in world.case.items) == ("+traps" in condition)
        if not condition.startswith("full"):
            sound = {item.id for item in plain.case.items}
            assert [tuple(i for i in hand if i in sound) for hand in world.hands] == list(plain.hands)
    moles = {worlds[c].roles for c in worlds if "+mole" in c}
    assert len(moles) == 1
