"""Workers and beat are back within a second or two of their broker, however long it was away."""

from __future__ import annotations

import itertools
import uuid
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import time_machine
from celery.beat import Scheduler
from celery.worker.consumer import Consumer
from kombu.utils import functional

from config import returning
from config.celery import app
from config.returning import INTERVALS, Returning
from script.lib.ports import free_port

OUTAGE_S = 600.0
# Longer than any pause; far less than Kombu's own.
SOON_S = 2.0


class OverError(Exception):
    """The outage has lasted long enough."""


class Outage:
    """A broker that is not there, and what whoever waits for it does meanwhile, in seconds that
    pass at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.url = f"redis://127.0.0.1:{free_port()}/0"
        self.now = 0.0
        self.attempts: list[float] = []
        monkeypatch.setattr(functional, "sleep", self._sleep)
        tries = Returning._connection_factory

        def noted(connection: Returning) -> Any:
            self.attempts.append(self.now)
            return tries(connection)

        monkeypatch.setattr(Returning, "_connection_factory", noted)

    def _sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.now > OUTAGE_S:
            raise OverError

    @property
    def longest(self) -> float:
        """The longest time without an attempt."""
        moments = [0.0, *self.attempts, self.now]
        return max(after - before for before, after in itertools.pairwise(moments))


@pytest.fixture
def outage(monkeypatch: pytest.MonkeyPatch) -> Outage:
    return Outage(monkeypatch)


def as_a_worker(outage: Outage) -> None:
    consumer: Any = SimpleNamespace(
        app=app, first_connection_attempt=False, broker_connection_retry_attempt=0
    )
    Consumer.ensure_connected(consumer, app.connection_for_read(outage.url))


def as_beat(outage: Outage) -> None:
    scheduler: Any = SimpleNamespace(app=app, connection=app.connection_for_write(outage.url))
    waits: Any = Scheduler  # whose stubs leave it out
    waits._ensure_connected(scheduler)


@pytest.mark.parametrize("waits", [as_a_worker, as_beat])
def test_it_is_tried_for_every_second_or_two(waits: Any, outage: Outage) -> None:
    with pytest.raises(OverError):
        waits(outage)
    assert outage.now > OUTAGE_S
    assert len(outage.attempts) > OUTAGE_S / SOON_S
    # Nor is anybody kept busy by it.
    assert len(outage.attempts) < 2.5 * OUTAGE_S
    assert outage.longest <= SOON_S


def test_whoever_says_otherwise_is_heeded(outage: Outage) -> None:
    with pytest.raises(OverError):
        app.connection_for_read(outage.url).ensure_connection(interval_max=20, interval_step=20)
    assert outage.longest > INTERVALS["interval_max"]


def test_a_copy_does_the_same(outage: Outage) -> None:
    """Pools of connections are copies of one."""
    assert isinstance(app.connection_for_write(outage.url).clone(), Returning)


# -- who has what in hand ------------------------------------------------------------------------


def test_what_a_worker_has_in_hand_is_its_own_by_the_services_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A host that is ahead takes nothing away from others before the time is over; then anybody
    does."""
    at = [1_800_000_000_000]
    monkeypatch.setattr(returning, "now_ms", lambda: at[0])
    options = {
        **app.conf.broker_transport_options,
        "global_keyprefix": f"tested-{uuid.uuid4().hex}.", "unacked_restore_throttle": 1,
    }  # fmt: skip
    with Returning(app.conf.broker_url, transport_options=options) as connection:
        queue: Any = connection.SimpleQueue("tested")
        queue.put("a task")
        taken = queue.get(timeout=60)  # and not acknowledged
        looks = queue.channel.qos.restore_visible
        with time_machine.travel(datetime.now(UTC) + timedelta(hours=1)):
            looks(interval=1)
            with pytest.raises(queue.Empty):
                queue.get_nowait()
        at[0] += 61_000
        looks(interval=1)
        assert queue.get(timeout=60).payload == taken.payload
        queue.clear()
