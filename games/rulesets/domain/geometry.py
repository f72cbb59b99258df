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
from collections import Counter
from collections.abc import Sequence
from functools import cache, cached_property
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
    return _to_subpixels(x * cos - y * sin), _to_subpixels(x * sin + y * cos)


def _to_subpixels(length: int) -> int:
    return (2 * SUB * length + _ONE) // (2 * _ONE)


# -- crossings ------------------------------------------------------------------------------------

# For all whole degrees, each the double that is nearest.
_COSINES = np.array([cosine(degrees) / _ONE for degrees in range(360)])
_SINES = np.array([sine(degrees) / _ONE for degrees in range(360)])
# What doubles may be wrong by is below 1e-8 for vertices within 10,000 pixels. So close to a half
# the whole numbers decide.
_CLOSE = 1e-6

_SHORT = 1_500  # pixels around all rings

_FARTHEST = 14_143  # pixels: no vertex comes to lie farther away
# Columns and rows of crossings in reading order, of shape (2, n). Every row has an even number.
Trace: TypeAlias = NDArray[np.int16]


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


def _traces_of(turns: Sequence[tuple[Outline, int]]) -> list[tuple[Trace, ...]]:
    """The crossings of outlines at angles, worked out for all of them together."""
    outlines = [outline for outline, _ in turns]
    lengths = np.array([len(outline.vertices) for outline in outlines])
    begins = np.cumsum(lengths) - lengths
    sets = np.array([outline.count for outline in outlines])
    x, y = _vertices_at(turns, lengths, begins)
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
    places = np.array((columns[order], rows[order]), dtype=np.int16)
    cuts = np.searchsorted(which[order], np.arange(int(sets.sum()) + 1)).tolist()
    pieces = [places[:, a:b].copy() for a, b in itertools.pairwise(cuts)]
    ends = np.cumsum(sets).tolist()
    return [
        tuple(pieces[end - outline.count : end])
        for outline, end in zip(outlines, ends, strict=True)
    ]


def _vertices_at(
    turns: Sequence[tuple[Outline, int]], lengths: Ints, begins: Ints
) -> tuple[Ints, Ints]:
    """All vertices as `turned` turns them."""
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

    __slots__ = ("box", "ends", "rows", "starts")

    def __init__(self, rows: Ints, starts: Ints, ends: Ints) -> None:
        self.rows, self.starts, self.ends = rows, starts, ends
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

    @property
    def trace(self) -> Trace:
        """Where spans begin and end."""
        places = np.empty((2, 2 * len(self.rows)), dtype=np.int16)
        places[0, ::2], places[0, 1::2] = self.starts, self.ends
        places[1, ::2] = places[1, 1::2] = self.rows
        return places

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

    def __init__(self, traces: tuple[Trace, ...], outline: Outline) -> None:
        self._traces, self._outline = traces, outline

    @cached_property
    def covered(self) -> Spans:
        """All pixels."""
        columns, rows = self._traces[0].astype(np.int64)
        # From each crossing to the one after it.
        rows, starts, ends = rows[::2], columns[::2], columns[1::2]
        wide = ends > starts
        return Spans(rows[wide], starts[wide], ends[wide])

    @property
    def void(self) -> Spans:
        """The void zones."""
        return self._zones[0]

    @property
    def purple(self) -> Spans:
        """The purple border."""
        return self._zones[1]

    @property
    def dead(self) -> Spans:
        """Void or purple: nobody's."""
        return self._zones[2]

    @cached_property
    def _zones(self) -> tuple[Spans, Spans, Spans]:
        traces, outline = self._traces, self._outline
        if len(traces) == 1:
            none = Spans(*np.zeros((3, 0), dtype=np.int64))
            return none, none, none
        # Several sets of rings at once: a bit each, flipped where one of its edges is crossed.
        columns, rows = np.concatenate(traces, axis=1).astype(np.int64)
        bits = np.repeat(
            np.left_shift(np.int64(1), np.arange(len(traces), dtype=np.int64)),
            [each.shape[1] for each in traces],
        )
        order = np.lexsort((columns, rows))
        rows, columns = rows[order], columns[order]
        inside = np.bitwise_xor.accumulate(bits[order])
        voids = len(traces) - 1 - outline.has_inner
        covered = (inside & 1) != 0
        void = covered & ((inside & (((1 << voids) - 1) << 1)) != 0)
        purple = covered & ((inside >> voids + 1) == 0) if outline.has_inner else covered & False
        found = [_runs(rows, columns, each) for each in (void, purple, void | purple)]
        return found[0], found[1], found[2]

    @cached_property
    def layers(self) -> tuple[Trace, ...]:
        """The crossings of what is covered and, above them, where there is such a thing, those of
        what is nobody's."""
        traces = self._traces
        return traces if len(traces) == 1 else (traces[0], self.dead.trace)


def raster(
    solid: Sequence[Ring], voids: Sequence[Ring], inner: Ring | None, degrees: int
) -> Raster:
    """The raster of a shape turned by ``degrees``.

    Covered is what lies inside an odd number of ``solid`` rings; of that, void is what lies inside
    one of ``voids``, and purple what does not lie inside ``inner``, if there is one.
    """
    outline = Outline(solid, voids, inner)
    return Raster(_traces_of([(outline, degrees)])[0], outline)


