"""Seasons out: the document, and the zip with the records of its matches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from django.db import models, transaction
from django.db.models import Prefetch

from accounts.models import User
from core.refusals import Refusal
from games.models import Match
from games.reading.records import record_bytes
from tournaments import audience
from tournaments.documents import archive
from tournaments.documents.fields import written
from tournaments.documents.parts import Document, Where
from tournaments.events.references import Entity
from tournaments.lifecycle import LegStatus
from tournaments.models import (
    Contestant,
    DeathMatch,
    Gift,
    ItemEvent,
    LedgerEntry,
    Leg,
    Placement,
    Round,
    ScoreRow,
    ScoreTable,
    Season,
    SeasonEvent,
)
from tournaments.services.guards import season_lock
from tournaments.trade import trade_of


def season_export(*, season: Season, reader: User | None = None) -> bytes:
    """The document of a season, as JSON text in UTF-8, alike for alike seasons byte for byte.

    Whoever calls it has seen to the right to (`audience.may_manage`). The ledger is there as a
    whole, or (for a ``reader`` who does not see all of it yet) not at all: a part of it would not
    balance. Of items given in secret there are those that the reader knows of. None is the site
    itself. Raises Refusal ``document.leg-running`` while a match is being played: its record would
    tell too much.
    """
    with transaction.atomic():
        return _text_of(season_lock(season.pk, changes=False), reader)


def season_records(*, season: Season, reader: User | None = None) -> bytes:
    """The document and the record of every match, as a zip. Raises Refusal as `season_export`
    does."""
    with transaction.atomic():
        season = season_lock(season.pk, changes=False)
        document = _text_of(season, reader)
        numbers = _match_numbers(season)
        matches = Match.objects.in_bulk(numbers)
    return archive.packed(
        document, ((number, record_bytes(matches[pk])) for pk, number in numbers.items())
    )


def _text_of(season: Season, reader: User | None) -> bytes:
    if _legs_in_order(season).filter(status=LegStatus.RUNNING).exists():
        raise Refusal(
            "document.leg-running",
            "A match of this season is on, or waits for its players: wait for its end.",
        )
    whole = reader is None or audience.sees_whole_ledger(season, reader)
    all_gifts = reader is None or audience.sees_all_gifts(season, reader)
    _fetch(season, reader, whole=whole, all_gifts=all_gifts)
    document = msgspec.convert(written(season, Document, _numbers_of(season)), Document)
    return msgspec.json.format(msgspec.json.encode(document), indent=1)


def _fetch(season: Season, reader: User | None, *, whole: bool, all_gifts: bool) -> None:
    """Every row of the document, in its order; ``whole``: the ledger, too; ``all_gifts``: whatever
    was given in secret."""
    ledger = LedgerEntry.objects.order_by("pk")
    gifts = Gift.objects.filter(audience.gifts_visible_to(season, reader, whole=all_gifts))
    models.prefetch_related_objects(
        [season],
        Prefetch("contestants", Contestant.objects.select_related("user").order_by("pk")),
        Prefetch("rounds", Round.objects.order_by("number")),
        "rounds__episode",
        Prefetch(
            "rounds__episode__placements", Placement.objects.order_by("place", "contestant_id")
        ),
        Prefetch("rounds__episode__scores", _tables(season, whole=whole)),
        Prefetch("rounds__episode__scores__rows", ScoreRow.objects.order_by("contestant_id")),
        Prefetch("rounds__death_matches", DeathMatch.objects.order_by("number")),
        Prefetch("rounds__death_matches__legs", Leg.objects.order_by("number", "attempt")),
        Prefetch("gifts", gifts.order_by("pk")),
        Prefetch("gifts__history", ItemEvent.objects.order_by("pk")),
        Prefetch("ledger", ledger if whole else ledger.none()),
        Prefetch("events", SeasonEvent.objects.order_by("pk")),
    )


def _tables(season: Season, *, whole: bool) -> models.QuerySet[ScoreTable]:
    """The tables of scores: where what everybody has is hidden, and not ``whole``, none that says
    what was won."""
    tables = ScoreTable.objects.filter(episode__round__season=season)
    if whole or not trade_of(season).hidden:
        return tables
    return tables.exclude(columns__contains=[{"wins": True}])


def _legs_in_order(season: Season) -> models.QuerySet[Leg]:
    return Leg.objects.filter(death_match__round__season=season).order_by(
        "death_match__round__number", "death_match__number", "number", "attempt"
    )


def _match_numbers(season: Season) -> dict[int, int]:
    """The number in the document of every match, by its id."""
    return _numbering(_legs_in_order(season).exclude(match=None).values_list("match", flat=True))


def _numbering(pks: Iterable[int | None]) -> dict[int, int]:
    return {pk: number for number, pk in enumerate(pks, start=1) if pk is not None}


def _numbers_of(season: Season) -> dict[Entity, dict[int, Any]]:
    """What the document calls every row that it mentions, by its id."""
    rounds, death_matches, legs = {}, {}, {}
    for played in season.rounds.all():
        rounds[played.pk] = Where(round=played.number)
        for each in played.death_matches.all():
            death_matches[each.pk] = Where(round=played.number, match=each.number)
            for leg in each.legs.all():
                legs[leg.pk] = Where(
                    round=played.number, match=each.number, leg=leg.number, attempt=leg.attempt
                )
    return {
        Entity.CONTESTANT: _numbering(each.pk for each in season.contestants.all()),
        Entity.ITEM: _numbering(each.pk for each in season.gifts.all()),
        Entity.ENTRY: _numbering(each.pk for each in season.ledger.all()),
        Entity.MATCH: _match_numbers(season),
        Entity.ROUND: rounds,
        Entity.DEATH_MATCH: death_matches,
        Entity.LEG: legs,
    }
