"""The rules of Domain."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import msgspec

from core.refusals import Refusal
from games.engine.capabilities import (
    BuiltIns,
    Dispute,
    Disputes,
    LookedOver,
    Penalties,
    Ruling,
    Supplied,
    Supplies,
    Supply,
)
from games.engine.chance import RandomSource, choose
from games.engine.clocks import ClockPolicy, to_ms
from games.engine.decisions import Audience, Chance, Decision, Draw, Event, Outcome, Seat, other
from games.engine.errors import EngineFault
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
from games.rulesets.domain import board, events, supply
from games.rulesets.domain import view as views
from games.rulesets.domain.board import Laid
from games.rulesets.domain.moves import (
    ACCEPT,
    CHALLENGE,
    COLOURS,
    OUT_OF_TIME,
    READY,
    Accept,
    Challenge,
    Discard,
    First,
    Move,
    OutOfTime,
    Place,
    Ready,
    Take,
    parse_move,
    print_move,
)
from games.rulesets.domain.picture import picture
from games.rulesets.domain.pool import PoolDocument, built_in, prepared
from games.rulesets.domain.state import (
    MISSES_TO_LOSE,
    Phase,
    Saved,
    State,
    Terms,
    Turn,
    draw_member,
    members,
    restored,
    saved,
)

POOL = Draw("pool")
_CHANCE = re.compile(r"\s*pool\s+(\S(?:.*\S)?)\s*", re.IGNORECASE)
_SAVED = msgspec.json.Decoder(Saved)

_EXPECTED = {
    "inspect": 'Say "ready" once you have looked over the shapes.',
    "first": 'Choose "first" or "second" now.',
    "draft": 'Take a shape now, like "take 07".',
    "place": 'Place or discard one of your shapes now, like "07 > red 120,85 45".',
    "final": 'Say "challenge" or "accept" now.',
}

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


MISSED_PICKS = Reason(
    id="missed-picks",
    how="through missed picks",
    room="{winner} won: {loser} missed too many picks.",
    winner="You won: {loser} missed too many picks.",
    loser="You lost: you missed too many picks.",
)


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


class Domain(Ruleset[State, Move], Disputes, Penalties, Supplies, BuiltIns):
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

    def initial(self, setup: Setup) -> State:
        self.variant(setup.variant)
        options = setup.options
        if not isinstance(options, DomainOptions):
            raise EngineFault("these are the options of another ruleset")
        return State(
            Terms(
                advantage=setup.advantage,
                early_ready=options.early_ready,
                strict=options.refereeing == "strict",
                by_organiser=options.review == "organiser",
                challenge_cost_ms=to_ms(options.challenge_cost),
                offered=None if options.pool is None else prepared(options.pool),
            )
        )

    def decisions(self, state: State) -> tuple[Decision, ...]:
        return () if state.review else self._questions(state)

    def suspended(self, state: State) -> tuple[Decision, ...]:
        """While the organiser reviews a challenge, the challenger's clock stands still."""
        return self._questions(state) if state.review else ()

    def _questions(self, state: State) -> tuple[Decision, ...]:
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

    def chance_due(self, state: State) -> tuple[Draw, ...]:
        return (POOL,) if state.phase == "pool" else ()

    def outcome(self, state: State) -> Outcome | None:
        return state.outcome

    def scores(self, state: State) -> tuple[int, int]:
        """Pixels as they stand; before the first placement those of the bare domains."""
        if state.outcome is not None:
            return state.outcome.scores
        if not state.turns or state.pool is None:
            bare = board.bare(state.pool)
            return bare, bare
        return board.count(state.pool, state.terms.red, state.laid)

    def validate(self, state: State, decision: Decision, move: Move) -> None:
        match decision.kind, move:
            case "inspect", Ready():
                if not state.terms.early_ready:
                    raise Refusal(
                        "inspect.not-early", "In this match the inspection lasts its full time."
                    )
            case "first", First():
                pass
            case "draft", Take():
                _validate_take(state, move)
            case "place", Place():
                _validate_place(state, decision.seat, move)
            case "place", Discard():
                _shape_in_hand(state, decision.seat, move.shape)
            case (("place" | "final"), Challenge()):
                _validate_challenge(state)
            case "final", Accept():
                pass
            case _:
                raise Refusal("move.wrong-kind", _EXPECTED[decision.kind])

    def apply(self, state: State, chosen: Chosen[Move]) -> State:
        seat, move = chosen[0]
        match move:
            case Place():
                number = state.ready_pool.index[move.shape]
                domain = COLOURS.index(move.domain)
                laid = Laid(seat, number, domain, move.x, move.y, move.angle)
                return _placed(state, Turn(seat, number, laid))
            case Take():
                return _taken(state, seat, state.ready_pool.index[move.shape])
            case Discard():
                return _placed(state, Turn(seat, state.ready_pool.index[move.shape]))
            case Challenge():
                return _challenged(state)
            case Accept():
                return _ended(state)
            case Ready():
                return _readied(state, seat)
            case First():
                picker = seat if move.order == "first" else other(seat)
                return _replace(state, phase="draft", mover=picker)
        return _out_of_time(state, seat)

    def on_timeout(self, state: State, decision: Decision) -> Move | Draw:
        """House rulings: whoever does not say who picks first picks first; the last placement of
        the match stands unless it is challenged in time."""
        if decision.kind == "first":
            return First("first")
        return ACCEPT if decision.kind == "final" else OUT_OF_TIME

    def rule(self, state: State, valid: bool) -> State:
        return _ruled(_replace(state, review=False), valid)

    def in_dispute(self, state: State) -> bool:
        return state.review

    def dispute(self, state: State, names: Names = UNNAMED) -> Dispute | None:
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

    def draw(self, state: State, draw: Draw, random: RandomSource) -> Chance:
        offered = state.terms.offered
        name = choose(random, sorted(built_in())) if offered is None else offered.reference
        return Chance("pool", None, (name,))

    def apply_chance(self, state: State, chance: Chance) -> State:
        name = chance.value[0]
        offered = state.terms.offered
        if offered is not None and name != offered.reference:
            raise Refusal(
                "chance.pool", f"The pool agreed on is {offered.reference}, not another one."
            )
        pool = built_in().get(name) if offered is None else offered
        if pool is None:
            raise Refusal("chance.pool", "There is no built-in pool of that name and version.")
        return _replace(state, phase="inspect", pool=pool, free=(1 << len(pool.forms)) - 1)

    def parse_chance(self, text: str) -> Chance:
        """``pool NAME@VERSION``, the name exactly as the pool has it."""
        match = _CHANCE.fullmatch(text)
        if match is None or "@" not in match[1] or not match[1].isprintable():
            raise Refusal(
                "notation.chance", 'The only draw of Domain is written like "pool classic@1".'
            )
        return Chance("pool", None, (match[1],))

    def chance_events(self, before: State, chance: Chance, after: State) -> Sequence[Event]:
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

    def reserve_costs(self, before: State, after: State) -> tuple[int, int]:
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

    def legal(self, state: State, decision: Decision) -> Iterator[Move]:
        match decision.kind:
            case "inspect":
                if state.terms.early_ready:
                    yield READY
            case "first":
                yield First("first")
                yield First("second")
            case "draft":
                for number in members(state.free):
                    yield Take(state.ready_pool.forms[number].id)
            case "final":
                yield CHALLENGE
                yield ACCEPT
            case _:
                raise EngineFault("placements are too many to be listed")

    def any_legal(self, state: State, decision: Decision) -> bool:
        """A shape can always be discarded; only an inspection may have to run its course."""
        return decision.kind != "inspect" or state.terms.early_ready

    def sample(self, state: State, decision: Decision, random: RandomSource) -> Move:
        """Placements by a shape, a domain, a pixel of it and an angle, each uniformly, tried anew
        while refereeing is strict and they are not valid; a challenge or a discard now and then."""
        kind = decision.kind
        if kind == "place":
            return _sample_place(state, decision.seat, random)
        if kind == "draft":
            return Take(state.ready_pool.forms[draw_member(state.free, random)].id)
        if kind == "first":
            return First("first" if random() < 0.5 else "second")
        if kind == "final":
            return CHALLENGE if random() < 0.5 else ACCEPT
        # Where the inspection takes its full time there is nothing to submit.
        return READY

    # -- what people and bots see --------------------------------------------------------------

    def view(self, state: State, audience: Audience) -> dict[str, Any]:
        return views.view(state, self.scores(state))

    def events(self, before: State, chosen: Chosen[Move], after: State) -> Sequence[Event]:
        return events.events(before, chosen[0][0], chosen[0][1], after)

    def determinize(self, view: Mapping[str, Any], seat: Seat, random: RandomSource) -> State:
        """Exactly the state that was viewed: nothing in it is secret from anyone."""
        return views.state_of(view)

    def evaluate(self, state: State, seat: Seat) -> float:
        """The lead in pixels as it stands."""
        if state.outcome is not None:
            return 1.0 if state.outcome.winner == seat else -1.0
        first, second = self.scores(state)
        lead = (first - second) / max(1, first + second)
        value = math.tanh(4 * lead)
        return value if seat == 0 else -value

    def picture(self, view: Mapping[str, Any], names: Names = UNNAMED) -> str:
        return picture(named(view, names))

    # -- what an organiser prepares ------------------------------------------------------------

    def look_over(self, key: str, text: str) -> LookedOver:
        return supply.look_over(text)

    def supplied(self, key: str, value: str, variant_id: str) -> Supplied:
        return supply.supplied(value)

    def supply_files(self, key: str) -> Mapping[str, str]:
        return supply.files()

    # -- storage -------------------------------------------------------------------------------

    def encode(self, state: State) -> bytes:
        return msgspec.json.encode(saved(state))

    def decode(self, data: bytes) -> State:
        try:
            return restored(_SAVED.decode(data))
        except (msgspec.DecodeError, ValueError) as error:
            raise EngineFault(f"not a state of Domain: {error}") from error


