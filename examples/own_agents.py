"""Agents of one's own: a strategy in code with a parameter, and an AutoGen assistant that one has built oneself.

`examples/own_agents.yaml` seats the first. docs/write-an-agent.md goes through both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from liecraft.engine.agent import Reply, Request
from liecraft.engine.ledger import View

if TYPE_CHECKING:
    from liecraft.agents.autogen import AssistantSeat


class Follower:
    """Searches when alone, says little, and votes as most of the others have said they would.

    Args:
        rng: The seat's own stream: all chance comes from it, so that a game can be played again.
        trust: How often it follows the talk at all, from 0 to 1; else it abstains.
    """

    def __init__(self, rng: np.random.Generator, trust: float = 0.9) -> None:
        self._rng = rng
        self._trust = trust

    def act(self, view: View, request: Request) -> Reply:
        if request.phase == "vote":
            return self._vote(view, request)
        if "silent" in request.legal:
            return Reply("silent")
        for move in ("answer", "kill", "search"):
            fitting = [legal for legal in request.legal if legal.partition(":")[0] == move]
            if fitting:
                return Reply(fitting[0])
        return Reply(request.legal[int(self._rng.integers(len(request.legal)))])

    def _vote(self, view: View, request: Request) -> Reply:
        named: dict[str, int] = {}
        for event in view.of("speech"):
            for predicate, *args in event.data["claims"]:
                if predicate in ("suspect", "will_vote"):
                    vote = f"vote:{args[0]}"
                    named[vote] = named.get(vote, 0) + 1
        open_to = {vote: times for vote, times in named.items() if vote in request.legal}
        if not open_to or self._rng.random() >= self._trust:
            return Reply(request.default)
        return Reply(max(open_to, key=lambda vote: (open_to[vote], vote)))


def strategist(
    rng: np.random.Generator, model: str = "gpt-4o-mini", base_url: str | None = None
) -> AssistantSeat:
    """An AutoGen assistant with a client, a system message and whatever tools one likes; the key is in the environment.

    Args:
        rng: Not needed here.
        model: The client's model.
        base_url: Its endpoint; without one, OpenAI.
    """
    from autogen_agentchat.agents import AssistantAgent
    from autogen_core.models import ModelFamily, ModelInfo
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    from liecraft.agents.autogen import AssistantSeat

    info = ModelInfo(
        vision=False,
        function_calling=True,
        json_output=True,
        structured_output=True,
        family=ModelFamily.UNKNOWN,
    )
    client = OpenAIChatCompletionClient(model=model, base_url=base_url, model_info=info)
    assistant = AssistantAgent(
        "strategist", client, system_message="You play to win, and think in two steps."
    )
    return AssistantSeat(assistant, "murder", client=client)
