"""Rows of seasons with everything that an answer of the API shows of them, in a number of queries
that does not grow with the answer."""

from __future__ import annotations

from typing import Any

from django.db.models import Prefetch, QuerySet

from tournaments import audience
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Gift,
    Leg,
    MainMatchPicture,
    Placement,
    Round,
    ScoreRow,
    ScoreTable,
    Season,
    SeasonOrganiser,
)


def seasons_whole(viewer: Any) -> QuerySet[Season]:
    """The seasons that ``viewer`` may see."""
    organisers = SeasonOrganiser.objects.organising().select_related("user").order_by("pk")
    seasons: QuerySet[Season] = Season.objects.visible_to(viewer)
    return seasons.select_related("winner__user", "picture").prefetch_related(
        Prefetch("organisers", organisers)
    )


def death_matches_whole(viewer: Any) -> QuerySet[DeathMatch]:
    """The death matches that ``viewer`` may see."""
    matches: QuerySet[DeathMatch] = DeathMatch.objects.visible_to(viewer)
    people = [f"{side}__user" for side in ("home", "away", "winner")]
    legs = Leg.objects.select_related("match").defer("match__snapshot")
    return matches.select_related("round__season", *people).prefetch_related(
        Prefetch("legs", legs.order_by("number", "attempt"))
    )


def rounds_whole(viewer: Any) -> QuerySet[Round]:
    """The rounds of seasons that ``viewer`` may see, with their episodes and death matches."""
    placements = Placement.objects.select_related("contestant__user").order_by("place", "pk")
    episodes = Episode.objects.select_related("ec__user", "dmo__user").prefetch_related(
        Prefetch("placements", placements),
        Prefetch(
            "pictures",
            MainMatchPicture.objects.seen_by_all()
            .select_related("picture__season")
            .order_by("number"),
        ),
        Prefetch("scores", ScoreTable.objects.filter(audience.scores_seen_by_all())),
        Prefetch(
            "scores__rows", ScoreRow.objects.select_related("contestant__user").order_by("pk")
        ),
    )
    matches = death_matches_whole(viewer).order_by("number")
    rounds = Round.objects.filter(season__in=Season.objects.visible_to(viewer))
    return rounds.select_related("season").prefetch_related(
        Prefetch("episode", episodes), Prefetch("death_matches", matches)
    )


def contestants_whole(season: Season) -> QuerySet[Contestant]:
    """Everybody who ever entered a season."""
    return Contestant.objects.filter(season=season).select_related("user", "picture__season")


def gifts_whole(season: Season, viewer: Any) -> QuerySet[Gift]:
    """The items of a season that ``viewer`` may know of, with their history."""
    seen = audience.gifts_visible_to(season, viewer)
    rows = Gift.objects.filter(seen, season=season).select_related("giver__user", "receiver__user")
    return rows.prefetch_related("history")
