"""The info-passing game: rules in README.md of this folder, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from liecraft.engine.ballots import ABSTAIN
from liecraft.engine.claims import Claim, Support, Vocabulary
from liecraft.engine.env import DeceptionEnv
from liecraft.engine.ledger import ENGINE
from liecraft.engine.moves import Words
from liecraft.engine.seats import Seat, Side, seat_names
from liecraft.games.info_passing import claims, compose, graph, scoring, world
from liecraft.games.info_passing.channel import Blow, Channel
from liecraft.games.info_passing.claims import Message
from liecraft.games.info_passing.config import InfoPassingConfig
from liecraft.games.info_passing.features import InfoPassingFeatures
from liecraft.games.info_passing.record import Record
from liecraft.games.info_passing.world import HONEST, SABOTEUR, InfoPassingWorld


class InfoPassingEnv(DeceptionEnv[InfoPassingConfig, InfoPassingWorld]):
    """A bulletin is relayed, reported and audited, and saboteurs are named; see README.md for the rules."""

    name = "info_passing_v0"
    version = "0.1"
    summary = "A bulletin travels from seat to seat; saboteurs want it to arrive wrong and go unnamed"
    Config = InfoPassingConfig
    World = InfoPassingWorld
    Features = InfoPassingFeatures
    roles: ClassVar = {SABOTEUR: Side.DECEIVERS, HONEST: Side.TRUTHFUL}
    phases = ("relay", "report", "ask", "answer", "name")
    speaking = frozenset({"relay", "report", "ask", "answer"})
    prompts = "liecraft.prompts.info_passing"
    bots = "liecraft.games.info_passing.bots:BOTS"
    spectator = frozenset({"bulletin", "hop", "verdicts"})
    baseline: ClassVar = {SABOTEUR: "saboteur", HONEST: "bayes"}

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        table, slots = self.moves, self.config.slots
        self._channel = Channel(slots)
        self._send = table.all(
            *("send", "relay:faithful", "relay:blank", "relay:alter"),
            *(f"{verb}:{slot}" for verb in ("alter", "withhold") for slot in slots),
        )
        self._report = table.all("report", "report:faithful", "report:blank")
        self._answer = table.all("answer", "answer:truth", "answer:cover")
        self._pass = {seat: table.index(f"pass:{seat}") for seat in self.seats}
        self._ask = {seat: table.index(f"ask:{seat}") for seat in self.seats}
        self._name = {seat: table.index(f"name:{seat}") for seat in self.seats}
        self._no_question = table.index(f"ask:{ABSTAIN}")
        self._no_name = table.index(f"name:{ABSTAIN}")

    def move_ids(self) -> Iterable[str]:
        """Messages, reports, questions, answers, ballots."""
        seats, slots = seat_names(self.config.seats), self.config.slots
        yield from ("send", "relay:faithful", "relay:blank", "relay:alter")
        yield from (f"{verb}:{slot}" for verb in ("alter", "withhold") for slot in slots)
        yield from (f"pass:{seat}" for seat in seats)
        yield from ("report", "report:faithful", "report:blank")
        yield from (f"ask:{seat}" for seat in (*seats, ABSTAIN))
        yield from ("answer", "answer:truth", "answer:cover")
        yield from (f"name:{seat}" for seat in (*seats, ABSTAIN))

    def vocabulary(self) -> Vocabulary:
        """Claims over this game's seats, slots, values and roles."""
        return claims.vocabulary(self.seats, self.config.slots, list(self.roles))

    def max_moves(self) -> int:
        """More than any game under this configuration can take."""
        config = self.config
        return config.seats * (config.waves + 1 + 2 * config.question_rounds + config.suspects) + 1

    def deal(self, rng: np.random.Generator) -> InfoPassingWorld:
        """Draw links, roles, bulletin, targets, audit and noise."""
        return world.deal(self.config, self.seats, rng)

    def open(self) -> None:
        """Show the graph to all, the bulletin to those who may have it, their task to saboteurs; begin."""
        dealt = self.world
        world.check(dealt, self.config, self.seats)
        self._draw_graph()
        saboteurs = [seat for seat in self.seats if self.role[seat] == SABOTEUR]
        informed = saboteurs if self.config.informed else []
        knowers = [seat for seat in self.seats if seat in self.sources or seat in informed]
        self.record = Record(
            dealt.bulletin, self.role, knowers, self.sources, self.sinks, self.config.partners
        )
        self.public("graph", edges=dealt.edges, sources=self.sources, sinks=self.sinks)
        self.tell(knowers, "bulletin", slots=tuple(dealt.bulletin.items()))
        for seat in saboteurs:
            others = tuple(s for s in saboteurs if s != seat) if self.config.partners else ()
            self.tell((seat,), "mission", targets=dealt.targets, partners=others)
        self._blows: dict[tuple[int, str, str], dict[str, Blow]] = {}
        for wave, speaker, listener, slot, shift, marked in dealt.noise:
            self._blows.setdefault((wave, speaker, listener), {})[slot] = Blow(shift, marked)
        self.reports: dict[Seat, Message] = {}
        self.ballots: list[tuple[Seat, str]] = []
        self.questions = 0
        self.begin("relay", self._senders, round_=1)

    def _draw_graph(self) -> None:
        edges = self.world.edges
        first, last = graph.ends_of(self.config, [(self._index[a], self._index[b]) for a, b in edges])
        self.sources = tuple(self.seats[i] for i in first)
        self.sinks = tuple(self.seats[i] for i in last)
        self.speakers: dict[Seat, list[Seat]] = {seat: [] for seat in self.seats}
        self.listeners: dict[Seat, list[Seat]] = {seat: [] for seat in self.seats}
        for speaker, listener in edges:
            self.listeners[speaker].append(listener)
            self.speakers[listener].append(speaker)
        self._senders = [seat for seat in self.seats if self.listeners[seat]]
        self._neighbours = {
            seat: [s for s in self.seats if s in self.speakers[seat] or s in self.listeners[seat]]
            for seat in self.seats
        }

    # --- moves -----------------------------------------------------------------------------------------

    def legal(self, seat: Seat) -> tuple[int, ...]:
        """What this seat may do in this phase; it follows from the graph and its own ballots alone."""
        if self.phase == "relay":
            return (*self._send, *(self._pass[other] for other in self.speakers[seat]))
        if self.phase == "report":
            return (*(self._pass[other] for other in self.speakers[seat]), *self._report)
        if self.phase == "ask":
            return (*(self._ask[other] for other in self._neighbours[seat]), self._no_question)
        if self.phase == "answer":
            return self._answer
        named = {target for voter, target in self.ballots if voter == seat}
        free = [
            self._name[other]
            for other in self.seats
            if other not in named and (self.config.self_vote or other != seat)
        ]
        return (*free, self._no_name) if self.config.abstention or not free else tuple(free)

    def default(self, seat: Seat) -> str:
        """Send, report or answer nothing, ask nobody, name nobody; or else the first seat that may be named."""
        if self.phase == "name":
            legal = self.legal(seat)
            return self.moves.ids[self._no_name if self._no_name in legal else legal[0]]
        return {"relay": "send", "report": "report", "ask": "ask:none", "answer": "answer"}[self.phase]

    def apply(self, seat: Seat, verb: str, target: str, words: Words) -> None:
        """Messages reach their listeners at once; reports, questions and answers all; ballots nobody."""
        words = Words(words.text, claims.heard_properly(words.claims, self.config.slots))
        if self.phase == "relay":
            self._relay(seat, self._worded(seat, verb, target, words))
        elif self.phase == "report":
            self._make_report(seat, self._worded(seat, verb, target, words))
        elif self.phase == "name":
            self.seal(seat, f"name:{target}")
            self.ballots.append((seat, target))
        elif target == ABSTAIN:
            self.public("silence", seat)
        elif self.phase == "ask":
            self._speak(seat, words, to=target)
            self.interrupt("answer", target)
        else:
            self._speak(seat, self._answered(seat, target, words))

    def _worded(self, seat: Seat, verb: str, target: str, words: Words) -> Words:
        """The words themselves for `send` and `report`; for a move that says something, its claims instead."""
        if verb in ("send", "report") and not target:
            return words
        return Words(
            words.text, claims.as_claims(self._composed(seat, verb, target))[: self.config.max_claims]
        )

    def _composed(self, seat: Seat, verb: str, target: str) -> Message:
        slots = self.config.slots
        if verb == "pass":
            return self.record.told(seat, target)
        if target == "blank":
            return dict.fromkeys(slots)
        if verb == "withhold":
            return {**self.record.held(seat), target: None}
        if verb == "alter" or target == "alter":
            rng = self.chance.rng("alter", self.round, seat)
            return compose.altered(
                seat, self.record, slots, list(slots) if verb == "relay" else [target], rng
            )
        return self.record.held(seat)

    def _relay(self, seat: Seat, words: Words) -> None:
        held, message = self.record.held(seat), claims.stated(words.claims)
        self.say(seat, words, among=(seat,))
        self.record.send(seat, message)
        for listener in self.listeners[seat]:
            blows = self._blows.get((self.round, seat, listener), {})
            heard, noise, marked = self._channel.carry(words, blows)
            said = tuple(tuple(claim.as_json()) for claim in heard.claims)
            arrived = claims.statements(said)
            facts = {"to": listener, "wave": self.round}
            self.tell((listener,), "heard", seat, text=heard.text, claims=said, marked=marked, **facts)
            self.record.arrive(listener, seat, arrived, marked)
            rows = tuple(
                (
                    slot,
                    truth,
                    held[slot],
                    message.get(slot),
                    arrived.get(slot),
                    noise.get(slot),
                    slot in marked,
                )
                for slot, truth in self.world.bulletin.items()
            )
            self.ledger.record("hop", seat, {"slots": rows, **facts}, ENGINE)

    def _make_report(self, seat: Seat, words: Words) -> None:
        message = claims.stated(words.claims)
        self._speak(seat, words)
        self.reports[seat] = message
        self.public("report", seat, slots=tuple((slot, message.get(slot)) for slot in self.config.slots))

    def _answered(self, seat: Seat, target: str, words: Words) -> Words:
        if not target:
            return words
        tell = compose.testimony if target == "truth" else compose.cover
        told = tell(seat, self.speakers[seat], self.record, self.config.slots, self.world.audit)
        return Words(words.text, told[: self.config.max_claims])

    def _speak(self, seat: Seat, words: Words, to: Seat | None = None) -> None:
        self.say(seat, words, to=to)
        self.record.state(seat, claims.stated(words.claims))

    # --- from phase to phase ---------------------------------------------------------------------------

    def advance(self) -> None:
        """The next wave, the report, the audit and its questions, the ballots, the end."""
        if self.phase == "relay" and self.round < self.config.waves:
            self.begin("relay", self._senders, round_=self.round + 1)
        elif self.phase == "relay":
            self.begin("report", self.sinks)
        elif self.phase == "name":
            self._count()
        else:
            if self.phase == "report":
                self._disclose()
            self._question_or_vote()

    def _disclose(self) -> None:
        audit = self.world.audit
        self.record.disclose(audit)
        self.public("audit", slots=tuple((slot, self.world.bulletin[slot]) for slot in audit))

    def _question_or_vote(self) -> None:
        if self.questions < self.config.question_rounds:
            self.questions += 1
            self.begin("ask", reversed(self.seats))
        else:
            self.begin("name", [seat for seat in self.seats for _ in range(self.config.suspects)])

    def _count(self) -> None:
        config = self.config
        self.public("ballots", votes=tuple(self.ballots))
        named = scoring.named(self.ballots, config, self.chance.rng("tie"))
        self.public("named", seats=named)
        damage = scoring.damage(self.reports.values(), self.world.bulletin, self.world.targets, config)
        score = scoring.score(damage, named, self.role, config)
        self.public(
            "result",
            bulletin=tuple(self.world.bulletin.items()),
            targets=self.world.targets,
            damage=damage,
            score=score,
        )
        self._pay_out(score)

    def _pay_out(self, score: float | None) -> None:
        """`finish` pays +1 and -1 to the sides; graded rewards correct that to 2 * score - 1 and its opposite."""
        winner = scoring.winner(score, self.config.win_at)
        if score is not None and self.config.rewards == "graded":
            paid = {Side.DECEIVERS: 1, Side.TRUTHFUL: -1, Side.NONE: 0}[winner]
            for side, sign in ((Side.DECEIVERS, 1), (Side.TRUTHFUL, -1)):
                members = [seat for seat in self.seats if self.side(seat) is side]
                for seat in members:
                    self.pay(seat, sign * (2 * score - 1 - paid) / len(members))
        self.finish(winner, "count")

    # --- claims ----------------------------------------------------------------------------------------

    def truth(self, claim: Claim, speaker: Seat) -> bool | None:
        """Whether a claim is true."""
        return self.record.truth(claim, speaker)

    def support(self, claim: Claim, speaker: Seat) -> Support:
        """What the speaker's view says of it."""
        return self.record.support(claim, speaker)

    def excludes(self, claim: Claim, other: Claim, speaker: Seat) -> bool:
        """Whether no world satisfies both claims."""
        return claims.excludes(claim, other, self.config.waves, self.config.saboteurs)
