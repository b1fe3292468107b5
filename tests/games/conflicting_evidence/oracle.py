"""What the rules let a seat perceive, told from the world, the sealed moves and what is said aloud.

Written from the rules and not from the env: no private event, no view and no state of the env is read.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from liecraft.engine.seats import Seat
from liecraft.engine.world import World
from liecraft.games.conflicting_evidence.case import Case, Content, Item, Trap, TrapKind
from liecraft.games.conflicting_evidence.env import MEMBER, MOLE, EvidenceWorld
from liecraft.testing.play import RawEnv

ALOUD = ("phase", "silence", "speech")


def visible(item: Item) -> Any:
    """An item as its holder may see it."""
    return dataclasses.replace(item, shared=False, trap=None)


def question(case: Case) -> Any:
    """What all are told of a case."""
    return (
        case.id,
        case.domain,
        case.question,
        case.options,
        case.criteria,
        case.today,
        [i.id for i in case.items],
    )


def at_first(world: EvidenceWorld, i: int, knows: bool) -> list[Any]:
    """What seat number `i` is told before the first move."""
    case, role = world.case, world.roles[i]
    items = {item.id: item for item in case.items}
    told = [role, question(case), [visible(items[held]) for held in world.hands[i]]]
    return [*told, (case.answer, case.decoy)] if role == MOLE and knows else told


def entitled(raw: RawEnv, seat: Seat) -> Sequence[Any]:
    """All that the seat has been let perceive so far, in order."""
    world, config = raw.world, raw.config
    facts = at_first(world, raw.seats.index(seat), config.mole_knows)
    sealed: dict[Seat, str] = {}
    said = False
    for event, _ in raw.ledger:
        if event.kind == "sealed" and event.actor and event.data["move"].startswith("choose:"):
            sealed[event.actor] = event.data["move"]
        elif event.kind in ALOUD:
            facts.append((event.kind, event.actor, dict(event.data)))
        if len(sealed) == len(raw.seats) and not said:
            said = True
            # Words given with the choices follow as speeches; what was cited is in them.
            facts.append(("choices", sorted(sealed.items())))
            facts.append(("end", world.case.answer, _team(sealed, config), world.roles))
    return facts


def _team(sealed: dict[Seat, str], config: Any) -> str | None:
    assert (str(config.tie), str(config.majority)) == ("none", "plurality"), (
        "the oracle knows the default rules"
    )
    votes = Counter(move.split(":")[1] for move in sealed.values() if move != "choose:none").most_common(2)
    return votes[0][0] if votes and (len(votes) == 1 or votes[0][1] > votes[1][1]) else None


def variants(raw: RawEnv, seat: Seat, rng: np.random.Generator) -> World | None:
    """Another world that looks the same to the seat: other hands, contents, traps, answer, mole behind its back."""
    world, i = raw.world, raw.seats.index(seat)
    own = set(world.hands[i])
    items = tuple(_other(item, item.id in own, world.case, rng) for item in world.case.items)
    case = dataclasses.replace(world.case, items=items)
    if not (world.roles[i] == MOLE and raw.config.mole_knows):
        letters = [case.letters[int(k)] for k in rng.permutation(len(case.letters))]
        case = dataclasses.replace(case, answer=letters[0], decoy=letters[1])
    roles = list(world.roles)
    if MOLE in roles and roles[i] != MOLE:
        others = [k for k in range(len(roles)) if k != i]
        roles = [MEMBER] * len(roles)
        roles[others[int(rng.integers(len(others)))]] = MOLE
    hands = tuple(
        hand if k == i else tuple(item.id for item in items if rng.random() < 0.5)
        for k, hand in enumerate(world.hands)
    )
    return EvidenceWorld(tuple(roles), case, hands)


def _other(item: Item, own: bool, case: Case, rng: np.random.Generator) -> Item:
    trap = Trap(TrapKind.OUTDATED, int(rng.integers(1, 6))) if rng.random() < 0.3 else None
    item = dataclasses.replace(item, shared=bool(rng.random() < 0.5), trap=trap)
    if own or rng.random() < 0.3:
        return item
    letter = case.letters[int(rng.integers(len(case.letters)))]
    criterion = case.criteria[int(rng.integers(len(case.criteria)))].id
    content = Content(letter, criterion, ("meets", "fails")[int(rng.integers(2))], int(rng.integers(99)))
    return dataclasses.replace(item, content=content, emphasis=int(rng.integers(1, 6)), text="")
