"""The index page: a section a run, with tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from liecraft import __version__
from liecraft.evaluators.measures import load_evaluators
from liecraft.evaluators.statistics.ratings import rate
from liecraft.report.html import plot_flows, plot_rates, sheets
from liecraft.report.html.gather import Gathered


class Plot(NamedTuple):
    """A figure with its heading and what it shows; without a figure, why there is none."""

    title: str
    caption: str
    svg: Markup | None
    missing: str
    notes: Sequence[str] = ()


class Card(NamedTuple):
    """One big figure at the head of a section."""

    label: str
    cell: sheets.Cell


@dataclass(frozen=True, slots=True)
class Section:
    """All that the index shows of a run."""

    number: int
    name: str
    about: str
    digest: str
    cards: Sequence[Card]
    headline: sheets.Sheet
    plots: Sequence[Plot]
    tables: Sequence[sheets.Sheet]
    measures: Sequence[sheets.Sheet]


def environment() -> Environment:
    """Templates with autoescape on: names of entrants and words of agents come from outside."""
    return Environment(
        loader=PackageLoader("liecraft.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(template: str, **data: Any) -> str:
    """A page of the report."""
    return environment().get_template(template).render(version=__version__, **data)


def section(number: int, gathered: Gathered) -> Section:
    """Tables and plots of one run."""
    play, timings = gathered.scores["play"], gathered.scores["timings"]
    conduct = sheets.conduct(number, play, timings)
    tables = [sheets.claims(number, play), conduct, sheets.failures(number, play)]
    titles = {name: evaluator.title for name, evaluator in load_evaluators().items()}
    return Section(
        number=number,
        name=gathered.run.path.resolve().name,
        about=_about(gathered),
        digest=play["digest"],
        cards=_cards(number, play),
        headline=sheets.headline(number, play, gathered.sums.votes),
        plots=_plots(number, gathered),
        tables=[table for table in tables if table is not None and table.rows],
        measures=[sheets.measure(number, titles[name], play[name]) for name in titles if play[name]],
    )


def _about(gathered: Gathered) -> str:
    manifest = gathered.run.manifest
    seats = " or ".join(map(str, sorted(gathered.seats)))
    parts = [
        gathered.env or "no games yet",
        f"{seats} seats" if seats else "",
        f"made {str(manifest.get('created', ''))[:10]}",
        f"LieCraft {manifest.get('liecraft', '?')}",
    ]
    return ", ".join(part for part in parts if part)


def _cards(run: int, play: sheets.Row) -> list[Card]:
    games = play["games"]
    total = sum(games.values())
    ended = games["finished"] + games["truncated"]
    small = f"{games['failed']} failed" if games["failed"] else "none failed"
    cards = [Card("games", sheets.Cell(f"{total:,}", small, sheets.link(run)))]
    words = {"deceivers": "won by the deceivers", "truthful": "won by the truthful"}
    for row in play["outcomes"]:
        if row["entrant"] == "all" and row["side"] in words:
            cell = sheets.rate_cell(row["win_rate"], sheets.link(run, winner=row["side"]))
            cards.append(Card(words[row["side"]], cell))
    claimed = sum(row["claims"] for row in play["claims"])
    lied = sum(round((row["lie"]["value"] or 0) * row["claims"]) for row in play["claims"])
    if claimed:
        cell = sheets.Cell(f"{lied:,}", f"of {claimed:,} claims", sheets.link(run, claim="lie"))
        cards.append(Card("lies", cell))
    moves = sum(row["moves"] for row in play["conduct"])
    if ended:
        cards.append(Card("moves a game", sheets.Cell(f"{moves / ended:.1f}", f"{moves:,} in all")))
    return cards


def _plots(run: int, gathered: Gathered) -> list[Plot]:
    play, sums = gathered.scores["play"], gathered.sums
    return [
        _plot(
            "Win rate by role",
            "Dots are win rates, lines 95% Wilson intervals. A dot leads to its games.",
            plot_rates.role_rates(run, play["outcomes"]),
            "No game has ended.",
        ),
        _plot(
            "Deceiving and detecting",
            "Up: wins as a deceiver. Right: notices deceivers when truthful. Lines are 95% intervals.",
            plot_rates.deceiving_and_detecting(run, play["outcomes"], play["votes"]),
            "No entrant has both played a deceiver and voted on seats as a truthful one.",
        ),
        _ratings(run, gathered),
        _plot(
            "Who deceived whom",
            "Of a truthful seat's ballots or choices after it had heard a deceiver lie: the share that went "
            "against its own side. It shows what followed a lie, not that the lie was the cause.",
            plot_flows.who_deceived_whom(run, sums.misled),
            "No truthful seat has decided anything after hearing a deceiver's lie.",
        ),
        _plot(
            "Where votes went",
            "Ballots and choices of truthful seats, by entrant: left whose they are, right where they went.",
            plot_flows.vote_flow(run, sums.votes),
            "No truthful seat has voted.",
        ),
        _plot(
            "Claims over time",
            "Claims with a truth value by round, as the engine classed them when they were made.",
            plot_flows.claim_timeline(run, sums.claims),
            "Nothing was claimed.",
        ),
        _plot(
            "Calibration",
            "Beliefs of truthful seats in ten bins; lines are 95% Wilson intervals, dots grow with n.",
            plot_rates.calibration(run, sums.beliefs),
            "No beliefs were asked for in this run.",
        ),
    ]


def _ratings(run: int, gathered: Gathered) -> Plot:
    """Ratings of the season that has most games: games of different seasons are never pooled."""
    title, seasons = "Ratings", sorted(gathered.seasons.values(), key=len, reverse=True)
    if not seasons:
        return _plot(title, "", None, "No game had both sides, so there is nothing to rate.")
    if find_spec("openskill") is None:
        return _plot(title, "", None, "Ratings need openskill, which is not installed here.")
    rated = rate(seasons[0])
    caption = "Role-balanced openskill ratings; lines are 95% bounds by a jackknife over seeds."
    if len(seasons) > 1:
        rest = sum(map(len, seasons[1:]))
        caption += (
            f" Of the {len(seasons[0]):,} games of one season: {rest:,} others differ in rules or prompts."
        )
    drawn = _plot(title, caption, plot_rates.rating_plot(run, rated), "Too few games to rate anybody.")
    return drawn._replace(notes=rated.sentences)


def _plot(title: str, caption: str, drawn: str | None, missing: str) -> Plot:
    return Plot(title, caption, Markup(drawn) if drawn else None, missing)  # our own SVG, text escaped in it
