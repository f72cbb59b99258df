"""The rules of Domain."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

import msgspec

from core.refusals import Refusal
from games.engine.capabilities import (
    Brought,
    BuiltIns,
    Dispute,
    Disputes,
    Level,
    Penalties,
    Ruling,
    Solves,
    Supplied,
    Supplies,
    Supply,
    SupplyReport,
    Teaches,
    Thinks,
)
from games.engine.chance import Below, RandomSource, chosen_by
from games.engine.clocks import ClockPolicy, to_ms
from games.engine.decisions import Audience, Chance, Decision, Draw, Event, Outcome, Seat
from games.engine.errors import EngineFault
from games.engine.lessons import Card, LessonStep
from games.engine.naming import UNNAMED, Names, named
from games.engine.reasons import POINTS, TIE_BREAK, TIMEOUT, Reason
from games.engine.ruleset import (
    Chosen,
    Options,
    Ruleset,
    Seconds,
    Setup,
    Variant,
)
from games.rulesets.domain import (
    board,
    estimate,
    events,
    guessing,
    lesson,
    saving,
    solving,
    supply,
    thinking,
    validation,
)
from games.rulesets.domain import view as views
from games.rulesets.domain.board import Laid
from games.rulesets.domain.course import MISSED_PICKS, applied, ruled, scores
from games.rulesets.domain.moves import (
    ACCEPT,
    CHALLENGE,
    COLOURS,
    OUT_OF_TIME,
    READY,
    DecisionTimeout,
    DiscardShape,
    First,
    Move,
    PlaceShape,
    TakeShape,
)
from games.rulesets.domain.notation import parse_move, print_move
from games.rulesets.domain.picture import picture
from games.rulesets.domain.pool import PoolDocument, built_in, prepared
from games.rulesets.domain.state import (
    DomainState,
    DomainTerms,
    draw_member,
    members,
)

POOL = Draw("pool")
DRAWN_AMONG: Final = ("classic@1",)
"""What a pool is drawn among by the method of `games.engine.draws.METHOD`, for ever: what was drawn
must come out the same. A pool that is built in later is drawn by another method, if at all."""
_CHANCE = re.compile(r"\s*pool\s+(\S(?:.*\S)?)\s*", re.IGNORECASE)


Refereeing: TypeAlias = Annotated[
    Literal["challenge", "strict"],
    msgspec.Meta(
        title="Refereeing",
        description="Whether invalid placements are refused at once, or stand until the opponent "
        "challenges them.",
        extra={"choices": {"challenge": "By challenge", "strict": "Strict"}},
    ),
]
Review: TypeAlias = Annotated[
    Literal["engine", "organiser"],
    msgspec.Meta(
        title="Who rules on a challenge",
        description="The program rules at once. Until an organiser has ruled, the match stands "
        "still.",
        extra={"choices": {"engine": "The program", "organiser": "An organiser"}},
    ),
]

# How often a random player challenges, and how often it discards, of 1.
_CHALLENGES, _DISCARDS = 1 / 40, 1 / 24
_TRIES = 40  # at a valid placement, before a random player under strict refereeing discards


class DomainOptions(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Times in seconds. House rulings: `choice_time` is also for the last challenge of the match;
    without a `pool`, a built-in one is drawn."""

    turn_time: Seconds = 180.0
    reserve: Seconds = 600.0
    inspection_time: Seconds = 600.0
    pick_time: Seconds = 120.0
    challenge_cost: Seconds = 60.0
    early_ready: Annotated[
        bool,
        msgspec.Meta(
            title="Ready before the time",
            description="Whether a player may end the inspection early by saying that they are "
            "ready.",
        ),
    ] = True
    refereeing: Refereeing = "challenge"
    review: Review = "engine"
    pool: PoolDocument | None = None


