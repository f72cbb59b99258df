"""Whether a move can stand, and the reason where it cannot."""

from __future__ import annotations

from core.refusals import Refusal
from games.engine.decisions import Decision, Seat
from games.rulesets.tetronogo.moves import Move, Pick, PlaceTetromino, Start
from games.rulesets.tetronogo.notation import print_move
from games.rulesets.tetronogo.pieces import NOWHERE, names, squares_of
from games.rulesets.tetronogo.state import TetronogoState

_EXPECTED = {
    "pick": 'Pick a tetromino now, like "pick T".',
    "starter": 'Choose "first" or "second" now.',
    "place": 'Place your tetromino now, like "D4 90".',
}


def validate(state: TetronogoState, decision: Decision, move: Move) -> None:
    """Raise Refusal where ``move`` cannot answer ``decision``."""
    if decision.kind == "place" and isinstance(move, PlaceTetromino):
        _validate_place(state, decision.seat, move)
    elif decision.kind == "pick" and isinstance(move, Pick):
        used = state.frame.used(decision.seat)
        if move.letter in used:
            raise Refusal(
                "pick.used",
                f"You had {move.letter} in bout {used.index(move.letter) + 1} already.",
            )
    elif not (decision.kind == "starter" and isinstance(move, Start)):
        raise Refusal("move.wrong-kind", _EXPECTED[decision.kind])


def _validate_place(state: TetronogoState, seat: Seat, move: PlaceTetromino) -> None:
    piece = state.frame.duel.pieces[seat]
    number = piece.placement[move.turns][move.square]
    if number == NOWHERE:
        inside, _ = piece.reach(move)
        raise Refusal(
            "place.off-board",
            f"{piece.letter} at {print_move(move)} would stick out of the board.",
            names(inside),
        )
    if not state.mine >> number & 1:
        first, second = state.boards
        taken = names(squares_of(piece.boards[number] & (first | second)))
        verb = "is" if len(taken) == 1 else "are"
        raise Refusal(
            "place.overlap",
            f"{piece.letter} at {print_move(move)} would overlap: "
            f"{', '.join(taken)} {verb} not empty.",
            taken,
        )
