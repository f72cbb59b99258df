"""Ending mail from the mail itself (RFC 8058): whoever has the letter has its address, which speaks
for one reader and the kinds of announcements in it, and for nothing else."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Final, NamedTuple

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts.announcing import kinds
from accounts.announcing.kinds import Kind, Way, When
from accounts.announcing.services import choices_set
from accounts.models import User
from core.refusals import NotFound

#: For so long the address of a letter is good: as long as what is told in it is kept.
LASTS: Final = timedelta(days=180)
_SALT: Final = "accounts.announcing.stopping"


class Letter(NamedTuple):
    """To whom a letter went, and of which kinds of announcements."""

    user: User
    kinds: Sequence[Kind]


def stop_address(user: User, of: Collection[str]) -> str:
    """The address at which mail of these kinds ends for somebody."""
    path = reverse("accounts:mail_stop", args=[stop_token(user, of)])
    return settings.GAUNTLET_ORIGIN + path


def stop_token(user: User, of: Collection[str]) -> str:
    """What an address has of a reader and of kinds: nobody else can make it."""
    return signing.dumps([user.pk, *sorted(set(of))], salt=_SALT)


def letter_of(token: str) -> Letter:
    """What an address speaks for. Raises Refusal ``letter.none``."""
    try:
        user_id, *keys = signing.loads(token, salt=_SALT, max_age=LASTS)
    except signing.BadSignature as error:
        raise _none() from error
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None:
        raise _none()
    known = kinds.known()
    return Letter(user, [known[key] for key in keys if key in known])


def _none() -> NotFound:
    sentence = "This link is not good any more. What is mailed to you stands in your settings."
    return NotFound("letter.none", sentence)


@transaction.atomic
def mail_stop(*, token: str) -> Letter:
    """Send its reader no more mail of what is told in a letter. Again changes nothing. Raises
    Refusal ``letter.none``."""
    letter = letter_of(token)
    off = {(kind.key, Way.MAIL): When.OFF for kind in letter.kinds}
    choices_set(acting_user=letter.user, chosen=off)
    return letter


# A mail program asks, which has no token of a form, and nobody need be signed in.
@never_cache  # its address is a ticket
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def mail_stop_page(request: HttpRequest, token: str) -> HttpResponse:
    """Say which mail ends here, and end it: with one click, also for mail programs."""
    context: dict[str, object] = {"done": request.method == "POST"}
    status = 200
    try:
        context["letter"] = mail_stop(token=token) if context["done"] else letter_of(token)
    except NotFound as refusal:
        context["refused"], status = refusal, refusal.status
    response = render(request, "accounts/mail_stop.html", context, status=status)
    response["X-Robots-Tag"] = "noindex"
    return response
