"""Domain's geometry once more, as slow and as close to its definition as can be: pixel by pixel,
with sines from decimal arithmetic. Shares nothing with the program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import cache
from typing import Any

Point = tuple[int, int]
Pixels = set[Point]

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


@cache
def sine(degrees: int) -> Decimal:
    """By the Taylor series about 0, after taking the angle down to 0 to 90 degrees."""
    degrees %= 360
    if degrees >= 180:
        return sine(degrees - 180).copy_negate()  # a minus would round
    if degrees > 90:
        degrees = 180 - degrees
    with localcontext() as context:
        context.prec = 60
        angle = PI * degrees / 180
        total = term = angle
        step = 1
        while abs(term) > Decimal("1e-50"):
            term = -term * angle * angle / ((step + 1) * (step + 2))
            total += term
            step += 2
        return total


def turned(point: Point, degrees: int) -> Point:
    """Clockwise, in 1/256 pixels."""
    x, y = point
    sin, cos = sine(degrees), sine(degrees + 90)
    with localcontext() as context:
        context.prec = 60
        exact = x * cos - y * sin, x * sin + y * cos
        a, b = [
            # Digits far beyond the accuracy of the series are noise.
            int((256 * each).quantize(Decimal("1e-30")).to_integral_value(ROUND_HALF_UP))
            for each in exact
        ]
    return a, b


def inside(ring: Sequence[Point], px: int, py: int) -> bool:
    """Whether an odd number of edges counts for the centre (px, py)."""
    odd = False
    for k, one in enumerate(ring):
        other = ring[k - 1]
        (x1, y1), (x2, y2) = sorted((one, other), key=lambda point: point[1])
        if y1 == y2:
            continue
        if y1 <= py < y2 and (x2 - x1) * (py - y1) <= (px - x1) * (y2 - y1):
            odd = not odd
    return odd


def cover(rings: Iterable[Sequence[Point]], degrees: int) -> Pixels:
    """The pixels inside an odd number of the turned rings, about the reference point."""
    found: Pixels = set()
    for ring in rings:
        corners = [turned(point, degrees) for point in ring]
        columns = [x >> 8 for x, _ in corners]
        rows = [y >> 8 for _, y in corners]
        for i in range(min(columns) - 1, max(columns) + 2):
            for j in range(min(rows) - 1, max(rows) + 2):
                if inside(corners, 256 * i + 128, 256 * j + 128):
                    found ^= {(i, j)}
    return found


def parts(shape: dict[str, Any], degrees: int) -> tuple[Pixels, Pixels, Pixels]:
    """All pixels of a shape, its void zone and its purple border."""
    covered = cover([shape["outline"], *shape.get("holes", [])], degrees)
    void: Pixels = set()
    for ring in shape.get("voids", []):
        void |= covered & cover([ring], degrees)
    purple = covered - cover([shape["inner"]], degrees) if shape.get("inner") else set()
    return covered, void, purple


def moved(pixels: Pixels, x: int, y: int) -> Pixels:
    """The same, elsewhere."""
    return {(i + x, j + y) for i, j in pixels}


def beside(pixels: Pixels) -> Pixels:
    """These and their four neighbours each."""
    return pixels | {
        (i + di, j + dj) for i, j in pixels for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1))
    }


Lying = tuple[int, dict[str, Any], str, int, int, int]  # seat, shape, domain, x, y, angle


def is_valid(size: Point, laid: Sequence[Lying], placed: Lying) -> bool:
    """Whether it stays in the domain and off its frame, voids and borders."""
    _, shape, domain, x, y, angle = placed
    covered = moved(parts(shape, angle)[0], x, y)
    width, height = size
    if any(not (1 <= i < width - 1 and 1 <= j < height - 1) for i, j in covered):
        return False
    for _, earlier, where, ex, ey, turn in laid:
        if where != domain:
            continue
        _, void, purple = parts(earlier, turn)
        if covered & moved(void, ex, ey) or covered & beside(moved(purple, ex, ey)):
            return False
    return True


def count(size: Point, red: int, laid: Sequence[Lying]) -> tuple[int, int]:
    """Paint everything, one after the other, and count."""
    width, height = size
    paint: dict[tuple[str, int, int], int | None] = {}
    for domain, owner in (("red", red), ("blue", 1 - red)):
        for i in range(width):
            for j in range(height):
                paint[domain, i, j] = owner
    for seat, shape, domain, x, y, angle in laid:
        covered, void, purple = parts(shape, angle)
        for i, j in covered:
            if (domain, i + x, j + y) in paint:
                nobody = (i, j) in void or (i, j) in purple
                paint[domain, i + x, j + y] = None if nobody else seat
    owners = list(paint.values())
    return owners.count(0), owners.count(1)
