"""What organisers do with webhooks, and what they are refused."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import AuditEntry, User
from core.refusals import Refusal
from games.models import Match
from tests.games.support import committing, nothing_changes
from tests.webhooks.receiver import Receiver
from tests.webhooks.support import Stage
from tournaments.webhooks import services
from tournaments.webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db


def refused(code: str, call: Any, /, **arguments: Any) -> None:
    """The call is refused, with a sentence, and changes nothing."""
    tables = (Webhook, Delivery, AuditEntry, Match)
    with nothing_changes(tables), pytest.raises(Refusal) as caught:
        call(**arguments)
    assert caught.value.code == code
    assert caught.value.sentence.endswith(".")


def test_creating(stage: Stage, receiver: Receiver) -> None:
    made = stage.created(receiver.url, kinds=["ruling", "item.given"], name="  My\nprogram ")
    webhook = Webhook.objects.get()
    assert (webhook.name, webhook.active) == ("My program", True)
    assert webhook.kinds == ["item.given", "ruling"]
    assert made.secret.startswith("gwhs_")
    entry = AuditEntry.objects.get(action="webhook.create")
    assert entry.who == stage.orla
    assert receiver.url not in str(entry.data)
    assert entry.data["host"] == f"127.0.0.1:{receiver.port}"
    discord = stage.created(receiver.discord_url, flavour="discord", name="d")
    assert (discord.secret, discord.webhook.secret) == ("", "")
    assert "token-of-it" not in str(list(AuditEntry.objects.values_list("data", flat=True)))


def test_what_creating_refuses(
    stage: Stage, receiver: Receiver, cleo: User, ada: User, settings: Any
) -> None:
    stage.created(receiver.url, name="taken")
    good: dict[str, Any] = {
        "acting_user": stage.orla,
        "season": stage.season,
        "name": "new",
        "url": receiver.url,
        "flavour": "json",
        "kinds": ["ruling"],
    }
    cases: list[tuple[str, dict[str, Any]]] = [
        ("webhook.not-allowed", {"acting_user": cleo}),
        ("webhook.not-allowed", {"acting_user": ada}),
        ("webhook.name", {"name": " "}),
        ("webhook.name", {"name": "n" * 61}),
        ("webhook.name-taken", {"name": "taken"}),
        ("webhook.flavour", {"flavour": "slack"}),
        ("webhook.kinds", {"kinds": []}),
        ("webhook.kinds", {"kinds": ["ruling", "everything"]}),
        ("webhook.kinds", {"kinds": ["test"]}),
        ("webhook.url", {"url": "nowhere"}),
        ("webhook.url-discord", {"flavour": "discord"}),
        ("webhook.url-discord", {"flavour": "discord", "url": "https://1.1.1.1/api/webhooks/1/x"}),
    ]
    for code, wrong in cases:
        refused(code, services.webhook_create, **{**good, **wrong})
    settings.GAUNTLET_WEBHOOKS_PER_SEASON = 1
    refused("webhook.too-many", services.webhook_create, **good)


def test_others_do_nothing_with_a_webhook(stage: Stage, receiver: Receiver, cleo: User) -> None:
    webhook = stage.webhook(receiver.url)
    stage.event()
    stage.drain(webhook)
    delivery = stage.only(webhook)
    for call in (
        services.webhook_update,
        services.webhook_delete,
        services.webhook_rotate,
        services.webhook_test,
    ):
        refused("webhook.not-allowed", call, acting_user=cleo, webhook=webhook)
    refused("webhook.not-allowed", services.delivery_redeliver, acting_user=cleo, delivery=delivery)
    services.webhook_delete(acting_user=stage.orla, webhook=Webhook.objects.get())
    for call in (
        services.webhook_update,
        services.webhook_delete,
        services.webhook_rotate,
        services.webhook_test,
    ):
        refused("webhook.none", call, acting_user=stage.orla, webhook=webhook)
    assert not Delivery.objects.exists()


def test_changing(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url)
    stage.webhook(receiver.url, name="other")
    change = services.webhook_update
    change(acting_user=stage.orla, webhook=webhook, name="b", kinds=["ruling"])
    webhook.refresh_from_db()
    assert (webhook.name, webhook.kinds) == ("b", ["ruling"])
    count = AuditEntry.objects.count()
    change(acting_user=stage.orla, webhook=webhook, name="b", url=receiver.url, active=True)
    assert AuditEntry.objects.count() == count
    cases: list[tuple[str, dict[str, Any]]] = [
        ("webhook.name-taken", {"name": "other"}),
        ("webhook.url-https", {"url": "http://1.1.1.1/"}),
        ("webhook.kinds", {"kinds": []}),
    ]
    for code, wrong in cases:
        refused(code, change, acting_user=stage.orla, webhook=webhook, **wrong)


def test_switching_off_gives_up_what_was_not_told(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url)
    stage.event()
    services.webhook_update(acting_user=stage.orla, webhook=webhook, active=False)
    assert stage.only(webhook).status == "abandoned"
    stage.drain(webhook)
    assert receiver.taken == []
    refused(
        "webhook.inactive",
        services.delivery_redeliver,
        acting_user=stage.orla,
        delivery=stage.only(webhook),
    )


def test_a_test(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url)
    services.webhook_update(acting_user=stage.orla, webhook=webhook, active=False)
    with committing():
        services.webhook_test(acting_user=stage.orla, webhook=webhook)
    refused("webhook.test-pending", services.webhook_test, acting_user=stage.orla, webhook=webhook)
    stage.drain(webhook)
    (taken,) = receiver.taken
    assert taken.json["kind"] == "test"
    assert "event" not in taken.json
    assert stage.only(webhook).status == "delivered"
    assert not Webhook.objects.get().active


def test_a_test_that_fails_is_over_at_once(stage: Stage) -> None:
    webhook = stage.webhook("http://127.0.0.1:1/")
    services.webhook_test(acting_user=stage.orla, webhook=webhook)
    stage.drain(webhook)
    assert stage.only(webhook).status == "abandoned"
    services.webhook_test(acting_user=stage.orla, webhook=webhook)


def test_redelivering(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url)
    stage.event()
    refused(
        "webhook.still-pending",
        services.delivery_redeliver,
        acting_user=stage.orla,
        delivery=stage.only(webhook),
    )
    stage.drain(webhook)
    # Long after it was given up by itself.
    Delivery.objects.update(give_up_at=timezone.now() + timedelta(seconds=1))
    services.delivery_redeliver(acting_user=stage.orla, delivery=stage.only(webhook))
    assert stage.only(webhook).give_up_at > timezone.now() + timedelta(days=2)
    stage.drain(webhook)
    first, second = receiver.taken
    assert first.body == second.body
    assert stage.only(webhook).attempts == 2


def test_rotating_is_for_those_with_a_secret(stage: Stage, receiver: Receiver) -> None:
    discord = stage.webhook(receiver.discord_url, flavour="discord")
    refused("webhook.no-secret", services.webhook_rotate, acting_user=stage.orla, webhook=discord)
