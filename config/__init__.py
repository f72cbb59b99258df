"""Wiring of the site: settings, addresses, ASGI, Celery. No domain logic lives here."""

import gc

# What a process imports stays as long as it runs. By default Python looks through it for garbage
# again and again meanwhile, which took a quarter of a start.
gc.set_threshold(20_000, 20, 20)

# Every process that sends tasks must know the broker, not the worker alone: without the app, a
# shared task falls back to a broker on this host that nobody runs.
from config.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
