"""Where one is signed in, and signing out there."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User, UserSession
from accounts.signin.sessions import session_end, session_keep, sessions_end
from core.refusals import Refusal

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
    if "others" not in request.POST:
        sessions_end(acting_user=person)
        logout(request)
        messages.success(request, "You are signed out everywhere.")
        return redirect("account_login")
    sessions_end(acting_user=person, besides=request.session.session_key or "")
    session_keep(request, person)
    messages.success(request, "You are signed out everywhere but here.")
    return redirect("accounts:sessions")
