"""Pages that are made to be shown within other sites' pages.

Whoever has such a page in theirs must come by nothing of the reader's, and lead them to do nothing:
so it is made for nobody. Neither who is signed in nor any cookie is looked at, none is set, no
button on it acts, and its links open the site in a tab of its own. These pages alone may be framed;
`GAUNTLET_EMBED_HOSTS` says by whom.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

from csp.constants import SELF
from csp.decorators import csp_replace
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from core.refusals import Refusal
from games.embeds import THEMES
from games.views.common import P, View


def framed(view: View[P]) -> View[P]:
    """Have a page be shown within others', and made for nobody. What there is not, or not for
    everybody, is a page that says so, which can be framed as well."""

    @xframe_options_exempt
    @require_safe
    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        request.COOKIES = {}
        request.user = AnonymousUser()
        made: Any = csp_replace({"frame-ancestors": [SELF, *settings.GAUNTLET_EMBED_HOSTS]})(_made)
        response: HttpResponse = made(request, *args, **kwargs)
        return response

    def _made(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except (Http404, Refusal):
            response = render(request, "embeds/none.html", {"theme": theme_of(request)}, status=404)
            response["Cache-Control"] = "no-cache"
            return response

    return wrapped


def theme_of(request: HttpRequest) -> str:
    """The look that an address asks for."""
    wanted = request.GET.get("theme", "")
    return wanted if wanted in THEMES else THEMES[0]
