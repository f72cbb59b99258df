"""Errors are reported where the settings say so, and nothing that is somebody's goes with them."""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import structlog
from django.test import Client
from structlog.contextvars import bound_contextvars

from config import health, reports
from config.reporting import WAITING_AT_MOST
from script.lib.console import ROOT
from tests.infra.test_outward import answering, dripping, silent
from tests.support.site import wait_for

log = structlog.get_logger("gauntlet.tested")
SECRET = "correct-horse-battery"


class Taken(ThreadingHTTPServer):
    """A server that takes reports; `bodies` are what came, whole, and `answers` what it says."""

    daemon_threads = True

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.paths: list[str] = []
        self.answers = 200
        super().__init__(("127.0.0.1", 0), Taking)

    @property
    def dsn(self) -> str:
        return f"http://abc123@127.0.0.1:{self.server_port}/7"

    def wait(self, count: int = 1) -> list[dict[str, Any]]:
        """So many reports, as events."""
        wait_for(lambda: len(self.bodies) >= count, what="a report")
        return [json.loads(body.splitlines()[2]) for body in self.bodies]

    @property
    def everything(self) -> str:
        return b"\n".join(self.bodies).decode()


class Taking(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Taken)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server.paths.append(self.path)
        server.bodies.append(body)
        self.send_response(server.answers)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing."""


@pytest.fixture
def taken() -> Iterator[Taken]:
    server = Taken()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def reporting(settings: Any) -> Iterator[Callable[[str], reports.Reports]]:
    """Has errors of this process reported to an address for as long as the test takes."""
    begun: list[reports.Reports] = []

    def begin(dsn: str) -> reports.Reports:
        settings.GAUNTLET_SENTRY_DSN = dsn
        made = reports.install()
        assert made is not None
        begun.append(made)
        return made

    yield begin
    for each in begun:
        logging.getLogger().removeHandler(each)


def fail(argument: str) -> None:
    local = argument
    try:
        raise KeyError(f"no {local} here")  # noqa: TRY301
    except KeyError as error:
        raise ValueError(f"broken by {argument}") from error


def test_an_error_is_reported_by_its_code_its_kind_and_its_place(
    taken: Taken, reporting: Callable[[str], reports.Reports]
) -> None:
    reporting(taken.dsn)
    with bound_contextvars(request="request-1", match=7, task="games.tasks.wake", text=SECRET):
        log.info("nothing.wrong")
        try:
            fail(SECRET)
        except ValueError as error:
            log.error("job.set-aside", job="matches.wake", text=SECRET, exc_info=error)  # noqa: TRY400
    (event,) = taken.wait()
    assert taken.paths == ["/api/7/envelope/"]
    assert event["message"] == "job.set-aside"
    assert (event["level"], event["logger"]) == ("error", "gauntlet.tested")
    assert event["tags"] == {
        "request": "request-1", "match": "7", "task": "games.tasks.wake", "job": "matches.wake",
    }  # fmt: skip
    first, second = event["exception"]["values"]
    assert (first["type"], second["type"]) == ("KeyError", "ValueError")
    places = [frame["function"] for frame in second["stacktrace"]["frames"]]
    assert places[-1] == "fail"
    assert SECRET not in taken.everything
    assert event["environment"] == "production"


@pytest.mark.django_db
def test_nothing_of_a_request_goes_with_a_report(
    taken: Taken, reporting: Callable[[str], reports.Reports], monkeypatch: pytest.MonkeyPatch
) -> None:
    reporting(taken.dsn)

    def broken() -> dict[str, bool]:
        secret_in_a_variable = SECRET
        raise RuntimeError(secret_in_a_variable)

    monkeypatch.setattr(health, "_parts", broken)
    client = Client(raise_request_exception=False, headers={"authorization": f"Bearer {SECRET}"})
    client.cookies["sessionid"] = SECRET
    for path in (f"/healthz?token={SECRET}", f"/readyz?text={SECRET}"):
        assert client.get(path, headers={"user-agent": SECRET}).status_code == 500
    address = f"/accounts/password/reset/key/3-{SECRET}/"
    logging.getLogger("django.request").error("Internal Server Error: %s", address)
    logging.getLogger("somebody").error(f"a library that says {SECRET}")  # noqa: G004
    log.error("mail.given-up", reason=f"/accounts/confirm-email/{SECRET}/")
    events = taken.wait(5)
    assert SECRET not in taken.everything
    assert {event["message"].split(",")[0] for event in events} >= {"mail.given-up"}
    kinds = [v["type"] for e in events for v in e.get("exception", {"values": []})["values"]]
    assert kinds.count("RuntimeError") == 2
    assert not any({"request", "user", "breadcrumbs"} & event.keys() for event in events)
    assert {event.get("server_name") for event in events} == {"gauntlet"}


@pytest.mark.parametrize("behave", [silent, dripping])
def test_a_server_that_never_answers_is_not_waited_for(
    behave: Any, reporting: Callable[[str], reports.Reports], settings: Any
) -> None:
    settings.GAUNTLET_WEBHOOK_STAGE_SECONDS = 0.5
    settings.GAUNTLET_WEBHOOK_TOTAL_SECONDS = 1.0
    said: list[str] = []
    kept = logging.getLogger("gauntlet.reports")

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(str(record.msg))

    kept.addHandler(handler := Kept())
    try:
        with answering(behave) as port:
            reporting(f"http://abc123@127.0.0.1:{port}/7")
            for _ in range(3 * WAITING_AT_MOST):  # more than may wait
                log.error("broken")
            wait_for(lambda: any("report.not-taken" in line for line in said), what="it to end")
    finally:
        kept.removeHandler(handler)


def test_one_that_takes_nothing_is_left_alone_for_a_while(
    taken: Taken, reporting: Callable[[str], reports.Reports]
) -> None:
    taken.answers = 429
    reporting(taken.dsn)
    for _ in range(5):
        log.error("broken")
        time.sleep(0.01)
    taken.wait()
    client = logging.getLogger().handlers[-1].capture.__self__  # type: ignore[attr-defined]
    client.transport.flush(30)
    assert len(taken.bodies) == 1


CODE = """
import django
django.setup()
import structlog
structlog.get_logger("gauntlet.tested").error("job.set-aside", key="9", text="SECRET")
"""


def run(
    dsn: str, code: str = CODE, *, timeout: float | None = None
) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "GAUNTLET_SENTRY_DSN": dsn,
        "GAUNTLET_SENTRY_ENVIRONMENT": "tested",
        "GAUNTLET_RELEASE": "r1",
    }
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True,
        check=False, timeout=timeout,
    )  # fmt: skip


def test_every_process_reports_and_gives_what_waits_when_it_ends(taken: Taken) -> None:
    done = run(taken.dsn)
    assert done.returncode == 0, done.stderr
    (event,) = taken.wait()
    assert (event["message"], event["environment"], event["release"]) == (
        "job.set-aside", "tested", "r1",
    )  # fmt: skip
    assert "SECRET" not in taken.everything


def test_a_process_ends_whoever_does_not_take_its_report() -> None:
    """It gives it two seconds, though a request has ten minutes."""
    patient = """
