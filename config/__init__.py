"""Wiring of the site: settings, addresses, ASGI, Celery. No domain logic lives here."""
