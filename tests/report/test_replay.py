"""The replay page in a real browser: what a seat may not know is not in the page while one looks through it."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from selenium.webdriver.support.ui import WebDriverWait

from liecraft.engine.registry import game_class
from liecraft.engine.render import renderer
from liecraft.report.transcript import Onlooker
from liecraft.tournament.store import Run
from liecraft.trace.reader import Trace, as_event
from tests.report.browser import Browser

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def eyes(browser: Browser, name: str) -> None:
    """Look through these eyes."""
    script = (
        "[...document.querySelectorAll('#eyes button')].find((b) => b.textContent === arguments[0]).click()"
    )
    browser.ask(script, name)
    assert browser.texts("#eyes [aria-checked=true]") == [name]


def lines_seen(trace: Trace, who: str) -> list[str]:
    """The rendered lines that a seat (or god) sees, by the transcript of the command line."""
    shown = renderer(game_class(trace.header["env"]).prompts, trace.header["lang"])
    entries = [(as_event(line), line["audience"]) for line in trace.events]
    onlooker = Onlooker(who, shown)
    lines = (onlooker.read(event, audience) for event, audience in entries)
    return [line.text for line in lines if line is not None]


def test_each_seat_sees_the_lines_of_its_view_and_no_other(
    browser: Browser, report: Path, runs: list[Run]
) -> None:
    for trace in list(runs[0].traces())[:6]:
        browser.open(report, f"replay.html?run=0&game={trace.game}")
        public = set(lines_seen(trace, "public"))
        for seat in trace.seats:
            eyes(browser, seat)
            seen = lines_seen(trace, seat)
            assert browser.texts("#log li:not(.decision) .words") == seen
            page = browser.everything()
            for other in set(trace.seats) - {seat}:
                for line in set(lines_seen(trace, other)) - set(seen) - public:
                    assert line not in page, (trace.game, seat, line)
            for entrant in set(trace.seats.values()) - {"honest"}:  # the word stands in the page's own text
                assert entrant not in browser.text("#stage")


def test_hidden_events_secret_moves_and_thoughts_are_not_in_the_page_of_a_seat(
    browser: Browser, report: Path
) -> None:
    browser.open(report, "replay.html?run=2&game=g000000")
    god = browser.everything()
    for canary in ("CANARY_player_0_1", "CANARY_player_3_100", "CANARY_SEALED_player_2_7", "CANARY_STASH"):
        assert canary in god
    for step in (30, None):
        for seat in range(4):
            browser.open(
                report, f"replay.html?run=2&game=g000000#as=player_{seat}" + (f"&step={step}" if step else "")
            )
            lines = len(browser.texts("#log li"))
            for at in range(0, lines, max(1, lines // 12)):
                browser.ask("document.querySelectorAll('#log li')[arguments[0]].click()", at)
                page = browser.everything()
                assert f"CANARY_player_{seat}_1" in page
                for other in set(range(4)) - {seat}:
                    assert f"CANARY_player_{other}_" not in page
                    assert f"CANARY_THOUGHT_player_{other}_" not in page
                for hidden in ("CANARY_STASH", "CANARY_SEALED", "claims in truth", "entrant_"):
                    assert hidden not in page


def test_roles_and_the_outcome_are_told_to_a_seat_only_at_the_end(
    browser: Browser, report: Path, runs: list[Run]
) -> None:
    trace = next(runs[0].traces())
    seats = list(trace.seats)
    innocent = next(seat for seat in seats if trace.roles[seat] == "innocent")
    browser.open(report, f"replay.html?run=0&game={trace.game}#as={innocent}&step=10")
    roles = browser.texts("#table tbody td:nth-child(2)")
    assert roles == [trace.roles[seat] if seat == innocent else "?" for seat in seats]
    page = browser.everything()
    assert str(trace.header["seed"]) not in page
    assert "The game is over" not in page and "won by" not in page
    browser.press("#last")
    assert browser.texts("#table tbody td:nth-child(2)") == list(trace.roles.values())
    assert "The game is over" in browser.text("#log")


def test_a_seat_sees_its_own_secret_moves(browser: Browser, report: Path, runs: list[Run]) -> None:
    trace = next(runs[0].traces())
    seat = next(move["seat"] for move in trace.moves if move["phase"] == "act")
    own = {f"you → {move['move']}" for move in trace.moves if (move["seat"], move["phase"]) == (seat, "act")}
    browser.open(report, f"replay.html?run=0&game={trace.game}#as={seat}")
    decided = browser.texts("#log li.decision .words")
    assert own <= set(decided)
    assert all(text.startswith("you → ") for text in decided)


def test_stepping_shows_the_game_up_to_the_step_and_no_further(
    browser: Browser, report: Path, runs: list[Run]
) -> None:
    trace = next(runs[0].traces())
    browser.open(report, f"replay.html?run=0&game={trace.game}")
    total = len(browser.texts("#log li"))
    assert total >= len(trace.events)
    low = "const log = document.getElementById('log'); return log.scrollTop + log.clientHeight >= log.scrollHeight - 2"
    WebDriverWait(browser.driver, 5).until(lambda _: browser.ask(low))
    browser.press("#first")
    assert len(browser.texts("#log li")) == 1
    for wanted in (2, 3):
        browser.press("#next")
        assert len(browser.texts("#log li")) == wanted
    browser.press("#back")
    assert browser.text("#at").startswith(f"2 of {total}")
    browser.ask("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))")
    browser.ask(
        "const s = document.getElementById('slider'); s.value = 20; s.dispatchEvent(new Event('input'))"
    )
    assert len(browser.texts("#log li")) == 20
    assert "The game is over" not in browser.everything()
    assert "step=20" in browser.ask("return window.location.hash")
    browser.ask("window.location.hash = 'as=god&step=7'")
    WebDriverWait(browser.driver, 5).until(lambda _: len(browser.texts("#log li")) == 7)
    browser.ask("window.location.hash = 'as=god&step=20'")
    WebDriverWait(browser.driver, 5).until(lambda _: len(browser.texts("#log li")) == 20)
    browser.press("#play")
    time.sleep(1.1)
    browser.press("#play")
    assert len(browser.texts("#log li")) == 21


def test_lies_are_marked_with_their_class_for_gods_eyes_only(
    browser: Browser, report: Path, runs: list[Run]
) -> None:
    trace = next(
        t
        for t in runs[0].traces()
        if any(v["class"] == "lie" for e in t.of("verdicts") for v in e["data"]["verdicts"])
    )
    lies = sum(v["class"] == "lie" for e in trace.of("verdicts") for v in e["data"]["verdicts"])
    browser.open(report, f"replay.html?run=0&game={trace.game}")
    marks = browser.texts("#log li.has-lie .mark.lie")
    assert sum(int(mark.partition("\u00d7")[2] or 1) for mark in marks) == lies
    browser.press("#log li.has-lie")
    assert "lie" in browser.texts("#detail .claims .mark")
    assert "refuted" in browser.text("#detail .claims")
    assert sum(map(int, browser.texts("#table td.number"))) == lies
    eyes(browser, "player_0")
    assert browser.texts("#log .mark") == [] and browser.texts("#log li.has-lie") == []


def test_the_prompt_and_the_reply_behind_a_move_are_shown_to_their_own_seat(
    browser: Browser, report: Path, runs: list[Run]
) -> None:
    trace = next(runs[1].traces())
    last = next(call for call in reversed(trace.calls) if not call.get("probe"))
    seat = last["seat"]
    whole: list[dict[str, str]] = []
    for call in trace.calls[: trace.calls.index(last) + 1]:
        if call["seat"] == seat:
            whole = [*whole[: call["kept"]], *call["messages"]]
    browser.open(report, f"replay.html?run=1&game={trace.game}#as={seat}")
    rows = len(browser.texts("#log li"))
    for at in reversed(range(rows)):
        browser.ask("document.querySelectorAll('#log li')[arguments[0]].click()", at)
        if browser.texts("#detail .call"):
            break
    assert browser.text("#detail pre.reply") == last["text"]
    browser.press("#detail .call details summary")
    time.sleep(0.2)
    assert browser.texts("#detail .call details pre") == [message["content"] for message in whole]
    other = next(call for call in trace.calls if call["seat"] != seat)
    for at in range(rows):
        browser.ask("document.querySelectorAll('#log li')[arguments[0]].click()", at)
        assert other["messages"][0]["content"] not in browser.everything()


def test_the_call_that_a_game_failed_at_is_its_last_step(
    browser: Browser, report: Path, runs: list[Run]
) -> None:
    trace = next(runs[3].traces())
    browser.open(report, f"replay.html?run=3&game={trace.game}")
    assert "failed: " in browser.text("#facts")
    assert browser.texts("#log li:last-child .words") == [
        f"{trace.close['failure']['seat']}: no decision came"
    ]
    assert browser.text("#detail pre.fault") == trace.calls[-1]["error"]


def test_a_question_for_a_belief_stands_with_its_answer_and_in_no_seats_view(
    browser: Browser, report: Path, runs: list[Run]
) -> None:
    trace = next(trace for trace in runs[1].traces() if any(trace.of("probe")))
    asked = [call for call in trace.calls if call.get("probe")]
    assert asked
    browser.open(report, f"replay.html?run=1&game={trace.game}")
    modelled = {seat for seat, entrant in trace.seats.items() if entrant not in ("honest", "liar")}
    answered = [event for event in trace.of("probe") if event["actor"] in modelled]
    rows = browser.ask(
        "return [...document.querySelectorAll('#log li.probe')].map((row) => { row.click();"
        "return [...document.querySelectorAll('#detail .call')].map((c) => c.querySelector('pre.reply').textContent) })"
    )
    assert [replies for replies in rows if replies] == [[call["text"]] for call in asked]
    assert len(answered) == len(asked)
    for seat in trace.seats:
        eyes(browser, seat)
        assert browser.texts("#log li.probe") == [] and "no belief came" not in browser.everything()


def test_beliefs_grow_with_the_steps_and_a_seat_sees_its_own_alone(browser: Browser, report: Path) -> None:
    browser.open(report, "replay.html?run=2&game=g000000")
    assert len(browser.texts("#beliefs .strip")) == 4
    full = len(browser.texts("#beliefs td"))
    assert full == 4 * 3 * 100
    assert set(browser.texts("#beliefs .strip:first-child td")) == {"90"}
    eyes(browser, "player_2")
    assert set(browser.texts("#beliefs tbody th, #beliefs th")) == {"player_2"}
    assert len(browser.texts("#beliefs td")) == 3 * 100
    browser.ask(
        "const s = document.getElementById('slider'); s.value = 30; s.dispatchEvent(new Event('input'))"
    )
    assert 0 < len(browser.texts("#beliefs td")) < 60


def test_two_thousand_events_open_and_step_at_once(
    browser: Browser, report: Path, runs: list[Run], capsys: pytest.CaptureFixture[str]
) -> None:
    events = next(runs[2].traces()).close["events"]
    assert events > 2_000
    began = time.perf_counter()
    browser.open(report, "replay.html?run=2&game=g000000")
    assert len(browser.texts("#log li")) >= events
    opened = time.perf_counter() - began
    stepping = "const t = performance.now(); for (let i = 0; i < 20; i += 1) document.getElementById('back').click();"
    step = browser.ask(f"{stepping} void document.body.offsetHeight; return (performance.now() - t) / 20")
    switch = browser.ask(
        "const t = performance.now(); document.querySelectorAll('#eyes button')[2].click();"
        "void document.body.offsetHeight; return performance.now() - t"
    )
    with capsys.disabled():
        sys.stdout.write(
            f"\n{events} events: open {opened:.2f} s, step {step:.0f} ms, switch {switch:.0f} ms\n"
        )
    assert opened < 5 and step < 200 and switch < 2_000
