"""Moves as text.

``pick T`` · ``first`` / ``second`` · ``D4 90``: the top left corner of the box around the turned
piece, and how far it is turned, clockwise, in degrees.
"""

from __future__ import annotations

import re

from core.refusals import Refusal
from games.rulesets.tetronogo.moves import LETTERS, SIZE, Letter, Move, Pick, PlaceTetromino, Start

_PICK = re.compile(r"pick ([a-z]+)")


_PLACE = re.compile(r"([a-z])([0-9]{1,3}) ([0-9]{1,4})")


_SQUARE = re.compile(r"([a-l])(1[0-2]|[1-9])")


_TURNS = {"0": 0, "90": 1, "180": 2, "270": 3}


def parse_move(text: str) -> Move:
    """The move that a tidied text stands for.

    Raises Refusal ``notation.tetromino``, ``notation.square``, ``notation.rotation`` or, for
    anything else, ``notation.unreadable``.
    """
    if text == "first":
        return Start("first")
    if text == "second":
        return Start("second")
    if match := _PICK.fullmatch(text):
        return Pick(parse_letter(match[1]))
    if match := _PLACE.fullmatch(text):
        square = _SQUARE.fullmatch(match[1] + match[2])
        if square is None:
            raise Refusal(
                "notation.square",
                f"There is no square {match[1].upper()}{match[2]}: "
                "columns are A to L and rows 1 to 12.",
            )
        turns = _TURNS.get(match[3])
        if turns is None:
            raise Refusal(
                "notation.rotation", f"A piece is turned by 0, 90, 180 or 270, not by {match[3]}."
            )
        return PlaceTetromino((int(square[2]) - 1) * SIZE + ord(square[1]) - ord("a"), turns)
    raise Refusal(
        "notation.unreadable",
        'A move is written like "pick T", "first", "second" or "D4 90".',
    )


def parse_letter(text: str) -> Letter:
    """A tetromino's letter, given in lower case. Raises Refusal ``notation.tetromino``."""
    letter = text.upper()
    if len(letter) != 1 or letter not in LETTERS:
        raise Refusal(
            "notation.tetromino",
            f"There is no tetromino {letter}: they are {', '.join(LETTERS[:-1])} and T.",
        )
    return letter


def print_move(move: Move) -> str:
    """The text of a move, as it was given (see `Tetronogo.canonical`)."""
    if isinstance(move, PlaceTetromino):
        return f"{move.corner} {move.turns * 90}"
    if isinstance(move, Pick):
        return f"pick {move.letter}"
    if isinstance(move, Start):
        return move.order
    return "out of time"
