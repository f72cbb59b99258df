"""Whether signing in by Discord is offered: where the site has an application there. Without one
nothing mentions it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from csp.constants import SELF
from csp.decorators import csp_update
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponseBase

View = Callable[..., HttpResponseBase]


def is_offered() -> bool:
    """Whether the site has an application at Discord."""
    return bool(settings.GAUNTLET_DISCORD_CLIENT_ID and settings.GAUNTLET_DISCORD_CLIENT_SECRET)


def origin() -> str:
    """Where people are sent to sign in at Discord, as scheme and host."""
    parts = urlsplit(settings.GAUNTLET_DISCORD_API)
    return f"{parts.scheme}://{parts.netloc}"


def where_offered(view: View) -> View:
    """A view that is not there where Discord is not offered."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_offered():
            raise Http404("Discord is not offered here.")
        return view(request, *args, **kwargs)

    return wrapped


def leads_to_discord(view: View) -> View:
    """A view whose page has a form that leads to Discord, which browsers must be told."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_offered():
            return view(request, *args, **kwargs)
        answer: Any = csp_update({"form-action": [SELF, origin()]})(view)
        response: HttpResponseBase = answer(request, *args, **kwargs)
        return response

    return wrapped
