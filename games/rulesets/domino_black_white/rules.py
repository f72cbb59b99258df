"""Domino Black & White as the engine knows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import floor
from typing import Any, ClassVar, Final

from games.engine.capabilities import Brought, Level, Solves, Teaches, Thinks
from games.engine.chance import RandomSource
from games.engine.clocks import ClockPolicy, to_ms
from games.engine.decisions import Audience, Decision, Event, Outcome, Seat, other
from games.engine.lessons import Card, LessonStep
from games.engine.naming import UNNAMED, Names, named
from games.engine.reasons import POINTS, TIE_BREAK, TIMEOUT, Reason
from games.engine.ruleset import Chosen, Options, Ruleset, Seconds, Setup, Variant
from games.rulesets.domino_black_white import (
    estimate,
    events,
    guessing,
    lesson,
    notation,
    picture,
    saving,
    solving,
    thinking,
    validation,
)
from games.rulesets.domino_black_white import (
    view as views,
)
from games.rulesets.domino_black_white.board import SPOT_AT, UPRIGHT, spots_in
from games.rulesets.domino_black_white.moves import (
    DOMINO_BIT,
    PLACES,
    WAYS,
    ChooseOrder,
    Move,
    PlaceDomino,
    TurnTimeout,
)
from games.rulesets.domino_black_white.state import (
    DECISIONS,
    BlackWhiteState,
    begun,
    ordered,
    out_of_time,
    played,
    winner,
)

_WAYS: Final = len(WAYS)
_PLACES_AT: Final[tuple[tuple[PlaceDomino, ...], ...]] = tuple(
    [
        PLACES[_WAYS * SPOT_AT[at].index : _WAYS * (SPOT_AT[at].index + 1)] if at in SPOT_AT else ()
        for at in range(-1, 2 * UPRIGHT)
    ]
)
"""By the bit length of a spot's bit: the 72 places on that spot."""


class DominoOptions(Options, frozen=True, kw_only=True):
    """Two minutes a turn and ten minutes of reserve for the match."""

    turn_time: Seconds = 120.0
    reserve: Seconds = 600.0


