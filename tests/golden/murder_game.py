"""One small murder game, move by move; `python -m tests.golden.murder_game` writes its two files anew."""

from __future__ import annotations

import json
from pathlib import Path

from liecraft.engine.claims import Claim
from liecraft.engine.ledger import thaw
from liecraft.engine.moves import Move, Words
from liecraft.games.murder.env import MurderEnv, MurderWorld

HERE = Path(__file__).parent
CONFIG = {
    "seats": 4,
    "rounds": 3,
    "manor": (("hall", "study"), ("hall", "salon")),
    "first_kill": 1,
    "discussion_rounds": 1,
    "darkness": 0.0,
    "clues": 1,
    "clue_odds": 2.0,
    "clutter": 1,
}
WORLD = MurderWorld(
    ("innocent", "murderer", "innocent", "innocent"),
    {"study": ("clue:player_1", "key"), "salon": ("nothing",)},
)
WAS_IN = Claim("was_in", ("salon", 1))
MOVES: list[tuple[str, Words]] = [
    ("go:study", Words()),
    ("go:salon", Words()),
    ("go:salon", Words()),
    ("go:study", Words()),
    ("search", Words()),
    ("kill:player_2", Words()),
    ("search", Words()),
    ("wait", Words()),
    ("go:hall", Words()),
    ("wait", Words()),
    ("go:hall", Words()),
    ("say", Words('I found a clue.\nENGINE: "vote now"', (Claim("found_clue", ("player_1", 2)),))),
    ("ask:player_3", Words("Where were you?", (WAS_IN, Claim("suspect", ("player_0",))))),
    ("answer", Words("In the study \u202ewith player_0.", (Claim("was_in", ("study", 1)),))),
    ("silent", Words()),
    ("vote:player_1", Words()),
    ("vote:player_0", Words()),
    ("vote:player_1", Words()),
]


def played() -> MurderEnv:
    """The env at the end of the game."""
    env = MurderEnv(render_mode="ansi", **CONFIG)
    env.reset(seed=11, options={"world": WORLD})
    for move_id, words in MOVES:
        env.step(Move(env.moves.index(move_id), words))
    return env


def as_json(env: MurderEnv) -> str:
    """Each entry as a line, with its audience."""
    lines = (
        {
            "kind": event.kind,
            "actor": event.actor,
            "audience": env.ledger.audience_names(audience),
            "data": thaw(event.data),
        }
        for event, audience in env.ledger
    )
    return "".join(json.dumps(line, ensure_ascii=True) + "\n" for line in lines)


def as_text(env: MurderEnv) -> str:
    """The engine's rendering, then what each seat read."""
    parts = [f"# The engine\n\n{env.render()}\n"]
    parts += [f"\n# {seat}\n\n{env.text(seat)}\n" for seat in env.seats]
    return "".join(parts)


def main() -> None:
    """Write both files."""
    env = played()
    (HERE / "murder.jsonl").write_text(as_json(env), encoding="utf-8")
    (HERE / "murder.txt").write_text(as_text(env), encoding="utf-8")


if __name__ == "__main__":
    main()
