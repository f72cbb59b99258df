"""Celery: the worker and beat that enforce deadlines when nobody is looking."""

import os

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")

app = Celery("gauntlet")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_django_logging(**_kwargs: object) -> None:
    """Stop Celery from replacing the logging that the settings configured."""
