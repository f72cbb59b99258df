"""The rules of Tetronogo."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from core.refusals import Refusal
from games.engine import notation
from games.engine.capabilities import Brought, Level, Premoves, Solves, Teaches, Thinks
from games.engine.chance import Below, RandomSource, choose, chosen_by
from games.engine.clocks import ClockPolicy, to_ms
from games.engine.decisions import Audience, Chance, Decision, Draw, Event, Outcome, Seat
from games.engine.errors import EngineFault
from games.engine.lessons import Card, LessonStep
from games.engine.naming import PLAYERS, UNNAMED, Names, named
from games.engine.reasons import TIE_BREAK, Reason
from games.engine.ruleset import Chosen, Options, Ruleset, Seconds, Setup, Variant
from games.rulesets.tetronogo import (
    estimate,
    events,
    guessing,
    lesson,
    saving,
    solving,
    thinking,
    validation,
)
from games.rulesets.tetronogo import view as views
from games.rulesets.tetronogo.bits import draw_member, members
from games.rulesets.tetronogo.course import TOTAL, TWO_IN_A_ROW, applied
from games.rulesets.tetronogo.moves import Move, OutOfTime, Pick, PlaceTetromino, Start
from games.rulesets.tetronogo.notation import parse_letter, parse_move, print_move
from games.rulesets.tetronogo.picture import picture
from games.rulesets.tetronogo.state import (
    TetronogoState,
    pick_frame,
)

_CHANCE = re.compile(r"pick ([01]) ([a-z]+)")


class TetronogoOptions(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Times in seconds. The reserve is for each bout. House ruling: 60 s for the secret pick."""

    turn_time: Seconds = 60.0
    reserve: Seconds = 120.0
    pick_time: Seconds = 60.0


