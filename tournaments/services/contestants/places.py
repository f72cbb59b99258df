"""Places that become free before a season begins, and who gets them: those who wait, in order."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet

from accounts.announcing.services import Told, announce
from core.refusals import Refusal
from tournaments.lifecycle import ApplicationStatus, SeasonStatus, Visibility
from tournaments.models import Contestant, Season, SeasonApplication
from tournaments.services.contestants.enrolment import (
    Enrolment,
    Intake,
    entries_save,
    places_left,
)
from tournaments.services.contestants.presence import please_check_in


def waiting_list(season: Season) -> QuerySet[SeasonApplication]:
    """Who waits for a place, the next first."""
    rows = season.applications.filter(status=ApplicationStatus.WAITING)
    return rows.select_related("user", "invitation").order_by("turn")


def places_fill(season: Season, at: datetime) -> list[Contestant]:
    """Have those who wait longest move up into what is free, and tell them: part of the action that
    has made a place free, under the season's lock. Who may not enter just now, since they are
    suspended or their account is closed, keeps their turn."""
    left = places_left(season)
    if season.status != SeasonStatus.ENROLLING or left == 0:
        return []
    waiting = list(waiting_list(season))
    if not waiting:
        return []
    entries = [Enrolment(row.user, row.name, None, row.invitation) for row in waiting]
    intake = Intake(season, entries, at)
    moved: list[Contestant] = []
    for entry in entries:
        if left is not None and len(moved) >= left:
            break
        contestant = _admitted(intake, entry)
        if contestant is not None:
            moved.append(contestant)
    if moved:
        entries_save(season, None, moved, at)
        by_user = {row.user_id: row for row in waiting}
        for each in moved:
            row = by_user[each.user_id or 0]
            words = f"A place has become free, and it is yours. {please_check_in(season, each)}"
            tell(row, at, "You are in", words.rstrip())
    return moved


def _admitted(intake: Intake, entry: Enrolment) -> Contestant | None:
    # What the season was to call them may be somebody else's name by now.
    for each in (entry, entry._replace(name="")):
        try:
            return intake.admit(each)
        except Refusal:
            continue
    return None


def tell(row: SeasonApplication, at: datetime, about: str, words: str) -> None:
    """Tell somebody how they stand who has applied or waits. Of a draft nobody is told."""
    season = row.season
    if season.visibility == Visibility.DRAFT:
        return
    announce(
        [
            Told(
                user=row.user,
                kind="season.entry",
                key=f"application:{row.pk}:{at.isoformat()}",
                subject=f"{season.name}: {about[:1].lower()}{about[1:]}",
                words=f"{season.name}: {words}",
                path=season.get_absolute_url(),
            )
        ]
    )


def standing_of(row: SeasonApplication) -> int:
    """Which of the waiting list somebody is who waits, from 1."""
    ahead = SeasonApplication.objects.filter(season=row.season_id, turn__lt=row.turn)
    return ahead.count() + 1
