"""The murder game: rules in README.md of this folder, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from liecraft.engine.ballots import ABSTAIN, TieRule, count
from liecraft.engine.claims import Claim, Support, Vocabulary
from liecraft.engine.env import DeceptionEnv
from liecraft.engine.moves import Words
from liecraft.engine.seats import Seat, Side, rotated, seat_names
from liecraft.games.murder import claims, exclusion
from liecraft.games.murder.config import MurderConfig
from liecraft.games.murder.features import MurderFeatures
from liecraft.games.murder.manor import CLUE, Manor, Murder
from liecraft.games.murder.memory import INNOCENT, MURDERER, Memory
from liecraft.games.murder.plan import plan
from liecraft.games.murder.world import MurderWorld, check, deal

__all__ = ["MurderEnv", "MurderWorld"]


class MurderEnv(DeceptionEnv[MurderConfig, MurderWorld]):
    """Guests in a manor act in secret, find bodies, talk, and vote; see README.md for the rules."""

    name = "murder_v0"
    version = "0.1"
    summary = "A murderer among the guests of a manor; talk and vote before dawn"
    Config = MurderConfig
    World = MurderWorld
    Features = MurderFeatures
    roles: ClassVar = {MURDERER: Side.DECEIVERS, INNOCENT: Side.TRUTHFUL}
    phases = ("act", "speak", "answer", "vote")
    speaking = frozenset({"speak", "answer"})
    prompts = "liecraft.prompts.murder"
    bots = "liecraft.games.murder.planted:BOTS"
    baseline: ClassVar = {MURDERER: "liar", INNOCENT: "detective"}

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        table, graph = self.moves, self.config.graph()
        self.plan = plan(self.config.manor, self.config.hall)
        self._still = {
            room: table.all("wait", "search", *(f"go:{next_room}" for next_room in graph[room]))
            for room in graph
        }
        self._kill = {seat: table.index(f"kill:{seat}") for seat in self.seats}
        self._ask = {seat: table.index(f"ask:{seat}") for seat in self.seats}
        self._vote = {seat: table.index(f"vote:{seat}") for seat in self.seats}
        self._blank = table.index(f"vote:{ABSTAIN}")
        self._escape = table.index("escape")
        self._talk_moves = table.all("silent", "say")
        self._answer = table.all("answer")

    def move_ids(self) -> Iterable[str]:
        """Acts, utterances, ballots."""
        seats = seat_names(self.config.seats)
        yield from ("wait", "search")
        yield from (f"go:{room}" for room in sorted(self.config.graph()))
        yield from (f"kill:{seat}" for seat in seats)
        yield from ("escape", "silent", "say")
        yield from (f"ask:{seat}" for seat in seats)
        yield "answer"
        yield from (f"vote:{seat}" for seat in seats)
        yield f"vote:{ABSTAIN}"

    def vocabulary(self) -> Vocabulary:
        """Claims over this game's seats, rooms, roles and rounds."""
        config = self.config
        return claims.vocabulary(self.seats, sorted(config.graph()), list(self.roles), config.rounds)

    def max_moves(self) -> int:
        """More than any game under this configuration can take."""
        config = self.config
        talk = config.seats * (2 * config.discussion_rounds + 2)
        return config.rounds * (config.seats + talk)

    def deal(self, rng: np.random.Generator) -> MurderWorld:
        """Draw the murderers, what lies where, what each clue says, and the dark."""
        return deal(self.config, self.seats, rng)

    def open(self) -> None:
        """All stand in the hall; murderers learn of each other; the first round begins."""
        check(self.world, self.config, self.seats)
        self.murderers = [seat for seat in self.seats if self.role[seat] == MURDERER]
        if len(self.murderers) == 2:
            for seat, partner in (self.murderers, self.murderers[::-1]):
                self.tell((seat,), "partner", seat=partner)
        self.manor = Manor(self.seats, self.config.hall, self.world.stash)
        self.memory = Memory(self.role, self.config.hall)
        self.rested = dict.fromkeys(self.murderers, self.config.first_kill)
        self.acts: dict[Seat, tuple[str, str]] = {}
        self.ballots: dict[Seat, str] = {}
        self.candidates: tuple[Seat, ...] = ()
        self.runoff = False
        self.buried: set[Seat] = set()
        self.meetings = 0
        self.met: list[int] = []
        self.talks = 0
        self.right_votes = 0
        self.shaped = {Side.DECEIVERS: 0.0, Side.TRUTHFUL: 0.0}
        self.begin("act", self.living, round_=1)

    # --- moves -----------------------------------------------------------------------------------------

    def legal(self, seat: Seat) -> tuple[int, ...]:
        """What this seat may do in this phase."""
        if self.phase == "act":
            return self._legal_acts(seat)
        if self.phase == "speak":
            return (*self._talk_moves, *(self._ask[other] for other in self.living if other != seat))
        if self.phase == "answer":
            return self._answer
        named = [self._vote[other] for other in self.candidates if self.config.self_vote or other != seat]
        return (*named, self._blank) if self.config.abstention or not named else tuple(named)

    def _legal_acts(self, seat: Seat) -> tuple[int, ...]:
        room = self.manor.at[seat]
        acts = self._still[room]
        if self.role[seat] == MURDERER:
            if self.round >= self.rested[seat]:
                prey = [
                    self._kill[other]
                    for other, where in self.manor.at.items()
                    if where == room and self.role[other] != MURDERER
                ]
                return (*acts, *prey)
        elif self.manor.holder == seat and room == self.config.hall:
            return (*acts, self._escape)
        return acts

    def default(self, seat: Seat) -> str:
        """Wait, keep silent, answer with nothing, abstain; without abstention the first seat that may be named."""
        if self.phase == "vote":
            legal = self.legal(seat)
            return self.moves.ids[self._blank if self._blank in legal else legal[0]]
        return {"act": "wait", "speak": "silent", "answer": "answer"}[self.phase]

    def apply(self, seat: Seat, verb: str, target: str, words: Words) -> None:
        """Acts and ballots are sealed; words are heard at once."""
        if self.phase == "act":
            self.seal(seat, f"{verb}:{target}" if target else verb)
            self.acts[seat] = (verb, target)
        elif self.phase == "vote":
            self.seal(seat, f"vote:{target}")
            self.ballots[seat] = target
        elif verb == "silent":
            self.public("silence", seat)
        else:
            self.say(seat, words, to=target or None)
            if verb == "ask":
                self.interrupt("answer", target)

    def advance(self) -> None:
        """Resolve a round of acts, go on with the discussion, or count the vote."""
        if self.phase == "act":
            self._resolve_acts()
        elif self.phase == "vote":
            self._count()
        elif self.talks < self.config.discussion_rounds:
            self._talk()
        else:
            self._ballot(tuple(self.living))

    # --- a round of acts -------------------------------------------------------------------------------

    def _resolve_acts(self) -> None:
        manor = self.manor
        manor.resolve(self.acts)
        self.memory.positions(manor.at)
        escaped = [seat for seat, (verb, _) in self.acts.items() if verb == "escape" and seat in manor.at]
        self.acts = {}
        for murder in manor.murders:
            self._die(murder)
        for seat, thing in manor.found.items():
            self._find(seat, thing)
        for seat, sight in manor.sights(self._dark()).items():
            self.memory.sight(seat, sight)
            self.tell((seat,), "room", round=self.round, **sight._asdict())
        if escaped:
            self.public("escaped", seat=escaped[0])
            self._end_game(Side.TRUTHFUL, "escape")
        elif not self._parity():
            self._discover()

    def _dark(self) -> dict[Seat, tuple[Seat, ...]]:
        """Whom each innocent can't make out in this round; murderers see in the dark."""
        if self.round > len(self.world.dark):
            return {}
        hidden = zip(self.seats, self.world.dark[self.round - 1], strict=True)
        return {seat: unseen for seat, unseen in hidden if self.role[seat] == INNOCENT}

    def _die(self, murder: Murder) -> None:
        killer, victim, room = murder
        self.rested[killer] = self.round + 1 + self.config.cooldown
        self.dies(victim)
        self.tell((victim,), "killed", killer=killer, round=self.round)
        witnesses = self.manor.witnesses(murder)
        for witness in witnesses:
            self.tell((witness,), "witness", killer=killer, victim=victim, room=room, round=self.round)
        for seat in (killer, *witnesses):
            self.memory.murder(seat, murder, self.round)
        self._shape(killer, self.config.shaping.kill)

    def _find(self, seat: Seat, thing: str) -> None:
        self.memory.find(seat, thing, self.round)
        item, _, named = thing.partition(":")
        place = {"round": self.round, "room": self.manor.at[seat]}
        if item == CLUE:
            self.tell((seat,), "found", item=item, seat=named, **place)
            if self.role[seat] == INNOCENT:
                self._shape(seat, self.config.shaping.clue)
        else:
            self.tell((seat,), "found", item=item, **place)

    def _discover(self) -> None:
        """A body is found by any innocent in its room, and a murder by any innocent who saw it."""
        manor = self.manor
        killed = {murder.victim: (murder.killer, *manor.witnesses(murder)) for murder in manor.murders}
        found = False
        for victim, room in manor.bodies.items():
            inside = {seat for seat, where in manor.at.items() if where == room}
            scene = [seat for seat in self.living if seat in inside or seat in killed.get(victim, ())]
            if any(self.role[seat] == INNOCENT for seat in scene):
                self.public("body", victim=victim, room=room, finders=tuple(scene))
                found = True
        if not found and self.config.dawn_meeting and self.round == self.config.rounds:
            self.public("dawn", round=self.round)
            found = True
        if found:
            self._meet()
        else:
            self._next_round()

    def _next_round(self) -> None:
        if self.round >= self.config.rounds:
            self._end_game(self.config.dawn, "dawn")
        else:
            self.begin("act", self.living, round_=self.round + 1)

    # --- a meeting -------------------------------------------------------------------------------------

    def _meet(self) -> None:
        missing = [seat for seat in self.seats if seat not in self.living and seat not in self.buried]
        self._bury(missing)
        self.manor.gather(self.living)
        self.meetings += 1
        self.met.append(self.round)
        self.talks = 0
        if self.config.discussion_rounds:
            self._talk()
        else:
            self._ballot(tuple(self.living))

    def _talk(self) -> None:
        self.talks += 1
        self.begin("speak", rotated(self.living, self.meetings + self.talks - 2))

    def _ballot(self, candidates: tuple[Seat, ...], runoff: bool = False) -> None:
        self.candidates = candidates
        self.runoff = runoff
        self.ballots = {}
        self.begin("vote", self.living)

    def _count(self) -> None:
        top, _ = count(self.ballots, self.config.majority)
        self.public("ballots", votes=tuple(self.ballots.items()), candidates=self.candidates)
        self.right_votes += sum(
            self.role[voter] == INNOCENT and target in self.murderers
            for voter, target in self.ballots.items()
        )
        if len(top) > 1 and self.config.tie is TieRule.RUNOFF and not self.runoff:
            self.public("tie", seats=top)
            self._ballot(top, runoff=True)
            return
        for seat in self._chosen(top):
            self._banish(seat)
        self.manor.gather(self.living)
        if not any(seat in self.living for seat in self.murderers):
            self._end_game(Side.TRUTHFUL, "justice")
        elif not self._parity():
            self._next_round()

    def _chosen(self, top: tuple[Seat, ...]) -> tuple[Seat, ...]:
        if len(top) <= 1 or self.config.tie is TieRule.ALL:
            return top
        if self.config.tie is TieRule.RANDOM:
            return (top[int(self.chance.rng("tie", self.round).integers(len(top)))],)
        return ()

    def _banish(self, seat: Seat) -> None:
        self.dies(seat)
        self.manor.remove(seat)
        self.public("banished", seat=seat, role=self.role[seat] if self.config.reveal else None)
        # The only murderer's banishment would end the game; so if play goes on, all know that it was another.
        self._bury([seat], known=self.config.reveal or self.config.murderers == 1)

    def _bury(self, seats: Sequence[Seat], known: bool = True) -> None:
        """Make deaths public; a victim of murder is known to have been innocent."""
        self.buried.update(seats)
        self.announce_dead(seats)
        if known:
            self.memory.publish(seats)

    # --- the end ---------------------------------------------------------------------------------------

    def _parity(self) -> bool:
        guilty = sum(seat in self.murderers for seat in self.living)
        if 2 * guilty < len(self.living):
            return False
        self._end_game(Side.DECEIVERS, "parity")
        return True

    def _shape(self, seat: Seat, amount: float) -> None:
        """Pay for what the seat itself knows; the other side is charged when the game ends."""
        if amount:
            self.pay(seat, amount)
            self.shaped[self.side(seat)] += amount

    def _end_game(self, winner: Side, reason: str) -> None:
        votes = self.right_votes * self.config.shaping.right_vote
        self._share(Side.TRUTHFUL, votes - self.shaped[Side.DECEIVERS])
        self._share(Side.DECEIVERS, -votes - self.shaped[Side.TRUTHFUL])
        self.finish(winner, reason)

    def _share(self, side: Side, amount: float) -> None:
        members = [seat for seat in self.seats if self.side(seat) is side]
        for seat in members if amount else ():
            self.pay(seat, amount / len(members))

    # --- claims ----------------------------------------------------------------------------------------

    def truth(self, claim: Claim, speaker: Seat) -> bool | None:
        """Whether a claim is true."""
        return self.memory.truth(claim, speaker)

    def support(self, claim: Claim, speaker: Seat) -> Support:
        """What the speaker's view says of it."""
        return self.memory.support(claim, speaker)

    def excludes(self, claim: Claim, other: Claim, speaker: Seat) -> bool:
        """Whether no world satisfies both claims."""
        return exclusion.excludes(claim, other, self.plan, self.config.murderers, self.met)
