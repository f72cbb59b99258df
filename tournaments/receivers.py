"""What seasons must hear of."""

from __future__ import annotations

from typing import Any

from tournaments import notices
from tournaments.lifecycle import SeasonStatus
from tournaments.models import Season
from tournaments.services.seasons import season_referees_refresh
from tournaments.tasks import mail_event_enqueue, settle_enqueue


def on_match_ended(*, match_id: int, **_more: Any) -> None:
    """A match has ended: a worker takes the result over, if it is one of a season's. Not here: this
    runs where the turn ran, which must not wait for the season's row."""
    settle_enqueue(match_id=match_id)


def on_season_happened(*, event_id: int, kind: str, **_more: Any) -> None:
    """Something has happened in a season: a worker writes to those who must know of it."""
    if notices.is_mailed(kind):
        mail_event_enqueue(event_id=event_id)


def on_rights_changed(*, user_id: int, **_more: Any) -> None:
    """Somebody has gained or lost a role: they may or may not referee what is on any more."""
    for season in Season.objects.filter(organisers__user=user_id, status=SeasonStatus.RUNNING):
        season_referees_refresh(season=season)
