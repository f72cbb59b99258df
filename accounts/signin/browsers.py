"""Which browsers an account has been signed in to from. The browser keeps that itself, in a signed
cookie that outlives the session: nothing of it is kept here.

It is not the cookie by which `accounts.signin.ways` knows a browser again, though both would tell.
What that one says stands in the database for ninety days, so that moderators can tell second
accounts, and for nothing else. Owners would be told anew of a browser that they have left alone for
a season, and be told nothing of one that a merge has brought along.
"""

from __future__ import annotations

from typing import Final

from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.models import User

COOKIE: Final = "signed_in_before"
_SALT: Final = "accounts.signin.browsers"
_KEPT_S: Final = 400 * 24 * 3600
# Of how many accounts one browser keeps it, the latest; and so many digits name one, so that
# whoever reads the cookie learns nobody's number.
_ACCOUNTS_AT_MOST: Final = 8
_DIGITS: Final = 24
_TO_REMEMBER: Final = "signed_in_here"


def is_known(request: HttpRequest, user: User) -> bool:
    """Whether somebody has signed in from this browser before."""
    own = _name_of(user)
    return any(constant_time_compare(each, own) for each in _names(request))


def remember(request: HttpRequest, user: User) -> None:
    """Have the answer to this request tell the browser that somebody has signed in from it."""
    setattr(request, _TO_REMEMBER, user)


def tell_browser(request: HttpRequest, response: HttpResponseBase) -> None:
    """Tell the browser, where there is anything to tell."""
    user = getattr(request, _TO_REMEMBER, None)
    if user is None:
        return
    own = _name_of(user)
    others = [each for each in _names(request) if each != own]
    response.set_signed_cookie(
        COOKIE, ".".join([own, *others][:_ACCOUNTS_AT_MOST]), salt=_SALT, max_age=_KEPT_S,
        secure=request.is_secure(), httponly=True, samesite="Lax",
    )  # fmt: skip


def _names(request: HttpRequest) -> list[str]:
    try:
        kept = request.get_signed_cookie(COOKIE, salt=_SALT, max_age=_KEPT_S) or ""
    except (KeyError, signing.BadSignature):
        return []
    return kept.split(".")


def _name_of(user: User) -> str:
    return salted_hmac(_SALT, str(user.pk), algorithm="sha256").hexdigest()[:_DIGITS]
