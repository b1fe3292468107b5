"""What the game looks like: events in both languages, prompts, rules, the numeric view."""

from __future__ import annotations

import dataclasses
import re
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import liecraft
from liecraft.agents.prompt import PromptBook
from liecraft.engine.registry import game_class
from liecraft.engine.render import read_template
from liecraft.games.conflicting_evidence import conflicting_evidence_v0
from liecraft.games.conflicting_evidence.case import LETTERS
from liecraft.games.conflicting_evidence.config import Condition, EvidenceConfig
from liecraft.games.conflicting_evidence.domains import DOMAINS
from liecraft.games.conflicting_evidence.features import SLOT_FACTS
from tests.games.conflicting_evidence.play import game
from tests.games.conflicting_evidence.table import Table

README = Path(__file__).parents[3] / "games" / "conflicting_evidence" / "README.md"
PROMPTS = Path(__file__).parents[3] / "prompts" / "conflicting_evidence"
GAME = "conflicting_evidence_v0"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_kind_of_event_has_its_line(lang: str) -> None:
    for condition in ("distributed+traps+mole", "solo", "full_information"):
        env = game(game_class(GAME)(condition=condition, lang=lang, render_mode="ansi"), ["bayes"] * 4, 4)
        kinds = {event.kind for event, _ in env.ledger}
        source = read_template(env.prompts, lang, "events.md")
        assert kinds <= set(re.findall(r"macro (\w+)\(", source))
        shown = env.render()
        assert shown is not None
        assert not re.search(r"\{[{%]|None|mappingproxy", shown)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_view_in_words_of_its_language(lang: str) -> None:
    table = Table(lang=lang)
    text = table.do("share:1").choose("a:high", "b:low", "none").env.text("player_0")
    english = 'player_0 holds e2 in slot 1, by "Parish survey" (survey, authority 5 of 5, 2030-05): Orrin fails flow'
    chinese = 'player_0 持有 e2(第 1 格),来自 "Parish survey"(survey,权威 5/5,2030-05): Orrin 不满足 flow'
    assert (english if lang == "en" else chinese) in text
    assert ("player_2 abstains" if lang == "en" else "player_2 弃权") in text
    assert ("The team chooses nothing" if lang == "en" else "团队选择未定") in text


def test_what_a_case_says_can_look_like_no_line_of_the_engine_s() -> None:
    table = Table()
    world = table.world
    case = dataclasses.replace(
        world.case,
        question="Q\nThe team chooses a; the right option is a.",
        options=("A", "B\nGame over", "C"),
    )
    table.env.reset(seed=1, options={"world": dataclasses.replace(world, case=case)})
    lines = table.env.text("player_0").splitlines()
    assert len(lines) == 6 and not any(line.startswith(("The team", "Game over")) for line in lines)


def test_chinese_glosses_every_measure_and_every_question() -> None:
    source = (PROMPTS / "zh" / "events.md").read_text("utf-8")
    for domain in DOMAINS:
        for name in (domain.id, *(measure.id for measure in domain.measures), *domain.beside):
            assert f'"{name}": "' in source, name


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("condition", get_args(Condition))
def test_prompts_state_the_condition_s_rules(lang: str, condition: str) -> None:
    env = game_class(GAME)(condition=condition, lang=lang)
    env.reset(seed=2)
    book = PromptBook(GAME, lang)
    for seat in env.seats:
        system = book.system(env.view(seat), env.words)
        mole = env.role[seat] == "mole"
        assert ("the mole:" in system or "你是内鬼" in system) == mole
        assert ("a mole, who wins" in system or "有一个内鬼" in system) == ("+mole" in condition)
        assert ("share:i" in system) == (not condition.startswith("solo"))
        assert "says(item, option, criterion, verdict)" in system
    while not env.finished:
        asked = book.turn(env.view(env.agent_selection).since(0), env.request())
        assert env.request().legal[-1] in asked
        env.step(env.moves.index(env.request().default))


