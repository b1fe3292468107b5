"""Cases from files: our JSONL, the HiddenBench layout, and what is refused."""

from __future__ import annotations

import copy
import json
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import liecraft
from liecraft.engine.errors import ConfigError
from liecraft.engine.ledger import thaw
from liecraft.engine.moves import Move, Words
from liecraft.engine.registry import game_class
from liecraft.games.conflicting_evidence.case import MAX_ITEMS
from liecraft.games.conflicting_evidence.deal import cases_of
from liecraft.games.conflicting_evidence.files import read_cases, write_cases
from liecraft.games.conflicting_evidence.generator import Shape, generate

DOC = Path(__file__).parents[3] / "docs" / "evidence-cases.md"
GAME = "conflicting_evidence_v0"


def doc_case() -> dict[str, Any]:
    """The example of the documentation."""
    (block,) = re.findall(
        r"^<!-- case -->\n```json\n(.+?)```$", DOC.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    loaded: dict[str, Any] = json.loads(block)
    return loaded


def task(number: int, **changes: Any) -> dict[str, Any]:
    """One HiddenBench object of our own making, further keys included."""
    names = ["Vorl", "Tessin", "Quade"]
    return {
        "id": number,
        "name": f"task {number}",
        "description": f"Which of the three ferries of lake {number} shall carry the mail?",
        "shared_information": [f"{names[number % 3]} sails daily.", "All three are painted green."],
        "hidden_information": [
            f"{names[number % 3]} leaks.",
            "Tessin has a new boiler.",
            "Quade has no crew.",
        ],
        "possible_answers": names,
        "correct_answer": "Tessin",
        "average_score": 0.3,
        **changes,
    }


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([task(n) for n in range(6)], indent=1), "utf-8")
    return path


def write(path: Path, *lines: Any) -> str:
    path.write_text("".join(json.dumps(line) + "\n\n" for line in lines), "utf-8")
    return str(path)


def play(raw: Any, seed: int) -> None:
    """Random legal moves to the end."""
    rng = np.random.default_rng(seed)
    while not raw.finished:
        legal = raw.request().legal
        raw.step(raw.moves.index(legal[int(rng.integers(len(legal)))]))


# --- our JSONL -----------------------------------------------------------------------------------------