from django.conf import settings
settings.GAUNTLET_WEBHOOK_STAGE_SECONDS = settings.GAUNTLET_WEBHOOK_TOTAL_SECONDS = 600.0
import structlog
"""
    code = CODE.replace("\nimport structlog\n", patient)
    came = threading.Event()

    def taking(connection: socket.socket) -> None:
        came.set()
        silent(connection)

    with answering(taking) as port:
        done = run(f"http://abc123@127.0.0.1:{port}/7", code, timeout=120)
    assert came.is_set()
    assert done.returncode == 0, done.stderr


UNTOUCHED = """
import django
django.setup()
import http.client, logging, subprocess, sys, threading
from django.conf import settings
from django.core.handlers.base import BaseHandler
from config.reporting import client_for

def all_of_it():
    return (
        sys.excepthook, threading.excepthook, threading.Thread.start, threading.Thread.run,
        subprocess.Popen.__init__, http.client.HTTPConnection.putrequest,
        logging.Logger.callHandlers, BaseHandler.get_response, BaseHandler.make_view_atomic,
    )

before = all_of_it()
client = client_for(settings.GAUNTLET_SENTRY_DSN)
assert client.integrations == {}, client.integrations
assert all_of_it() == before
"""


def test_nothing_else_of_a_process_is_touched(taken: Taken) -> None:
    """The library would hang itself into half of Python, and into every library that it knows."""
    done = run(taken.dsn, UNTOUCHED)
    assert done.returncode == 0, done.stderr
    assert taken.bodies == []


@pytest.mark.parametrize("dsn", ["nonsense", "http://127.0.0.1/7", "ftp://abc@127.0.0.1/7"])
def test_an_address_that_is_none_stops_the_start(dsn: str) -> None:
    done = run(dsn)
    assert done.returncode != 0
    assert "GAUNTLET_SENTRY_DSN is no address" in done.stderr


def test_what_is_needed_for_it_is_needed_only_then(settings: Any) -> None:
    without = "import sys; sys.modules['sentry_sdk'] = None\n"
    assert run("", without + CODE).returncode == 0
    done = run("http://abc@127.0.0.1/7", without + CODE)
    assert "requirements-sentry.txt" in done.stderr
    assert done.returncode != 0
    settings.GAUNTLET_SENTRY_DSN = ""
    assert reports.install() is None
