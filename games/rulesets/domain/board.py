"""What lies on the two domains: whose each pixel is, and whether a placement is valid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from games.engine.decisions import Seat
from games.rulesets.domain import geometry
from games.rulesets.domain.geometry import PlacedRaster, Spans
from games.rulesets.domain.moves import COLOURS, Colour
from games.rulesets.domain.pool import Pool

Grid: TypeAlias = NDArray[np.bool_]


class Laid(msgspec.Struct, frozen=True, gc=False):
    """A shape on a domain: who laid it, its number in the pool, and how it lies."""

    seat: Seat
    shape: int
    domain: int  # an index of COLOURS
    x: int
    y: int
    angle: int

    @property
    def colour(self) -> Colour:
        """The colour of the domain it lies on."""
        return COLOURS[self.domain]


class Fault(msgspec.Struct, frozen=True):
    """Why a placement is not valid: a code, a sentence, and the pixels that are to blame, the
    first few of them in reading order."""

    code: str
    sentence: str
    pixels: tuple[tuple[int, int], ...]


# -- counting ------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def count(pool: Pool, red: Seat, laid: tuple[Laid, ...]) -> tuple[int, int]:
    """Each seat's pixels: those on which a shape of theirs lies on top, and those of their own
    domain on which none lies. ``red`` is the seat whose domain is the red one.

    What is void or purple of the shape on top is nobody's. House ruling: whatever lies on top
    decides alone; a zone that something covers is not seen any more and counts like any other
    pixel.
    """
    placed = [
        PlacedRaster(
            each.seat, pool.forms[each.shape].raster(each.angle), each.domain, each.x, each.y
        )
        for each in laid
    ]
    shown, covered = geometry.shown(placed, (pool.width, pool.height)) or _by_painting(pool, placed)
    for domain, owner in enumerate((red, 1 - red)):
        shown[owner] += bare(pool) - covered[domain]
    return shown[0], shown[1]


def _by_painting(pool: Pool, placed: Sequence[PlacedRaster]) -> tuple[list[int], list[int]]:
    """What `geometry.shown` finds, one raster after the other, for any number of them."""
    shown, covered = [0, 0], [0, 0]
    free = np.ones((2, pool.height, pool.width), dtype=np.bool_)
    for paint, raster, domain, x, y in reversed(placed):
        here = x, y, pool.width, pool.height
        seen = free[domain] & raster.covered.grid(*here)
        free[domain] ^= seen
        covered[domain] += int(seen.sum())
        shown[paint] += int((seen & ~raster.dead.grid(*here)).sum())
    return shown, covered


def bare(pool: Pool | None) -> int:
    """The pixels of one domain with nothing on it; 0 before there is a pool."""
    return 0 if pool is None else pool.width * pool.height


# -- validation -----------------------------------------------------------------------------------


def is_valid(pool: Pool, laid: Sequence[Laid], placed: Laid) -> bool:
    """Whether ``placed`` was valid when it came to ``laid``: exactly where `faults` finds nothing,
    but quicker."""
    covered = pool.forms[placed.shape].raster(placed.angle).covered
    left, top, right, bottom = covered.box
    x, y = placed.x, placed.y
    if left + x < 1 or top + y < 1 or right + x >= pool.width or bottom + y >= pool.height:
        return not covered
    # Only the box around the shape, and a pixel more for what is beside it, is looked at.
    left, top, width, height = left - 1, top - 1, right - left + 2, bottom - top + 2
    grid: Grid | None = None
    for each in laid:
        form = pool.forms[each.shape]
        if not form.special or each.domain != placed.domain:
            continue
        raster = form.raster(each.angle)
        box = raster.covered.box
        dx, dy = each.x - x - left, each.y - y - top
        if box[0] + dx > width or box[1] + dy > height or box[2] + dx < 0 or box[3] + dy < 0:
            continue
        if grid is None:
            grid = covered.grid(-left, -top, width, height)
        if raster.void and (grid & raster.void.grid(dx, dy, width, height)).any():
            return False
        if (
            raster.purple
            and (grid & _with_neighbours(raster.purple.grid(dx, dy, width, height))).any()
        ):
            return False
    return True


SHOWN = 21_000  # pixels that a review marks at most: more than a shape of a sound pool covers
MOST_PIXELS = 40  # pixels that a refusal names at most


def faults(pool: Pool, laid: Sequence[Laid], placed: Laid) -> tuple[Fault, ...]:
    """Everything that is wrong with ``placed``, which came to ``laid``, with up to ``SHOWN`` pixels
    each; empty where it is valid."""
    return tuple(_faults(pool, laid, placed, SHOWN))


def first_fault(pool: Pool, laid: Sequence[Laid], placed: Laid) -> Fault | None:
    """The first of `faults`, with up to ``MOST_PIXELS`` pixels; None where ``placed`` is valid."""
    return next(_faults(pool, laid, placed, MOST_PIXELS), None)


def _faults(pool: Pool, laid: Sequence[Laid], placed: Laid, most: int) -> Iterator[Fault]:
    covered = pool.forms[placed.shape].raster(placed.angle).covered
    if not covered:
        return
    left, top, right, bottom = covered.box
    x, y = placed.x, placed.y
    if left + x < 0 or top + y < 0 or right + x > pool.width or bottom + y > pool.height:
        yield Fault(
            "place.outside",
            f"The shape would stick out of the {placed.colour} domain.",
            _outside(covered, pool, x, y, most),
        )
    if left + x < 1 or top + y < 1 or right + x >= pool.width or bottom + y >= pool.height:
        ring = np.ones((pool.height, pool.width), dtype=np.bool_)
        ring[1:-1, 1:-1] = False
        touching = _pixels(ring & covered.grid(x, y, pool.width, pool.height), most)
        if touching:
            yield Fault(
                "place.frame",
                f"The shape would touch the purple frame of the {placed.colour} domain.",
                touching,
            )
    zones = [
        (pool.forms[each.shape], each)
        for each in laid
        if each.domain == placed.domain and pool.forms[each.shape].special
    ]
    if not zones:
        return
    grid = covered.grid(x, y, pool.width, pool.height)
    for form, each in zones:
        raster = form.raster(each.angle)
        here = each.x, each.y, pool.width, pool.height
        if raster.void and (met := _pixels(grid & raster.void.grid(*here), most)):
            yield Fault(
                "place.void", f"The shape would cover the void zone of shape {form.id}.", met
            )
        if raster.purple and (
            met := _pixels(grid & _with_neighbours(raster.purple.grid(*here)), most)
        ):
            yield Fault(
                "place.border", f"The shape would touch the purple border of shape {form.id}.", met
            )


def _with_neighbours(grid: Grid) -> Grid:
    """These pixels and those beside, above and below them."""
    grown = grid.copy()
    grown[1:] |= grid[:-1]
    grown[:-1] |= grid[1:]
    grown[:, 1:] |= grid[:, :-1]
    grown[:, :-1] |= grid[:, 1:]
    return grown


def _pixels(grid: Grid, most: int) -> tuple[tuple[int, int], ...]:
    rows, columns = np.nonzero(grid)
    return tuple(zip(columns[:most].tolist(), rows[:most].tolist(), strict=True))


def _outside(covered: Spans, pool: Pool, x: int, y: int, most: int) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    spans = zip(covered.rows.tolist(), covered.starts.tolist(), covered.ends.tolist(), strict=True)
    for row, start, end in spans:
        inside = 0 <= row + y < pool.height
        for column in range(start + x, end + x):
            if not (inside and 0 <= column < pool.width):
                found.append((column, row + y))
                if len(found) == most:
                    return tuple(found)
    return tuple(found)
