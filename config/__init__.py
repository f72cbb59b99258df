"""Wiring of the site: settings, addresses, ASGI, Celery. No domain logic lives here."""

# Every process that sends tasks must know the broker, not the worker alone: without the app, a
# shared task falls back to a broker on this host that nobody runs.
from config.celery import app as celery_app

__all__ = ["celery_app"]
