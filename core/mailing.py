"""Mail leaves the site from a worker, and within limits of time.

`Queued` is the site's mail backend: whoever sends mail, a request, a deadline or a library, hands
it to the queue and goes on. The task in `core.jobs.tasks` passes it to the transport of the
settings, in production `Smtp`, which is done, well or not, after so many seconds.
"""

from __future__ import annotations

import contextlib
import smtplib
import socket
import threading
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.smtp import EmailBackend

from core.queueing import enqueue

Fields = dict[str, Any]
SEND_MAIL = "core.jobs.tasks.send_mail"
_FIELDS = ("subject", "body", "from_email", "to", "cc", "bcc", "reply_to", "extra_headers")


class NotQueued(OSError):
    """The broker is away: mail could not be handed on."""


def packed(message: EmailMessage) -> Fields:
    """A message as plain values. Raises ValueError for one with attachments: nobody sends any."""
    if message.attachments:
        raise ValueError("mail with attachments cannot be queued")
    fields: Fields = {name: getattr(message, name) for name in _FIELDS}
    fields["subtype"] = message.content_subtype
    alternatives = getattr(message, "alternatives", ())
    fields["alternatives"] = [[str(part[0]), str(part[1])] for part in alternatives]
    return {name: str(value) if name in {"subject", "body"} else value
            for name, value in fields.items()}  # fmt: skip


def unpacked(fields: Fields) -> EmailMessage:
    """The message that `packed` made these of."""
    given = {name: fields[name] for name in _FIELDS if name != "extra_headers"}
    message = EmailMultiAlternatives(**given, headers=fields["extra_headers"])
    message.content_subtype = fields["subtype"]
    for content, mimetype in fields["alternatives"]:
        message.attach_alternative(content, mimetype)
    return message


class Queued(BaseEmailBackend):
    """Hands mail to the workers. Raises NotQueued (an OSError) where it cannot."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        sent = 0
        for message in email_messages:
            if not message.recipients():
                continue
            if enqueue(SEND_MAIL, packed(message)):
                sent += 1
            elif not self.fail_silently:
                raise NotQueued("The broker is away.")
        return sent


class Smtp(EmailBackend):
    """SMTP. `EMAIL_TIMEOUT` bounds connecting and each wait; all of it together is cut off after
    `GAUNTLET_EMAIL_TOTAL_SECONDS`, however busily the other side keeps dripping."""

    opened: socket.socket | None = None

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        kind: type[smtplib.SMTP] = super().connection_class
        backend = self

        class WatchedConnection(kind):  # type: ignore[valid-type,misc]
            def _get_socket(self, *args: Any) -> socket.socket:
                # The greeting is waited for before anybody has the connection in hand.
                backend.opened = super()._get_socket(*args)
                return backend.opened

        return WatchedConnection

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        timer = threading.Timer(settings.GAUNTLET_EMAIL_TOTAL_SECONDS, self._cut_off)
        timer.daemon = True
        timer.start()
        try:
            return super().send_messages(email_messages) or 0
        finally:
            timer.cancel()

    def _cut_off(self) -> None:
        used = getattr(self.connection, "sock", None) or self.opened
        if used is not None:
            with contextlib.suppress(OSError):
                used.shutdown(socket.SHUT_RDWR)
