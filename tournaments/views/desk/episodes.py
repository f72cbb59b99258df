"""The desk of an elimination season: its episodes, and the final."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from accounts.models import User
from tournaments.actions.episodes import FINAL, OPEN, PLACEMENTS
from tournaments.actions.subjects import AtRound, AtSeason
from tournaments.reading.sheet import Sheet
from tournaments.views.actions import perform
from tournaments.views.common import FORMS, organisers_only


@require_http_methods(FORMS)
@organisers_only
def episode_new(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Open the next episode."""
    subject = AtSeason(user, sheet)
    return perform(request, OPEN, subject, back=subject.address("desk"))


@require_http_methods(FORMS)
@organisers_only
def placements(request: HttpRequest, sheet: Sheet, user: User, number: int) -> HttpResponse:
    """Record how everybody came off in the main match."""
    played = sheet.round(number)
    subject = AtRound(user, sheet, played)
    return perform(
        request,
        PLACEMENTS,
        subject,
        back=subject.address("round", number),
        template="desk_placements.html",
        more={"round": played},
    )


@require_http_methods(FORMS)
@organisers_only
def final(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Open the final."""
    subject = AtSeason(user, sheet)
    return perform(request, FINAL, subject, back=subject.address("desk"))