def test_the_documented_case_loads_and_plays(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", doc_case())
    (case,) = read_cases(path)
    assert (case.answer, case.decoy, case.name("b")) == ("b", "a", "Telm")
    assert [item.content.verdict for item in case.items if item.content] == [
        "meets",
        "fails",
        "meets",
        "meets",
        "fails",
    ]
    assert case.items[1].source is not None and case.items[1].source.year == 2029
    for condition in ("full_information", "distributed+traps", "solo+traps+mole"):
        raw = game_class(GAME)(cases=path, case="well", condition=condition, seats=2)
        raw.reset(seed=4)
        play(raw, 4)
        assert raw.world.case.id == "well"


def test_the_documented_way_to_write_cases_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (script,) = re.findall(
        r"^<!-- write -->\n```python\n(.+?)```$", DOC.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    Path("script.py").write_text(script, "utf-8")
    runpy.run_path("script.py")
    assert len(read_cases("cases.jsonl")) == 100


def test_generated_cases_come_back_from_a_file_unchanged(tmp_path: Path) -> None:
    made = tuple(generate(number, Shape(traps=4, toxicity=5)) for number in range(30))
    write_cases(tmp_path / "cases.jsonl", made)
    assert read_cases(tmp_path / "cases.jsonl") == made


def test_the_documented_error_is_the_error(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^    (cases file .+)$", DOC.read_text("utf-8"), re.MULTILINE)
    bad = doc_case()
    bad["items"][0]["source"]["authority"] = 9
    path = write(tmp_path / "cases.jsonl", {**doc_case(), "id": "first"}, bad)
    text = Path(path).read_text().replace("\n\n", "\n")
    Path(path).write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_cases(path)
    assert str(caught.value) == shown.replace("'cases.jsonl'", repr(path))


def at(data: Any, path: str) -> tuple[Any, Any]:
    """The container and the key that a dotted path leads to."""
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in way:
        data = data[part]
    return data, last


BROKEN = [
    ("id", None, "'id' is missing"),
    ("question", None, "'question' is missing"),
    ("options", None, "'options' is missing"),
    ("items", None, "'items' is missing"),
    ("items.0.shared", None, "'items.0.shared' is missing"),
    ("items.0.source.kind", None, "'items.0.source.kind' is missing"),
    ("items.1.content.option", None, "'items.1.content.option' is missing"),
    ("answer", "Nowhere", "answer: 'Nowhere' is not one of 'Orrin', 'Telm'"),
    ("answer", "Orrin", "decoy: 'Orrin' is the answer"),
    ("decoy", "Nowhere", "decoy: 'Nowhere'"),
    ("options", ["Telm"], "options"),
    ("options", ["Orrin", "Telm", "Telm"], "options: 'Telm' stands twice"),
    ("criteria.0.rule", "about", "criteria.0.rule"),
    ("criteria.0.limit", "20", "criteria.0.limit"),
    ("criteria.1.id", "depth", "criteria: id: 'depth' stands twice"),
    ("items.1.id", "e1", "items: id: 'e1' stands twice"),
    ("items.1.id", "E 1", "items.1.id"),
    ("items.1.shared", "yes", "items.1.shared"),
    ("items.0.source.authority", 0, "items.0.source.authority"),
    ("items.0.source.date", "May 2030", "items.0.source.date"),
    ("items.0.source.derives", "e9", "item 'e1': source.derives: 'e9'"),
    ("items.0.source.colour", "red", "unknown key 'items.0.source.colour'"),
    ("items.2.content.option", "Nowhere", "item 'e3': content.option: 'Nowhere'"),
    ("items.2.content.criterion", "width", "item 'e3': content.criterion: 'width'"),
    (
        "items.2.content.verdict",
        "fails",
        "item 'e3': content.verdict is 'fails', but the value makes it 'meets'",
    ),
    ("items.4.content.verdict", None, "item 'e5': content.verdict is missing"),
    ("items.4.trap.kind", "odd", "items.4.trap.kind"),
    ("items.4.trap.toxicity", 6, "items.4.trap.toxicity"),
    ("items.4.emphasis", 0, "items.4.emphasis"),
    ("items.3.content.value", 1, "answer: 'Telm', but by the sound items"),
    ("today", None, "item 'e1': source: the case has no today"),
    ("items.0.source.date", "1980", "item 'e1': source.date: 1980 is not in 1991 to 2031"),
    ("items.0.source.date", 2032, "item 'e1': source.date: 2032 is not in 1991 to 2031"),
    ("colour", 1, "unknown key 'colour'"),
]


@pytest.mark.parametrize(("field", "value", "told"), BROKEN)
def test_a_malformed_case_is_refused_in_one_line(tmp_path: Path, field: str, value: Any, told: str) -> None:
    bad = copy.deepcopy(doc_case())
    bad["items"][1]["content"]["value"] = 9 if told.startswith("answer: 'Telm', but") else 2
    container, key = at(bad, field)
    if value is None:
        del container[key]
    else:
        container[key] = value
    path = write(tmp_path / "cases.jsonl", {**doc_case(), "id": "sound"}, bad)
    with pytest.raises(ConfigError) as caught:
        liecraft.make(GAME, cases=path)
    message = str(caught.value)
    assert "\n" not in message and message.startswith(f"cases file {path!r} line 3")
    assert told in message
    assert field == "id" or "'well'" in message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "it holds no case"),
        ("\n \n", "it holds no case"),
        ('{"id": "x"', "line 1: not JSON: "),
        ('"words"', 'line 1: a case is an object with fields, got "words"'),
        ("[1]", "item 0: a case is an object with fields, got 1"),
        ("[", "not JSON: "),
        ("[]", "it holds no case"),
        ("[" * 100_000, "not JSON: "),
    ],
)
def test_a_file_that_holds_no_cases_is_refused_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "cases"
    path.write_text(text)
    with pytest.raises(ConfigError, match=re.escape(told)) as caught:
        read_cases(path)
    assert "\n" not in str(caught.value)


def test_two_cases_of_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="id 'well' stands twice"):
        read_cases(write(tmp_path / "cases.jsonl", doc_case(), doc_case()))


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "cases").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="it is not UTF-8 text"):
        read_cases(tmp_path / "cases")


# --- HiddenBench ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", ["full_information", "distributed"])
@pytest.mark.parametrize("seats", [2, 4, 12])
def test_a_hiddenbench_file_loads_and_plays(bench: Path, condition: str, seats: int) -> None:
    for number in range(6):
        raw = game_class(GAME)(cases=str(bench), case=number, condition=condition, seats=seats)
        raw.reset(seed=number)
        world = raw.world
        assert (
            world.case.question.endswith("carry the mail?") and world.case.name(world.case.answer) == "Tessin"
        )
        hidden = {item.id for item in world.case.items if not item.shared}
        held = [set(hand) & hidden for hand in world.hands]
        if condition == "distributed":
            assert sum(map(len, held)) == 3 and set.union(*held) == hidden
            assert all(held) == (seats <= 3)
        else:
            assert all(hand == hidden for hand in held)
        play(raw, number)
        assert raw.text("player_0").count(" holds e") == len(world.hands[0])


def test_shared_texts_are_heard_in_their_own_words(bench: Path) -> None:
    raw = game_class(GAME)(cases=str(bench), case=2, polls="none")
    raw.reset(seed=0)
    raw.step(raw.moves.index("share:0"))
    assert "Quade sails daily." in raw.text("player_3")
    assert not [move for move in raw.request().legal if move.startswith("twist")]


def test_a_case_is_asked_for_by_place_or_id(bench: Path) -> None:
    for wanted, found in ((0, "0"), (5, "5"), ("3", "3")):
        raw = game_class(GAME)(cases=str(bench), case=wanted)
        raw.reset(seed=1)
        assert raw.world.case.id == found


