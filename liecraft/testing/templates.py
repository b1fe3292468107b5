"""Every kind of event that a seat sees has a template, so that nobody reads raw data."""

from __future__ import annotations

from liecraft.engine.render import Renderer
from liecraft.testing.failure import require
from liecraft.testing.play import EnvFn, bare, generator, play_on


def every_kind_has_a_template(env_fn: EnvFn, *, games: int, seed: int) -> None:
    """In the env's language, each kind of event of any view is a macro of `events.md`."""
    raw = bare(env_fn())
    macros = Renderer(raw.prompts, raw.lang).kinds
    for game in range(games):
        raw.reset(seed=seed + game)
        play_on(raw, generator(seed, game))
        kinds = {event.kind for seat in raw.seats for event in raw.view(seat)} - {"disclose"}
        bare_kinds = sorted(kinds - macros)
        message = f"{raw.prompts}/{raw.lang}/events.md has no macro for {', '.join(bare_kinds)}"
        require(not bare_kinds, "templates", message)
