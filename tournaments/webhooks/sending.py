"""Sending deliveries: in order for each webhook, again after a failure, for three days.

A worker takes a webhook for itself (`busy_until`), sends what is due, oldest first, and gives it
back. Nothing is locked in the database while a receiver is waited for; a worker that dies leaves a
time after which another one goes on, with the same ids.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from accounts.services import audit_record
from core import chance, metrics
from core.clock import now_utc
from core.queueing import enqueue
from core.refusals import Refusal
from core.sealing import Unreadable
from games.engine.chance import RandomSource
from tournaments.jobs import WEBHOOK_DISABLED
from tournaments.lifecycle import Visibility
from tournaments.webhooks import discord, payloads, signing, wire
from tournaments.webhooks.composing import message_compose
from tournaments.webhooks.destinations import NOT_LOOKED_UP, destination_of
from tournaments.webhooks.following import following_refresh
from tournaments.webhooks.kinds import CLOCK, TEST
from tournaments.webhooks.models import Delivery, Webhook
from tournaments.webhooks.wire import Answer

log = structlog.get_logger("gauntlet.webhooks")

# After the first failures the later deliveries wait, so that they arrive in order; then they pass.
HOLDING_ATTEMPTS = 4
FIRST_WAIT = timedelta(seconds=5)
WAIT_FACTOR = 3
LONGEST_WAIT = timedelta(hours=6)
JITTER = 0.2
# A webhook that has failed for as long as anything is retried, and this often, is given up.
FAILURES_TO_DISABLE = 10
MOMENT = timedelta(minutes=10)
# What receivers that ask for a rest are given at most.
LONGEST_REST = timedelta(hours=1)
# One worker sends this many, or for this long, before others have their turn.
AT_ONCE = 20
RUN_SECONDS = 20.0
USER_AGENT = "Gauntlet-Webhooks/1"
# Answers that say that the address is gone for good.
_GONE = {Webhook.Flavour.JSON: {410}, Webhook.Flavour.DISCORD: {404, 410}}

_LAG: Final = metrics.histogram(
    "webhook_lag_seconds",
    "From what happened to when a receiver had taken it.",
    buckets=metrics.SLOW,
)
_ATTEMPTS: Final = metrics.counter(
    "webhook_attempts", "Attempts to deliver, by what came of them.", ("outcome",)
)

# A receiver that answered within this the last time counts as quick.
QUICK_MS = 1000


class Wait(NamedTuple):
    """What a worker's thread waits for: ``receiver`` (host and port) of a webhook in a season of
    the account ``owner``; whether it is ``quick``, None where nobody knows yet."""

    owner: int
    receiver: str
    quick: bool | None


# One for each thread.
_waiting: list[Wait] = []
_one_at_a_time = threading.Lock()


class Request(NamedTuple):
    """What is sent: the delivery's stored body with its headers, and a picture for Discord."""

    headers: dict[str, str]
    body: bytes
    png: bytes | None


# -- a webhook's turn ----------------------------------------------------------------------------


def webhooks_due(*conditions: Combinable, at: datetime, at_most: int = 200) -> list[int]:
    """The webhooks that have something to send now and that nobody is sending for, those with slow
    receivers last, behind those that nobody knows yet; of those, the ones of which the conditions
    hold."""
    due = Delivery.objects.pending().filter(webhook=OuterRef("pk"), next_at__lte=at)
    free = Q(busy_until__isnull=True) | Q(busy_until__lte=at)
    rested = Q(not_before__isnull=True) | Q(not_before__lte=at)
    found = Webhook.objects.filter(Exists(due)).filter(free).filter(rested)
    found = found.filter(*conditions)
    slow = Coalesce(F("latency_ms"), QUICK_MS - 1)
    return list(found.order_by(slow, "pk").values_list("pk", flat=True)[:at_most])


def webhook_drain(
    *,
    webhook_id: int,
    now: Callable[[], datetime] = now_utc,
    random: RandomSource = chance.system,
) -> int:
    """Send what is due of a webhook; returns how many attempts were made. ``random`` spreads when
    those that failed are made again.

    Does nothing while another worker is at it, or while this process waits for as many receivers as
    `_may_wait` allows: the sweep comes back.
    """
    webhook = Webhook.objects.select_related("season").filter(pk=webhook_id).first()
    if webhook is None:
        return 0
    quick = None if webhook.latency_ms is None else webhook.latency_ms < QUICK_MS
    with _thread_for(
        Wait(webhook.season.created_by_id, urlsplit(webhook.url).netloc, quick)
    ) as free:
        if not free:
            return 0
        with _claim(webhook_id, now) as taken:
            return _drain(webhook_id, now, random) if taken else 0


