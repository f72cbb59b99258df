"""Many seasons: finding one, lists of them, and what is next in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.models import User
from core.clock import now_utc
from core.refusals import NotFound
from tournaments.formats.registry import FORMATS
from tournaments.lifecycle import (
    ContestantStatus,
    DeathMatchStatus,
    LegStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import Contestant, DeathMatch, Leg, Season, SeasonOrganiser

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


class _Counts(TypedDict):
    entered: int
    left: int


class SeasonListed(NamedTuple):
    """A season on a list, how many contestants have entered it (who took over from somebody counts
    in their place), and how many may still win it."""

    season: Season
    entered: int
    left: int


def season_for(slug: str, user: Any) -> Season:
    """The season of that address, if ``user`` may know of it. Raises Refusal ``season.none``."""
    seasons = Season.objects.visible_to(user).select_related("winner__picture", "picture")
    season = seasons.filter(slug=slug).first()
    if season is None:
        raise NotFound("season.none", "There is no such season.")
    for owner in (season, season.winner):
        if owner is not None and owner.picture is not None:
            owner.picture.season = season
    return season


def fingerprint(season: Season) -> str:
    """A text that is the same as long as nothing public of the season has changed."""
    return f"{season.pk}.{season.revision}"


def _seasons_with_counts(viewer: Any) -> QuerySet[WithAnnotations[Season, _Counts]]:
    """The seasons that ``viewer`` may see, with what is counted of them for lists."""
    replaced = Q(contestants__status=ContestantStatus.REPLACED)
    before = Q(contestants__status=ContestantStatus.WITHDRAWN, contestants__seed__isnull=True)
    playing = Count("contestants", filter=~replaced & ~before)
    ours = _in_contention().filter(season=OuterRef("pk")).order_by()
    left = Coalesce(Subquery(ours.values("season").annotate(n=Count("pk")).values("n")), 0)
    seasons: QuerySet[Season] = Season.objects.visible_to(viewer)
    return seasons.select_related("winner", "picture").annotate(entered=playing, left=left)


def _season_rows(rows: QuerySet[WithAnnotations[Season, _Counts]]) -> list[SeasonListed]:
    listed = [SeasonListed(row, row.entered, row.left) for row in rows]
    for each in listed:
        if each.season.picture is not None:
            each.season.picture.season = each.season
    return listed


def _in_contention() -> QuerySet[Contestant]:
    """Who may still win their season."""
    lost = DeathMatch.objects.filter(
        Q(home=OuterRef("pk")) | Q(away=OuterRef("pk")), status=DeathMatchStatus.DECIDED
    ).exclude(winner=OuterRef("pk"))
    once = [each.key for each in FORMATS.values() if each.loses_once]
    beaten = Q(season__format__in=once) & Q(Exists(lost))
    return Contestant.objects.filter(status=ContestantStatus.ACTIVE).exclude(beaten)


def seasons_by_stage(viewer: Any, *, at_most: int = 60) -> dict[str, list[SeasonListed]]:
    """Public seasons as `running`, `enrolling` and `over`; archived ones are on no list but their
    own organisers'."""
    public = _seasons_with_counts(viewer).filter(visibility=Visibility.LISTED)
    running = public.filter(status=SeasonStatus.RUNNING)
    enrolling = public.filter(status=SeasonStatus.ENROLLING)
    over = public.filter(status__in=[SeasonStatus.FINISHED, SeasonStatus.CANCELLED])
    return {
        "running": _season_rows(running.order_by("-changed_at")[:at_most]),
        "enrolling": _season_rows(enrolling.order_by("-created_at")[:at_most]),
        "over": _season_rows(over.order_by("-finished_at")[:at_most]),
    }


def seasons_run_by(user: User) -> list[SeasonListed]:
    """The seasons that ``user`` runs, or helps to, drafts and archived ones included."""
    held = SeasonOrganiser.objects.held_by(user).values("season")
    return _season_rows(_seasons_with_counts(user).filter(pk__in=held).order_by("-changed_at"))


def contestancies_of(person: User, viewer: Any) -> list[Contestant]:
    """Where somebody played, the latest first, of the seasons that ``viewer`` may see."""
    rows = Contestant.objects.filter(user=person, season__in=Season.objects.visible_to(viewer))
    return list(rows.select_related("season__winner").order_by("-enrolled_at")[:20])


def next_scheduled(viewer: Any, *, at_most: int = 6) -> list[Leg]:
    """What is to be played next, over all running public seasons."""
    rows = Leg.objects.filter(
        status=LegStatus.PLANNED,
        scheduled_at__gte=now_utc(),
        death_match__round__season__in=Season.objects.visible_to(viewer),
        death_match__round__season__visibility=Visibility.LISTED,
        death_match__round__season__status=SeasonStatus.RUNNING,
    ).select_related("death_match__round__season", "death_match__home", "death_match__away")
    return list(rows.order_by("scheduled_at", "pk")[:at_most])
