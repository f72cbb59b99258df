"""Which pixels a shape covers: small rasters drawn by hand, then every law by chance."""

from __future__ import annotations

import math
from decimal import localcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rulesets.domain import geometry
from games.rulesets.domain.geometry import Spans
from games.rulesets.domain.pool import built_in
from tests.rulesets.domain import reference
from tests.support import depth

CLASSIC = built_in()["classic@1"]


def drawn(spans: Spans, width: int, height: int, x: int = 0, y: int = 0) -> list[str]:
    """A picture of the pixels, row by row."""
    return [
        "".join("#" if pixel else "." for pixel in row)
        for row in spans.grid(x, y, width, height).tolist()
    ]


def pixels(spans: Spans) -> set[tuple[int, int]]:
    rows = zip(spans.rows.tolist(), spans.starts.tolist(), spans.ends.tolist(), strict=True)
    return {(column, row) for row, start, end in rows for column in range(start, end)}


def covered(*rings: geometry.Ring, degrees: int = 0) -> Spans:
    return geometry.raster(rings, (), None, degrees).covered


# -- by hand -------------------------------------------------------------------------------------


def test_a_square_covers_the_pixels_between_its_sides() -> None:
    assert drawn(covered([(0, 0), (3, 0), (3, 2), (0, 2)]), 5, 4) == [
        "###..",
        "###..",
        ".....",
        ".....",
    ]


def test_a_centre_on_a_left_edge_is_inside_and_on_a_right_edge_outside() -> None:
    """The diagonal from (0, 0) to (4, 4) runs through the centres of its pixels. As the left side
    of a triangle it takes them in, as the right side it leaves them out."""
    assert drawn(covered([(0, 0), (4, 0), (4, 4)]), 4, 4) == ["####", ".###", "..##", "...#"]
    assert drawn(covered([(0, 0), (4, 4), (0, 4)]), 4, 4) == ["....", "#...", "##..", "###."]


def test_both_triangles_of_a_square_share_no_pixel_and_leave_none() -> None:
    one = pixels(covered([(0, 0), (4, 0), (4, 4)]))
    two = pixels(covered([(0, 0), (4, 4), (0, 4)]))
    assert not one & two
    assert one | two == {(i, j) for i in range(4) for j in range(4)}


def test_a_centre_on_an_upper_edge_is_inside_and_on_a_lower_edge_outside() -> None:
    """A diamond about (1, 1) has a centre on each of its sides. The left sides take theirs in, the
    right sides do not. Turned by 45 degrees, a square of 2 by 2 about (0, 0) has its corners
    362/256 away from the middle, and the four centres around are 181/256 away: well inside."""
    assert pixels(covered([(0, 1), (1, 0), (2, 1), (1, 2)])) == {(0, 0), (0, 1)}
    turned = covered([(-1, -1), (1, -1), (1, 1), (-1, 1)], degrees=45)
    assert pixels(turned) == {(-1, -1), (0, -1), (-1, 0), (0, 0)}


