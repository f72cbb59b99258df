"""The seven tetrominoes and, for every pair of them, what a placed copy takes from the other.

Two numberings are used. A *square* is 0 to 143, row by row from A1. A *placement* of a tetromino
is 0 up to its number of placements on the empty board (121 for O, 216 for I, 220 for S and Z,
440 for L, J and T); sets of placements are bit sets over that numbering.

Boards are bit sets with a spare column at the end of each row, so that shifting one by a step in
any direction never carries a square over to another row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from games.engine.decisions import Seat
from games.rulesets.tetronogo.bits import members
from games.rulesets.tetronogo.moves import LETTERS, SIZE, SQUARES, Letter, PlaceTetromino, name

STRIDE = SIZE + 1  # bits from one row of a board to the next
ROW = (1 << SIZE) - 1
BOARD = sum(ROW << (STRIDE * row) for row in range(SIZE))
NOWHERE = 10**6  # placement number of a piece off the board; beyond every table

Cell: TypeAlias = tuple[int, int]  # column and row, from the top left
Shape: TypeAlias = tuple[Cell, ...]

# Seen from above at rotation 0. There is no flipping: S and Z, and L and J, are different pieces.
DRAWN: dict[Letter, tuple[str, ...]] = {
    "O": ("##", "##"),
    "I": ("####",),
    "S": (".##", "##."),
    "Z": ("##.", ".##"),
    "L": ("..#", "###"),
    "J": ("#..", "###"),
    "T": (".#.", "###"),
}


def shape_of(drawn: tuple[str, ...]) -> Shape:
    """The filled cells of a drawing, row by row."""
    return tuple(
        (column, row)
        for row, line in enumerate(drawn)
        for column, mark in enumerate(line)
        if mark == "#"
    )


def turned(shape: Shape) -> Shape:
    """The shape after a quarter turn clockwise, again with its box in the top left corner."""
    bottom = max(row for _, row in shape)
    return tuple(sorted(((bottom - row, column) for column, row in shape), key=lambda c: c[::-1]))


def box(shape: Shape) -> tuple[int, int]:
    """Width and height of the box around a shape."""
    return 1 + max(column for column, _ in shape), 1 + max(row for _, row in shape)


def board_bit(square: int) -> int:
    """The board that has only this square."""
    return 1 << (square // SIZE * STRIDE + square % SIZE)


def squares_of(board: int) -> tuple[int, ...]:
    """The squares of a board, rising."""
    return tuple(bit // STRIDE * SIZE + bit % STRIDE for bit in members(board))


def names(squares: Iterable[int]) -> tuple[str, ...]:
    """The names of squares, in the order given."""
    return tuple(map(name, squares))


@dataclass(frozen=True, eq=False, slots=True)
class Tetromino:
    """One tetromino and its placements.

    ``shapes`` has one entry for each rotation that looks different, from 0 on. ``moves``,
    ``squares`` and ``boards`` are by placement; ``placement[turns][square]`` is the placement
    with that corner, `NOWHERE` if it would stick out of the board.
    """

    letter: Letter
    shapes: tuple[Shape, ...]
    moves: tuple[PlaceTetromino, ...]
    squares: tuple[tuple[int, ...], ...]
    boards: tuple[int, ...]
    placement: tuple[tuple[int, ...], ...]

    @property
    def everywhere(self) -> int:
        """The set of all placements."""
        return (1 << len(self.moves)) - 1

    def canonical(self, move: PlaceTetromino) -> PlaceTetromino:
        """The same placement with the smallest rotation that looks like it."""
        turns = move.turns % len(self.shapes)
        return move if turns == move.turns else PlaceTetromino(move.square, turns)

    def reach(self, move: PlaceTetromino) -> tuple[tuple[int, ...], bool]:
        """The squares on the board that a move covers, and whether it stays on the board."""
        shape = self.shapes[move.turns % len(self.shapes)]
        cells = [(move.column + column, move.row + row) for column, row in shape]
        inside = tuple(row * SIZE + column for column, row in cells if column < SIZE and row < SIZE)
        return inside, len(inside) == len(cells)


def _tetromino(letter: Letter) -> Tetromino:
    shapes = [shape_of(DRAWN[letter])]
    while (shape := turned(shapes[-1])) != shapes[0]:
        shapes.append(shape)
    moves: list[PlaceTetromino] = []
    squares: list[tuple[int, ...]] = []
    numbers = [[NOWHERE] * SQUARES for _ in shapes]
    for turns, shape in enumerate(shapes):
        width, height = box(shape)
        for row in range(SIZE - height + 1):
            for column in range(SIZE - width + 1):
                corner = row * SIZE + column
                numbers[turns][corner] = len(moves)
                moves.append(PlaceTetromino(corner, turns))
                squares.append(tuple(corner + y * SIZE + x for x, y in shape))
    return Tetromino(
        letter=letter,
        shapes=tuple(shapes),
        moves=tuple(moves),
        squares=tuple(squares),
        boards=tuple(sum(map(board_bit, covered)) for covered in squares),
        placement=tuple(tuple(numbers[turns % len(shapes)]) for turns in range(4)),
    )


TETROMINOES: dict[Letter, Tetromino] = {letter: _tetromino(letter) for letter in LETTERS}


@cache
def remaining(placed: Letter, of: Letter) -> tuple[int, ...]:
    """By placement of ``placed``: the set of placements of ``of`` that it leaves free."""
    piece, target = TETROMINOES[placed], TETROMINOES[of]
    covering = [0] * SQUARES  # by square: the placements of the target that cover it
    for number, squares in enumerate(target.squares):
        for square in squares:
            covering[square] |= 1 << number
    everywhere = target.everywhere
    left = []
    for squares in piece.squares:
        blocked = 0
        for square in squares:
            blocked |= covering[square]
        left.append(everywhere & ~blocked)
    return tuple(left)


# What placing needs at hand: the piece's moves; its placement numbers by turns and square; and
# by placement, what it leaves of its owner's placements and of the opponent's.
Side: TypeAlias = tuple[
    tuple[PlaceTetromino, ...], tuple[tuple[int, ...], ...], tuple[int, ...], tuple[int, ...]
]


@dataclass(frozen=True, eq=False, slots=True)
class Duel:
    """The tetrominoes of a bout, by seat, with the tables for placing them."""

    pieces: tuple[Tetromino, ...]
    sides: tuple[Side, ...]

    def boards(self, starter: Seat, placed: tuple[int, ...]) -> tuple[int, int]:
        """The squares that each seat's pieces cover, after alternating placements."""
        sides = [0, 0]
        for seat, piece in enumerate(self.pieces):
            boards = piece.boards
            for number in placed[seat ^ starter :: 2]:
                sides[seat] |= boards[number]
        return sides[0], sides[1]


UNKNOWN = Duel((), ())  # until the picks are revealed


@cache
def duel(first: Letter, second: Letter) -> Duel:
    """The one duel of these tetrominoes, seat 0's and seat 1's."""

    def side(own: Letter, others: Letter) -> Side:
        piece = TETROMINOES[own]
        return piece.moves, piece.placement, remaining(own, own), remaining(own, others)

    return Duel(
        (TETROMINOES[first], TETROMINOES[second]), (side(first, second), side(second, first))
    )
