"""The measures of the two games with events of their own, by hand and on bots whose doings are known."""

from __future__ import annotations

from typing import Any

import pytest

from liecraft.arena import play
from liecraft.evaluators.evidence.table import Table
from liecraft.evaluators.measures import score
from liecraft.evaluators.relay.hops import cause, depths, hops
from liecraft.trace.reader import Trace
from tests.evaluators.made import GUARD, THIEF
from tests.evaluators.scene import Scene, seat
from tests.evaluators.test_measures_deception import figure, row, table

RELAY = [("src", GUARD), ("bad", THIEF), ("good", GUARD), ("sink", GUARD)]


def relay() -> Scene:
    """A chain of four; the second alters `who`, noise hits `where` on the last link."""
    scene = Scene(RELAY)
    scene.trace.header["env"] = "info_passing_v0"
    scene.event("world", None, "engine", bulletin={"who": "ann", "where": "mill"})
    edges = [[seat(i), seat(i + 1)] for i in range(3)]
    scene.event("graph", None, "everyone", edges=edges, sources=[seat(0)], sinks=[seat(3)])
    links: list[list[tuple[Any, ...]]] = [
        [
            ("who", "ann", "ann", "ann", "ann", None, False),
            ("where", "mill", "mill", "mill", "mill", None, False),
        ],
        [
            ("who", "ann", "ann", "bob", "bob", None, False),
            ("where", "mill", "mill", "mill", "mill", None, False),
        ],
        [
            ("who", "ann", "bob", "bob", "bob", None, False),
            ("where", "mill", "mill", "mill", None, "blank", True),
        ],
    ]
    for speaker, rows in enumerate(links):
        scene.event(
            "hop", seat(speaker), "engine", to=seat(speaker + 1), wave=1, slots=[list(r) for r in rows]
        )
    scene.event("report", seat(3), "everyone", slots=[["who", "bob"], ["where", None]])
    scene.vote((0, 1), (2, 0), (3, 2), (1, 2))
    return scene


def test_a_relay_is_faithful_to_what_it_held_and_not_to_what_is_true() -> None:
    rows = table("relay_hops", relay())
    assert figure(row(rows, entrant="good")["faithful"]) == (1.0, 2)
    assert figure(row(rows, entrant="good")["true"]) == (0.5, 2)
    assert figure(row(rows, entrant="bad")["altered"]) == (0.5, 2)
    assert figure(row(rows, entrant="src")["true"]) == (1.0, 2)


def test_errors_are_laid_to_the_link_on_which_they_came_in() -> None:
    scene = relay()
    assert depths(scene.trace) == {seat(i): i for i in range(4)}
    rows = table("relay_hops", scene)
    second, third = row(rows, entrant="links", side="2"), row(rows, entrant="links", side="3")
    assert figure(second["sabotage"]) == (0.5, 2)
    assert figure(third["sabotage"]) == (0.0, 2), "a wrong value passed on is no new error"
    assert figure(third["noise"]) == (0.0, 2), "a value lost is no error, it is no value"
    assert (figure(third["arrived"]), figure(third["wrong"])) == ((0.0, 2), (0.5, 2))
    report = row(rows, entrant="report")
    assert (figure(report["arrived"]), figure(report["wrong"])) == ((0.0, 2), (0.5, 2))
    hop = hops(scene.trace)[2]
    assert (cause(hop, True), cause(hop, False)) == ("sabotage", "slip")
    assert cause(hop._replace(sent="ann", arrived="bob"), True) == "noise"


def test_namings_are_told_apart_by_what_the_named_seat_did_or_suffered() -> None:
    rows = table("relay_naming", relay())
    assert figure(row(rows, entrant="src")["active"]) == (1.0, 1)
    assert figure(row(rows, entrant="sink")["struck"]) == (1.0, 1), "noise hit what player_2 sent"
    assert figure(row(rows, entrant="good")["unstruck"]) == (1.0, 1)
    assert figure(row(rows, entrant="sink")["unstruck"]) == (0.0, 1)
    assert not [each for each in rows if each["entrant"] == "bad"]


def test_saboteurs_lower_fidelity_and_noise_brings_blame_on_honest_relays() -> None:
    config = {"seats": 6, "noise": 0.15}
    agents = ["saboteur"] * 5 + ["honest"]
    rows = score(play("info_passing", agents, seed=seed, config=config) for seed in range(40))["play"]
    hops_of = row(rows["relay_hops"], entrant="saboteur", side="deceivers")
    kept = row(rows["relay_hops"], entrant="saboteur", side="truthful")
    assert hops_of["faithful"]["high"] < kept["faithful"]["low"]
    agents = ["honest"] * 6
    quiet, loud = (
        score(
            play(
                "info_passing",
                agents,
                seed=seed,
                config={"seats": 6, "saboteurs": 0, "suspects": 1, "noise": noise},
            )
            for seed in range(60)
        )["play"]["relay_naming"]
        for noise in (0.0, 0.3)
    )
    blamed = row(loud, entrant="honest")["struck"]
    assert blamed["low"] > row(quiet, entrant="honest")["unstruck"]["value"]
    assert row(quiet, entrant="honest")["struck"]["value"] is None, "no noise, nobody struck"


