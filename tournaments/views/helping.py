"""What asks somebody to run a season, or to help: its own page, of a draft, too."""

from __future__ import annotations

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from core.clock import now_utc
from core.refusals import refusal_of
from games.views.common import explains_refusals, signed_in
from tournaments.actions.seasons import ACCEPT_PART, DECLINE_PART
from tournaments.actions.subjects import AtAsked
from tournaments.reading.sheet import Sheet
from tournaments.rights import NONE
from tournaments.services.organisers import invitation_to_run, must_be_good
from tournaments.views.actions import press_or_say
from tournaments.views.common import FORMS


@require_http_methods(FORMS)
@never_cache  # its address is a ticket
@explains_refusals
def helping(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Say yes or no; who is not signed in comes back to it."""
    asked = invitation_to_run(slug, token)
    user = signed_in(request)
    context: dict[str, object] = {"asked": asked, "season": asked.season}
    if user is None:
        if request.method == "POST":
            return redirect_to_login(request.path)
        refused = refusal_of(must_be_good, asked, None, now_utc())
        return _shown(request, context | {"refused": refused})
    subject = AtAsked(user, Sheet(asked.season), asked)
    if subject.sheet.rights_of(user) != NONE and not asked.user_id:
        return redirect(subject.address("desk"))
    if request.method == "POST":
        if DECLINE_PART.name in request.POST:
            return press_or_say(request, DECLINE_PART, subject, back=reverse("games:home"))
        return press_or_say(request, ACCEPT_PART, subject, back=request.path)
    refused = ACCEPT_PART.refusal(subject)
    declines = DECLINE_PART.offered(subject)
    more: dict[str, object] = {
        "refused": refused,
        "prompt": ACCEPT_PART.prompt(subject),
        "declines": declines,
    }
    return _shown(request, context | more)


def _shown(request: HttpRequest, context: dict[str, object]) -> HttpResponse:
    response = render(request, "tournaments/helping.html", context)
    response["X-Robots-Tag"] = "noindex"
    return response
