from __future__ import annotations

from math import log2
from statistics import NormalDist

import numpy as np
import pytest

from liecraft.evaluators.detection.beliefs import auroc, ece
from tests.evaluators.scene import Scene, seat
from tests.evaluators.test_measures_deception import LIE, PLACE, figure, row, table


def test_precision_recall_and_false_alarms_of_votes_and_accusations() -> None:
    scene = Scene().say(1, (None, "suspect", seat(0)), (None, "suspect", seat(2))).say(2, PLACE)
    scene.vote((1, 0), (2, 3), (3, None), (0, 1))
    rows = table("namings", scene)
    said, voted = row(rows, entrant="a", act="accusation"), row(rows, entrant="a", act="vote")
    assert figure(said["precision"]) == (0.5, 2)
    assert said["chance"] == 0.25
    assert figure(said["recall"]) == (1.0, 1)
    assert figure(said["false"]) == (round(1 / 3, 6), 3)
    assert (figure(voted["precision"]), figure(voted["false"])) == ((1.0, 1), (0.0, 3))
    silent = row(rows, entrant="c", act="vote")
    assert figure(silent["precision"]) == (None, 0), "an abstention names nobody"
    assert figure(silent["recall"]) == (0.0, 1), "and misses"
    assert not [each for each in rows if each["entrant"] == "thief"]


def test_a_murder_seen_and_a_deceivers_role_are_accusations() -> None:
    scene = Scene().say(1, ("true", "saw_murder", seat(0), seat(4), 1), ("bluff", "role", seat(2), "thief"))
    scene.say(1, ("bluff", "role", seat(3), "guard"))
    assert figure(row(table("namings", scene), entrant="a")["precision"]) == (0.5, 2)


def test_belief_scores_follow_their_formulas() -> None:
    scene = Scene().believe(1, {0: 0.8, 2: 0.3, 3: 0.0}).believe(0, {1: 0.0})
    found = row(table("beliefs", scene), entrant="a")
    assert found["brier"]["value"] == pytest.approx((0.2**2 + 0.3**2) / 3)
    assert found["log"]["value"] == pytest.approx(-(log2(0.8) + log2(0.7) + log2(1)) / 3, abs=1e-6)
    assert found["base"] == pytest.approx(1 / 3, abs=1e-6)
    assert found["auroc"]["value"] == 1.0
    assert [(point["stated"], point["deceivers"]["value"]) for point in found["calibration"]] == [
        (0.0, 0.0),
        (0.3, 0.0),
        (0.8, 1.0),
    ]
    assert found["ece"]["value"] == pytest.approx((0.0 + 0.3 + 0.2) / 3)
    assert not [each for each in table("beliefs", scene) if each["entrant"] == "thief"]


def test_being_sure_of_what_is_wrong_costs_ten_bits_and_not_infinitely_many() -> None:
    found = row(table("beliefs", Scene().believe(1, {0: 0.0})), entrant="a")
    assert found["log"]["value"] == pytest.approx(-log2(0.001), abs=1e-6)


def test_auroc_is_the_share_of_pairs_in_order_and_needs_both_kinds() -> None:
    rng = np.random.default_rng(5)
    beliefs = [(int(p), bool(y)) for p, y in zip(rng.integers(0, 101, 60), rng.random(60) < 0.4, strict=True)]
    groups: list[dict[tuple[int, bool], int]] = [{}, {}]
    for i, key in enumerate(beliefs):
        groups[i % 2][key] = groups[i % 2].get(key, 0) + 1
    guilty, others = ([p for p, y in beliefs if y is kind] for kind in (True, False))
    pairs = [(g > o) + 0.5 * (g == o) for g in guilty for o in others]
    assert auroc(groups) == pytest.approx(sum(pairs) / len(pairs))
    assert auroc([{(50, True): 3}]) is None
    assert auroc([]) is None
    assert ece([]) is None
    assert ece([{(25, True): 1, (25, False): 3}]) == pytest.approx(0.0)


def test_detection_is_the_first_right_name_and_the_belief_that_lasts() -> None:
    scene = Scene().phase("act", 1).believe(1, {0: 0.6, 2: 0.1}).phase("act", 2).believe(1, {0: 0.3, 2: 0.6})
    scene.phase("act", 3).believe(1, {0: 0.5, 2: 0.2}).vote((1, 2), (2, 3))
    scene.phase("act", 4).believe(1, {0: 0.7, 2: 0.2}).vote((1, 0), (2, 3)).phase("act", 5).vote(
        (1, 2), (2, 3)
    )
    rows = table("timing", scene)
    assert figure(row(rows, entrant="a", by="names")["round"]) == (4.0, 1)
    assert figure(row(rows, entrant="a", by="believes")["round"]) == (3.0, 1)
    missed = row(rows, entrant="b", by="names")
    assert (figure(missed["detected"]), figure(missed["round"])) == ((0.0, 1), (None, 0))


def test_lies_that_lower_trust_are_hits_and_truths_that_do_are_false_alarms() -> None:
    scene = Scene()
    belief = 0.5
    for claim, step in ((LIE, 0.1), (LIE, 0.1), (LIE, -0.1), (PLACE, -0.1), (PLACE, 0.1)):
        scene.believe(1, {0: belief}).say(0, claim)
        belief += step
        scene.believe(1, {0: belief})
    scene.say(0, LIE, PLACE).believe(1, {0: 0.9})
    found = row(table("signal", scene), entrant="a")
    assert figure(found["hits"]) == (round(2 / 3, 6), 3)
    assert figure(found["false_alarms"]) == (0.5, 2)
    z = NormalDist().inv_cdf
    assert found["d_prime"]["value"] == pytest.approx(z(2.5 / 4) - z(1.5 / 3))
    assert found["criterion"]["value"] == pytest.approx(-(z(2.5 / 4) + z(1.5 / 3)) / 2)
    assert found["d_prime"]["low"] is None, "one game makes no interval"


def test_lies_alone_give_hits_and_no_sensitivity() -> None:
    scene = Scene().believe(1, {0: 0.5}).say(0, LIE).believe(1, {0: 0.6})
    found = row(table("signal", scene), entrant="a")
    assert (figure(found["hits"]), found["d_prime"]["value"], found["criterion"]["value"]) == (
        (1.0, 1),
        None,
        None,
    )


def test_a_question_is_worth_the_bits_that_its_answer_brings() -> None:
    scene = Scene().believe(1, {0: 0.25, 2: 0.5}).say(1, to=0, text="Where were you?").say(0, PLACE)
    scene.believe(1, {0: 0.5, 2: 0.5})
    found = row(table("questions", scene), entrant="a")
    assert figure(found["gain"]) == (1.0, 1)
    entropy = -(0.25 * log2(0.25) + 0.75 * log2(0.75))
    assert found["resolved"]["value"] == pytest.approx(entropy - 1, abs=1e-6)


def test_a_question_without_an_answer_or_among_other_voices_tells_nothing() -> None:
    scene = Scene().believe(1, {0: 0.25}).say(1, to=0).say(2, PLACE).believe(1, {0: 0.5})
    assert table("questions", scene) == []
    crowd = Scene().believe(1, {0: 0.25}).say(1, to=0).say(0, PLACE).say(2, PLACE).believe(1, {0: 0.5})
    found = row(table("questions", crowd), entrant="a")
    assert (found["asked"], figure(found["gain"])) == (1, (None, 0))