def test_without_a_case_chance_draws_one(bench: Path) -> None:
    raw = game_class(GAME)(cases=str(bench))
    drawn = set()
    for seed in range(40):
        raw.reset(seed=seed)
        drawn.add(raw.world.case.id)
    assert len(drawn) == 6


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"id": None}, "item 1: id"),
        ({"description": 5}, "item 1 (id 7): description: input should be a valid string, got 5"),
        (
            {"shared_information": "one text"},
            "item 1 (id 7): shared_information: input should be a valid list",
        ),
        ({"hidden_information": []}, "item 1 (id 7): hidden_information: list should have at least 1 item"),
        ({"hidden_information": ["x", ""]}, "item 1 (id 7): hidden_information.1: "),
        ({"hidden_information": ["x"] * MAX_ITEMS}, "item 1 (id 7): hidden_information: 42 items"),
        (
            {"possible_answers": ["Tessin"]},
            "item 1 (id 7): possible_answers: list should have at least 2 items",
        ),
        ({"possible_answers": ["Tessin"] * 2}, "item 1 (id 7): possible_answers: 'Tessin' stands twice"),
        (
            {"correct_answer": "tessin"},
            "item 1 (id 7): correct_answer: 'tessin' is not one of 'Vorl', 'Tessin', 'Quade'",
        ),
    ],
)
def test_a_broken_hiddenbench_file_is_refused_in_one_line(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([task(1), task(7, **changes)]))
    with pytest.raises(ConfigError) as caught:
        liecraft.make(GAME, cases=str(path))
    assert told in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ["id", "name", "description", "shared_information", "possible_answers"])
def test_a_missing_hiddenbench_field_is_named(tmp_path: Path, field: str) -> None:
    broken = task(7)
    del broken[field]
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([task(1), broken]))
    with pytest.raises(ConfigError, match=rf"item 1.*: '{field}' is missing"):
        liecraft.make(GAME, cases=str(path))


# --- the configuration ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"case": 6}, "case 6 of .*: it holds 6, counted from 0"),
        ({"case": "nine"}, "unknown case of .* 'nine'"),
        ({"condition": "distributed+traps"}, "case '0' of .* has no trapped items"),
    ],
)
def test_what_a_file_cannot_give_is_refused(bench: Path, config: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        liecraft.make(GAME, cases=str(bench), **config)


def test_a_missing_file_is_refused_when_a_case_is_to_be_dealt(tmp_path: Path) -> None:
    env = liecraft.make(GAME, cases=str(tmp_path / "gone.jsonl"))
    with pytest.raises(ConfigError, match=r"gone\.jsonl': No such file or directory"):
        env.reset(seed=1)


def test_a_game_is_replayed_from_its_world_when_the_file_is_gone(bench: Path) -> None:
    config: dict[str, Any] = {"cases": str(bench), "case": 4, "condition": "distributed"}
    raw = game_class(GAME)(**config)
    raw.reset(seed=9)
    dealt, moves = thaw(raw.world.as_data()), []
    rng = np.random.default_rng(9)
    while not raw.finished:
        legal = raw.request().legal
        moves.append(raw.moves.index(legal[int(rng.integers(len(legal)))]))
        raw.step(Move(moves[-1], Words()))
    bench.unlink()
    again = game_class(GAME)(**config)
    again.reset(seed=9, options={"world": json.loads(json.dumps(dealt))})
    for move in moves:
        again.step(move)
    assert again.finished and again.ledger.digest() == raw.ledger.digest()


def test_a_world_that_does_not_fit_is_refused_in_one_line() -> None:
    raw = game_class(GAME)(seats=3, condition="distributed")
    raw.reset(seed=1)
    world = raw.world
    small = game_class(GAME)(seats=3, options=2, criteria=3)
    with pytest.raises(ConfigError, match="has 3 options, this configuration has 2"):
        small.reset(seed=1, options={"world": world})
    bad = thaw(world.as_data())
    bad["hands"][1][0] = "e99"
    with pytest.raises(ConfigError, match="a hand holds 'e99'"):
        raw.reset(seed=1, options={"world": bad})
    bad = thaw(world.as_data())
    bad["case"]["items"][0]["content"] = 5
    with pytest.raises(ConfigError, match=r"world: case\.items\.0\.content"):
        raw.reset(seed=1, options={"world": bad})


def test_a_file_is_read_once_however_many_envs_are_made_and_again_when_it_changes(tmp_path: Path) -> None:
    path = write(tmp_path / "cases.jsonl", doc_case())
    asked = []
    for question in ("Where shall the well be dug?", "Where shall the well be dug?", "Where else?"):
        write(tmp_path / "cases.jsonl", {**doc_case(), "question": question})
        raw = game_class(GAME)(cases=path)
        raw.reset(seed=1)
        asked.append(raw.world.case.question)
    assert asked == ["Where shall the well be dug?"] * 2 + ["Where else?"]
    assert cases_of(path) is cases_of(path)
