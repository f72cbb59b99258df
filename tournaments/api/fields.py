"""What bodies of requests name of a season."""

from __future__ import annotations

from typing import Any

from django.db.models import BigIntegerField, Model, QuerySet
from rest_framework import serializers

from core.api.bodies import Lookup, Reference
from tournaments.models import DeathMatch, Season, formats


class FormatField(serializers.ChoiceField):
    """A format of seasons, by its key."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=formats.choices(), **kwargs)


class _IdField(Reference, serializers.IntegerField):
    """The id of a row, which it becomes."""

    @classmethod
    def key_of(cls, said: Any) -> int | None:
        """A number that may be an id: larger ones are more than the database can ask for."""
        return int(said) if 0 < said <= BigIntegerField.MAX_BIGINT else None


class ContestantReference(_IdField):
    """A contestant of the season."""

    looked_up = "contestants"
    none = ("contestant.none", "There is no contestant {} in this season.")


class DeathMatchField(_IdField):
    """A death match of the season."""

    looked_up = "death_matches"
    none = ("death-match.none", "There is no death match {} here.")


def contestants_of(season: Season) -> Lookup:
    """Finds contestants of a season by their ids, in one query."""
    return _lookup_in(season.contestants.select_related("user"))


def death_matches_among(rows: QuerySet[DeathMatch]) -> Lookup:
    """Finds death matches among these by their ids, in one query."""
    return _lookup_in(rows)


def _lookup_in(rows: QuerySet[Any]) -> Lookup:
    def lookup(keys: set[int]) -> dict[int, Model]:
        found: dict[int, Model] = rows.in_bulk(keys)
        return found

    return lookup
