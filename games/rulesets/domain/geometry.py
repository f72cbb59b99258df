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


# -- crossings ------------------------------------------------------------------------------------

# For all whole degrees, each the double that is nearest.
_COSINES = np.array([cosine(degrees) / _ONE for degrees in range(360)])
_SINES = np.array([sine(degrees) / _ONE for degrees in range(360)])
# What doubles may be wrong by is below 1e-8 for vertices within 10,000 pixels. So close to a half
# the whole numbers decide.
_CLOSE = 1e-6

_SHORT = 1_500  # pixels around all rings

Small: TypeAlias = NDArray[np.int16]  # no vertex comes to lie farther than 14,143 pixels away
Trace: TypeAlias = tuple[Small, Small]  # rows and columns of crossings, in reading order


class Outline:
    """The rings of a shape, ready to be turned: solid ones as set 0, then a set for each void ring,
    then the inner ring of a border as the last one."""

    __slots__ = ("count", "following", "has_inner", "is_short", "sets", "vertices", "x", "y")

    def __init__(self, solid: Sequence[Ring], voids: Sequence[Ring], inner: Ring | None) -> None:
        rings = [(0, ring) for ring in solid]
        rings += list(enumerate((*voids, *([inner] if inner else [])), 1))
        self.vertices = [vertex for _, ring in rings for vertex in ring]
        self.x = np.array([float(SUB * x) for x, _ in self.vertices])
        self.y = np.array([float(SUB * y) for _, y in self.vertices])
        self.following = np.array(_following([len(ring) for _, ring in rings]))
        self.sets = np.array([number for number, ring in rings for _ in ring])
        self.count = rings[-1][0] + 1
        self.has_inner = inner is not None
        sides = np.hypot(self.x[self.following] - self.x, self.y[self.following] - self.y)
        self.is_short = float(sides.sum()) <= SUB * _SHORT


def _following(lengths: Sequence[int]) -> list[int]:
    """For each vertex of several rings in a row the number of the next one around its ring."""
    found: list[int] = []
    for length in lengths:
        first = len(found)
        found += [*range(first + 1, first + length), first]
    return found


# Room for every angle of 40 shapes; a trace takes about a kilobyte.
_MOST_TRACES = 360 * 40
_known: dict[tuple[Outline, int], tuple[Trace, ...]] = {}


def trace(outline: Outline, degrees: int) -> tuple[Trace, ...]:
    """The crossings of an outline turned by ``degrees``, about its reference point, set by set."""
    return _traces([(outline, degrees)])[0]


def _traces(turns: Sequence[tuple[Outline, int]]) -> list[tuple[Trace, ...]]:
    found = [_known.get(turn) for turn in turns]
    if None in found:
        missing = {turn for turn, known in zip(turns, found, strict=True) if known is None}
        traced: dict[tuple[Outline, int], tuple[Trace, ...]] = {}
        for outline in {outline for outline, _ in missing if outline.is_short}:
            # All angles together take little longer than one by itself.
            whole = [(outline, degrees) for degrees in range(360)]
            traced.update(zip(whole, _traced(whole), strict=True))
        single = list(missing - traced.keys())
        if single:
            traced.update(zip(single, _traced(single), strict=True))
        if len(_known) + len(traced) > _MOST_TRACES:
            _known.clear()
        _known.update(traced)
        found = [
            traced[turn] if known is None else known
            for turn, known in zip(turns, found, strict=True)
        ]
    return [known for known in found if known is not None]


