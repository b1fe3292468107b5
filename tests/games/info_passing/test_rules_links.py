"""README, "Seats and links", "The bulletin", "Roles"."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import networkx as nx
import pytest

import liecraft
from liecraft.engine.errors import ConfigError
from liecraft.games.info_passing.config import InfoPassingConfig
from liecraft.games.info_passing.env import InfoPassingEnv
from tests.games.info_passing.table import TRUE, Table

DAGS = ("chain", "tree", "small_world", "scale_free")


def dealt(seed: int = 0, **config: Any) -> InfoPassingEnv:
    env = InfoPassingEnv(**config)
    env.reset(seed=seed)
    return env


def links(env: InfoPassingEnv) -> list[tuple[int, int]]:
    number = {seat: i for i, seat in enumerate(env.seats)}
    return [(number[a], number[b]) for a, b in env.world.edges]


@pytest.mark.parametrize("seats", [2, 21])
def test_there_are_3_to_20_seats(seats: int) -> None:
    with pytest.raises(ConfigError, match="seats"):
        InfoPassingEnv(seats=seats)
    assert len(InfoPassingEnv().seats) == 6


def test_who_speaks_to_whom_is_known_to_everyone_from_the_start() -> None:
    env = dealt(topology="scale_free", seats=8)
    for seat in env.seats:
        graph = env.view(seat).first("graph").data
        assert graph["edges"] == env.world.edges
        assert graph["sinks"] == ("player_7",)


def test_a_chain_links_each_seat_to_the_next() -> None:
    assert links(dealt(seats=4)) == [(0, 1), (1, 2), (2, 3)]


def test_a_ring_is_a_chain_whose_last_seat_speaks_to_the_first() -> None:
    env = dealt(seats=4, topology="ring")
    assert links(env) == [(0, 1), (1, 2), (2, 3), (3, 0)]
    assert (env.sources, env.sinks) == (("player_0",), ("player_3",))


@pytest.mark.parametrize("seats", [3, 6, 7, 20])
def test_a_tree_has_leaves_as_sources_and_the_root_as_the_sink(seats: int) -> None:
    env = dealt(seats=seats, topology="tree")
    graph = nx.DiGraph(links(env))
    assert nx.is_arborescence(graph.reverse())
    assert max(degree for _, degree in graph.in_degree()) == 2
    assert [int(s.removeprefix("player_")) for s in env.sources] == sorted(
        n for n, d in graph.in_degree() if not d
    )
    assert env.sinks == (f"player_{seats - 1}",)


def test_a_small_world_is_a_chain_with_shortcuts_but_none_from_first_to_last() -> None:
    chain = {(i, i + 1) for i in range(9)}
    extra = []
    for seed in range(30):
        edges = set(links(dealt(seed, seats=10, topology="small_world")))
        assert chain <= edges
        assert (0, 9) not in edges
        extra.append(len(edges - chain))
    assert 2 < sum(extra) / len(extra) < 6
    assert set(links(dealt(seats=10, topology="small_world", shortcuts=0))) == chain


def test_in_a_scale_free_graph_each_seat_speaks_to_two_others() -> None:
    for seed in range(10):
        graph = nx.DiGraph(links(dealt(seed, seats=12, topology="scale_free")))
        spoken_to = sorted(degree for _, degree in graph.out_degree())
        assert spoken_to.count(2) >= 9
        assert max(degree for _, degree in graph.in_degree()) >= 4


def test_edges_are_as_given_with_several_sources_and_sinks() -> None:
    env = dealt(seats=5, topology="edges", edges=[(0, 2), (1, 2), (2, 3), (2, 4)])
    assert (env.sources, env.sinks) == (("player_0", "player_1"), ("player_3", "player_4"))


@pytest.mark.parametrize("topology", DAGS)
@pytest.mark.parametrize("seats", [3, 4, 9, 20])
def test_the_last_seat_is_the_only_sink_and_speakers_come_before_listeners(topology: str, seats: int) -> None:
    for seed in range(5):
        env = dealt(seed, seats=seats, topology=topology)
        assert all(a < b for a, b in links(env))
        assert env.sinks == (env.seats[-1],)


@pytest.mark.parametrize("topology", [*DAGS, "ring"])
def test_every_seat_lies_on_a_way_from_a_source_to_a_sink(topology: str) -> None:
    for seats in range(3, 21):
        env = dealt(seats, seats=seats, topology=topology)
        graph = nx.DiGraph(env.world.edges)
        assert set(graph) == set(env.seats)
        assert set(env.sources).union(*(nx.descendants(graph, s) for s in env.sources)) == set(env.seats)
        assert set(env.sinks).union(*(nx.ancestors(graph, s) for s in env.sinks)) == set(env.seats)


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"topology": "edges"}, "needs edges"),
        ({"topology": "edges", "edges": [(0, 1), (1, 2)]}, "seat 3 lies on no way"),
        ({"topology": "edges", "edges": [(0, 1), (1, 2), (2, 3), (3, 0)]}, "needs sources and sinks"),
        ({"topology": "edges", "edges": [(0, 9)]}, "name seat 9, but seats are 0 to 3"),
        ({"topology": "edges", "edges": [(1, 1)]}, "from a seat to itself"),
        ({"topology": "edges", "edges": [(0, 1), (0, 1), (1, 2), (2, 3)]}, "stands twice"),
        ({"topology": "edges", "edges": [(0, 1), (1, 2), (2, 3)], "sinks": [0]}, "both a source and a sink"),
        ({"edges": [(0, 1)]}, "go with topology: edges only"),
        ({"topology": "line"}, "topology"),
        ({"saboteurs": 3}, "must be below the 3 seats that are not sinks"),
        ({"slots": {"who": ["smith"]}}, "needs 2 to 12 values"),
        ({"slots": {"who": ["a b", "c"]}}, "small letters"),
        ({"slots": {"who": ["a", "b"], "what": ["b", "c"]}}, "stands in slots 'who' and 'what'"),
        ({"targets": 5}, "targets is 5, but there are 4 slots"),
        ({"audit_slots": 5}, "audit_slots is 5"),
        ({"suspects": 4}, "suspects is 4, but must be below the 4 seats"),
        ({"nois": 0.1}, "did you mean 'noise'"),
        ({"tie": "runoff"}, "tie"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(config: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match="info_passing_v0 config") as refused:
        InfoPassingEnv(**{"seats": 4, **config})
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_edges_over_a_cycle_play_when_the_ends_are_given() -> None:
    edges = [(0, 1), (1, 2), (2, 0)]
    env = dealt(seats=3, topology="edges", edges=edges, sources=[0], sinks=[2], saboteurs=1)
    assert (env.sources, env.sinks) == (("player_0",), ("player_2",))


def test_each_slot_has_one_true_value_of_its_vocabulary() -> None:
    env = dealt()
    assert list(env.world.bulletin) == ["who", "where", "when", "how_many"]
    assert all(value in env.config.slots[slot] for slot, value in env.world.bulletin.items())


def test_every_source_gets_the_whole_bulletin_and_no_other_honest_seat_does() -> None:
    table = Table(saboteurs=[0], edges=[(0, 2), (1, 2), (2, 3)])
    for source in (0, 1):
        assert dict(table.heard(source, "bulletin")[0].data["slots"]) == TRUE
    assert not table.heard(2, "bulletin")
    assert not table.heard(3, "bulletin")


def test_targets_are_drawn_at_random() -> None:
    drawn = {dealt(seed).world.targets for seed in range(60)}
    assert all(len(targets) == 2 for targets in drawn)
    assert len(drawn) == 6


def test_saboteurs_are_drawn_among_the_seats_that_are_not_sinks() -> None:
    guilty = {dealt(seed, seats=4).world.roles.index("saboteur") for seed in range(60)}
    assert guilty == {0, 1, 2}


def test_saboteurs_are_told_the_targets_and_nobody_else_is() -> None:
    table = Table(saboteurs=[1])
    assert table.heard(1, "mission")[0].data["targets"] == ("who", "where")
    assert not any(table.heard(seat, "mission") for seat in (0, 2, 3))


@pytest.mark.parametrize(("informed", "seat", "knows"), [(True, 1, 1), (False, 1, 0), (False, 0, 1)])
def test_saboteurs_get_the_bulletin_unless_they_are_not_informed_and_no_source(
    informed: bool, seat: int, knows: int
) -> None:
    assert len(Table(saboteurs=[seat], informed=informed).heard(seat, "bulletin")) == knows


@pytest.mark.parametrize("partners", [True, False])
def test_saboteurs_know_each_other_if_the_rules_say_so(partners: bool) -> None:
    table = Table(saboteurs=[1, 2], partners=partners)
    assert table.heard(1, "mission")[0].data["partners"] == (("player_2",) if partners else ())


def test_a_game_may_have_no_saboteur_and_then_nobody_wins_or_is_paid() -> None:
    table = Table(saboteurs=[]).names("none", "none", "none", "none")
    assert table.winner() == "none"
    assert table.result()["score"] is None
    assert set(table.env.rewards.values()) == {0.0}


@pytest.mark.parametrize("name", ["info_passing", "info_passing_v0"])
def test_the_game_is_registered(name: str) -> None:
    env = liecraft.make(name, seats=3)
    env.reset(seed=0)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"bulletin": {"who": "smith"}}, "bulletin must have the slots"),
        ({"bulletin": {**TRUE, "who": "nobody"}}, "bulletin.who: 'nobody' is not one of"),
        ({"edges": (("player_0", "player_9"),)}, "edges must link seats"),
        ({"edges": (("player_0", "player_1"), ("player_1", "player_0"))}, "world: seat 2 lies on no way"),
        ({"targets": ("colour",)}, "targets, audit and noise must name slots"),
        ({"roles": ("honest", "honest", "honest", "saboteur")}, "a sink can't be a saboteur"),
        ({"roles": ("honest", "spy", "honest", "honest")}, "roles must be 4 of saboteur, honest"),
        ({"roles": ("honest", "saboteur")}, "roles must be 4 of saboteur, honest"),
    ],
)
def test_a_given_world_that_does_not_fit_is_refused_in_one_line(change: dict[str, Any], told: str) -> None:
    table = Table()
    with pytest.raises(ConfigError) as refused:
        table.env.reset(seed=1, options={"world": {**table.world.as_data(), **change}})
    assert told in str(refused.value)


README = (files("liecraft.games.info_passing") / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("field", sorted(set(InfoPassingConfig.model_fields)))
def test_the_readme_states_every_rule_and_its_default(field: str) -> None:
    default = InfoPassingConfig().model_dump(mode="json")[field]
    if field in ("slots", "edges", "sources", "sinks", "suspects"):
        assert f"`{field}`" in README
    else:
        shown = str(default).lower() if isinstance(default, bool) else str(default)
        stated = re.findall(rf"`{field}: ([\w.]+)`", README)
        assert shown in stated or f"the default is `{shown}`" in README
