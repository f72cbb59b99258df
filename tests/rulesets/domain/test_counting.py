"""Counting pixels and judging placements, against the reference, and the laws of both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rulesets.domain import board, geometry
from games.rulesets.domain.board import Laid
from games.rulesets.domain.geometry import PlacedRaster
from games.rulesets.domain.moves import COLOURS
from games.rulesets.domain.pool import built_in
from tests.rulesets.domain import reference
from tests.rulesets.domain.helpers import BARE, SMALL, box, pool_of
from tests.support import depth

ODD: dict[str, Any] = {
    "name": "odd",
    "version": "1",
    "size": [40, 30],
    "shapes": [
        *SMALL["shapes"],
        {"id": "07", "outline": [[-9, 4], [0, -8], [9, 4], [0, 1]]},
        {"id": "08", "outline": box(7), "voids": [box(2), [[0, 0], [5, 0], [5, 5]]]},
        {"id": "09", "outline": [[-7, -7], [7, -7], [0, 8]], "inner": [[-4, -5], [4, -5], [0, 4]]},
        {"id": "10", "outline": box(8, 6), "voids": [box(1)], "inner": box(5, 3)},
    ],
}
POOL = pool_of(ODD)
CLASSIC = built_in()["classic@1"]
NOBODY = 2

placements = st.builds(
    Laid,
    seat=st.integers(0, 1),
    shape=st.integers(0, len(POOL.forms) - 1),
    domain=st.integers(0, 1),
    x=st.integers(0, 44),
    y=st.integers(0, 34),
    angle=st.integers(0, 359) | st.sampled_from([0, 45, 90, 180, 270]),
)
lists = st.lists(placements, max_size=6)
some = settings(deadline=None, max_examples=depth.examples(40))


def lying(laid: Laid) -> reference.Lying:
    shape = ODD["shapes"][laid.shape]
    return laid.seat, shape, COLOURS[laid.domain], laid.x, laid.y, laid.angle


@some
@given(laid=lists, red=st.integers(0, 1))
def test_counts_are_those_of_painting_one_shape_after_the_other(laid: list[Laid], red: int) -> None:
    expected = reference.count((40, 30), red, [lying(each) for each in laid])
    assert board.count(POOL, red, tuple(laid)) == expected


@some
@given(laid=lists, placed=placements)
def test_verdicts_are_those_of_the_definition(laid: list[Laid], placed: Laid) -> None:
    expected = reference.is_valid((40, 30), [lying(each) for each in laid], lying(placed))
    assert board.is_valid(POOL, laid, placed) == expected
    faults = board.faults(POOL, laid, placed)
    assert (faults == ()) == expected
    covered = reference.moved(
        reference.parts(ODD["shapes"][placed.shape], placed.angle)[0], placed.x, placed.y
    )
    for fault in faults:
        assert fault.pixels
        assert set(fault.pixels) <= covered
    first = board.first_fault(POOL, laid, placed)
    assert (first is None) == expected
    if first is not None:
        assert (first.code, first.sentence) == (faults[0].code, faults[0].sentence)
        assert first.pixels == faults[0].pixels[: board.MOST_PIXELS]


@pytest.mark.parametrize(("x", "y"), [(0, 0), (5000, 5000), (60, 60)])
def test_a_refusal_gathers_no_more_pixels_than_it_tells(x: int, y: int) -> None:
    """The largest shape of a built-in pool, outside of the domain in part and altogether."""
    pool = built_in()["classic@1"]
    areas = [form.raster(0).covered.area for form in pool.forms]
    placed = Laid(0, areas.index(max(areas)), 0, x, y, 0)
    fault = board.first_fault(pool, (), placed)
    (whole, *_) = board.faults(pool, (), placed)
    assert fault is not None
    assert fault.pixels == whole.pixels[: board.MOST_PIXELS]
    assert len(fault.pixels) == board.MOST_PIXELS < len(whole.pixels)


@some
@given(laid=lists, red=st.integers(0, 1))
def test_every_pixel_is_somebodys_or_nobodys(laid: list[Laid], red: int) -> None:
    """The total of both seats and nobody is always that of both domains."""
    first, second = board.count(POOL, red, tuple(laid))
    painted = {}
    for domain in (0, 1):
        picture = np.full((30, 40), -1)
        for each in laid:
            if each.domain == domain:
                raster = POOL.forms[each.shape].raster(each.angle)
                picture[raster.covered.grid(each.x, each.y, 40, 30)] = each.seat
                picture[raster.dead.grid(each.x, each.y, 40, 30)] = NOBODY
        painted[domain] = picture
    nobody = sum(int((picture == NOBODY).sum()) for picture in painted.values())
    assert first + second + nobody == 2 * BARE


@some
@given(laid=lists, order=st.randoms(use_true_random=False))
def test_the_order_of_placements_that_are_apart_does_not_matter(
    laid: list[Laid], order: Any
) -> None:
    apart: list[Laid] = []
    taken: set[Any] = set()
    for each in laid:
        covered = reference.parts(ODD["shapes"][each.shape], each.angle)[0]
        here = {(each.domain, *pixel) for pixel in reference.moved(covered, each.x, each.y)}
        if not here & taken:
            apart.append(each)
            taken |= here
    shuffled = list(apart)
    order.shuffle(shuffled)
    assert board.count(POOL, 0, tuple(apart)) == board.count(POOL, 0, tuple(shuffled))


@some
@given(laid=lists, placed=placements)
def test_without_a_shape_everything_below_is_as_it_was(laid: list[Laid], placed: Laid) -> None:
    before = board.count(POOL, 1, tuple(laid))
    board.count(POOL, 1, (*laid, placed))
    assert board.count(POOL, 1, tuple(laid)) == before


@some
@given(placed=placements)
def test_swapping_the_seats_swaps_the_counts(placed: Laid) -> None:
    other = Laid(1 - placed.seat, *[getattr(placed, f) for f in placed.__struct_fields__[1:]])
    one, two = board.count(POOL, 0, (placed,)), board.count(POOL, 1, (other,))
    assert one == two[::-1]


def test_counts_beyond_one_word_of_layers() -> None:
    """More than 62 layers: 100 shapes in rows, each half over the last."""
    laid = tuple(Laid(k % 2, 4, 0, 3 + k % 30, 3 + k // 30 * 6, 0) for k in range(100))
    assert board.count(POOL, 0, laid) == reference.count((40, 30), 0, [lying(x) for x in laid])
    deep = tuple(Laid(k % 2, (k * 7) % 10, k % 2, 5 + k % 30, 5 + k % 20, k * 3) for k in range(90))
    assert board.count(POOL, 1, deep) == reference.count((40, 30), 1, [lying(x) for x in deep])


def test_what_covers_a_zone_counts() -> None:
    """House ruling: only what lies on top decides. A square over the void of 03 counts whole."""
    laid = (Laid(0, 2, 0, 20, 15, 0),)
    assert board.count(POOL, 1, laid) == (BARE + 128, BARE - 144)
    covered = (*laid, Laid(1, 4, 0, 20, 15, 0))
    assert board.count(POOL, 1, covered) == (BARE + 144 - 36, BARE - 144 + 36)


def test_a_shape_of_no_pixel_is_valid_anywhere() -> None:
    """A sliver that misses every centre covers nothing, and so touches nothing."""
    pool = pool_of(
        {
            "name": "thin",
            "version": "1",
            "size": [40, 30],
            "shapes": [
                {"id": "01", "outline": [[0, 0], [1, 0], [2, 0]], "start": True},
                {"id": "02", "outline": box(3)},
            ],
        }
    )
    assert pool.forms[0].raster(0).covered.area == 0
    for x, y in ((0, 0), (20, 10), (500, 500)):
        placed = Laid(0, 0, 0, x, y, 0)
        assert board.is_valid(pool, (), placed)
        assert board.faults(pool, (), placed) == ()
        assert board.count(pool, 0, (placed,)) == (BARE, BARE)


def test_huge_shapes_neither_overflow_nor_fill_the_memory() -> None:
    pool = pool_of(
        {
            "name": "huge",
            "version": "1",
            "size": [40, 30],
            "shapes": [
                {"id": "01", "outline": box(10_000), "holes": [box(9_000)], "start": True},
                {"id": "02", "outline": [[-10_000, -10_000], [10_000, 9_999], [10_000, 10_000]]},
            ],
        }
    )
    assert pool.forms[0].raster(0).covered.area == 20_000**2 - 18_000**2
    assert board.count(pool, 0, (Laid(1, 0, 0, 20, 15, 0),)) == (BARE, BARE)
    assert board.count(pool, 0, (Laid(1, 0, 0, 9_500, 15, 0),)) == (0, 2 * BARE)
    assert not board.is_valid(pool, (), Laid(1, 0, 0, 20, 15, 33))
    # A sliver along the diagonal, under a pixel wide here. Its left side runs through centres, so
    # that of each of the 30 rows it takes in one.
    assert board.count(pool, 0, (Laid(1, 1, 0, 20, 15, 0),)) == (BARE - 30, BARE + 30)


def test_the_pools_rasters_are_those_of_the_definition() -> None:
    for number, form in enumerate(CLASSIC.forms):
        shape = CLASSIC.document.shapes[number]
        degrees = (37 * number + 11) % 360
        expected = reference.parts(
            {
                "outline": shape.outline,
                "holes": shape.holes,
                "voids": shape.voids,
                "inner": shape.inner,
            },
            degrees,
        )
        raster = form.raster(degrees)
        assert raster.covered.area == len(expected[0])
        assert raster.void.area == len(expected[1])
        assert raster.purple.area == len(expected[2])
        left, top, right, bottom = raster.covered.box
        grid = raster.covered.grid(-left, -top, right - left, bottom - top)
        rows, columns = np.nonzero(grid)
        seen = set(zip((columns + left).tolist(), (rows + top).tolist(), strict=True))
        assert seen == expected[0]


# -- the quick way and the plain one -------------------------------------------------------------


@settings(max_examples=depth.examples(60), deadline=None)
@given(st.data())
def test_the_quick_count_is_the_plain_one(data: st.DataObject) -> None:
    """On a domain, off it, and far away; with zones and borders above and below."""
    pool = built_in()["classic@1"]
    shapes = data.draw(st.lists(st.integers(0, 23), min_size=1, max_size=24, unique=True))
    laid = tuple(
        Laid(
            data.draw(st.integers(0, 1)),
            shape,
            data.draw(st.integers(0, 1)),
            data.draw(st.one_of(st.integers(0, 600), st.integers(0, 10**9))),
            data.draw(st.one_of(st.integers(0, 450), st.integers(0, 10**9))),
            data.draw(st.integers(0, 359)),
        )
        for shape in shapes
    )
    placed = [
        PlacedRaster(
            each.seat, pool.forms[each.shape].raster(each.angle), each.domain, each.x, each.y
        )
        for each in laid
    ]
    assert geometry.shown(placed, (480, 360)) == board._by_painting(pool, placed)


def test_too_many_layers_are_counted_the_plain_way() -> None:
    square = CLASSIC.forms[0].raster(0)
    most = [PlacedRaster(n % 2, square, 0, 50 + n, 50) for n in range(geometry.MOST_LAYERS)]
    assert geometry.shown(most, (480, 360)) == board._by_painting(CLASSIC, most)
    assert geometry.shown([*most, most[0]], (480, 360)) is None


@settings(max_examples=depth.examples(40), deadline=None)
@given(st.lists(st.tuples(st.integers(-10_000, 10_000), st.integers(-10_000, 10_000)),
                min_size=3, max_size=12))  # fmt: skip
def test_vertices_turned_at_once_are_turned_exactly(ring: list[tuple[int, int]]) -> None:
    outline = geometry.Outline([ring], [], None)
    turns = [(outline, degrees) for degrees in range(360)]
    lengths = np.full(360, len(ring))
    x, y = geometry._vertices_at(turns, lengths, np.cumsum(lengths) - lengths)
    found = list(zip(x.tolist(), y.tolist(), strict=True))
    assert found == [geometry.turned(vertex, degrees) for _, degrees in turns for vertex in ring]


def test_so_close_to_a_half_whole_numbers_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = [(7, 3), (9_999, -9_998), (-5, 10_000)]
    outline = geometry.Outline([ring], [], None)
    lengths = np.array([3])
    plain = geometry._vertices_at([(outline, 77)], lengths, np.array([0]))
    monkeypatch.setattr(geometry, "_CLOSE", 0.5)  # then everything is close
    called: list[tuple[int, int]] = []
    turned = geometry.turned

    def noting(vertex: tuple[int, int], degrees: int) -> tuple[int, int]:
        called.append(vertex)
        return turned(vertex, degrees)

    monkeypatch.setattr(geometry, "turned", noting)
    exact = geometry._vertices_at([(outline, 77)], lengths, np.array([0]))
    assert called == ring
    assert [each.tolist() for each in exact] == [each.tolist() for each in plain]


def test_whoever_asks_for_many_angles_gets_all_of_them_unless_they_are_long() -> None:
    long = geometry.Outline([[(0, 0), (9_000, 10), (0, 20)]], [], None)
    short = geometry.Outline([[(0, 0), (90, 10), (0, 20)]], [], None)
    assert (long.is_short, short.is_short) == (False, True)
    for outline in (long, short):
        counts = []
        for degrees in range(geometry.SELDOM + 1):
            geometry.raster_of(outline, degrees)
            counts.append(sum(known is outline for known, _ in geometry._known))
        whole = geometry.SELDOM + 1 if outline is long else 360
        assert counts == [*range(1, geometry.SELDOM + 1), whole]


def test_rasters_traced_together_are_those_traced_one_by_one() -> None:
    for form in CLASSIC.forms[18:22]:
        shape = form.shape
        for degrees in range(360):
            alone = geometry.raster(
                (shape.outline, *shape.holes), shape.voids, shape.inner or None, degrees
            )
            known = form.raster(degrees)
            for one, other in ((alone.covered, known.covered), (alone.dead, known.dead)):
                assert one.trace.tolist() == other.trace.tolist()


def test_no_more_is_remembered_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(geometry, "_known", {})
    monkeypatch.setattr(geometry, "_MOST_KNOWN", 1_000)
    for form in CLASSIC.forms[:4]:
        for degrees in range(0, 360, 20):
            geometry.raster_of(form.outline, degrees)
            assert len(geometry._known) <= 1_000


def test_a_raster_is_found_even_if_another_thread_clears_what_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Forgetful(dict[Any, Any]):
        """Keeps nothing: as if it were cleared after every step."""

        def __setitem__(self, key: Any, value: Any) -> None:
            pass

        def update(self, *others: Any, **more: Any) -> None:
            pass

    monkeypatch.setattr(geometry, "_known", Forgetful())
    form = CLASSIC.forms[0]
    assert geometry.raster_of(form.outline, 33).covered.area > 0
