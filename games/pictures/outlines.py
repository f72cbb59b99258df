"""Outlines out of an SVG file that somebody hands in: its filled shapes as rings of whole pixels.

One unit of the file is one pixel, whatever size the file asks to be shown at. Nothing in a file is
followed, fetched or run: a document type, an entity, or an element that is no shape is refused, by
its name and place. The tree is read by `defusedxml`, and `svgelements` says what paths and
transforms come to.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias
from xml.etree.ElementTree import Element, ParseError

import msgspec
from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException
from svgelements import Close, Line, Matrix, Move, Path

from core.refusals import Refusal

MAX_BYTES: Final = 256 * 1024
SHAPES_AT_MOST: Final = 100
VERTICES_AT_MOST: Final = 3_000
DEEPEST: Final = 40
SEGMENTS_AT_MOST: Final = 20_000
FARTHEST: Final = 10_000  # pixels from the origin

_TOLERANCE = 0.6  # pixels by which a drawn curve may lie beside its polygon
_STEP = 4.0  # pixels between two points of a curve, before what is straight is left out
_POINTS_AT_MOST = 96  # of one curve

_SVG: Final = "{http://www.w3.org/2000/svg}"
_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,2})?)(?:px)?\s*")
_NOTHING_TO_DRAW: Final = frozenset({"title", "desc", "metadata", "style"})
_GROUPS: Final = frozenset({"svg", "g"})

Point: TypeAlias = tuple[int, int]
Ring: TypeAlias = tuple[Point, ...]


class Outline(msgspec.Struct, frozen=True):
    """One shape: what its file calls it, its outer ring, and what is cut out of that."""

    name: str
    outline: Ring
    holes: tuple[Ring, ...] = ()


def outlines_of(data: bytes) -> list[Outline]:
    """The shapes of an SVG file.

    Raises Refusal ``svg.too-large``, ``svg.unsafe`` (a document type or entities),
    ``svg.malformed``, ``svg.element`` (naming the first element that is no shape, or not a sound
    one), ``svg.too-much``, ``svg.empty``.
    """
    if len(data) > MAX_BYTES:
        raise Refusal("svg.too-large", f"A drawing has at most {MAX_BYTES // 1024} KiB.")
    try:
        root = ElementTree.fromstring(data, forbid_dtd=True)
    except DefusedXmlException:
        sentence = "A document type or entities have no place in a drawing. Save it as plain SVG."
        raise Refusal("svg.unsafe", sentence) from None
    except (ParseError, ValueError, LookupError):
        raise Refusal("svg.malformed", "This is not an SVG file.") from None
    if root.tag not in (f"{_SVG}svg", "svg"):
        raise Refusal("svg.malformed", "This is not an SVG file.")
    found: list[Outline] = []
    for number, (element, placed) in enumerate(_shapes(root), 1):
        if number > SHAPES_AT_MOST:
            raise Refusal("svg.too-much", f"A drawing has at most {SHAPES_AT_MOST} shapes.")
        found += _outlines(element, placed, number)
    if sum(len(ring) for each in found for ring in (each.outline, *each.holes)) > VERTICES_AT_MOST:
        sentence = f"All shapes of a drawing together have at most {VERTICES_AT_MOST} vertices."
        raise Refusal("svg.too-much", sentence)
    if not found:
        raise Refusal("svg.empty", "There is no shape in this drawing.")
    return found


def _shapes(root: Element) -> Iterator[tuple[Element, Matrix]]:
    """Every element that is drawn, in its order, and where its transforms put it."""
    waiting: list[tuple[Element, Matrix, int]] = [(root, Matrix(), 0)]
    while waiting:
        element, around, depth = waiting.pop()
        tag = _tag(element)
        if tag in _NOTHING_TO_DRAW or element.get("display") == "none" or "{" in tag:
            continue
        if depth > DEEPEST:
            raise Refusal("svg.too-much", "Groups are nested too deeply in this drawing.")
        placed = _transform(element) * around
        if tag in _GROUPS:
            waiting += [(child, placed, depth + 1) for child in reversed(list(element))]
        elif tag == "defs" and not len(element):
            continue
        elif tag in _PATHS:
            yield element, placed
        else:
            sentence = (
                f"{_called(element)} is no shape. Turn everything into paths, polygons, "
                "rectangles, circles or ellipses before you save."
            )
            raise Refusal("svg.element", sentence)


def _tag(element: Element) -> str:
    """The name of an element of SVG; that of others keeps its namespace."""
    return element.tag.removeprefix(_SVG) if isinstance(element.tag, str) else "{comment}"


def _called(element: Element) -> str:
    named = element.get("id", "")
    tag = f"<{_tag(element)[:30]}>"
    return f"{tag} “{named[:40]}”" if named.isprintable() and named else tag


def _wrong(element: Element, what: str) -> Refusal:
    return Refusal("svg.element", f"{_called(element)} {what}.")


def _transform(element: Element) -> Matrix:
    text = element.get("transform", "")
    try:
        return Matrix(text) if text else Matrix()
    except (ValueError, TypeError, AttributeError, IndexError):
        raise _wrong(element, "has a transform that cannot be read") from None


def _number(element: Element, name: str, default: float | None = 0.0) -> float:
    text = element.get(name)
    if text is None and default is not None:
        return default
    found = _NUMBER.fullmatch(text or "")
    if found is None:
        raise _wrong(element, f"has no plain number as its {name}")
    return float(found[1])


# -- what each element comes to, as a path ---------------------------------------------------------


def _of_path(element: Element) -> str:
    return element.get("d", "")


def _of_points(element: Element) -> str:
    points = element.get("points", "")
    return f"M {points} Z" if points.strip() else ""


def _of_rect(element: Element) -> str:
    x, y = _number(element, "x"), _number(element, "y")
    width, height = _number(element, "width", None), _number(element, "height", None)
    rx = min(_number(element, "rx", _number(element, "ry")), width / 2)
    ry = min(_number(element, "ry", rx), height / 2)
    if rx <= 0 or ry <= 0:
        return f"M {x},{y} h {width} v {height} h {-width} Z"
    arc = f"a {rx},{ry} 0 0 1"
    return (
        f"M {x + rx},{y} h {width - 2 * rx} {arc} {rx},{ry} v {height - 2 * ry} {arc} {-rx},{ry} "
        f"h {2 * rx - width} {arc} {-rx},{-ry} v {2 * ry - height} {arc} {rx},{-ry} Z"
    )


def _of_ellipse(element: Element) -> str:
    x, y = _number(element, "cx"), _number(element, "cy")
    if _tag(element) == "circle":
        rx = ry = _number(element, "r", None)
    else:
        rx, ry = _number(element, "rx", None), _number(element, "ry", None)
    arc = f"a {rx},{ry} 0 0 1"
    return f"M {x - rx},{y} {arc} {2 * rx},0 {arc} {-2 * rx},0 Z"


_PATHS: Final[Mapping[str, Any]] = {
    "path": _of_path, "polygon": _of_points, "polyline": _of_points, "rect": _of_rect,
    "circle": _of_ellipse, "ellipse": _of_ellipse,
}  # fmt: skip


def _outlines(element: Element, placed: Matrix, number: int) -> Iterator[Outline]:
    try:
        path = Path(_PATHS[_tag(element)](element)) * placed
        path.reify()
        rings = list(_rings(path))
    except (ValueError, TypeError, AttributeError, IndexError, ArithmeticError):
        raise _wrong(element, "cannot be read") from None
    if not rings:
        raise _wrong(element, "encloses nothing")
    if any(abs(part) > FARTHEST for ring in rings for point in ring for part in point):
        raise _wrong(element, f"lies more than {FARTHEST} pixels away")
    named = element.get("id", "")
    name = named[:40] if named.isprintable() and named else f"{_tag(element)} {number}"
    yield from _nested(name, rings)


def _nested(name: str, rings: Sequence[Ring]) -> Iterator[Outline]:
    """The rings of one element: those that lie within a larger one are cut out of it."""
    outer: list[tuple[Ring, list[Ring]]] = []
    for ring in sorted(rings, key=lambda each: -abs(_area(each))):
        around = next((holes for whole, holes in outer if _holds(whole, ring[0])), None)
        if around is None:
            outer.append((ring, []))
        else:
            around.append(ring)
    for whole, holes in outer:
        yield Outline(name, whole, tuple(holes))


def _rings(path: Path) -> Iterator[Ring]:
    if len(path) > SEGMENTS_AT_MOST:
        raise Refusal("svg.too-much", f"A path has at most {SEGMENTS_AT_MOST} segments.")
    points: list[tuple[float, float]] = []
    for segment in path:
        if isinstance(segment, Move):
            yield from _closed(points)
            points = [_xy(segment.end)]
        elif isinstance(segment, Close):
            yield from _closed(points)
            points = []
        elif isinstance(segment, Line):
            points.append(_xy(segment.end))
        else:
            points += _along(segment)
    yield from _closed(points)


def _xy(point: Any) -> tuple[float, float]:
    return float(point.x), float(point.y)


def _along(curve: Any) -> Iterator[tuple[float, float]]:
    """Points along a curve, its beginning left out."""
    rough = [_xy(curve.point(k / 8)) for k in range(9)]
    length = sum(math.dist(a, b) for a, b in itertools.pairwise(rough))
    count = max(2, min(_POINTS_AT_MOST, math.ceil(length / _STEP)))
    for k in range(1, count + 1):
        yield _xy(curve.point(k / count))


def _closed(points: Sequence[tuple[float, float]]) -> Iterator[Ring]:
    """The ring of these points in whole pixels, with as few vertices as will do; none where they
    enclose nothing."""
    if any(not math.isfinite(part) for point in points for part in point):
        raise ValueError("no number")
    if len(points) < 3:
        return
    kept: list[Point] = []
    for x, y in _simplified([*points, *points[:1]])[:-1]:
        pixel = (round(x), round(y))
        if not kept or kept[-1] != pixel:
            kept.append(pixel)
    while len(kept) > 1 and kept[0] == kept[-1]:
        kept.pop()
    kept = [
        point
        for before, point, after in zip(
            kept[-1:] + kept[:-1], kept, kept[1:] + kept[:1], strict=True
        )
        if not _is_between(before, point, after)
    ]
    if len(kept) >= 3 and _area(kept):
        yield tuple(kept)


def _is_between(a: Point, point: Point, b: Point) -> bool:
    """Whether a point lies on the way from one to the other."""
    turn = (point[0] - a[0]) * (b[1] - a[1]) - (point[1] - a[1]) * (b[0] - a[0])
    ahead = (point[0] - a[0]) * (b[0] - point[0]) + (point[1] - a[1]) * (b[1] - point[1])
    return turn == 0 and ahead > 0


def _simplified(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """A line with what is straight left out (Ramer, Douglas and Peucker)."""
    keep = {0, len(points) - 1}
    spans = [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        best, at = _TOLERANCE, -1
        for k in range(first + 1, last):
            away = _distance(points[k], points[first], points[last])
            if away > best:
                best, at = away, k
        if at >= 0:
            keep.add(at)
            spans += [(first, at), (at, last)]
    return [points[k] for k in sorted(keep)]


def _distance(point: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    length = math.dist(a, b)
    if length == 0:
        return math.dist(point, a)
    across = (b[0] - a[0]) * (a[1] - point[1]) - (a[0] - point[0]) * (b[1] - a[1])
    return abs(across) / length


def _area(ring: Sequence[Point]) -> float:
    """Twice what a ring encloses, with the sign of the way round."""
    following = [*ring[1:], *ring[:1]]
    return sum(x * v - u * y for (x, y), (u, v) in zip(ring, following, strict=True))


def _holds(ring: Ring, point: Point) -> bool:
    """Whether a point lies within a ring (a ray crosses it an odd number of times)."""
    x, y = point
    inside = False
    for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1], strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return inside
