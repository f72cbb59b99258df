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


class Match:
    """A whole match as its rules tell it: pieces lie on squares, and bouts follow one another."""

    def __init__(self, advantage: int) -> None:
        self.advantage = advantage
        self.phase = "pick"
        self.used: tuple[list[str], list[str]] = ([], [])
        self.won: list[int | None] = []  # by bout: who won it, None where it was drawn
        self.totals = [0, 0]
        self.mover = 0
        self.pieces: tuple[list[Placement], list[Placement]] = ([], [])
        self.winner: int | None = None
        self.reason = ""

    @property
    def chooser(self) -> int:
        """The player with the advantage; in a later bout the loser of the one before, if any."""
        before = self.won[-1] if self.won else None
        return self.advantage if before is None else 1 - before

    @property
    def boards(self) -> tuple[frozenset[Square], frozenset[Square]]:
        """The squares under each player's pieces."""
        first, second = self.pieces
        return frozenset().union(*first), frozenset().union(*second)

    def choices(self) -> set[Placement]:
        """Where the player whose turn it is can place a copy of their tetromino."""
        first, second = self.boards
        return placements(self.used[self.mover][-1], first | second)

    def pick(self, first: str, second: str) -> None:
        """Both tetrominoes are revealed; neither may have been used by its player before."""
        for letter, used in zip((first, second), self.used, strict=True):
            assert letter not in used
            used.append(letter)
        self.phase = "starter"

    def start(self, order: str) -> None:
        """The chooser goes first or second."""
        self.mover = self.chooser if order == "first" else 1 - self.chooser
        self.pieces = ([], [])
        self.phase = "place"

    def place(self, placement: Placement) -> None:
        """A piece is placed; a player whose turn begins without room for theirs ends the bout."""
        assert placement in self.choices()
        self.pieces[self.mover].append(placement)
        self.mover = 1 - self.mover
        if not self.choices():
            first, second = points(*self.boards)
            self._bout_ends(first, second, None if first == second else int(second > first))

    def run_out(self) -> None:
        """The player whose turn it is scores nothing, and the other one wins the bout."""
        scored = list(points(*self.boards))
        scored[self.mover] = 0
        self._bout_ends(scored[0], scored[1], 1 - self.mover)

    def _bout_ends(self, first: int, second: int, winner: int | None) -> None:
        self.totals[0] += first
        self.totals[1] += second
        self.won.append(winner)
        if winner is not None and self.won[-2:] == [winner, winner]:
            self._match_ends(winner, "two-in-a-row")
        elif len(self.won) < 4:
            self.phase = "pick"
        elif self.totals[0] != self.totals[1]:
            self._match_ends(int(self.totals[1] > self.totals[0]), "total")
        else:
            latest = [each for each in self.won if each is not None]
            self._match_ends(latest[-1] if latest else self.advantage, "tie-break")

    def _match_ends(self, winner: int, reason: str) -> None:
        self.phase, self.winner, self.reason = "over", winner, reason
