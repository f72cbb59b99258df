"""What must hold of a season that comes from a document, once its rows are there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import structlog
from django.db import transaction

from core.refusals import Refusal
from tournaments import invariants
from tournaments.models import Season

log = structlog.get_logger("gauntlet.seasons")

#: Reads everything of a season that is shown of it, and raises whatever it stumbles over.
Reader = Callable[[Season], object]
_readers: Final[list[Reader]] = []


def register_reader(reader: Reader) -> None:
    """Have ``reader`` read every season that is restored. Registering again changes nothing.

    What is derived from a season's rows is derived once before anybody can see it: a contradiction
    that no check has found would break its pages for whoever looks.
    """
    if reader not in _readers:
        _readers.append(reader)


def must_hold(season: Season) -> None:
    """Raises Refusal ``document.wrong`` for a season that could not be shown, or in which something
    is not as it always is."""
    try:
        with transaction.atomic():
            for read in _readers:
                read(Season.objects.get(pk=season.pk))
            faults = invariants.faults_of(season, lenient=True)
    except Exception as error:
        log.exception("import.contradiction", season=season.pk)
        raise Refusal("document.wrong", "Parts of this document contradict one another.") from error
    if faults:
        raise Refusal("document.wrong", f"This season cannot be: {faults[0]}.")
