"""What the moves without words say, so that a policy without language can play, and lie."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from liecraft.engine.claims import Claim
from liecraft.engine.seats import Seat
from liecraft.games.info_passing.claims import Message, Slots
from liecraft.games.info_passing.record import Record


def altered(
    seat: Seat, record: Record, slots: Slots, wanted: Sequence[str], rng: np.random.Generator
) -> Message:
    """What the seat holds, with the wanted slots changed.

    A changed slot gets another value than the one the seat holds and, if it knows it, the bulletin's; of
    those left one is drawn. Where these two are all there is, it gets the one that is not the bulletin's.

    Args:
        seat: Who speaks.
        record: What it holds and knows.
        slots: Slot to its vocabulary.
        wanted: Slots to change.
        rng: One number is drawn for each slot of the bulletin, wanted or not.
    """
    message = record.held(seat)
    for slot, draw in zip(slots, rng.random(len(slots)), strict=True):
        if slot in wanted:
            known = record.known(seat, slot)
            other = [value for value in slots[slot] if value not in (message[slot], known)]
            other = other or [value for value in slots[slot] if value != (known or message[slot])]
            message[slot] = other[int(draw * len(other))]
    return message


def _in_audit_order(slots: Slots, audited: Sequence[str]) -> list[str]:
    return [*audited, *(slot for slot in slots if slot not in audited)]


def testimony(
    seat: Seat, speakers: Sequence[Seat], record: Record, slots: Slots, audited: Sequence[str]
) -> tuple[Claim, ...]:
    """The truth about what a seat heard of each speaker and sent, the audited slots first."""
    claims = []
    for slot in _in_audit_order(slots, audited):
        for speaker in speakers:
            value = record.heard_from(seat, speaker, slot)
            if record.is_damaged(seat, speaker, slot):
                claims.append(Claim("damaged", (speaker, slot)))
            elif value is None:
                claims.append(Claim("heard_nothing", (speaker, slot)))
            else:
                claims.append(Claim("heard", (speaker, slot, value)))
        sent = record.last_sent(seat, slot)
        claims.append(Claim("sent_nothing", (slot,)) if sent is None else Claim("sent", (slot, sent)))
    return tuple(claims)


def cover(
    seat: Seat, speakers: Sequence[Seat], record: Record, slots: Slots, audited: Sequence[str]
) -> tuple[Claim, ...]:
    """A story in which the seat passed on what it heard; a source, that it sent what the audit disclosed."""
    claims = []
    for slot in _in_audit_order(slots, audited):
        sent = record.last_sent(seat, slot) if speakers else record.known(seat, slot)
        if sent is None:
            claims += [Claim("heard_nothing", (speaker, slot)) for speaker in speakers]
            claims.append(Claim("sent_nothing", (slot,)))
        else:
            claims += [Claim("heard", (speaker, slot, sent)) for speaker in speakers]
            claims.append(Claim("sent", (slot, sent)))
    return tuple(claims)
