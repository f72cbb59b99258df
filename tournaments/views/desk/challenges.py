"""Challenges at the desk."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from accounts.models import User
from tournaments.actions.challenges import ENTER
from tournaments.actions.subjects import AtContestant
from tournaments.reading.sheet import Sheet
from tournaments.views.actions import perform
from tournaments.views.common import FORMS, contestant_of, organisers_only


@require_http_methods(FORMS)
@organisers_only
def challenge_enter(request: HttpRequest, sheet: Sheet, user: User, pk: int) -> HttpResponse:
    """Enter a challenge for somebody."""
    sheet.format.must_take_challenges()
    subject = AtContestant(user, sheet, contestant_of(sheet, pk))
    return perform(request, ENTER, subject, back=subject.address("desk"))
