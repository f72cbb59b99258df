"""Groups and edges: the fast scoring against a plain one, hand-worked boards, and laws."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rulesets.tetronogo import scoring
from games.rulesets.tetronogo.moves import SIZE
from games.rulesets.tetronogo.pieces import board_bit, names, squares_of
from tests.rulesets.tetronogo import reference
from tests.rulesets.tetronogo.helpers import walk


def _board(squares: frozenset[reference.Square]) -> int:
    return sum(board_bit(row * SIZE + column) for column, row in squares)


def _squares(board: int) -> frozenset[reference.Square]:
    return frozenset((square % SIZE, square // SIZE) for square in squares_of(board))


def _drawn(rows: list[str]) -> tuple[int, int]:
    """Boards from a drawing of the top left part (0 and 1: the seats' squares); the rest of the
    board is empty."""
    boards = [0, 0]
    for row, line in enumerate(rows):
        for column, mark in enumerate(line):
            if mark in "01":
                boards[int(mark)] |= board_bit(row * SIZE + column)
    return boards[0], boards[1]


def _group_at(boards: tuple[int, int], square: str) -> scoring.Group:
    (group,) = [g for g in scoring.groups(*boards) if square in names(g.squares)]
    return group


boards = st.tuples(st.integers(0, 2**144 - 1), st.integers(0, 2**144 - 1)).map(
    lambda pair: (
        frozenset((n % 12, n // 12) for n in range(144) if pair[0] >> n & 1),
        frozenset((n % 12, n // 12) for n in range(144) if (pair[1] & ~pair[0]) >> n & 1),
    )
)
sparse = st.lists(
    st.tuples(st.integers(0, 11), st.integers(0, 11), st.integers(0, 1)), max_size=90
).map(
    lambda cells: (
        frozenset((x, y) for x, y, seat in cells if seat == 0),
        frozenset((x, y) for x, y, seat in cells if seat == 1)
        - frozenset((x, y) for x, y, seat in cells if seat == 0),
    )
)
any_board = boards | sparse


def test_a_corner_closed_in_by_pieces_and_borders() -> None:
    """A1 B1 C1 A2 B2: under A2 and B2, right of B2 and under C1 there is seat 0 (4 edges), right
    of C1 seat 1 (1 edge). The border counts for nobody."""
    group = _group_at(_drawn(["...11", "..011", "000"]), "A1")
    assert names(group.squares) == ("A1", "B1", "C1", "A2", "B2")
    assert group.edges == (4, 1)
    assert group.taker == 0


def test_a_group_may_be_a_single_square() -> None:
    group = _group_at(_drawn([".1", "01"]), "A1")
    assert names(group.squares) == ("A1",)
    assert group.edges == (1, 1)


def test_the_same_number_of_edges_leaves_a_group_to_nobody() -> None:
    """A1 A2 B1 B2 has two edges of seat 1 on its right and two of seat 0 below."""
    group = _group_at(_drawn(["..11", "..11", "0000"]), "A1")
    assert group.edges == (2, 2)
    assert group.taker is None


def test_squares_that_touch_at_a_corner_only_are_two_groups() -> None:
    boards = _drawn([".0", "1.", "01"])
    assert names(_group_at(boards, "A1").squares) == ("A1",)
    assert "A1" not in names(_group_at(boards, "B2").squares)


def test_a_square_that_touches_a_group_twice_gives_two_edges() -> None:
    """Seat 0 has only B2, which touches B1 from below and A2 from the right. Seat 1 has D1 beside
    C1, C2 below C1 and A3 below A2."""
    assert _group_at(_drawn(["...1", ".01", "11"]), "A1").edges == (2, 3)


def test_the_border_of_the_board_counts_for_nobody() -> None:
    """One seat 0 square in an otherwise empty board: four edges in the middle, two in a corner."""
    assert scoring.groups(board_bit(39), 0)[0].edges == (4, 0)
    assert scoring.groups(board_bit(0), 0)[0].edges == (2, 0)


def test_the_taker_scores_all_squares_of_the_group_touched_or_not() -> None:
    assert scoring.points(board_bit(0), 0) == (143, 0)


def test_an_empty_board_scores_nothing() -> None:
    assert scoring.points(0, 0) == (0, 0)
    (group,) = scoring.groups(0, 0)
    assert group == scoring.Group(tuple(range(144)), (0, 0))


def test_a_full_board_has_no_groups() -> None:
    full = _board(reference.BOARD)
    assert scoring.points(full, 0) == scoring.points(0, full) == (0, 0)
    assert scoring.groups(full, 0) == ()


def test_squares_do_not_wrap_around_the_border() -> None:
    """L1 and A2 follow each other in reading order, but do not touch."""
    found = {
        names(group.squares)
        for group in scoring.groups(_board(reference.BOARD - {(11, 0), (0, 1)}), 0)
    }
    assert found == {("L1",), ("A2",)}
    left_border = frozenset((0, row) for row in range(12))
    right_border = frozenset((11, row) for row in range(12))
    assert scoring.groups(_board(left_border), 0)[0].edges == (12, 0)
    assert scoring.groups(0, _board(right_border))[0].edges == (0, 12)


@given(any_board)
def test_points_are_those_of_the_plain_reference(
    board: tuple[frozenset[reference.Square], frozenset[reference.Square]],
) -> None:
    first, second = board
    assert scoring.points(_board(first), _board(second)) == reference.points(first, second)


@given(any_board)
def test_groups_are_those_of_the_plain_reference(
    board: tuple[frozenset[reference.Square], frozenset[reference.Square]],
) -> None:
    first, second = board
    found = scoring.groups(_board(first), _board(second))
    by_squares = {
        frozenset((square % SIZE, square // SIZE) for square in group.squares): group.edges
        for group in found
    }
    assert by_squares == {
        group: (reference.edges(group, first), reference.edges(group, second))
        for group in reference.groups(first | second)
    }
    assert [group.squares[0] for group in found] == sorted(group.squares[0] for group in found)


@given(any_board)
def test_points_unscored_and_covered_squares_make_up_the_board(
    board: tuple[frozenset[reference.Square], frozenset[reference.Square]],
) -> None:
    first, second = map(_board, board)
    scored = scoring.points(first, second)
    found = scoring.groups(first, second)
    unscored = sum(len(group.squares) for group in found if group.taker is None)
    assert sum(scored) + unscored + (first | second).bit_count() == 144
    assert scored == tuple(
        sum(len(group.squares) for group in found if group.taker == seat) for seat in (0, 1)
    )


@given(any_board)
def test_swapping_the_seats_swaps_the_points(
    board: tuple[frozenset[reference.Square], frozenset[reference.Square]],
) -> None:
    first, second = map(_board, board)
    assert scoring.points(second, first) == scoring.points(first, second)[::-1]


@given(any_board, st.booleans())
def test_turning_or_mirroring_the_board_changes_no_points(
    board: tuple[frozenset[reference.Square], frozenset[reference.Square]], mirror: bool
) -> None:
    def moved(squares: frozenset[reference.Square]) -> int:
        return _board(frozenset((11 - y, 11 - x if mirror else x) for x, y in squares))

    first, second = board
    assert scoring.points(moved(first), moved(second)) == scoring.points(
        _board(first), _board(second)
    )


@pytest.mark.slow
def test_thousands_of_played_boards_score_as_the_plain_reference_says() -> None:
    """Every position of random matches, finished bouts included."""
    compared = 0
    for seed in range(60):
        for state in walk(seed):
            ended = [bout.boards for bout in state.frame.bouts[-1:]]
            for first, second in [state.boards, *ended]:
                expected = reference.points(_squares(first), _squares(second))
                assert scoring.points(first, second) == expected
                compared += 1
    assert compared > 5000


def test_the_drawing_helper_reads_what_it_is_given() -> None:
    first, second = _drawn(["01", ".1"])
    assert (_squares(first), _squares(second)) == (
        frozenset({(0, 0)}),
        frozenset({(1, 0), (1, 1)}),
    )


def test_random_occupancies_of_every_density() -> None:
    random = Random(12)
    for _ in range(400):
        density = random.random()
        first: set[reference.Square] = set()
        second: set[reference.Square] = set()
        for square in reference.BOARD:
            if random.random() < density:
                (first if random.random() < 0.5 else second).add(square)
        expected = reference.points(frozenset(first), frozenset(second))
        assert scoring.points(_board(frozenset(first)), _board(frozenset(second))) == expected
