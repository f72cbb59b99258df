"""Whatever leaves the site ends in time, whoever is at the other end and whatever they do.

What can leave it is found in the source: a module that begins to speak to the network fails here
until its limits are tested, too.
"""

from __future__ import annotations

import ast
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from smtplib import SMTPDataError, SMTPException, SMTPRecipientsRefused
from typing import Any

import pytest
from django.conf import settings as configured
from django.core.mail import EmailMessage, EmailMultiAlternatives, get_connection, send_mail
from django.db import OperationalError, connection
from django.test import Client
from redis.exceptions import ConnectionError as RedisConnectionError

from config import health
from core import mailing
from core.jobs import tasks
from core.jobs.models import JobDone
from core.mailing import SEND_MAIL, NotQueued
from games.reading.processes import WEB_SWEEP
from games.services import processes
from script.lib.console import ROOT
from tests.support.sources import sources
from tests.support.workers import Handed, Workers
from tournaments.webhooks import wire
from tournaments.webhooks.destinations import Destination

# Modules of ours that speak to somebody, and where their limits are tested.
SPEAK = {
    "accounts/announcing/push.py": "tests/accounts/test_push.py",
    "accounts/discord/wire.py": "tests/accounts/test_discord.py",
    "config/reporting.py": "reports of errors: tests/infra/test_reports.py",
    "config/serve.py": "listens only: tests/infra/test_serve.py",
    "core/bounded.py": "the limits themselves: below, and tests/accounts/test_discord.py",
    "core/discord/client.py": "tests/discord/test_client.py",
    "core/mailing.py": "below",
    "core/replica/watching.py": "ends connections of a server that hangs only, and asks it with a "
    "limit: tests/operations/test_replica.py",
    "core/jobs/tasks.py": "names SMTP's errors only",
    "tournaments/discord/fake/people.py": "tells a site of what people do, here only, with a limit",
    "tournaments/discord/fake/rehearsal.py": "names what `people` raises only",
    "tournaments/webhooks/wire.py": "below",
    "tournaments/webhooks/destinations.py": "looks names up: tests/webhooks/test_destinations.py",
}
NETWORK = {
    "aiohttp", "asyncssh", "ftplib", "http.client", "httpcore", "httpx", "imaplib", "poplib",
    "pywebpush", "requests", "sentry_sdk", "smtplib", "socket", "telnetlib", "urllib.request",
    "urllib3", "webbrowser", "websockets", "xmlrpc",
}  # fmt: skip


