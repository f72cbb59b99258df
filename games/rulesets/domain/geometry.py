"""Which pixels a turned polygon covers, in whole numbers alone, so that every machine agrees.

Lengths are whole numbers of 1/256 pixel. Pixel (i, j) has its centre at (256 i + 128, 256 j + 128).
x runs to the right and y down, and rotations are clockwise. An edge from (x1, y1) to (x2, y2) with
y1 < y2 counts for a centre (px, py) where

    y1 <= py < y2  and  (x2 - x1)(py - y1) <= (px - x1)(y2 - y1),

and the centre is inside where an odd number of edges counts. In a row of pixels each edge counts
from some column on: that column is a *crossing*, and the row is covered between the first and the
second crossing, between the third and the fourth, and so on. So a shape is kept as its spans, row
by row, and never needs a picture of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

SUB = 256  # parts of a pixel
_HALF = SUB // 2
_ROUND_UP = SUB - 1 - _HALF  # added before a shift: the next centre at or after a coordinate
_SHIFT = 8

Ring: TypeAlias = Sequence[tuple[int, int]]  # vertices in whole pixels about the reference point
Ints: TypeAlias = NDArray[np.int64]
Keys: TypeAlias = NDArray[Any]  # of 32 or 64 bits

# -- rotation ------------------------------------------------------------------------------------

# Sines as whole numbers of 2**-128: far finer than any vertex could need, and worked out without
# the C library, whose last digits differ from platform to platform.
_ONE = 1 << 128
_PI = 314159265358979323846264338327950288419716939937510 * _ONE // 10**50


def _sine_by_series(degrees: int) -> int:
    angle = _PI * degrees // 180
    total = term = angle
    step = 1
    while term:
        term = -term * angle // _ONE * angle // _ONE // ((step + 1) * (step + 2))
        # A negative term would be rounded towards -1 for ever.
        if term == -1:
            break
        total += term
        step += 2
    return total


_EXACT = {0: 0, 30: _ONE // 2, 90: _ONE}
_QUADRANT = tuple(
    _EXACT[degrees] if degrees in _EXACT else _sine_by_series(degrees) for degrees in range(91)
)


@cache
def sine(degrees: int) -> int:
    """The sine of 0 to 359 whole degrees, in units of 2**-128."""
    if degrees >= 180:
        return -sine(degrees - 180)
    return _QUADRANT[degrees if degrees <= 90 else 180 - degrees]


def cosine(degrees: int) -> int:
    """The cosine of 0 to 359 whole degrees, in units of 2**-128."""
    return sine((degrees + 90) % 360)


def turned(vertex: tuple[int, int], degrees: int) -> tuple[int, int]:
    """A vertex in whole pixels, turned clockwise about (0, 0), in whole 1/256 pixels.

    Rounded to the nearest, halves up. Which way halves go does not matter: sines of whole degrees
    are irrational but for 0, 1/2 and 1, and multiples of those fall on whole 1/256 pixels.
    """
    x, y = vertex
    cos, sin = cosine(degrees), sine(degrees)
    return _rounded(x * cos - y * sin), _rounded(x * sin + y * cos)


def _rounded(length: int) -> int:
    return (2 * SUB * length + _ONE) // (2 * _ONE)


# -- rasters -------------------------------------------------------------------------------------


class Spans:
    """Pixels as spans: pixels ``starts[k]`` up to but not including ``ends[k]`` of row
    ``rows[k]``, in reading order. Spans do not overlap."""

    __slots__ = ("_keys", "_stride", "box", "ends", "ends_of_spans", "rows", "starts")

    def __init__(self, rows: Ints, starts: Ints, ends: Ints) -> None:
        self.rows, self.starts, self.ends = rows, starts, ends
        # Row and column of every start and every end.
        self.ends_of_spans = np.concatenate((rows, rows)), np.concatenate((starts, ends))
        self._stride = 0
        self._keys: Keys = rows
        # Left, top, right and bottom, the latter two exclusive; all 0 where there are no pixels.
        self.box = (0, 0, 0, 0)
        if len(rows):
            self.box = (int(starts.min()), int(rows[0]), int(ends.max()), int(rows[-1]) + 1)

    def __bool__(self) -> bool:
        return len(self.rows) > 0

    @property
    def area(self) -> int:
        """The number of pixels."""
        return int((self.ends - self.starts).sum())

    def keys(self, stride: int, kind: type[np.int32 | np.int64]) -> Keys:
        """Starts and ends as places in a picture with rows of ``stride``, shifted for a layer's
        number."""
        if self._stride != stride:
            rows, columns = self.ends_of_spans
            places = (rows * stride + columns) << _LAYER_BITS
            self._keys, self._stride = places.astype(kind), stride
        return self._keys

    def grid(self, x: int, y: int, width: int, height: int) -> NDArray[np.bool_]:
        """The pixels, moved by (x, y), as a ``height`` by ``width`` picture; what lies outside of
        it is left out."""
        rows = self.rows + y
        kept = (rows >= 0) & (rows < height)
        rows = rows[kept]
        changes = np.zeros((height, width + 1), dtype=np.int8)
        # Spans of one row may touch: adding, not setting.
        np.add.at(changes, (rows, np.clip(self.starts[kept] + x, 0, width)), 1)
        np.add.at(changes, (rows, np.clip(self.ends[kept] + x, 0, width)), -1)
        covered: NDArray[np.bool_] = np.cumsum(changes[:, :width], axis=1, dtype=np.int8) > 0
        return covered


class Raster:
    """A shape at one angle: all pixels that it covers, and those among them that are void or
    purple, about the pixel at the reference point."""

    __slots__ = ("box", "covered", "dead", "purple", "void")

    def __init__(self, covered: Spans, void: Spans, purple: Spans, dead: Spans) -> None:
        self.covered, self.void, self.purple = covered, void, purple
        self.dead = dead  # void or purple: nobody's
        self.box = covered.box


def raster(
    solid: Sequence[Ring], voids: Sequence[Ring], inner: Ring | None, degrees: int
) -> Raster:
    """The raster of a shape turned by ``degrees``.

    Covered is what lies inside an odd number of ``solid`` rings; of that, void is what lies inside
    one of ``voids``, and purple what does not lie inside ``inner``, if there is one.
    """
    rows, columns = crossings(solid, degrees)
    if not voids and inner is None:
        none = Spans(rows[:0], rows[:0], rows[:0])
        return Raster(_paired(rows, columns), none, none, none)
    # Several sets of rings at once: a bit each, flipped where one of its edges is crossed.
    sets = [(rows, columns)]
    sets += [crossings((ring,), degrees) for ring in (*voids, *([inner] if inner else []))]
    rows = np.concatenate([each for each, _ in sets])
    columns = np.concatenate([each for _, each in sets])
    bits = np.repeat(
        np.left_shift(np.int64(1), np.arange(len(sets), dtype=np.int64)),
        [len(each) for each, _ in sets],
    )
    order = np.lexsort((columns, rows))
    rows, columns = rows[order], columns[order]
    inside = np.bitwise_xor.accumulate(bits[order])
    void_bits = ((1 << len(voids)) - 1) << 1
    covered = (inside & 1) != 0
    void = covered & ((inside & void_bits) != 0)
    purple = covered & ((inside >> len(voids) + 1) == 0) if inner else np.zeros_like(covered)
    return Raster(
        _runs(rows, columns, covered),
        _runs(rows, columns, void),
        _runs(rows, columns, purple),
        _runs(rows, columns, void | purple),
    )


def crossings(rings: Sequence[Ring], degrees: int) -> tuple[Ints, Ints]:
    """Rows and columns from which on an edge of the turned rings counts; unordered."""
    edges: list[tuple[int, int, int, int]] = []
    for ring in rings:
        x1, y1 = turned(ring[-1], degrees)
        for vertex in ring:
            x2, y2 = turned(vertex, degrees)
            if y1 < y2:
                edges.append((x1, y1, x2, y2))
            elif y2 < y1:
                edges.append((x2, y2, x1, y1))
            x1, y1 = x2, y2
    x1s, y1s, x2s, y2s = np.array(edges, dtype=np.int64).reshape(-1, 4).T
    firsts = (y1s + _ROUND_UP) >> _SHIFT
    counts = ((y2s + _ROUND_UP) >> _SHIFT) - firsts
    # One entry for each edge in each row that it counts in.
    starts = np.cumsum(counts) - counts
    rows = np.arange(int(counts.sum()), dtype=np.int64) + np.repeat(firsts - starts, counts)
    down = (rows << _SHIFT) + _HALF - np.repeat(y1s, counts)
    # The least px that is far enough to the right, by a division that rounds up.
    reach = -(np.repeat(x1s - x2s, counts) * down // np.repeat(y2s - y1s, counts))
    columns = (np.repeat(x1s, counts) + reach + _ROUND_UP) >> _SHIFT
    return rows, columns


def _paired(rows: Ints, columns: Ints) -> Spans:
    """The spans between the crossings of one set of rings: every row has an even number."""
    order = np.lexsort((columns, rows))
    rows, columns = rows[order][::2], columns[order]
    starts, ends = columns[::2], columns[1::2]
    wide = ends > starts
    if not wide.all():
        rows, starts, ends = rows[wide], starts[wide], ends[wide]
    return Spans(rows, starts, ends)


def _runs(rows: Ints, columns: Ints, chosen: NDArray[np.bool_]) -> Spans:
    """The spans from each chosen crossing to the next one; no row ends chosen."""
    wide = chosen[:-1] & (columns[1:] > columns[:-1])
    return Spans(rows[:-1][wide], columns[:-1][wide], columns[1:][wide])


# -- what lies on top ----------------------------------------------------------------------------

_PER_WORD = 62  # layers that one whole number of 64 bits tells apart
_LAYER_BITS = 8  # a pool has at most 100 shapes, of two layers each
# Below so many places the numbers to be sorted fit 32 bits, which takes half the time.
_FEW_PLACES = 1 << 31 - _LAYER_BITS - 1


class Layer(NamedTuple):
    """Spans moved by (x, y) on one of several fields, in a paint: a small whole number."""

    paint: int
    spans: Spans
    field: int
    x: int
    y: int


def visible(layers: Sequence[Layer], paints: int, fields: int, size: tuple[int, int]) -> list[Any]:
    """How many pixels show each paint, and how many of each field are covered at all.

    Of two layers the later one lies on top. ``size`` is a field's width and height; what sticks
    out of it is left out. Gives two lists of whole numbers: by paint, and by field.
    """
    width, height = size
    if not layers:
        return [[0] * paints, [0] * fields]
    # Sorted as one number each, which is much faster than by two keys.
    few = fields * height * (width + 1) < _FEW_PLACES
    kind = np.int32 if few else np.int64
    keys = np.concatenate([_keys(layer, n, width, height, kind) for n, layer in enumerate(layers)])
    keys.sort(kind="stable")  # quickest for what is made of sorted pieces
    number, at = keys & ((1 << _LAYER_BITS) - 1), keys >> _LAYER_BITS
    # From each crossing to the next the same layers cover everything. A row's last crossing closes
    # its last span, so that nothing runs on into the next row.
    run = np.zeros_like(at)
    np.subtract(at[1:], at[:-1], out=run[:-1])
    shown = [0] * paints
    empty = np.ones(len(run), dtype=np.bool_)
    for first in reversed(range(0, len(layers), _PER_WORD)):
        one = np.int32(1) if len(layers) < 31 else np.int64(1)  # narrow is quicker
        bits = np.left_shift(one, number - first)
        if len(layers) > _PER_WORD:
            bits[(number < first) | (number >= first + _PER_WORD)] = 0
        stack = np.bitwise_xor.accumulate(bits)
        if first + _PER_WORD < len(layers):
            stack *= empty
        masks = [0] * paints
        for index, layer in enumerate(layers[first : first + _PER_WORD]):
            masks[layer.paint] |= 1 << index
        for paint, mask in enumerate(masks):
            if paint and mask:
                # The highest layer decides which of the two numbers is larger.
                mine = stack & mask
                on_top = mine > (stack ^ mine)
                shown[paint] += int((run * on_top).sum(dtype=np.int64))
        empty &= stack == 0
    run *= ~empty
    borders = np.searchsorted(at, [field * (width + 1) * height for field in range(fields + 1)])
    by_field = [int(run[a:b].sum(dtype=np.int64)) for a, b in itertools.pairwise(borders)]
    shown[0] = sum(by_field) - sum(shown)  # the first paint shows wherever no other one does
    return [shown, by_field]


def _keys(
    layer: Layer, number: int, width: int, height: int, kind: type[np.int32 | np.int64]
) -> Keys:
    """Where the spans of a layer begin and end, in reading order of all fields; a row has one
    place more than pixels, for spans that reach to its end. The layer's number is the low bits."""
    spans, x, y = layer.spans, layer.x, layer.y
    stride = width + 1
    offset = (layer.field * height + y) * stride + x
    left, top, right, bottom = spans.box
    if left + x >= 0 and top + y >= 0 and right + x <= width and bottom + y <= height:
        return spans.keys(stride, kind) + kind(offset << _LAYER_BITS | number)
    rows, columns = spans.ends_of_spans
    if top + y < 0 or bottom + y > height:
        kept = (rows >= -y) & (rows < height - y)
        rows, columns = rows[kept], columns[kept]
    if left + x < 0 or right + x > width:
        columns = np.minimum(np.maximum(columns, -x), width - x)
    keys: Keys = (((rows * stride + columns + offset) << _LAYER_BITS) | number).astype(kind)
    return keys
