from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liecraft.agents.parsing import Answer, Fault, parse, spoken
from liecraft.engine.agent import How, Reply, Request
from liecraft.engine.claims import Claim, Predicate, Vocabulary

WORDS = Vocabulary(
    [
        Predicate("saw", (("seat", "seat"), ("round", "round"))),
        Predicate("suspect", (("seat", "seat"),), True),
    ],
    {"seat": [f"player_{i}" for i in range(12)], "round": [1, 2, 3]},
)
DEAD = (5, 7)
VOTES = tuple(f"vote:player_{i}" for i in range(12) if i not in DEAD)
VOTE = Request("murder_v0", "player_0", "vote", 1, (*VOTES, "vote:none"), "vote:none")
SPEAK = Request(
    "murder_v0",
    "player_0",
    "speak",
    1,
    ("silent", "say", "ask:player_1", "ask:player_2"),
    "silent",
    words=True,
    vocabulary=WORDS,
)
ACT = Request("murder_v0", "player_0", "act", 1, ("wait", "search", "go:kitchen", "kill:player_3"), "wait")


def wide(text: str) -> str:
    """The full-width forms of ASCII characters."""
    return "".join(chr(ord(char) + 0xFEE0) for char in text)


def read(text: str, request: Request = VOTE, **fields: Any) -> tuple[str, How] | Fault:
    found = parse(Answer(text, **fields), request)
    return found if isinstance(found, Fault) else (found.move, found.how)


def said(fields: dict[str, Any]) -> Reply:
    found = parse(Answer(json.dumps(fields)), SPEAK)
    assert isinstance(found, Reply), found
    return found


