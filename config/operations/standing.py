"""How things stand with the site as a whole: what the database and the broker hold, as figures.

They are looked up when somebody asks, and no more often than every few seconds, by one process for
all (in the cache). Whoever asks waits a moment at most: of what is away, or too slow, nothing is
told but that (`gauntlet_up`), and all the rest is told as ever.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

import structlog
from celery import current_app
from django.conf import settings
from django.core.cache import cache
from django.db import Error, connection, transaction
from django.db.models import Count, Max, Min, Q
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from accounts.auditing.sealing import audit_last_check, audit_unsealed_since
from core import metrics
from core.clock import now_ms, now_utc
from core.jobs import guard
from core.jobs.models import SetAside
from core.queueing import AWAY as BROKER_AWAY
from core.queueing import ENQUEUED_AT
from games.models import Match, ServiceBeat
from games.ratings.models import RatingRequest
from games.reading.processes import processes, worst_skew_ms
from tournaments.posts.models import DiscordPost
from tournaments.webhooks.models import Delivery

log = structlog.get_logger("gauntlet.metrics")

# Seconds: how old what is told may be, twice over where another process has looked it up; and how
# long whoever asks waits for it.
KEPT_S: Final = 5.0
PATIENCE_S: Final = 1.5
STATEMENT_MS: Final = 2000
AWAY: Final = (Error, RedisError, OSError)


class Figure(NamedTuple):
    """A value of one of `FAMILIES`, with those of its labels."""

    family: str
    labels: tuple[str, ...]
    value: float


class Family(NamedTuple):
    """What a metric means, and its labels."""

    words: str
    labels: tuple[str, ...] = ()


#: By part of the site, and by name without the space.
FAMILIES: Final[Mapping[str, Mapping[str, Family]]] = {
    "database": {
        "matches": Family("Matches that are on, by how they stand.", ("state",)),
        "overdue_seconds": Family("How long the match that has waited longest for a look is due."),
        "aftermath_due": Family("Matches that have ended, and whose end nobody has followed up."),
        "aftermath_due_seconds": Family("How long ago the first of them ended."),
        "ratings_due": Family("Results that a ladder is yet to take in."),
        "webhooks_due": Family("Deliveries of webhooks that are due."),
        "webhooks_due_seconds": Family("How long the first of them has been due."),
        "discord_posts_due": Family("Messages of the bot's in Discord that are due."),
        "discord_posts_due_seconds": Family("How long the first of them has been due."),
        "rows_aside": Family("Rows that a job has failed at and left alone, by job.", ("work",)),
        "job_age_seconds": Family("When a periodic job was last done to its end.", ("task",)),
        "beat_age_seconds": Family("When the web service last gave a sign of life."),
        "processes": Family("Processes of the site, by whether they give signs of life.", ("is",)),
        "audit_holds": Family("Whether the chain of the audit log held when it was looked over."),
        "audit_unsealed_seconds": Family("How long the first entry that is not sealed has been."),
        "host_clock_ahead_seconds": Family("The clock of a host that is farthest from right."),
    },
    "broker": {
        "queue_length": Family("Tasks that no worker has taken yet.", ("queue",)),
        "queue_age_seconds": Family("How long the first of them has been due.", ("queue",)),
        "tasks_taken": Family("Tasks in the hands of workers, those that wait for their time too."),
    },
}


# -- the database --------------------------------------------------------------------------------


def of_database() -> list[Figure]:
    """What the database says. Raises the errors of `django.db` where it does not."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", (str(STATEMENT_MS),))
        return [*_matches(), *_processes(), *_ends(), *_webhooks(), *_posts(), *_jobs(), *_audit()]


def _matches() -> Iterator[Figure]:
    running = Match.objects.running()
    states = running.aggregate(
        running=Count("pk"),
        paused=Count("pk", filter=Q(paused=True)),
        waiting=Count("pk", filter=Q(waits_until__isnull=False)),
        ruling=Count("pk", filter=Q(awaits_ruling=True)),
    )
    for state, count in states.items():
        yield Figure("matches", (state,), count)
    now = now_ms()
    first = Match.objects.filter(sweep_at__lte=now, wake_at__lte=now).aggregate(at=Min("wake_at"))
    yield Figure("overdue_seconds", (), 0 if first["at"] is None else (now - first["at"]) / 1000)
    beat = ServiceBeat.objects.aggregate(at=Max("at"))["at"]
    if beat is not None:
        yield Figure("beat_age_seconds", (), max(0, now - beat) / 1000)


def _processes() -> Iterator[Figure]:
    running = processes()
    silent = sum(each.is_silent for each in running)
    yield Figure("processes", ("well",), len(running) - silent)
    yield Figure("processes", ("silent",), silent)
    skew_ms = worst_skew_ms(running)
    if skew_ms is not None:
        yield Figure("host_clock_ahead_seconds", (), skew_ms / 1000)


def _ends() -> Iterator[Figure]:
    ended = Match.objects.finished().filter(aftermath_due=True)
    found = ended.aggregate(count=Count("pk"), first=Min("finished_at"))
    yield Figure("aftermath_due", (), found["count"])
    yield Figure("aftermath_due_seconds", (), _seconds_since(found["first"]))
    yield Figure("ratings_due", (), RatingRequest.objects.count())


def _webhooks() -> Iterator[Figure]:
    due = Delivery.objects.pending().filter(next_at__lte=now_utc())
    found = due.aggregate(count=Count("pk"), first=Min("next_at"))
    yield Figure("webhooks_due", (), found["count"])
    yield Figure("webhooks_due_seconds", (), _seconds_since(found["first"]))


