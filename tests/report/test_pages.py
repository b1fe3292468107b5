"""The pages in a real browser: they load, their links lead to what they promise, hostile words stay words."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from liecraft.report.html import write_report
from liecraft.tournament.store import Run
from tests.report.browser import Browser
from tests.report.made import EVIL, EVIL_NAME, multiplied

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def listed(browser: Browser) -> int:
    """How many games the list shows."""
    return int(browser.text("#count").split(" of ")[0].replace(",", ""))


def cells(report: Path, heading: str, run: int = 0) -> Iterator[tuple[str, str, str]]:
    """Address, figure and small print of each linked cell of a table."""
    page = (report / "index.html").read_text(encoding="utf-8")
    section = page[page.index(f'id="run{run}"') :]
    table = section[section.index(f"<h2>{heading}</h2>") :].partition("</table>")[0]
    for href, text, small in re.findall(r'<a href="([^"]+)">([^<]+)</a>(?: <small>([^<]+)</small>)?', table):
        yield unescape(href), text, small


@pytest.mark.parametrize(
    "page",
    [
        "index.html",
        "games.html",
        "games.html?run=0&entrant=liar&side=deceivers&claim=lie",
        "replay.html?run=0&game=g000003",
        "replay.html?run=1&game=g000000",
        "replay.html?run=2&game=g000000#as=player_1&step=40",
        "replay.html?run=3&game=g000001",
        "replay.html?run=0&game=g999999",
        "replay.html",
    ],
)
def test_a_page_loads_without_a_word_on_the_console(browser: Browser, report: Path, page: str) -> None:
    browser.open(report, page)
    time.sleep(0.2)
    assert browser.complaints() == []
    assert browser.text("body").strip()


def test_the_index_shows_every_plot_that_there_is_data_for(browser: Browser, report: Path) -> None:
    browser.open(report, "index.html")
    drawn = browser.texts("#run0 figure:has(svg) h2")
    assert drawn == [
        "Win rate by role",
        "Deceiving and detecting",
        "Ratings",
        "Who deceived whom",
        "Where votes went",
        "Claims over time",
    ]
    assert "Calibration" in browser.texts("#run2 figure:has(svg) h2")
    wide = "return [...document.querySelectorAll('svg')].every((s) => s.getBoundingClientRect().width > 300)"
    assert browser.ask(wide)
    assert browser.ask("return document.documentElement.scrollWidth <= window.innerWidth")


def test_a_win_rate_leads_to_just_the_games_it_was_made_of(browser: Browser, report: Path) -> None:
    checked = 0
    for href, _, small in cells(report, "Headline"):
        if "side=" in href and "claim" not in href:
            browser.open(report, href)
            assert listed(browser) == int(small.split("n ")[1].split(",")[0]), href
            checked += 1
    assert checked == 10


def test_every_link_of_the_index_leads_to_games(browser: Browser, report: Path) -> None:
    page = (report / "index.html").read_text(encoding="utf-8")
    hrefs = {unescape(href) for href in re.findall(r'href="(games\.html\?[^"]+)"', page)}
    assert len(hrefs) > 100
    none = {href for href in hrefs if "winner=" in href}  # a side may have won no game
    for href in sorted(hrefs - none):
        browser.open(report, href)
        assert listed(browser) > 0, href
    assert browser.complaints() == []


def test_failed_games_stand_apart_and_their_number_leads_to_them(browser: Browser, report: Path) -> None:
    ((href, number, _),) = cells(report, "Games that failed", run=3)
    assert number == "4" and "kind=auth" in href and "failed=model" in href
    browser.open(report, href)
    assert listed(browser) == 4
    assert set(browser.texts("#tall .side")) == {"failed"}
    browser.open(report, "index.html")
    assert "4 failed" in browser.text("#run3 .cards")
    assert "nothing to score" in browser.text("#run3")


def test_a_condition_of_a_link_can_be_dropped_and_filters_narrow_the_list(
    browser: Browser, report: Path
) -> None:
    browser.open(report, "games.html?run=0&entrant=liar&side=deceivers")
    assert listed(browser) == 12
    browser.press(".chip button")
    assert listed(browser) == 60
    browser.ask(
        "const s = document.getElementById('winner'); s.value = 'deceivers'; s.dispatchEvent(new Event('input'))"
    )
    won = listed(browser)
    assert 0 < won < 60
    assert set(browser.texts("#tall .side")) == {"deceivers"}
    browser.ask(
        "const q = document.getElementById('q'); q.value = 'g00000'; q.dispatchEvent(new Event('input'))"
    )
    assert listed(browser) <= 10


def test_hostile_words_and_names_stay_text_on_every_page(browser: Browser, report: Path) -> None:
    pages = ["index.html", "games.html?run=1"]
    pages += [f"replay.html?run=1&game=g00000{i}#as={eyes}" for i in range(4) for eyes in ("god", "player_0")]
    for page in pages:
        browser.open(report, page)
        assert browser.ask("return window.pwned === undefined"), page
        assert (
            browser.ask("return document.querySelectorAll('img, b[onclick], [onerror], [onclick]').length")
            == 0
        )
    browser.open(report, "games.html?run=1")
    assert EVIL_NAME in "".join(browser.texts("#tall .line span"))
    browser.open(report, "replay.html?run=1&game=g000000")
    spoken = [text for text in browser.texts("#log li.speech") if "window.pwned" in text]
    assert spoken and all(
        "</script><script>window.pwned = 1</script><!-- <img src=x" in text for text in spoken
    )
    assert EVIL[:40] in browser.text("#log")
    assert browser.complaints() == []


def test_the_policy_of_the_pages_forbids_scripts_that_are_not_files_of_the_report(
    browser: Browser, report: Path
) -> None:
    browser.open(report, "index.html")
    browser.ask(
        "const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.head.append(s)"
    )
    assert browser.ask("return window.ran === undefined")
    assert "Content Security Policy" in str(browser.complaints())


def test_five_thousand_games_open_scroll_and_filter_at_once(
    browser: Browser, runs: list[Run], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    many = multiplied(runs[0], tmp_path, 5_000)
    began = time.perf_counter()
    report = write_report([many], tmp_path / "out").parent
    made = time.perf_counter() - began
    began = time.perf_counter()
    browser.open(report, "games.html")
    assert browser.text("#count") == "5,000 of 5,000 games"
    opened = time.perf_counter() - began
    assert len(browser.texts("#tall .line")) < 80
    began = time.perf_counter()
    browser.ask("document.getElementById('view').scrollTop = 1e9")
    browser.ask("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert "g004999" in browser.texts("#tall .line a")
    browser.ask(
        "const q = document.getElementById('q'); q.value = '4321'; q.dispatchEvent(new Event('input'))"
    )
    assert browser.texts("#tall .line a") == ["g004321"]
    used = time.perf_counter() - began
    began = time.perf_counter()
    browser.open(report, "replay.html?run=0&game=g004321")
    replayed = time.perf_counter() - began
    told = f"made {made:.1f} s, list {opened:.2f} s, used {used:.2f} s, replay {replayed:.2f} s"
    with capsys.disabled():
        sys.stdout.write(f"\n5,000 games: {told}\n")
    assert opened < 5 and used < 5 and replayed < 5
    assert browser.complaints() == []
