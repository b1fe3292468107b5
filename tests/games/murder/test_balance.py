"""The default rules are balanced under careful play, and talk helps the innocents."""

from __future__ import annotations

import pytest

from benchmarks.murder_balance import measure

pytestmark = pytest.mark.slow
GAMES = 600


def test_careful_play_leaves_neither_side_above_sixty_per_cent_and_silence_helps_the_murderer() -> None:
    talk = measure("talk", {}, GAMES).innocents_win
    silence = measure("silence", {"discussion_rounds": 0}, GAMES).innocents_win
    assert talk.value is not None and talk.low is not None and silence.high is not None
    assert 0.4 <= talk.value <= 0.6
    assert silence.high < talk.low


@pytest.mark.parametrize("seats", [5, 7, 8])
def test_other_tables_are_near_it(seats: int) -> None:
    rate = measure("seats", {"seats": seats}, GAMES).innocents_win
    assert rate.low is not None and rate.high is not None
    assert rate.high > 0.4 and rate.low < 0.6


def test_lying_low_is_no_way_out() -> None:
    rate = measure("idle", {}, GAMES, boldness=0.0).innocents_win
    assert rate.high is not None and rate.high > 0.4
