"""Where a shape would gain most: every part of both domains is looked at through the window of the
shape, coarsely at first and then, where that was best, pixel by pixel.

Whose each pixel is, and what nobody may cover, makes a number for each pixel: what covering it
would bring. Sums of those along the rows, from the left, then give what a whole placement would
bring by two looks for each of its rows, so that thousands of placements are judged in a moment.
All numbers are whole, so that every machine finds the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.rulesets.domain.board import Laid
from games.rulesets.domain.geometry import Spans
from games.rulesets.domain.pool import Pool

Ints: TypeAlias = NDArray[np.int64]
Map: TypeAlias = NDArray[np.int8]

NOBODY: Final = 2
UNIT: Final = 100  # what a pixel of lead is worth
_NEVER: Final = 1 << 32  # taken off for each pixel that must not be covered


class Ground:
    """Both domains as they lie: whose each pixel is, and which ones no shape may cover."""

    __slots__ = ("closed", "owners", "pool")

    def __init__(self, pool: Pool, owners: Map, closed: NDArray[np.bool_]) -> None:
        self.pool, self.owners, self.closed = pool, owners, closed

    def copy(self) -> Ground:
        """Another one of the same."""
        return Ground(self.pool, self.owners.copy(), self.closed.copy())

    def lay(self, laid: Laid) -> None:
        """One more shape comes to lie on top."""
        pool = self.pool
        form = pool.forms[laid.shape]
        raster = form.raster(laid.angle)
        _paint(self.owners[laid.domain], raster.covered, laid, laid.seat)
        if not form.special:
            return
        _paint(self.owners[laid.domain], raster.dead, laid, NOBODY)
        _paint(self.closed[laid.domain], raster.void, laid, True)
        for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)):
            _paint(self.closed[laid.domain], raster.purple, laid, True, dx, dy)


def ground_of(pool: Pool, red: Seat, laid: Iterable[Laid]) -> Ground:
    """The domains with these shapes on them, from below to above."""
    shape = 2, pool.height, pool.width
    owners = np.empty(shape, dtype=np.int8)
    owners[0], owners[1] = red, 1 - red
    closed = np.zeros(shape, dtype=np.bool_)
    for edge in (np.s_[:, 0], np.s_[:, -1], np.s_[:, :, 0], np.s_[:, :, -1]):
        closed[edge] = True
    ground = Ground(pool, owners, closed)
    for each in laid:
        ground.lay(each)
    return ground


def _paint(
    field: NDArray[np.generic], spans: Spans, laid: Laid, value: int, dx: int = 0, dy: int = 0
) -> None:
    """Set the pixels of a shape that lie on the field."""
    left, top, right, bottom = spans.box
    x, y = laid.x + dx, laid.y + dy
    height, width = field.shape
    a, b = max(0, left + x), max(0, top + y)
    c, d = min(width, right + x), min(height, bottom + y)
    if a < c and b < d:
        field[b:d, a:c][spans.grid(x - a, y - b, c - a, d - b)] = value


class Found(NamedTuple):
    """A placement, and what it would bring, in `UNIT`s of a pixel."""

    worth: int
    shape: int
    domain: int
    x: int
    y: int
    angle: int


class Windows:
    """What placements of one seat would bring on a ground.

    A pixel of the other seat brings two, one of nobody's brings one, and what is void or purple of
    the shape itself is one less. ``care`` is how much (in `UNIT`s, of a pixel) it counts besides
    that a pixel lies where others do not easily cover it again: beside the frame or a zone.
    """

    def __init__(self, ground: Ground, seat: Seat, care: tuple[int, int] = (0, 0)) -> None:
        self.pool = pool = ground.pool
        gain = np.array([UNIT * 2, UNIT * 2, UNIT], dtype=np.int64)
        gain[seat] = 0
        worth = gain[ground.owners]
        if any(care):
            worth -= _crowding(ground, 1 - seat) * care[0] // 1024
            worth -= _crowding(ground, seat) * care[1] // 1024
        worth[ground.closed] = -_NEVER
        self._stride = pool.width + 1
        sums = np.zeros((2, pool.height, self._stride), dtype=np.int64)
        np.cumsum(worth, axis=2, out=sums[:, :, 1:])
        self._sums = sums.reshape(-1)
        self._domain = pool.height * self._stride

    def room(self, spans: Spans) -> tuple[int, int, int, int] | None:
        """The least and the greatest x and y at which a shape touches no frame."""
        left, top, right, bottom = spans.box
        low, high = max(0, 1 - left), max(0, 1 - top)
        far, deep = self.pool.width - 1 - right, self.pool.height - 1 - bottom
        return (low, far, high, deep) if low <= far and high <= deep else None

    def worth(self, spans: Spans, places: Ints, thin: int = 1) -> Ints:
        """What covering these pixels brings at places, given as rows of domain, x and y; judged by
        every ``thin``-th row of the shape."""
        rows = spans.rows * self._stride
        starts, ends = rows + spans.starts, rows + spans.ends
        if thin > 1:
            starts, ends = starts[thin // 2 :: thin], ends[thin // 2 :: thin]
        at = places[:, 0] * self._domain + places[:, 2] * self._stride + places[:, 1]
        took = self._sums.take(at[:, None] + ends).sum(axis=1)
        took -= self._sums.take(at[:, None] + starts).sum(axis=1)
        found: Ints = took * thin
        return found

    def scan(
        self,
        shape: int,
        angles: Sequence[int],
        step: int,
        rows: int,
        random: RandomSource,
        *,
        edges: bool = True,
    ) -> list[Found]:
        """The best place at each of some angles, as far as a coarse look tells: at every
        ``step``-th pixel, and perhaps right beside the frame, by about so many rows of the
        shape."""
        form = self.pool.forms[shape]
        found = []
        for angle in angles:
            raster = form.raster(angle)
            spans = raster.covered
            room = self.room(spans)
            if room is None or not spans:
                continue
            low, far, high, deep = room
            xs = _grid(low, far, step, random, edges=edges)
            ys = _grid(high, deep, step, random, edges=edges)
            grid = np.empty((2, len(ys), len(xs), 3), dtype=np.int64)
            grid[0, ..., 0], grid[1, ..., 0] = 0, 1
            grid[..., 1], grid[..., 2] = xs, ys[:, None]
            places = grid.reshape(-1, 3)
            worth = self.worth(spans, places, max(1, len(spans.rows) // rows))
            best = int(worth.argmax())
            domain, x, y = places[best].tolist()
            lost = UNIT * raster.dead.area if form.special else 0
            found.append(Found(int(worth[best]) - lost, shape, domain, x, y, angle))
        return found

    def climb(self, begin: Found, step: int, turn: int) -> Found:
        """The best of what lies around a placement, and on from there, in ever smaller steps."""
        form = self.pool.forms[begin.shape]
        best = begin._replace(worth=-_NEVER)
        while True:
            before = best
            for angle in dict.fromkeys(
                (best.angle, (best.angle + turn) % 360, (best.angle - turn) % 360)
            ):
                raster = form.raster(angle)
                room = self.room(raster.covered)
                if room is None:
                    continue
                low, far, high, deep = room
                places = _around(best.domain, best.x, best.y, step)
                np.clip(places[:, 1], low, far, out=places[:, 1])
                np.clip(places[:, 2], high, deep, out=places[:, 2])
                worth = self.worth(raster.covered, places)
                at = int(worth.argmax())
                value = int(worth[at]) - (UNIT * raster.dead.area if form.special else 0)
                if value > best.worth:
                    domain, x, y = places[at].tolist()
                    best = Found(value, begin.shape, domain, x, y, angle)
            if best.worth <= before.worth:
                if step == 1:
                    return best
                step, turn = max(1, step // 2), turn // 2


def _grid(low: int, far: int, step: int, random: RandomSource, *, edges: bool) -> Ints:
    """Every ``step``-th whole number between two, from a random one on; perhaps the two as well."""
    begin = low + int(random() * min(step, far - low + 1))
    inner = np.arange(begin, far + 1, step, dtype=np.int64)
    return np.unique(np.concatenate((inner, (low, far)))) if edges else inner


def _around(domain: int, x: int, y: int, step: int) -> Ints:
    return np.array(
        [(domain, x + dx, y + dy) for dy in (0, -step, step) for dx in (0, -step, step)],
        dtype=np.int64,
    )


def _crowding(ground: Ground, seat: Seat) -> Ints:
    """For each pixel how much of what lies around it is open and that seat's, of 1024; worked out
    for blocks of pixels."""
    pool = ground.pool
    side = max(1, round((pool.width * pool.height) ** 0.5 / 8))
    block = max(1, side // 12)
    tall, wide = -pool.height % block, -pool.width % block
    open_to = np.pad((ground.owners == seat) & ~ground.closed, ((0, 0), (0, tall), (0, wide)))
    shape = 2, (pool.height + tall) // block, block, (pool.width + wide) // block, block
    blocks = open_to.reshape(shape).sum(axis=(2, 4), dtype=np.int64) * 1024 // (block * block)
    for _ in range(2):
        blocks = _blurred(blocks, max(1, side // block))
    found: Ints = blocks.repeat(block, axis=1).repeat(block, axis=2)
    return found[:, : pool.height, : pool.width]


def _blurred(field: Ints, side: int) -> Ints:
    """The mean over the square of ``2 * side + 1`` around each; 0 beyond the field."""
    for axis in (1, 2):
        length = field.shape[axis]
        sums = np.zeros([n + (k == axis) for k, n in enumerate(field.shape)], dtype=np.int64)
        np.cumsum(field, axis=axis, out=sums[:, 1:] if axis == 1 else sums[:, :, 1:])
        ahead = np.minimum(np.arange(length) + side + 1, length)
        behind = np.maximum(np.arange(length) - side, 0)
        field = (sums.take(ahead, axis=axis) - sums.take(behind, axis=axis)) // (2 * side + 1)
    return field