@contextmanager
def _thread_for(wait: Wait) -> Iterator[bool]:
    """Whether this thread may wait so."""
    with _one_at_a_time:
        free = _may_wait(wait)
        if free:
            _waiting.append(wait)
    try:
        yield free
    finally:
        if free:
            with _one_at_a_time:
                _waiting.remove(wait)


def _may_wait(wait: Wait) -> bool:
    """Nobody has more than half of the threads that may wait: however slow one's receivers are,
    another's are not kept waiting by them. And within one account's half, no receiver, nor all that
    are known to be slow together, has more than half of that; and one thread is left for those that
    are known to be quick: the account's others go on."""
    most = settings.GAUNTLET_WEBHOOK_SENDERS
    half, quarter = max(1, most // 2), max(1, most // 4)
    own = [each for each in _waiting if each.owner == wait.owner]
    same = sum(each.receiver == wait.receiver for each in own)
    slow = sum(each.quick is False for each in own) if wait.quick is False else 0
    doubtful = 0 if wait.quick else sum(not each.quick for each in own)
    within = same < quarter and slow < quarter and doubtful < max(1, half - 1)
    return len(_waiting) < most and len(own) < half and within


@contextmanager
def _claim(webhook_id: int, now: Callable[[], datetime]) -> Iterator[bool]:
    at = now()
    until = at + timedelta(
        seconds=RUN_SECONDS
        + 2 * settings.GAUNTLET_WEBHOOK_TOTAL_SECONDS
        + settings.GAUNTLET_WEBHOOK_RESOLVE_SECONDS
    )
    free = Webhook.objects.filter(pk=webhook_id).filter(
        Q(busy_until__isnull=True) | Q(busy_until__lte=at)
    )
    if not free.update(busy_until=until):
        yield False
        return
    try:
        yield True
    finally:
        Webhook.objects.filter(pk=webhook_id, busy_until=until).update(busy_until=None)


def _drain(webhook_id: int, now: Callable[[], datetime], random: RandomSource) -> int:
    began = now_utc()
    sent = 0
    while sent < AT_ONCE and (now_utc() - began).total_seconds() < RUN_SECONDS:
        delivery = next_due(webhook_id=webhook_id, at=now())
        if delivery is None:
            break
        went_well = _attempt(delivery, now, random)
        sent += 1
        if not went_well:
            break
    return sent


def next_due(*, webhook_id: int, at: datetime) -> Delivery | None:
    """The delivery that is to be sent next, or None while there is nothing to do.

    The oldest that is due, unless an older one has failed only a few times: then all wait for it.
    """
    rested = Q(webhook__not_before__isnull=True) | Q(webhook__not_before__lte=at)
    pending = Delivery.objects.pending().filter(rested, webhook=webhook_id).order_by("pk")
    # Mostly there is none: what it says is fetched only where there is one.
    due = pending.filter(next_at__lte=at).values_list("pk", flat=True).first()
    if due is None:
        return None
    held = pending.filter(next_at__gt=at, attempts__gt=0, attempts__lt=HOLDING_ATTEMPTS, pk__lt=due)
    if held.exists():
        return None
    # What it tells of was put into words as it was written, and is hardly ever asked for here.
    whole = Delivery.objects.pending().select_related("webhook__season", "match")
    return whole.filter(pk=due).first()


# -- one attempt ---------------------------------------------------------------------------------


def _attempt(delivery: Delivery, now: Callable[[], datetime], random: RandomSource) -> bool:
    """Send one delivery once; returns whether the next may follow at once."""
    at = now()
    moot = _moot(delivery, at)
    if moot:
        Delivery.objects.pending().filter(pk=delivery.pk).update(
            status=Delivery.Status.ABANDONED, fault=moot
        )
        return True
    claimed = Delivery.objects.pending().filter(pk=delivery.pk)
    request, fault = _prepare(delivery, at)
    said = {"body": delivery.body, "match": delivery.match_id, "still": delivery.still}
    if not claimed.update(attempts=F("attempts") + 1, sent_at=at, **said):
        return True  # overtaken by a later turn, or its webhook is gone
    answer = Answer(None, {}, "", 0, fault) if request is None else _send(delivery, request)
    return _record(delivery, answer, at=now(), random=random)


def _moot(delivery: Delivery, at: datetime) -> str:
    """Why a delivery is not to be sent any more, or nothing."""
    if delivery.kind != TEST and delivery.webhook.season.visibility == Visibility.DRAFT:
        # It was written while the season was public, which now only its organisers may see.
        return "The season has gone back to a draft."
    if delivery.kind == CLOCK and at >= delivery.give_up_at:
        # What it says is wrong by now. Everything else is worth one attempt more.
        return "It could not be delivered in time."
    return ""


def _prepare(delivery: Delivery, at: datetime) -> tuple[Request | None, str]:
    """What is to be sent, or None and why it cannot be."""
    try:
        return _request(delivery, at), ""
    except Unreadable:
        return None, (
            "The secret cannot be read: the site's key has changed. Please replace the secret."
        )
    except Exception:
        # A mistake of ours must not hold the later ones up for ever.
        log.exception("webhook.not-prepared", delivery=str(delivery.uid))
        return None, "This could not be put together, by a mistake of the site."


def _request(delivery: Delivery, at: datetime) -> Request:
    """Raises Unreadable."""
    webhook = delivery.webhook
    if not delivery.body:
        # It could not be put together at its moment, or waits since before that was done then.
        message_compose(delivery)
    body = delivery.body.encode()
    headers = {
        "User-Agent": USER_AGENT,
        "Accept-Encoding": "identity",
        "Gauntlet-Delivery": str(delivery.uid),
        "Gauntlet-Event": delivery.kind,
    }
    if webhook.flavour == Webhook.Flavour.DISCORD:
        # The picture is not kept: the message says where it goes.
        shown = discord.PICTURE.encode() in body
        return Request(headers, body, payloads.picture_of(delivery) if shown else None)
    keys = [signing.opened(webhook.secret)]
    if webhook.previous_until is not None and webhook.previous_until > at:
        keys.append(signing.opened(webhook.previous_secret))
    moment = int(at.timestamp())
    headers["Content-Type"] = "application/json"
    headers[signing.SIGNATURE_HEADER] = signing.signature(body, secret_values=keys, at=moment)
    return Request(headers, body, None)


def _send(delivery: Delivery, request: Request) -> Answer:
    """What came of a request, whatever came of it: an attempt that is never recorded would be made
    again at once, for ever, with everything behind it waiting."""
    try:
        return _post(delivery, request)
    except Exception:  # ours, and whatever a library makes of a receiver
        log.exception("webhook.not-sent", delivery=str(delivery.uid))
        return Answer(None, {}, "", 0, "This could not be sent, by a mistake of the site.")


def _post(delivery: Delivery, request: Request) -> Answer:
    try:
        # Every time anew: a name may lead elsewhere than when the webhook was saved.
        destination = destination_of(delivery.webhook.url, delivery.webhook.season.created_by_id)
    except Refusal as refusal:
        # Nobody has asked the receiver yet, who may be as well as ever.
        blameless = refusal.code == NOT_LOOKED_UP
        return Answer(None, {}, "", 0, refusal.sentence, blameless)
    if delivery.webhook.flavour == Webhook.Flavour.JSON:
        return wire.post(destination, headers=request.headers, content=request.body)
    # With `wait` Discord answers once the message stands, so that what it drops is an error here.
    joint = "&" if "?" in destination.target else "?"
    asked = destination._replace(target=f"{destination.target}{joint}wait=true")
    form = discord.form_of(request.body, request.png)
    return wire.post(asked, headers=request.headers, files=form)


# -- what comes of it ----------------------------------------------------------------------------


@transaction.atomic
def _record(delivery: Delivery, answer: Answer, *, at: datetime, random: RandomSource) -> bool:
    """Store the outcome of an attempt; returns whether the next delivery may follow at once."""
    webhook = Webhook.objects.select_for_update(no_key=True).filter(pk=delivery.webhook_id).first()
    row = Delivery.objects.select_for_update(no_key=True).filter(pk=delivery.pk).first()
    if webhook is None or row is None:
        return False
    row.status_code = answer.status
    row.latency_ms = answer.latency_ms
    row.response = answer.excerpt[:1000]
    row.fault = answer.fault[:200]
    rest = _pause_asked_for(answer)
    if rest is not None:
        webhook.not_before = at + min(rest, LONGEST_REST)
    webhook.latency_ms = answer.latency_ms
    _ATTEMPTS.labels("taken" if answer.taken else "failed").inc()
    if answer.taken:
        _LAG.observe(max(0, (at - row.created_at).total_seconds()))
        row.status = Delivery.Status.DELIVERED
        webhook.failures, webhook.failing_since = 0, None
    else:
        _note_failure(webhook, row, answer, at, random)
    row.save()
    webhook.save(update_fields=["not_before", "failures", "failing_since", "latency_ms"])
    log.info(
        "webhook.attempt",
        webhook=webhook.pk,
        delivery=str(row.uid),
        kind=row.kind,
        status=answer.status,
        attempts=row.attempts,
        ms=answer.latency_ms,
    )
    if not answer.taken:
        _disable_if_hopeless(webhook, answer, at)
    return answer.taken and rest is None


def _note_failure(
    webhook: Webhook, row: Delivery, answer: Answer, at: datetime, random: RandomSource
) -> None:
    limited = answer.status == 429
    if not limited and not answer.blameless:
        webhook.failures += 1
        webhook.failing_since = webhook.failing_since or at
    if row.status != Delivery.Status.PENDING:
        return  # overtaken meanwhile
    if answer.status in _GONE[Webhook.Flavour(webhook.flavour)]:
        row.status = Delivery.Status.FAILED
        return
    wait = wait_after(row.attempts, random())
    if limited and webhook.not_before is not None:
        row.next_at = webhook.not_before
    else:
        row.next_at = at + wait
    if at >= row.give_up_at:
        row.status = Delivery.Status.ABANDONED
    else:
        # The last attempt is made when the time is over, not an interval before.
        row.next_at = min(row.next_at, row.give_up_at)


def wait_after(attempts: int, chance: float) -> timedelta:
    """How long to wait after that many failed attempts: three times longer each time, up to six
    hours, and up to a fifth more or less, by ``chance`` (0 to 1), so that receivers that failed
    together do not all hear from us together."""
    factor: int = WAIT_FACTOR ** (min(attempts, 12) - 1)
    wait = min(FIRST_WAIT * factor, LONGEST_WAIT)
    return wait * (1 + JITTER * (2 * chance - 1))


def _pause_asked_for(answer: Answer) -> timedelta | None:
    """How long the receiver wants to be left alone. Discord says so with every 429, and ahead of
    one in `X-RateLimit-Remaining`; `X-RateLimit-Reset-After` is exact where it is there."""
    limited = answer.status == 429
    if not limited and answer.headers.get("x-ratelimit-remaining", "") != "0":
        return None
    for name in ("x-ratelimit-reset-after", "retry-after"):
        try:
            seconds = float(answer.headers.get(name, ""))
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return timedelta(seconds=min(seconds, LONGEST_REST.total_seconds()))
    return FIRST_WAIT if limited else None


def _disable_if_hopeless(webhook: Webhook, answer: Answer, at: datetime) -> None:
    """Give a webhook up that is gone, or has failed for as long as anything is retried."""
    if not webhook.active or answer.blameless:
        return
    if answer.status in _GONE[Webhook.Flavour(webhook.flavour)]:
        _disable(webhook, f"The receiver says that this address is gone ({answer.status}).", at)
        return
    since = webhook.failing_since
    # The first failure comes a moment after its event, and the last attempt is made to the moment.
    lasting = since is not None and at - since >= settings.GAUNTLET_WEBHOOK_RETRY_FOR - MOMENT
    if lasting and webhook.failures >= FAILURES_TO_DISABLE:
        what = answer.fault or f"The last answer was {answer.status}."
        _disable(webhook, f"Every attempt of three days has failed. {what}", at)


def _disable(webhook: Webhook, why: str, at: datetime) -> None:
    webhook.active = False
    webhook.disabled_at, webhook.disabled_why = at, why[:300]
    webhook.save(update_fields=["active", "disabled_at", "disabled_why"])
    webhook.deliveries.pending().update(
        status=Delivery.Status.ABANDONED, fault="The webhook was switched off."
    )
    following_refresh(season_id=webhook.season_id)
    audit_record(
        acting_user=None,
        action="webhook.disable",
        target=webhook,
        data={"why": webhook.disabled_why},
    )
    transaction.on_commit(partial(enqueue, WEBHOOK_DISABLED, webhook.pk), robust=True)
