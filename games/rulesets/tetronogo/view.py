"""What everyone may see of a match of Tetronogo.

Nothing in a state is secret from anyone: a pick waits outside of it until both are in. So all
audiences get the same view, and it shows

- ``phase``: ``pick``, ``starter``, ``place`` or ``over``; ``bout`` (from 1) of ``most_bouts``;
  ``advantage``; ``totals`` over the finished bouts; ``outcome`` once there is one;
- ``used`` and ``unused``: each seat's tetrominoes, today's among the used once it is revealed;
- of the bout in play ``pieces``, ``chooser`` (who chooses the starter), ``starter``, ``turn`` (who
  places now), ``placed``, ``board``, ``last`` (the latest placement), ``left`` (how many
  placements each seat has) and ``standing`` (the points if the bout ended now);
- ``shapes``: by tetromino and rotation, the ``[column, row]`` offsets from the corner. All
  tetrominoes while picking, later those in play; only rotations that look different;
- ``bouts``: the finished ones, each with its board, its points, how it ended, and its groups with
  the edges of both seats and who scored them.

``placed`` is a list of ``[seat, "D4 90"]``. A board is a list of rows from the top, a character a
square: ``.`` for an empty one, else the place in ``placed`` of the piece that covers it, as a
digit in base 36 (no more than 36 tetrominoes fit).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from games.engine.decisions import Seat
from games.rulesets.tetronogo.guessing import _placement
from games.rulesets.tetronogo.moves import LETTERS, SIZE, SQUARES, Letter
from games.rulesets.tetronogo.notation import print_move as text_of
from games.rulesets.tetronogo.pieces import TETROMINOES, Duel, Tetromino, duel, names
from games.rulesets.tetronogo.scoring import points
from games.rulesets.tetronogo.state import MOST_BOUTS, Bout, TetronogoState

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def view(state: TetronogoState) -> dict[str, Any]:
    """The view of a state; see this module."""
    frame = state.frame
    placing = frame.phase == "place"
    laid = _plies(frame.duel, frame.starter or 0, state.placed)
    pieces = frame.pieces
    return {
        "phase": frame.phase,
        "size": SIZE,
        "bout": frame.number,
        "most_bouts": MOST_BOUTS,
        "advantage": frame.advantage,
        "totals": list(frame.totals),
        "outcome": _outcome(state),
        "used": [list(frame.used(0)), list(frame.used(1))],
        "unused": [list(frame.unused(0)), list(frame.unused(1))],
        "pieces": None if pieces is None else list(pieces),
        "chooser": None if frame.phase == "over" else frame.chooser,
        "starter": frame.starter,
        "turn": state.mover,
        "placed": _ply_texts(laid),
        "board": _board(laid),
        "last": _last(laid[-1]) if laid else None,
        "left": list(state.left) if placing else None,
        "standing": list(points(*state.boards)) if placing else None,
        "shapes": {letter: _shapes(letter) for letter in _visible_letters(state)},
        "bouts": [_bout(number, bout) for number, bout in enumerate(frame.bouts, start=1)],
    }


def _outcome(state: TetronogoState) -> dict[str, Any] | None:
    outcome = state.frame.outcome
    if outcome is None:
        return None
    return {
        "winner": outcome.winner,
        "reason": outcome.reason,
        "scores": list(outcome.scores),
    }


# A piece on a board: whose, which tetromino, and which of its placements.
_Laid: TypeAlias = tuple[Seat, Tetromino, int]


def _plies(bout: Duel, starter: Seat, placed: Sequence[int]) -> list[_Laid]:
    seats = (starter, 1 - starter)
    return [
        (seats[ply & 1], bout.pieces[seats[ply & 1]], number) for ply, number in enumerate(placed)
    ]


def _ply_texts(laid: Sequence[_Laid]) -> list[list[Any]]:
    return [[seat, text_of(piece.moves[number])] for seat, piece, number in laid]


def _board(laid: Sequence[_Laid]) -> list[str]:
    squares = ["."] * SQUARES
    for digit, (_, piece, number) in zip(DIGITS, laid, strict=False):
        for square in piece.squares[number]:
            squares[square] = digit
    return ["".join(squares[start : start + SIZE]) for start in range(0, SQUARES, SIZE)]


def _last(laid: _Laid) -> dict[str, Any]:
    seat, piece, number = laid
    return {
        "seat": seat,
        "move": text_of(piece.moves[number]),
        "piece": piece.letter,
        "squares": list(names(piece.squares[number])),
    }


def _visible_letters(state: TetronogoState) -> Sequence[Letter]:
    if state.frame.phase == "pick":
        return LETTERS
    return sorted(set(state.frame.pieces or ()))


def _shapes(letter: Letter) -> dict[str, list[list[int]]]:
    return {
        str(turns * 90): [[column, row] for column, row in shape]
        for turns, shape in enumerate(TETROMINOES[letter].shapes)
    }


def _bout(number: int, bout: Bout) -> dict[str, Any]:
    laid = _plies(duel(*bout.pieces), bout.starter, bout.placed)
    return {
        "bout": number,
        "pieces": list(bout.pieces),
        "starter": bout.starter,
        "placed": _ply_texts(laid),
        "board": _board(laid),
        "points": list(bout.points),
        "winner": bout.winner,
        "stuck": bout.stuck,
        "out_of_time": bout.out_of_time,
        "groups": [
            {
                "squares": list(names(group.squares)),
                "edges": list(group.edges),
                "taker": bout.taker(group),
            }
            for group in bout.groups
        ],
    }


def squares_covered(letter: Letter, text: str) -> tuple[int, ...]:
    """The squares that a placement covers, given as canonical text."""
    return TETROMINOES[letter].reach(_placement(text))[0]


def squares_named(names_given: Iterable[str]) -> tuple[int, ...]:
    """The squares of these names."""
    return tuple((int(given[1:]) - 1) * SIZE + ord(given[0]) - ord("A") for given in names_given)