def evidence(condition: str, seeds: range, agent: str = "honest", **config: Any) -> list[Trace]:
    rules = {"seats": 4, "condition": condition, **config}
    return [play("conflicting_evidence", [agent] * 4, seed=seed, config=rules) for seed in seeds]


def test_the_integration_gap_is_paired_on_the_same_cases() -> None:
    full, spread = (
        evidence("full_information", range(40), "bayes"),
        evidence("distributed", range(40), "bayes"),
    )
    rows = score([*full, *spread])["play"]["evidence_accuracy"]
    here = row(rows, entrant="bayes", condition="distributed")
    ceiling = row(rows, entrant="bayes", condition="full_information")
    assert here["gap"]["n"] == 40
    assert here["gap"]["value"] == pytest.approx(
        ceiling["accuracy"]["value"] - here["accuracy"]["value"], abs=1e-5
    )
    assert ceiling["gap"]["value"] is None
    alone = score(spread)["play"]["evidence_accuracy"]
    assert row(alone, entrant="bayes")["gap"]["value"] is None
    assert row(rows, entrant="team", condition="full_information")["accuracy"]["n"] == 40


def test_what_was_spoken_of_is_counted_against_what_was_held() -> None:
    traces = evidence("distributed", range(6))
    said = held = 0
    for trace in traces:
        found = Table(trace)
        spoken = {c[1] for e in trace.of("speech") for c in e["data"]["claims"] if e["i"] < found.chosen_at}
        for item, holders in found.holders.items():
            if len(holders) == 1:
                held += 1
                said += item in spoken
    found_row = row(score(traces)["play"]["evidence_sharing"], entrant="honest")
    assert figure(found_row["unshared"]) == (round(said / held, 6), held)
    mute = row(
        score(evidence("distributed", range(3), "silent"))["play"]["evidence_sharing"], entrant="silent"
    )
    assert mute["unshared"]["value"] == 0.0
    assert mute["settled"]["n"] > 0
    assert not [
        each
        for each in score(evidence("solo", range(3)))["play"]["evidence_sharing"]
        if each["unshared"]["n"] or each["shared"]["n"]
    ], "nobody could speak"


def test_settled_is_a_leaning_before_any_unshared_item_that_stood() -> None:
    for trace in evidence("distributed", range(4), "silent"):
        leaned = {
            e["actor"]: e["data"]["move"] for e in trace.of("sealed") if e["data"]["move"].startswith("lean:")
        }
        (chosen,) = trace.of("choices")
        stood = [
            leaned[s] == f"lean:{option}" for s, option, *_ in chosen["data"]["choices"] if option != "none"
        ]
        found_row = row(score([trace])["play"]["evidence_sharing"], entrant="silent")
        assert figure(found_row["settled"]) == (round(sum(stood) / len(stood), 6), len(stood))


def test_traps_are_met_doubted_and_passed_on() -> None:
    rules = {"seats": 4, "condition": "distributed+traps", "toxicity": 5}
    table_of = ["bayes", "naive", "naive", "naive"]
    mixed = [play("conflicting_evidence", table_of, seed=seed, config=rules) for seed in range(40)]
    rows = score(mixed)["play"]["evidence_traps"]
    found_row = row(rows, entrant="bayes", toxicity="5")
    sound = row(rows, entrant="bayes", toxicity="")
    assert found_row["exposed"]["value"] == 1.0, "naive seats bring up what is worded strongest"
    assert found_row["doubted"]["low"] > sound["false_doubts"]["high"], "bayes doubts what is unsound"
    naive = score(evidence("distributed+traps", range(30), "naive", toxicity=5))["play"]["evidence_traps"]
    assert row(naive, entrant="naive", toxicity="5")["doubted"]["value"] == 0.0
    team = row(naive, entrant="", toxicity="5")
    assert team["swayed"]["n"] > 0
    assert score(evidence("distributed", range(3)))["play"]["evidence_traps"] != []


def test_other_games_have_no_such_tables() -> None:
    trace = play("murder", ["liar", *["detective"] * 3], seed=1, config={"seats": 4})
    found = score([trace])["play"]
    assert [found[name] for name in found if name.startswith(("evidence_", "relay_"))] == [[]] * 5
