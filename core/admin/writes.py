"""That somebody has added, changed or deleted a row in a form of the admin site, said to whoever
writes it down.

What services do they write down themselves. Django's own forms call none, whichever class offers
them, and neither do those of libraries; so each row that they write is told, and the app that keeps
the audit log says as the site starts that it wants to hear of it:

    register_writes(write_record)
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from django.db.models import Model
from django.http import HttpRequest

#: Takes the request, the row, what is done to it in a word, and the names of the fields that it
#: is done to. A row that is deleted is still there.
Writes = Callable[[HttpRequest, Model, str, Collection[str]], None]
_writes: list[Writes] = []


def register_writes(note: Writes) -> None:
    """Have `note(request, row, what, fields)` called for whatever is written. Registering again
    changes nothing."""
    if note not in _writes:
        _writes.append(note)


def tell_write(request: HttpRequest, row: Model, what: str, fields: Collection[str] = ()) -> None:
    """Tell that a row is added, changed or deleted. Call it inside the transaction that does it."""
    for note in _writes:
        note(request, row, what, fields)