_replace = msgspec.structs.replace


# -- what a move has to fit --------------------------------------------------------------------


def _validate_take(state: State, move: Take) -> None:
    number = _number(state, move.shape)
    if not state.free >> number & 1:
        raise Refusal("take.gone", f"Shape {move.shape} has been taken already.")


def _validate_place(state: State, seat: Seat, move: Place) -> None:
    number = _shape_in_hand(state, seat, move.shape)
    if not state.strict:
        return
    laid = Laid(seat, number, COLOURS.index(move.domain), move.x, move.y, move.angle)
    fault = board.first_fault(state.ready_pool, state.laid, laid)
    if fault is not None:
        pixels = tuple(f"{x},{y}" for x, y in fault.pixels)
        raise Refusal(fault.code, fault.sentence, pixels)


def _validate_challenge(state: State) -> None:
    if state.strict:
        raise Refusal(
            "challenge.strict", "Nothing invalid can be placed in this match, so nothing is to be "
            "challenged."
        )  # fmt: skip
    if not state.turns:
        raise Refusal("challenge.nothing", "Nothing has been placed yet.")
    if state.challenged:
        raise Refusal("challenge.repeated", "This placement has been challenged already.")
    if state.turns[-1].laid is None:
        raise Refusal("challenge.discard", "A discard cannot be challenged.")