def _posts() -> Iterator[Figure]:
    # Where Discord refuses, it is for the season's organisers, whom the channel's page tells.
    due = DiscordPost.objects.waiting().filter(next_at__lte=now_utc(), place__attempts=0)
    found = due.aggregate(count=Count("pk"), first=Min("next_at"))
    yield Figure("discord_posts_due", (), found["count"])
    yield Figure("discord_posts_due_seconds", (), _seconds_since(found["first"]))


def _jobs() -> Iterator[Figure]:
    for job, count in SetAside.objects.values_list("job").annotate(Count("pk")).order_by("job"):
        yield Figure("rows_aside", (job,), count)
    for task, age in guard.ages().items():
        yield Figure("job_age_seconds", (task,), age)


def _audit() -> Iterator[Figure]:
    last = audit_last_check()
    if last is not None:
        yield Figure("audit_holds", (), 0 if last.fault else 1)
    yield Figure("audit_unsealed_seconds", (), _seconds_since(audit_unsealed_since()))


def _seconds_since(instant: datetime | None) -> float:
    if instant is None:
        return 0.0
    return max(0.0, (now_utc() - instant).total_seconds())


# -- the broker ----------------------------------------------------------------------------------


def of_broker() -> list[Figure]:
    """What the broker holds. Raises the errors of `core.queueing.AWAY` where it does not say."""
    figures = []
    # Not its default channel, which would try for ever to get there.
    with current_app.connection_for_read() as broker, broker.channel() as opened:
        channel: Any = opened
        client = channel.client
        options: Any = settings.CELERY_BROKER_TRANSPORT_OPTIONS
        queues = (
            settings.CELERY_TASK_DEFAULT_QUEUE, settings.DEADLINES_QUEUE, settings.BOTS_QUEUE,
        )  # fmt: skip
        for name in queues:
            queue = name.removeprefix(f"{settings.REDIS_PREFIX}.")
            figures.append(Figure("queue_length", (queue,), client.llen(name)))
            # New ones come in at the other end. This command knows nothing of the prefix.
            oldest = client.lindex(options["global_keyprefix"] + name, -1)
            figures.append(Figure("queue_age_seconds", (queue,), _age_of(oldest)))
        figures.append(Figure("tasks_taken", (), client.hlen("unacked")))
    return figures


def _age_of(message: bytes | None) -> float:
    """How long a task has been in its queue, in seconds; 0 where nobody knows."""
    if message is None:
        return 0.0
    at = json.loads(message).get("headers", {}).get(ENQUEUED_AT)
    return max(0, now_ms() - at) / 1000 if isinstance(at, int) else 0.0


# -- telling it ----------------------------------------------------------------------------------


class Part:
    """What one part of the site has to say, looked up by one thread at a time."""

    def __init__(self, name: str, look: Callable[[], list[Figure]]) -> None:
        self.name = name
        self.look = look
        self.key = f"metrics:{name}"
        self._found: list[Figure] | None = None
        self._found_at = float("-inf")
        self._looking: threading.Thread | None = None
        self._lock = threading.Lock()

    def figures(self) -> list[Figure] | None:
        """What there is; None where it does not answer in time. Any thread may call this."""
        with self._lock:
            if self._is_fresh:
                return self._found
            if self._looking is None or not self._looking.is_alive():
                self._looking = threading.Thread(
                    target=self._look_up, name=f"gauntlet-{self.key}", daemon=True
                )
                self._looking.start()
            looking = self._looking
        looking.join(PATIENCE_S)
        return self._found if self._is_fresh else None

    @property
    def _is_fresh(self) -> bool:
        return time.monotonic() - self._found_at < KEPT_S

    def _look_up(self) -> None:
        try:
            found = self._shared()
            if found is None:
                found = self.look()
                self._share(found)
        except (*AWAY, *BROKER_AWAY) as error:
            log.warning("metrics.away", part=self.name, error=type(error).__name__)
            found = None
        finally:
            connection.close()
        self._found, self._found_at = found, time.monotonic()

    def _shared(self) -> list[Figure] | None:
        try:
            kept = cache.get(self.key)
        except AWAY:
            return None
        if kept is None:
            return None
        # Another release may know others.
        known = FAMILIES[self.name]
        return [Figure(name, tuple(of), value) for name, of, value in kept if name in known]

    def _share(self, found: Iterable[Figure]) -> None:
        try:
            cache.set(self.key, [tuple(figure) for figure in found], timeout=KEPT_S)
        except AWAY as error:
            log.info("metrics.not-shared", part=self.name, error=type(error).__name__)


class Standing(Collector):
    """All of it, as metrics."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self.parts = tuple(parts)

    def describe(self) -> Iterator[Metric]:
        """By their names alone, so that nothing is looked up for it."""
        yield self._up()
        for part in self.parts:
            yield from self._families(part).values()

    def collect(self) -> Iterator[Metric]:
        """What there is."""
        up = self._up()
        for part in self.parts:
            figures = part.figures()
            up.add_metric([part.name], figures is not None)
            families = self._families(part)
            for figure in figures or ():
                families[figure.family].add_metric(figure.labels, figure.value)
            if figures is not None:
                yield from families.values()
        yield up

    @staticmethod
    def _up() -> GaugeMetricFamily:
        words = "Whether a part of the site answers this process."
        return GaugeMetricFamily(f"{metrics.SPACE}_up", words, labels=["part"])

    @staticmethod
    def _families(part: Part) -> dict[str, GaugeMetricFamily]:
        return {
            name: GaugeMetricFamily(f"{metrics.SPACE}_{name}", of.words, labels=of.labels)
            for name, of in FAMILIES[part.name].items()
        }


DATABASE: Final = Part("database", of_database)
BROKER: Final = Part("broker", of_broker)


def install() -> None:
    """Have all of it told by this process."""
    metrics.registry.register(Standing([DATABASE, BROKER]))
