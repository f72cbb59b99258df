"""Whoever may not come in, and is known nevertheless: they have just given the right password, or
their session was cut off. They may read why, and appeal; nothing else is open to them."""

from typing import Any

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from accounts.models import Sanction, User
from accounts.moderation.standing import suspension_of
from accounts.signin.adapter import KEPT_OUT_SESSION_KEY


def suspension_here(request: HttpRequest) -> Sanction | None:
    """The suspension of whoever is kept out in this browser; None where nobody is."""
    # Whoever is signed in is somebody else, or theirs has ended.
    if request.user.is_authenticated:
        return None
    kept_out = request.session.get(KEPT_OUT_SESSION_KEY)
    whose = kept_out or request.session.get(SESSION_KEY)
    sanction = None if whose is None else suspension_of(int(whose))
    if sanction is None or (kept_out is None and not _holds(request, sanction.user)):
        return None
    return sanction


def forget_kept_out(request: HttpRequest, **_more: Any) -> None:
    """Forget who was kept out once somebody signs in: the browser is another's from then on."""
    request.session.pop(KEPT_OUT_SESSION_KEY, None)


def _holds(request: HttpRequest, user: User) -> bool:
    """Whether a session that was cut off would otherwise be good: the password is what it was."""
    known = request.session.get(HASH_SESSION_KEY, "")
    return constant_time_compare(known, user.get_session_auth_hash())
