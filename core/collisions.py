"""Two transactions that wait for each other: the database ends one, and it is done once more.

Locks are taken in one order everywhere (docs/architecture.md), so this should not happen; where it
does all the same, nobody need hear of it. This is the one place that decides what is done again.
Pages, the admin site and the API come here by `CollisionMiddleware`, sockets and streams by
`games.sockets.executor`, tasks by `config.celery`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import structlog
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse

log = structlog.get_logger("gauntlet.collisions")

R = TypeVar("R")

# PostgreSQL's deadlock_detected and serialization_failure: all of the transaction is undone.
_COLLISIONS: Final = {"40P01", "40001"}
# lock_not_available and query_canceled; and disk_full, out_of_memory: there is no room.
_ANSWERS: Final = {"55P03", "57014", "53100", "53200"}


def is_collision(error: BaseException) -> bool:
    """Whether a transaction was ended only because of another one."""
    cause = error.__cause__
    return isinstance(error, OperationalError) and (getattr(cause, "sqlstate", None) in _COLLISIONS)


def was_answered(error: BaseException) -> bool:
    """Whether the database is there and has said no: a collision, a lock or a statement that took
    too long, a full disk. Trying again on another connection would only take as long once more."""
    state = getattr(error.__cause__, "sqlstate", None)
    return state in _COLLISIONS | _ANSWERS


def done_again(call: Callable[[], R]) -> R:
    """The answer of a call, which is made once more where it collided with another transaction."""
    try:
        return call()
    except OperationalError as error:
        if connection.in_atomic_block or not is_collision(error):
            raise
        log.warning("collision.done-again")
        return call()


class CollisionMiddleware:
    """Ask a view once more that collided. It must be asked from the beginning, not only the service
    that it called: what it looked up before may have changed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """What the view answers the second time; None where that would be of no use."""
        found = request.resolver_match
        if found is None or connection.in_atomic_block or not is_collision(error):
            return None
        if not _rewind(request):
            return None
        log.warning("collision.done-again", view=found.view_name)
        view: Callable[..., HttpResponse] = found.func
        return view(request, *found.args, **found.kwargs)


def _rewind(request: Any) -> bool:
    """Whether the body can be read again: it was kept, or lies in a file of the server's."""
    if not request._read_started or hasattr(request, "_body") or hasattr(request, "_post"):  # noqa: SLF001  (Django has no word for it)
        return True
    stream = getattr(request, "_stream", None)
    if stream is None or not getattr(stream, "seekable", lambda: False)():
        return False
    stream.seek(0)
    request._read_started = False  # noqa: SLF001
    return True