def test_half_open_also_where_a_corner_lies_at_the_height_of_centres() -> None:
    """A rhombus turned by 30 degrees has corners at heights of whole 1/256 pixels: (0, 1) goes to
    (-128, 222) and (1, 0) to (222, 128), which is the height of the centres of row 0. There the
    side that ends at that corner does not count and the one that begins there does."""
    corners = [geometry.turned(vertex, 30) for vertex in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    assert corners == [(222, 128), (-128, 222), (-222, -128), (128, -222)]
    rhombus = covered([(1, 0), (0, 1), (-1, 0), (0, -1)], degrees=30)
    # Row 0, y = 128: the left side runs from (-222, -128) to (-128, 222) and is at x = -153 there,
    # the right one from (222, 128) on at 222: columns from -1 on and from 1 on.
    # Row -1, y = -128: from (-222, -128) on, and from (128, -222) to (222, 128) at 153.
    assert pixels(rhombus) == {(-1, 0), (0, 0), (-1, -1), (0, -1)}


def test_a_slope_of_two_to_one() -> None:
    """From (0, 0) to (4, 2): at the row of y = 0.5 the side is at x = 1, at y = 1.5 at x = 3."""
    assert drawn(covered([(0, 0), (4, 2), (0, 2)]), 4, 2) == ["#...", "###."]


def test_a_hole_and_a_ring_that_crosses_itself_are_even_odd() -> None:
    ring = covered([(0, 0), (5, 0), (5, 5), (0, 5)], [(1, 1), (4, 1), (4, 4), (1, 4)])
    assert drawn(ring, 5, 5) == ["#####", "#...#", "#...#", "#...#", "#####"]
    bow = covered([(0, 0), (4, 4), (4, 0), (0, 4)])
    # Two triangles that meet at (2, 2). Both diagonals run through centres: in the first row they
    # count from columns 0 and 3 on, so that of the left triangle nothing is left there.
    assert drawn(bow, 4, 4) == ["...#", "#.##", "#.##", "...#"]


def test_rotation_is_clockwise_on_a_page_whose_y_runs_down() -> None:
    """An arm to the right points down after 90 degrees, left after 180, up after 270."""
    arm = [(0, -1), (4, -1), (4, 1), (0, 1)]
    boxes = [covered(arm, degrees=degrees).box for degrees in (0, 90, 180, 270)]
    assert boxes == [(0, -1, 4, 1), (-1, 0, 1, 4), (-4, -1, 0, 1), (-1, -4, 1, 0)]


@pytest.mark.parametrize(
    ("vertex", "degrees", "expected"),
    [
        ((10, 0), 30, (2217, 1280)),  # 2560 cos 30 = 2217.02..., 2560 sin 30 = 1280
        ((10, 0), 45, (1810, 1810)),  # 1810.19...
        ((10, 0), 1, (2560, 45)),  # 2559.61..., 44.67...
        ((0, 10), 1, (-45, 2560)),
        ((-7, 3), 90, (-768, -1792)),
    ],
)
def test_a_turned_vertex_is_rounded_to_the_nearest_256th(
    vertex: tuple[int, int], degrees: int, expected: tuple[int, int]
) -> None:
    assert geometry.turned(vertex, degrees) == expected
    assert reference.turned(vertex, degrees) == expected


# -- sines ---------------------------------------------------------------------------------------


def test_sines_are_exact_to_thirty_digits() -> None:
    for degrees in range(360):
        assert geometry.sine(degrees) == pytest.approx(
            math.sin(math.radians(degrees)) * 2**128, abs=2**80
        )
        with localcontext() as context:
            context.prec = 60
            exact = int(reference.sine(degrees) * 2**128)
        assert abs(geometry.sine(degrees) - exact) < 2**20
        assert geometry.cosine(degrees) == geometry.sine((degrees + 90) % 360)
    assert [geometry.sine(degrees) for degrees in (0, 30, 90, 270)] == [
        0,
        2**127,
        2**128,
        -(2**128),
    ]


def test_no_vertex_of_the_pool_comes_near_to_a_tie_of_rounding() -> None:
    """So that arithmetic of any sensible accuracy, a browser's too, rounds like ours."""
    one = 2**128
    for form in CLASSIC.forms:
        for x, y in {vertex for ring in form.shape.rings for vertex in ring}:
            for degrees in range(360):
                cos, sin = geometry.cosine(degrees), geometry.sine(degrees)
                for length in (x * cos - y * sin, x * sin + y * cos):
                    assert abs(256 * length % one - one // 2) > one // 10**6


# -- laws ----------------------------------------------------------------------------------------

vertices = st.tuples(st.integers(-14, 14), st.integers(-14, 14))
rings = st.lists(vertices, min_size=3, max_size=7)
angles = st.integers(0, 359)
quick = settings(deadline=None, max_examples=depth.examples(60))


@quick
@given(ring=rings, hole=rings, degrees=angles)
def test_rasters_are_those_of_the_definition(
    ring: list[tuple[int, int]], hole: list[tuple[int, int]], degrees: int
) -> None:
    spans = geometry.raster((ring, hole), (), None, degrees).covered
    expected = reference.cover([ring, hole], degrees)
    assert pixels(spans) == expected
    assert spans.area == len(expected)
    if expected:
        left, top, right, bottom = spans.box
        assert (left, right - 1) == (min(i for i, _ in expected), max(i for i, _ in expected))
        assert (top, bottom - 1) == (min(j for _, j in expected), max(j for _, j in expected))


@quick
@given(ring=rings, voids=st.lists(rings, max_size=2), inner=st.none() | rings, degrees=angles)
def test_zones_are_those_of_the_definition(
    ring: list[tuple[int, int]],
    voids: list[list[tuple[int, int]]],
    inner: list[tuple[int, int]] | None,
    degrees: int,
) -> None:
    raster = geometry.raster((ring,), voids, inner, degrees)
    shape = {"outline": ring, "voids": voids, "inner": inner}
    covers, void, purple = reference.parts(shape, degrees)
    assert pixels(raster.covered) == covers
    assert pixels(raster.void) == void
    assert pixels(raster.purple) == purple
    assert pixels(raster.dead) == void | purple


@quick
@given(ring=rings, degrees=angles, x=st.integers(-9, 9), y=st.integers(-9, 9))
def test_a_grid_is_a_window_on_the_pixels(
    ring: list[tuple[int, int]], degrees: int, x: int, y: int
) -> None:
    spans = covered(ring, degrees=degrees)
    grid = spans.grid(x, y, 12, 9)
    seen = {(i, j) for j in range(9) for i in range(12) if grid[j, i]}
    expected = reference.moved(reference.cover([ring], degrees), x, y)
    assert seen == {(i, j) for i, j in expected if 0 <= i < 12 and 0 <= j < 9}


@quick
@given(ring=rings, degrees=angles)
def test_a_turn_of_360_degrees_is_none(ring: list[tuple[int, int]], degrees: int) -> None:
    """Four quarter turns, and any angle with the rest of the way round, cover what was covered."""
    quarters = ring
    for _ in range(4):
        turned = [geometry.turned(vertex, 90) for vertex in quarters]
        assert all(x % 256 == y % 256 == 0 for x, y in turned)
        quarters = [(x // 256, y // 256) for x, y in turned]
    assert pixels(covered(quarters, degrees=degrees)) == pixels(covered(ring, degrees=degrees))
    around = geometry.cosine(degrees), geometry.sine(degrees)
    back = geometry.cosine(-degrees % 360), geometry.sine(-degrees % 360)
    # The product of both turns, to far more digits than any vertex needs.
    assert abs(around[0] * back[0] - around[1] * back[1] - 2**256) < 2**140
    assert abs(around[0] * back[1] + around[1] * back[0]) < 2**140
