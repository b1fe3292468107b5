"""Two runs, side by side: whether their common entrants won more often in one than in the other.

The design follows the data. Where both runs played an entrant on the same seeds and seats, its results are paired;
otherwise they are independent. Results on one seed share a world, so a seed is a cluster in either design.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from liecraft.evaluators.statistics.choice import (
    Comparison,
    Pair,
    compare_independent,
    compare_paired,
    sentence,
)
from liecraft.evaluators.statistics.multiple import holm
from liecraft.evaluators.statistics.seasons import (
    Season,
    SeasonError,
    canonical,
    difference_text,
    differences,
    season_of_header,
    season_of_manifest,
)
from liecraft.trace.reader import Trace

PAIRED_SHARE = 0.8
"""Share of each run's results that must have a partner for a paired design; the others are left out."""

_SPOKEN = {"deceivers": "as deceiver", "truthful": "as detector", "none": "without a side"}


class Result(NamedTuple):
    """How one seat of one game came out."""

    entrant: str
    side: str
    seed: int
    seat: str
    won: bool


@dataclass(slots=True)
class Results:
    """What a comparison needs of a run.

    Attributes:
        seasons: Seasons that the run played in, by their canonical text.
        seats: Results of finished games, by season.
        failed: Games that failed; they are neither win nor loss.
        games: Games that did not.
    """

    seasons: dict[str, Season] = field(default_factory=dict)
    seats: dict[str, list[Result]] = field(default_factory=dict)
    failed: int = 0
    games: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant on one side, compared.

    Attributes:
        entrant: Its name, the same in both runs.
        side: `deceivers`, `truthful` or `none`.
        rules: What sets these games apart from the runs' others, such as `config.seats=5`; empty if nothing.
        comparison: Rates, design, test.
        adjusted: p-value after Holm's correction over the table; None if no test was made.
        sentence: All this in plain English.
    """

    entrant: str
    side: str
    rules: str
    comparison: Comparison
    adjusted: float | None
    sentence: str


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs compared.

    Attributes:
        names: Of the runs.
        rows: One for each entrant and side that both have.
        changed: What else differs between the runs, so may be what made a difference.
        notes: What was left out, and why.
        answer: The whole in one sentence.
    """

    names: tuple[str, str]
    rows: tuple[Row, ...]
    changed: tuple[str, ...]
    notes: tuple[str, ...]
    answer: str

    def as_json(self) -> dict[str, Any]:
        """Return the fields as a JSON object; what is refused or unknown is null."""
        return asdict(self)


def collect(traces: Iterable[Trace]) -> Results:
    """Take from a run's traces what a comparison needs; a draw is no win for anyone."""
    found = Results()
    for trace in traces:
        if trace.status == "failed":
            found.failed += 1
            continue
        found.games += 1
        season = season_of_header(trace.header)
        key = canonical(season)
        found.seasons.setdefault(key, season)
        sides = trace.sides
        winner = trace.close["winner"] if trace.close["winner"] != "none" else None
        seats = found.seats.setdefault(key, [])
        for seat, entrant in trace.seats.items():
            side = sides[seat]
            seats.append(Result(entrant, side, trace.header["seed"], seat, side == winner))
    return found


