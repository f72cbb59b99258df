"""What a season's document takes for a word is what its row does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from django.db import models
from msgspec import inspect

from tournaments.documents import parts
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Gift,
    ItemEvent,
    Leg,
    Round,
    Season,
)

ROWS: dict[type[msgspec.Struct], type[models.Model]] = {
    parts.SeasonDoc: Season,
    parts.ContestantDoc: Contestant,
    parts.RoundDoc: Round,
    parts.EpisodeDoc: Episode,
    parts.DeathMatchDoc: DeathMatch,
    parts.LegDoc: Leg,
    parts.GiftDoc: Gift,
    parts.ItemEventDoc: ItemEvent,
}
# No season is exported while a leg is being played.
LEFT_OUT: dict[tuple[type[msgspec.Struct], str], set[str]] = {(parts.LegDoc, "status"): {"running"}}


def texts_of(kind: inspect.Type) -> frozenset[str] | None:
    """The texts that a type lists; None where it lists none."""
    if isinstance(kind, inspect.Metadata):
        return texts_of(kind.type)
    if not isinstance(kind, inspect.LiteralType):
        return None
    texts = [value for value in kind.values if isinstance(value, str)]
    return frozenset(texts) if texts else None


def listed() -> Iterator[tuple[type[msgspec.Struct], str, frozenset[str]]]:
    """Every field of a row's part that lists its texts."""
    for part in ROWS:
        described = inspect.type_info(part)
        assert isinstance(described, inspect.StructType)
        for field in described.fields:
            texts = texts_of(field.type)
            if texts is not None:
                yield part, field.name, texts


def words_of(model: type[models.Model], column: models.CharField[Any, Any]) -> set[str]:
    """The words that a column may have, by its choices or, where it has none, by a constraint."""
    if column.choices:
        return {str(value) for value, _ in column.choices}
    checks = [each for each in model._meta.constraints if isinstance(each, models.CheckConstraint)]
    return {
        word
        for check in checks
        if isinstance(check.condition, models.Q)
        for child in check.condition.children
        if isinstance(child, tuple) and child[0] == f"{column.name}__in"
        for word in child[1]
    }


@pytest.mark.parametrize(
    ("part", "name", "texts"),
    [pytest.param(*each, id=f"{each[0].__name__}.{each[1]}") for each in listed()],
)
def test_a_part_lists_the_words_of_its_row(
    part: type[msgspec.Struct], name: str, texts: frozenset[str]
) -> None:
    column = ROWS[part]._meta.get_field(name)
    assert isinstance(column, models.CharField)
    words = words_of(ROWS[part], column)
    may_be_empty = {""} if column.blank else set()
    assert texts == words - LEFT_OUT.get((part, name), set()) | may_be_empty


def test_what_a_row_chooses_from_is_listed() -> None:
    """But for the format, which only the running program knows."""
    found = {(part, name) for part, name, _ in listed()}
    chosen = {
        (part, field.name)
        for part, model in ROWS.items()
        for field in model._meta.get_fields()
        if isinstance(field, models.CharField) and words_of(model, field)
        if field.name in part.__struct_fields__
    }
    assert chosen - found == {(parts.SeasonDoc, "format")}
    assert found <= chosen
