"""The drawn examples of the public rules page, by name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from html import escape
from typing import Final

from games.engine.decisions import ROOM
from games.rulesets.domino_wars.board import NAMES, Play, board_of
from games.rulesets.domino_wars.lanes import SQUARES
from games.rulesets.domino_wars.notation import parse_move
from games.rulesets.domino_wars.picture import (
    FAINT,
    GRID,
    INK,
    PAPER,
    WHITE,
    TentativeDomino,
    drawing,
    words,
)
from games.rulesets.domino_wars.state import PLAY, Position, Side, Terms
from games.rulesets.domino_wars.turns import begun, played
from games.rulesets.domino_wars.view import view

# Numbers with the seat that owns them: a for seat 0, who plays vertically, b for seat 1.
MIDDLE = ("2a .. .. ..", "4a 3b 5b ..", ".. .. 2a ..", ".. .. 6a 0b")
START = ("35 A1:A2", "36 B2:C2", "26 C3:C4")
END = ("2b 5b 3b 3a", "4a 5a 6b 6a", "6a 2a 4b 6a", "4a .. 6b 5b")
REPEATED = ("05", "14", "23", "26", "35", "36", "46", "46")
EFFECTS: Final = (
    ("0", "one of your discards goes under your pile"),
    ("1", "draw one"),
    ("2", "put one of your draw pile on top of it"),
    ("3", "nothing"),
    ("4", "discard one of your hand, then draw one"),
    ("5", "no draw at the end of this turn"),
    ("6", "your next turn is skipped"),
)
WIDE, HIGH = 34, 62  # a domino that stands by itself


@cache
def figures() -> dict[str, tuple[str, str]]:
    """Each example as an SVG document and its caption."""
    return {
        "directions": _figure(
            "Directions",
            "After three turns: red, who went first, has played 35 and 26, vertically only; "
            "blue has played 36, horizontally only. The latest domino is framed.",
            _after(START),
        ),
        "allowed": _figure(
            "Where a domino may lie",
            "Red wants to lay the 34. On D3 and D4 it may lie: D3 is empty, and the 0 on D4 is "
            "lower than the 4. With the 3 on B2 it may not, since the 3 there is not lower than "
            "that; the other way round, with the 4 on B2, it may.",
            _position(MIDDLE),
            TentativeDomino(("D3", "D4"), (3, 4), good=True),
            TentativeDomino(("B1", "B2"), (4, 3), good=False),
        ),
        "taken": _figure(
            "Squares change hands",
            "Blue lays the 56 with the 5 on A2 and the 6 on B2. A2 was red's and is blue's now; "
            "B2 was blue's before.",
            _position(MIDDLE),
            TentativeDomino(("A2", "B2"), (5, 6), good=True),
        ),
        "dominoes": _dominoes(
            "The 21 dominoes",
            "All 21 dominoes: every pair of two different numbers from 0 to 6. A deck has eight "
            "of them.",
            NAMES,
            across=7,
        ),
        "effects": _effects(),
        "repeat": _dominoes(
            "A deck with Domino Repeat",
            "A deck of eight dominoes, chosen with one Domino Repeat: the 46 is in it twice.",
            REPEATED,
            across=8,
        ),
        "end": _figure(
            "The end",
            "Nobody can play any more. Red owns eight squares and blue seven, and red has won; "
            "B4 has stayed empty.",
            _position(END),
        ),
    }


def _figure(title: str, caption: str, state: Position, *marks: TentativeDomino) -> tuple[str, str]:
    return drawing(view(state, ROOM), title=title, marks=marks, strip=False), caption


def _dominoes(title: str, caption: str, names: Iterable[str], *, across: int) -> tuple[str, str]:
    """Dominoes in rows, upright, the lower number on top."""
    parts = []
    rows = 0
    for at, name in enumerate(names):
        x, y = 12 + at % across * (WIDE + 10), 12 + at // across * (HIGH + 10)
        rows = at // across + 1
        parts.append(
            f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" rx="6" fill="{WHITE}" '
            f'stroke="{INK}" stroke-width="1.5"/>'
            f'<path d="M{x + 6} {y + HIGH // 2}h{WIDE - 12}" stroke="{GRID}" stroke-width="2"/>'
        )
        for half, number in enumerate(name):
            middle = y + HIGH * (1 + 2 * half) / 4
            parts.append(words(x + WIDE / 2, middle, number, size=19, ink=INK, bold=True))
    size = 14 + across * (WIDE + 10), 14 + rows * (HIGH + 10)
    return _document(size, title, caption, parts), caption


def _effects() -> tuple[str, str]:
    caption = (
        "What each number does: " + "; ".join([f"{each}: {does}" for each, does in EFFECTS]) + "."
    )
    parts = []
    for at, (number, does) in enumerate(EFFECTS):
        y = 28 + at * 36
        parts.append(
            f'<circle cx="28" cy="{y}" r="15" fill="{WHITE}" stroke="{INK}" stroke-width="1.5"/>'
            + words(28, y + 0.5, number, size=18, ink=INK, bold=True)
            + words(54, y, does, size=15, ink=FAINT if number == "3" else INK, anchor="start")
        )
    size = 410, 20 + len(EFFECTS) * 36
    return _document(size, "The effects", caption, parts), caption


def _document(size: tuple[int, int], title: str, text: str, parts: Iterable[str]) -> str:
    width, height = size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title><desc>{escape(text)}</desc>"
        f'<rect width="{width}" height="{height}" rx="10" fill="{PAPER}"/>{"".join(parts)}</svg>'
    )


def _sides() -> tuple[Side, Side]:
    return Side((), ()), Side((), ())


def _position(rows: tuple[str, ...]) -> Position:
    """A position with these squares and no dominoes elsewhere."""
    squares = " ".join(rows).split(" ")
    numbers = tuple([None if square == ".." else int(square[0]) for square in squares])
    owned = [
        sum(1 << at for at in range(SQUARES) if squares[at].endswith(letter)) for letter in "ab"
    ]
    return Position(Terms(0), 0, 0, 0, PLAY, 0, board_of(numbers), (owned[0], owned[1]), _sides())


def _after(texts: tuple[str, ...]) -> Position:
    plays = [play for text in texts if isinstance(play := parse_move(text.lower()), Play)]
    hands = [tuple([play.domino for play in plays[seat::2]]) for seat in (0, 1)]
    state = begun(Terms(0), 0, (Side(hands[0], ()), Side(hands[1], ())))
    for play in plays:
        state = played(state, play)
    return state