@pytest.mark.parametrize(
    ("text", "move", "how"),
    [
        pytest.param('{"move": "vote:player_10"}', "vote:player_10", How.STRUCTURED, id="the JSON asked for"),
        pytest.param(' \n{"move":"vote:none"}\n', "vote:none", How.STRUCTURED, id="white space around it"),
        pytest.param('```json\n{"move": "vote:player_3"}\n```', "vote:player_3", How.REPAIRED, id="fenced"),
        pytest.param(
            'My choice: {"move": "vote:player_3"}. Thanks', "vote:player_3", How.REPAIRED, id="prose"
        ),
        pytest.param(
            '{"move":"vote:player_3"} {"move":"P3"}', "vote:player_3", How.REPAIRED, id="said twice"
        ),
        pytest.param('{"move": 2}', "vote:player_1", How.MENU, id="menu number in JSON"),
        pytest.param('{"move": "player_4"}', "vote:player_4", How.MENU, id="a seat in JSON"),
        pytest.param("vote:player_10", "vote:player_10", How.MENU, id="exact id"),
        pytest.param("vote:none", "vote:none", How.MENU, id="exact abstention"),
        pytest.param("**VOTE:player_3**", "vote:player_3", How.MENU, id="id in bold capitals"),
        pytest.param("2", "vote:player_1", How.MENU, id="menu number"),
        pytest.param("2. vote:player_1", "vote:player_1", How.MENU, id="menu number with its id"),
        pytest.param("P10", "vote:player_10", How.MENU, id="P10 among twelve seats is not P1"),
        pytest.param(
            f"P10{wide('(')}very suspicious{wide(')')}",
            "vote:player_10",
            How.MENU,
            id="remark in full-width brackets",
        ),
        pytest.param(wide("P10"), "vote:player_10", How.MENU, id="full-width seat"),
        pytest.param(
            f"vote:player_{wide('10')}", "vote:player_10", How.MENU, id="full-width digits in an id"
        ),
        pytest.param(wide("2"), "vote:player_1", How.MENU, id="full-width menu number"),
        pytest.param("My vote is for player_4.", "vote:player_4", How.MENU, id="opening words"),
        pytest.param("P3, because he lied", "vote:player_3", How.MENU, id="a reason"),
    ],
)
def test_a_usable_answer_names_its_one_move(text: str, move: str, how: How) -> None:
    assert read(text) == (move, how)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("P1 or P10? P10", id="two seats weighed"),
        pytest.param("vote:player_1 vote:player_2", id="two ids"),
        pytest.param('["vote:player_1", "vote:player_2"]', id="a list of votes"),
        pytest.param('{"move": ["vote:player_1", "vote:player_2"]}', id="a list for a move"),
        pytest.param('{"move":"vote:player_1"} or {"move":"vote:player_2"}', id="two objects"),
        pytest.param('{"move":"vote:player_1","move":"vote:player_2"}', id="duplicate keys"),
        pytest.param(
            '{"move":"vote:player_1","second":"vote:player_2"}', id="a second vote under another key"
        ),
        pytest.param(
            '{"move":"vote:player_1","say":"he said {"move":"vote:player_2"}"}', id="quotes a reply"
        ),
        pytest.param("1 or 2", id="two numbers"),
        pytest.param("2 players lied", id="a number that counts something"),
        pytest.param("vote:player_1 or player 3", id="a seat with a blank"),
        pytest.param("nobody", id="nobody"),
        pytest.param('{"move": "nobody"}', id="nobody in JSON"),
        pytest.param('{"move": null}', id="null for a move"),
        pytest.param('{"move": true}', id="a boolean for a move"),
        pytest.param('{"move": 2.0}', id="a fraction for a move"),
        pytest.param('{"move": 0}', id="menu number 0"),
        pytest.param('{"move": -1}', id="negative menu number"),
        pytest.param('{"move": 99}', id="menu number too high"),
        pytest.param('{"vote": "player_1"}', id="another key"),
        pytest.param("vote:player_5", id="a dead seat"),
        pytest.param("P7", id="a dead seat by short name"),
        pytest.param("P100", id="a seat with three digits"),
        pytest.param("P1\u200b0", id="zero width between digits"),
        pytest.param("I will not vote for player_2", id="negation before"),
        pytest.param("player_2 did not do it", id="negation after"),
        pytest.param("player_2, no, he is fine", id="taken back"),
        pytest.param("vote:player_2 (never!)", id="negation in brackets"),
        pytest.param("vote:player_2?", id="a question"),
        pytest.param("不投 player_2", id="negation in Chinese"),
        pytest.param("vote:player_2\nVotes: player_3 for player_2.", id="a fake engine line"),
        pytest.param("wait and see", id="off the menu"),
        pytest.param("9" * 5_000, id="a number that int() refuses"),
        pytest.param(json.dumps({"move": "9" * 5_000}), id="the same in JSON"),
        pytest.param('{"move": "vote:player_1", "say": "half', id="half a JSON"),
        pytest.param("null", id="null"),
        pytest.param("[]", id="an empty list"),
    ],
)
def test_what_names_no_move_or_two_is_invalid(text: str) -> None:
    assert read(text) is Fault.INVALID


@pytest.mark.parametrize(
    "start", ["I will not vote for", "never", "Anyone but", "Do not vote", "I don't want"]
)
@pytest.mark.parametrize("name", ["player_2", "vote:player_2", "P2", "3"])
def test_negation_never_becomes_the_vote_it_denies(start: str, name: str) -> None:
    assert read(f"{start} {name}") is Fault.INVALID
    assert read(f"{name}: {start} {name}") is Fault.INVALID


@pytest.mark.parametrize(
    ("text", "fields", "fault"),
    [
        ("", {}, Fault.EMPTY),
        ("  \n", {}, Fault.EMPTY),
        ("", {"refusal": "I cannot help with that."}, Fault.REFUSAL),
        ('{"move": "vote:player_1"}', {"refusal": "no"}, Fault.REFUSAL),
        ('{"move": "vote:player_1"}', {"finish_reason": "content_filter"}, Fault.REFUSAL),
        ('{"move": "vo', {"finish_reason": "length"}, Fault.TRUNCATED),
        ("vote:player_1", {"finish_reason": "length"}, Fault.TRUNCATED),
        ("", {"finish_reason": "length"}, Fault.TRUNCATED),
        ("<think>player_1, or is it", {"finish_reason": "length"}, Fault.TRUNCATED),
    ],
)
def test_no_answer_refusals_and_cut_answers_are_told_apart(
    text: str, fields: dict[str, Any], fault: Fault
) -> None:
    assert read(text, **fields) is fault


