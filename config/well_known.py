"""Addresses that others know without having been told: whom to write to of a hole, what is not for
crawlers, and where a password is changed; and the page that says how holes are dealt with."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from core.clock import now_utc

#: RFC 9116 wants a day that is less than a year away.
LASTS: Final = timedelta(days=364)

#: What is somebody's own, what only changes with its reader, and what programs are for.
CLOSED_TO_CRAWLERS: Final = (
    "/accounts/", "/admin/", "/api/", "/oauth/", "/csp-reports/", "/discord/", "/u/", "/embed/",
    "/challenges/", "/chat/", "/hosted/", "/invite/", "/lobby/seek/", "/matches/mine/",
    "/matches/next/", "/matches/*/study/", "/organise/", "/practice/", "/records/import/",
    "/seasons/*/desk/", "/seasons/*/webhooks/", "/seasons/*/discord/",
    "/seasons/*/helping/", "/seasons/*/invited/", "/seasons/+import/", "/seasons/+free-hours/",
    "/seasons/+followed/",
)  # fmt: skip


def contact() -> str:
    """Whom somebody tells who has found a hole. Where nobody was named it is the sender of the
    site's mail, as an address."""
    if settings.GAUNTLET_SECURITY_CONTACT:
        return str(settings.GAUNTLET_SECURITY_CONTACT)
    address = settings.DEFAULT_FROM_EMAIL.rpartition("<")[2].rstrip("> ")
    return f"mailto:{address}"


def expires() -> datetime:
    """Until when that holds."""
    if settings.GAUNTLET_SECURITY_EXPIRES is not None:
        return datetime.combine(settings.GAUNTLET_SECURITY_EXPIRES, time(), tzinfo=UTC)
    # The same for a day: whoever has it asks for it in vain until then.
    return datetime.combine(now_utc().date(), time(), tzinfo=UTC) + LASTS


@require_safe
def security_txt(_request: HttpRequest) -> HttpResponse:
    """RFC 9116."""
    origin = settings.GAUNTLET_ORIGIN
    lines = (
        f"Contact: {contact()}",
        f"Expires: {expires():%Y-%m-%dT%H:%M:%SZ}",
        "Preferred-Languages: en",
        f"Canonical: {origin}{reverse('security_txt')}",
        f"Policy: {origin}{reverse('security')}",
    )
    return _plain("\n".join(lines) + "\n")


@require_safe
def robots_txt(_request: HttpRequest) -> HttpResponse:
    """What is not for crawlers (RFC 9309)."""
    closed = "".join(f"Disallow: {path}\n" for path in CLOSED_TO_CRAWLERS)
    return _plain(f"User-agent: *\n{closed}")


@require_safe
def change_password(_request: HttpRequest) -> HttpResponse:
    """Where password managers lead people who are to change theirs."""
    return redirect("account_change_password")


@require_safe
def security(request: HttpRequest) -> HttpResponse:
    """How holes are told of and dealt with."""
    context = {"contact": contact(), "shown": contact().removeprefix("mailto:")}
    return render(request, "security.html", context)


def _plain(text: str) -> HttpResponse:
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "public, max-age=3600"
    return response
