"""Chance: keyed by its point in the game, never by how many draws came before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from liecraft.engine.chance import Chance

points = st.tuples(st.text(max_size=6), st.integers(0, 99), st.sampled_from(["", "player_0", "player_1"]))


def draw(chance: Chance, point: tuple[str, int, str]) -> list[int]:
    return [int(number) for number in chance.rng(*point).integers(2**62, size=3)]


@given(st.integers(0, 2**70), st.lists(points, min_size=1, max_size=6, unique=True))
def test_a_draw_is_the_same_in_any_order_and_however_often(
    seed: int, asked: list[tuple[str, int, str]]
) -> None:
    first = {point: draw(Chance(seed), point) for point in asked}
    one_game, shuffled = Chance(seed), sorted(asked, reverse=True)
    for point in [*shuffled, *shuffled]:
        assert draw(one_game, point) == first[point]


@given(st.integers(0, 2**62), points, points)
def test_points_have_streams_of_their_own(
    seed: int, one: tuple[str, int, str], other: tuple[str, int, str]
) -> None:
    # "/" in a purpose could make two keys one; purposes are names in the code of games
    if one != other and not any("/" in purpose for purpose, _, _ in (one, other)):
        assert draw(Chance(seed), one) != draw(Chance(seed), other)


def test_a_seed_gives_the_same_numbers_on_every_machine() -> None:
    assert draw(Chance(7), ("tie", 3, "player_1")) == [
        2135582575445916150,
        1322303298533852489,
        3066979638144693070,
    ]
