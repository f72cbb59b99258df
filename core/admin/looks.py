"""That somebody looked, said to whoever writes it down.

The admin site shows what nobody else sees: reports, addresses, messages that were taken away. So
each row's page and each list that it shows is told, whichever class made it, now and later; the app
that keeps the audit log says as the site starts that it wants to hear of it:

    register_looks(look_record)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import Model
from django.http import HttpRequest, HttpResponse

#: Takes the request, the model, and the row; None: a list of the model's.
Looks = Callable[[HttpRequest, type[Model], Model | None], None]
_looks: list[Looks] = []

# Under which names the pages of the admin site know the row that they show, and several.
_ROW = ("original", "object", "row")
_ROWS = "chosen"


def register_looks(note: Looks) -> None:
    """Have `note(request, model, row)` called for whatever is shown. Registering again changes
    nothing."""
    if note not in _looks:
        _looks.append(note)


def tell_look(request: HttpRequest, response: HttpResponse) -> None:
    """Tell what a page shows that is about to be sent."""
    if request.method not in ("GET", "HEAD") or response.status_code != 200:
        return
    context: dict[str, Any] = getattr(response, "context_data", None) or {}
    row = next((context[name] for name in _ROW if isinstance(context.get(name), Model)), None)
    shown = context.get("cl")
    model = getattr(shown, "model", None)
    if row is not None:
        _tell(request, type(row), row)
    elif context.get(_ROWS):
        for each in context[_ROWS]:
            _tell(request, type(each), each)
    elif model is not None:
        _tell(request, model, None)


def tell_list_look(request: HttpRequest, model: type[Model]) -> None:
    """Tell that a page shows some of a list that has its own page."""
    _tell(request, model, None)


def _tell(request: HttpRequest, model: type[Model], row: Model | None) -> None:
    for note in _looks:
        note(request, model, row)