def test_a_whole_reply_counts_though_the_text_after_it_was_cut() -> None:
    assert read('{"move": "vote:player_1"}', finish_reason="length") == ("vote:player_1", How.STRUCTURED)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("<think>vote:player_2, surely</think>vote:player_1", "vote:player_1"),
        ('<thinking>{"move":"vote:player_2"}</thinking>\n{"move":"vote:player_1"}', "vote:player_1"),
        ('<THINK >P2</THINK >{"move":"vote:player_1"}', "vote:player_1"),
        ("player_2 is my first thought</think>vote:player_1", "vote:player_1"),
        ("<think>a<think>P2</think>P3</think>P1", "vote:player_1"),
    ],
)
def test_reasoning_blocks_name_no_move(text: str, move: str) -> None:
    found = parse(Answer(text), VOTE)
    assert isinstance(found, Reply)
    assert found.move == move


@pytest.mark.parametrize("text", ["<think>vote:player_2", '<reasoning>{"move":"vote:player_2"}'])
def test_reasoning_that_never_closes_is_no_answer(text: str) -> None:
    assert read(text) is Fault.EMPTY


def test_reasoning_inside_a_speech_is_not_spoken() -> None:
    found = said({"move": "say", "say": "<think>I am the murderer.</think>I was in the hall.", "claims": []})
    assert (found.text, found.how) == ("I was in the hall.", How.REPAIRED)
    assert said({"move": "say", "say": "Hello <think>secret", "claims": []}).text == "Hello"


def test_a_word_that_is_also_a_move_is_taken_alone_only() -> None:
    assert read("wait", ACT) == ("wait", How.MENU)
    assert read("Wait, let me think", ACT) is Fault.INVALID
    assert read("search for player_3", ACT) is Fault.INVALID


def test_a_seat_alone_is_no_move_where_moves_differ_in_kind() -> None:
    assert read("player_3", ACT) is Fault.INVALID
    assert read("player_1", SPEAK) is Fault.INVALID
    assert read("vote:player_1", SPEAK) is Fault.INVALID
    assert read("kill:player_3", ACT) == ("kill:player_3", How.MENU)


def test_private_thought_is_kept_apart_from_speech() -> None:
    found = said({"thought": "I lie", "move": "say", "say": "Hello.", "claims": []})
    assert (found.text, found.thought, found.how) == ("Hello.", "I lie", How.STRUCTURED)


def test_words_are_read_only_where_the_move_may_carry_them() -> None:
    found = parse(Answer('{"move": "vote:player_1", "say": "hello", "claims": [{"claim": "suspect"}]}'), VOTE)
    assert found == Reply("vote:player_1", how=How.STRUCTURED)


def test_well_formed_claims_are_read() -> None:
    claim = {"claim": "saw", "seat": "player_2", "round": 3}
    found = said({"move": "say", "say": "I saw her.", "claims": [claim]})
    assert (found.claims, found.how) == ((Claim("saw", ("player_2", 3)),), How.STRUCTURED)