def _number(state: State, shape: str) -> int:
    number = state.ready_pool.index.get(shape)
    if number is None:
        raise Refusal("shape.unknown", f"There is no shape {shape} in this pool.")
    return number


def _shape_in_hand(state: State, seat: Seat, shape: str) -> int:
    number = _number(state, shape)
    if state.hands[seat] >> number & 1:
        return number
    if state.hands[other(seat)] >> number & 1:
        raise Refusal("shape.not-yours", f"Shape {shape} is your opponent's.")
    raise Refusal("shape.used", f"Shape {shape} has been played already.")


# -- what a move leads to ----------------------------------------------------------------------


def _readied(state: State, seat: Seat) -> State:
    ready = (state.ready[0] or seat == 0, state.ready[1] or seat == 1)
    phase: Phase = "first" if all(ready) else "inspect"
    return _replace(state, ready=ready, phase=phase)


def _taken(state: State, seat: Seat, number: int) -> State:
    bit = 1 << number
    first, second = state.hands
    hands = (first | bit, second) if seat == 0 else (first, second | bit)
    free = state.free ^ bit
    taken = (*state.taken, (seat, number))
    if free:
        return _replace(state, mover=1 - seat, free=free, hands=hands, taken=taken)
    starter = 0 if hands[0] >> state.ready_pool.start & 1 else 1
    return _replace(state, phase="place", mover=starter, free=0, hands=hands, taken=taken)


