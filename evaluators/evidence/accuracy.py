"""Accuracy by condition, and the integration gap: what full information is worth, paired on the same cases."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from zlib import crc32

from liecraft.evaluators.clusters import EMPTY, SCALE, Sums, cells, mean, rate
from liecraft.evaluators.evidence.table import Table, is_evidence
from liecraft.evaluators.game import BUCKETS, TRUTHFUL
from liecraft.evaluators.measures import Counts, Evaluator, Row
from liecraft.evaluators.statistics import Estimate
from liecraft.trace.reader import Trace

FULL = "full_information"


def count(trace: Trace) -> Counts:
    """The team's choice, each member's, and its confidence against whether it was right."""
    if not is_evidence(trace):
        return Counter()
    table = Table(trace)
    sums = Sums(table.game)
    result = next((event["data"] for event in table.game.of("result")), None)
    if result is not None:
        sums.add("team", "", table.condition, part=bool(result["right"]))
    for choice in table.choices:
        if table.game.sides[choice.seat] == TRUTHFUL:
            entrant = table.game.entrants[choice.seat]
            sums.add("seat", entrant, table.condition, part=choice.right)
            if choice.confidence is not None:
                sums.add("brier", entrant, table.condition, part=(choice.confidence - choice.right) ** 2)
                sums.add("sure", entrant, table.condition, part=choice.confidence)
            case = blake2b(f"{table.case_id}/{table.game.header['seed']}".encode(), digest_size=8).hexdigest()
            key = "case", entrant, table.condition, case
            sums.counts[*key, "", "part"] += SCALE * choice.right
            sums.counts[*key, "", "whole"] += 1
    return sums.counts


def rows(counts: Counts) -> list[Row]:
    """Accuracy of teams and members by condition, calibration of confidence, and the integration gap.

    A row without entrant is the team's choice. `accuracy`: share of right choices (an abstention is not right);
    `brier`: mean of (confidence - right)^2 over members' choices, confidence being the probability that the level
    stands for; `confidence` its mean. `gap`: accuracy of the same entrant under full information less that under this
    condition, a mean over cases that it met under both (the same case on the same seed), each case once. Intervals
    are cluster-robust, that of `gap` over cases.

    Source: hidden profiles, G. Stasser and W. Titus (1985), Journal of Personality and Social Psychology 48(6).
    """
    found = cells(counts)
    cases: dict[tuple[str, str], dict[str, float]] = {}
    for key, parts in found.items():
        if key[0] == "case":
            part, whole = parts[""]
            cases.setdefault((key[1], key[2]), {})[key[3]] = part / SCALE / whole
    table: list[Row] = []
    keys = sorted({(key[1], key[2]) for key in found if key[0] != "case"})
    for entrant, condition in keys:
        key = entrant, condition
        table.append(
            {
                "entrant": entrant or "team",
                "condition": condition,
                "accuracy": rate(found.get(("seat" if entrant else "team", *key), EMPTY)).as_json(),
                "confidence": mean(found.get(("sure", *key), EMPTY)).value,
                "brier": mean(found.get(("brier", *key), EMPTY), 0, 1).as_json(),
                "gap": _gap(cases.get((entrant, FULL), {}), cases.get(key, {}), condition).as_json(),
            }
        )
    return table


def _gap(full: dict[str, float], here: dict[str, float], condition: str) -> Estimate:
    parts: dict[str, tuple[int, int]] = {}
    for case in full.keys() & here.keys() if condition != FULL else ():
        cluster = str(crc32(case.encode()) % BUCKETS)
        before = parts.get(cluster, (0, 0))
        parts[cluster] = before[0] + round(SCALE * (full[case] - here[case])), before[1] + 1
    return mean(parts, -1, 1)


ACCURACY = Evaluator("Evidence: accuracy by condition", count, rows)
