"""Deliveries: signed, in order, again after failures, for three days, and to no receiver's harm."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from accounts.announcing.tasks import deliver
from accounts.jobs import DELIVER
from accounts.models import User
from core.refusals import Refusal
from script.lib.console import ROOT
from tests.games.support import committing
from tests.support.workers import Workers
from tests.tournaments.support import organiser_joins, organiser_named
from tests.webhooks import receiver as manners
from tests.webhooks.receiver import Receiver, status
from tests.webhooks.support import Stage
from tournaments.models import Season, SeasonEvent
from tournaments.services.events import season_event, season_events
from tournaments.webhooks import notices, payloads, sending, services, signing, tasks, wire
from tournaments.webhooks.models import Delivery, Webhook
from tournaments.webhooks.sending import wait_after

pytestmark = pytest.mark.django_db

SECONDS = timedelta(seconds=1)
LATE = "The answer did not come in time."


# -- the outbox ----------------------------------------------------------------------------------


def test_a_delivery_is_written_with_its_event_or_not_at_all(
    stage: Stage, receiver: Receiver
) -> None:
    webhook = stage.webhook(receiver.url)
    with transaction.atomic():
        season_event(season=stage.season, kind="ruling", words="Undone.")
        assert stage.deliveries(webhook)
        transaction.set_rollback(True)
    assert stage.deliveries(webhook) == []
    assert stage.enqueued == []

    event = stage.event()
    delivery = stage.only(webhook)
    assert (delivery.event, delivery.kind, delivery.status) == (event, "ruling", "pending")
    assert stage.enqueued == [webhook.pk]


def test_what_has_gone_back_to_a_draft_is_not_told_any_more(
    stage: Stage, receiver: Receiver
) -> None:
    webhook = stage.webhook(receiver.url)
    stage.event(words="While it was listed.")
    stage.event(words="And another.")
    services.webhook_test(acting_user=stage.orla, webhook=webhook)
    Season.objects.filter(pk=stage.season.pk).update(
        visibility="draft", status="enrolling", started_at=None
    )
    stage.drain(webhook)
    # Its organisers may still see whether the receiver is there.
    assert [taken.json["kind"] for taken in receiver.taken] == ["test"]
    one, two, test = stage.deliveries(webhook)
    assert (one.status, two.status, test.status) == ("abandoned", "abandoned", "delivered")
    assert (one.attempts, one.fault) == (0, "The season has gone back to a draft.")
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.active) == (0, True)
    # Nor by sending it again, until it is listed again.
    again: dict[str, Any] = {"acting_user": stage.orla, "delivery": one}
    with pytest.raises(Refusal) as caught:
        services.delivery_redeliver(**again)
    assert caught.value.code == "webhook.draft"
    Season.objects.filter(pk=stage.season.pk).update(visibility="listed")
    services.delivery_redeliver(**again)
    stage.drain(webhook)
    assert receiver.taken[-1].json["words"] == "While it was listed."


def test_only_what_is_wanted_by_those_who_are_on(stage: Stage, receiver: Receiver) -> None:
    wants = stage.webhook(receiver.url, kinds=["ruling"], name="wants")
    other = stage.webhook(receiver.url, kinds=["item.given"], name="other")
    off = stage.webhook(receiver.url, name="off")
    services.webhook_update(acting_user=stage.orla, webhook=off, active=False)
    stage.event("ruling")
    assert [len(stage.deliveries(each)) for each in (wants, other, off)] == [1, 0, 0]


def test_nothing_is_told_of_a_draft(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url)
    stage.season.visibility, stage.season.status = "draft", "enrolling"
    stage.season.started_at = None
    stage.season.save()
    stage.event("contestant.enrolled", "Ada enrolled.")
    assert stage.deliveries(webhook) == []


def test_several_events_at_once_are_told_each(stage: Stage, receiver: Receiver) -> None:
    all_of_it = stage.webhook(receiver.url)
    rulings = stage.webhook(receiver.url, kinds=["ruling"], name="rulings")
    kinds = ["ruling", "contestant.enrolled", "ruling"]
    events = [
        SeasonEvent(season=stage.season, kind=kind, words=f"No. {number}.")
        for number, kind in enumerate(kinds)
    ]
    with committing(), transaction.atomic():
        season_events(season=stage.season, events=events)
    assert [each.event for each in stage.deliveries(all_of_it)] == events
    assert [each.event for each in stage.deliveries(rulings)] == [events[0], events[2]]
    # A webhook that is woken sends all that it has.
    assert stage.enqueued == [all_of_it.pk, rulings.pk]


def test_an_event_without_webhooks_costs_one_query(
    stage: Stage, django_assert_num_queries: Any
) -> None:
    from tournaments.webhooks.outbox import deliveries_write

    event = stage.event()
    with django_assert_num_queries(1):
        deliveries_write(event.season, [event])


# -- what is sent --------------------------------------------------------------------------------


def test_a_delivery_as_it_arrives(stage: Stage, receiver: Receiver) -> None:
    made = stage.created(receiver.url)
    event = stage.event(
        "death-match.decided", "Ada beat Ben.", death_match=stage.death_match,
        contestant=stage.home, data={"score": [2, 1]},
    )  # fmt: skip
    assert stage.drain(made.webhook) == 1
    (taken,) = receiver.taken
    delivery = stage.only(made.webhook)
    assert taken.path == "/hook?a=b"
    assert taken.headers["gauntlet-delivery"] == str(delivery.uid)
    assert taken.headers["gauntlet-event"] == "death-match.decided"
    assert taken.headers["content-type"] == "application/json"
    assert "cookie" not in taken.headers
    site = "http://localhost:8000"
    assert taken.json == {
        "format": "gauntlet-webhook/1",
        "id": str(delivery.uid),
        "event": event.pk,
        "kind": "death-match.decided",
        "at": event.at.isoformat(timespec="milliseconds"),
        "words": "Ada beat Ben.",
        "season": {
            "id": str(stage.season.uid),
            "slug": "autumn",
            "name": "Autumn *Cup*",
            "url": f"{site}/seasons/autumn/",
        },
        "round": {"number": 1, "name": "Round 1"},
        "death_match": {
            "id": stage.death_match.pk,
            "number": 1,
            "url": f"{site}/seasons/autumn/matches/{stage.death_match.pk}/",
            "sides": [
                {"id": stage.home.pk, "name": "Ada"},
                {"id": stage.away.pk, "name": "Ben"},
            ],
        },
        "match": None,
        "contestant": {"id": stage.home.pk, "name": "Ada"},
        "data": {"score": [2, 1]},
    }
    assert (delivery.status, delivery.status_code, delivery.attempts) == ("delivered", 204, 1)
    assert delivery.latency_ms is not None
    assert delivery.body == taken.body.decode()


def test_the_signature(stage: Stage, receiver: Receiver) -> None:
    made = stage.created(receiver.url)
    stage.event()
    stage.drain(made.webhook)
    (taken,) = receiver.taken
    at, given = re.fullmatch(
        r"t=(\d+),v1=([0-9a-f]{64})", taken.headers["gauntlet-signature"]
    ).groups()  # type: ignore[union-attr]
    mac = hmac.new(made.secret.encode(), f"{at}.".encode() + taken.body, hashlib.sha256)
    assert given == mac.hexdigest()
    assert abs(int(at) - time.time()) < 10
    assert made.secret not in Webhook.objects.get().secret
    assert signing.opened(Webhook.objects.get().secret) == made.secret


def test_the_example_in_the_documentation_verifies(stage: Stage, receiver: Receiver) -> None:
    page = (ROOT / "docs" / "webhooks.md").read_text()
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert code is not None
    example: dict[str, Any] = {}
    exec(compile(code[1], "docs/webhooks.md", "exec"), example)  # noqa: S102
    verified = example["verified"]

    made = stage.created(receiver.url)
    old = made.secret
    new = services.webhook_rotate(acting_user=stage.orla, webhook=made.webhook).secret
    stage.event()
    stage.drain(made.webhook)
    (taken,) = receiver.taken
    header = taken.headers["gauntlet-signature"]
    assert verified(header, taken.body, new)
    assert verified(header, taken.body, old)
    assert not verified(header, taken.body, "gwhs_other")
    assert not verified(header, taken.body + b" ", new)
    assert not verified(header, taken.body, new, now=time.time() + 3600)
    assert not verified("", taken.body, new)
    assert not verified("t=x,v1=y", taken.body, new)


def test_an_old_secret_signs_for_a_day(stage: Stage, receiver: Receiver) -> None:
    made = stage.created(receiver.url)
    services.webhook_rotate(acting_user=stage.orla, webhook=made.webhook)
    stage.event()
    stage.drain(made.webhook)
    stage.event()
    stage.drain(made.webhook, after=timedelta(hours=25))
    counts = [taken.headers["gauntlet-signature"].count("v1=") for taken in receiver.taken]
    assert counts == [2, 1]


def test_a_secret_from_before_the_site_key_changed(
    stage: Stage, receiver: Receiver, settings: Any
) -> None:
    webhook = stage.webhook(receiver.url)
    stage.event()
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another-key"
    stage.drain(webhook)
    assert "replace the secret" in stage.only(webhook).fault
    assert receiver.taken == []
    settings.SECRET_KEY_FALLBACKS = [old]
    stage.drain(webhook, after=10 * SECONDS)
    assert stage.only(webhook).status == "delivered"


def test_a_mistake_of_ours_holds_nobody_up(
    stage: Stage, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what it is to tell of, nor, for longer than after any failure, what comes later."""
    webhook = stage.webhook(receiver.url)
    with monkeypatch.context() as patch:
        patch.setattr(payloads, "body_of", lambda *_args: 1 / 0)
        event = stage.event()
        assert stage.only(webhook).event == event
        assert stage.drain(webhook) == 1
    delivery = stage.only(webhook)
    assert (delivery.status, delivery.attempts) == ("pending", 1)
    assert "mistake of the site" in delivery.fault
    assert stage.drain(webhook) == 0  # it waits, like after any failure
    stage.drain(webhook, after=10 * SECONDS)
    assert stage.only(webhook).status == "delivered"


