"""Celery: the worker and beat that enforce deadlines when nobody is looking.

When a task is to begin, and from when it is worth nothing any more, is said in the service's time
(`core.clock`), whatever the clock of the host of whoever sends it or takes it shows: a worker whose
host is ahead would otherwise begin everything early and throw away each sweep as one of long ago.
"""

import os
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import structlog
from celery import Celery, Task
from celery.signals import (
    beat_init,
    celeryd_after_setup,
    setup_logging,
    worker_init,
    worker_ready,
    worker_shutdown,
)
from django.conf import settings

from core.clock import instant_of, now_ms

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")


class Gauntlet(Celery):
    """Whoever sends a task says its times by this clock, and beat goes by it. And who waits for
    tasks waits for long; who hands one on does not: a page or a turn waits for them
    (`core.broker`)."""

    # By its name, as the tasks' requests below.
    amqp_cls = "config.returning:Broker"

    def now(self) -> datetime:
        """The service's time."""
        return instant_of(now_ms()).astimezone(self.timezone)

    def connection_for_write(self, url: str | None = None, **options: Any) -> Any:
        """A connection by which tasks are handed on."""
        patience = settings.GAUNTLET_REDIS_PATIENCE_MS / 1000
        own = {"socket_timeout": patience, "socket_connect_timeout": patience}
        given = {**self.conf.broker_transport_options, **own}
        if "sentinel_kwargs" in given:
            given["sentinel_kwargs"] = {**given["sentinel_kwargs"], **own}
        return super().connection_for_write(url, **{"transport_options": given, **options})


class Again(Task[..., Any]):
    """A task that is done once more where it collided with another transaction, and not before the
    process knows the time: the database may have been away when that began. A mail does not wait:
    it needs neither, and is lost with a task that fails."""

    # By its name: what it is made of only workers need.
    Request = "config.task_times:InServiceTime"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Imported late: this module is read before the settings are.
        from core.collisions import done_again  # noqa: PLC0415
        from core.mailing import SEND_MAIL  # noqa: PLC0415
        from games.services.processes import clock_settle  # noqa: PLC0415

        if self.name != SEND_MAIL:
            clock_settle()
        return done_again(partial(super().__call__, *args, **kwargs))


app = Gauntlet("gauntlet", task_cls=Again)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

log = structlog.get_logger("gauntlet.celery")


@setup_logging.connect
def keep_django_logging(**_kwargs: object) -> None:
    """Stop Celery from replacing the logging that the settings configured."""


def _kind_of(instance: Any) -> str:
    """Which worker it is, by the queue that it takes tasks from, as `ServiceProcess.Kind`."""
    taken = instance.app.amqp.queues.consume_from
    for queue in (settings.DEADLINES_QUEUE, settings.BOTS_QUEUE):
        if queue in taken:
            return str(queue)
    return "worker"


@worker_init.connect
def think_about_few(sender: Any, **_kwargs: object) -> None:
    """Have a worker in which bots think run as many at a time as it may: it has its queues by now,
    and no threads yet."""
    if _kind_of(sender) == settings.BOTS_QUEUE:
        sender.concurrency = settings.GAUNTLET_BOT_THREADS


@celeryd_after_setup.connect
def go_after_players(instance: Any, **_kwargs: object) -> None:
    """Have a worker that enforces no deadlines leave the processor to turns where both want it."""
    kind = _kind_of(instance)
    if kind == "worker":
        os.nice(settings.GAUNTLET_WORKER_NICE)
    _measure(kind)


@celeryd_after_setup.connect
def begin_to_live(instance: Any, **_kwargs: object) -> None:
    """Have the worker know the time before it takes a task, and be known."""
    # Imported late, as above.
    from games import heartbeat  # noqa: PLC0415
    from games.models import ServiceProcess  # noqa: PLC0415

    heartbeat.start_beside(ServiceProcess.Kind(_kind_of(instance)))


@worker_shutdown.connect
def end_to_live(**_kwargs: object) -> None:
    """The worker has been told to end, and has."""
    from games import heartbeat  # noqa: PLC0415

    heartbeat.end()


@worker_ready.connect
def go_after_all(sender: Any, **_kwargs: object) -> None:
    """Have a worker in which bots think leave the processor to all others, once it has begun.

    To those of other sessions as well: where Linux shares it out by session (sched(7), *The
    autogroup feature*), being nice counts within one's own alone."""
    if _kind_of(sender) != settings.BOTS_QUEUE:
        return
    os.nice(settings.GAUNTLET_BOT_NICE)
    if os.getsid(0) == os.getpid():  # else there are others in it
        with suppress(OSError):  # no such system
            Path("/proc/self/autogroup").write_text(str(settings.GAUNTLET_BOT_NICE))


@worker_ready.connect
def announce_worker_ready(**_kwargs: object) -> None:
    """Tell whoever started the worker that it takes tasks now."""
    log.info("worker ready")


@beat_init.connect
def announce_beat_ready(sender: Any, **_kwargs: object) -> None:
    """Know the time, be known, and tell whoever started beat that it runs."""
    from games import heartbeat  # noqa: PLC0415
    from games.models import ServiceProcess  # noqa: PLC0415

    _measure("beat")
    heartbeat.start_beside(ServiceProcess.Kind.BEAT)
    # As Celery has it, all was last done when beat began: by the host's clock, for the time was not
    # known yet, as it is now. On a host that is ahead nothing would be due until it is as late.
    for entry in sender.scheduler.schedule.values():
        entry.last_run_at = sender.app.now()
    log.info("beat ready")


def _measure(role: str) -> None:
    # Imported late, as above.
    from config.operations.exposition import listen  # noqa: PLC0415

    listen(role)
