"""The shape of the board."""

from games.rulesets.domino_black_white.board import (
    CELL_OF,
    CELLS,
    NAME_OF,
    SPOTS,
    spots_in,
    stands_on_floor,
)
from games.rulesets.domino_black_white.lines import LINES
from tests.rulesets.domino_black_white import reference


def test_there_are_63_squares() -> None:
    assert len(CELLS) == 63
    assert set(CELL_OF) == {reference.name(at) for at in reference.SQUARES}


def test_the_bottom_corners_are_gone_and_stand_as_wings_at_the_top() -> None:
    assert "BZ" not in CELL_OF
    assert "HZ" not in CELL_OF
    assert {name for name in CELL_OF if name[0] in "AI"} == {"AR", "IR"}


def test_the_middle_is_seven_columns_by_nine_rows_without_those_corners() -> None:
    block = {column + row for column in "BCDEFGH" for row in "RSTUVWXYZ"}
    assert {name for name in CELL_OF if name[0] not in "AI"} == block - {"BZ", "HZ"}


def test_the_floor_is_under_y_in_columns_b_and_h_under_z_between_and_under_the_wings() -> None:
    floor = {NAME_OF[cell] for cell in CELLS if stands_on_floor(cell)}
    assert floor == {"BY", "HY", "CZ", "DZ", "EZ", "FZ", "GZ", "AR", "IR"}


def test_a_spot_is_two_squares_side_by_side_or_one_above_the_other() -> None:
    expected = {tuple(map(reference.name, spot)) for spot in reference.spots()}
    assert {spot.squares for spot in SPOTS} == expected
    assert len(SPOTS) == len(expected) == 108


def test_the_wings_have_a_neighbour_to_one_side_only() -> None:
    for wing, beside in (("AR", "BR"), ("IR", "HR")):
        assert [spot.squares for spot in SPOTS if wing in spot.squares] == [
            tuple(sorted((wing, beside)))
        ]


def test_lines_are_straight_and_of_three_neighbours() -> None:
    steps = {"H": {(1, 0)}, "V": {(0, 1)}, "D": {(1, 1), (-1, 1)}}
    for line in LINES:
        first, second, third = (reference.square(NAME_OF[cell]) for cell in line.cells)
        step = second[0] - first[0], second[1] - first[1]
        assert step in steps[line.letter]
        assert third == (second[0] + step[0], second[1] + step[1])
    assert len(set(LINES)) == len(LINES) == 162


def test_lines_run_through_the_wings_like_through_any_square() -> None:
    through = {
        (line.letter, tuple([NAME_OF[cell] for cell in line.cells]))
        for line in LINES
        if CELL_OF["AR"] in line.cells or CELL_OF["IR"] in line.cells
    }
    assert through == {
        ("H", ("AR", "BR", "CR")),
        ("D", ("AR", "BS", "CT")),
        ("H", ("GR", "HR", "IR")),
        ("D", ("IR", "HS", "GT")),
    }


def test_a_set_of_spots_lists_each_of_them_once_and_in_order() -> None:
    bits = sum(1 << spot.at for spot in SPOTS)
    assert spots_in(bits) == list(SPOTS)
    assert spots_in(0) == []
