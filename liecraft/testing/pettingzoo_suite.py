"""PettingZoo's own tests, with the warnings about Dict observations let through and all others as errors."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from liecraft.testing.failure import CheckFailed
from liecraft.testing.play import EnvFn

with warnings.catch_warnings():
    # Where pygame is installed these modules import old example envs, which warn of their own age.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test.api_test import api_test
    from pettingzoo.test.parallel_test import parallel_api_test
    from pettingzoo.test.render_test import render_test
    from pettingzoo.test.seed_test import parallel_seed_test, seed_test
    from pettingzoo.test.state_test import state_test

# Games here observe a Dict of arrays, which PettingZoo's tests remark on and accept.
_REMARKS = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "The parallel environment's `agents`",
)


@contextlib.contextmanager
def _named(check: str) -> Iterator[None]:
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        for remark in _REMARKS:
            warnings.filterwarnings("ignore", message=remark)
        try:
            yield
        except Exception as error:
            raise CheckFailed(check, f"{type(error).__name__}: {error}") from error


def _parallel(env_fn: EnvFn) -> Callable[[], Any]:
    def build() -> Any:
        return turn_based_aec_to_parallel(env_fn())

    return build


def pettingzoo_api(env_fn: EnvFn) -> None:
    """`api_test`."""
    with _named("pettingzoo_api"):
        api_test(env_fn(), num_cycles=300)


def pettingzoo_seed(env_fn: EnvFn) -> None:
    """`seed_test`."""
    with _named("pettingzoo_seed"):
        seed_test(env_fn, num_cycles=100)


def pettingzoo_parallel(env_fn: EnvFn) -> None:
    """`parallel_api_test`, through PettingZoo's conversion of turn-based envs."""
    with _named("pettingzoo_parallel"):
        parallel_api_test(_parallel(env_fn)(), num_cycles=300)


def pettingzoo_parallel_seed(env_fn: EnvFn) -> None:
    """`parallel_seed_test`."""
    with _named("pettingzoo_parallel_seed"):
        parallel_seed_test(_parallel(env_fn), num_cycles=100)


def pettingzoo_render(env_fn: EnvFn) -> None:
    """`render_test`, in every render mode."""
    with _named("pettingzoo_render"):
        render_test(env_fn)


def pettingzoo_state(env_fn: EnvFn) -> None:
    """`state_test`."""
    with _named("pettingzoo_state"):
        state_test(env_fn(), _parallel(env_fn)())
