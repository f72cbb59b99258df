"""Whoever may not come in, and is known nevertheless: they have just given the right password, or
their session was cut off. They may read why, and appeal; nothing else is open to them."""

from datetime import timedelta
from typing import Any, Final

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from accounts.models import Sanction, User
from accounts.moderation.standing import suspension_of
from core.clock import now_utc

# Who has just given the right password and may not come in: their page may say why.
_SESSION_KEY: Final = "kept_out"
#: For how long that is remembered: nobody is signed in, so nobody would sign out.
KEPT_OUT_FOR: Final = timedelta(hours=1)


def keep_out(request: HttpRequest, user: User) -> None:
    """Remember for a while who has just given the right password and may not come in."""
    request.session[_SESSION_KEY] = {
        "user": user.pk,
        "hash": user.get_session_auth_hash(),
        "until": (now_utc() + KEPT_OUT_FOR).timestamp(),
    }


def kept_out_here(request: HttpRequest) -> User | None:
    """Who has given the right password in this browser within the hour and may not come in, as
    long as that is their password."""
    kept = request.session.get(_SESSION_KEY)
    if not isinstance(kept, dict) or now_utc().timestamp() >= kept["until"]:
        return None
    user = User.objects.filter(pk=kept["user"]).first()
    return user if user is not None and _holds(kept["hash"], user) else None


def suspension_here(request: HttpRequest) -> Sanction | None:
    """The suspension of whoever is kept out in this browser; None where nobody is."""
    # Whoever is signed in is somebody else, or theirs has ended.
    if request.user.is_authenticated:
        return None
    kept_out = kept_out_here(request)
    if kept_out is not None:
        return suspension_of(kept_out.pk)
    cut_off = request.session.get(SESSION_KEY)
    sanction = None if cut_off is None else suspension_of(int(cut_off))
    # The session would otherwise be good: the password is what it was.
    if sanction is None or not _holds(request.session.get(HASH_SESSION_KEY, ""), sanction.user):
        return None
    return sanction


def forget_kept_out(request: HttpRequest, **_more: Any) -> None:
    """Forget who was kept out once somebody signs in: the browser is another's from then on."""
    request.session.pop(_SESSION_KEY, None)


def leave(request: HttpRequest) -> None:
    """Forget who was kept out, for they have said that they are done here."""
    forget_kept_out(request)
    if suspension_here(request) is not None:
        # Of a session that was cut off nothing is left that could be used.
        request.session.flush()


def _holds(known: str, user: User) -> bool:
    return constant_time_compare(known, user.get_session_auth_hash())
