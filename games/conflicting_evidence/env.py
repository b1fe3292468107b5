"""The game of conflicting evidence: rules in README.md of this folder, sentence by sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from liecraft.engine.ballots import ABSTAIN, Majority
from liecraft.engine.claims import Claim, Support, Vocabulary
from liecraft.engine.env import DeceptionEnv
from liecraft.engine.errors import ConfigError
from liecraft.engine.moves import Words
from liecraft.engine.seats import Seat, Side, rotated
from liecraft.engine.world import World
from liecraft.games.conflicting_evidence import claims
from liecraft.games.conflicting_evidence.case import LETTERS, Case, Content, Item, as_data, fault
from liecraft.games.conflicting_evidence.config import EvidenceConfig, Polls, Tie
from liecraft.games.conflicting_evidence.deal import cases_of, hands_of, numbered, shown
from liecraft.games.conflicting_evidence.features import (
    EvidenceFeatures,
    criterion_count,
    hand_size,
    option_count,
)
from liecraft.games.conflicting_evidence.files import pick
from liecraft.games.conflicting_evidence.generator import Shape, generate
from liecraft.games.conflicting_evidence.record import Record

MEMBER, MOLE = "member", "mole"
CONFIDENCE = {"low": 0.4, "medium": 0.7, "high": 0.95}
"""Level of confidence to the probability of being right that it stands for."""


@dataclass(frozen=True, slots=True)
class EvidenceWorld(World):
    """Roles, the whole case as dealt (answer and traps included), and who holds what.

    Attributes:
        case: Nothing else of the file or the generator is needed to play.
        hands: For each seat, in seat order, the ids of its items in the case's order.
    """

    case: Case
    hands: tuple[tuple[str, ...], ...]

    def as_data(self) -> dict[str, Any]:
        """Plain read-only data of all fields, for the ledger."""
        return {"roles": self.roles, "case": as_data(self.case), "hands": self.hands}


class Choice(NamedTuple):
    """A seat's final choice; `option` is a letter or `none`, `level` a key of `CONFIDENCE` or empty."""

    option: str
    level: str
    words: Words

    def cited(self) -> tuple[str, ...]:
        """Items that the reasons name with `cites`, each once."""
        named = (str(claim.args[0]) for claim in self.words.claims if claim.predicate == "cites")
        return tuple(dict.fromkeys(named))


