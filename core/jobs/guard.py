"""One failure must not stop everything: what every periodic job goes through its rows with.

    @shared_task(name="games.tasks.sweep_challenges")
    @guard.completed("games.tasks.sweep_challenges")
    def sweep_challenges() -> None:
        guard.each("challenges.expire", due, expire, target="games.challenge")

* Each row is dealt with in a transaction of its own, which waits neither for a lock nor for a
  statement for long.
* A row that is locked by somebody is left for the next run, with whatever hangs on the same lock.
* A row that fails is set aside (`SetAside`): logged, counted, shown to administrators, and tried
  again later and later, while the others are done as ever.
* `completed` notes that a task has been done to its end, which is what readiness looks at.
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import Exists, Model, OuterRef, QuerySet, TextField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast
from structlog.contextvars import bound_contextvars

from core import metrics
from core.clock import now_utc
from core.jobs.models import SetAside

log = structlog.get_logger("gauntlet.jobs")

_FAILED: Final = metrics.counter("rows_failed", "Rows that a job failed at, by job.", ("work",))
_TOOK: Final = metrics.histogram(
    "job_seconds",
    "What a periodic job took from beginning to end.",
    ("task",),
    buckets=metrics.SLOW,
)

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")
Row = TypeVar("Row", bound=Model)

FIRST_PAUSE: Final = timedelta(seconds=5)
LONGEST_PAUSE: Final = timedelta(minutes=10)
# PostgreSQL's lock_not_available and deadlock_detected: somebody else is at this row just now.
_LOCKED: Final = {"55P03", "40P01"}
# What a row that Python cannot hold makes of reading it: a date out of range, for instance.
_UNREADABLE: Final = (DatabaseError, OverflowError, ValueError)


# -- going through rows --------------------------------------------------------------------------


def each(
    job: str,
    rows: Iterable[T],
    action: Callable[[T], object],
    *,
    target: str,
    key: Callable[[T], Hashable] = lambda row: row,
    hangs_on: Callable[[T], Hashable] | None = None,
    limited: bool = True,
) -> int:
    """For how many of ``rows`` the action did anything; see the module for what becomes of those
    that fail. Rows set aside by ``job`` whose time has not come are passed over.

    ``target`` is the label of the rows' model and ``key`` says which one it is. ``hangs_on`` names
    the lock that a row needs besides its own: where somebody holds it, nothing else that hangs on
    it is tried in this run. ``limited=False``: the action has its own transactions and limits.
    """
    rows = list(rows)
    if not rows:
        return 0
    aside_by_key = {found.key: found for found in SetAside.objects.filter(job=job)}
    now = now_utc()
    busy: set[Hashable] = set()
    done = 0
    for row in rows:
        name = str(key(row))
        aside = aside_by_key.get(name)
        shared = None if hangs_on is None else hangs_on(row)
        if (aside is not None and aside.next_at > now) or (shared is not None and shared in busy):
            continue
        with _named(target, name):
            try:
                with _limits() if limited else _nothing():
                    done += bool(action(row))
            except Exception as error:  # noqa: BLE001  (one row's fault must not stop the others)
                _mend_connection(error)
                if _is_locked(error):
                    busy.add(shared)
                    log.info("job.locked", job=job, target=target, key=name)
                    continue
                set_aside(job, name, error, target=target)
            else:
                if aside is not None:
                    take_up(job, name)
    return done


def attempt(
    job: str, key: Hashable, action: Callable[[], R], *, target: str, limited: bool = True
) -> R | None:
    """Do something to one row as `each` does, at once; None where it failed or is locked."""
    name = str(key)
    with _named(target, name):
        try:
            with _limits() if limited else _nothing():
                answer = action()
        except Exception as error:  # noqa: BLE001  (as above: a failed task is not tried again)
            _mend_connection(error)
            if _is_locked(error):
                log.info("job.locked", job=job, target=target, key=name)
            else:
                set_aside(job, name, error, target=target)
            return None
        take_up(job, name)
    return answer


def readable(job: str, query: QuerySet[Row], *, at_most: int) -> list[Row]:
    """The first rows of a query, without those set aside. One that cannot be read is set aside, and
    the others are read without it."""
    query = query.filter(may_try(job))
    try:
        return list(query[:at_most])
    except _UNREADABLE as error:
        _mend_connection(error)
        log.warning("job.unreadable", job=job, error=type(error).__name__)
    target = query.model._meta.label_lower
    rows: list[Row] = []
    for pk in query.values_list("pk", flat=True)[:at_most]:
        try:
            rows.extend(query.filter(pk=pk))
        except _UNREADABLE as error:
            _mend_connection(error)
            set_aside(job, str(pk), error, target=target)
    return rows


def those(
    job: str, rows: Iterable[T], wanted: Callable[[T], bool], *, target: str,
    key: Callable[[T], Hashable],
) -> Iterator[T]:  # fmt: skip
    """The rows of which ``wanted`` holds. One of which it cannot be said is set aside."""
    for row in rows:
        try:
            holds = wanted(row)
        except Exception as error:  # noqa: BLE001  (as in `each`)
            _mend_connection(error)
            set_aside(job, str(key(row)), error, target=target)
            continue
        if holds:
            yield row


def _named(target: str, key: str) -> AbstractContextManager[None]:
    """Have whatever is logged meanwhile say which row it is about: `match=3` of a `games.match`."""
    return bound_contextvars(**{target.rpartition(".")[2]: int(key) if key.isdigit() else key})


@contextmanager
def _limits() -> Iterator[None]:
    """A transaction that waits neither for a lock nor for a statement for long."""
    nested = connection.in_atomic_block
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT set_config('lock_timeout', %s, true),"
                " set_config('statement_timeout', %s, true)",
                (str(settings.GAUNTLET_JOB_LOCK_MS), str(settings.GAUNTLET_JOB_STATEMENT_MS)),
            )
        yield
        if nested:
            # The transaction around goes on, as it was.
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout TO DEFAULT")
                cursor.execute("SET LOCAL statement_timeout TO DEFAULT")


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def _is_locked(error: Exception) -> bool:
    return getattr(error.__cause__, "sqlstate", None) in _LOCKED


def _mend_connection(error: Exception) -> None:
    """Drop a connection that broke, so that the next row gets another."""
    if isinstance(error, OperationalError | InterfaceError) and not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()


# -- what was set aside --------------------------------------------------------------------------


def may_try(job: str, key: str = "pk") -> Combinable:
    """A condition on a query: the rows that a job is not to leave alone for now. ``key``: the field
    that it knows them by."""
    waiting = SetAside.objects.filter(
        job=job, next_at__gt=now_utc(), key=Cast(OuterRef(key), TextField())
    )
    return ~Exists(waiting)


def has_failed(job: str, key: Hashable) -> bool:
    """Whether a row is set aside by a job: it failed at it, and has not done it since."""
    return SetAside.objects.filter(job=job, key=str(key)).exists()


def known(job: str) -> list[str]:
    """The keys of all rows that a job has set aside."""
    return list(SetAside.objects.filter(job=job).values_list("key", flat=True))


def due(jobs: Iterable[str]) -> dict[str, list[str]]:
    """By job, the keys of the rows that were set aside by it and are to be tried again now."""
    found: dict[str, list[str]] = {}
    rows = SetAside.objects.filter(job__in=list(jobs), next_at__lte=now_utc())
    for job, key in rows.order_by("next_at", "pk").values_list("job", "key"):
        found.setdefault(job, []).append(key)
    return found


def set_aside(job: str, key: str, error: Exception, *, target: str) -> bool:
    """Note that a job failed at a row, and leave the row alone for a while: twice as long each
    time. A database that is away is logged and nothing more: the row was not at fault. Whether it
    could be noted."""
    reason = _reason(error)
    _FAILED.labels(job).inc()
    log.error("job.set-aside", job=job, target=target, key=key, reason=reason, exc_info=error)
    try:
        with transaction.atomic():
            now = now_utc()
            row = SetAside.objects.select_for_update(no_key=True).filter(job=job, key=key).first()
            if row is None:
                SetAside.objects.bulk_create(
                    [
                        SetAside(
                            job=job, key=key, target_type=target, reason=reason,
                            since=now, last_at=now, next_at=now + pause_after(1),
                        )
                    ],
                    ignore_conflicts=True,
                )  # fmt: skip
                return True
            row.attempts += 1
            row.reason, row.last_at = reason, now
            row.next_at = now + pause_after(row.attempts)
            row.save(update_fields=["attempts", "reason", "last_at", "next_at"])
    except DatabaseError:
        log.exception("job.not-set-aside", job=job, key=key)
        return False
    return True


def pause_after(attempts: int) -> timedelta:
    """How long a row is left alone after it has failed so many times."""
    doublings: int = 2 ** min(attempts - 1, 16)
    return min(FIRST_PAUSE * doublings, LONGEST_PAUSE)


def take_up(job: str, key: str) -> None:
    """A row that may have been set aside has been dealt with."""
    # After every task, and nearly always for nothing: the ORM would take three round trips for it.
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM jobs_setaside WHERE job = %s AND key = %s", (job, key))
        gone = cursor.rowcount
    if gone:
        log.info("job.taken-up", job=job, key=key)


def is_aside(job: str, key: Hashable) -> bool:
    """Whether a job has failed at a row and not got over it."""
    return SetAside.objects.filter(job=job, key=str(key)).exists()


def asides() -> int:
    """How many rows are set aside."""
    return SetAside.objects.count()


def _reason(error: Exception) -> str:
    """The kind of an error and where it came from, without its text."""
    frames = traceback.extract_tb(error.__traceback__)
    root = Path(settings.BASE_DIR)
    ours = [frame for frame in frames if _is_ours(Path(frame.filename), root)]
    code = getattr(error, "code", "") or getattr(error.__cause__, "sqlstate", "") or ""
    name = f"{type(error).__name__}{f' ({code})' if code else ''}"
    if not ours:
        return name[:300]
    last = ours[-1]
    where = Path(last.filename).relative_to(root)
    return f"{name} in {where}, {last.name}, line {last.lineno}"[:300]


def _is_ours(path: Path, root: Path) -> bool:
    return path.is_relative_to(root) and ".venv" not in path.parts


# -- what was done -------------------------------------------------------------------------------


def completed(task: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Have it noted when a task was done to its end."""

    def decorated(work: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(work)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            with _TOOK.labels(task).time():
                answer = work(*args, **kwargs)
            with connection.cursor() as cursor:
                cursor.execute(
                    "INSERT INTO jobs_jobdone (task, at) VALUES (%s, clock_timestamp())"
                    " ON CONFLICT (task) DO UPDATE SET at = excluded.at",
                    (task,),
                )
            return answer

        return run

    return decorated


def ages() -> dict[str, float]:
    """How long ago each task was last done, in seconds, by the database's own clock. Where that was
    set back since, nobody knows: it was not lately then, unless it is done again."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT task, abs(extract(epoch FROM clock_timestamp() - at)) FROM jobs_jobdone"
        )
        return {task: float(age) for task, age in cursor.fetchall()}
