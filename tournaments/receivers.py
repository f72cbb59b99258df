"""What seasons must hear of."""

from __future__ import annotations

from typing import Any

from core.queueing import enqueue
from tournaments import notices
from tournaments.jobs import ANNOUNCE_EVENT, SETTLE, UNSEAL
from tournaments.lifecycle import SeasonStatus
from tournaments.models import Leg, Season
from tournaments.services.follows import follows_forget
from tournaments.services.free_hours import free_hours_forget
from tournaments.services.organisers import season_referees_refresh
from tournaments.services.pictures import pictures_forget


def on_match_ended(*, match_id: int, **_more: Any) -> None:
    """A match has ended: a worker takes the result over, if it is one of a season's. Not here: what
    else follows an end must not wait for the season's row."""
    if Leg.objects.filter(match=match_id).exists():
        enqueue(SETTLE, match_id)


def on_match_begun(*, match_id: int, at: int, **_more: Any) -> None:
    """A match that waited for its players has begun at ``at``: a worker writes that down and tells
    what was brought, if it is one of a season's. Not here: this runs where the turn ran."""
    enqueue(UNSEAL, match_id, at)


def on_season_happened(*, event_id: int, kind: str, **_more: Any) -> None:
    """Something has happened in a season: a worker tells those who must know of it."""
    if notices.is_announced(kind):
        enqueue(ANNOUNCE_EVENT, event_id)


def on_account_closed(*, user_id: int, **_more: Any) -> None:
    """Nobody meets somebody who is gone, and they hear nothing: when they were free, what they look
    like, and what they followed, is nobody's to keep."""
    free_hours_forget(user_id)
    follows_forget(user_id)
    pictures_forget(user_id)


def on_rights_changed(*, user_id: int, **_more: Any) -> None:
    """Somebody has gained or lost a role: they may or may not referee what is on any more."""
    for season in Season.objects.filter(organisers__user=user_id, status=SeasonStatus.RUNNING):
        season_referees_refresh(season=season)