def _traced(turns: Sequence[tuple[Outline, int]]) -> list[tuple[Trace, ...]]:
    """The crossings of outlines at angles, worked out for all of them together."""
    outlines = [outline for outline, _ in turns]
    lengths = np.array([len(outline.vertices) for outline in outlines])
    begins = np.cumsum(lengths) - lengths
    sets = np.array([outline.count for outline in outlines])
    x, y = _all_turned(turns, lengths, begins)
    shift = np.repeat(begins, lengths)
    after = np.concatenate([outline.following for outline in outlines]) + shift
    x2, y2 = x[after], y[after]
    upwards = y > y2
    x1, x2 = np.where(upwards, x2, x), np.where(upwards, x, x2)
    y1, y2 = np.where(upwards, y2, y), np.where(upwards, y, y2)
    firsts = (y1 + _ROUND_UP) >> _SHIFT
    counts = ((y2 + _ROUND_UP) >> _SHIFT) - firsts
    edge = np.repeat(np.arange(len(counts)), counts)
    starts = np.cumsum(counts) - counts
    rows = np.arange(len(edge)) + (firsts - starts)[edge]
    # The least px that is far enough to the right. Doubles hold these numbers exactly, and a
    # quotient lies farther from the next whole number than a division can be wrong by.
    steps = (x1 - x2).astype(np.float64)[edge] * ((rows << _SHIFT) + (_HALF - y1)[edge])
    reach = np.floor(steps / (y2 - y1)[edge]).astype(np.int64)
    columns = ((x1 + _ROUND_UP)[edge] - reach) >> _SHIFT
    of_set = np.concatenate([outline.sets for outline in outlines])
    which = (of_set + np.repeat(np.cumsum(sets) - sets, lengths))[edge]
    order = np.lexsort((columns, rows, which))
    rows, columns = rows[order].astype(np.int16), columns[order].astype(np.int16)
    cuts = np.searchsorted(which[order], np.arange(int(sets.sum()) + 1)).tolist()
    pieces = [(rows[a:b].copy(), columns[a:b].copy()) for a, b in itertools.pairwise(cuts)]
    ends = np.cumsum(sets).tolist()
    return [
        tuple(pieces[end - outline.count : end])
        for outline, end in zip(outlines, ends, strict=True)
    ]


def _all_turned(
    turns: Sequence[tuple[Outline, int]], lengths: Ints, begins: Ints
) -> tuple[Ints, Ints]:
    """All vertices as :func:`turned` turns them."""
    x = np.concatenate([outline.x for outline, _ in turns])
    y = np.concatenate([outline.y for outline, _ in turns])
    degrees = np.array([angle for _, angle in turns])
    cos, sin = np.repeat(_COSINES[degrees], lengths), np.repeat(_SINES[degrees], lengths)
    exact = np.array((x * cos - y * sin, x * sin + y * cos)) + 0.5
    whole = np.floor(exact)
    rest = exact - whole
    found = whole.astype(np.int64)
    for index in np.flatnonzero(((rest < _CLOSE) | (rest > 1 - _CLOSE)).any(axis=0)).tolist():
        number = int(np.searchsorted(begins, index, side="right")) - 1
        outline, angle = turns[number]
        found[:, index] = turned(outline.vertices[index - int(begins[number])], angle)
    return found[0], found[1]


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
    outline = Outline(solid, voids, inner)
    return _raster_of(_traced([(outline, degrees)])[0], outline)


def raster_of(outline: Outline, degrees: int) -> Raster:
    """The raster of a shape that is turned more often than once."""
    return _raster_of(trace(outline, degrees), outline)


def _raster_of(sets: Sequence[Trace], outline: Outline) -> Raster:
    rows, columns = (each.astype(np.int64) for each in sets[0])
    if len(sets) == 1:
        none = Spans(rows[:0], rows[:0], rows[:0])
        return Raster(_paired(rows, columns), none, none, none)
    # Several sets of rings at once: a bit each, flipped where one of its edges is crossed.
    rows = np.concatenate([each for each, _ in sets]).astype(np.int64)
    columns = np.concatenate([each for _, each in sets]).astype(np.int64)
    bits = np.repeat(
        np.left_shift(np.int64(1), np.arange(len(sets), dtype=np.int64)),
        [len(each) for each, _ in sets],
    )
    order = np.lexsort((columns, rows))
    rows, columns = rows[order], columns[order]
    inside = np.bitwise_xor.accumulate(bits[order])
    voids = len(sets) - 1 - outline.has_inner
    covered = (inside & 1) != 0
    void = covered & ((inside & (((1 << voids) - 1) << 1)) != 0)
    purple = covered & ((inside >> voids + 1) == 0) if outline.has_inner else covered & False
    return Raster(
        _runs(rows, columns, covered),
        _runs(rows, columns, void),
        _runs(rows, columns, purple),
        _runs(rows, columns, void | purple),
    )


def _paired(rows: Ints, columns: Ints) -> Spans:
    """The spans between the crossings of one set of rings, which are in reading order: every row
    has an even number."""
    rows = rows[::2]
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


# -- the same, quicker ---------------------------------------------------------------------------


class Placed(NamedTuple):
    """An outline turned by whole ``degrees`` and moved by (x, y), neither negative, on one of two
    fields, in one of two paints."""

    paint: int
    outline: Outline
    degrees: int
    field: int
    x: int
    y: int


