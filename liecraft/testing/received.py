"""All that reaches one seat in the course of a game, beside what the rules entitle it to."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from liecraft.engine.claims import Vocabulary
from liecraft.engine.ledger import canonical
from liecraft.engine.seats import Seat
from liecraft.testing.aec import illegal_actions, refusal
from liecraft.testing.failure import require
from liecraft.testing.play import RawEnv, plain
from liecraft.testing.secrets import Secrets

Parts = dict[str, Any]
"""Channel to what came through it."""


class Item(NamedTuple):
    """What a seat holds at one moment.

    Attributes:
        facts: How many facts it was entitled to by then.
        asked: Whether it had to decide at that moment.
        parts: What it held, by channel.
    """

    facts: int
    asked: bool
    parts: Parts


@dataclass(slots=True)
class Stream:
    """A seat's whole game.

    Attributes:
        facts: All that the seat was entitled to perceive.
        items: Moments at which something new reached it, or a decision was asked of it.
        cut: The game was left before its end.
    """

    facts: list[Any] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    cut: bool = False


class Watcher:
    """Records what reaches one seat; look once after reset and once after each move.

    Args:
        raw: The env, just reset.
        seat: The seat.
        secrets: What the seat is entitled to, and how it is prompted.
    """

    def __init__(self, raw: RawEnv, seat: Seat, secrets: Secrets) -> None:
        self.seat = seat
        self._raw, self._secrets = raw, secrets
        self._lines: list[str] = []
        self._vocabulary: tuple[Vocabulary | None, str] = (None, "")
        self.stream = Stream()

    def look(self) -> None:
        """Record what is new."""
        facts = list(self._secrets.entitled(self._raw, self.seat))
        known = self.stream.facts
        grows = facts[: len(known)] == known
        require(grows, "entitlement", f"the facts of {self.seat} have changed, which may only grow: {known}")
        self.stream.facts = facts
        held = self.held()
        items = self.stream.items
        if not items or any(items[-1].parts[channel] != part for channel, part in held.items()):
            items.append(Item(len(facts), False, held))
        if not self._raw.finished and self._raw.agent_selection == self.seat:
            items.append(Item(len(facts), True, {**held, **self.asked()}))

    def held(self) -> Parts:
        """What the seat could look at whenever it likes."""
        raw, seat = self._raw, self.seat
        view = raw.view(seat)
        self._lines += (canonical(event, "") for event in view.since(len(self._lines)))
        return {
            "events": tuple(self._lines),
            "text": raw.text(seat),
            "features": raw.observe(seat)["observation"].tobytes(),
        }

    def asked(self) -> Parts:
        """What comes with a decision."""
        raw, seat = self._raw, self.seat
        request = raw.request()
        if request.vocabulary is not self._vocabulary[0]:
            words = request.vocabulary
            self._vocabulary = (words, plain(words.schema()) if words else "")
        menu = dataclasses.replace(request, vocabulary=None)
        prompts = self._secrets.prompts
        observation, reward, terminated, truncated, info = raw.last()
        return {
            "mask": plain(observation and observation["action_mask"]),
            "menu": f"{menu!r} {self._vocabulary[1]}",
            "errors": tuple(refusal(raw, action) for action in illegal_actions(raw)),
            "infos": plain(info),
            "reward": plain([reward, terminated, truncated]),
            "prompts": plain(prompts(raw.view(seat), request)) if prompts else "",
        }

    def close(self) -> Stream:
        """Walk the dead steps of a finished game and record what the seat is shown in its own."""
        raw = self._raw
        while raw.agents:
            if raw.agent_selection == self.seat:
                _, reward, terminated, truncated, info = raw.last()
                last = {"infos": plain(info), "reward": plain([reward, terminated, truncated])}
                self.stream.items.append(Item(len(self.stream.facts), True, {**self.held(), **last}))
            raw.step(None)
        return self.stream
