"""The ledger: append-only, audiences fixed at recording, digests that tell ledgers apart."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liecraft.engine.ledger import ENGINE, EVERYONE, Event, Ledger, View, canonical, freeze, thaw
from liecraft.testing.immutability import foreign, writable
from tests.engine.strategies import SEATS, datas, records

Record = tuple[str, str | None, dict[str, Any], int]


def filled(entries: list[Record]) -> Ledger:
    ledger = Ledger(SEATS)
    for kind, actor, data, audience in entries:
        ledger.record(kind, actor, dict(freeze(data)), audience)
    return ledger


def lines(ledger: Ledger) -> list[str]:
    return [canonical(event, ledger.audience_names(audience)) for event, audience in ledger]


@given(st.lists(records, max_size=12))
def test_each_seat_sees_exactly_the_events_of_its_audiences_in_order(entries: list[Record]) -> None:
    ledger = filled(entries)
    for i, seat in enumerate(SEATS):
        due = [entry.event for entry in ledger if entry.audience == EVERYONE or entry.audience >> i & 1]
        assert list(ledger.views[seat]) == due


@given(st.lists(records, max_size=8), st.lists(records, max_size=4))
def test_what_is_recorded_later_changes_nothing_recorded_before(
    before: list[Record], later: list[Record]
) -> None:
    ledger = filled(before)
    written, digest = lines(ledger), ledger.digest()
    seen = {seat: list(view) for seat, view in ledger.views.items()}
    for kind, actor, data, audience in later:
        ledger.record(kind, actor, dict(freeze(data)), audience)
    assert lines(ledger)[: len(written)] == written
    assert all(list(ledger.views[seat])[: len(events)] == events for seat, events in seen.items())
    assert (ledger.digest() == digest) == (not later)


@given(st.lists(records, max_size=8))
def test_equal_ledgers_have_equal_digests_however_often_they_are_asked(entries: list[Record]) -> None:
    one, other = filled(entries), Ledger(SEATS)
    for kind, actor, data, audience in entries:
        other.record(kind, actor, dict(reversed(freeze(data).items())), audience)
        other.digest()
    assert one.digest() == other.digest()


@given(st.lists(records, min_size=1, max_size=6), st.data())
def test_any_difference_changes_the_digest(entries: list[Record], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(entries) - 1))
    kind, actor, held, audience = entries[at]
    changed = data.draw(
        st.sampled_from(
            [
                (kind + "x", actor, held, audience),
                (kind, SEATS[1] if actor != SEATS[1] else None, held, audience),
                (kind, actor, {**held, "another": 1}, audience),
                (kind, actor, held, ENGINE if audience != ENGINE else EVERYONE),
            ]
        )
    )
    others = [*entries[:at], changed, *entries[at + 1 :]]
    assert filled(entries).digest() != filled(others).digest()
    assert filled(entries).digest() != filled(entries[:at] + entries[at + 1 :]).digest()


@given(st.lists(records, min_size=1, max_size=6), st.data())
def test_only_a_disclosure_reaches_new_eyes_and_it_does_not_say_where_the_event_stood(
    entries: list[Record], data: st.DataObject
) -> None:
    ledger = filled(entries)
    at = data.draw(st.integers(0, len(entries) - 1))
    told = ledger.disclose(at, ledger.audience([SEATS[3]]))
    kind, actor, held = ledger[at].event
    assert told.kind == "disclose" and told.actor is None
    assert dict(told.data) == {"kind": kind, "actor": actor, "data": held}
    assert ledger[at].audience == entries[at][3]
    assert ledger.views[SEATS[3]][-1] is told
    assert all(told not in list(ledger.views[seat]) for seat in SEATS[:3])


def test_an_event_carries_neither_audience_nor_index() -> None:
    assert Event._fields == ("kind", "actor", "data")


@given(datas)
def test_frozen_data_is_read_only_to_the_bottom_and_thaws_to_what_it_was(value: Any) -> None:
    kept = deepcopy(value)
    frozen = freeze(value)
    assert not list(writable(frozen, "data"))
    assert thaw(frozen) == kept


def test_the_walk_finds_what_can_be_written() -> None:
    assert list(writable(freeze({"a": [1, {"b": 2}]}), "event")) == []
    assert list(writable(freeze({"a": {1: 2}}), "event")) == ["event.a has the key 1"]
    held = freeze({"a": ()}) | {"b": [1]}
    assert list(writable(held, "event")) == ["event is a dict"]


def test_a_view_leads_nowhere() -> None:
    ledger = filled([("speech", SEATS[0], {"text": "hi"}, EVERYONE)])
    assert not list(foreign(ledger.views[SEATS[0]], "view"))
    assert not hasattr(ledger.views[SEATS[0]], "__dict__")
    with pytest.raises(AttributeError):
        ledger.views[SEATS[0]].ledger = ledger  # type: ignore[attr-defined]  # that it fails is the point
    with pytest.raises(TypeError):
        ledger.views[SEATS[0]] = View(SEATS[0])  # type: ignore[index]  # likewise


def test_a_view_answers_by_kind_and_from_a_cursor() -> None:
    view = filled(
        [(kind, None, {"n": n}, EVERYONE) for n, kind in enumerate(["room", "speech", "room"])]
    ).views[SEATS[2]]
    assert [event.data["n"] for event in view.of("room")] == [0, 2]
    assert [event.data["n"] for event in view.since(1)] == [1, 2]
    assert view.first("speech").data["n"] == 1
    with pytest.raises(LookupError, match="player_2 has seen no 'vote' event"):
        view.first("vote")


def test_audiences_are_named_as_the_trace_writes_them() -> None:
    ledger = Ledger(SEATS)
    assert ledger.audience_names(EVERYONE) == "everyone"
    assert ledger.audience_names(ENGINE) == "engine"
    assert ledger.audience_names(ledger.audience(["player_3", "player_1"])) == ["player_1", "player_3"]