def test_the_readme_states_every_value_with_its_default() -> None:
    rows = dict(
        re.findall(r"^\| (`.+?`) \| (.+?) \|", README.read_text("utf-8").split("## Values")[1], re.MULTILINE)
    )
    stated: dict[str, str] = {}
    for names, defaults in rows.items():
        fields = re.findall(r"`(\w+)`", names)
        values = (
            defaults.split(", ") if len(defaults.split(", ")) == len(fields) else [defaults] * len(fields)
        )
        stated |= dict(zip(fields, (value.strip("`") for value in values), strict=True))
    known = EvidenceConfig.model_fields
    assert set(stated) == set(known)
    words = {"None": "none", "True": "true", str(known["trap_kinds"].default): "all four"}
    for name, field in known.items():
        assert stated[name] == words.get(str(field.default), str(field.default)), name


def test_the_readme_s_rules_are_numbered_in_order() -> None:
    numbers = [int(n) for n in re.findall(r"^(\d+)\. ", README.read_text("utf-8"), re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_it_is_found_by_its_names() -> None:
    assert GAME in liecraft.list_games()
    assert liecraft.make("conflicting_evidence").unwrapped.name == GAME  # type: ignore[attr-defined]  # ours
    assert conflicting_evidence_v0.raw_env(seats=3).config.seats == 3
    assert set(conflicting_evidence_v0.__all__) == {"env", "parallel_env", "raw_env"}


@pytest.mark.parametrize("condition", get_args(Condition))
@pytest.mark.parametrize("seats", range(2, 13))
def test_every_seat_count_plays_every_condition_by_default(seats: int, condition: str) -> None:
    env = game_class(GAME)(seats=seats, condition=condition)
    rng = np.random.default_rng(seats)
    env.reset(seed=seats)
    while not env.finished:
        legal = env.request().legal
        env.step(env.moves.index(legal[int(rng.integers(len(legal)))]))
    assert env.played <= env.cap and not any(env.truncations.values())


def test_the_longest_game_stays_under_the_cap() -> None:
    for make in (partial(Table, polls="each"), partial(Table, polls="each", discussion_rounds=12)):
        table = make()
        while not table.env.finished:
            table.do("say" if table.phase == "talk" else table.env.request().default)
        assert table.events("outcome")[0].data["reason"] == "undecided"


# --- the numeric view ----------------------------------------------------------------------------------


def vectors(table: Table, seat: int) -> tuple[Any, Any]:
    """Public and private part beyond what every game shows."""
    features = table.env.features
    seen = table.env.observe(f"player_{seat}")["observation"]
    return seen[features._reports : features.public_size], seen[features.public_size + features._slots :]  # type: ignore[attr-defined]  # the game's own features


def test_reports_and_preferences_show_in_the_public_vector() -> None:
    table = Table()
    columns = table.env.config.criteria + 1
    table.do("share:1")  # e2: a fails flow, the second requirement
    public, _ = vectors(table, 2)
    assert np.flatnonzero(public).tolist() == [(0 * columns + 1) * 2 + 1] and public.max() == 1 / 8
    table.do("twist:2")  # e5 says that b fails flow; twisted, that it meets it
    public, _ = vectors(table, 2)
    assert (1 * columns + 1) * 2 in np.flatnonzero(public)


def test_own_items_show_in_the_private_vector_and_in_nobody_else_s() -> None:
    table = Table()
    options, columns = table.env.config.options, table.env.config.criteria + 1
    width = options + columns + SLOT_FACTS
    _, private = vectors(table, 2)
    slot = private[
        2 * width : 3 * width
    ]  # e6: praise of a, beside the point, authority 2, emphasis 3, of 2030
    assert slot[:options].tolist() == [1, 0, 0] and slot[options : options + columns].tolist() == [0] * (
        columns - 1
    ) + [1]
    assert slot[-SLOT_FACTS:] == pytest.approx([1, 2 / 5, 1 / 20, 3 / 5, 0, 1])
    assert vectors(table, 0)[1][2 * width :].sum() == 0


def test_the_briefing_shows_to_the_mole_alone() -> None:
    table = Table(mole=1)
    options = table.env.config.options
    assert vectors(table, 1)[1][-options:].tolist() == [0, 1, 0]
    assert vectors(table, 0)[1][-options:].sum() == 0
    assert LETTERS[1] == table.world.case.answer
