"""What an onlooker who doesn't know the rules is shown: an introduction, the game, who was who."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import liecraft
from liecraft.cli import main
from liecraft.engine.ledger import Event
from liecraft.engine.registry import game_class
from liecraft.engine.render import renderer
from liecraft.report.transcript import GOD, PUBLIC, Onlooker, introduction

Play = Callable[..., list[str]]
GAMES = ("conflicting_evidence", "info_passing", "murder")
LANGS = ("en", "zh")
SHARED = ["--agents", "bayes", "--seed", "0"]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Play:
    """The lines of one game in the terminal."""

    def play(*arguments: str, command: str = "play") -> list[str]:
        monkeypatch.setattr(sys, "argv", ["liecraft", command, *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code
        return capsys.readouterr().out.splitlines()

    return play


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("game", GAMES)
def test_an_introduction_of_a_few_lines_comes_first(play: Play, game: str, lang: str) -> None:
    shown = play(game, "--watch", "--lang", lang)
    intro = shown[: shown.index("")]
    assert 3 <= len(intro) <= 6
    assert all(0 < len(line) < 400 for line in intro)
    kind = game_class(game)
    assert "\n".join(intro) == introduction(kind.prompts, lang, kind().config_data)
    assert not re.search(r"[{}]|None", "".join(intro))


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    ("game", "config"),
    [
        ("info_passing", {"saboteurs": 0, "noise": 0.0}),
        ("info_passing", {"saboteurs": 2}),
        ("conflicting_evidence", {"condition": "solo"}),
        ("conflicting_evidence", {"condition": "full_information+traps+mole"}),
        ("murder", {"murderers": 2, "seats": 8, "key": False, "dawn": "truthful", "dawn_meeting": False}),
        ("murder", {"dawn": "none", "discussion_rounds": 0}),
    ],
)
def test_the_introduction_states_the_rules_of_this_very_game(
    game: str, lang: str, config: dict[str, Any]
) -> None:
    kind = game_class(game)
    try:
        told = introduction(kind.prompts, lang, kind(**config).config_data)
    except liecraft.ConfigError:
        pytest.fail("a configuration that should be good")
    assert told != introduction(kind.prompts, lang, kind().config_data)
    assert all(line.strip() for line in told.splitlines())


def test_a_game_needs_no_introduction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bare_prompts" / "en").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert introduction("bare_prompts", "en", {}) == ""


def test_the_relay_is_shown_hop_by_hop_with_what_went_wrong(play: Play) -> None:
    shown = play("info_passing", "--watch", "--seed", "0")
    hops = [line for line in shown if re.match(r"player_\d to player_\d: ", line)]
    assert len(hops) == 5
    assert hops[0] == "player_0 to player_1: who smith, where harbour, when midnight, how_many five."
    assert "where unknown [harbour lost by noise]" in hops[1]
    assert "where bridge [false, made up by player_4], when midnight" in hops[4]
    assert "how_many four [false, changed from five by player_4]" in hops[4]
    assert "(player_4's claims in truth: true, lie, true, true, true, true)" in shown
    assert not [line for line in shown if "Your role" in line or "decides in secret" in line]


def test_a_seat_s_eyes_are_not_an_onlooker_s(play: Play) -> None:
    shown = play("info_passing", "--as", "player_5", "--seed", "0")
    assert not [line for line in shown if line.startswith(("player_0 to player_1: ", "The bulletin says"))]
    assert "what the seats can't see" not in "\n".join(shown)
    assert "what the seats can't see" in "\n".join(play("info_passing", "--watch"))


@pytest.mark.parametrize(
    ("row", "en", "zh"),
    [
        (("who", "a", "a", "a", "a", None, False), "who a.", "who a。"),
        (("who", "a", "b", "b", "b", None, False), "who b [false].", "who b【不实】。"),
        (("who", "a", "a", None, None, None, False), "who unknown [a left out by p].", "who 不明【p 略去了 a】。"),
        (("who", "a", "a", "a", "b", "garbled", True), "who b [false, a garbled by noise].", "who b【不实\uff0c噪声改变了 a】。"),
        (("who", "a", "a", "b", None, "blanked", True), "who unknown [changed from a by p, b lost by noise].", "who 不明【p 改自 a\uff0c噪声抹去了 b】。"),
        (("who", "a", None, "a", "a", None, False), "who a [made up by p].", "who a【p 编造】。"),
    ],
)  # fmt: skip
def test_a_hop_says_what_became_of_a_slot(row: tuple[object, ...], en: str, zh: str) -> None:
    hop = Event("hop", "p", {"to": "q", "wave": 1, "slots": (row,)})
    assert renderer("liecraft.prompts.info_passing", "en").line(hop) == f"p to q: {en}"
    assert renderer("liecraft.prompts.info_passing", "zh").line(hop) == f"p 传给 q\uff1a{zh}"


def test_an_onlooker_is_told_the_truth_only_where_it_is_news_about_what_it_heard() -> None:
    lines = renderer("liecraft.prompts.info_passing", "en")
    onlooker = Onlooker(PUBLIC, lines, {"verdicts"})
    speech = Event("speech", "player_1", {"text": "hm", "claims": (), "to": None})

    def verdicts(*classes: str | None) -> Event:
        return Event("verdicts", "player_1", {"verdicts": tuple({"class": name} for name in classes)})

    assert onlooker.read(speech, "everyone")
    assert onlooker.read(verdicts("true", None), "engine") is None
    assert onlooker.read(verdicts("true", "mistake"), "engine")
    assert onlooker.read(speech, ["player_1"]) is None
    assert onlooker.read(verdicts("lie"), "engine") is None
    assert Onlooker(PUBLIC, lines).read(verdicts("lie"), "engine") is None
    assert Onlooker("player_1", lines, {"verdicts"}).read(verdicts("lie"), "engine") is None
    assert Onlooker(GOD, lines).read(verdicts("true"), "engine")


def test_what_a_move_reports_without_words_is_put_into_words(play: Play) -> None:
    shown = play("conflicting_evidence", "--watch", "--agents", "random", "--seed", "5")
    told = [line for line in shown if "[claims: says(" in line]
    assert told
    for line in told:
        assert re.match(r"player_\d says: e\d+ says that [a-c] (meets|fails) \w+; ", line), line


@pytest.mark.parametrize("game", GAMES)
def test_phases_stand_apart_and_who_was_who_comes_last(play: Play, game: str) -> None:
    shown = play(game, "--watch")
    headings = [i for i, line in enumerate(shown) if line.startswith("-- ")]
    assert headings
    for i in headings:
        assert shown[i - 1] == "" or shown[i - 1].startswith(("-- ", "A game of")), shown[i - 1]
    end = len(shown) - 1 - shown[::-1].index("")
    cast = shown[end + 1 :]
    assert [line.split()[0] for line in cast[:-1]] == [f"player_{i}" for i in range(len(cast) - 1)]
    assert cast[-1].startswith("Winner: ")
    assert "The game is over" in shown[end - 1]


def test_careful_bots_sit_in_seats_nobody_was_named_for(play: Play) -> None:
    shown = play("conflicting_evidence", "--set", "condition=distributed+mole")
    assert sum("played by bayes" in line for line in shown) == 3
    assert sum("mole       played by mole" in line for line in shown) == 1


def test_a_replay_shows_an_onlooker_the_same(play: Play, tmp_path: Path) -> None:
    liecraft.Tournament(
        name="cup", game="info_passing", entrants=["bayes", "saboteur"], games=2, runs=tmp_path
    ).run(progress=False)
    replayed = play(str(tmp_path / "cup"), "0", command="replay")
    assert len([line for line in replayed if re.match(r"player_\d to player_\d: ", line)]) == 5
