"""Preferences that a browser keeps in cookies of their own: theme and sound of readers who have no
account, and, with an account or without, what holds for a device: how much may move, and whether
replays begin without telling how they end."""

from typing import Final

from django.http import HttpRequest, HttpResponse

THEME_COOKIE: Final = "theme"
SOUND_COOKIE: Final = "sound"
MOTION_COOKIE: Final = "motion"
RESULTS_COOKIE: Final = "results"
MOTIONS: Final = (
    ("on", "On"),
    ("reduced", "Reduced: nothing moves from place to place"),
    ("off", "Off"),
)
RESULTS: Final = (("shown", "Show the result"), ("hidden", "Hide it until the end"))
_YEAR: Final = 365 * 24 * 3600


def motion_of(request: HttpRequest) -> str:
    """How much may move on this device: one of `MOTIONS`."""
    wanted = request.COOKIES.get(MOTION_COOKIE, "")
    return wanted if wanted in dict(MOTIONS) else "on"


def results_of(request: HttpRequest) -> str:
    """Whether replays on this device begin with the result: one of `RESULTS`."""
    return "hidden" if request.COOKIES.get(RESULTS_COOKIE) == "hidden" else "shown"


def remember_preference(
    request: HttpRequest, response: HttpResponse, cookie: str, value: str
) -> None:
    """Set one preference cookie for a year. Scripts may read it: it holds nothing secret."""
    response.set_cookie(
        cookie, value, max_age=_YEAR, secure=request.is_secure(), httponly=False, samesite="Lax"
    )