def test_whatever_a_request_raises_is_a_failed_attempt(
    stage: Stage, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = stage.webhook(receiver.url)
    stage.event()
    with monkeypatch.context() as patch:
        patch.setattr(wire, "post", lambda *_args, **_more: 1 / 0)
        assert stage.drain(webhook) == 1
        assert stage.drain(webhook) == 0  # it waits, like after any failure
    delivery = stage.only(webhook)
    assert (delivery.status, delivery.attempts) == ("pending", 1)
    assert "mistake of the site" in delivery.fault
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.busy_until) == (1, None)
    stage.drain(webhook, after=10 * SECONDS)
    assert stage.only(webhook).status == "delivered"


def test_an_address_that_was_saved_before_it_was_refused(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url)
    Webhook.objects.update(url="https://010.010.010.010/")
    stage.event()
    assert stage.drain(webhook) == 1
    assert stage.drain(webhook) == 0
    delivery = stage.only(webhook)
    assert (delivery.status, delivery.attempts) == ("pending", 1)
    assert "four numbers" in delivery.fault
    assert delivery.next_at > stage.at


# -- receivers with bad manners ------------------------------------------------------------------


@contextmanager
def short_waits() -> Iterator[None]:
    """Two seconds are all that a request gets, and they hold: a receiver goes on for 20 or more.
    Other requests keep the usual waits: on a busy machine answers may take their time."""
    began = time.monotonic()
    with override_settings(GAUNTLET_WEBHOOK_STAGE_SECONDS=1.0, GAUNTLET_WEBHOOK_TOTAL_SECONDS=2.0):
        yield
    assert time.monotonic() - began < 12


