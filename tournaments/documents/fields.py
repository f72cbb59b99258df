"""How the parts of a document are described, and how rows are written and read by that.

A part is a struct, a field of it by default the column of its name. Where it is anything else, its
annotation says what: a number of the row's own (`own`), another row (`mention`, `place`), rows
below it (`ROWS`), worked out (`derived`), JSON that mentions rows itself (`holds`), something
organisers set (`SETTING`), or a column that is written only once every row is there (`LATER`).
`one_of` says what a text may be where only the running program knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec
from django.db import models
from msgspec import inspect

from tournaments.events.references import REFERS, Entity, Numbers, described, exchanged, refers
from tournaments.formats.numbering import wrong

NUMBER_MAX: Final = 1_000_000
HOLDS, VALUES, VALUES_WORDS = "holds", "values", "values-words"
_OWN, _COLUMN, _DERIVED = "own", "column", "derived"
_ROWS, _SETTING, _LATER = "rows", "setting", "later"


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the document. Unknown keys are refused: they would be lost."""


# -- what an annotation says ---------------------------------------------------------------------

#: Parts of rows that belong to this one, in the order in which they were fetched.
ROWS: Final = msgspec.Meta(extra={_ROWS: True})
#: What organisers set: `services.seasons` looks at it.
SETTING: Final = msgspec.Meta(extra={_SETTING: True})
#: What is known, or may be so, only once all rows are there.
LATER: Final = msgspec.Meta(extra={_LATER: True})


def own(entity: Entity) -> msgspec.Meta:
    """The number by which the document mentions this row."""
    return msgspec.Meta(ge=1, le=NUMBER_MAX, extra={_OWN: entity})


def mention(entity: Entity, column: str = "") -> msgspec.Meta:
    """The number of another row, which the ``column`` (by default of the field's name) names."""
    return refers(entity, ge=1, le=NUMBER_MAX, **{_COLUMN: column})


def place(entity: Entity) -> msgspec.Meta:
    """A round, death match or leg, by where it is."""
    return refers(entity, how="as `where`")


def derived(work_out: Callable[[Any, Numbers], Any]) -> msgspec.Meta:
    """No column: what ``work_out`` finds, of the row and the document's numbers."""
    return msgspec.Meta(extra={_DERIVED: work_out})


def holds(kind: Any) -> msgspec.Meta:
    """JSON of that type, which mentions rows itself."""
    return msgspec.Meta(extra={HOLDS: kind, _LATER: True})


def one_of(values: Callable[[], Iterable[str]], words: str = "") -> msgspec.Meta:
    """A text out of ``values``, which are asked for each time; ``words`` say in a few words which
    they are, where a list would be too long."""
    return msgspec.Meta(extra={VALUES: values, VALUES_WORDS: words})


class PartField(NamedTuple):
    """A field of a part: its name, its type, what its annotation says, and the part of its rows."""

    name: str
    kind: inspect.Type
    said: Mapping[str, Any]
    part: type[Part] | None

    @property
    def entity(self) -> Entity | None:
        """What it refers to."""
        return self.said.get(REFERS)

    @property
    def column(self) -> str:
        """The attribute of the row that it is."""
        return self.said.get(_COLUMN) or self.name

    @property
    def held(self) -> Any:
        """The type of JSON that mentions rows itself; None: it is none."""
        return self.said.get(HOLDS)

    @property
    def values(self) -> list[str]:
        """What it may be, where the program knows; nothing: see its type."""
        return sorted(self.said[VALUES]()) if VALUES in self.said else []

    @property
    def is_setting(self) -> bool:
        """Whether organisers set it."""
        return _SETTING in self.said

    @property
    def is_column(self) -> bool:
        """Whether a row is made with it as it is."""
        return not self.is_setting and not self.said.keys() & {_OWN, _DERIVED, _ROWS}

    @property
    def is_later(self) -> bool:
        """Whether all rows have to be there first."""
        return _LATER in self.said