def compare(
    a: Iterable[Trace] | Results,
    b: Iterable[Trace] | Results,
    *,
    names: tuple[str, str] = ("A", "B"),
    manifests: tuple[Mapping[str, Any], Mapping[str, Any]] | None = None,
    alpha: float = 0.05,
) -> RunComparison:
    """Compare the win rates of two runs' common entrants, by side, with Holm's correction over the table.

    Runs of one season each are compared even if the seasons differ, since that may be the question; what
    differs is named. Where a run has several seasons only those that both have are compared, each by itself.

    Args:
        a: Traces of the first run, or what `collect` took from them.
        b: Of the second.
        names: Of the runs, for the sentences; given the same name twice, they are told apart by number.
        manifests: Of the runs; prompts and entrants that differ are then named too.
        alpha: Level below which a difference is called one, in (0, 1).

    Raises:
        SeasonError: The runs are of different games, or, having several seasons, share none.
        ValueError: The level is out of range.
    """
    runs = (a if isinstance(a, Results) else collect(a), b if isinstance(b, Results) else collect(b))
    if names[0] == names[1]:
        names = f"{names[0]} (1)", f"{names[1]} (2)"
    _check_same_game(runs, names)
    found: list[tuple[str, str, str, Comparison]] = []
    notes = list(_failures(runs, names))
    parts = list(_common_seasons(runs, names))
    for key_a, key_b in parts:
        label = _label(runs[0].seasons, key_a)
        groups = _by_entrant(runs[0].seats[key_a]), _by_entrant(runs[1].seats[key_b])
        notes += _strangers(groups, names, label)
        for key in sorted({*groups[0]} & {*groups[1]}):
            comparison, note = _compare_one(groups[0][key], groups[1][key], 1 - alpha)
            found.append((*key, label, comparison))
            if note:
                notes.append(f"{key[0]} {_SPOKEN.get(key[1], key[1])}: {note}")
    if len(runs[0].seasons) > 1 or len(runs[1].seasons) > 1:
        notes += _lonely_seasons(runs, names, parts)
    rows = _rows(found, names, alpha)
    changed = tuple(dict.fromkeys(_changes(runs, parts, manifests, names)))
    return RunComparison(names, rows, changed, tuple(notes), _answer(rows, changed, names, alpha))


def _compare_one(a: Sequence[Result], b: Sequence[Result], confidence: float) -> tuple[Comparison, str]:
    """Choose the design, and say what it leaves out."""
    pairs = _pairs(a, b)
    if pairs and len(pairs) >= PAIRED_SHARE * max(len(a), len(b)):
        alone = len(a) - len(pairs), len(b) - len(pairs)
        note = f"{alone[0]} and {alone[1]} results have no partner in the other run and are left out"
        return compare_paired(pairs, confidence=confidence), note if any(alone) else ""
    outcomes = [[(result.won, result.seed) for result in results] for results in (a, b)]
    return compare_independent(outcomes[0], outcomes[1], confidence=confidence), ""


def _pairs(a: Sequence[Result], b: Sequence[Result]) -> list[Pair]:
    """Results on the same seed and seat; several on one are paired in the order in which they were played."""
    waiting: dict[tuple[int, str], list[Result]] = {}
    for result in reversed(b):
        waiting.setdefault((result.seed, result.seat), []).append(result)
    pairs: list[Pair] = []
    for result in a:
        partners = waiting.get((result.seed, result.seat))
        if partners:
            pairs.append((result.won, partners.pop().won, result.seed))
    return pairs


def _by_entrant(results: Iterable[Result]) -> dict[tuple[str, str], list[Result]]:
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        groups.setdefault((result.entrant, result.side), []).append(result)
    return groups


def _check_same_game(runs: tuple[Results, Results], names: tuple[str, str]) -> None:
    games = [sorted({str(season["env"]) for season in run.seasons.values()}) for run in runs]
    for found, name in zip(games, names, strict=True):
        if not found:
            raise SeasonError(f"{name} has no finished game: there is nothing to compare")
    if not {*games[0]} & {*games[1]}:
        told = " and ".join(f"{name} of {', '.join(found)}" for found, name in zip(games, names, strict=True))
        raise SeasonError(f"{told} are different games: win rates can't be compared")


