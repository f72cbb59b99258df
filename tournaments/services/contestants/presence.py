"""Who gets a place while check-in is on: they are asked to check in as well, or count as there."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from accounts.announcing.services import Told, announce
from core.text import spoken
from tournaments.lifecycle import Visibility
from tournaments.models import Contestant, Season

#: Whom somebody else enters so short before the hour, or after it, is not asked any more.
LATE: Final = timedelta(minutes=30)


def there_from(season: Season, at: datetime, *, own: bool) -> datetime | None:
    """Since when somebody counts as there who gets a place now; None: they have to check in, or
    there is no check-in. ``own``: they have come by themselves, which says as much."""
    until = season.check_in_until
    if until is None:
        return None
    # Of a draft nobody is told anything.
    unasked = at >= until - LATE or season.visibility == Visibility.DRAFT
    return at if own or unasked else None


def please_check_in(season: Season, contestant: Contestant) -> str:
    """What is added to the news of their place for somebody who has to check in; else nothing."""
    until, user = season.check_in_until, contestant.user
    if until is None or user is None or contestant.checked_in_at is not None:
        return ""
    by = spoken(until, user.zone)
    return f"Please check in on the season's page by {by}. Who has not can lose their place."


def ask_to_check_in(season: Season, contestants: Iterable[Contestant], at: datetime) -> None:
    """Ask those who have to check in and hear nothing else of their place."""
    announce(
        Told(
            user=each.user,
            kind="season.check-in",
            key=f"check-in:{season.pk}:{each.pk}:{at.isoformat()}",
            subject=f"{season.name}: please check in",
            words=f"{season.name}: You are in. {words}",
            path=season.get_absolute_url(),
        )
        for each in contestants
        if each.user is not None and (words := please_check_in(season, each))
    )
