"""Whole seasons as files: out, and in again on another installation; and their contestants."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from core.sizes import takes
from games.views.common import explains_refusals, needs_sign_in
from tournaments.actions.site import RESTORE
from tournaments.actions.subjects import AtSite
from tournaments.documents.export import season_export, season_records
from tournaments.reading.sheet import Sheet
from tournaments.services.contestants.rosters import contestants_export
from tournaments.views.actions import perform
from tournaments.views.common import FORMS, organisers_only


@require_safe
@organisers_only
def document(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """The season as a JSON document."""
    response = HttpResponse(
        season_export(season=sheet.season, reader=user), content_type="application/json"
    )
    response["Content-Disposition"] = f'attachment; filename="{sheet.season.slug}.season.json"'
    return response


@require_safe
@organisers_only
def records(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """The document with the records of all matches, as a zip."""
    response = HttpResponse(
        season_records(season=sheet.season, reader=user), content_type="application/zip"
    )
    response["Content-Disposition"] = f'attachment; filename="{sheet.season.slug}.season.zip"'
    return response


@require_safe
@organisers_only
def contestants(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """The contestants as a CSV file, as one may be imported."""
    text = contestants_export(season=sheet.season)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{sheet.season.slug}.contestants.csv"'
    return response


@takes(settings.GAUNTLET_SEASON_MAX_BYTES)
@require_http_methods(FORMS)
@needs_sign_in
@explains_refusals
def restore(request: HttpRequest, user: User) -> HttpResponse:
    """Restore a season from such a file."""
    back = reverse("tournaments:seasons")
    return perform(request, RESTORE, AtSite(user), back=back, template="season_restore.html")
