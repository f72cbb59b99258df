"""Pools that an organiser prepares: every fault named at once, and the shapes drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from games.engine.capabilities import Supplied, Supply, SupplyPart, SupplyReport
from games.rulesets.domain import picture as pictures
from games.rulesets.domain import pool as pools
from games.rulesets.domain.pool import Form, Name, PoolDocument, Shape, Side, built_in

POOL: Final = Supply(
    "pool",
    "Pool of shapes",
    "The shapes that the players draft: over twenty, of varied form, one of them Start. The "
    "players see them when the match starts.",
    suffix=".json",
    options=("pool",),
    drawn=True,
    kinds=("pool",),
)

_MOST_VERTICES = 3_000  # of all shapes; what checks them takes time with the square of a ring's
_MOST_RINGS = 300
_MOST_FAULTS = 40
_FEWEST, _MOST = 2, 100  # shapes in a document
_FOLDER = Path(__file__).parent
_KEYS: Final = {"name": Name, "version": Name, "size": tuple[Side, Side]}


@lru_cache(maxsize=16)
def validate_supply(text: str) -> SupplyReport:
    """Check a pool; see `games.engine.ruleset.Ruleset.validate_supply`."""
    try:
        data = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError) as error:
        return SupplyReport("", (f"This is not JSON: {error}.",))
    if not isinstance(data, dict):
        return SupplyReport("", ("A pool is an object with a name, a version and shapes.",))
    document, faults = _document(data)
    shapes = _shapes(data) if document is None else document.shapes
    if sum(len(ring) for shape in shapes for ring in shape.rings) > _MOST_VERTICES:
        faults.append(f"All shapes together have more than {_MOST_VERTICES} vertices.")
        return SupplyReport("", tuple(faults))
    if sum(len(shape.rings) for shape in shapes) > _MOST_RINGS:
        faults.append(f"All shapes together have more than {_MOST_RINGS} rings.")
        return SupplyReport("", tuple(faults))
    size = _size(data) if document is None else document.size
    wrong: dict[str, list[str]] = {}
    for shape in shapes:
        wrong[shape.id] = list(pools.faults_of_shape(Form(shape), size))
        faults += wrong[shape.id]
    if document is not None:
        faults += pools.faults_of_whole(document)
        known = built_in().get(document.reference)
        if known is not None and known.document != document:
            faults.append(f"{document.reference} is a built-in pool. Take another name or version.")
    drawing = _picture(data, [shape for shape in shapes if pools.has_fit_size(shape, size)], wrong)
    if faults:
        first = faults[:_MOST_FAULTS]
        if len(faults) > len(first):
            first.append(f"And {len(faults) - len(first)} more.")
        return SupplyReport("", tuple(first), picture=drawing, parts=_parts(shapes, size))
    value = msgspec.json.encode(document).decode()
    return SupplyReport(value, picture=drawing, parts=_parts(shapes, size))


def _parts(shapes: Sequence[Shape], size: tuple[int, int]) -> tuple[SupplyPart, ...]:
    """How many pixels each shape covers, of those that could lie on a domain at all."""
    domain = size[0] * size[1]
    parts = []
    for shape in shapes:
        if pools.has_fit_size(shape, size):
            area = Form(shape).raster(0).covered.area
            parts.append(SupplyPart(shape.id, f"{area:,} px, {100 * area / domain:.1f} %", area))
    return tuple(parts)


def supplied(value: str) -> Supplied:
    """The option and the outcome that a pool stands for."""
    document = msgspec.json.decode(value, type=PoolDocument)
    return Supplied({"pool": msgspec.json.decode(value)}, (f"pool {document.reference}",))


def files() -> dict[str, str]:
    """The built-in pool under another name, and the schema of pools."""
    classic = (_FOLDER / "pools" / "classic-1.json").read_text()
    return {
        "example": classic.replace('"name": "classic"', '"name": "my-pool"', 1),
        "schema": (_FOLDER / "pool.schema.json").read_text(),
    }


# -- structure -----------------------------------------------------------------------------------


def _document(data: dict[str, Any]) -> tuple[PoolDocument | None, list[str]]:
    try:
        return msgspec.convert(data, PoolDocument), []
    except msgspec.ValidationError as error:
        # It tells of the first fault only; most can be told apart.
        return None, list(_faults_of_structure(data)) or [f"This is not a pool: {error}."]


def _faults_of_structure(data: dict[str, Any]) -> Iterator[str]:
    for key in data.keys() - {*_KEYS, "shapes"}:
        yield f"A pool has no “{key}”."
    for key, kind in _KEYS.items():
        if key not in data:
            if key != "size":
                yield f"The pool has no {key}."
            continue
        try:
            msgspec.convert(data[key], kind)
        except msgspec.ValidationError as error:
            yield f"The {key} does not fit: {error}."
    shapes = data.get("shapes")
    if not isinstance(shapes, list):
        yield "The pool has no list of shapes."
        return
    if not _FEWEST <= len(shapes) <= _MOST:
        yield f"There are {len(shapes)} shapes; there may be {_FEWEST} to {_MOST}."
    for number, each in enumerate(shapes[:_MOST], 1):
        try:
            msgspec.convert(each, Shape)
        except msgspec.ValidationError as error:
            named = each.get("id") if isinstance(each, dict) else None
            name = f"Shape {named}" if isinstance(named, str) else f"Shape number {number}"
            yield f"{name[:20]} does not fit: {error}."
    yield from _faults_of_sum(shapes)


def _faults_of_sum(shapes: Sequence[Any]) -> Iterator[str]:
    raw = [each for each in shapes if isinstance(each, dict)]
    ids = [each["id"] for each in raw if isinstance(each.get("id"), str)]
    for shape_id in sorted({each for each in ids if ids.count(each) > 1}):
        yield f"{ids.count(shape_id)} shapes have the id {shape_id[:20]}."
    starts = sum(each.get("start") is True for each in raw)
    if starts != 1:
        yield f"Exactly one shape is Start, not {starts}."


def _shapes(data: dict[str, Any]) -> list[Shape]:
    """The shapes of a faulty document that are whole in themselves."""
    found: list[Shape] = []
    shapes = data.get("shapes")
    for each in shapes[:_MOST] if isinstance(shapes, list) else ():
        try:
            found.append(msgspec.convert(each, Shape))
        except msgspec.ValidationError:
            continue
    return found


def _size(data: dict[str, Any]) -> tuple[int, int]:
    try:
        return msgspec.convert(data.get("size", (480, 360)), tuple[Side, Side])
    except msgspec.ValidationError:
        return 480, 360


# -- drawing -------------------------------------------------------------------------------------


def _picture(data: Mapping[str, Any], shapes: Sequence[Shape], wrong: Mapping[str, Any]) -> str:
    if not shapes:
        return ""
    shown = {
        "taken": [],
        "pool": {
            "shapes": [
                {
                    "id": shape.id,
                    "outline": shape.outline,
                    "holes": shape.holes,
                    "voids": shape.voids,
                    "inner": shape.inner,
                    "start": shape.start,
                }
                for shape in shapes
            ]
        },
    }
    bad = [shape_id for shape_id, faults in wrong.items() if faults]
    drawing, height = pictures.pool_drawing(shown, columns=8, wrong=bad)
    words = f"{len(shapes)} shapes."
    if bad:
        words += f" Marked as wrong: {', '.join(bad)}."
    name = data.get("name")
    title = f"Pool {name[:80]}" if isinstance(name, str) and name.isprintable() else "Pool"
    return pictures.document(
        2 * pictures.SIDE + pictures.GAP + 28,
        height + 34,
        title,
        words,
        [f'<g transform="translate(14 14)">{drawing}</g>'],
    )