def _placed(state: State, turn: Turn) -> State:
    seat, bit = turn.seat, 1 << turn.shape
    first, second = state.hands
    hands = (first ^ bit, second) if seat == 0 else (first, second ^ bit)
    after = State(
        state.terms,
        "place",
        state.pool,
        state.ready,
        1 - seat,
        0,
        hands,
        state.taken,
        (*state.turns, turn),
        False,
        False,
        state.wrong,
    )
    return after if hands[1 - seat] else _without_shapes(after)


def _without_shapes(state: State) -> State:
    """The mover has no shape left: the match ends, once a last placement can no longer be
    challenged."""
    if state.can_challenge:
        return _replace(state, phase="final")
    return _ended(state)


def _challenged(state: State) -> State:
    challenged = _replace(state, challenged=True)
    if state.terms.by_organiser:
        return _replace(challenged, review=True)
    return _ruled(challenged, last_is_valid(state))


def last_is_valid(state: State) -> bool:
    """Whether the latest placement was valid when it was made."""
    turn = state.turns[-1]
    if turn.laid is None:
        raise EngineFault("the last turn was no placement")
    return board.is_valid(state.ready_pool, state.laid[:-1], turn.laid)


def _ruled(state: State, valid: bool) -> State:
    """The challenge of the last placement is decided. The turn stays with the challenger."""
    if valid:
        first, second = state.wrong
        wrong = (first + 1, second) if state.mover == 0 else (first, second + 1)
        state = _replace(state, wrong=wrong)
    else:
        struck = _replace(state.turns[-1], struck=True)
        state = _replace(state, turns=(*state.turns[:-1], struck))
    return _ended(state) if state.phase == "final" else state


def _ended(state: State) -> State:
    scores = board.count(state.ready_pool, state.terms.red, state.laid)
    first, second = scores
    if first == second:
        outcome = Outcome(state.terms.advantage, TIE_BREAK.id, scores)
    else:
        outcome = Outcome(0 if first > second else 1, POINTS.id, scores)
    return _replace(state, phase="over", outcome=outcome)


def _out_of_time(state: State, seat: Seat) -> State:
    if state.phase == "inspect":
        return _readied(state, seat)
    if state.phase == "draft":
        missed = _replace(state, mover=1 - seat, taken=(*state.taken, (seat, None)))
        if missed.misses[seat] < MISSES_TO_LOSE:
            return missed
        bare = board.bare(state.pool)
        return _replace(
            missed, phase="over", outcome=Outcome(1 - seat, MISSED_PICKS.id, (bare, bare))
        )
    scores = board.count(state.ready_pool, state.terms.red, state.laid)
    return _replace(state, phase="over", outcome=Outcome(1 - seat, TIMEOUT.id, scores))


# -- random play -------------------------------------------------------------------------------


def _sample_place(state: State, seat: Seat, random: RandomSource) -> Move:
    pool = state.ready_pool
    if state.can_challenge and random() < _CHALLENGES:
        return CHALLENGE
    form = pool.forms[draw_member(state.hands[seat], random)]
    if random() < _DISCARDS:
        return Discard(form.id)
    laid = state.laid if state.strict else ()
    for _ in range(_TRIES):
        domain = 0 if random() < 0.5 else 1
        x, y = int(random() * pool.width), int(random() * pool.height)
        angle = int(random() * 360)
        if state.strict:
            tried = Laid(seat, pool.index[form.id], domain, x, y, angle)
            if not board.is_valid(pool, laid, tried):
                continue
        return Place(form.id, COLOURS[domain], x, y, angle)
    return Discard(form.id)


__all__ = ["Domain", "DomainOptions", "OutOfTime"]
