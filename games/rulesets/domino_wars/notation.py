"""Moves as text.

``first`` / ``second`` · ``deck 01 12 23 34 45 56 06 16`` · ``mulligan`` / ``keep`` ·
``34 B2:B3`` (the 3 on B2) · ``return 12`` · ``top 45`` · ``discard 06``. A domino is written as its
two digits in either order and printed lower number first; a deck is printed in ascending order.
"""

from __future__ import annotations

import re
from typing import Final

from core.refusals import Refusal
from games.rulesets.domino_wars.board import INDEX_OF, NAMES, SQUARE_OF, Play, play_of
from games.rulesets.domino_wars.lanes import DominoIndex
from games.rulesets.domino_wars.moves import (
    DECK,
    DISCARDS,
    MULLIGANS,
    ORDERS,
    RETURNS,
    TOPS,
    ChooseStarter,
    Deck,
    Discard,
    Move,
    Mulligan,
    Return,
    Top,
)

_CHOICE = re.compile(r"(return|top|discard) ([0-9]+)")
_DECK = re.compile(r"deck ([0-9]+(?: [0-9]+)*)")
_PLAY = re.compile(r"([0-9]+) ([a-z][0-9]+):([a-z][0-9]+)")
_WORDS: Final[dict[str, Move]] = {
    "first": ORDERS[0],
    "second": ORDERS[1],
    "mulligan": MULLIGANS[0],
    "keep": MULLIGANS[1],
}


_CHOICES: Final[dict[str, tuple[Move, ...]]] = {"return": RETURNS, "top": TOPS, "discard": DISCARDS}


def parse_move(text: str) -> Move:
    """The move that a tidied text stands for.

    Raises Refusal ``notation.not-a-domino``, ``notation.no-such-square``,
    ``notation.not-neighbours``, ``notation.deck-size`` or, for anything else,
    ``notation.unreadable``.
    """
    if text in _WORDS:
        return _WORDS[text]
    if match := _PLAY.fullmatch(text):
        return _parse_play(*match.groups())
    if match := _CHOICE.fullmatch(text):
        return _CHOICES[match[1]][parse_domino(match[2])]
    if match := _DECK.fullmatch(text):
        return parse_deck(match[1])
    raise Refusal(
        "notation.unreadable",
        'A play is written like "34 B2:B3", a choice like "return 12", "top 45" or "discard 06".',
    )


def parse_domino(text: str) -> DominoIndex:
    """The domino of two digits in either order. Raises Refusal ``notation.not-a-domino``."""
    domino = INDEX_OF.get("".join(sorted(text))) if len(text) == 2 else None
    if domino is None:
        raise Refusal(
            "notation.not-a-domino",
            f"There is no domino {text}: it has two different numbers from 0 to 6.",
        )
    return domino


def parse_deck(text: str) -> Deck:
    """The deck of these dominoes; whether its owner may choose it is not looked at.

    Raises Refusal ``notation.not-a-domino`` and ``notation.deck-size``.
    """
    dominoes = tuple(sorted(map(parse_domino, text.split(" "))))
    if len(dominoes) != DECK:
        raise Refusal("notation.deck-size", f"A deck has {DECK} dominoes, not {len(dominoes)}.")
    return Deck(dominoes)


def _parse_play(numbers: str, at: str, to: str) -> Play:
    domino = parse_domino(numbers)
    squares = _parse_square(at), _parse_square(to)
    if numbers != NAMES[domino]:
        squares = squares[1], squares[0]
    play = play_of(domino, *squares)
    if play is None:
        names = at.upper(), to.upper()
        raise Refusal(
            "notation.not-neighbours",
            f"{names[0]} and {names[1]} are not two squares side by side or one above the other.",
            tuple(dict.fromkeys(names)),
        )
    return play


def _parse_square(text: str) -> int:
    name = text.upper()
    if name not in SQUARE_OF:
        raise Refusal(
            "notation.no-such-square",
            f"There is no square {name}: columns are A to D and rows 1 to 4.",
        )
    return SQUARE_OF[name]


def names_of(dominoes: tuple[DominoIndex, ...]) -> str:
    """``01 12 34``."""
    return " ".join([NAMES[domino] for domino in dominoes])


def print_move(move: Move) -> str:
    """The canonical text of a move."""
    match move:
        case Play():
            return move.text
        case Return(domino):
            return f"return {NAMES[domino]}"
        case Top(domino):
            return f"top {NAMES[domino]}"
        case Discard(domino):
            return f"discard {NAMES[domino]}"
        case Deck(dominoes):
            return f"deck {names_of(dominoes)}"
        case ChooseStarter(first):
            return "first" if first else "second"
        case Mulligan(again):
            return "mulligan" if again else "keep"
        case _:
            return "out of time"
