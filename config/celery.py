"""Celery: the worker and beat that enforce deadlines when nobody is looking."""

import os

import structlog
from celery import Celery
from celery.signals import beat_init, setup_logging, worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")

app = Celery("gauntlet")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

log = structlog.get_logger("gauntlet.celery")


@setup_logging.connect
def keep_django_logging(**_kwargs: object) -> None:
    """Stop Celery from replacing the logging that the settings configured."""


@worker_ready.connect
def say_worker_ready(**_kwargs: object) -> None:
    """Tell whoever started the worker that it takes tasks now."""
    log.info("worker ready")


@beat_init.connect
def say_beat_ready(**_kwargs: object) -> None:
    """Tell whoever started beat that it runs."""
    log.info("beat ready")
