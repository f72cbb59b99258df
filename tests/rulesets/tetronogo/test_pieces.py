"""The tetrominoes, their placements, and the tables of what a placed piece takes away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.refusals import Refusal
from games.rulesets.tetronogo.bits import WIDEST, draw_member, members, nth_member
from games.rulesets.tetronogo.moves import LETTERS, SIZE, PlaceTetromino
from games.rulesets.tetronogo.pieces import (
    NOWHERE,
    TETROMINOES,
    board_bit,
    names,
    remaining,
    squares_of,
)
from tests.rulesets.tetronogo import reference
from tests.rulesets.tetronogo.helpers import RULES, decision_of, placing, read, source


def _as_set(squares: tuple[int, ...]) -> reference.Placement:
    return frozenset((square % SIZE, square // SIZE) for square in squares)


def test_there_are_seven_tetrominoes() -> None:
    assert list(TETROMINOES) == list("OISZLJT")
    assert set(TETROMINOES) == set(reference.SHAPES)


@pytest.mark.parametrize(
    ("letter", "count"),
    [("O", 121), ("I", 216), ("S", 220), ("Z", 220), ("L", 440), ("J", 440), ("T", 440)],
)
def test_placements_are_all_those_inside_the_board(letter: str, count: int) -> None:
    piece = TETROMINOES[letter]
    found = [_as_set(squares) for squares in piece.squares]
    assert len(found) == len(set(found)) == count
    assert set(found) == reference.placements(letter, frozenset())


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("turns", range(4))
def test_a_rotation_is_a_quarter_turn_clockwise(letter: str, turns: int) -> None:
    piece = TETROMINOES[letter]
    for square in range(SIZE * SIZE):
        expected = reference.covered(letter, square % SIZE, square // SIZE, turns * 90)
        number = piece.placement[turns][square]
        if expected <= reference.BOARD:
            assert _as_set(piece.squares[number]) == expected
        else:
            assert number == NOWHERE
        inside, fits = piece.reach(PlaceTetromino(square, turns))
        assert _as_set(inside) == expected & reference.BOARD
        assert fits == (expected <= reference.BOARD)


@pytest.mark.parametrize(("letter", "lies_under"), [("L", "J"), ("S", "Z")])
def test_no_piece_can_be_flipped(letter: str, lies_under: str) -> None:
    assert not (
        reference.placements(letter, frozenset()) & reference.placements(lies_under, frozenset())
    )
    flipped = {_as_set(squares) for squares in TETROMINOES[lies_under].squares}
    assert not flipped & {_as_set(squares) for squares in TETROMINOES[letter].squares}


@pytest.mark.parametrize(
    ("letter", "alike"),
    [
        ("O", {0: 0, 90: 0, 180: 0, 270: 0}),
        ("I", {0: 0, 90: 90, 180: 0, 270: 90}),
        ("S", {0: 0, 90: 90, 180: 0, 270: 90}),
        ("Z", {0: 0, 90: 90, 180: 0, 270: 90}),
        ("L", {0: 0, 90: 90, 180: 180, 270: 270}),
        ("J", {0: 0, 90: 90, 180: 180, 270: 270}),
        ("T", {0: 0, 90: 90, 180: 180, 270: 270}),
    ],
)
def test_rotations_that_look_alike_are_the_same_placement(
    letter: str, alike: dict[int, int]
) -> None:
    state = placing(letter, letter)
    decision = decision_of(state, 0)
    for given_as, printed in alike.items():
        move = read(f"D4 {given_as}")
        RULES.validate(state, decision, move)
        canonical = RULES.canonical(state, decision, move)
        assert RULES.print(canonical) == f"D4 {printed}"
        assert RULES.apply(state, ((0, move),)) == RULES.apply(state, ((0, canonical),))


@pytest.mark.parametrize("first", LETTERS)
@pytest.mark.parametrize("second", LETTERS)
def test_a_placed_piece_takes_away_exactly_what_overlaps_it(first: str, second: str) -> None:
    placed, target = TETROMINOES[first], TETROMINOES[second]
    table = remaining(first, second)
    for number in range(0, len(placed.moves), 37):
        under = set(placed.squares[number])
        free = [n for n, squares in enumerate(target.squares) if not under & set(squares)]
        assert list(members(table[number])) == free


def test_board_bits_and_names_go_both_ways() -> None:
    assert [squares_of(board_bit(square)) for square in range(144)] == [(n,) for n in range(144)]
    assert names((0, 11, 39, 143)) == ("A1", "L1", "D4", "L12")


def test_a_stray_placement_number_fails_loudly() -> None:
    with pytest.raises(IndexError):
        RULES.apply(placing("I", "I"), ((0, PlaceTetromino(143, 0)),))


# -- bit sets ----------------------------------------------------------------------------------

sets = st.sets(st.integers(0, 439), min_size=1)


def _bits(numbers: set[int]) -> int:
    return sum(1 << number for number in numbers)


@given(sets, st.integers(440, WIDEST - 1))
def test_the_nth_member_is_the_nth_in_order(numbers: set[int], width: int) -> None:
    bits = _bits(numbers)
    assert list(members(bits)) == sorted(numbers)
    assert [nth_member(bits, n, width) for n in range(len(numbers))] == sorted(numbers)


@given(sets, st.integers(0, 2**32))
def test_a_drawn_member_is_a_member(numbers: set[int], seed: int) -> None:
    assert draw_member(_bits(numbers), 440, source(seed)) in numbers


@pytest.mark.parametrize("count", [1, 3, 8, 9, 40, 73, 74, 200, 440])
def test_members_are_drawn_uniformly(count: int) -> None:
    """Chi-squared over all members, against the value that 1 in 100,000 fair runs exceeds
    (Wilson and Hilferty's approximation)."""
    step = 440 // count
    numbers = [n * step for n in range(count)]
    bits, random = _bits(set(numbers)), source(count)
    draws = 40 * count
    counts = dict.fromkeys(numbers, 0)
    for _ in range(draws):
        counts[draw_member(bits, 440, random)] += 1
    if count == 1:
        assert counts == {0: draws}
        return
    chi = sum((found - 40) ** 2 / 40 for found in counts.values())
    free = count - 1
    spread = 2 / (9 * free)
    assert chi < free * (1 - spread + 4.265 * spread**0.5) ** 3


def test_a_letter_beyond_the_seven_is_refused() -> None:
    with pytest.raises(Refusal) as refused:
        read("pick X")
    assert refused.value.code == "notation.tetromino"
