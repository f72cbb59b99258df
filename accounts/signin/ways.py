"""Noting by which ways accounts are come into: at each sign-in, and at most once a day while
somebody stays signed in and opens pages. Never by a turn, which is no page.

Browsers are known by a cookie of their own, which says nothing of anybody and outlives a sign-out;
what is kept of it, and of all else, is `accounts.moderation.ways`'s matter.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator
from typing import Any, Final

import structlog
from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import DatabaseError, transaction
from django.http import HttpRequest, HttpResponse

from accounts.guests import is_guest
from accounts.models import DiscordLink, User, WayIn
from accounts.moderation.ways import KEPT_FOR, canonical_address, canonical_mail, ways_note
from core.addresses import client_of_request
from core.clock import now_utc

log = structlog.get_logger("gauntlet.signin")

# The day on which the ways of whoever is signed in were noted last, in their session.
NOTED: Final = "ways_noted"
# The browser's new cookie, on its way to the answer.
_NEW: Final = "gauntlet.device"
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{32}", re.ASCII)


def on_signed_in(*, request: HttpRequest | None, user: Any, **_more: Any) -> None:
    """Somebody has signed in."""
    if request is not None:
        note(request, user)


class WaysMiddleware:
    """Note, once a day, by which ways whoever opens a page is signed in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if _is_page(request):
            user = request.user
            today = now_utc().date().isoformat()
            if isinstance(user, User) and request.session.get(NOTED) != today:
                note(request, user)
        response = self.get_response(request)
        token = request.META.get(_NEW)
        if token is not None:
            response.set_cookie(
                settings.GAUNTLET_DEVICE_COOKIE,
                token,
                max_age=KEPT_FOR,
                httponly=True,
                samesite="Lax",
                secure=settings.SESSION_COOKIE_SECURE,
            )
        return response


def note(request: HttpRequest, user: Any) -> None:
    """Note by which ways somebody is signed in, and that it is done for today. A database that is
    away, or takes nothing, keeps nobody out: they are noted tomorrow, if not today."""
    if not isinstance(user, User) or is_guest(user) or user.pk is None:
        return
    today = now_utc().date()
    try:
        with transaction.atomic():
            ways_note(user_id=user.pk, ways=_ways(request, user), on=today)
    except DatabaseError as error:
        log.warning("ways.not-noted", user=user.pk, error=type(error).__name__)
        return
    request.session[NOTED] = today.isoformat()


def _is_page(request: HttpRequest) -> bool:
    """Whether a request reads a page for somebody who may be signed in."""
    return (
        request.method == "GET"
        and settings.SESSION_COOKIE_NAME in request.COOKIES
        # What is shown within others' pages is made for nobody, and varies with no cookie.
        and not request.path.startswith(("/api/", "/embed/"))
    )


def _ways(request: HttpRequest, user: User) -> Iterator[tuple[str, str]]:
    yield WayIn.Kind.DEVICE, _device(request)
    known = bool(settings.REST_FRAMEWORK["NUM_PROXIES"])
    address = canonical_address(client_of_request(request), known=known)
    if address is not None:
        yield WayIn.Kind.ADDRESS, address
    for discord_id in DiscordLink.objects.filter(user=user).values_list("discord_id", flat=True):
        yield WayIn.Kind.DISCORD, discord_id
    # One that is not confirmed may be a stranger's.
    for email in EmailAddress.objects.filter(user=user, verified=True).values_list(
        "email", flat=True
    ):
        yield WayIn.Kind.MAIL, canonical_mail(email)


def _device(request: HttpRequest) -> str:
    """What a browser is known by; its cookie is prolonged, or made where there is none."""
    given = request.COOKIES.get(settings.GAUNTLET_DEVICE_COOKIE, "")
    token = given if _TOKEN.fullmatch(given) else secrets.token_urlsafe(24)
    request.META[_NEW] = token
    return token