@cache
def fields_of(part: type[Part]) -> tuple[PartField, ...]:
    """What a part is described to hold."""
    kind = inspect.type_info(part)
    if not isinstance(kind, inspect.StructType):
        raise TypeError(f"{part} is no part of a document")
    found = []
    for field in kind.fields:
        said = dict(_notes_on(field.type))
        below = _part_in(field.type) if _ROWS in said else None
        found.append(PartField(field.encode_name, field.type, said, below))
    return tuple(found)


def _notes_on(kind: inspect.Type) -> dict[str, Any]:
    if isinstance(kind, inspect.Metadata):
        return {**(kind.extra or {}), **_notes_on(kind.type)}
    if isinstance(kind, inspect.UnionType):
        return {key: value for each in kind.types for key, value in _notes_on(each).items()}
    return {}


def _part_in(kind: inspect.Type) -> type[Part] | None:
    match kind:
        case inspect.StructType(cls=cls) if issubclass(cls, Part):
            return cls
        case inspect.Metadata(type=inner) | inspect.VarTupleType(item_type=inner):
            return _part_in(inner)
        case inspect.UnionType(types=types):
            return next((part for each in types if (part := _part_in(each))), None)
    return None


# -- out -----------------------------------------------------------------------------------------


def written(row: Any, part: type[Part], numbers: Numbers) -> dict[str, Any]:
    """A row as that part of the document, and all that is below it, with the document's numbers."""
    return {field.name: _value_of(row, field, numbers) for field in fields_of(part)}


def _value_of(row: Any, field: PartField, numbers: Numbers) -> Any:
    said = field.said
    if _DERIVED in said:
        return said[_DERIVED](row, numbers)
    if _OWN in said:
        return numbers[said[_OWN]][row.pk]
    if field.entity is not None:
        return numbers[field.entity].get(getattr(row, f"{field.column}_id"))
    if field.part is not None:
        below = getattr(row, field.name, None)
        if isinstance(below, models.Manager):
            return [written(each, field.part, numbers) for each in below.all()]
        return None if below is None else written(below, field.part, numbers)
    value = getattr(row, field.name)
    if field.held is not None and value is not None:
        return exchanged(value, described(field.held), numbers)
    return value.astimezone(UTC) if isinstance(value, datetime) else value


# -- in ------------------------------------------------------------------------------------------


class KnownRows:
    """The rows that have been made of a document, by its numbers."""

    def __init__(self) -> None:
        self.rows: dict[Entity, dict[Any, Any]] = {each: {} for each in Entity}
        self.ids: dict[Entity, dict[Any, int]] = {each: {} for each in Entity}

    def add(self, entity: Entity, number: Any, row: models.Model) -> None:
        """``row`` has that number, or is there."""
        self.rows[entity][number] = row
        self.ids[entity][number] = row.pk

    def must_be_free(self, entity: Entity, number: Any, where: str, fault: str) -> None:
        """Raises Refusal ``document.wrong`` where another row has that number."""
        if number in self.rows[entity]:
            raise wrong(where, fault)

    def row(self, entity: Entity, number: Any, where: str) -> Any:
        """The row of that number. Raises Refusal ``document.wrong``."""
        if number not in self.rows[entity]:
            raise wrong(where, f"there is no such {entity.value}")
        return self.rows[entity][number]

    def columns(self, doc: Part, where: str, *, later: bool = False) -> dict[str, Any]:
        """What the row of a part is made with; or the columns that are written once all rows are
        there. Raises Refusal ``document.wrong`` for numbers that lead nowhere."""
        return {
            field.column: self._column(field, getattr(doc, field.name), f"{where}.{field.name}")
            for field in fields_of(type(doc))
            if field.is_column and field.is_later is later
        }

    def _column(self, field: PartField, value: Any, where: str) -> Any:
        if value is None:
            return None
        if field.entity is not None:
            return self.row(field.entity, value, where)
        if field.held is not None:
            return exchanged(value, described(field.held), self.ids)
        return value

    def finish(self, row: models.Model, doc: Part, where: str) -> None:
        """Write the columns of a row that had to wait for others."""
        columns = self.columns(doc, where, later=True)
        for name, value in columns.items():
            setattr(row, name, value)
        row.save(update_fields=list(columns))
