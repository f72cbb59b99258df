"""Where one is signed in, and signing out there; and undoing from a letter what another did."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.addresses import pending_addresses
from accounts.announcing.devices import device_here
from accounts.models import User, UserSession
from accounts.signin.adapter import CHANGE_DROPPED
from accounts.signin.sessions import session_end, session_keep, sessions_end
from accounts.signin.undoing import letter_of, letter_undo
from core.refusals import NotFound, Refusal

SHOWN_AT_MOST = 50


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101  (login_required; for the type checker)
    return request.user


@never_cache
@login_required
@require_safe
def sessions_page(request: HttpRequest) -> HttpResponse:
    """Show where one is signed in."""
    own = UserSession.objects.visible_to(_person(request)).live()[:SHOWN_AT_MOST]
    here = request.session.session_key
    sessions = sorted(own, key=lambda each: each.session_key != here)
    context = {"sessions": [(each, each.session_key == here) for each in sessions]}
    return render(request, "accounts/sessions.html", context)


@login_required
@require_POST
def session_end_page(request: HttpRequest, session_id: int) -> HttpResponse:
    """Sign out in one browser."""
    person = _person(request)
    session = get_object_or_404(UserSession.objects.visible_to(person), pk=session_id)
    is_here = session.session_key == request.session.session_key
    try:
        session_end(acting_user=person, session=session)
    except Refusal as refusal:
        messages.warning(request, refusal.sentence)
        return redirect("accounts:sessions")
    if is_here:
        logout(request)
        return redirect("/")
    messages.success(request, f"You are signed out there: {session.device}.")
    return redirect("accounts:sessions")


@login_required
@require_POST
def sessions_end_page(request: HttpRequest) -> HttpResponse:
    """Sign out everywhere, or everywhere but here."""
    person = _person(request)
    changes = pending_addresses(person).exists()
    if "others" not in request.POST:
        sessions_end(acting_user=person)
        logout(request)
        _say(request, "You are signed out everywhere.", changes=changes)
        return redirect("account_login")
    sessions_end(
        acting_user=person,
        besides=request.session.session_key or "",
        device_id=device_here(request),
    )
    session_keep(request, person)
    _say(request, "You are signed out everywhere but here.", changes=changes)
    return redirect("accounts:sessions")


def _say(request: HttpRequest, done: str, *, changes: bool) -> None:
    messages.success(request, done)
    if changes:
        messages.info(request, CHANGE_DROPPED)


@never_cache  # its address is a ticket
@require_http_methods(["GET", "HEAD", "POST"])
def undo_page(request: HttpRequest, token: str) -> HttpResponse:
    """Say what a letter undoes, and undo it: whoever has the letter need not be signed in."""
    context: dict[str, object] = {"done": request.method == "POST"}
    status = 200
    try:
        letter, context["what"] = (letter_undo if context["done"] else letter_of)(token=token)
        context["person"] = letter.user
        if context["done"] and request.user.pk == letter.user.pk:
            logout(request)  # their session has ended with all others
    except Refusal as refusal:
        context["refused"], status = refusal, refusal.form_status
        if isinstance(refusal, NotFound):
            status = refusal.status
    response = render(request, "accounts/undo.html", context, status=status)
    response["X-Robots-Tag"] = "noindex"
    response["Referrer-Policy"] = "no-referrer"
    return response
