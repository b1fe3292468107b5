"""Stability: whether the same game comes out the same when it is played again, or its prompts are worded anew."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import blake2b
from typing import Any

from liecraft.evaluators.clusters import SCALE, rate
from liecraft.evaluators.measures import Counts, Evaluator, Row
from liecraft.trace.reader import Trace


def count(trace: Trace) -> Counts:
    """The game's group (same game, rules, seed and seats), its wording (language and prompts), and its result."""
    header = trace.header
    same = [header.get(field) for field in ("env", "env_version", "config", "seed", "seats")]
    worded = [header.get(field) for field in ("lang", "prompts")]
    moves = [[move["seat"], move["move"]] for move in trace.moves]
    key = _short(same), _short(worded)
    return Counter({("winner", *key, str(trace.close["winner"])): 1, ("play", *key, _short(moves)): 1})


def _short(value: Any) -> str:
    return blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=9).hexdigest()


def rows(counts: Counts) -> list[Row]:
    """Share of pairs of reruns that agree, by what is compared and how they differ.

    A rerun is a game with the same rules, seed, and entrant in every seat. `winner`: the same side won; `play`: all
    moves were the same. `again`: reruns in the same language and wording of the prompts; `paraphrased`: those in
    another one (from the header's `lang` and `prompts`). n counts pairs; the interval takes each group of reruns
    as a cluster. A run in which no game was played twice has nothing to score.
    """
    groups: dict[tuple[str, str], dict[str, dict[str, Counter[str]]]] = {}
    for (what, group, wording, result), n in sorted(counts.items()):
        wordings = groups.setdefault((what, "again"), {}).setdefault(group, {})
        wordings.setdefault(wording, Counter())[result] += n
    table: list[Row] = []
    for (what, _), found in groups.items():
        again, paraphrased = {}, {}
        for group, wordings in found.items():
            within, across = _pairs(list(wordings.values()))
            if within[1]:
                again[group] = within
            if across[1]:
                paraphrased[group] = across
        for how, cells in (("again", again), ("paraphrased", paraphrased)):
            table.append({"what": what, "reruns": how, "agree": rate(cells).as_json()})
    return table


def _pairs(wordings: list[Counter[str]]) -> tuple[tuple[int, int], tuple[int, int]]:
    """(Agreeing pairs in millionths, pairs) within a wording, and of games in different ones."""
    within = [0, 0]
    for results in wordings:
        n = sum(results.values())
        within[0] += sum(k * (k - 1) // 2 for k in results.values())
        within[1] += n * (n - 1) // 2
    total: Counter[str] = Counter()
    for results in wordings:
        total.update(results)
    n = sum(total.values())
    agreeing = sum(k * (k - 1) // 2 for k in total.values()) - within[0]
    pairs = n * (n - 1) // 2 - within[1]
    return (SCALE * within[0], within[1]), (SCALE * agreeing, pairs)


STABILITY = Evaluator("Stability over reruns", count, rows)
