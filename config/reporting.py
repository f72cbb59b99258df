"""How reports of errors leave: `sentry-sdk` puts them into envelopes, and they go the way of
webhooks, which has limits of time. Imported only where there is somebody to report to.

Nobody waits for it. Reports wait in a short queue for one thread; what does not fit is dropped.
"""

from __future__ import annotations

import queue
import socket
import threading
import time
from typing import Any, Final

import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from sentry_sdk import Client
from sentry_sdk.consts import EndpointType
from sentry_sdk.envelope import Envelope
from sentry_sdk.transport import Transport
from sentry_sdk.utils import BadDsn

from tournaments.webhooks import wire
from tournaments.webhooks.destinations import Destination

log = structlog.get_logger("gauntlet.reports")

WAITING_AT_MOST: Final = 50
# Seconds that a server is left alone which has not taken a report.
REST: Final = 30.0


class Outgoing(Transport):
    """Sends by one thread, which is begun by the first report."""

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        super().__init__(options)
        self.waiting: queue.Queue[bytes] = queue.Queue(WAITING_AT_MOST)
        self.thread: threading.Thread | None = None
        self.rests_until = float("-inf")
        self.lock = threading.Lock()

    def capture_envelope(self, envelope: Envelope) -> None:
        try:
            self.waiting.put_nowait(envelope.serialize())
        except queue.Full:
            return
        with self.lock:
            if self.thread is None:
                self.thread = threading.Thread(
                    target=self._send_on, name="gauntlet-reports", daemon=True
                )
                self.thread.start()

    def flush(self, timeout: float, callback: Any = None) -> None:
        until = time.monotonic() + timeout
        while self.waiting.unfinished_tasks and time.monotonic() < until:
            time.sleep(0.02)

    def _send_on(self) -> None:
        while True:
            report = self.waiting.get()
            try:
                if time.monotonic() >= self.rests_until:
                    self._send(report)
            finally:
                self.waiting.task_done()

    def _send(self, report: bytes) -> None:
        dsn = self.parsed_dsn
        if dsn is None:
            return
        auth = dsn.to_auth("gauntlet")
        target = auth.get_api_url(EndpointType.ENVELOPE).partition(dsn.netloc)[2]
        headers = {
            "Content-Type": "application/x-sentry-envelope",
            "X-Sentry-Auth": auth.to_header(),
        }
        try:
            found = socket.getaddrinfo(dsn.host, dsn.port, type=socket.SOCK_STREAM)
        except OSError as error:
            fault, status = type(error).__name__, None
        else:
            addresses = tuple(str(address[0]) for *_kind, address in found)
            place = Destination(dsn.scheme, dsn.host, dsn.port, target, addresses)
            answer = wire.post(place, headers=headers, content=report)
            if answer.taken:
                return
            fault, status = answer.fault, answer.status
        # No error, which would be reported.
        log.warning("report.not-taken", status=status, fault=fault)
        self.rests_until = time.monotonic() + REST


def client_for(dsn: str) -> Client:
    """A client for these reports alone, which gathers nothing by itself.

    Raises ImproperlyConfigured for what is no address of that kind.
    """
    try:
        return Client(
            dsn=dsn,
            transport=Outgoing,
            release=settings.RELEASE if settings.RELEASE_IS_NAMED else None,
            environment=settings.GAUNTLET_SENTRY_ENVIRONMENT,
            # Nothing is gathered but what is handed over.
            default_integrations=False,
            auto_enabling_integrations=False,
            auto_session_tracking=False,
            send_client_reports=False,
            include_local_variables=False,
            include_source_context=False,
            max_request_body_size="never",
            max_breadcrumbs=0,
            server_name="gauntlet",
        )
    except BadDsn as error:
        raise ImproperlyConfigured("GAUNTLET_SENTRY_DSN is no address of that kind.") from error
