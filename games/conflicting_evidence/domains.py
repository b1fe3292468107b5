"""What generated cases are about. All proper names are invented anew for each case."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from liecraft.games.conflicting_evidence.case import MAX_CRITERIA, Rule

LEAST, MOST = Rule.AT_LEAST, Rule.AT_MOST


class Measure(NamedTuple):
    """A quantity that a requirement can be about, with the range of plausible values."""

    id: str
    rule: Rule
    low: int
    high: int
    unit: str


class Domain(NamedTuple):
    """A field of decisions.

    Attributes:
        id: Plain identifier; templates of other languages translate by it.
        question: What is to be chosen, in English.
        measures: `MAX_CRITERIA` quantities.
        beside: Quantities that impress and bear on no requirement.
    """

    id: str
    question: str
    measures: tuple[Measure, ...]
    beside: tuple[str, ...]


DOMAINS = (
    Domain(
        "harbour",
        "On which site shall the new harbour be built?",
        (
            Measure("water_depth", LEAST, 6, 40, "m"),
            Measure("quay_length", LEAST, 120, 900, "m"),
            Measure("storm_days", MOST, 4, 60, "days"),
            Measure("ice_days", MOST, 2, 90, "days"),
            Measure("silt_a_year", MOST, 3, 80, "cm"),
            Measure("road_to_town", MOST, 2, 70, "km"),
            Measure("anchor_grip", LEAST, 20, 95, "percent"),
            Measure("building_cost", MOST, 30, 400, "crowns"),
        ),
        ("famous_visitors", "sunset_rating", "old_songs"),
    ),
    Domain(
        "grain",
        "Which grain shall the valley sow next year?",
        (
            Measure("yield", LEAST, 12, 95, "sacks"),
            Measure("days_to_harvest", MOST, 60, 190, "days"),
            Measure("rust_losses", MOST, 2, 60, "percent"),
            Measure("water_need", MOST, 100, 900, "mm"),
            Measure("frost_survival", LEAST, 15, 98, "percent"),
            Measure("protein", LEAST, 6, 22, "percent"),
            Measure("seed_price", MOST, 5, 120, "crowns"),
            Measure("stalk_strength", LEAST, 10, 90, "points"),
        ),
        ("colour_prizes", "festival_fame", "stalk_shine"),
    ),
    Domain(
        "pump",
        "Which maker shall deliver the pumps for the mine?",
        (
            Measure("flow", LEAST, 40, 600, "litres"),
            Measure("lift", LEAST, 20, 300, "m"),
            Measure("noise", MOST, 40, 110, "dB"),
            Measure("power_draw", MOST, 5, 90, "kW"),
            Measure("hours_between_faults", LEAST, 200, 9000, "h"),
            Measure("weeks_to_deliver", MOST, 2, 52, "weeks"),
            Measure("spare_part_cost", MOST, 10, 300, "crowns"),
            Measure("warranty", LEAST, 6, 120, "months"),
        ),
        ("age_of_the_firm", "fair_medals", "size_of_the_stand"),
    ),
    Domain(
        "route",
        "Which route shall the expedition take over the range?",
        (
            Measure("length", MOST, 80, 600, "km"),
            Measure("highest_pass", MOST, 1500, 6000, "m"),
            Measure("wells", LEAST, 3, 40, "wells"),
            Measure("days_of_snow", MOST, 1, 50, "days"),
            Measure("shelters", LEAST, 2, 30, "huts"),
            Measure("rockfalls_a_year", MOST, 1, 70, "falls"),
            Measure("pasture", LEAST, 5, 80, "meadows"),
            Measure("bridge_load", LEAST, 100, 1500, "kg"),
        ),
        ("views_in_ballads", "portraits_painted", "rare_birds"),
    ),
    Domain(
        "beacon",
        "Which design shall be launched as the new beacon satellite?",
        (
            Measure("signal_power", LEAST, 20, 300, "W"),
            Measure("mass", MOST, 80, 900, "kg"),
            Measure("years_in_orbit", LEAST, 2, 25, "years"),
            Measure("clock_drift", MOST, 1, 90, "ns"),
            Measure("test_failures", MOST, 1, 40, "tests"),
            Measure("battery_hours", LEAST, 1, 30, "h"),
            Measure("months_to_build", MOST, 6, 70, "months"),
            Measure("shield_thickness", LEAST, 2, 40, "mm"),
        ),
        ("logo_votes", "press_photos", "paint_layers"),
    ),
    Domain(
        "vault",
        "Which building shall become the archive's vault?",
        (
            Measure("shelf_length", LEAST, 200, 5000, "m"),
            Measure("humidity", MOST, 30, 85, "percent"),
            Measure("fire_resistance", LEAST, 30, 240, "minutes"),
            Measure("floor_load", LEAST, 200, 2500, "kg"),
            Measure("flood_risk", MOST, 1, 60, "percent"),
            Measure("rent", MOST, 10, 250, "crowns"),
            Measure("temperature_swing", MOST, 1, 25, "degrees"),
            Measure("alarm_response", MOST, 2, 60, "minutes"),
        ),
        ("facade_age", "tourist_stars", "ceiling_paintings"),
    ),
)

assert all(len(domain.measures) == MAX_CRITERIA for domain in DOMAINS)

_ONSETS = (
    "b",
    "br",
    "d",
    "dr",
    "f",
    "g",
    "gl",
    "h",
    "j",
    "k",
    "kr",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "sk",
    "t",
    "v",
    "z",
)
_VOWELS = ("a", "e", "i", "o", "u", "ae", "ei", "ou")
_CODAS = ("", "l", "m", "n", "r", "s", "th", "x", "rn", "lk")


def invented(rng: np.random.Generator, count: int) -> tuple[str, ...]:
    """Different invented names of two syllables, such as `Skoulnae`."""
    names: dict[str, None] = {}
    sizes = (len(_ONSETS), len(_VOWELS), len(_CODAS)) * 2
    while len(names) < count:
        for picks in rng.integers(0, sizes, (count, 6)).tolist():
            parts = (_ONSETS, _VOWELS, _CODAS, _ONSETS, _VOWELS, _CODAS)
            name = "".join(part[i] for part, i in zip(parts, picks, strict=True))
            names[name.capitalize()] = None
    return tuple(names)[:count]
