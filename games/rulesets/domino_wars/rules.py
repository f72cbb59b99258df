"""Domino Wars as the engine knows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final

import msgspec

from core.refusals import Refusal
from games.engine import notation
from games.engine.capabilities import (
    Brought,
    Level,
    Premoves,
    Simulates,
    Solves,
    Supposes,
    Teaches,
    Thinks,
)
from games.engine.chance import Below, RandomSource, choose
from games.engine.clocks import ClockPolicy, to_ms
from games.engine.decisions import Audience, Chance, Decision, Draw, Event, Outcome, Seat
from games.engine.errors import EngineFault
from games.engine.lessons import Card, LessonStep
from games.engine.naming import UNNAMED, Names, named
from games.engine.reasons import POINTS, TIE_BREAK, TIMEOUT, Reason
from games.engine.ruleset import (
    Chosen,
    ItemRule,
    Options,
    Ruleset,
    Seconds,
    Setup,
    Variant,
)
from games.engine.search import think
from games.rulesets.domino_wars import (
    estimate,
    events,
    guessing,
    lesson,
    opening,
    picture,
    saving,
    simulation,
    solving,
    thinking,
    turns,
    validation,
)
from games.rulesets.domino_wars import (
    view as views,
)
from games.rulesets.domino_wars.board import INDEX_OF, NAMES, PLAYS, Play, plays_on
from games.rulesets.domino_wars.lanes import Direction, some_code
from games.rulesets.domino_wars.moves import (
    DECK,
    DISCARDS,
    MULLIGANS,
    ORDERS,
    RETURNS,
    TOPS,
    Deck,
    Discard,
    Move,
    ReserveTimeout,
    Return,
    Top,
)
from games.rulesets.domino_wars.notation import parse_domino, parse_move, print_move
from games.rulesets.domino_wars.state import (
    HAND,
    PLAY,
    RETURN,
    TOP,
    TURN_DECISIONS,
    Dominoes,
    Opening,
    Position,
    State,
    Terms,
)

REPEAT, MULLIGAN, TIE = "domino-repeat", "hand-mulligan", "tie-advantage"

_NO_DECISIONS: Final[tuple[Decision, ...]] = ()
_NO_DRAWS: Final[tuple[Draw, ...]] = ()

_DECK_OR_PILE = re.compile(r"(deck|pile) ([01]) ([0-9]+(?: [0-9]+)*)")
_MULLIGAN = re.compile(r"mulligan ([01]) hand ([0-9]+(?: [0-9]+)*) pile ([0-9]+(?: [0-9]+)*)")


class DominoWarsOptions(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A minute a turn and three of reserve for the match; two minutes for the decks.
    ``draw_when_stuck`` lets a player with no play draw a domino in the turn that is skipped."""

    turn_time: Seconds = 60.0
    reserve: Seconds = 180.0
    deck_time: Seconds = 120.0
    draw_when_stuck: Annotated[
        bool,
        msgspec.Meta(
            title="Draw when stuck",
            description="Whether a player who can play nothing draws a domino in the turn that is "
            "skipped.",
        ),
    ] = False


