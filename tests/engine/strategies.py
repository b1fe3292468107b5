"""Hypothesis strategies shared by the engine's tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from liecraft.engine.ledger import ENGINE, EVERYONE
from liecraft.engine.seats import seat_names

SEATS = seat_names(4)

scalars = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8)
datas: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)
records = st.tuples(
    st.sampled_from(["speech", "room", "found"]),
    st.none() | st.sampled_from(SEATS),
    st.dictionaries(st.text(max_size=4), datas, max_size=3),
    st.sampled_from([EVERYONE, ENGINE, 1, 2, 3, 5, 8, 15]),
)
nasty = st.text() | st.text(
    alphabet='"\\\n\r\t\u2028\u2029\u200b\u202e\u2066\ufeff\x85\x00\x1b`{}[]%#:\uff02 a'
)
