"""Preferences that a browser keeps in cookies of their own: theme and sound of readers who have no
account, and, with an account or without, what holds for a device: how much may move, and whether
replays, and lists of matches that are over, tell how those ended."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Final, ParamSpec

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

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def motion_of(request: HttpRequest) -> str:
    """How much may move on this device: one of `MOTIONS`."""
    wanted = request.COOKIES.get(MOTION_COOKIE, "")
    return wanted if wanted in dict(MOTIONS) else "on"


def results_of(request: HttpRequest) -> str:
    """Whether results are told on this device: one of `RESULTS`."""
    return "hidden" if request.COOKIES.get(RESULTS_COOKIE) == "hidden" else "shown"


def results_asked(request: HttpRequest) -> str:
    """What the address asks for, with ``?result=hidden`` or ``shown``: one of `RESULTS`, or an
    empty text. Lists of somebody's matches have other results under that name."""
    asked = request.GET.get("result", "")
    return asked if asked in dict(RESULTS) else ""


def hides_results(request: HttpRequest) -> bool:
    """Whether replays, and lists of them, are to keep to themselves how matches ended: as the
    address says, else as the device does."""
    return (results_asked(request) or results_of(request)) == "hidden"


def keeps_results_wish(view: View[P]) -> View[P]:
    """Have what the address of a list asks for hold for the lists and replays to come. (The address
    of one replay says something of that one alone.)"""

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        response = view(request, *args, **kwargs)
        asked = results_asked(request)
        if asked and asked != results_of(request):
            remember_preference(request, response, RESULTS_COOKIE, asked)
        return response

    return wrapped


def remember_preference(
    request: HttpRequest, response: HttpResponse, cookie: str, value: str
) -> None:
    """Set one preference cookie for a year. Scripts may read it: it holds nothing secret."""
    response.set_cookie(
        cookie, value, max_age=_YEAR, secure=request.is_secure(), httponly=False, samesite="Lax"
    )
