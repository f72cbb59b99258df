"""The world of the permissions, and somebody who serves it to browsers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.core import signals
from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import ThreadedWSGIServer
from django.db import close_old_connections, connection, connections, transaction
from django.test.testcases import QuietWSGIRequestHandler
from whitenoise import WhiteNoise

from accounts.signin import recent
from tests.permissions.conftest import _django_db_helper, apart
from tests.permissions.world import World

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["_django_db_helper", "apart"]


class _Server(ThreadedWSGIServer):
    """Answers out of the one transaction that holds the world."""

    daemon_threads = True

    def _close_connections(self) -> None:
        """The connection is the tests' own."""


@pytest.fixture
def world(
    browser: Browser,
    django_db_setup: None,
    django_db_blocker: Any,
) -> Iterator[World]:
    """Everybody, and every situation that was asked for so far."""
    with django_db_blocker.unblock():
        with transaction.atomic():
            yield World()
            transaction.set_rollback(True)
        connection.close()


@pytest.fixture
def one_at_a_time() -> threading.Lock:
    """Held by whoever uses the connection: answers to browsers, which ask for more after a page has
    come, and the test where it changes or reads the world meanwhile."""
    return threading.Lock()


@pytest.fixture
def address(world: World, one_at_a_time: threading.Lock) -> Iterator[str]:
    """Where browsers find the world."""
    handler = WSGIHandler()

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        # Going through every page takes longer than what was shown at signing in holds.
        with one_at_a_time, patch.object(recent, "CONFIRMED_FOR", timedelta(days=1)):
            return handler(environ, start)

    files = WhiteNoise(
        answer,
        root=settings.STATIC_ROOT,
        prefix=settings.STATIC_URL,
        immutable_file_test=r"\.[0-9a-f]{12}\.",
    )

    server = _Server(
        ("127.0.0.1", 0),
        QuietWSGIRequestHandler,
        connections_override={"default": connections["default"]},
    )
    server.set_app(files)
    connection.inc_thread_sharing()
    # As the test client has it: it would be closed for being in the middle of a transaction.
    between = (signals.request_started, signals.request_finished)
    for signal in between:
        signal.disconnect(close_old_connections)
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        serving.join()
        for signal in between:
            signal.connect(close_old_connections)
        connection.dec_thread_sharing()
