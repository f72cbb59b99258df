"""The rules again, as slowly and plainly as they read: what the quick engine is held against.

Squares are (column, row) with column 0 for A and row 0 for R; rows above the board are negative.
Nothing here is shared with the ruleset but the names of squares.
"""

from __future__ import annotations

from collections import deque

Square = tuple[int, int]
Board = dict[Square, int]

COLUMNS = "ABCDEFGHI"
ROWS = "RSTUVWXYZ"


def square(name: str) -> Square:
    return COLUMNS.index(name[0]), ROWS.index(name[1])


def name(at: Square) -> str:
    return COLUMNS[at[0]] + ROWS[at[1]]


def on_board(at: Square) -> bool:
    column, row = at
    if at in (square("AR"), square("IR")):
        return True
    if at in (square("BZ"), square("HZ")):
        return False
    return 1 <= column <= 7 and 0 <= row <= 8


SQUARES = [(c, r) for r in range(9) for c in range(9) if on_board((c, r))]


def free(at: Square, board: Board) -> bool:
    """Whether a half may pass here: an empty square, or anywhere above columns A to I."""
    column, row = at
    if row < 0:
        return 0 <= column <= 8
    return on_board(at) and at not in board


def spots() -> list[tuple[Square, Square]]:
    """Every pair of neighbouring squares, left or upper one first."""
    return [
        (at, beside)
        for at in SQUARES
        for beside in ((at[0] + 1, at[1]), (at[0], at[1] + 1))
        if on_board(beside)
    ]


def reachable(board: Board, flat: bool) -> set[tuple[Square, Square]]:
    """Where a domino in this orientation can get to: a search one step at a time, starting from
    everywhere above the board."""

    def halves(column: int, row: int) -> tuple[Square, Square]:
        return (column, row), ((column + 1, row) if flat else (column, row + 1))

    starts = [(column, -3) for column in range(8 if flat else 9)]
    seen = set(starts)
    waiting = deque(starts)
    while waiting:
        column, row = waiting.popleft()
        for to in ((column - 1, row), (column + 1, row), (column, row + 1)):
            if to not in seen and all(free(half, board) for half in halves(*to)):
                seen.add(to)
                waiting.append(to)
    places = {halves(*at) for at in seen}
    return {place for place in places if all(on_board(half) for half in place)}


def supported(place: tuple[Square, Square], board: Board) -> bool:
    def carried(at: Square) -> bool:
        below = (at[0], at[1] + 1)
        return not on_board(below) or below in board

    return any(carried(at) for at in place)


def wings_allow(place: tuple[Square, Square], board: Board) -> bool:
    for wing, needs in (("AR", ("BS", "CR")), ("IR", ("HS", "GR"))):
        if square(wing) in place and not any(square(need) in board for need in needs):
            return False
    return True


def legal(board: Board) -> set[tuple[str, str]]:
    """The pairs of squares, in board order, on which a domino can be placed."""
    return {
        (name(place[0]), name(place[1]))
        for flat in (True, False)
        for place in reachable(board, flat)
        if supported(place, board) and wings_allow(place, board)
    }


def met(board: Board, new: tuple[Square, Square]) -> str:
    """The letters met by a placement; ``board`` holds the new numbers already."""
    letters = set()
    for letter, right, down in (("H", 1, 0), ("V", 0, 1), ("D", 1, 1), ("D", -1, 1)):
        for column, row in SQUARES:
            line = [(column + i * right, row + i * down) for i in range(3)]
            if not all(at in board for at in line) or not any(at in line for at in new):
                continue
            total = sum(board[at] for at in line)
            if total in (0, 5, 10, 15):
                letters.add(letter)
            if total in (0, 15):
                letters.add("B")
    return "".join(letter for letter in "HVDB" if letter in letters)
