"""Celery: the worker and beat that enforce deadlines when nobody is looking."""

import os
from functools import partial
from typing import Any

import structlog
from celery import Celery, Task
from celery.signals import beat_init, celeryd_after_setup, setup_logging, worker_ready
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")


class Gauntlet(Celery):
    """Who waits for tasks waits for long; who hands one on does not: a page or a turn waits for
    them (`core.broker`)."""

    def connection_for_write(self, url: str | None = None, **options: Any) -> Any:
        """A connection by which tasks are handed on."""
        patience = settings.GAUNTLET_REDIS_PATIENCE_MS / 1000
        own = {"socket_timeout": patience, "socket_connect_timeout": patience}
        given = {**self.conf.broker_transport_options, **own}
        return super().connection_for_write(url, **{"transport_options": given, **options})


class Again(Task[..., Any]):
    """A task that is done once more where it collided with another transaction."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Imported late: this module is read before the settings are.
        from core.collisions import done_again  # noqa: PLC0415

        return done_again(partial(super().__call__, *args, **kwargs))


app = Gauntlet("gauntlet", task_cls=Again)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

log = structlog.get_logger("gauntlet.celery")


@setup_logging.connect
def keep_django_logging(**_kwargs: object) -> None:
    """Stop Celery from replacing the logging that the settings configured."""


@celeryd_after_setup.connect
def go_after_players(instance: Any, **_kwargs: object) -> None:
    """Have a worker that enforces no deadlines leave the processor to turns where both want it."""
    if settings.DEADLINES_QUEUE not in instance.app.amqp.queues.consume_from:
        os.nice(settings.GAUNTLET_WORKER_NICE)


@worker_ready.connect
def announce_worker_ready(**_kwargs: object) -> None:
    """Tell whoever started the worker that it takes tasks now."""
    log.info("worker ready")


@beat_init.connect
def announce_beat_ready(**_kwargs: object) -> None:
    """Tell whoever started beat that it runs."""
    log.info("beat ready")
