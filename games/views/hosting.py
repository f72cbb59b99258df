"""Pages around hosted matches. Everything that changes one is a POST to a service.

No actions of a table (`core.actions`): what the two players are asked is as a challenge is, on a
page of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.moderation.standing import silence_of
from core.refusals import FORM_REFUSED, Refusal
from games.hosting_form import HostingForm
from games.models import HostedMatch
from games.options.hosting import is_rated, items_named, supplied_by_host, terms_of
from games.reading import selectors
from games.services.hosting import (
    answers_of,
    hosted_accept,
    hosted_cancel,
    hosted_create,
    hosted_decline,
    must_be_allowed_to_host,
)
from games.views.common import (
    FRAGMENT_HEADER,
    explains_refusals,
    forbid_caching,
    needs_sign_in,
    one_page,
)


@require_safe
@needs_sign_in
@explains_refusals
def hosted_list(request: HttpRequest, user: User) -> HttpResponse:
    """What the reader hosts or has hosted, and how each of it stands."""
    must_be_allowed_to_host(user)
    page = one_page(request, selectors.hosted_by(user))
    response = render(request, "games/organise/hosted.html", {"page": page})
    response["Cache-Control"] = "private, no-store"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@needs_sign_in
@explains_refusals
def hosted_new(request: HttpRequest, user: User) -> HttpResponse:
    """Invite two others. The address may fill the form in, as that of challenges."""
    must_be_allowed_to_host(user)
    given: dict[str, Any] = {
        "host": user,
        "preparations": selectors.preparations_of(user),
        "silence": silence_of(user),
    }
    if request.method != "POST":
        form = HostingForm(initial=HostingForm.initial_of(request.GET), **given)
        return render(request, "games/organise/hosted_new.html", {"form": form})
    form = HostingForm(request.POST, **given)
    status = FORM_REFUSED
    if form.is_valid():
        try:
            hosted = hosted_create(acting_user=user, **form.offer())
        except Refusal as refusal:
            form.refuse(refusal)
            status = refusal.form_status
        else:
            messages.success(request, "Both are invited.")
            return redirect(hosted)
    return render(request, "games/organise/hosted_new.html", {"form": form}, status=status)


@require_safe
@needs_sign_in
@explains_refusals
def hosted(request: HttpRequest, user: User, hosted_id: int) -> HttpResponse:
    """One hosted match, for its host and the two who are invited; once it has begun, the way to its
    match. Its script asks for the changing part alone."""
    found = selectors.hosted_visible(hosted_id, user)
    alone = FRAGMENT_HEADER in request.headers
    if found.match is not None and not alone:
        return forbid_caching(redirect(found.match))
    context = {
        "hosted": found,
        "own": found.host_id == user.pk,
        "seat": found.seat_of(user),
        "open_to": answers_of(found, user),
        "seats": [
            {
                "player": player,
                "accepted": found.has_accepted(seat),
                "items": items_named(found, seat),
                "advantage": found.advantage == seat,
            }
            for seat, player in enumerate((found.first, found.second))
        ],
        "supplied": supplied_by_host(found),
        "terms": terms_of(found),
        "rated": is_rated(found),
    }
    page = "games/organise/_hosted_live.html" if alone else "games/organise/hosted_one.html"
    return forbid_caching(render(request, page, context))


@require_POST
@needs_sign_in
@explains_refusals
def hosted_accept_view(request: HttpRequest, user: User, hosted_id: int) -> HttpResponse:
    """Accept; with the second of the two the match begins, or waits for its time."""
    found = hosted_accept(acting_user=user, hosted=selectors.hosted_visible(hosted_id, user))
    if found.match is not None:
        return redirect(found.match)
    messages.success(request, "You have accepted.")
    return redirect(found)


@require_POST
@needs_sign_in
@explains_refusals
def hosted_decline_view(request: HttpRequest, user: User, hosted_id: int) -> HttpResponse:
    """Decline an invitation, or step back from one."""
    return _close(request, user, hosted_id, hosted_decline, "You have declined the invitation.")


@require_POST
@needs_sign_in
@explains_refusals
def hosted_cancel_view(request: HttpRequest, user: User, hosted_id: int) -> HttpResponse:
    """Cancel what the reader hosts."""
    return _close(request, user, hosted_id, hosted_cancel, "The hosted match is cancelled.")


def _close(
    request: HttpRequest,
    user: User,
    hosted_id: int,
    service: Callable[..., HostedMatch],
    sentence: str,
) -> HttpResponse:
    found = service(acting_user=user, hosted=selectors.hosted_visible(hosted_id, user))
    messages.success(request, sentence)
    return redirect(found)