@pytest.mark.parametrize(
    ("manner", "code", "fault"),
    [
        (status(500, b"oh no"), 500, ""),
        (status(404), 404, ""),
        (status(302, Location="http://169.254.169.254/"), 302, ""),
        (status(307, Location="/elsewhere"), 307, ""),
        (manners.hanging, None, LATE),
        (manners.dripping(head=True), None, LATE),
        (manners.flooding(500), 500, ""),
        (manners.resetting, None, "The connection broke."),
        (manners.gibberish, None, "The answer was not HTTP, or broke off."),
    ],
)
def test_a_receiver_that_does_not_take_it(
    stage: Stage, receiver: Receiver, manner: Any, code: int | None, fault: str
) -> None:
    webhook = stage.webhook(receiver.url)
    stage.event()
    receiver.manners.append(manner)
    with short_waits() if fault == LATE else nullcontext():
        stage.drain(webhook)
    delivery = stage.only(webhook)
    assert (delivery.status, delivery.status_code, delivery.fault) == ("pending", code, fault)
    assert delivery.next_at == pytest.approx(stage.at + 5 * SECONDS, abs=3 * SECONDS)
    # It asked once, there, and nowhere else.
    assert [taken.path for taken in receiver.taken] == ["/hook?a=b"]
    webhook.refresh_from_db()
    assert webhook.failures == 1
    # And the same again later: same id, same words.
    stage.drain(webhook, after=10 * SECONDS)
    first, second = receiver.taken
    assert first.body == second.body
    assert first.headers["gauntlet-delivery"] == second.headers["gauntlet-delivery"]
    assert stage.only(webhook).status == "delivered"
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.failing_since) == (0, None)


