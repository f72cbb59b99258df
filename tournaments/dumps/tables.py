"""What is public of the whole site, table by table, as rows of plain JSON values.

Each table is built up from nothing, field by field: a new column is private until somebody adds it
here. Drafts are left out with everything in them, and so is every match that is still on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeVar

import msgspec
from django.db import DatabaseError, transaction
from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from accounts.models import User
from games.models import Match, MatchPlayer, Rating, RatingPoint
from games.reading.records import record_bytes
from games.words import ruleset_named
from tournaments.lifecycle import SEASON_OVER, LegStatus, Visibility
from tournaments.models import (
    Contestant,
    DeathMatch,
    Gift,
    Leg,
    Round,
    Season,
    SeasonEvent,
)

Row = Mapping[str, Any]
_CHUNK = 200

# What was given in secret, as long as that goes on.
_SECRET = Q(secret=True, revealed_at__isnull=True) & ~Q(season__status__in=SEASON_OVER)
_FINISHED = Q(match__status=Match.Status.FINISHED)


# Told of each row that cannot be read, or that nothing can be made of.
Failed = Callable[[str, object, Exception], None]
_One = TypeVar("_One", bound=Model)
_UNREADABLE = (DatabaseError, OverflowError, ValueError)


def _raise(_model: str, _key: object, error: Exception) -> None:
    raise error


def _build_rows(query: QuerySet[_One], row: Callable[[_One], Row], failed: Failed) -> Iterator[Row]:
    """What ``row`` makes of each of a query, in order. One row's fault costs that row only."""
    label = query.model._meta.label_lower
    keys = list(query.values_list("pk", flat=True))
    for start in range(0, len(keys), _CHUNK):
        for one in _read(query, keys[start : start + _CHUNK], failed):
            try:
                made = row(one)
            except Exception as error:  # noqa: BLE001  (told to whoever makes the dump)
                failed(label, one.pk, error)
            else:
                yield made


def _read(query: QuerySet[_One], keys: list[Any], failed: Failed) -> list[_One]:
    try:
        return list(query.filter(pk__in=keys))
    except _UNREADABLE:
        found: list[_One] = []
    for key in keys:
        try:
            found.extend(query.filter(pk=key))
        except _UNREADABLE as error:
            failed(query.model._meta.label_lower, key, error)
    return found


def _public_seasons() -> QuerySet[Season]:
    return Season.objects.exclude(visibility=Visibility.DRAFT)


def users(failed: Failed = _raise) -> Iterator[Row]:
    """Those who appear in what is public, by the names that stand there; nothing else of them."""
    sat = MatchPlayer.objects.filter(_FINISHED, match__bot_seats=0, user=OuterRef("pk"))
    entered = Contestant.objects.filter(user=OuterRef("pk"), season__in=_public_seasons())
    people = User.objects.filter(Exists(sat) | Exists(entered)).order_by("pk")

    def row(user: User) -> Row:
        return {"username": user.username, "display_name": user.shown_name}

    return _build_rows(people.only("username", "display_name"), row, failed)


def seasons(failed: Failed = _raise) -> Iterator[Row]:
    """Seasons that are not drafts."""

    def row(season: Season) -> Row:
        return {
            "id": str(season.uid),
            "slug": season.slug,
            "name": season.name,
            "summary": season.summary,
            "format": season.format,
            "format_options": season.format_options,
            "status": season.status,
            "archived": season.visibility == Visibility.ARCHIVED,
            "repertoire": season.repertoire,
            "tie_breaks": season.tie_breaks,
            "winner": season.winner_id,
            "created_at": season.created_at,
            "started_at": season.started_at,
            "finished_at": season.finished_at,
        }

    return _build_rows(_public_seasons().order_by("pk"), row, failed)


def contestants(failed: Failed = _raise) -> Iterator[Row]:
    """Who is in the seasons; `username` is null for somebody without an account here."""
    rows = Contestant.objects.filter(season__in=_public_seasons()).select_related("season", "user")

    def row(one: Contestant) -> Row:
        return {
            "id": one.pk,
            "season": str(one.season.uid),
            "username": one.user.username if one.user else None,
            "name": one.name,
            "seed": one.seed,
            "status": one.status,
            "since_round": one.since_round,
            "place": one.place,
            "replaces": one.replaces_id,
        }

    return _build_rows(rows.order_by("pk"), row, failed)


def rounds(failed: Failed = _raise) -> Iterator[Row]:
    """Rounds; those of an elimination season with their `episode`."""
    rows = Round.objects.filter(season__in=_public_seasons()).select_related("season", "episode")

    def row(stage: Round) -> Row:
        episode = getattr(stage, "episode", None)
        return {
            "id": stage.pk,
            "season": str(stage.season.uid),
            "number": stage.number,
            "name": stage.name,
            "final": stage.is_final,
            "status": stage.status,
            "ruleset": stage.ruleset,
            "variant": stage.variant,
            "opened_at": stage.opened_at,
            "closed_at": stage.closed_at,
            "episode": None
            if episode is None
            else {
                "status": episode.status,
                "main_match": episode.main_match,
                "ec": episode.ec_id,
                "dmo": episode.dmo_id,
            },
        }

    return _build_rows(rows.order_by("pk"), row, failed)


