"""What the rules let a seat perceive, stated anew from the dealt world and what was said, never from a view."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from liecraft.engine.ledger import EVERYONE
from liecraft.engine.world import World

Fact = tuple[Any, ...]
PRIVATE = frozenset({"relay"})


def entitled(raw: Any, seat: str) -> Sequence[Fact]:
    """All that the rules have let a seat perceive so far, in order."""
    facts = _at_the_start(raw, seat)
    phase, reports = "", 0
    for at in range(len(raw.ledger)):
        event, _ = raw.ledger[at]
        kind, actor, data = event
        if kind == "phase":
            phase = data["phase"]
            facts.append(("phase", phase, data["round"]))
        elif kind == "speech" and phase in PRIVATE:
            facts += _relayed(raw, seat, str(actor), data, _wave(raw, at))
        elif kind == "speech":
            facts.append(("said in public", actor, data["to"], data["text"], data["claims"]))
            if phase == "report":
                reports += 1
                if reports == len(raw.sinks):
                    facts.append(("audit", *((slot, raw.world.bulletin[slot]) for slot in raw.world.audit)))
        elif kind == "silence":
            facts.append(("asked nobody", actor))
    if raw.finished:
        facts.append(("all", raw.world.as_data()["roles"], dict(raw.world.bulletin), raw.world.targets))
        facts.append(("ballots", *_sealed(raw)))
    return facts


def _at_the_start(raw: Any, seat: str) -> list[Fact]:
    world, role = raw.world, raw.world.roles[raw.seats.index(seat)]
    facts: list[Fact] = [("role", role), ("links", world.edges)]
    saboteur = role == "saboteur"
    if seat in raw.sources or (saboteur and raw.config.informed):
        facts.append(("bulletin", *world.bulletin.items()))
    if saboteur:
        others = [s for s, r in zip(raw.seats, world.roles, strict=True) if r == "saboteur" and s != seat]
        facts.append(("mission", world.targets, tuple(others) if raw.config.partners else ()))
    return facts


def _wave(raw: Any, at: int) -> int:
    phases = (raw.ledger[i].event for i in range(at) if raw.ledger[i].event.kind == "phase")
    return int(list(phases)[-1].data["round"])


def _relayed(raw: Any, seat: str, speaker: str, data: Any, wave: int) -> list[Fact]:
    if speaker == seat:
        return [("I sent", wave, data["text"], data["claims"])]
    if (speaker, seat) not in raw.world.edges:
        return []
    struck = {hit[3]: hit[4:] for hit in raw.world.noise if hit[:3] == (wave, speaker, seat)}
    return [("reached me", wave, speaker, *_through(raw.config.slots, data, struck))]


def _through(slots: Any, data: Any, struck: dict[str, tuple[int, bool]]) -> Fact:
    """A message after the noise: words and claims, and what is seen to be damaged."""
    home = {value: slot for slot, values in slots.items() for value in values}
    touched = set()

    def other(value: str) -> str | None:
        """A value as it arrives; None if it is lost."""
        values, (shift, _) = slots[home[value]], struck[home[value]]
        touched.add(home[value])
        return str(values[(values.index(value) + shift) % len(values)]) if shift else None

    words = []
    for word in re.split(r"(\W+)", data["text"]):
        if home.get(word.lower()) in struck:
            lost = "[lost]" if struck[home[word.lower()]][1] else ""
            words.append(other(word.lower()) or lost)
        else:
            words.append(word)
    claims = []
    for claim in data["claims"]:
        if claim[-1] in home and home[claim[-1]] in struck:
            value = other(claim[-1])
            claims += [(*claim[:-1], value)] if value else []
        else:
            claims.append(claim)
    return "".join(words), tuple(claims), tuple(sorted(slot for slot in touched if struck[slot][1]))


def _sealed(raw: Any) -> list[Fact]:
    entries = [raw.ledger[at] for at in range(len(raw.ledger))]
    assert not any(entry.audience == EVERYONE for entry in entries if entry.event.kind == "sealed")
    return [
        (entry.event.actor, entry.event.data["move"]) for entry in entries if entry.event.kind == "sealed"
    ]


def variants(raw: Any, seat: str, rng: np.random.Generator) -> World | None:
    """Another world that a seat may be unable to tell from the env's: some of its secrets dealt anew."""
    world, fresh = raw.world, raw.deal(rng)
    mine = world.roles[raw.seats.index(seat)]
    parts = ["roles", "bulletin", "targets", "audit", "noise"]
    some = rng.permutation(len(parts))[: 1 + int(rng.integers(2)) * int(rng.integers(1, 5))]
    change: dict[str, Any] = {parts[i]: getattr(fresh, parts[i]) for i in some}
    made: World = dataclasses.replace(world, **change)
    same = made == world or made.roles[raw.seats.index(seat)] != mine
    return variants(raw, seat, rng) if same else made
