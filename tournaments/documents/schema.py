"""The document's format, told from what `parts` and `tournaments.events.payloads` describe: as JSON
Schema for programs, and as a list of all fields for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final, get_type_hints

import msgspec
from msgspec import inspect

from tournaments.documents.fields import HOLDS, VALUES, VALUES_WORDS, Part, fields_of
from tournaments.documents.parts import Document, EventDoc, Where
from tournaments.events.kinds import KINDS
from tournaments.events.payloads import Items, Payload
from tournaments.events.references import REFERS, described

_REF: Final = "#/$defs/{name}"


def season_schema() -> dict[str, Any]:
    """JSON Schema of the document."""
    payloads = {kind.payload.__name__: kind.payload for kind in KINDS.values()}
    (whole, *_), parts = msgspec.json.schema_components(
        (Document, Items, *payloads.values()), ref_template=_REF
    )
    for name in payloads:
        parts[name]["additionalProperties"] = False
    for part in _parts_of(Document):
        for field in fields_of(part):
            if field.values:
                parts[part.__name__]["properties"][field.name] = {"enum": field.values}
            if field.held is not None:
                held = {"anyOf": [_ref(field.held), {"type": "null"}]}
                parts[part.__name__]["properties"][field.name] = held
    parts[EventDoc.__name__]["allOf"] = [
        {
            "if": {"properties": {"kind": {"const": key}}},
            "then": {"properties": {"data": _ref(kind.payload)}},
        }
        for key, kind in sorted(KINDS.items())
    ]
    schema: dict[str, Any] = msgspec.json.decode(msgspec.json.encode({**whole, "$defs": parts}))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A season of Gauntlet",
        **schema,
    }


def _ref(kind: type) -> dict[str, str]:
    return {"$ref": _REF.format(name=kind.__name__)}


def _parts_of(part: type[Part]) -> list[type[Part]]:
    """A part, and all that there are in it."""
    return [each.cls for _, each in _objects(described(part), "") if issubclass(each.cls, Part)]


def _objects(
    kind: inspect.Type, path: str
) -> Iterator[tuple[str, inspect.StructType | inspect.TypedDictType]]:
    """All types of objects in a type, with the way to each, as ``rounds[].episode``."""
    match kind:
        case inspect.StructType() | inspect.TypedDictType():
            yield path, kind
            for field in kind.fields:
                below = f"{path}.{field.encode_name}" if path else field.encode_name
                yield from _objects(field.type, below)
        case inspect.VarTupleType(item_type=inner) | inspect.ListType(item_type=inner):
            yield from _objects(inner, f"{path}[]")
        case inspect.Metadata(type=inner):
            yield from _objects(inner, path)
        case inspect.UnionType(types=types):
            for each in types:
                yield from _objects(each, path)


# -- for people ----------------------------------------------------------------------------------

_HEAD: Final = """\
# The fields of a season's document

What [`gauntlet-season/1`](season.md) holds, field by field: generated from the program
(`python manage.py season fields` prints it), and a test keeps the two alike.
"""
_EVENTS: Final = """\
## `events[].data`

What is told of an event, by its kind. No key has to be there; in any may be `by`, the name of the
organiser who ruled so.

| kind | what happens | keys |
|---|---|---|"""


def season_fields() -> str:
    """Every field of the document, as Markdown."""
    seen: set[type] = {Where}
    lines = [
        _HEAD,
        *_tables(described(Document), "", seen),
        *_table(described(Where), "where"),
        *_tables(described(Items), "legs[].items", seen),
        _EVENTS,
    ]
    for key, kind in KINDS.items():
        keys = (
            f"`{field.encode_name}`: {_words(field.type)}"
            for field in _fields(described(kind.payload))
            if field.encode_name not in Payload.__annotations__
        )
        lines.append(f"| `{key}` | {kind.words} | {'; '.join(keys) or 'none'} |")
    lines.append("")
    seen.update(kind.payload for kind in KINDS.values())
    for kind in KINDS.values():
        lines += _tables(described(kind.payload), "events[].data", seen)
    return "\n".join(lines).rstrip() + "\n"


def _tables(kind: inspect.Type, path: str, seen: set[type]) -> Iterator[str]:
    """A table of each object in a type that was not seen before, the outer ones first."""
    for way, each in _objects(kind, path):
        if each.cls not in seen:
            seen.add(each.cls)
            yield from _table(each, way)


def _table(kind: inspect.Type, path: str) -> Iterator[str]:
    text = " ".join((getattr(kind, "cls", None).__doc__ or "").split()).replace("``", "`")
    yield f"## `{path}`\n\n{text}\n" if path else f"{text}\n"
    yield "| key | holds |\n|---|---|"
    for field in _fields(kind):
        yield f"| `{field.encode_name}` | {_words(field.type)} |"
    yield ""


def _fields(kind: inspect.Type) -> tuple[inspect.Field, ...]:
    """The fields of an object, as they were written down."""
    if not isinstance(kind, inspect.StructType | inspect.TypedDictType):
        return ()
    # msgspec tells those of a TypedDict in the order of the alphabet.
    order = list(get_type_hints(kind.cls))
    return tuple(sorted(kind.fields, key=lambda field: order.index(field.name)))


def _words(kind: inspect.Type) -> str:
    """What a field holds."""
    match kind:
        case inspect.Metadata(type=inner):
            return _words_on(kind) or _words(inner)
        case inspect.UnionType(types=types):
            present = [each for each in types if not isinstance(each, inspect.NoneType)]
            return ", or ".join([*map(_words, present), "`null`"])
        case inspect.StrType(min_length=least, max_length=most):
            return "text" + _within(least, most, " characters")
        case inspect.IntType(ge=least, le=most):
            return "a number" + _within(least, most)
        case inspect.LiteralType(values=values):
            return _one_of(values)
        case inspect.VarTupleType(item_type=inner) | inspect.ListType(item_type=inner):
            return f"a list, of each {_words(inner)}"
        case inspect.TupleType(item_types=inners):
            return f"{len(inners)} times {_words(inners[0])}"
        case inspect.BoolType():
            return "`true` or `false`"
        case inspect.DateTimeType():
            return "a time"
    return "an object"


def _words_on(kind: inspect.Metadata) -> str:
    extra = kind.extra or {}
    if REFERS in extra:
        text = str((kind.extra_json_schema or {})["description"])
        return text[0].lower() + text[1:].rstrip(".")
    if VALUES in extra:
        return extra[VALUES_WORDS] or _one_of(extra[VALUES]())
    return "an object, or `null`" if HOLDS in extra else ""


def _one_of(values: Iterable[Any]) -> str:
    return "one of " + " ".join(f"`{json.dumps(each)}`" for each in sorted(values))


def _within(least: int | None, most: int | None, of: str = "") -> str:
    if least is None and most is None:
        return ""
    if least is None:
        return f", at most {most}{of}"
    return f", from {least}{of}" if most is None else f", {least} to {most}{of}"
