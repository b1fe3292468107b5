"""The rules of README.md, sentence by sentence: the key and the door."""

from __future__ import annotations

from typing import Any

from tests.games.murder.table import Table


def with_key(holder: int = 1, **config: Any) -> Table:
    """A table at which a seat stands in the hall with the key in round 4."""
    table = Table(0, stash={"library": ["key"]}, **config)
    table.act({holder: "go:library"})
    table.act({holder: "search"})
    table.act({holder: "go:hall"})
    return table


def test_an_innocent_with_the_key_may_escape_from_the_hall() -> None:
    table = Table(0, stash={"library": ["key"]})
    table.act({1: "go:library"})
    assert "escape" not in table.legal_of(1)
    table.act({1: "search"})
    assert "escape" not in table.legal_of(1)
    table.act({1: "go:hall"})
    assert "escape" in table.legal_of(1)
    assert "escape" not in table.legal_of(2)


def test_an_escape_wins_the_game_for_the_innocents() -> None:
    table = with_key()
    table.act({1: "escape"})
    assert table.seen(3, "escaped") == [{"seat": "player_1"}]
    assert table.outcome == ("truthful", "escape")


def test_a_murderer_may_hold_the_key_but_not_escape() -> None:
    table = with_key(holder=0)
    assert table.last(0, "found")["item"] == "key"
    assert "escape" not in table.legal_of(0)


def test_who_is_killed_at_the_door_does_not_escape() -> None:
    table = with_key()
    table.act({0: "kill:player_1", 1: "escape"})
    assert table.outcome is None and not table.seen(2, "escaped")


def test_an_escape_counts_before_a_murder_of_the_same_round() -> None:
    table = Table(0, stash={"library": ["key"]}, seats=4)
    table.act({1: "go:library"})
    table.act({1: "search"})
    table.act({1: "go:hall", 0: "kill:player_3"})  # two innocents are left
    table.vote()
    table.act({0: "kill:player_2", 1: "escape"})  # one innocent is left, outside
    assert table.outcome == ("truthful", "escape")


def test_the_key_of_a_victim_falls_where_it_dies() -> None:
    table = Table(0, stash={"library": ["key", "clue:player_1"]})
    table.act({number: "go:library" for number in (0, 1)})
    table.act({1: "search"})
    table.act({0: "kill:player_1"})
    table.act({0: "search"})
    assert table.last(0, "found")["item"] == "key"  # it lies on top


def test_the_key_of_a_banished_seat_falls_in_the_hall() -> None:
    table = with_key(holder=1)
    table.act({0: "kill:player_5"})
    table.vote({number: 1 for number in (0, 2, 3)})
    table.act({2: "search"})
    assert table.last(2, "found") == {"item": "key", "round": 5, "room": "hall"}
    assert "escape" in table.legal_of(2)
