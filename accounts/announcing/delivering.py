"""What leaves the site of an announcement: mail and pushes at once, and the digest of a day.
(Of Discord the module of that name.)

That something is to be sent stands in a row, written with the announcement; a worker that was
killed or a broker that was away costs the time until the sweep. A mail may in the worst case go out
twice, and is never lost. A push is tried for as long as it is worth something; on the device it
takes its own place where it comes twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Min
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.addresses import confirmed_addresses
from accounts.announcing import discord, kinds, push
from accounts.announcing.devices import device_note
from accounts.announcing.kinds import Urgency, Way
from accounts.announcing.push import Result
from accounts.announcing.stopping import stop_address
from accounts.announcing.taking import (
    LEFT_ALONE,
    SWEPT_EVERY_S,
    Outcome,
    PutOff,
    delivery_attempt,
    delivery_take,
    in_nobodys_hands,
)
from accounts.jobs import DISCORD, PUSH
from accounts.models import Announcement, AnnouncementDelivery, PushSubscription, User
from core.clock import now_utc
from core.jobs import guard
from core.jobs.pruning import rows_prune
from core.queueing import enqueue
from core.senders import Senders

DELIVERED: Final = "announcements.deliver"
PUSHED: Final = "announcements.push"
DIGESTED: Final = "announcements.digest"
#: When in a reader's day a digest comes, by the clock of their zone; and how long its oldest part
#: may have waited, should that hour have been missed.
DIGEST_HOUR: Final = 8
DIGEST_WAITS: Final = timedelta(hours=25)
KEPT_FOR: Final = timedelta(days=180)
# For so long one worker sends to devices.
PUSH_TAKES: Final = timedelta(seconds=60)
TEST_WORTH_S: Final = 60
PUSH_SENDERS: Final = Senders("GAUNTLET_PUSH_SENDERS")
# How many of what workers wait for the sweep finds for each sender: more could not be sent until it
# comes again.
FOUND_A_SWEEP: Final = 50
_PRUNED_AT_ONCE: Final = 1_000


@transaction.atomic
def delivery_send(*, delivery_id: int) -> bool:
    """Send one announcement, unless that is done or somebody is at it; whether it is done now.

    Raises OSError or SMTPException where mail cannot be handed on; it may then be called again.
    """
    own = AnnouncementDelivery.objects
    locked = own.select_for_update(skip_locked=True, no_key=True, of=("self",))
    waiting = locked.filter(outcome=Outcome.WAITING, in_digest=False, way=Way.MAIL)
    row = waiting.select_related("announcement__user").filter(pk=delivery_id).first()
    if row is None:
        return False
    announcement = row.announcement
    body = render_to_string(
        "accounts/mail/announcement.txt",
        {
            "reader": announcement.user,
            "told": _linked(announcement),
            **_footer([row]),
        },
    )
    _mail([row], announcement.user, announcement.subject, body)
    return True


def deliveries_sweep() -> None:
    """Send what no worker has sent."""
    waiting = AnnouncementDelivery.objects.filter(outcome=Outcome.WAITING, in_digest=False)
    old = waiting.filter(at__lt=now_utc() - LEFT_ALONE)
    left = old.filter(guard.may_try(DELIVERED), way=Way.MAIL)
    guard.each(
        DELIVERED,
        left.order_by("at").values_list("pk", flat=True)[: settings.GAUNTLET_SWEEP_AT_MOST],
        lambda pk: delivery_send(delivery_id=pk),
        target="accounts.announcementdelivery",
    )
    # Others may be slow: workers wait for them, each for its own, and not the sweep.
    for way, job, task, senders in (
        (Way.PUSH, PUSHED, PUSH, PUSH_SENDERS),
        (Way.DISCORD, discord.WRITTEN, DISCORD, discord.SENDERS),
    ):
        free = old.filter(guard.may_try(job), in_nobodys_hands(), way=way).order_by("at")
        for pk in free.values_list("pk", flat=True)[: FOUND_A_SWEEP * senders.most]:
            enqueue(task, pk, expires=SWEPT_EVERY_S)


def digests_send() -> None:
    """Send their digest to those for whom it is time."""
    waiting = AnnouncementDelivery.objects.filter(outcome=Outcome.WAITING, in_digest=True)
    oldest = waiting.values("announcement__user").annotate(since=Min("at"))
    now = now_utc()
    since = {row["announcement__user"]: row["since"] for row in oldest}
    readers = User.objects.filter(pk__in=since).filter(guard.may_try(DIGESTED))
    due = [user.pk for user in readers if is_time_for_digest(user, since[user.pk], now)]
    guard.each(DIGESTED, due, lambda pk: digest_send(user_id=pk), target="accounts.user")


def is_time_for_digest(user: User, since: datetime, now: datetime) -> bool:
    """Whether it is the hour of digests where somebody is, or was while nobody looked."""
    here = now.astimezone(user.zone)
    return here.hour == DIGEST_HOUR or now - since > DIGEST_WAITS


@transaction.atomic
def digest_send(*, user_id: int) -> bool:
    """Send somebody all that waits for their digest, in one mail; whether anything did.

    Raises OSError or SMTPException where mail cannot be handed on; it may then be called again.
    """
    locked = AnnouncementDelivery.objects.select_for_update(no_key=True, of=("self",))
    waiting = locked.filter(outcome=Outcome.WAITING, in_digest=True, announcement__user=user_id)
    rows = list(waiting.select_related("announcement__user").order_by("at", "pk"))
    if not rows:
        return False
    reader = rows[0].announcement.user
    count = len(rows)
    body = render_to_string(
        "accounts/mail/digest.txt",
        {
            "reader": reader,
            "told": [_linked(row.announcement) for row in rows],
            **_footer(rows),
        },
    )
    subject = rows[0].announcement.subject if count == 1 else f"{count} announcements"
    _mail(rows, reader, subject, body)
    return True


def announcements_prune() -> int:
    """Forget what was announced long ago; returns how much."""
    waiting = AnnouncementDelivery.objects.filter(outcome=Outcome.WAITING)
    old = Announcement.objects.filter(at__lt=now_utc() - KEPT_FOR)
    old = old.exclude(pk__in=waiting.values("announcement"))
    return rows_prune(old, at_once=_PRUNED_AT_ONCE)


# -- pushes --------------------------------------------------------------------------------------


def push_attempt(*, delivery_id: int) -> None:
    """Do `push_send`, and set aside what a push service does not take."""
    delivery_attempt(
        lambda pk: push_send(delivery_id=pk),
        delivery_id=delivery_id, senders=PUSH_SENDERS, job=PUSHED, task=PUSH,
    )  # fmt: skip


def push_send(*, delivery_id: int) -> bool:
    """Send one announcement to the devices of its reader, unless that is done or somebody is at it;
    whether it is done now.

    Nobody waits for a push service with a transaction open: which devices have it is noted at the
    end, and one that is sent it twice shows it once. Raises PutOff where a device is to be tried
    again.
    """
    row = delivery_take(delivery_id=delivery_id, way=Way.PUSH)
    return row is not None and _push(row)


def push_test_send(*, device_id: int) -> Result | None:
    """Send a test to one device; None where it is gone meanwhile."""
    device = PushSubscription.objects.select_related("user").filter(pk=device_id).first()
    if device is None or not push.is_offered() or not device.user.is_active:
        return None
    content = push.payload(
        subject="A test from Gauntlet",
        words="Announcements reach this device.",
        # Not the page that asks for it: of what is in view nothing is shown.
        path=reverse("accounts:announcements"),
        tag="test",
        kind="test",
    )
    result = push.send(device, content, urgency=Urgency.NOW, topic="test", ttl_s=TEST_WORTH_S)
    device_note(device_id=device.pk, result=result)
    return result


def _push(row: AnnouncementDelivery) -> bool:
    announcement = row.announcement
    kind = kinds.known().get(announcement.kind)
    urgency = Urgency.SOON if kind is None else kind.urgency
    wanted = push.is_offered() and announcement.user.is_active
    devices = PushSubscription.objects.filter(user=announcement.user).exclude(pk__in=row.reached)
    reached, put_off = list(row.reached), False
    content = push.payload_of(announcement) if wanted else b""
    worth_until = row.at + timedelta(seconds=push.worth_s(kind))
    until = now_utc() + PUSH_TAKES
    for device in devices if wanted else ():
        result = Result.PUT_OFF
        if now_utc() < until:
            topic = push.topic_of(announcement)
            left_s = max(0, int((worth_until - now_utc()).total_seconds()))
            result = push.send(device, content, urgency=urgency, topic=topic, ttl_s=left_s)
            device_note(device_id=device.pk, result=result)
        put_off = put_off or result is Result.PUT_OFF
        if result is Result.TAKEN:
            reached.append(device.pk)
    own = AnnouncementDelivery.objects.filter(pk=row.pk, outcome=Outcome.WAITING)
    if put_off and now_utc() < worth_until:
        own.update(reached=reached, taken_at=None)
        raise PutOff
    outcome = Outcome.SENT if reached else Outcome.UNREACHED
    own.update(reached=reached, outcome=outcome, settled_at=now_utc())
    return True


# -- what mail says ------------------------------------------------------------------------------


def _mail(rows: Sequence[AnnouncementDelivery], reader: User, subject: str, body: str) -> None:
    address = confirmed_addresses([reader]).get(reader.pk) if reader.is_active else None
    if address is not None:
        footer = _footer(rows)
        EmailMessage(
            f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}",
            body,
            settings.DEFAULT_FROM_EMAIL,
            [address],
            headers={
                # The first is asked by mail programs (RFC 8058), the second by people.
                "List-Unsubscribe": f"<{footer['stop']}>, <{footer['choose']}>",
                "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            },
        ).send()
    AnnouncementDelivery.objects.filter(pk__in=[row.pk for row in rows]).update(
        outcome=Outcome.UNREACHED if address is None else Outcome.SENT, settled_at=now_utc()
    )


def _linked(announcement: Announcement) -> dict[str, str]:
    return {
        "subject": announcement.subject,
        "words": announcement.words,
        "url": f"{settings.GAUNTLET_ORIGIN}{announcement.path}",
    }


def _footer(rows: Sequence[AnnouncementDelivery]) -> dict[str, Any]:
    """Where its reader chooses what they are told, and where mail of these kinds ends."""
    reader = rows[0].announcement.user
    return {
        "choose": f"{settings.GAUNTLET_ORIGIN}{reverse('accounts:announcement_choices')}",
        "stop": stop_address(reader, [row.announcement.kind for row in rows]),
    }