class Tetronogo(Ruleset[TetronogoState, Move], Premoves, Solves, Thinks, Teaches):
    """Up to four bouts of placing one tetromino each, scored by edges around empty groups."""

    id: ClassVar[str] = "tetronogo"
    name: ClassVar[str] = "Tetronogo"
    summary: ClassVar[str] = (
        "Pick a tetromino in secret, fill the board with copies of it, "
        "and fence off more empty squares than your opponent."
    )
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant("standard", "Standard", "Up to four bouts on a 12 by 12 board."),
    )
    options_type: ClassVar[type[Options]] = TetronogoOptions
    reasons: ClassVar[tuple[Reason, ...]] = (TWO_IN_A_ROW, TOTAL, TIE_BREAK)
    # A pick hangs on one's own earlier picks alone, whatever the bout before comes to.
    premoves: ClassVar[frozenset[str]] = frozenset({"pick"})
    # -- the course of a match -----------------------------------------------------------------

    def initial(self, setup: Setup) -> TetronogoState:
        self.variant(setup.variant)
        return TetronogoState(pick_frame(setup.advantage, ()))

    def decisions(self, state: TetronogoState) -> tuple[Decision, ...]:
        return state.frame.plies[len(state.placed)]

    def outcome(self, state: TetronogoState) -> Outcome | None:
        return state.frame.outcome

    def scores(self, state: TetronogoState) -> tuple[int, int]:
        """Points over the finished bouts; nothing of a bout in play."""
        return state.frame.totals

    def validate(self, state: TetronogoState, decision: Decision, move: Move) -> None:
        validation.validate(state, decision, move)

    def canonical(self, state: TetronogoState, decision: Decision, move: Move) -> Move:
        """A validated move in the form that is printed: the smallest of the rotations that look
        alike for the mover's tetromino."""
        if isinstance(move, PlaceTetromino):
            return state.frame.duel.pieces[decision.seat].canonical(move)
        return move

    def apply(self, state: TetronogoState, chosen: Chosen[Move]) -> TetronogoState:
        return applied(state, chosen)

    def on_timeout(self, state: TetronogoState, decision: Decision) -> Move | Draw:
        """House rulings: a missing pick is drawn from the seat's unused tetrominoes; whoever does
        not choose a starter goes first. Out of time while placing loses the bout."""
        if decision.kind == "pick":
            return Draw("pick", decision.seat)
        if decision.kind == "starter":
            return Start("first")
        return OutOfTime()

    # -- chance: a pick for a player whose time ran out ----------------------------------------

    def draw(self, state: TetronogoState, draw: Draw, below: Below) -> Chance:
        seat = _seat_of_draw(draw)
        return Chance("pick", seat, (chosen_by(below, state.frame.unused(seat)),))

    def draw_label(self, state: TetronogoState, draw: Draw) -> str:
        """Each seat picks once a bout."""
        return f"pick {_seat_of_draw(draw)} {state.frame.number}"

    def check_chance(self, state: TetronogoState, chance: Chance) -> None:
        seat = _seat_of_draw(chance.draw)
        if state.frame.phase != "pick":
            raise Refusal("chance.not-due", "No tetromino is being picked.")
        letters = state.frame.unused(seat)
        if len(chance.value) != 1 or chance.value[0] not in letters:
            raise Refusal(
                "chance.used",
                f"The {PLAYERS[seat]} player can only be dealt one of {', '.join(letters)}.",
            )

    def drawn_move(self, state: TetronogoState, chance: Chance) -> Move:
        return Pick(chance.value[0])

    def parse_chance(self, text: str) -> Chance:
        match = _CHANCE.fullmatch(notation.tidy(text))
        if match is None:
            raise Refusal(
                "notation.chance", 'The only draw of Tetronogo is written like "pick 0 T".'
            )
        return Chance("pick", int(match[1]), (parse_letter(match[2]),))

    # -- time ----------------------------------------------------------------------------------

    def policies(self, options: Options) -> Mapping[str, ClockPolicy]:
        if not isinstance(options, TetronogoOptions):
            raise EngineFault("these are the options of another ruleset")
        return {
            "pick": ClockPolicy(to_ms(options.pick_time)),
            "choice": ClockPolicy(to_ms(options.choice_time)),
            "turn": ClockPolicy(to_ms(options.turn_time), uses_reserve=True),
        }

    def reserve_epoch(self, state: TetronogoState) -> int:
        """The bout: each begins with a full reserve."""
        return state.frame.number

    # -- text ----------------------------------------------------------------------------------

    def parse(self, text: str) -> Move:
        return parse_move(text)

    def print(self, move: Move) -> str:
        return print_move(move)

    # -- listing and sampling ------------------------------------------------------------------

    def enumerable(self, decision: Decision) -> bool:
        return True

    def legal(self, state: TetronogoState, decision: Decision) -> Iterator[Move]:
        """Placements by rotation, then row by row; tetrominoes in the order of the rules page."""
        if decision.kind == "pick":
            yield from map(Pick, state.frame.unused(decision.seat))
        elif decision.kind == "starter":
            yield Start("first")
            yield Start("second")
        else:
            moves = state.frame.duel.pieces[decision.seat].moves
            for number in members(state.mine):
                yield moves[number]

    def any_legal(self, state: TetronogoState, decision: Decision) -> bool:
        return decision.kind != "place" or state.mine != 0

    def sample(self, state: TetronogoState, decision: Decision, random: RandomSource) -> Move:
        mine = state.mine
        if mine:
            moves = state.frame.duel.sides[decision.seat][0]
            return moves[draw_member(mine, len(moves), random)]
        if decision.kind == "pick":
            return Pick(choose(random, state.frame.unused(decision.seat)))
        return Start("first") if random() < 0.5 else Start("second")

    def decide(
        self,
        view: Mapping[str, Any],
        decision: Decision,
        level: Level,
        random: RandomSource,
        may_go_on: Callable[[], bool],
    ) -> Move:
        return thinking.decide(view, decision, level, random, may_go_on)

    # -- lessons -------------------------------------------------------------------------------

    def lesson(self, variant_id: str) -> Sequence[LessonStep]:
        return lesson.lesson(self)

    def cards(self, variant_id: str) -> Sequence[Card]:
        return lesson.CARDS

    # -- what people and bots see --------------------------------------------------------------

    def view(self, state: TetronogoState, audience: Audience) -> dict[str, Any]:
        return views.view(state)

    def events(
        self, before: TetronogoState, chosen: Chosen[Move], after: TetronogoState
    ) -> Sequence[Event]:
        return events.events(before, chosen, after)

    def determinize(
        self, view: Mapping[str, Any], seat: Seat, random: RandomSource
    ) -> TetronogoState:
        return guessing.determinize(view)

    def evaluate(self, state: TetronogoState, seat: Seat) -> float:
        return estimate.estimate(state, seat)

    def picture(self, view: Mapping[str, Any], names: Names = UNNAMED) -> str:
        return picture(named(view, names))

    # -- puzzles -------------------------------------------------------------------------------

    def posed(self, view: Mapping[str, Any], decision: Decision) -> Mapping[str, Any] | None:
        return solving.posed(view, decision)

    def promising(
        self, state: TetronogoState, decision: Decision, random: RandomSource
    ) -> Sequence[Move]:
        return solving.promising(state, decision)

    def brought(self, state: TetronogoState, decision: Decision, move: Move) -> Brought:
        return solving.brought(state, decision, move)

    def target(self, best: int) -> int | None:
        return solving.target(best)

    def question(self, target: int) -> str:
        return solving.question(target)

    # -- storage -------------------------------------------------------------------------------

    def encode(self, state: TetronogoState) -> bytes:
        return saving.encode(state)

    def decode(self, data: bytes) -> TetronogoState:
        return saving.decode(data)


# -- the log -----------------------------------------------------------------------------------


def _seat_of_draw(draw: Draw) -> Seat:
    """The seat that a pick is drawn for. Raises EngineFault for any other draw."""
    if draw.kind != "pick" or draw.whose not in (0, 1):
        raise EngineFault(f"Tetronogo has no draw {draw.kind!r} for {draw.whose!r}")
    return int(draw.whose)
