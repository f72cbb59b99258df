"""The world that the table is asked in: made once, in a transaction that is never committed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, TypeVar

import pytest
from asgiref.sync import sync_to_async
from django.core.cache import cache
from django.db import connection, transaction

from accounts.signin import recent
from games.sockets import admission, consumers
from tests.permissions.world import World
from tests.support.caching import caches_of

R = TypeVar("R")


@pytest.fixture(scope="package")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Everybody, and every situation that was asked for so far."""
    with django_db_blocker.unblock(), transaction.atomic():
        _pass_over_the_first_numbers()
        yield World()
        transaction.set_rollback(True)


def _pass_over_the_first_numbers() -> None:
    """No row is number 1, whether other tests have made rows before or not: whatever is asked for
    by a number that was made up is missing each time, and not only in some runs."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(format('%I.%I', schemaname, sequencename)::regclass) FROM pg_sequences"
        )


@pytest.fixture
def _django_db_helper(world: World) -> World:
    """In place of a transaction for each test: the mark `django_db` only asks for the database."""
    return world


@pytest.fixture(autouse=True)
def apart(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of one's own; sockets ask in this thread, whose transaction holds the world."""
    settings.CACHES = caches_of("permissions")

    async def here(call: Callable[..., R], *args: Any, **kwargs: Any) -> R:
        return await sync_to_async(call, thread_sensitive=True)(*args, **kwargs)

    # Their sign-ins are older than ten minutes when the last are asked.
    monkeypatch.setattr(recent, "CONFIRMED_FOR", timedelta(days=1))
    for module in (admission, consumers):
        monkeypatch.setattr(module, "in_read_thread", here)
    monkeypatch.setattr(consumers, "in_turn_thread", here)
    cache.clear()
