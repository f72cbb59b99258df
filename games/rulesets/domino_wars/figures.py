"""The drawn examples of the public rules page, by name."""

from __future__ import annotations

from functools import cache

from games.engine.decisions import ROOM
from games.rulesets.domino_wars.board import Play, board_of
from games.rulesets.domino_wars.lanes import SQUARES
from games.rulesets.domino_wars.notation import parse_move
from games.rulesets.domino_wars.picture import TentativeDomino, drawing
from games.rulesets.domino_wars.state import PLAY, Position, Side, Terms
from games.rulesets.domino_wars.turns import begun, played
from games.rulesets.domino_wars.view import view

# Numbers with the seat that owns them: a for seat 0, who plays vertically, b for seat 1.
MIDDLE = ("2a .. .. ..", "4a 3b 5b ..", ".. .. 2a ..", ".. .. 6a 0b")
START = ("35 A1:A2", "36 B2:C2", "26 C3:C4")


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
    }


def _figure(title: str, caption: str, state: Position, *marks: TentativeDomino) -> tuple[str, str]:
    return drawing(view(state, ROOM), title=title, marks=marks, strip=False), caption


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