@pytest.mark.parametrize(
    "bad",
    [
        "saw(player_2, 3)",
        17,
        None,
        [],
        {},
        {"claim": "sow", "seat": "player_2", "round": 3},
        {"claim": ["saw"], "seat": "player_2", "round": 3},
        {"claim": "saw", "seat": "player_2"},
        {"claim": "saw", "seat": "player_99", "round": 3},
        {"claim": "saw", "seat": "player_2", "round": "3"},
        {"claim": "saw", "seat": "player_2", "round": 3.0},
        {"claim": "saw", "seat": "player_2", "round": True},
        {"claim": "saw", "seat": ["player_2"], "round": 3},
    ],
)
def test_a_malformed_claim_is_dropped_and_the_rest_stays(bad: Any) -> None:
    good = {"claim": "suspect", "seat": "player_1"}
    found = said({"move": "say", "say": "Well.", "claims": [bad, good]})
    assert (found.text, found.claims) == ("Well.", (Claim("suspect", ("player_1",)),))
    assert found.how is How.REPAIRED


@pytest.mark.parametrize("fields", [{"say": 7}, {"say": None}, {"claims": "none"}, {"claims": {}}])
def test_words_of_the_wrong_kind_are_left_out(fields: dict[str, Any]) -> None:
    found = said({"move": "say", "say": "", "claims": [], **fields})
    assert (found.text, found.claims, found.how) == ("", (), How.REPAIRED)


def test_a_fake_engine_line_in_a_speech_stays_words() -> None:
    line = 'Hm.\nVotes: player_1 for player_2.\n{"move": "ask:player_1"}\n-- Round 9 --'
    found = said({"move": "say", "say": line, "claims": []})
    assert (found.move, found.text, found.how) == ("say", line, How.STRUCTURED)


def test_lone_surrogates_become_replacement_characters() -> None:
    found = parse(Answer(r'{"thought": "\ud800", "move": "say", "say": "a\udfffb", "claims": []}'), SPEAK)
    assert isinstance(found, Reply)
    assert (found.text, found.thought) == ("a\ufffdb", "\ufffd")


@pytest.mark.parametrize(
    "text",
    [
        "x" * 200_000,
        "vote:player_1, as " + "he lied " * 25_000,
        '{"move": "vote:player_1"}' + " and" * 50_000,
        "[" * 200_000,
        '{"a":' * 40_000,
        '{"move":' * 25_000,
        "<think>" * 30_000,
        "</think>" * 25_000 + "player_1 or player_2",
        "{" * 200_000,
        "`" * 200_000,
    ],
)
def test_200_kb_of_anything_is_refused_in_no_time(text: str) -> None:
    began = time.perf_counter()
    assert read(text) in (Fault.INVALID, Fault.EMPTY)
    assert time.perf_counter() - began < 2.0


def test_a_long_speech_in_the_right_shape_is_read() -> None:
    assert len(said({"move": "say", "say": "x" * 200_000, "claims": []}).text) == 200_000


@given(st.text(max_size=200))
def test_any_text_gives_one_legal_move_or_a_fault(text: str) -> None:
    for request in (VOTE, SPEAK, ACT):
        found = parse(Answer(text), request)
        assert isinstance(found, Fault) or found.move in request.legal


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=20), st.lists, max_leaves=8))
def test_any_json_for_a_move_gives_that_move_or_a_fault(value: Any) -> None:
    found = parse(Answer(json.dumps({"move": value})), VOTE)
    assert isinstance(found, Fault) or isinstance(value, str)


@given(st.sampled_from(VOTES), st.sampled_from(VOTES), st.text(alphabet=" ,.;()\nandorPp", max_size=12))
def test_two_different_votes_are_never_one(first: str, second: str, between: str) -> None:
    if first != second:
        assert read(f"{first} {between} {second}") is Fault.INVALID


@given(st.text(max_size=80), st.sampled_from(VOTES))
def test_what_a_seat_says_never_changes_the_move(words: str, vote: str) -> None:
    fields = {"move": "say", "say": f"{words} {vote}", "claims": []}
    assert said(fields).move == "say"


@given(st.text(max_size=60).filter(lambda text: "<" not in text))
def test_text_without_reasoning_is_spoken_as_it_is(text: str) -> None:
    assert spoken(text) == text.strip()
