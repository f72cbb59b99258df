"""Whole seasons as files: out, and in again on another installation; and their contestants."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from core.refusals import Forbidden, Refusal
from core.sizes import takes
from games.views.common import needs_sign_in, problem
from tournaments import audience
from tournaments.documents.export import season_export, season_records
from tournaments.documents.restore import season_import
from tournaments.forms.documents import RestoreForm
from tournaments.reading.sheet import Sheet
from tournaments.services.contestants.rosters import contestants_export
from tournaments.views.common import organisers_only


@require_safe
@organisers_only
def document(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """The season as a JSON document."""
    response = HttpResponse(season_export(season=sheet.season), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{sheet.season.slug}.season.json"'
    return response


@require_safe
@organisers_only
def records(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """The document with the records of all matches, as a zip."""
    response = HttpResponse(season_records(season=sheet.season), content_type="application/zip")
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
@require_http_methods(["GET", "HEAD", "POST"])
@needs_sign_in
def restore(request: HttpRequest, user: User) -> HttpResponse:
    """Restore a season from such a file."""
    if not audience.may_create_season(user):
        refusal = Forbidden("season.not-allowed", "Only organisers may import seasons.")
        return problem(request, refusal)
    if request.method != "POST":
        return render(request, "tournaments/season_restore.html", {"form": RestoreForm()})
    form = RestoreForm(request.POST, request.FILES)
    if form.is_valid():
        # One byte more than allowed is enough to be refused for it.
        data = form.cleaned_data["document"].read(settings.GAUNTLET_SEASON_MAX_BYTES + 1)
        try:
            season = season_import(
                acting_user=user, data=data, match_accounts=form.cleaned_data["match_accounts"]
            )
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            messages.success(request, "The season is restored. You are its organiser.")
            return redirect("tournaments:desk", season.slug)
    return render(request, "tournaments/season_restore.html", {"form": form}, status=422)
