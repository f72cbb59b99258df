"""Moves as text.

``take order`` and ``take colour``; ``ready``; ``first`` and ``second``; ``red`` and ``blue``;
``extra peg red F9``; ``finish``; ``remove F9``, ``remove 3x3 F9`` and ``no removal``. A placement
is ``C7 RRD > E5 90``: the first peg, the way to the second one, where the first peg lies on the
domain and how far all is turned clockwise; or ``C7 D7 E7 E8 > E5 90`` with every square named. With
Peg Subtraction it ends in ``minus D4``.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from core.refusals import Refusal
from games.rulesets.peg_domain.boards import (
    DOMAIN_NAME,
    DOMAIN_SQUARE,
    PALLET,
    PALLET_NAME,
    PALLET_SQUARE,
    PALLET_STEP,
    WAY_OF_STEP,
    WAYS,
)
from games.rulesets.peg_domain.moves import (
    Choose,
    EndInspection,
    Extra,
    Finish,
    InspectionTimeout,
    Keep,
    Move,
    Order,
    PlaceCutOut,
    Rapid,
    Remove,
    Take,
)

_WORDS: Final[dict[str, Move]] = {
    "take order": Take("order"),
    "take colour": Take("colour"),
    "ready": EndInspection(),
    "first": Order(True),
    "second": Order(False),
    "red": Choose("red"),
    "blue": Choose("blue"),
    "finish": Finish(),
    "no removal": Keep(),
}
_SQUARE = r"[a-z]+[0-9]+"
_PLACE = re.compile(
    rf"(?P<cut>[a-z0-9 ]+)>(?P<target>{_SQUARE}) (?P<turn>[0-9]+)(?: minus (?P<minus>{_SQUARE}))?"
)
_PATH = re.compile(rf"(?P<start>{_SQUARE}) (?P<ways>[udlr]+)")
_SQUARES = re.compile(rf"{_SQUARE}(?: {_SQUARE})*")
_REMOVE = re.compile(rf"remove (?P<area>3x3 )?(?P<square>{_SQUARE})")
_EXTRA = re.compile(rf"extra peg (?P<colour>red|blue) (?P<square>{_SQUARE})")
_TURNS: Final = {"0": 0, "90": 1, "180": 2, "270": 3}


def parse_move(text: str) -> Move:
    """The move of a tidied text.

    Raises Refusal ``notation.unreadable`` where it is none, ``notation.rotation``;
    ``cut.off-pallet``, ``cut.twice``, ``place.off-domain``, ``remove.off-pallet``,
    ``extra.off-pallet`` and ``minus.off-domain`` for squares that there are not.
    """
    if text in _WORDS:
        return _WORDS[text]
    if match := _PLACE.fullmatch(text):
        return _place(match["cut"], match["target"], match["turn"], match["minus"])
    if match := _REMOVE.fullmatch(text):
        square = _pallet_square(match["square"], "remove.off-pallet")
        return Rapid(square) if match["area"] else Remove(square)
    if match := _EXTRA.fullmatch(text):
        square = _pallet_square(match["square"], "extra.off-pallet")
        return Extra("red" if match["colour"] == "red" else "blue", square)
    raise Refusal(
        "notation.unreadable",
        'A placement is written like "C7 RRD > E5 90"; other moves are words like "finish".',
    )


def _place(cut: str, target: str, turn: str, minus: str | None) -> PlaceCutOut:
    path = _PATH.fullmatch(cut)
    if path is not None:
        squares = _walk(path["start"], path["ways"])
    elif _SQUARES.fullmatch(cut):
        squares = tuple([_pallet_square(name, "cut.off-pallet") for name in cut.split(" ")])
        for index, square in enumerate(squares):
            if square in squares[:index]:
                raise _twice(square)
    else:
        raise Refusal(
            "notation.unreadable",
            'A cut-out is a peg and the way to another one, like "C7 RRD", or all its squares.',
        )
    if turn not in _TURNS:
        raise Refusal(
            "notation.rotation", f"A cut-out is turned by 0, 90, 180 or 270, not by {turn}."
        )
    return PlaceCutOut(
        squares,
        path is not None,
        _domain_square(target, "place.off-domain"),
        _TURNS[turn],
        None if minus is None else _domain_square(minus, "minus.off-domain"),
    )


def _walk(start: str, ways: str) -> tuple[int, ...]:
    squares = [_pallet_square(start, "cut.off-pallet")]
    for way in ways.upper():
        square = squares[-1] + PALLET_STEP[WAYS.index(way)]
        if not PALLET >> square & 1:
            raise Refusal(
                "cut.off-pallet",
                f"From {PALLET_NAME[squares[-1]]} a step {way} leads off the pallet.",
                (PALLET_NAME[squares[-1]],),
            )
        if square in squares:
            raise _twice(square)
        squares.append(square)
    return tuple(squares)


def _twice(square: int) -> Refusal:
    name = PALLET_NAME[square]
    return Refusal("cut.twice", f"{name} is in this cut-out twice.", (name,))


def _pallet_square(name: str, code: str) -> int:
    square = PALLET_SQUARE.get(name.upper())
    if square is None:
        raise Refusal(
            code,
            f"There is no square {name.upper()} on a pallet: columns are A to L and rows 1 to 16.",
        )
    return square


def _domain_square(name: str, code: str) -> int:
    square = DOMAIN_SQUARE.get(name.upper())
    if square is None:
        raise Refusal(
            code,
            f"There is no square {name.upper()} on the domain: columns are A to I and rows 1 to 9.",
        )
    return square


# -- writing -------------------------------------------------------------------------------------


def print_move(move: Move) -> str:
    """The canonical text of a move."""
    match move:
        case PlaceCutOut():
            minus = "" if move.minus is None else f" minus {DOMAIN_NAME[move.minus]}"
            return f"{cut_text(move)} > {DOMAIN_NAME[move.target]} {move.turns * 90}{minus}"
        case Take():
            return f"take {move.right}"
        case EndInspection():
            return "ready"
        case Extra():
            return f"extra peg {move.colour} {PALLET_NAME[move.square]}"
        case Order():
            return "first" if move.first else "second"
        case Choose():
            return move.colour
        case Finish():
            return "finish"
        case Remove():
            return f"remove {PALLET_NAME[move.square]}"
        case Rapid():
            return f"remove 3x3 {PALLET_NAME[move.centre]}"
        case Keep():
            return "no removal"
        case InspectionTimeout():
            return "out of time"


def cut_text(move: PlaceCutOut) -> str:
    """The cut-out of a placement, the way it was given."""
    squares = move.squares
    if not move.by_path:
        return " ".join([PALLET_NAME[square] for square in squares])
    steps = [WAYS[WAY_OF_STEP[after - before]] for before, after in pairwise(squares)]
    return f"{PALLET_NAME[squares[0]]} {''.join(steps)}"
