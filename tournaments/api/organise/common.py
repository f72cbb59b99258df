"""What all of these share: rights and rows that several ask for, reasons, and rows as answers have
them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from django.db.models import Model, QuerySet
from rest_framework import serializers
from rest_framework.request import Request

from accounts.models import User
from core.api.scopes import Scope, require_scope
from core.refusals import NotFound, Refusal, Together
from tournaments.api.serializers import DeathMatchSerializer, RoundSerializer
from tournaments.models import DeathMatch, Season
from tournaments.reading.seasons import season_for
from tournaments.reading.whole import death_matches_whole, rounds_whole
from tournaments.rights import Right
from tournaments.services.guards import must_be_ahead, must_manage, reason

ORGANISE: Mapping[str, Scope] = MappingProxyType({"POST": Scope.ORGANISE})
# What contestants do for themselves takes `play`, the same for others `organise`: which of the two,
# views find out (`require_play_or_organise`).
OWN_OR_ORGANISE: Mapping[str, Scope] = MappingProxyType({"POST": Scope.READ, "PATCH": Scope.READ})
# Rows of one body.
ROWS_MOST = 1000
# Bytes of a body that names so many, each with everything that can be said of them.
BULK_MOST = 512 * 1024
# What a reason may be refused for.
WHY_AT_FAULT: Mapping[str, str] = MappingProxyType({"why.missing": "why", "why.too-long": "why"})

_M = TypeVar("_M", bound=Model)


def require_play_or_organise(request: Request, *, own: bool) -> None:
    """Raises ScopeMissing where a token allows neither."""
    require_scope(request.auth, Scope.PLAY if own else Scope.ORGANISE)


def managed_season(slug: str, caller: User, right: Right = Right.RUN) -> Season:
    """A season in which the caller holds a right. Raises Refusal ``season.none``, and as
    `guards.must_manage` does."""
    season = season_for(slug, caller)
    must_manage(season, caller, right)
    return season


def row_of(rows: QuerySet[_M], pk: int, code: str, sentence: str) -> _M:
    """One of these rows. Raises NotFound with the code and the sentence."""
    row = rows.filter(pk=pk).first()
    if row is None:
        raise NotFound(code, sentence)
    return row


def death_match_data(request: Request, pk: int) -> dict[str, Any]:
    """A death match as its caller may see it now."""
    row = death_matches_whole(request.user).get(pk=pk)
    shown: dict[str, Any] = DeathMatchSerializer(row, context={"request": request}).data
    return shown


def round_data(request: Request, pk: int) -> dict[str, Any]:
    """A round as its caller may see it now."""
    row = rounds_whole(request.user).get(pk=pk)
    shown: dict[str, Any] = RoundSerializer(row, context={"request": request}).data
    return shown


def must_be_new_and_ahead(death_match: DeathMatch | None, when: datetime | None) -> None:
    """A time that it has already may be over: to give it once more changes nothing. Raises
    Refusal ``schedule.past`` and ``schedule.far``."""
    try:
        must_be_ahead(when)
    except Refusal:
        if death_match is None or not death_match.legs.filter(scheduled_at=when).exists():
            raise


class WhySerializer(serializers.Serializer[dict[str, Any]]):
    """A reason."""

    at_fault: ClassVar[Mapping[str, str]] = WHY_AT_FAULT

    why = serializers.CharField(max_length=500, help_text="Public.")

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """It says something."""
        faults = Together()
        if "why" in sound:
            with faults.of():
                reason(sound["why"])
        yield from faults.refused
