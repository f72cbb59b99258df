"""Whether a move can stand, and the reason where it cannot."""

from __future__ import annotations

from typing import Any, Final

from core.refusals import Refusal
from games.engine.decisions import Decision
from games.rulesets.domino_wars import opening
from games.rulesets.domino_wars.board import DIRECTION_NAMES, NAMES, SQUARE_NAMES, Play, number_at
from games.rulesets.domino_wars.lanes import DOMINOES
from games.rulesets.domino_wars.moves import (
    ChooseStarter,
    Deck,
    Discard,
    Move,
    Mulligan,
    Return,
    Top,
)
from games.rulesets.domino_wars.state import Position, State

_EXPECTED: Final[dict[str, tuple[type[Any], str]]] = {
    "first": (ChooseStarter, 'Choose "first" or "second" now.'),
    "deck": (Deck, 'Choose eight dominoes now, like "deck 01 12 23 34 45 56 06 16".'),
    "mulligan": (Mulligan, 'Say "mulligan" or "keep" now.'),
    "play": (Play, 'Play a domino now, like "34 B2:B3".'),
    "return": (Return, 'Choose a domino of your discard pile now, like "return 12".'),
    "top": (Top, 'Choose a domino of your draw pile now, like "top 45".'),
    "discard": (Discard, 'Choose a domino of your hand to discard now, like "discard 06".'),
}


def validate(state: State, decision: Decision, move: Move) -> None:
    """Raise Refusal where ``move`` cannot answer ``decision``."""
    expected, sentence = _EXPECTED[decision.kind]
    if not isinstance(move, expected):
        raise Refusal("move.wrong-kind", sentence)
    if isinstance(move, Deck):
        opening.check_deck(state.terms, decision.seat, move.dominoes)
    elif isinstance(state, Position):
        _validate_turn(state, move)


def _validate_turn(state: Position, move: Move) -> None:
    side = state.sides[state.seat]
    match move:
        case Play():
            _validate_play(state, move)
        case Return(domino) if domino not in side.discards:
            raise Refusal("effect.not-discarded", f"{NAMES[domino]} is not in your discard pile.")
        case Top(domino) if domino not in side.pile:
            raise Refusal("effect.not-in-pile", f"{NAMES[domino]} is not in your draw pile.")
        case Discard(domino) if domino not in side.hand:
            raise Refusal("effect.not-in-hand", f"{NAMES[domino]} is not in your hand.")


def _validate_play(state: Position, move: Play) -> None:
    if move.domino not in state.sides[state.seat].hand:
        raise Refusal("play.not-in-hand", f"You have no {NAMES[move.domino]} in your hand.")
    squares = SQUARE_NAMES[move.low_at], SQUARE_NAMES[move.high_at]
    direction = state.direction(state.seat)
    if move.direction != direction:
        raise Refusal(
            "play.direction",
            f"You play {DIRECTION_NAMES[direction]}ly only, "
            f"and {squares[0]}:{squares[1]} is {DIRECTION_NAMES[move.direction]}.",
            squares,
        )
    low, high = DOMINOES[move.domino]
    wrong = [
        (SQUARE_NAMES[at], shown, laid)
        for at, laid in ((move.low_at, low), (move.high_at, high))
        if (shown := number_at(state.board, at)) is not None and shown >= laid
    ]
    if wrong:
        listed = ", ".join(
            [f"{name} shows {shown}, not less than {laid}" for name, shown, laid in wrong]
        )
        raise Refusal("play.not-lower", f"{listed}.", tuple([name for name, _, _ in wrong]))
