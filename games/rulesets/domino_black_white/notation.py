"""Moves as text.

``first`` and ``second`` choose the order. ``(3,4) DZ:DY hide DY`` lays a domino, the first number
on the first square, and hides the half on DY; ``hide 4`` says the same where the numbers differ.
The older form ``(3,4) Domino, DZ:DY, Hide (4)`` is read as well. Printing puts the lower number
first, and the squares of a double in board order.
"""

from __future__ import annotations

import re
from typing import Final

from core.refusals import Refusal
from games.rulesets.domino_black_white.board import CELL_OF, NAME_OF, SPOT_OF
from games.rulesets.domino_black_white.moves import (
    HIGHEST,
    PLACES,
    ChooseOrder,
    Half,
    Move,
    PlaceDomino,
    TurnTimeout,
    place,
)

FIRST: Final = "first"
SECOND: Final = "second"
OUT_OF_TIME: Final = "out of time"  # for logs only; it is never read

# The texts come tidied: lower case, and no spaces around brackets, commas and colons.
_HALF = r"(?P<hide>[a-z0-9]+)"
_NUMBERS = r"\((?P<one>[0-9]+),(?P<two>[0-9]+)\)"
_SQUARES = r"(?P<at>[a-z0-9]+):(?P<to>[a-z0-9]+)"
_FORMS = (
    re.compile(rf"{_NUMBERS}{_SQUARES} hide {_HALF}"),
    re.compile(rf"{_NUMBERS}domino,{_SQUARES},hide\({_HALF}\)"),
)
_NUMBER_OF = {str(number): number for number in range(HIGHEST + 1)}


def parse_move(text: str) -> Move:
    """The move of a tidied text.

    Raises Refusal ``notation.unreadable`` where it is none; ``notation.not-a-domino``,
    ``notation.no-such-square``, ``notation.not-neighbours``; ``notation.hide-double``,
    ``notation.hide-number`` and ``notation.hide-square`` for what is to be hidden.
    """
    if text in (FIRST, SECOND):
        return ChooseOrder(first=text == FIRST)
    for form in _FORMS:
        match = form.fullmatch(text)
        if match is not None:
            return _place(**match.groupdict())
    raise Refusal(
        "notation.unreadable",
        "Write a placement like (3,4) DZ:DY hide DY, and the order as first or second.",
    )


def _place(one: str, two: str, at: str, to: str, hide: str) -> PlaceDomino:
    numbers = _number(one, one, two), _number(two, one, two)
    cells = _cell(at), _cell(to)
    spot = SPOT_OF.get((min(cells), max(cells)))
    if spot is None:
        names = at.upper(), to.upper()
        raise Refusal(
            "notation.not-neighbours",
            f"{names[0]} and {names[1]} are not two squares side by side or one above the other.",
            tuple(dict.fromkeys(names)),
        )
    half = _half(hide, numbers, cells)
    if cells[0] == spot.first:
        return place(spot, numbers, half)
    return place(spot, (numbers[1], numbers[0]), 0 if half else 1)


def _number(text: str, one: str, two: str) -> int:
    if text not in _NUMBER_OF:
        raise Refusal(
            "notation.not-a-domino",
            f"There is no domino ({one},{two}); the numbers go from 0 to {HIGHEST}.",
        )
    return _NUMBER_OF[text]


def _cell(text: str) -> int:
    name = text.upper()
    if name not in CELL_OF:
        raise Refusal("notation.no-such-square", f"There is no square {name} on this board.")
    return CELL_OF[name]


def _half(text: str, numbers: tuple[int, int], cells: tuple[int, int]) -> Half:
    """Which of two halves ``text``, a number or a square, names."""
    names = NAME_OF[cells[0]], NAME_OF[cells[1]]
    if not text.isdigit():
        if text.upper() not in names:
            raise Refusal(
                "notation.hide-square",
                f"The half to hide lies on {names[0]} or {names[1]}, not on {text.upper()}.",
                names,
            )
        return 1 if text.upper() == names[1] else 0
    number = _NUMBER_OF.get(text)
    if number not in numbers:
        raise Refusal(
            "notation.hide-number", f"There is no {text} on the domino ({numbers[0]},{numbers[1]})."
        )
    if numbers[0] == numbers[1]:
        raise Refusal(
            "notation.hide-double",
            f"Both halves are {text}: name the square to hide, {names[0]} or {names[1]}.",
            names,
        )
    return 1 if number == numbers[1] else 0


def print_move(move: Move) -> str:
    """The canonical text of a move."""
    match move:
        case ChooseOrder(first):
            return FIRST if first else SECOND
        case PlaceDomino():
            return TEXT_OF[move.code]
        case TurnTimeout():
            return OUT_OF_TIME


def _text(move: PlaceDomino) -> str:
    one, two = move.numbers
    squares = move.spot.squares
    if one > two:
        one, two, squares = two, one, squares[::-1]
    return f"({one},{two}) {squares[0]}:{squares[1]} hide {move.hidden}"


TEXT_OF: Final[tuple[str, ...]] = tuple([_text(move) for move in PLACES])
PLACE_OF: Final = dict(zip(TEXT_OF, PLACES, strict=True))
"""The place of every canonical text."""
