"""Celery: the worker and beat that enforce deadlines when nobody is looking."""

import os
from functools import partial
from typing import Any

import structlog
from celery import Celery, Task
from celery.signals import beat_init, celeryd_after_setup, setup_logging, worker_ready
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")


class Again(Task[..., Any]):
    """A task that is done once more where it collided with another transaction."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Imported late: this module is read before the settings are.
        from core.collisions import done_again  # noqa: PLC0415

        return done_again(partial(super().__call__, *args, **kwargs))


app = Celery("gauntlet", task_cls=Again)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

log = structlog.get_logger("gauntlet.celery")


@setup_logging.connect
def keep_django_logging(**_kwargs: object) -> None:
    """Stop Celery from replacing the logging that the settings configured."""


@celeryd_after_setup.connect
def go_after_players(instance: Any, **_kwargs: object) -> None:
    """Have a worker that enforces no deadlines leave the processor to turns where both want it."""
    enforces = settings.DEADLINES_QUEUE in instance.app.amqp.queues.consume_from
    if not enforces:
        os.nice(settings.GAUNTLET_WORKER_NICE)
    _measure("deadlines" if enforces else "worker")


@worker_ready.connect
def announce_worker_ready(**_kwargs: object) -> None:
    """Tell whoever started the worker that it takes tasks now."""
    log.info("worker ready")


@beat_init.connect
def announce_beat_ready(**_kwargs: object) -> None:
    """Tell whoever started beat that it runs."""
    _measure("beat")
    log.info("beat ready")


def _measure(role: str) -> None:
    # Imported late, as above.
    from config.operations.exposition import listen  # noqa: PLC0415

    listen(role)