class Domain(
    Ruleset[DomainState, Move], Disputes, Penalties, Supplies, BuiltIns, Solves, Thinks, Teaches
):
    """Draft shapes, lay them over either domain, and have more pixels of your colour."""

    id: ClassVar[str] = "domain"
    name: ClassVar[str] = "Domain"
    summary: ClassVar[str] = (
        "Draft shapes, lay them over your opponent's domain and your own, "
        "and own more pixels in the end."
    )
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant("standard", "Standard", "Two domains and one pool of shapes."),
    )
    options_type: ClassVar[type[Options]] = DomainOptions
    reasons: ClassVar[tuple[Reason, ...]] = (POINTS, TIE_BREAK, TIMEOUT, MISSED_PICKS)
    supplies: ClassVar[tuple[Supply, ...]] = (supply.POOL,)
    valid: ClassVar[Ruling] = Ruling(
        title="Rule valid",
        means="What was challenged stands, and the challenge was wrong.",
        log="The organiser ruled the placement valid.",
    )
    invalid: ClassVar[Ruling] = Ruling(
        title="Rule invalid",
        means="What was challenged does not stand.",
        log="The organiser ruled the placement invalid.",
    )

    # -- the course of a match -----------------------------------------------------------------

    def initial(self, setup: Setup) -> DomainState:
        self.variant(setup.variant)
        options = setup.options
        if not isinstance(options, DomainOptions):
            raise EngineFault("these are the options of another ruleset")
        return DomainState(
            DomainTerms(
                advantage=setup.advantage,
                early_ready=options.early_ready,
                strict=options.refereeing == "strict",
                by_organiser=options.review == "organiser",
                challenge_cost_ms=to_ms(options.challenge_cost),
                offered=None if options.pool is None else prepared(options.pool),
            )
        )

    def decisions(self, state: DomainState) -> tuple[Decision, ...]:
        return () if state.review else self._questions(state)

    def suspended(self, state: DomainState) -> tuple[Decision, ...]:
        """While the organiser reviews a challenge, the challenger's clock stands still."""
        return self._questions(state) if state.review else ()

    def _questions(self, state: DomainState) -> tuple[Decision, ...]:
        seat = state.mover
        match state.phase:
            case "place":
                number = len(state.turns)
                return (Decision(f"place-{number}", seat, "place", "turn", "Place a shape."),)
            case "draft":
                number = len(state.taken)
                return (Decision(f"draft-{number}", seat, "draft", "pick", "Take a shape."),)
            case "inspect":
                return tuple(
                    [
                        Decision("inspect", each, "inspect", "inspection", "Look over the shapes.")
                        for each in (0, 1)
                        if not state.ready[each]
                    ]
                )
            case "first":
                prompt = "Pick a shape first, or second?"
                return (Decision("first", state.terms.advantage, "first", "choice", prompt),)
            case "final":
                prompt = "Challenge the last placement, or accept it?"
                return (Decision("final", seat, "final", "choice", prompt),)
        return ()

    def chance_due(self, state: DomainState) -> tuple[Draw, ...]:
        return (POOL,) if state.phase == "pool" else ()

    def outcome(self, state: DomainState) -> Outcome | None:
        return state.outcome

    def scores(self, state: DomainState) -> tuple[int, int]:
        return scores(state)

    def has_scored(self, scores: tuple[int, int]) -> bool:
        """Both begin with a bare domain, whose size is the pool's; a placement takes from one and
        gives to the other, so that hardly any leaves them level."""
        return scores[0] != scores[1]

    def validate(self, state: DomainState, decision: Decision, move: Move) -> None:
        validation.validate(state, decision, move)

    def apply(self, state: DomainState, chosen: Chosen[Move]) -> DomainState:
        return applied(state, chosen)

    def on_timeout(self, state: DomainState, decision: Decision) -> Move | Draw:
        """House rulings: whoever does not say who picks first picks first; the last placement of
        the match stands unless it is challenged in time."""
        if decision.kind == "first":
            return First("first")
        return ACCEPT if decision.kind == "final" else OUT_OF_TIME

    def rule(self, state: DomainState, valid: bool) -> DomainState:
        return ruled(msgspec.structs.replace(state, review=False), valid)

    def in_dispute(self, state: DomainState) -> bool:
        return state.review

    def dispute(self, state: DomainState, names: Names = UNNAMED) -> Dispute | None:
        if not state.review:
            return None
        laid = state.turns[-1].laid
        if laid is None:
            raise EngineFault("only placements are challenged")
        found = board.faults(state.ready_pool, state.laid[:-1], laid)
        form = state.ready_pool.forms[laid.shape]
        written = f"{form.id} > {laid.colour} {laid.x},{laid.y} {laid.angle}"
        if found:
            sentences = " ".join(fault.sentence for fault in found)
            words = f"By the program's reckoning {written} is not valid. {sentences}"
        else:
            words = f"By the program's reckoning {written} is valid."
        pixels = [pixel for fault in found for pixel in fault.pixels]
        shown = views.view(state, self.scores(state))
        return Dispute(words, picture(named(shown, names), (laid.domain, pixels)))

    def built_in(self) -> Mapping[str, Any]:
        """The pools that come with the program."""
        return {name: msgspec.to_builtins(pool.document) for name, pool in built_in().items()}

    # -- chance: which pool is played ----------------------------------------------------------

    def draw(self, state: DomainState, draw: Draw, below: Below) -> Chance:
        offered = state.terms.offered
        name = chosen_by(below, DRAWN_AMONG) if offered is None else offered.reference
        return Chance("pool", None, (name,))

    def is_agreed(self, state: DomainState, draw: Draw) -> bool:
        return state.terms.offered is not None

    def apply_chance(self, state: DomainState, chance: Chance) -> DomainState:
        name = chance.value[0]
        offered = state.terms.offered
        if offered is not None and name != offered.reference:
            raise Refusal(
                "chance.pool", f"The pool agreed on is {offered.reference}, not another one."
            )
        pool = built_in().get(name) if offered is None else offered
        if pool is None:
            raise Refusal("chance.pool", "There is no built-in pool of that name and version.")
        free = (1 << len(pool.forms)) - 1
        return msgspec.structs.replace(state, phase="inspect", pool=pool, free=free)

    def parse_chance(self, text: str) -> Chance:
        """``pool NAME@VERSION``, the name exactly as the pool has it."""
        match = _CHANCE.fullmatch(text)
        if match is None or "@" not in match[1] or not match[1].isprintable():
            raise Refusal(
                "notation.chance", 'The only draw of Domain is written like "pool classic@1".'
            )
        return Chance("pool", None, (match[1],))

    def chance_events(
        self, before: DomainState, chance: Chance, after: DomainState
    ) -> Sequence[Event]:
        return [events.pool_shown(after)]

    # -- time ----------------------------------------------------------------------------------

    def policies(self, options: Options) -> Mapping[str, ClockPolicy]:
        if not isinstance(options, DomainOptions):
            raise EngineFault("these are the options of another ruleset")
        return {
            "inspection": ClockPolicy(to_ms(options.inspection_time)),
            "choice": ClockPolicy(to_ms(options.choice_time)),
            "pick": ClockPolicy(to_ms(options.pick_time)),
            "turn": ClockPolicy(to_ms(options.turn_time), uses_reserve=True),
        }

    def reserve_costs(self, before: DomainState, after: DomainState) -> tuple[int, int]:
        """A player's first challenge of a valid placement is free, each later one is not."""
        costs = [
            after.terms.challenge_cost_ms if after.wrong[seat] > max(1, before.wrong[seat]) else 0
            for seat in (0, 1)
        ]
        return costs[0], costs[1]

    # -- text ----------------------------------------------------------------------------------

    def parse(self, text: str) -> Move:
        return parse_move(text)

    def print(self, move: Move) -> str:
        return print_move(move)

    # -- listing and sampling ------------------------------------------------------------------

    def enumerable(self, decision: Decision) -> bool:
        """Everything but placements, of which there are millions."""
        return decision.kind != "place"

    def legal(self, state: DomainState, decision: Decision) -> Iterator[Move]:
        match decision.kind:
            case "inspect":
                if state.terms.early_ready:
                    yield READY
            case "first":
                yield First("first")
                yield First("second")
            case "draft":
                for number in members(state.free):
                    yield TakeShape(state.ready_pool.forms[number].id)
            case "final":
                yield CHALLENGE
                yield ACCEPT
            case _:
                raise EngineFault("placements are too many to be listed")

    def any_legal(self, state: DomainState, decision: Decision) -> bool:
        """A shape can always be discarded; only an inspection may have to run its course."""
        return decision.kind != "inspect" or state.terms.early_ready

    def sample(self, state: DomainState, decision: Decision, random: RandomSource) -> Move:
        """Placements by a shape, a domain, a pixel of it and an angle, each uniformly, tried anew
        while refereeing is strict and they are not valid; a challenge or a discard now and then."""
        kind = decision.kind
        if kind == "place":
            return _sample_place(state, decision.seat, random)
        if kind == "draft":
            return TakeShape(state.ready_pool.forms[draw_member(state.free, random)].id)
        if kind == "first":
            return First("first" if random() < 0.5 else "second")
        if kind == "final":
            return CHALLENGE if random() < 0.5 else ACCEPT
        # Where the inspection takes its full time there is nothing to submit.
        return READY

    # -- what people and bots see --------------------------------------------------------------

    def view(self, state: DomainState, audience: Audience) -> dict[str, Any]:
        return views.view(state, self.scores(state))

    def events(
        self, before: DomainState, chosen: Chosen[Move], after: DomainState
    ) -> Sequence[Event]:
        return events.events(before, chosen[0][0], chosen[0][1], after)

    def determinize(self, view: Mapping[str, Any], seat: Seat, random: RandomSource) -> DomainState:
        """Exactly the state that was viewed: nothing in it is secret from anyone."""
        return guessing.determinize(view)

    def evaluate(self, state: DomainState, seat: Seat) -> float:
        return estimate.estimate(state, seat)

    def decide(
        self,
        view: Mapping[str, Any],
        decision: Decision,
        level: Level,
        random: RandomSource,
        may_go_on: Callable[[], bool],
    ) -> Move:
        return thinking.decide(view, decision, level, random, may_go_on)

    def picture(self, view: Mapping[str, Any], names: Names = UNNAMED) -> str:
        return picture(named(view, names))

    # -- lessons -------------------------------------------------------------------------------

    def lesson(self, variant_id: str) -> Sequence[LessonStep]:
        self.variant(variant_id)
        return lesson.lesson(self)

    def cards(self, variant_id: str) -> Sequence[Card]:
        self.variant(variant_id)
        return lesson.CARDS

    # -- what an organiser prepares ------------------------------------------------------------

    def validate_supply(self, key: str, text: str) -> SupplyReport:
        return supply.validate_supply(text)

    def supplied(self, key: str, value: str, variant_id: str) -> Supplied:
        return supply.supplied(value)

    def supply_files(self, key: str) -> Mapping[str, str]:
        return supply.files()

    # -- puzzles -------------------------------------------------------------------------------

    def posed(self, view: Mapping[str, Any], decision: Decision) -> Mapping[str, Any] | None:
        return solving.posed(view, decision)

    def promising(
        self, state: DomainState, decision: Decision, random: RandomSource
    ) -> Sequence[Move]:
        return solving.promising(state, decision, random)

    def brought(self, state: DomainState, decision: Decision, move: Move) -> Brought:
        return solving.brought(state, decision, move)

    def target(self, best: int) -> int | None:
        return solving.target(best)

    def question(self, target: int) -> str:
        return solving.question(target)

    # -- storage -------------------------------------------------------------------------------

    def encode(self, state: DomainState) -> bytes:
        return saving.encode(state)

    def decode(self, data: bytes) -> DomainState:
        return saving.decode(data)


# -- random play -------------------------------------------------------------------------------


def _sample_place(state: DomainState, seat: Seat, random: RandomSource) -> Move:
    pool = state.ready_pool
    if state.can_challenge and random() < _CHALLENGES:
        return CHALLENGE
    form = pool.forms[draw_member(state.hands[seat], random)]
    if random() < _DISCARDS:
        return DiscardShape(form.id)
    laid = state.laid if state.strict else ()
    for _ in range(_TRIES):
        domain = 0 if random() < 0.5 else 1
        x, y = int(random() * pool.width), int(random() * pool.height)
        angle = int(random() * 360)
        if state.strict:
            tried = Laid(seat, pool.index[form.id], domain, x, y, angle)
            if not board.is_valid(pool, laid, tried):
                continue
        return PlaceShape(form.id, COLOURS[domain], x, y, angle)
    return DiscardShape(form.id)


__all__ = ["DecisionTimeout", "Domain", "DomainOptions"]