class DominoBlackWhite(Ruleset[BlackWhiteState, Move], Solves, Thinks, Teaches):
    """Two players lay dominoes into a board with gravity, hide one half of each, and score lines
    of three that sum to a multiple of five."""

    id: ClassVar[str] = "domino-black-white"
    name: ClassVar[str] = "Domino Black & White"
    summary: ClassVar[str] = (
        "Drop dominoes into the well, hide one half of each, and make three in a row that sum to "
        "a multiple of five."
    )
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant("standard", "Standard", "The full set of 21 dominoes each, on the winged board."),
    )
    options_type: ClassVar[type[Options]] = DominoOptions
    reasons: ClassVar[tuple[Reason, ...]] = (POINTS, TIE_BREAK, TIMEOUT)
    # -- the course of a match -----------------------------------------------------------------

    def initial(self, setup: Setup) -> BlackWhiteState:
        return begun(setup.advantage)

    def decisions(self, state: BlackWhiteState) -> tuple[Decision, ...]:
        return DECISIONS[state.turn] if state.legal else ()

    def outcome(self, state: BlackWhiteState) -> Outcome | None:
        if state.legal:
            return None
        one, two = scores = state.scores()
        if state.late is not None:
            return Outcome(winner(state), TIMEOUT.id, scores)
        return Outcome(winner(state), TIE_BREAK.id if one == two else POINTS.id, scores)

    def scores(self, state: BlackWhiteState) -> tuple[int, int]:
        return state.scores()

    def validate(self, state: BlackWhiteState, decision: Decision, move: Move) -> None:
        validation.validate(state, decision, move)

    def apply(self, state: BlackWhiteState, chosen: Chosen[Move]) -> BlackWhiteState:
        ((seat, move),) = chosen
        if type(move) is PlaceDomino:
            return played(state, move)
        if type(move) is ChooseOrder:
            return ordered(state, seat if move.first else other(seat))
        return out_of_time(state, seat)

    def on_timeout(self, state: BlackWhiteState, decision: Decision) -> Move:
        """The order falls to going first (house ruling); a turn that outlasts its reserve loses."""
        return ChooseOrder(first=True) if decision.kind == "order" else TurnTimeout()

    # -- time ----------------------------------------------------------------------------------

    def policies(self, options: Options) -> Mapping[str, ClockPolicy]:
        return {
            "choice": ClockPolicy(to_ms(options.choice_time)),
            "turn": ClockPolicy(to_ms(options.turn_time), uses_reserve=True),
        }

    # -- text ----------------------------------------------------------------------------------

    def parse(self, text: str) -> Move:
        return notation.parse_move(text)

    def print(self, move: Move) -> str:
        return notation.print_move(move)

    # -- listing and sampling ------------------------------------------------------------------

    def enumerable(self, decision: Decision) -> bool:
        return True

    def legal(self, state: BlackWhiteState, decision: Decision) -> Iterator[Move]:
        if decision.kind == "order":
            yield ChooseOrder(first=True)
            yield ChooseOrder(first=False)
            return
        for spot in spots_in(state.legal):
            for place in _PLACES_AT[spot.at + 1]:
                if state.hand & DOMINO_BIT[place.code % _WAYS]:
                    yield place

    def any_legal(self, state: BlackWhiteState, decision: Decision) -> bool:
        """Hands never run out before the board does, so a legal spot is enough."""
        return state.legal != 0

    def sample(self, state: BlackWhiteState, decision: Decision, random: RandomSource) -> Move:
        """Every legal spot goes with every way to lay a domino in hand, so the two are drawn
        apart: a way out of all 72 until its domino is in hand, and a spot out of the legal ones."""
        if state.first is None:
            return ChooseOrder(first=random() < 0.5)
        hand = state.hand
        way = floor(random() * _WAYS)
        while not hand & DOMINO_BIT[way]:
            way = floor(random() * _WAYS)
        spots = state.legal
        count = spots.bit_count()
        below = floor(random() * count)
        if 2 * below < count:
            while below:
                spots &= spots - 1
                below -= 1
            return _PLACES_AT[(spots & -spots).bit_length()][way]
        for _ in range(count - 1 - below):
            spots ^= 1 << (spots.bit_length() - 1)
        return _PLACES_AT[spots.bit_length()][way]

    # -- lessons -------------------------------------------------------------------------------

    def lesson(self, variant_id: str) -> Sequence[LessonStep]:
        return lesson.lesson(self)

    def cards(self, variant_id: str) -> Sequence[Card]:
        return lesson.CARDS

    # -- what people and bots see --------------------------------------------------------------

    def view(self, state: BlackWhiteState, audience: Audience) -> dict[str, Any]:
        return views.view(state, audience)

    def events(
        self, before: BlackWhiteState, chosen: Chosen[Move], after: BlackWhiteState
    ) -> Sequence[Event]:
        return events.events(before, chosen, after)

    def step_notes(self, events: Sequence[Event]) -> dict[str, Any]:
        """``met``: the letters that the placement of this step met, in the order HVDB."""
        met = [event.data["met"] for event in events if event.kind == "place"]
        return {"met": met[0] if met else ""}

    def determinize(
        self, view: Mapping[str, Any], seat: Seat, random: RandomSource
    ) -> BlackWhiteState:
        return guessing.determinize(view, random)

    def evaluate(self, state: BlackWhiteState, seat: Seat) -> float:
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
        return picture.picture(named(view, names))

    # -- puzzles -------------------------------------------------------------------------------

    def posed(self, view: Mapping[str, Any], decision: Decision) -> Mapping[str, Any] | None:
        return solving.posed(view, decision)

    def promising(
        self, state: BlackWhiteState, decision: Decision, random: RandomSource
    ) -> Sequence[Move]:
        return list(self.legal(state, decision))

    def brought(self, state: BlackWhiteState, decision: Decision, move: Move) -> Brought:
        return solving.brought(state, decision, move)

    def target(self, best: int) -> int | None:
        return solving.target(best)

    def question(self, target: int) -> str:
        return solving.question(target)

    # -- storage -------------------------------------------------------------------------------

    def encode(self, state: BlackWhiteState) -> bytes:
        return saving.encode(state)

    def decode(self, data: bytes) -> BlackWhiteState:
        return saving.decode(data)
