"""Pools of shapes: the document, its structure, and shapes made ready for play.

A pool is data. The built-in ones lie in ``pools`` beside this module; an organiser may hand in
another one as the option ``pool``. Its structure is part of its type, so that a document that does
not fit is never a pool; what makes a pool good to play with is looked at by `faults`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec

from games.rulesets.domain import geometry
from games.rulesets.domain.geometry import Raster

FARTHEST = 10_000  # pixels from the reference point to a vertex
MOST_VERTICES = 1_000  # of all rings of a shape together
LARGEST = 2_000  # pixels along a side of a domain

Coordinate: TypeAlias = Annotated[int, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)]
Ring: TypeAlias = Annotated[
    tuple[tuple[Coordinate, Coordinate], ...],
    msgspec.Meta(
        min_length=3, description="Vertices in whole pixels about the reference point, y downwards."
    ),
]
Side: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=LARGEST)]
Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]


def _says(description: str) -> msgspec.Meta:
    return msgspec.Meta(description=description)


class Shape(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """One shape. Inside an odd number of `outline` and `holes`: covered."""

    id: Annotated[str, msgspec.Meta(pattern="^[0-9]{2}$", max_length=2), _says("Two digits.")]
    outline: Ring
    holes: Annotated[tuple[Ring, ...], _says("Cut out of the outline.")] = ()
    voids: Annotated[
        tuple[Ring, ...], _says("Void zones: no later shape may cover what is inside.")
    ] = ()
    inner: Annotated[
        Ring | None, _says("What is covered but not inside of this is a purple border.")
    ] = None
    start: Annotated[bool, _says("Whoever takes this shape places first.")] = False

    def __post_init__(self) -> None:
        if sum(map(len, self.rings)) > MOST_VERTICES:
            raise ValueError(f"shape {self.id} has more than {MOST_VERTICES} vertices")

    @property
    def rings(self) -> list[geometry.Ring]:
        """All rings."""
        return [self.outline, *self.holes, *self.voids, *([self.inner] if self.inner else [])]


class PoolDocument(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """A pool of shapes for Domain: distinct ids, and exactly one Start."""

    name: Name
    version: Name
    size: Annotated[tuple[Side, Side], _says("Width and height of each domain in pixels.")] = (
        480,
        360,
    )
    shapes: Annotated[tuple[Shape, ...], msgspec.Meta(min_length=2, max_length=100)]

    def __post_init__(self) -> None:
        ids = [shape.id for shape in self.shapes]
        for shape_id in ids:
            if ids.count(shape_id) > 1:
                raise ValueError(f"two shapes have the id {shape_id}")
        starts = sum(shape.start for shape in self.shapes)
        if starts != 1:
            raise ValueError(f"there must be exactly one Start shape, not {starts}")
        if not self.reference.isprintable() or self.reference != self.reference.strip():
            raise ValueError("name and version are printable, without spaces around them")

    @property
    def reference(self) -> str:
        """How a record names it."""
        return f"{self.name}@{self.version}"


# -- ready for play ------------------------------------------------------------------------------


class Form:
    """A shape ready for play."""

    __slots__ = ("id", "outline", "shape", "special")

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.id = shape.id
        self.special = bool(shape.voids or shape.inner)
        self.outline = geometry.Outline(
            (shape.outline, *shape.holes), shape.voids, shape.inner or None
        )

    def raster(self, degrees: int) -> Raster:
        """Its pixels when turned by that angle."""
        return geometry.raster_of(self.outline, degrees)


class Pool:
    """A pool ready for play. Equal to another one of the same document."""

    __slots__ = ("digest", "document", "forms", "height", "index", "start", "width")

    def __init__(self, document: PoolDocument) -> None:
        self.document = document
        self.width, self.height = document.size
        self.forms = tuple(Form(shape) for shape in document.shapes)
        self.index = {form.id: number for number, form in enumerate(self.forms)}
        self.start = next(n for n, shape in enumerate(document.shapes) if shape.start)
        self.digest = sha256(msgspec.json.encode(document)).digest()

    @property
    def reference(self) -> str:
        """How a record names it."""
        return self.document.reference

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pool) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


@lru_cache(maxsize=32)
def prepared(document: PoolDocument) -> Pool:
    """The pool of a document."""
    return Pool(document)


_FOLDER = Path(__file__).with_name("pools")


@cache
def built_in() -> dict[str, Pool]:
    """The pools that come with the program, by the name that records give them."""
    found = [
        prepared(msgspec.json.decode(path.read_bytes(), type=PoolDocument))
        for path in sorted(_FOLDER.glob("*.json"))
    ]
    return {pool.reference: pool for pool in found}


def pool_schema() -> dict[str, Any]:
    """The JSON Schema of a pool document. That ids are distinct and that there is exactly one
    Start is checked in code when it is read."""
    schema: dict[str, Any] = msgspec.json.schema(PoolDocument)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


# -- what makes a pool good ----------------------------------------------------------------------

FEWEST_TO_UPLOAD = 21  # "over 20"
SMALLEST, BIGGEST = 3, 12  # per cent of a domain


def faults(document: PoolDocument) -> list[str]:
    """What keeps a pool from being offered on the site, a sentence each: too few shapes, rings that
    cross themselves, parts that stick out of their shape, areas out of bounds, too little mix."""
    found = list(faults_of_whole(document))
    for form in prepared(document).forms:
        found.extend(faults_of_shape(form, document.size))
    return found


def has_fit_size(shape: Shape, size: tuple[int, int]) -> bool:
    """Whether the rings of a shape are short enough to lie on a domain at some angle."""
    longest = math.hypot(*size)
    return all(
        max(ends) - min(ends) <= longest for ring in shape.rings for ends in zip(*ring, strict=True)
    )


def faults_of_shape(form: Form, size: tuple[int, int]) -> Iterator[str]:
    """What is wrong with a shape for domains of that size."""
    shape = form.shape
    if not has_fit_size(shape, size):  # before anything that takes as long as it is large
        yield f"Shape {form.id} is too long for a domain."
        return
    domain = size[0] * size[1]
    crossed = [ring for ring in shape.rings if not is_simple(ring)]
    if crossed:
        yield f"Shape {form.id}: a ring crosses or touches itself."
        return
    share = 100 * form.raster(0).covered.area / domain
    if not SMALLEST <= share <= BIGGEST:
        yield (
            f"Shape {form.id} covers {share:.1f} % of a domain; "
            f"between {SMALLEST} % and {BIGGEST} % is allowed."
        )
    outline = geometry.raster((shape.outline,), (), None, 0).covered
    for name, rings in (
        ("hole", shape.holes),
        ("void zone", shape.voids),
        ("inner line of the border", (shape.inner,) if shape.inner else ()),
    ):
        for ring in rings:
            if not _lies_within(geometry.raster((ring,), (), None, 0).covered, outline):
                yield f"Shape {form.id}: a {name} sticks out of the outline."


def _lies_within(part: geometry.Spans, whole: geometry.Spans) -> bool:
    left, top, right, bottom = whole.box
    here = (-left, -top, right - left, bottom - top)
    inside = part.grid(*here) & whole.grid(*here)
    return int(inside.sum()) == part.area


def faults_of_whole(document: PoolDocument) -> Iterator[str]:
    """What is wrong with the number of shapes and their mix."""
    shapes = document.shapes
    if len(shapes) < FEWEST_TO_UPLOAD:
        yield f"There are {len(shapes)} shapes; at least {FEWEST_TO_UPLOAD} are needed."
    # Holes, void zones and borders are what a pool may have, not what it must.
    if not any(is_convex(shape.outline) for shape in shapes):
        yield "No shape is convex."
    if all(is_convex(shape.outline) for shape in shapes):
        yield "Every shape is convex."


def is_simple(ring: Sequence[tuple[int, int]]) -> bool:
    """Whether no two edges of a ring meet but for neighbours at their common vertex."""
    count = len(ring)
    edges = [(ring[k], ring[(k + 1) % count]) for k in range(count)]
    if any(a == b for a, b in edges):
        return False
    for i, (a, b) in enumerate(edges):
        for j in range(i + 1, count):
            c, d = edges[j]
            if j == i + 1 or (i == 0 and j == count - 1):
                # Neighbours: they may not lie on each other.
                shared, one, two = (b, a, d) if j == i + 1 else (a, b, c)
                if _side(shared, one, two) == 0 and _ahead(shared, one, two):
                    return False
            elif _meet(a, b, c, d):
                return False
    return True


def is_convex(ring: Sequence[tuple[int, int]]) -> bool:
    """Whether a simple ring never turns the other way."""
    count = len(ring)
    sides = {_side(ring[k], ring[(k + 1) % count], ring[(k + 2) % count]) for k in range(count)}
    return not {-1, 1} <= sides


def _side(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> int:
    turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (turn > 0) - (turn < 0)


def _ahead(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> bool:
    return (b[0] - a[0]) * (c[0] - a[0]) + (b[1] - a[1]) * (c[1] - a[1]) > 0


def _within(a: tuple[int, int], b: tuple[int, int], point: tuple[int, int]) -> bool:
    return min(a[0], b[0]) <= point[0] <= max(a[0], b[0]) and (
        min(a[1], b[1]) <= point[1] <= max(a[1], b[1])
    )


def _meet(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int], d: tuple[int, int]) -> bool:
    sides = _side(a, b, c), _side(a, b, d), _side(c, d, a), _side(c, d, b)
    if sides[0] != sides[1] and sides[2] != sides[3]:
        return True
    return any(
        side == 0 and _within(*ends, point)
        for side, ends, point in zip(
            sides, ((a, b), (a, b), (c, d), (c, d)), (c, d, a, b), strict=True
        )
    )
