"""What every test gets: the network ends at loopback, and Hypothesis repeats itself."""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

# No deadlines: a shared machine pauses at will. In CI the examples are fixed, so a red run can be repeated.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

_LOOKUPS = {"socket.getaddrinfo", "socket.gethostbyname"}
_SENDS = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_outside_calls: list[str] = []


def _host(event: str, args: tuple[Any, ...]) -> str | None:
    """Return the host that a socket event would reach; None if it stays within this process or file system."""
    if event in _LOOKUPS:
        host = args[0]
    elif event in _SENDS and isinstance(args[1], tuple):
        host = args[1][0]
    else:
        return None
    return host.decode() if isinstance(host, bytes) else host


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in {"", "localhost"}


def _refuse_outside(event: str, args: tuple[Any, ...]) -> None:
    host = _host(event, args)
    if host is not None and not _is_loopback(host):
        _outside_calls.append(f"{event} {host}")
        raise RuntimeError(f"tests may not leave this machine: {event} {host}")


# An audit hook sees every client library's sockets, and nothing can be imported before it.
sys.addaudithook(_refuse_outside)


@pytest.fixture(autouse=True)
def outside_calls() -> Iterator[list[str]]:
    """Fail a test that called outside, even if the code under test swallowed the refusal."""
    _outside_calls.clear()
    yield _outside_calls
    assert not _outside_calls, f"tests may not leave this machine: {_outside_calls}"
