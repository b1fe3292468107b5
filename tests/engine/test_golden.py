"""A pinned game: what is recorded, for whom, and how each seat reads it, to the byte."""

from __future__ import annotations

import json

from tests.golden.murder_game import HERE, as_json, as_text, played

MEND = "the rules or the templates of murder have changed: look at the difference, then run python -m tests.golden.murder_game"


def test_the_recorded_game_is_the_pinned_one() -> None:
    assert as_json(played()) == (HERE / "murder.jsonl").read_text("utf-8"), MEND


def test_the_rendered_game_is_the_pinned_one() -> None:
    assert as_text(played()) == (HERE / "murder.txt").read_text("utf-8"), MEND


def test_the_pinned_game_shows_each_seat_what_its_audiences_say() -> None:
    lines = [json.loads(line) for line in (HERE / "murder.jsonl").read_text("utf-8").splitlines()]
    env = played()
    for seat in env.seats:
        seen = [line["kind"] for line in lines if line["audience"] == "everyone" or seat in line["audience"]]
        assert [event.kind for event in env.view(seat)] == seen
    assert not [
        line
        for line in lines
        if line["kind"] in ("world", "sealed", "verdicts") and line["audience"] != "engine"
    ]