def imports_of(source: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_everything_that_speaks_to_the_network_is_known() -> None:
    speaking = set()
    for path in sources():
        imported = imports_of(path.read_text())
        if any(name in NETWORK or name.split(".")[0] in NETWORK for name in imported):
            speaking.add(str(path.relative_to(ROOT)))
    assert speaking == set(SPEAK)


def test_what_the_site_itself_stands_on_has_limits() -> None:
    assert configured.EMAIL_TIMEOUT <= 10
    assert configured.GAUNTLET_EMAIL_TOTAL_SECONDS <= 30
    database = configured.DATABASES["default"]["OPTIONS"]
    assert database["connect_timeout"] <= 10
    assert "lock_timeout" in database["options"]
    assert "statement_timeout" in database["options"]
    assert "idle_in_transaction_session_timeout=30000" in database["options"]
    caches: Any = configured.CACHES
    broker: Any = configured.CELERY_BROKER_TRANSPORT_OPTIONS
    cache = caches["default"]["OPTIONS"]
    for each in (cache, broker):
        assert each["socket_connect_timeout"] <= 5
        assert each["socket_timeout"] <= 30


def test_a_worker_has_threads_left_whoever_is_waited_for() -> None:
    waiting = [getattr(configured, name) for name in dir(configured) if name.endswith("_SENDERS")]
    assert len(waiting) == 6
    assert sum(waiting) < configured.CELERY_WORKER_CONCURRENCY
    # Each has its own setting: by one that two had, twice as many would wait as it says.
    used = [
        name
        for path in sources()
        for name in re.findall(r"Senders\(\"(\w+)\"\)", path.read_text(encoding="utf-8"))
    ]
    assert len(used) == len(set(used)) == 5


@pytest.mark.django_db
def test_a_test_that_is_one_transaction_may_stand_still() -> None:
    """While it looks at a page, on a slow machine for longer than the site allows itself."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("0",)


# -- at the other end ----------------------------------------------------------------------------


@contextmanager
def answering(behave: Callable[[socket.socket], None]) -> Iterator[int]:
    """Somebody who takes connections and then does what ``behave`` does; gives the port."""
    taken: list[socket.socket] = []
    over = threading.Event()

    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while not over.is_set():
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                taken.append(connection)
                threading.Thread(target=suppressed, args=(connection,), daemon=True).start()

        def suppressed(connection: socket.socket) -> None:
            try:
                behave(connection)
            except OSError:
                return

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        over.set()
    for each in taken:
        each.close()


def silent(connection: socket.socket) -> None:
    """Takes the connection, and never says a word."""


def dripping(connection: socket.socket) -> None:
    """Says something all the time, and never finishes a line."""
    while True:
        connection.sendall(b"2")
        time.sleep(0.05)


def by_mail(port: int) -> None:
    """What comes of a mail. Raises where it cannot be sent."""
    transport = get_connection("core.mailing.Smtp", host="127.0.0.1", port=port)
    message = EmailMessage("Subject", "Body", "us@example.org", ["you@example.org"])
    transport.send_messages([message])


def by_webhook(port: int) -> None:
    """What comes of a webhook's request."""
    destination = Destination("http", "127.0.0.1", port, "/", ("127.0.0.1",))
    answer = wire.post(destination, headers={}, content=b"{}")
    if not answer.taken:
        raise OSError(answer.fault)


def by_discord(port: int) -> None:
    """What comes of a form with a picture."""
    destination = Destination("http", "127.0.0.1", port, "/", ("127.0.0.1",))
    answer = wire.post(destination, headers={}, files={"file": ("a.png", b"x" * 10, "image/png")})
    if not answer.taken:
        raise OSError(answer.fault)


@pytest.mark.parametrize("behave", [silent, dripping])
@pytest.mark.parametrize("send", [by_mail, by_webhook, by_discord])
def test_who_never_answers_is_not_waited_for(
    send: Callable[[int], None], behave: Callable[[socket.socket], None], settings: Any
) -> None:
    settings.EMAIL_TIMEOUT = settings.GAUNTLET_WEBHOOK_STAGE_SECONDS = 0.5
    settings.GAUNTLET_EMAIL_TOTAL_SECONDS = settings.GAUNTLET_WEBHOOK_TOTAL_SECONDS = 1.0
    failed = threading.Event()

    def attempt(port: int) -> None:
        try:
            send(port)
        except (SMTPException, OSError):
            failed.set()

    with answering(behave) as port:
        thread = threading.Thread(target=attempt, args=(port,), daemon=True)
        thread.start()
        # A second, and whatever a busy machine adds; without a limit it never ends.
        thread.join(30)
    assert failed.is_set()


# -- mail goes through the queue -----------------------------------------------------------------


@pytest.fixture
def handed(workers: Workers, settings: Any) -> list[Handed]:
    """What was handed to the workers."""
    settings.EMAIL_BACKEND = "core.mailing.Queued"
    return workers.handed


def test_mail_is_handed_to_a_worker_and_arrives_as_it_was(
    handed: list[Handed], mailoutbox: Any
) -> None:
    message = EmailMultiAlternatives(
        "Übergabe", "Text\n", "us@example.org", ["you@example.org"], reply_to=["re@example.org"],
        headers={"X-Kind": "test"},
    )  # fmt: skip
    message.attach_alternative("<p>Text</p>", "text/html")
    assert message.send() == 1
    assert mailoutbox == []  # nobody has sent anything yet
    ((_task, (fields,), _in),) = handed
    tasks.send_mail(fields)
    (sent,) = mailoutbox
    mine, theirs = message.message(), sent.message()
    for each in (mine, theirs):
        del each["Message-ID"], each["Date"]
    assert [part.get_payload() for part in theirs.walk() if not part.is_multipart()] == [
        part.get_payload() for part in mine.walk() if not part.is_multipart()
    ]
    assert dict(theirs.items()).keys() == dict(mine.items()).keys()
    assert (sent.subject, sent.to, sent.reply_to) == (
        message.subject,
        message.to,
        ["re@example.org"],
    )


def test_mail_is_sent_by_a_worker_that_does_not_know_the_time_yet(
    handed: list[Handed], mailoutbox: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database was away when it began. A mail needs none, and stands nowhere else: a task that
    fails is gone."""

    def away() -> None:
        raise OperationalError("no connection")

    monkeypatch.setattr(processes, "clock_settle", away)
    send_mail("a", "b", None, ["you@example.org"])
    ((_task, (fields,), _in),) = handed
    tasks.send_mail(fields)
    assert len(mailoutbox) == 1


def test_a_broker_that_is_away_is_told_as_mail_that_cannot_be_sent(
    handed: list[Handed], workers: Workers
) -> None:
    workers.fault = RedisConnectionError()
    with pytest.raises(NotQueued, match="broker is away"):
        send_mail("a", "b", None, ["you@example.org"])
    assert send_mail("a", "b", None, ["you@example.org"], fail_silently=True) == 0


class Broken:
    """A transport on which every mail fails in one way."""

    error: Exception = OSError()

    def __init__(self, **_options: Any) -> None:
        pass

    def send_messages(self, _messages: Any) -> None:
        raise Broken.error


@pytest.mark.parametrize(
    ("error", "tries", "again"),
    [
        (OSError(), 0, 1),
        (TimeoutError(), 3, 8),
        (SMTPDataError(451, b"later"), 30, tasks.LONGEST_PAUSE_S),
        (SMTPDataError(554, b"never"), 0, None),
        (SMTPRecipientsRefused({"a": (550, b"who?")}), 0, None),
        (SMTPRecipientsRefused({"a": (450, b"busy")}), 0, 1),
        (OSError(), tasks.TRIES - 1, None),
    ],
)
def test_mail_that_could_not_be_sent_is_tried_again_for_a_while(
    error: Exception, tries: int, again: int | None, handed: list[Handed], settings: Any
) -> None:
    settings.GAUNTLET_EMAIL_TRANSPORT = f"{__name__}.Broken"
    Broken.error = error
    fields = mailing.packed(EmailMessage("a", "b", "us@example.org", ["you@example.org"]))
    tasks.send_mail(fields, tries)
    assert handed == ([] if again is None else [(SEND_MAIL, (fields, tries + 1), again)])
    # No longer in a worker's hands than the broker believes that it lives.
    longest = tasks.LONGEST_PAUSE_S + configured.GAUNTLET_EMAIL_TOTAL_SECONDS
    assert configured.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"] > longest


def test_a_slow_mail_server_has_a_few_threads_of_a_worker_and_no_more(
    handed: list[Handed], settings: Any
) -> None:
    settings.GAUNTLET_MAIL_SENDERS = 0
    fields = mailing.packed(EmailMessage("a", "b", "us@example.org", ["you@example.org"]))
    tasks.send_mail(fields, 5)
    assert handed == [(SEND_MAIL, (fields, 5), tasks.BUSY_PAUSE_S)]
    from config.settings import base

    assert base.GAUNTLET_MAIL_SENDERS < base.CELERY_WORKER_CONCURRENCY


def test_deadlines_have_a_queue_to_themselves() -> None:
    routes = configured.CELERY_TASK_ROUTES
    assert {name for name, route in routes.items() if route["queue"] == "deadlines"} == {
        "games.tasks.wake", "games.tasks.sweep",
    }  # fmt: skip
    assert configured.CELERY_TASK_DEFAULT_QUEUE != "deadlines"


def test_bots_have_a_queue_to_themselves() -> None:
    """However long they think, nothing else waits behind them."""
    routes = configured.CELERY_TASK_ROUTES
    assert {name for name, route in routes.items() if route["queue"] == "bots"} == {
        "games.bots.move", "games.bots.advise", "games.bots.puzzles", "games.bots.study",
    }  # fmt: skip
    assert configured.CELERY_TASK_DEFAULT_QUEUE != "bots"


@pytest.mark.parametrize("module", ["dev", "production"])
def test_no_request_and_no_deadline_speaks_to_the_mail_server(module: str) -> None:
    source = (ROOT / "config" / "settings" / f"{module}.py").read_text()
    assert 'EMAIL_BACKEND = "core.mailing.Queued"' in source


# -- whether the site enforces deadlines ---------------------------------------------------------


@pytest.mark.django_db
def test_readiness_says_when_no_sweep_was_completed_lately(client: Client, settings: Any) -> None:
    from datetime import timedelta

    from django.utils import timezone

    def asked() -> tuple[int, Any]:
        answer = client.get("/readyz")
        return answer.status_code, answer.json()

    status, parts = asked()
    assert (status, parts["deadlines"], parts["last_sweep"]) == (503, False, None)
    assert (parts["workers"], parts["swept_by"]) == (False, None)
    JobDone.objects.create(task=health.SWEEP, at=timezone.now())
    status, parts = asked()
    assert status == 200, parts
    assert (parts["workers"], parts["swept_by"]) == (True, "worker")
    assert (parts["processes"], parts["silent"], parts["skew_ms"]) == (0, 0, None)
    assert (parts["database"], parts["redis"], parts["deadlines"]) == (True, True, True)
    assert parts["set_aside"] == 0
    late = timedelta(milliseconds=settings.GAUNTLET_SWEEP_LATE_MS + 100)
    JobDone.objects.update(at=timezone.now() - late)
    status, parts = asked()
    assert (status, parts["deadlines"]) == (503, False)
    assert parts["last_sweep"] >= 5
    # A web process does it: deadlines are enforced, and still somebody is to be woken.
    JobDone.objects.create(task=WEB_SWEEP, at=timezone.now())
    status, parts = asked()
    assert (status, parts["deadlines"], parts["workers"]) == (503, True, False)
    assert parts["swept_by"] == "web"
    # Whether this process lives is another question.
    assert client.get("/healthz").status_code == 200