def _common_seasons(runs: tuple[Results, Results], names: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """Keys of the seasons to be compared with each other."""
    a, b = runs
    if len(a.seasons) == len(b.seasons) == 1:
        yield next(iter(a.seasons)), next(iter(b.seasons))
        return
    common = [key for key in a.seasons if key in b.seasons]
    if not common:
        found = next(differences(next(iter(a.seasons.values())), next(iter(b.seasons.values()))))
        raise SeasonError(
            f"{names[0]} has games by {len(a.seasons)} sets of rules and {names[1]} by {len(b.seasons)}, "
            f"none of them in common: {difference_text(found, names)}"
        )
    yield from ((key, key) for key in common)


def _label(seasons: Mapping[str, Season], key: str) -> str:
    """What sets a season apart from the run's others."""
    told: dict[str, str] = {}
    for other, season in seasons.items():
        if other != key:
            for name, mine, _ in differences(seasons[key], season):
                told[name] = f"{name}={canonical(mine)}"
    return ", ".join(told[name] for name in sorted(told))


def _rows(
    found: Sequence[tuple[str, str, str, Comparison]], names: tuple[str, str], alpha: float
) -> tuple[Row, ...]:
    adjusted = holm([comparison.test.p_value if comparison.test else None for *_, comparison in found])
    family = sum(p_value is not None for p_value in adjusted)
    rows = []
    for (entrant, side, rules, comparison), p_value in zip(found, adjusted, strict=True):
        subject = f"{entrant} {_SPOKEN.get(side, f'as {side}')}" + (f" ({rules})" if rules else "")
        said = sentence(comparison, subject, names=names, adjusted=p_value, family=family, alpha=alpha)
        rows.append(Row(entrant, side, rules, comparison, p_value, said))
    return tuple(rows)


def _failures(runs: tuple[Results, Results], names: tuple[str, str]) -> Iterator[str]:
    for run, name in zip(runs, names, strict=True):
        if run.failed:
            yield (
                f"{run.failed} of {run.games + run.failed} games of {name} failed and are left out; if games fail "
                "more often where an entrant is losing, its rate is too high"
            )


def _strangers(
    groups: tuple[Mapping[tuple[str, str], Any], Mapping[tuple[str, str], Any]],
    names: tuple[str, str],
    label: str,
) -> Iterator[str]:
    a, b = ({entrant for entrant, _ in group} for group in groups)
    for mine, other, name in ((a, b, names[0]), (b, a, names[1])):
        if mine - other:
            where = f" ({label})" if label else ""
            yield f"only {name} has {', '.join(sorted(mine - other))}{where}"


def _lonely_seasons(
    runs: tuple[Results, Results], names: tuple[str, str], parts: Sequence[tuple[str, str]]
) -> Iterator[str]:
    for run, name, used in zip(runs, names, zip(*parts, strict=True), strict=True):
        for key in run.seasons:
            if key not in used:
                label = _label(run.seasons, key) or "its only rules"
                yield f"games of {name} by rules that the other run does not have are left out: {label}"


def _changes(
    runs: tuple[Results, Results],
    parts: Sequence[tuple[str, str]],
    manifests: tuple[Mapping[str, Any], Mapping[str, Any]] | None,
    names: tuple[str, str],
) -> Iterator[str]:
    for key_a, key_b in parts:
        for found in differences(runs[0].seasons[key_a], runs[1].seasons[key_b]):
            yield difference_text(found, names)
    if manifests is not None:
        seasons = [season_of_manifest(manifest) for manifest in manifests]
        for found in differences(seasons[0], seasons[1]):
            if found[0].partition(".")[0] in ("entrants", "prompts"):  # the rest is in the traces, in full
                yield difference_text(found, names)


def _answer(rows: Sequence[Row], changed: Sequence[str], names: tuple[str, str], alpha: float) -> str:
    tested = [row for row in rows if row.adjusted is not None]
    if not tested:
        why = "their games are too few" if rows else "they have no entrant in common on the same side"
        return f"{names[0]} and {names[1]} can't be compared: {why}."
    apart = [row for row in tested if row.adjusted is not None and row.adjusted < alpha]
    if not apart:
        said = f"no difference between {names[0]} and {names[1]} is shown in {len(tested)} comparisons"
    else:
        told = ", ".join(_direction(row, names) for row in apart)
        said = (
            f"{len(apart)} of {len(tested)} comparisons differ at {alpha:g} after Holm's correction: {told}"
        )
    tests = sorted({row.comparison.test.name for row in tested if row.comparison.test})
    also = f"; the runs themselves differ: {'; '.join(changed)}" if changed else ""
    return f"{said[0].upper()}{said[1:]} (by {', '.join(tests)}){also}."


def _direction(row: Row, names: tuple[str, str]) -> str:
    higher = row.comparison.difference is not None and (row.comparison.difference.value or 0) > 0
    return f"{row.entrant} {_SPOKEN.get(row.side, f'as {row.side}')} wins more in {names[higher]}"
