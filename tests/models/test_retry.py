"""Back-off and Retry-After."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import numpy as np
import pytest

from liecraft.models import RetryPolicy
from liecraft.models.retry import retry_after_seconds
from liecraft.models.wire import Failure
from tests import fault_server as fault
from tests.fault_server import FaultServer
from tests.models.calls import call, failing_call


def test_retry_after_is_waited_for_when_it_fits() -> None:
    with FaultServer([fault.rate_limited(0.5), fault.ok("late")]) as server:
        done = call(server.base_url, deadline=5)
        assert (done.text, done.attempts) == ("late", 2)
        assert 0.5 <= done.seconds < 1.2


@pytest.mark.parametrize("seconds", [3, 90, 3600, "inf"])
def test_a_retry_after_beyond_the_deadline_ends_the_call_at_once(seconds: float | str) -> None:
    with FaultServer(fault.rate_limited(seconds)) as server:
        error, _ = failing_call(server.base_url, deadline=2.0)
        assert (error.kind, error.attempts, server.count) == ("rate_limited", 1, 1)
        assert error.seconds < 0.5
        assert f"asked to wait {seconds} s, past the deadline" in str(error)


def test_retry_after_counts_for_a_server_that_is_down_too() -> None:
    down = fault.status(503, headers={"Retry-After": "90"})
    with FaultServer(down) as server:
        error, _ = failing_call(server.base_url, deadline=2.0)
        assert (error.kind, server.count) == ("server", 1)


@pytest.mark.parametrize("nonsense", ["soon", "-5", "nan", ""])
def test_a_retry_after_of_nonsense_is_as_good_as_none(nonsense: str) -> None:
    with FaultServer([fault.rate_limited(nonsense), fault.ok()]) as server:
        assert call(server.base_url, deadline=2.0).attempts == 2


def test_retry_after_may_be_a_date() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert retry_after_seconds({"retry-after": soon}) == pytest.approx(30, abs=2)
    assert retry_after_seconds({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0


def test_milliseconds_win_over_seconds() -> None:
    assert retry_after_seconds({"retry-after": "2", "retry-after-ms": "1500"}) == 1.5


def test_back_off_doubles_up_to_its_cap_within_its_jitter() -> None:
    policy = RetryPolicy(base=1.0, cap=5.0)
    rng = np.random.default_rng(0)
    failure = Failure("server", "500")
    for attempts, longest in [(1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0), (1000, 5.0)]:
        waits = [policy.wait(failure, attempts, rng) for _ in range(200)]
        assert longest / 2 <= min(waits) < max(waits) <= longest
        assert len(set(waits)) > 100


def test_the_same_seed_gives_the_same_waits() -> None:
    policy, failure = RetryPolicy(), Failure("server", "500")
    one, two = np.random.default_rng(5), np.random.default_rng(5)
    assert policy.wait(failure, 2, one) == policy.wait(failure, 2, two)


def test_the_number_of_requests_is_bounded() -> None:
    with FaultServer(fault.status(500)) as server:
        error, _ = failing_call(server.base_url, retry=RetryPolicy(max_attempts=2, base=0.01))
        assert (error.attempts, server.count) == (2, 2)
