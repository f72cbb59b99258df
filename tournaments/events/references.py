"""What a number in JSON refers to.

Some of what a season keeps as JSON (the data of its events, the items of a leg) mentions
contestants, items and matches by their ids, and a season's document mentions them by numbers of its
own. Whether a number is such a mention, and of what, its type says (`refers`); `exchanged` goes by
that and by nothing else: no name of a key makes a number a mention, and none is missed for its.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Final

import msgspec
from msgspec import inspect

Numbers = Mapping["Entity", Mapping[int, Any]]

REFERS: Final = "refers"


class Entity(enum.StrEnum):
    """What can be mentioned; the value is what people call one."""

    CONTESTANT = "contestant"
    ITEM = "item"
    ENTRY = "ledger entry"
    #: A match of `games`: what is recorded.
    MATCH = "match record"
    ROUND = "round"
    DEATH_MATCH = "death match"
    #: A match of a death match, or an attempt at it.
    LEG = "match"


def refers(
    entity: Entity,
    *,
    ge: int | None = None,
    le: int | None = None,
    how: str = "by number",
    **more: Any,
) -> msgspec.Meta:
    """For ``Annotated``: that a value mentions such a row, and ``how`` it does. ``ge`` and
    ``le`` limit a number; ``more`` is whatever else there is to be said of a field."""
    article = "An" if entity[0] in "aeiou" else "A"
    return msgspec.Meta(
        ge=ge, le=le, description=f"{article} {entity}, {how}.", extra={REFERS: entity, **more}
    )


#: Mentions in the data of events. What is not there (any more) is null.
ContestantMention = Annotated[int, refers(Entity.CONTESTANT, ge=1)] | None
ItemMention = Annotated[int, refers(Entity.ITEM, ge=1)] | None
MatchMention = Annotated[int, refers(Entity.MATCH, ge=1)] | None


def described(kind: Any) -> inspect.Type:
    """A type as `exchanged` goes through it."""
    return _type_info(kind)


_type_info: Final = cache(inspect.type_info)


def exchanged(value: Any, kind: inspect.Type, numbers: Numbers) -> Any:
    """``value``, which is JSON of that type, with every mention in it exchanged by ``numbers``.

    What ``numbers`` do not have is null, and keys that the type does not know are left out: nothing
    gets through that nobody has described.
    """
    if isinstance(kind, inspect.Metadata):
        entity = (kind.extra or {}).get(REFERS)
        if entity is None:
            return exchanged(value, kind.type, numbers)
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return numbers[entity].get(value) if is_number else None
    if isinstance(kind, inspect.UnionType):
        return None if value is None else exchanged(value, _present(kind), numbers)
    if isinstance(kind, _OBJECTS):
        types = _fields(kind)
        known = value.items() if isinstance(value, Mapping) else ()
        return {
            name: exchanged(each, types[name], numbers) for name, each in known if name in types
        }
    if isinstance(kind, _LISTS):
        each_of = value if isinstance(value, list | tuple) else ()
        return [exchanged(each, kind.item_type, numbers) for each in each_of]
    return value


def unknown_keys(value: Any, kind: inspect.Type, where: str = "") -> Iterator[str]:
    """Where in ``value`` are keys that its type does not know, as ``.standings[0].colour``."""
    if isinstance(kind, inspect.Metadata):
        yield from unknown_keys(value, kind.type, where)
    elif isinstance(kind, inspect.UnionType) and value is not None:
        yield from unknown_keys(value, _present(kind), where)
    elif isinstance(kind, _OBJECTS) and isinstance(value, Mapping):
        types = _fields(kind)
        for name, each in value.items():
            if name in types:
                yield from unknown_keys(each, types[name], f"{where}.{name}")
            else:
                yield f"{where}.{name}"
    elif isinstance(kind, _LISTS) and isinstance(value, list | tuple):
        for index, each in enumerate(value):
            yield from unknown_keys(each, kind.item_type, f"{where}[{index}]")


_OBJECTS: Final = (inspect.StructType, inspect.TypedDictType)
_LISTS: Final = (inspect.ListType, inspect.VarTupleType)


def _fields(kind: inspect.StructType | inspect.TypedDictType) -> dict[str, inspect.Type]:
    return {field.encode_name: field.type for field in kind.fields}


def _present(kind: inspect.UnionType) -> inspect.Type:
    """What is there if it is not null: nothing else is told apart in what is described here."""
    (present,) = (each for each in kind.types if not isinstance(each, inspect.NoneType))
    return present


def mentioned(value: Any, kind: inspect.Type, entity: Entity) -> Iterator[int]:
    """The numbers in ``value``, which is JSON of that type, that mention such a row."""
    if isinstance(kind, inspect.Metadata):
        refers_to = (kind.extra or {}).get(REFERS)
        if refers_to is None:
            yield from mentioned(value, kind.type, entity)
        elif refers_to == entity and isinstance(value, int):
            yield value
    elif isinstance(kind, inspect.UnionType):
        if value is not None:
            yield from mentioned(value, _present(kind), entity)
    elif isinstance(kind, _OBJECTS):
        types = _fields(kind)
        for name, each in value.items() if isinstance(value, Mapping) else ():
            if name in types:
                yield from mentioned(each, types[name], entity)
    elif isinstance(kind, _LISTS):
        for each in value if isinstance(value, list | tuple) else ():
            yield from mentioned(each, kind.item_type, entity)