class ConflictingEvidenceEnv(DeceptionEnv[EvidenceConfig, EvidenceWorld]):
    """A team holds scattered, partly unsound evidence, talks, and chooses; see README.md for the rules."""

    name = "conflicting_evidence_v0"
    version = "0.1"
    summary = "A team must choose by evidence that is spread over the seats, and not all of it sound"
    Config = EvidenceConfig
    World = EvidenceWorld
    Features = EvidenceFeatures
    roles: ClassVar = {MEMBER: Side.TRUTHFUL, MOLE: Side.DECEIVERS}
    phases = ("lean", "talk", "choose")
    speaking = frozenset({"talk", "choose"})
    prompts = "liecraft.prompts.conflicting_evidence"
    bots = "liecraft.games.conflicting_evidence.bots:BOTS"
    untold = frozenset({"case", "cases"})  # whoever knows which case it is can look the answer up
    spectator = frozenset({"verdicts"})
    baseline: ClassVar = {MEMBER: "bayes", MOLE: "mole"}

    def __init__(self, **config: Any) -> None:
        super().__init__(**config)
        table = self.moves
        self._words = table.all("pass", "say")
        self._share = tuple(table.index(f"share:{i}") for i in range(hand_size(self.config)))
        self._twist = tuple(table.index(f"twist:{i}") for i in range(hand_size(self.config)))
        if self.config.cases is not None and Path(self.config.cases).exists():
            _ = self._candidates  # refuse a bad file now; a missing one only when there is no world to replay

    def move_ids(self) -> Iterable[str]:
        """Leanings, utterances, choices."""
        letters, slots = LETTERS[: option_count(self.config)], range(hand_size(self.config))
        yield from (f"lean:{letter}" for letter in letters)
        yield f"lean:{ABSTAIN}"
        yield from ("pass", "say")
        yield from (f"share:{i}" for i in slots)
        yield from (f"twist:{i}" for i in slots)
        yield from (f"choose:{letter}:{level}" for letter in letters for level in CONFIDENCE)
        yield f"choose:{ABSTAIN}"

    def vocabulary(self) -> Vocabulary:
        """Before the first game: opinions of seats. `open` puts the case's own vocabulary in its place."""
        return claims.vocabulary(self.seats, None)

    def max_moves(self) -> int:
        """More than any game under this configuration can take."""
        return self.config.seats * (2 * self.config.discussion_rounds + 3)

    # --- the deal --------------------------------------------------------------------------------------

    @cached_property
    def _candidates(self) -> tuple[Case, ...]:
        """The cases of the file that may be played.

        Raises:
            ConfigError: The file is missing or malformed, has no such case, or lacks the traps asked for.
        """
        path = str(self.config.cases)
        found = cases_of(path)
        if self.config.case is not None:
            found = (pick(found, self.config.case, path),)
        bare = [case.id for case in found if all(item.trap is None for item in case.items)]
        if self.config.trapped and bare:
            raise ConfigError(
                f"condition {self.config.condition!r}: case {bare[0]!r} of {path!r} has no trapped items; "
                "choose a condition without +traps or another case"
            )
        return found

    def deal(self, rng: np.random.Generator) -> EvidenceWorld:
        """Draw the case, who holds what, and the mole, in this order, so that conditions share their luck."""
        config, n = self.config, len(self.seats)
        case = self._case(int(rng.integers(2**31)))
        hands = hands_of(rng, case, n)
        mole = int(rng.integers(n)) if config.mole else None
        if not config.trapped:
            case = case.without_traps()
        if config.hands == "full_information":
            hands = [{item.id for item in case.items}] * n
        return EvidenceWorld(
            tuple(MOLE if i == mole else MEMBER for i in range(n)),
            case,
            tuple(tuple(item.id for item in case.items if item.id in held) for held in hands),
        )

    def _case(self, number: int) -> Case:
        config = self.config
        if config.cases is not None:
            return self._candidates[number % len(self._candidates)]
        shape = Shape(
            config.options, config.criteria, config.echoes, config.traps, config.toxicity, config.trap_kinds
        )
        if config.case is None:
            return generate(number, shape)
        return numbered(int(config.case), shape)

    def open(self) -> None:
        """Tell everyone the question, each seat its items, the mole its task; ask for leanings or begin to talk."""
        case, config = self._checked_case(), self.config
        self.case = case
        self.words = claims.vocabulary(self.seats, case)
        items = {item.id: item for item in case.items}
        self.hands = {
            seat: [items[held] for held in hand]
            for seat, hand in zip(self.seats, self.world.hands, strict=True)
        }
        self.record = Record(case, dict(zip(self.seats, self.world.hands, strict=True)))
        self._leanings = self.moves.each("lean", (*case.letters, ABSTAIN))
        named = [f"choose:{letter}:{level}" for letter in case.letters for level in CONFIDENCE]
        self._choices = self.moves.all(*named, *([f"choose:{ABSTAIN}"] if config.abstention else []))
        self.talks = 0
        self.spoken = True
        self.choices: dict[Seat, Choice] = {}
        self._tell_case()
        if config.hands == "solo":
            self._decide()
        elif config.polls is Polls.NONE:
            self._go_on()
        else:
            self.begin("lean", self.seats)

    def _checked_case(self) -> Case:
        """The world's case, if this table can play it.

        Raises:
            ConfigError: Too large for the configuration, or hands and seats don't fit.
        """
        world, case = self.world, self.world.case
        for what, got, most in (
            ("options", len(case.options), option_count(self.config)),
            ("items", max(map(len, world.hands), default=0), hand_size(self.config)),
            ("requirements", len(case.criteria), criterion_count(self.config)),
        ):
            if got > most:
                raise ConfigError(f"world: case {case.id!r} has {got} {what}, this configuration has {most}")
        if not len(world.hands) == len(world.roles) == len(self.seats):
            raise ConfigError(f"world: hands and roles must be given for {len(self.seats)} seats")
        missing = {held for hand in world.hands for held in hand} - {item.id for item in case.items}
        if missing:
            raise ConfigError(f"world: a hand holds {min(missing)!r}, which is no item of case {case.id!r}")
        if case.answer not in tuple(case.letters):
            raise ConfigError(f"world: answer {case.answer!r} of case {case.id!r} is none of its options")
        wrong = fault(case)
        if wrong is not None:
            raise ConfigError(f"world: case {case.id!r}: {': '.join(wrong)}")
        return case

    def _tell_case(self) -> None:
        case = self.case
        self.public(
            "case",
            domain=case.domain,
            question=case.question,
            options=tuple(zip(case.letters, case.options, strict=True)),
            criteria=as_data(case.criteria),
            today=case.today,
            items=tuple(item.id for item in case.items),
        )
        for seat, hand in self.hands.items():
            for slot, item in enumerate(hand):
                self.tell((seat,), "evidence", seat, slot=slot, **shown(item, case))
            if self.role[seat] == MOLE and self.config.mole_knows:
                self.tell((seat,), "briefing", seat, answer=case.answer, decoy=case.decoy)

    # --- moves -----------------------------------------------------------------------------------------

    def legal(self, seat: Seat) -> tuple[int, ...]:
        """Any option; any word, and any item of the own hand, as it is or twisted."""
        if self.phase == "talk":
            hand = self.hands[seat]
            twists = (move for move, item in zip(self._twist, hand, strict=False) if item.content)
            return (*self._words, *self._share[: len(hand)], *twists)
        return self._leanings if self.phase == "lean" else self._choices

    def default(self, seat: Seat) -> str:
        """Lean to nothing, pass, abstain; without abstention the first option with low confidence."""
        if self.phase == "choose":
            return f"choose:{ABSTAIN}" if self.config.abstention else "choose:a:low"
        return {"lean": f"lean:{ABSTAIN}", "talk": "pass"}[self.phase]

    def apply(self, seat: Seat, verb: str, target: str, words: Words) -> None:
        """Leanings and choices are sealed; words are heard at once."""
        if verb == "lean":
            self.seal(seat, f"lean:{target}")
        elif verb == "choose":
            self.seal(seat, f"choose:{target}")
            option, _, level = target.partition(":")
            self.choices[seat] = Choice(option, level, words)
        elif verb == "pass":
            self.public("silence", seat)
        else:
            if verb != "say":
                words = self._report(self.hands[seat][int(target)], verb == "twist", words)
            self._utter(seat, words)
            self.spoken = True

    def _report(self, item: Item, twisted: bool, words: Words) -> Words:
        """What `share` and `twist` say of an item, before the seat's own claims."""
        told, content = [Claim("cites", (item.id,))], item.content
        if content is not None:
            if twisted:
                content = Content(content.option, content.criterion, claims.opposite(content.verdict))
            told = [claims.says(item.id, content), Claim("stressed", (item.id, item.emphasis))]
        if item.source is not None:
            told += claims.sourced(item.id, item.source)
        text = " ".join(part for part in ("" if content else item.text, words.text) if part)
        return Words(text[: self.config.max_text], (*told, *words.claims)[: self.config.max_claims])

    def _utter(self, seat: Seat, words: Words) -> None:
        self.say(seat, words)
        self.record.hear(seat, words.claims)

    def advance(self) -> None:
        """After leanings or a round of talk, the next; then the choice; then its count."""
        if self.phase == "choose":
            self._count()
        elif self.phase == "talk" and self._asks_again():
            self.begin("lean", self.seats)
        else:
            self._go_on()

    def _asks_again(self) -> bool:
        return self.config.polls is Polls.EACH and not self._talked_out()

    def _talked_out(self) -> bool:
        silent = self.config.end_when_silent and not self.spoken
        return silent or self.talks >= self.config.discussion_rounds

    def _go_on(self) -> None:
        """The next round of talk, or the choice."""
        if self._talked_out():
            self._decide()
            return
        self.talks += 1
        self.spoken = False
        self.begin("talk", rotated(self.seats, self.talks - 1), round_=self.talks)

    def _decide(self) -> None:
        self.begin("choose", self.seats)

    # --- the end ---------------------------------------------------------------------------------------

    def _count(self) -> None:
        chosen = {seat: (c.option, c.level, c.cited()) for seat, c in self.choices.items()}
        self.public("choices", choices=tuple((seat, *choice) for seat, choice in chosen.items()))
        for seat, choice in self.choices.items():
            if choice.words != Words():
                self._utter(seat, choice.words)
        team = self._team_choice()
        right = team == self.case.answer
        self.public("result", choice=team, answer=self.case.answer, right=right)
        if right:
            self.finish(Side.TRUTHFUL, "right")
        elif self.config.mole:
            self.finish(Side.DECEIVERS, "wrong" if team else "undecided")
        else:
            for seat in self.seats:
                self.pay(seat, -1 / len(self.seats))
            self.finish(Side.NONE, "wrong" if team else "undecided")

    def _team_choice(self) -> str | None:
        """The option that most seats chose; None if there is none under the rules of majority and tie."""
        tally = Counter(c.option for c in self.choices.values() if c.option != ABSTAIN)
        most = max(tally.values(), default=0)
        if not most or (self.config.majority is Majority.ABSOLUTE and 2 * most <= len(self.seats)):
            return None
        top = sorted(option for option, votes in tally.items() if votes == most)
        if len(top) == 1:
            return top[0]
        if self.config.tie is Tie.RANDOM:
            return top[int(self.chance.rng("tie").integers(len(top)))]
        return self._most_confident(top) if self.config.tie is Tie.CONFIDENCE else None

    def _most_confident(self, top: Sequence[str]) -> str | None:
        """The one with the highest sum of confidence; None if two share it."""
        sums = Counter({option: 0 for option in top})
        for option, level, _ in self.choices.values():
            if option in sums:
                sums[option] += round(100 * CONFIDENCE[level])  # whole numbers, so that equal is equal
        (first, most), (_, second) = sums.most_common(2)
        return first if most > second else None

    # --- claims ----------------------------------------------------------------------------------------

    def truth(self, claim: Claim, speaker: Seat) -> bool | None:
        """Whether a claim is true."""
        return self.record.truth(claim, speaker)

    def support(self, claim: Claim, speaker: Seat) -> Support:
        """What the speaker's view says of it."""
        return self.record.support(claim, speaker)

    def excludes(self, claim: Claim, other: Claim, speaker: Seat) -> bool:
        """Whether no world satisfies both claims."""
        return claims.excludes(claim, other)