class DominoWars(Ruleset[State, Move], Premoves, Simulates, Solves, Supposes, Thinks, Teaches):
    """Two decks of eight dominoes fight over sixteen squares; every number has an effect."""

    id: ClassVar[str] = "domino-wars"
    name: ClassVar[str] = "Domino Wars"
    summary: ClassVar[str] = (
        "Choose eight dominoes in secret, cover lower numbers with higher ones, "
        "and live with the effects of both halves."
    )
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant("standard", "Standard", "Decks of eight on a board of four by four."),
    )
    options_type: ClassVar[type[Options]] = DominoWarsOptions
    reasons: ClassVar[tuple[Reason, ...]] = (POINTS, TIE_BREAK, TIMEOUT)
    # A deck hangs on one's own items alone, whoever is to begin.
    # Three of them are choices before the first domino.
    least_answers: ClassVar[int] = 9
    premoves: ClassVar[frozenset[str]] = frozenset({"deck"})
    items: ClassVar[tuple[ItemRule, ...]] = (
        ItemRule(
            REPEAT,
            "Domino Repeat",
            "You may have one domino twice in your deck, which still counts eight. "
            "A second Domino Repeat allows another domino to be there twice.",
        ),
        ItemRule(
            MULLIGAN,
            "Hand Mulligan",
            "You may put your opening hand back for three at random of the five other dominoes, "
            "up to twice.",
        ),
        ItemRule(
            TIE,
            "Tie Advantage",
            "You choose who plays first, and you win if both own equally many squares.",
            copyable=False,
            blockable=False,
        ),
    )

    # -- the course of a match -----------------------------------------------------------------

    def initial(self, setup: Setup) -> State:
        self.variant(setup.variant)
        held = [(item.seat, item.item) for item in setup.items]
        by_seat = {
            item: (held.count((0, item)), held.count((1, item))) for item in (REPEAT, MULLIGAN, TIE)
        }
        options = _ours(setup.options)
        return Opening(
            Terms(
                setup.advantage,
                options.draw_when_stuck,
                by_seat[REPEAT],
                by_seat[MULLIGAN],
                by_seat[TIE],
            )
        )

    def decisions(self, state: State) -> tuple[Decision, ...]:
        if type(state) is Position:
            if state.over:
                return _NO_DECISIONS
            return TURN_DECISIONS[8 * state.turn + 2 * state.ask + state.seat]
        return opening.decisions(_opening(state))

    def chance_due(self, state: State) -> tuple[Draw, ...]:
        if type(state) is Position:
            return _NO_DRAWS
        return opening.chance_due(_opening(state))

    def outcome(self, state: State) -> Outcome | None:
        if type(state) is not Position or not state.over:
            return None
        scores = one, two = state.scores()
        if state.late is not None:
            return Outcome(state.winner(), TIMEOUT.id, scores)
        return Outcome(state.winner(), TIE_BREAK.id if one == two else POINTS.id, scores)

    def scores(self, state: State) -> tuple[int, int]:
        """The squares that each seat owns."""
        return state.scores() if isinstance(state, Position) else (0, 0)

    def validate(self, state: State, decision: Decision, move: Move) -> None:
        validation.validate(state, decision, move)

    def apply(self, state: State, chosen: Chosen[Move]) -> State:
        if isinstance(state, Opening):
            return opening.applied(state, chosen)
        seat, move = chosen[0]
        if type(move) is Play:
            return turns.played(state, move)
        if isinstance(move, Return | Top | Discard):
            return turns.chosen(state, move)
        return msgspec.structs.replace(state, over=True, late=seat)

    def on_timeout(self, state: State, decision: Decision) -> Move | Draw:
        """House rulings: whoever does not choose an order plays first, a deck that was not chosen
        is drawn, an opening hand is kept, and a turn that outlasts its reserve loses."""
        match decision.kind:
            case "first":
                return ORDERS[0]
            case "deck":
                return opening.DRAWS["deck"][decision.seat]
            case "mulligan":
                return MULLIGANS[1]
            case _:
                return ReserveTimeout()

    # -- chance --------------------------------------------------------------------------------

    def draw(self, state: State, draw: Draw, below: Below) -> Chance:
        return opening.draw(_opening(state), draw, below)

    def draw_label(self, state: State, draw: Draw) -> str:
        return opening.draw_label(_opening(state), draw)

    def apply_chance(self, state: State, chance: Chance) -> State:
        return opening.drawn(_opening(state), chance, _dominoes_of(chance))

    def check_chance(self, state: State, chance: Chance) -> None:
        opening.check_deck(state.terms, opening.seat_of(chance.draw), _dominoes_of(chance))

    def drawn_move(self, state: State, chance: Chance) -> Move:
        return Deck(tuple(sorted(_dominoes_of(chance))))

    def parse_chance(self, text: str) -> Chance:
        tidied = notation.tidy(text)
        if match := _DECK_OR_PILE.fullmatch(tidied):
            dominoes = _eight(match[3])
            return Chance(match[1], int(match[2]), dominoes)
        if match := _MULLIGAN.fullmatch(tidied):
            hand, pile = match[2].split(" "), match[3].split(" ")
            if len(hand) != HAND:
                raise Refusal("notation.hand-size", f"An opening hand has {HAND} dominoes.")
            both = _eight(" ".join([*hand, *pile]))
            return Chance("mulligan", int(match[1]), ("hand", *both[:HAND], "pile", *both[HAND:]))
        raise Refusal(
            "notation.chance",
            'Draws of Domino Wars are written like "deck 0 01 …", "pile 0 01 …" with eight '
            'dominoes, or "mulligan 0 hand 01 12 23 pile 34 …".',
        )

    # -- time ----------------------------------------------------------------------------------

    def policies(self, options: Options) -> Mapping[str, ClockPolicy]:
        ours = _ours(options)
        return {
            "choice": ClockPolicy(to_ms(ours.choice_time)),
            "deck": ClockPolicy(to_ms(ours.deck_time)),
            "turn": ClockPolicy(to_ms(ours.turn_time), uses_reserve=True),
        }

    # -- text ----------------------------------------------------------------------------------

    def parse(self, text: str) -> Move:
        return parse_move(text)

    def print(self, move: Move) -> str:
        return print_move(move)

    # -- listing and sampling ------------------------------------------------------------------

    def enumerable(self, decision: Decision) -> bool:
        """All but decks, of which there are at least 203,490."""
        return decision.kind != "deck"

    def legal(self, state: State, decision: Decision) -> Iterator[Move]:
        """Plays by domino, the lower number first in board order, then the higher one first."""
        if isinstance(state, Position):
            if state.ask is PLAY:
                direction = state.direction(state.seat)
                for domino in sorted(set(state.sides[state.seat].hand)):
                    yield from plays_on(state.board, domino, direction)
            else:
                moves = _choices(state)
                yield from (
                    moves[domino]
                    for domino in sorted(set(turns.choosable(state.sides[state.seat], state.ask)))
                )
        elif decision.kind == "deck":
            yield from opening.decks(state.terms.repeats[decision.seat])
        else:
            yield from _words(decision)

    def any_legal(self, state: State, decision: Decision) -> bool:
        """Turns without a play are skipped, and choices without a choice are made, before anybody
        is asked."""
        return True

    def sample(self, state: State, decision: Decision, random: RandomSource) -> Move:
        """Uniform, see `games.rulesets.domino_wars.lanes.some_code` for plays."""
        if type(state) is not Position:
            return _sample_opening(_opening(state), decision, random)
        seat = state.seat
        if state.ask is not PLAY:
            dominoes = turns.choosable(state.sides[seat], state.ask)
            if state.terms.repeats[seat]:
                dominoes = tuple(set(dominoes))
            return _choices(state)[choose(random, dominoes)]
        hand = state.sides[seat].hand
        if state.terms.repeats[seat]:
            hand = tuple(sorted(set(hand)))
        direction: Direction = 0 if seat == state.first else 1
        return PLAYS[direction][some_code(state.board, hand, direction, random)]

    def simulate(self, state: State, random: RandomSource, most: int) -> tuple[State, int]:
        if type(state) is not Position:
            return simulation.set_up(_opening(state), random, most)
        if state.over:
            return state, 0
        return simulation.simulate(state, random, most)

    def decide(
        self,
        view: Mapping[str, Any],
        decision: Decision,
        level: Level,
        random: RandomSource,
        may_go_on: Callable[[], bool],
    ) -> Move:
        move: Move = think(
            self,
            view,
            decision,
            random,
            search=thinking.SEARCHES[level],
            suggest=thinking.suggestions,
            may_go_on=may_go_on,
        )
        return move

    # -- lessons -------------------------------------------------------------------------------

    def lesson(self, variant_id: str) -> Sequence[LessonStep]:
        return lesson.lesson(self)

    def cards(self, variant_id: str) -> Sequence[Card]:
        return lesson.CARDS

    # -- what people and bots see --------------------------------------------------------------

    def view(self, state: State, audience: Audience) -> dict[str, Any]:
        return views.view(state, audience)

    def events(self, before: State, chosen: Chosen[Move], after: State) -> Sequence[Event]:
        return events.events(before, chosen, after)

    def chance_events(self, before: State, chance: Chance, after: State) -> Sequence[Event]:
        return events.chance_events(chance)

    def determinize(self, view: Mapping[str, Any], seat: Seat, random: RandomSource) -> State:
        return guessing.determinize(view, seat, random)

    def evaluate(self, state: State, seat: Seat) -> float:
        return estimate.estimate(state, seat)

    def picture(self, view: Mapping[str, Any], names: Names = UNNAMED) -> str:
        return picture.picture(named(view, names))

    # -- puzzles -------------------------------------------------------------------------------

    def posed(self, view: Mapping[str, Any], decision: Decision) -> Mapping[str, Any] | None:
        return solving.posed(view, decision)

    def promising(self, state: State, decision: Decision, random: RandomSource) -> Sequence[Move]:
        return list(self.legal(state, decision))

    def brought(self, state: State, decision: Decision, move: Move) -> Brought:
        return solving.brought(state, decision, move)

    def supposed(self, state: State, decision: Decision, line: Sequence[Move]) -> State:
        return solving.supposed(state, decision, line)

    def target(self, best: int) -> int | None:
        return solving.target(best)

    def question(self, target: int) -> str:
        return solving.question(target)

    # -- storage -------------------------------------------------------------------------------

    def encode(self, state: State) -> bytes:
        return saving.encode(state)

    def decode(self, data: bytes) -> State:
        return saving.decode(data)