def death_matches(failed: Failed = _raise) -> Iterator[Row]:
    """Death matches with their legs. What is brought into a leg is there once it has begun."""
    rows = (
        DeathMatch.objects.filter(round__season__in=_public_seasons())
        .select_related("round__season")
        .prefetch_related("legs")
    )

    def row(pair: DeathMatch) -> Row:
        return {
            "id": pair.pk,
            "season": str(pair.round.season.uid),
            "round": pair.round_id,
            "number": pair.number,
            "home": pair.home_id,
            "away": pair.away_id,
            "best_of": pair.best_of,
            "status": pair.status,
            "winner": pair.winner_id,
            "how": pair.how,
            "home_score": pair.home_score,
            "away_score": pair.away_score,
            "why": pair.why,
            "decided_at": pair.decided_at,
            "legs": [_leg(leg) for leg in pair.legs.all()],
        }

    return _build_rows(rows.order_by("pk"), row, failed)


def _leg(leg: Leg) -> Row:
    return {
        "number": leg.number,
        "attempt": leg.attempt,
        "status": leg.status,
        "ruleset": leg.ruleset,
        "variant": leg.variant,
        "scheduled_at": leg.scheduled_at,
        "items": None if leg.status == LegStatus.PLANNED else leg.items,
        "match": leg.match_id,
        "winner_seat": leg.winner_seat,
        "how": leg.how,
    }


def matches(failed: Failed = _raise) -> Iterator[Row]:
    """Finished matches with their records."""
    rows = (
        Match.objects.finished()
        .between_people()
        .order_by("pk")
        .defer("snapshot")
        .prefetch_related("players__user")
    )

    def row(match: Match) -> Row:
        return {
            "id": match.pk,
            "ruleset": match.ruleset,
            "variant": match.variant,
            "imported": match.source == Match.Source.IMPORTED,
            "players": [
                {"name": player.name, "username": player.user.username if player.user else None}
                for player in match.players.all()
            ],
            "winner": match.winner,
            "reason": match.reason,
            "scores": match.scores,
            "created_at": match.created_at,
            "finished_at": match.finished_at,
            # A game that this site no longer offers has no referee here to write its record.
            "record": _record(match) if ruleset_named(match.ruleset) else None,
        }

    return _build_rows(rows, row, failed)


def _record(match: Match) -> msgspec.Raw:
    # The database is asked: should it refuse, the snapshot that all tables share goes on.
    with transaction.atomic():
        return msgspec.Raw(record_bytes(match))


def items(failed: Failed = _raise) -> Iterator[Row]:
    """Items that were given, each with its history."""
    rows = (
        Gift.objects.filter(season__in=_public_seasons())
        .exclude(_SECRET)
        .select_related("season")
        .prefetch_related("history")
    )

    def row(gift: Gift) -> Row:
        return {
            "id": gift.pk,
            "season": str(gift.season.uid),
            "item": gift.item,
            "ruleset": gift.ruleset,
            "giver": gift.giver_id,
            "receiver": gift.receiver_id,
            "death_match": gift.death_match_id,
            "note": gift.note,
            "status": gift.status,
            "given_at": gift.given_at,
            "history": [
                {"kind": line.kind, "words": line.words, "at": line.at, "other": line.other_id}
                for line in gift.history.all()
            ],
        }

    return _build_rows(rows.order_by("pk"), row, failed)


def events(failed: Failed = _raise) -> Iterator[Row]:
    """The seasons' timelines."""
    rows = SeasonEvent.objects.filter(season__in=_public_seasons()).select_related("season")

    def row(event: SeasonEvent) -> Row:
        return {
            "id": event.pk,
            "season": str(event.season.uid),
            "kind": event.kind,
            "words": event.words,
            "data": event.data,
            "round": event.round_id,
            "death_match": event.death_match_id,
            "contestant": event.contestant_id,
            "at": event.at,
        }

    return _build_rows(rows.order_by("pk"), row, failed)


def ratings(failed: Failed = _raise) -> Iterator[Row]:
    """Where everybody stands on each ladder."""

    def row(rating: Rating) -> Row:
        return {
            "ladder": rating.ladder_id,
            "username": rating.user.username,
            "rating": rating.shown,
            "mu": rating.mu,
            "sigma": rating.sigma,
            "games": rating.games,
            "wins": rating.wins,
        }

    return _build_rows(Rating.objects.select_related("user").order_by("pk"), row, failed)


def rating_points(failed: Failed = _raise) -> Iterator[Row]:
    """How everybody came to stand there: a row for each result of each player."""

    def row(point: RatingPoint) -> Row:
        return {
            "ladder": point.ladder_id,
            "username": point.user.username,
            "match": point.match_id,
            "rating": point.shown,
            "mu": point.mu,
            "sigma": point.sigma,
        }

    return _build_rows(RatingPoint.objects.select_related("user").order_by("pk"), row, failed)


TABLES: Final[tuple[Callable[[Failed], Iterator[Row]], ...]] = (
    users,
    seasons,
    contestants,
    rounds,
    death_matches,
    matches,
    items,
    events,
    ratings,
    rating_points,
)
