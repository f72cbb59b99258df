"""Who keeps a connection to the database, when its session was ended: whoever comes upon it asks
again by another, and nothing is made of what belonged to a database that may be gone."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable

import psycopg
import pytest
from django.db import connection

from accounts.models import User
from games import heartbeat
from games.models import ServiceBeat, ServiceProcess
from games.remembered import spell
from games.services.processes import Identity, here
from games.sockets import rooms
from games.sockets.executor import _with_connection


def end_session() -> None:
    """End the session of this thread's connection, as a database that is started again does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    own = connection.get_connection_params()
    names = {name: own[name] for name in ("dbname", "user", "password", "host", "port")}
    with psycopg.connect(**names, autocommit=True) as other:
        assert other.execute("SELECT pg_terminate_backend(%s, 10000)", [pid]).fetchone() == (True,)


@pytest.mark.django_db(transaction=True)
def test_a_thread_asks_once_more_and_remembers_nothing() -> None:
    """The database may be another one by now, which counts its transactions anew: a match that was
    remembered would look like the one that is there."""
    spells: list[int] = []

    def asks() -> int:
        spells.append(spell())
        return User.objects.count()

    before = spell()
    end_session()
    assert _with_connection(asks) == 0
    assert len(spells) == 2
    assert spells[0] == before != spells[1]


async def test_an_event_loop_remembers_nothing_either() -> None:
    """When one of its connections turns out to be broken: `tests.infra.test_on_loop` sees that it
    is told so."""
    rooms.keep_open()
    try:
        before = spell()
        rooms.here().database.lost()
        assert spell() != before
    finally:
        await rooms.let_close()


SIGNS: dict[Callable[[], None], type[ServiceBeat | ServiceProcess]] = {
    heartbeat._beat: ServiceBeat,
    heartbeat._record: ServiceProcess,
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("gives", SIGNS)
def test_one_sign_of_life_is_missed_and_no_more(
    gives: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(here, "identity", Identity(uuid.uuid4(), "web", "here", os.getpid(), 0))
    end_session()
    gives()
    assert not SIGNS[gives].objects.exists()
    gives()
    assert SIGNS[gives].objects.count() == 1