# No shape reaches so far from its reference point.
_AWAY = 100_000
MOST_AT_ONCE = 62  # sets of rings that the bits of a whole number tell apart


def shown(placed: Sequence[Placed], size: tuple[int, int]) -> tuple[list[int], list[int]] | None:
    """How many pixels show each of the two paints, and how many of each field are covered at all.
    What is void or purple of the shape on top shows neither paint.

    The same as :func:`visible` of the shapes' rasters, but quicker: all shapes at once, out of
    crossings that need not be paired. None where there are too many rings for that.
    """
    if not placed:
        return [0, 0], [0, 0]
    sets = [each.outline.count for each in placed]
    if sum(sets) > MOST_AT_ONCE:
        return None
    # A bit for each set of rings: first those that only matter in the shape on top, then, from
    # below to above, the shapes themselves.
    extras = sum(sets) - len(placed)
    keys = _all_keys(placed, extras, size)
    width, height = size
    one = np.int32(1) if sum(sets) < 31 else np.int64(1)  # narrow is quicker
    stack = np.bitwise_xor.accumulate(np.left_shift(one, keys & ((1 << _LAYER_BITS) - 1)))
    # From each crossing to the next the same shapes cover everything. A row's last crossing closes
    # its last span, so that nothing runs on into the next row.
    at = keys >> _LAYER_BITS
    run = np.zeros_like(at)
    np.subtract(at[1:], at[:-1], out=run[:-1])
    tops = stack >> extras if extras else stack
    split = int(np.searchsorted(at, height * (width + 1)))
    run[tops == 0] = 0
    fields = [int(run[:split].sum(dtype=np.int64)), int(run[split:].sum(dtype=np.int64))]
    # The highest shape decides which of the two numbers is larger.
    first = tops & sum(1 << n for n, each in enumerate(placed) if each.paint == 0)
    ones = int((run * (first > (tops ^ first))).sum(dtype=np.int64))
    paints = [ones, sum(fields) - ones]
    special = sum(1 << n for n, count in enumerate(sets) if count > 1)
    if special:
        maybe = np.flatnonzero(tops & special)
        tops, stack, run = tops[maybe], stack[maybe], run[maybe]
        aside = 0
        for layer, each in enumerate(placed):
            if each.outline.count > 1:
                dead = _dead(stack, aside, each.outline) & (tops >> layer == 1)
                paints[each.paint] -= int((run * dead).sum(dtype=np.int64))
                aside += each.outline.count - 1
    return paints, fields


def _dead(stack: NDArray[Any], aside: int, outline: Outline) -> NDArray[np.bool_]:
    """Where a shape that lies on top, and whose extra bits begin at ``aside``, is void or
    purple."""
    count = outline.count - 1
    voids = count - 1 if outline.has_inner else count
    dead: NDArray[np.bool_] = stack & (((1 << voids) - 1) << aside) != 0
    if outline.has_inner:
        dead |= stack & (1 << aside + count - 1) == 0
    return dead


def _all_keys(placed: Sequence[Placed], extras: int, size: tuple[int, int]) -> Keys:
    """The places of all crossings in reading order, the bit that each flips in their low bits;
    columns drawn in to the sides of the fields, and rows outside of them left out."""
    width, height = size
    stride = width + 1
    kind = np.int32 if 2 * height * stride < _FEW_PLACES else np.int64
    rows_of, columns_of, lengths, moves = [], [], [], []
    aside = 0
    for layer, (each, traces) in enumerate(
        zip(placed, _traces([each[1:3] for each in placed]), strict=True)
    ):
        code = (each.field * height * stride) << _LAYER_BITS
        x, y = min(each.x, _AWAY), min(each.y, _AWAY)
        for number, (rows, columns) in enumerate(traces):
            rows_of.append(rows)
            columns_of.append(columns)
            lengths.append(len(rows))
            bit = extras + layer if number == 0 else aside + number - 1
            moves.append((x, y, code | bit))
        aside += len(traces) - 1
    across, down, codes = np.array(moves, dtype=kind).T
    rows = np.concatenate(rows_of) + np.repeat(down, lengths)
    columns = np.concatenate(columns_of) + np.repeat(across, lengths)
    np.maximum(columns, 0, out=columns)
    np.minimum(columns, width, out=columns)
    keys = ((rows * stride + columns) << _LAYER_BITS) + np.repeat(codes, lengths)
    kept: Keys = keys[(rows >= 0) & (rows < height)]
    kept.sort(kind="stable")  # quickest for what is made of sorted pieces
    return kept


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
