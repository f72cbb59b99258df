"""What is read from the replica, and how.

    @require_safe
    @from_replica
    def page(request, ...): ...

A page says so there, an endpoint of the API by its class (`core.api.views.ApiView.replica`), and
nothing else is. Such an answer is made wholly by one database, in one read-only transaction that
sees one moment (`REPEATABLE READ`): for as long as it is made, the connection `default` is the
replica's. So whatever asks by it, be it the ORM or plain SQL, gets the same moment: what is kept
under a version is what had that version, and an entity tag belongs to what is sent with it.

The replica never says no. What is not there yet, what may not be done, what somebody tries to
write, and whatever goes wrong is asked once more of the primary, whose word counts. Who is reading
is found out before, from the primary: whoever may not come in any more is not known by an old row.
Who asks with `Cache-Control: no-cache`, as a page's script does that was told of something new, or
a reader who loads a page once more and whole, wants to know how it stands now: that is the
primary's to say, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

import structlog
from django.conf import settings
from django.db import (
    DEFAULT_DB_ALIAS,
    InterfaceError,
    InternalError,
    OperationalError,
    connection,
    connections,
    transaction,
)
from psycopg.pq import TransactionStatus
from psycopg_pool import PoolTimeout

from core import metrics
from core.collisions import was_answered
from core.database.base import REPLICA
from core.replica import is_there
from core.replica.watching import WATCH
from core.replica.writers import note_written, wrote_lately

log = structlog.get_logger("gauntlet.replica")

P = ParamSpec("P")
R = TypeVar("R")

_READ_ONLY: Final = "25006"
#: What a view has that is read from the replica.
MARK: Final = "reads_replica"

#: By the ``replica``; or by the primary, since the caller asks ``anew``, has ``written`` lately,
#: has a ``role``, the replica is ``away`` or too far behind, it ``failed``, or what it said was no
#: (``checked``). ``wrote``: a view tried to write.
READS: Final = metrics.counter(
    "replica_reads", "Answers that may be made by the replica, by what made them.", ("by",)
)

_privileged: list[Callable[[Any], bool]] = []


def register_privileged(check: Callable[[Any], bool]) -> None:
    """Have those for whom ``check`` says so, of who has an account, read from the primary alone:
    what they may see others may not."""
    _privileged.append(check)


def from_replica(view: Callable[P, R]) -> Callable[P, R]:
    """Have a page be read from the replica. It stands above whatever asks the database."""

    @wraps(view)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        return read(args[0], lambda: view(*args, **kwargs))

    # The mark goes along with the attributes of a function, to whatever wraps it.
    setattr(wrapped, MARK, True)
    return wrapped


def lag() -> timedelta:
    """How far what is read from it may be behind, at most."""
    return timedelta(milliseconds=settings.GAUNTLET_REPLICA_LAG_MS)


def is_snapshot() -> bool:
    """Whether an answer is being made from the replica, in this thread."""
    return connection.alias == REPLICA


def read(request: Any, make: Callable[[], R], *, passing: type[Exception] | None = None) -> R:
    """What ``make`` makes for a request (of Django or of the API): by the replica where that may be
    asked, else by the primary. It may be called twice. An error of the kind ``passing`` is an
    answer, too."""
    if not is_there():
        return make()
    by = _who_answers(request)
    if by == "replica":
        try:
            with _snapshot():
                answer = make()
            if int(getattr(answer, "status_code", 200)) < 400:
                READS.labels(by).inc()
                return answer
            by = "checked"
        except Exception as error:
            if passing is not None and isinstance(error, passing):
                READS.labels(by).inc()
                raise
            by = _what_was(error, request)
    READS.labels(by).inc()
    return make()


def _who_answers(request: Any) -> str:
    """``replica``, or why the primary does."""
    if request.method not in ("GET", "HEAD") or connection.in_atomic_block:
        return "primary"
    if not WATCH.may_be_asked():
        return "away"
    if "no-cache" in request.headers.get("Cache-Control", ""):
        return "anew"
    # Whoever it is has been looked up once this is answered.
    if request.user.is_authenticated and any(check(request.user) for check in _privileged):
        return "role"
    return "written" if wrote_lately(request) else "replica"


@contextmanager
def _snapshot() -> Iterator[None]:
    """Everything that is asked in the block, in this thread, is asked of the replica as it is at
    one moment."""
    own, replica = connections[DEFAULT_DB_ALIAS], connections[REPLICA]
    # Others may need it meanwhile.
    own.close()
    connections[DEFAULT_DB_ALIAS] = replica
    try:
        replica.ensure_connection()
        with WATCH.held(replica.connection), transaction.atomic():
            yield
            if replica.connection.info.transaction_status == TransactionStatus.INERROR:
                raise InternalError("Somebody has passed over an error.")
    finally:
        connections[DEFAULT_DB_ALIAS] = own
        replica.close()


def _what_was(error: Exception, request: Any) -> str:
    """What an error in the block means."""
    if not isinstance(error, OperationalError | InterfaceError | InternalError):
        return "checked"
    if getattr(error.__cause__, "sqlstate", None) == _READ_ONLY:
        log.warning("replica.written", path=request.path)
        note_written(request)
        return "wrote"
    log.info("replica.failed", path=request.path, error=type(error.__cause__ or error).__name__)
    busy = isinstance(error.__cause__, PoolTimeout)
    if isinstance(error, OperationalError | InterfaceError) and not (busy or was_answered(error)):
        WATCH.failed(error.__cause__ or error)
    return "failed"