@pytest.mark.parametrize("manner", [manners.dripping(head=False), manners.flooding(200)])
def test_a_receiver_that_took_it_and_rambles(stage: Stage, receiver: Receiver, manner: Any) -> None:
    webhook = stage.webhook(receiver.url)
    stage.event()
    receiver.manners.append(manner)
    with short_waits():
        stage.drain(webhook)
    delivery = stage.only(webhook)
    assert delivery.status == "delivered"
    assert len(delivery.response) <= 1000


def test_nobody_is_there(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook("http://127.0.0.1:1/")
    stage.event()
    stage.drain(webhook)
    assert stage.only(webhook).fault == "The connection could not be made."


def test_an_answer_is_kept_as_harmless_text(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url)
    stage.event()
    receiver.manners.append(status(400, b"<script>\x00\x1b[31m\xff" + b"x" * 5000))
    stage.drain(webhook)
    kept = stage.only(webhook).response
    assert kept.startswith("<script>\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}[31m")
    assert len(kept) == 1000


# -- the schedule --------------------------------------------------------------------------------


def test_waits_grow_threefold_up_to_six_hours_with_jitter() -> None:
    waits = [wait_after(attempts, 0.5).total_seconds() for attempts in range(1, 12)]
    assert waits == [5, 15, 45, 135, 405, 1215, 3645, 10935, 21600, 21600, 21600]
    assert wait_after(1, 0.0) == 4 * SECONDS
    assert wait_after(1, 1.0) == 6 * SECONDS
    assert wait_after(10_000, 0.5) == timedelta(hours=6)


def test_three_days_of_failure(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook("http://127.0.0.1:1/")
    stage.event()
    delivery = stage.only(webhook)
    began = delivery.created_at
    attempts: list[float] = []
    while delivery.status == "pending":
        assert len(attempts) < 40
        assert stage.drain(webhook) == 1
        attempts.append((stage.at - began).total_seconds())
        delivery = stage.only(webhook)
        if delivery.status == "pending":
            stage.at = delivery.next_at - SECONDS
            assert stage.drain(webhook) == 0
            stage.at = delivery.next_at
    assert delivery.status == "abandoned"
    # The first at once, the last when the three days are over, not an interval before or after.
    assert attempts[0] < 5
    assert attempts[-1] == pytest.approx(3 * 86400, abs=5)
    assert len(attempts) == delivery.attempts == 21
    webhook.refresh_from_db()
    assert not webhook.active
    assert webhook.disabled_at is not None
    assert "three days" in webhook.disabled_why
    assert stage.mailed == [webhook.pk]


def test_organisers_are_told_and_can_switch_it_on_again(
    stage: Stage, receiver: Receiver, workers: Workers
) -> None:
    webhook = stage.webhook(receiver.url)
    assistant = organiser_named("otis")
    organiser_joins(acting_user=stage.orla, season=stage.season, user=assistant)
    for organiser, confirmed in ((stage.orla, True), (assistant, False)):
        address = f"{organiser.username}@example.org"
        User.objects.filter(pk=organiser.pk).update(email=address)
        EmailAddress.objects.create(user=organiser, email=address, primary=True, verified=confirmed)
    stage.event()
    stage.event()
    receiver.manners.append(status(410))
    stage.drain(webhook)
    # That there is another organiser was an event, too.
    assert [each.status for each in stage.deliveries(webhook)] == ["failed", *["abandoned"] * 2]
    webhook.refresh_from_db()
    assert not webhook.active
    assert "gone" in webhook.disabled_why
    workers.at_once[DELIVER] = deliver
    for _ in range(2):
        with committing():
            notices.webhook_announce_disabled(webhook.pk)
    (sent,) = mail.outbox
    assert sent.to == ["orla@example.org"]
    assert f"/seasons/autumn/webhooks/{webhook.pk}/" in sent.body
    assert "127.0.0.1" not in sent.body

    services.webhook_update(acting_user=stage.orla, webhook=webhook, active=True)
    webhook.refresh_from_db()
    assert (webhook.disabled_at, webhook.disabled_why, webhook.failures) == (None, "", 0)
    notices.webhook_announce_disabled(webhook.pk)
    assert len(mail.outbox) == 1
    stage.event()
    stage.drain(webhook)
    assert stage.deliveries(webhook)[-1].status == "delivered"


def test_a_few_failures_hold_the_later_ones_back_and_then_let_them_pass(
    stage: Stage, receiver: Receiver
) -> None:
    webhook = stage.webhook(receiver.url)
    stage.event(words="first")
    stage.event(words="second")
    receiver.manners += [status(500)] * 4
    for attempt in range(1, 4):
        stage.drain(webhook)
        assert stage.drain(webhook) == 0  # the second waits for the first
        stage.at = stage.deliveries(webhook)[0].next_at
        assert len(receiver.taken) == attempt
    stage.drain(webhook)  # the fourth failure
    stage.drain(webhook)
    assert [taken.json["words"] for taken in receiver.taken] == ["first"] * 4 + ["second"]
    stage.drain(webhook, after=timedelta(minutes=3))
    assert receiver.taken[-1].json["words"] == "first"
    assert {each.status for each in stage.deliveries(webhook)} == {"delivered"}


def test_deliveries_arrive_in_order(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url)
    for number in range(5):
        stage.event(words=f"number {number}")
    assert stage.drain(webhook) == 5
    assert [t.json["words"] for t in receiver.taken] == [f"number {n}" for n in range(5)]


def test_one_worker_at_a_time_and_another_one_after_it_died(
    stage: Stage, receiver: Receiver
) -> None:
    webhook = stage.webhook(receiver.url)
    stage.event()
    with sending._claim(webhook.pk, lambda: stage.at) as taken:
        assert taken
        assert stage.drain(webhook) == 0
        assert webhook.pk not in sending.webhooks_due(at=timezone.now())
    with pytest.MonkeyPatch.context() as patch:
        # Killed: nobody gives it back.
        patch.setattr(sending, "_drain", lambda *_args: _die())
        with pytest.raises(KeyboardInterrupt):
            stage.drain(webhook)
    Webhook.objects.update(busy_until=stage.at + 30 * SECONDS)
    assert stage.drain(webhook) == 0
    assert stage.drain(webhook, after=31 * SECONDS) == 1


def _die() -> int:
    raise KeyboardInterrupt


def test_no_more_receivers_are_waited_for_than_the_settings_allow(
    stage: Stage, receiver: Receiver
) -> None:
    webhook = stage.webhook(receiver.url)
    stage.event()
    with ExitStack() as others:
        # Of other owners, who are none of this one's business.
        waits = [sending.Wait(-number, "example.org", quick=True) for number in range(1, 10)]
        held = [others.enter_context(sending._thread_for(each)) for each in waits]
        assert held == [True] * 8 + [False]
        assert stage.drain(webhook) == 0
    assert stage.drain(webhook) == 1


@pytest.mark.parametrize("latency", [None, 30_000])
def test_receivers_that_are_not_quick_hold_up_none_that_is(
    stage: Stage, receiver: Receiver, latency: int | None
) -> None:
    """Three that are slow, or not known yet, with three webhooks each, all of one account."""
    quick = stage.webhook(receiver.url)
    stage.event()
    assert stage.drain(quick) == 1
    stage.event()
    owner = stage.season.created_by_id
    names = [f"{name}.example.org" for name in "abc" for _ in range(3)]
    with ExitStack() as others:
        waits = [sending.Wait(owner, name, None if latency is None else False) for name in names]
        held = [others.enter_context(sending._thread_for(each)) for each in waits]
        assert 0 < sum(held) < 9
        assert stage.drain(quick) == 1
        # One of the others waits for its turn.
        stage.event()
        Webhook.objects.filter(pk=quick.pk).update(latency_ms=latency)
        assert stage.drain(quick) == 0
        due = stage.webhook(receiver.url, name="known")
        stage.event()
        Webhook.objects.filter(pk=due.pk).update(latency_ms=20)
        found = sending.webhooks_due(at=timezone.now() + timedelta(minutes=1))
        assert found == [due.pk, quick.pk]
    assert stage.drain(quick) == 2


def test_another_address_is_not_as_quick_as_the_last(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url)
    stage.event()
    stage.drain(webhook)
    webhook.refresh_from_db()
    assert webhook.latency_ms is not None
    changed = services.webhook_update(
        acting_user=stage.orla, webhook=webhook, url=f"{receiver.url}?other"
    )
    assert changed.latency_ms is None


def test_a_site_with_one_sender_sends(stage: Stage, receiver: Receiver, settings: Any) -> None:
    settings.GAUNTLET_WEBHOOK_SENDERS = 1
    webhook = stage.webhook(receiver.url)
    stage.event()
    assert stage.drain(webhook) == 1
    assert not sending._waiting


def test_the_sweep_finds_what_no_worker_was_told_of(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url)
    tasks.sweep()
    assert stage.enqueued == []
    stage.event()
    stage.workers.handed.clear()
    tasks.sweep()
    assert stage.enqueued == [webhook.pk]
    tasks.drain(webhook.pk)
    tasks.sweep()
    assert stage.enqueued == [webhook.pk]
    assert len(receiver.taken) == 1


def test_old_deliveries_are_forgotten_and_waiting_ones_are_not(
    stage: Stage, receiver: Receiver
) -> None:
    webhook = stage.webhook(receiver.url)
    for _ in range(3):
        stage.event()
    old = timezone.now() - timedelta(days=31)
    done, waiting, recent = stage.deliveries(webhook)
    Delivery.objects.filter(pk__in=[done.pk, waiting.pk]).update(created_at=old)
    Delivery.objects.filter(pk__in=[done.pk, recent.pk]).update(
        status="delivered", attempts=1, sent_at=old
    )
    tasks.prune()
    assert [each.pk for each in stage.deliveries(webhook)] == [waiting.pk, recent.pk]


def test_documentation_has_every_kind() -> None:
    from tournaments.webhooks.kinds import CHOICES

    page = (Path(ROOT) / "docs" / "webhooks.md").read_text()
    assert [kind for kind in CHOICES if f"`{kind}`" not in page] == []