def _ours(options: Any) -> DominoWarsOptions:
    if not isinstance(options, DominoWarsOptions):
        raise EngineFault("these are the options of another ruleset")
    return options


def _opening(state: State) -> Opening:
    if not isinstance(state, Opening):
        raise EngineFault("the set-up of this match is over")
    return state


# -- choosing ------------------------------------------------------------------------------------


def _choices(state: Position) -> tuple[Move, ...]:
    if state.ask == RETURN:
        return RETURNS
    if state.ask == TOP:
        return TOPS
    return DISCARDS


def _sample_opening(state: Opening, decision: Decision, random: RandomSource) -> Move:
    if decision.kind == "deck":
        return opening.some_deck(state.terms.repeats[decision.seat], random)
    return choose(random, _words(decision))


def _words(decision: Decision) -> tuple[Move, ...]:
    if decision.kind == "first":
        return ORDERS
    return MULLIGANS


# -- chance as text ------------------------------------------------------------------------------


def _eight(text: str) -> tuple[str, ...]:
    dominoes = tuple(map(parse_domino, text.split(" ")))
    if len(dominoes) != DECK:
        raise Refusal("notation.deck-size", f"A deck has {DECK} dominoes, not {len(dominoes)}.")
    return tuple([NAMES[domino] for domino in dominoes])


def _dominoes_of(chance: Chance) -> Dominoes:
    return tuple([INDEX_OF[name] for name in chance.value if name in INDEX_OF])
