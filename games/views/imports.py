"""Putting a match record on the site.

No action of a table (`core.actions`): nothing is there yet that something could be done about, and
one form is all there is. Who may is asked of the service."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.models import User
from core.refusals import FORM_REFUSED, Refusal
from games.forms import ImportForm
from games.services.matches import must_be_allowed_to_import, record_import
from games.views.common import explains_refusals, needs_sign_in


@require_http_methods(["GET", "HEAD", "POST"])
@needs_sign_in
@explains_refusals
def import_record(request: HttpRequest, user: User) -> HttpResponse:
    """Take a record from an organiser; it becomes a match to replay."""
    must_be_allowed_to_import(user)
    if request.method != "POST":
        return render(request, "games/import_record.html", {"form": ImportForm()})
    form = ImportForm(request.POST, request.FILES)
    status = FORM_REFUSED
    if form.is_valid():
        # One byte more than allowed is enough to be refused for it.
        data = form.cleaned_data["record"].read(settings.GAUNTLET_RECORD_MAX_BYTES + 1)
        try:
            match = record_import(acting_user=user, data=data)
        except Refusal as refusal:
            form.refuse(refusal)
            status = refusal.form_status
        else:
            messages.success(request, "The record is sound, and the match is on the site.")
            return redirect("games:replay", match.pk)
    return render(request, "games/import_record.html", {"form": form}, status=status)
