"""Work is handed to workers in one place, which a broker that is away does not disturb."""

from __future__ import annotations

import ast

import pytest
from celery import current_app
from kombu.exceptions import OperationalError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from core import mailing, queueing
from core.broker import Breaker
from core.queueing import enqueue
from games import jobs as of_games
from script.lib.console import ROOT
from tests.support.sources import sources
from tests.support.workers import Handed, Workers
from tournaments import jobs as of_tournaments

AWAY = [
    OperationalError("no broker"), RedisConnectionError("gone"), RedisTimeoutError("too slow"),
    ConnectionRefusedError(), TimeoutError(), OSError("no route"),
]  # fmt: skip
SENDS = {"delay", "apply_async", "send_task"}


def test_nobody_else_talks_to_the_broker() -> None:
    sends = {
        str(path.relative_to(ROOT))
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in SENDS
    }
    assert sends == {"core/queueing.py"}


def test_every_name_is_that_of_a_task() -> None:
    current_app.loader.import_default_modules()
    names = {
        value
        for module in (of_games, of_tournaments, mailing)
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, str)
    }
    assert len(names) > 10
    assert names <= set(current_app.tasks)


def test_what_is_handed_on(workers: Workers) -> None:
    assert enqueue("some.task", 7, "text", countdown=0.5)
    assert workers.handed == [Handed("some.task", (7, "text"), 0.5)]


@pytest.mark.parametrize("fault", AWAY, ids=lambda fault: type(fault).__name__)
def test_a_broker_that_is_away_disturbs_nobody(
    fault: Exception, workers: Workers, caplog: pytest.LogCaptureFixture
) -> None:
    workers.fault = fault
    assert not enqueue("some.task", 7, {"body": "https://example.org/reset/secret/"})
    (told,) = [record.getMessage() for record in caplog.records if record.name == "gauntlet.tasks"]
    assert "task.not-enqueued" in told
    assert "some.task" in told
    assert "[7]" in told
    assert "secret" not in told


def test_a_broker_that_has_not_answered_lately_is_not_asked(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever hands on a task would wait for it otherwise, each by themselves."""
    breaker = Breaker(lambda: False)
    breaker.is_open = True
    monkeypatch.setattr(queueing, "breaker_of", lambda _url: breaker)
    assert not enqueue("some.task", 7)
    assert workers.handed == []


def test_another_fault_is_told(workers: Workers) -> None:
    workers.fault = ValueError("cannot be written as JSON")
    with pytest.raises(ValueError, match="JSON"):
        enqueue("some.task", object())
