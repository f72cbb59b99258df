"""Preferences of readers who have no account: kept in two cookies of their own."""

from typing import Final

from django.http import HttpRequest, HttpResponse

THEME_COOKIE: Final = "theme"
SOUND_COOKIE: Final = "sound"
_YEAR: Final = 365 * 24 * 3600


def remember_preference(
    request: HttpRequest, response: HttpResponse, cookie: str, value: str
) -> None:
    """Set one preference cookie for a year. Scripts may read it: it holds nothing secret."""
    response.set_cookie(
        cookie, value, max_age=_YEAR, secure=request.is_secure(), httponly=False, samesite="Lax"
    )