# Room for every angle of 40 shapes; a raster takes some 2 kB, and 9 kB once it has been judged.
_MOST_KNOWN = 360 * 40
SELDOM = 8  # angles of a shape that are traced one by one
_known: dict[tuple[Outline, int], Raster] = {}
_traced_singly: Counter[Outline] = Counter()


def raster_of(outline: Outline, degrees: int) -> Raster:
    """The raster of a shape that is turned more often than once."""
    found = _known.get((outline, degrees))
    if found is None:
        found = _trace_and_keep(outline, degrees)
    return found


def _trace_and_keep(outline: Outline, degrees: int) -> Raster:
    """A raster that is not known yet. Each of many angles traced together takes a fifth of the
    time that one takes by itself; so whoever asks for many will get all of them."""
    if len(_known) + 360 > _MOST_KNOWN:
        _known.clear()
        _traced_singly.clear()
    turns = [(outline, degrees)]
    if outline.is_short and _traced_singly[outline] >= SELDOM:
        turns = [(outline, angle) for angle in range(360)]
    found = {
        turn: Raster(traces, outline) for turn, traces in zip(turns, _traces_of(turns), strict=True)
    }
    _traced_singly[outline] += 1
    # Not to be looked up again: another thread may have cleared everything meanwhile.
    _known.update(found)
    return found[outline, degrees]


def _runs(rows: Ints, columns: Ints, chosen: NDArray[np.bool_]) -> Spans:
    """The spans from each chosen crossing to the next one; no row ends chosen."""
    wide = chosen[:-1] & (columns[1:] > columns[:-1])
    return Spans(rows[:-1][wide], columns[:-1][wide], columns[1:][wide])


# -- what lies on top ----------------------------------------------------------------------------

_LAYER_BITS = 8
MOST_LAYERS = 62  # that the bits of a whole number tell apart
# Below so many places what is to be sorted fits 32 bits, which takes half the time.
_FEW_PLACES = 1 << 31 - _LAYER_BITS - 1
_LARGEST = 2_000  # pixels along a side of a field
_AWAY = _LARGEST + _FARTHEST  # a shape moved so far lies on no field


class PlacedRaster(NamedTuple):
    """A raster moved by (x, y), neither negative, on one of two fields, in one of two paints."""

    paint: int
    raster: Raster
    field: int
    x: int
    y: int


def shown(
    placed: Sequence[PlacedRaster], size: tuple[int, int]
) -> tuple[list[int], list[int]] | None:
    """How many pixels show each of the two paints, and how many of each field are covered at all.

    A later raster lies on top of an earlier one, and what is void or purple shows neither paint.
    ``size`` is a field's width and height; what sticks out of it is left out. All rasters are
    looked at at once, so there is a limit to them: None where there are too many.
    """
    layers = [layer for each in placed for layer in each.raster.layers]
    if not layers:
        return [0, 0], [0, 0]
    if len(layers) > MOST_LAYERS:
        return None
    width, height = size
    # A bit for each layer, from below to above; in the paints' masks only what shows the paint.
    masks, moves, offsets = [0, 0], [], []
    bit = 0
    for each in placed:
        move = min(each.x, _AWAY), min(each.y, _AWAY)
        masks[each.paint] |= 1 << bit
        for _ in each.raster.layers:
            moves.append(move)
            offsets.append((each.field * height * (width + 1) << _LAYER_BITS) | bit)
            bit += 1
    keys = _keys(layers, moves, offsets, size)
    # From each crossing to the next the same layers cover everything. A row's last crossing closes
    # its last span, so that nothing runs on into the next row.
    stack = keys & ((1 << _LAYER_BITS) - 1)
    one = np.int32(1) if bit < 31 else np.int64(1)  # narrow is quicker
    stack = np.bitwise_xor.accumulate(np.left_shift(one, stack))
    keys >>= _LAYER_BITS
    run = np.zeros_like(keys)
    np.subtract(keys[1:], keys[:-1], out=run[:-1])
    run *= stack != 0
    # There are fewer pixels than places, so no sum is too large for the numbers' kind.
    split = int(np.searchsorted(keys, height * (width + 1)))
    fields = [int(part.sum(dtype=run.dtype)) for part in (run[:split], run[split:])]
    paints = []
    for mask in masks:
        mine = stack & mask
        # The highest layer decides which of the two numbers is larger.
        paints.append(int((run * (mine > (stack ^ mine))).sum(dtype=run.dtype)))
    return paints, fields


def _keys(
    layers: Sequence[Trace],
    moves: Sequence[tuple[int, int]],
    offsets: Sequence[int],
    size: tuple[int, int],
) -> Keys:
    """The places of all crossings in reading order, shifted for the bit that each flips; columns
    drawn in to the sides of the fields, and rows outside of them left out. A row has one place
    more than pixels, for spans that reach to its end."""
    width, height = size
    lengths = [layer.shape[1] for layer in layers]
    places = np.concatenate(layers, axis=1)
    places += np.repeat(np.array(moves, dtype=np.int16).T, lengths, axis=1)
    columns, rows = places
    np.maximum(columns, 0, out=columns)
    np.minimum(columns, width, out=columns)
    few = 2 * height * (width + 1) < _FEW_PLACES
    keys: Keys = rows.astype(np.int32 if few else np.int64)
    keys *= width + 1
    keys += columns
    keys <<= _LAYER_BITS
    keys += np.repeat(np.array(offsets, dtype=keys.dtype), lengths)
    keys = keys[(rows >= 0) & (rows < height)]
    keys.sort(kind="stable")  # quickest for what is made of sorted pieces
    return keys
