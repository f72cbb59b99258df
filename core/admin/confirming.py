"""That whoever does something weighty shows first that it is they: a session that somebody has
stolen must not give itself power.

How people show it is known to the app that keeps them, which says so as the site starts:

    register_confirming(ask_unless_confirmed)
"""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

#: Takes the request, and the address that people come back to (empty: the request's own). Gives
#: None for those who have shown it lately, and for others what leads them there.
Asks = Callable[[HttpRequest, str], HttpResponse | None]
_asks: list[Asks] = []


def register_confirming(ask: Asks) -> None:
    """Have `ask(request, back)` called before an action that wants it. Registering again changes
    nothing."""
    if ask not in _asks:
        _asks.append(ask)


def asked_to_confirm(request: HttpRequest, back: str = "") -> HttpResponse | None:
    """What leads whoever acts to where they show that it is they; None where they have. Raises
    PermissionDenied where nobody has said how that is shown."""
    if not _asks:
        raise PermissionDenied
    return next((led for ask in _asks if (led := ask(request, back)) is not None), None)
