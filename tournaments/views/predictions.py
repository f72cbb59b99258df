"""Predictions of a season: what is said, how many say so, and the table."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from core.replica.reading import from_replica
from games.views.common import PER_PAGE, signed_in
from tournaments.actions.predictions import PREDICT, PREDICT_WINNER
from tournaments.actions.subjects import AtDeathMatch, AtSeason
from tournaments.lifecycle import SEASON_OVER, Visibility
from tournaments.predicting import MATCH_POINTS, WINNER_POINTS
from tournaments.reading.predictions import lines_of, predictions_of
from tournaments.reading.sheet import Sheet
from tournaments.services.predictions import must_be_on
from tournaments.views.actions import perform
from tournaments.views.common import FORMS, public_page, season_page, shown, with_user

#: Of what is decided so many of the latest are shown; what each of them counted is in the table.
DECIDED_MOST = 20


@require_safe
@from_replica
@public_page
def predictions(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """Who is thought to win, and who knew best."""
    must_be_on(sheet.season)
    user = signed_in(request)
    told = predictions_of(sheet, user)
    page = Paginator(told.table, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "told": told,
        "decided": told.decided[:DECIDED_MOST],
        "over": sheet.season.status in SEASON_OVER
        or sheet.season.visibility == Visibility.ARCHIVED,
        "may": user is not None and told.refusal is None,
        "page": page,
        "lines": lines_of(page),
        "own": None if user is None else told.own(user),
        "points": (MATCH_POINTS, WINNER_POINTS),
    }
    return shown(request, sheet, "predictions.html", context)


@require_http_methods(FORMS)
@season_page
@with_user
def predict_winner(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Say who wins the season."""
    subject = AtSeason(user, sheet)
    return perform(request, PREDICT_WINNER, subject, back=subject.address("predictions"))


@require_http_methods(FORMS)
@season_page
@with_user
def predict(request: HttpRequest, sheet: Sheet, user: User, pk: int) -> HttpResponse:
    """Say who wins a death match."""
    subject = AtDeathMatch(user, sheet, sheet.death_match(pk))
    return perform(request, PREDICT, subject, back=subject.address("predictions"))
