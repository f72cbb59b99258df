"""What workers do for everybody: send mail."""

from __future__ import annotations

from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException
from typing import Final

import structlog
from celery import shared_task
from django.conf import settings
from django.core.mail import get_connection

from core import metrics
from core.mailing import SEND_MAIL, Fields, unpacked
from core.queueing import enqueue
from core.senders import Senders

log = structlog.get_logger("gauntlet.mail")

# A mail that could not be sent is tried again for about half an hour. The pauses are short: what
# waits longer in a worker's hands than the broker's visibility timeout would be handed out twice.
TRIES = 80
LONGEST_PAUSE_S = 25
# While as many mails as may be are on their way.
BUSY_PAUSE_S = 2

_MAILS: Final = metrics.counter("mails", "Mails: sent, put off, given up.", ("outcome",))

SENDERS: Final = Senders("GAUNTLET_MAIL_SENDERS")


@shared_task(name=SEND_MAIL)
def send_mail(fields: Fields, tries: int = 0) -> None:
    """Send one mail. A few at a time: a mail server that says nothing keeps no other task from the
    worker's threads."""
    with SENDERS.one() as free:
        if not free:
            enqueue(SEND_MAIL, fields, tries, countdown=BUSY_PAUSE_S)
            return
        try:
            get_connection(settings.GAUNTLET_EMAIL_TRANSPORT).send_messages([unpacked(fields)])
        except (SMTPException, OSError) as error:
            _retry_or_give_up(fields, tries, error)
        else:
            _MAILS.labels("sent").inc()


def _retry_or_give_up(fields: Fields, tries: int, error: Exception) -> None:
    what = type(error).__name__
    if tries + 1 >= TRIES or is_final(error):
        _MAILS.labels("given up").inc()
        log.error("mail.given-up", error=what, tries=tries + 1)
        return
    _MAILS.labels("put off").inc()
    log.warning("mail.not-sent", error=what, tries=tries + 1)
    pause = min(2 ** min(tries, 10), LONGEST_PAUSE_S)
    enqueue(SEND_MAIL, fields, tries + 1, countdown=pause)


def is_final(error: Exception) -> bool:
    """Whether the mail server has said that it will never take this mail."""
    if isinstance(error, SMTPRecipientsRefused):
        return all(code >= 500 for code, _words in error.recipients.values())
    return isinstance(error, SMTPResponseException) and error.smtp_code >= 500
