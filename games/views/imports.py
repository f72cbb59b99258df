"""Putting a match record on the site."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.models import User
from core.refusals import Forbidden, Refusal
from games.audience import may_import
from games.forms import ImportForm
from games.services.matches import record_import
from games.views.common import explains_refusals, needs_sign_in


@require_http_methods(["GET", "HEAD", "POST"])
@needs_sign_in
@explains_refusals
def import_record(request: HttpRequest, user: User) -> HttpResponse:
    """Take a record from an organiser; it becomes a match to replay."""
    if not may_import(user):
        raise Forbidden("record.not-allowed", "Only organisers may import records.")
    if request.method != "POST":
        return render(request, "games/import_record.html", {"form": ImportForm()})
    form = ImportForm(request.POST, request.FILES)
    if form.is_valid():
        # One byte more than allowed is enough to be refused for it.
        data = form.cleaned_data["record"].read(settings.GAUNTLET_RECORD_MAX_BYTES + 1)
        try:
            match = record_import(acting_user=user, data=data)
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            messages.success(request, "The record is sound, and the match is on the site.")
            return redirect("games:replay", match.pk)
    return render(request, "games/import_record.html", {"form": form}, status=422)
