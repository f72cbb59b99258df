"""Tetronogo's board worked out the slow and plain way, to compare the fast one with."""

from __future__ import annotations

Square = tuple[int, int]  # column, row
Placement = frozenset[Square]

SHAPES = {
    "O": ["##", "##"],
    "I": ["####"],
    "S": [".##", "##."],
    "Z": ["##.", ".##"],
    "L": ["..#", "###"],
    "J": ["#..", "###"],
    "T": [".#.", "###"],
}
BOARD = frozenset((column, row) for column in range(12) for row in range(12))


def clockwise(rows: list[str]) -> list[str]:
    """A quarter turn: the first column, read upwards, becomes the first row."""
    return ["".join(row[column] for row in reversed(rows)) for column in range(len(rows[0]))]


def drawing(letter: str, rotation: int) -> list[str]:
    """The rows of a rotated tetromino."""
    rows = SHAPES[letter]
    for _ in range(rotation // 90):
        rows = clockwise(rows)
    return rows


def covered(letter: str, column: int, row: int, rotation: int) -> Placement:
    """The squares under a piece with its box's corner there; perhaps beyond the board."""
    return frozenset(
        (column + x, row + y)
        for y, line in enumerate(drawing(letter, rotation))
        for x, mark in enumerate(line)
        if mark == "#"
    )


def placements(letter: str, taken: frozenset[Square]) -> set[Placement]:
    """Every way to put a tetromino on empty squares of the board."""
    return {
        squares
        for rotation in (0, 90, 180, 270)
        for column, row in BOARD
        if (squares := covered(letter, column, row, rotation)) <= BOARD - taken
    }


def beside(square: Square) -> list[Square]:
    """The squares that share a side with a square, on the board or off it."""
    column, row = square
    return [(column, row - 1), (column + 1, row), (column, row + 1), (column - 1, row)]


def groups(taken: frozenset[Square]) -> set[frozenset[Square]]:
    """The empty squares, split into groups."""
    rest = set(BOARD - taken)
    found = set()
    while rest:
        waiting = [rest.pop()]
        group = set(waiting)
        while waiting:
            for square in beside(waiting.pop()):
                if square in rest:
                    rest.remove(square)
                    group.add(square)
                    waiting.append(square)
        found.add(frozenset(group))
    return found


def edges(group: frozenset[Square], pieces: frozenset[Square]) -> int:
    """How many sides the squares of a group share with squares of these pieces."""
    return sum(1 for square in group for next_to in beside(square) if next_to in pieces)


def points(first: frozenset[Square], second: frozenset[Square]) -> tuple[int, int]:
    """Both players' points on a board."""
    scored = [0, 0]
    for group in groups(first | second):
        mine, theirs = edges(group, first), edges(group, second)
        if mine > theirs:
            scored[0] += len(group)
        elif theirs > mine:
            scored[1] += len(group)
    return scored[0], scored[1]
