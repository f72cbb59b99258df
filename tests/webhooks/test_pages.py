"""The pages on which organisers look after webhooks."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from core.refusals import Refusal
from tests.pages.support import words
from tests.webhooks.receiver import Receiver, status
from tests.webhooks.support import Stage
from tournaments.webhooks.actions import REDELIVER, TEST, WEBHOOK, AtDelivery, AtWebhook
from tournaments.webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db


def at(name: str, *more: Any) -> str:
    return reverse(f"webhooks:{name}", args=["autumn", *more])


@pytest.fixture
def organiser(stage: Stage) -> Client:
    client = Client()
    client.force_login(stage.orla)
    return client


@pytest.fixture
def webhook(stage: Stage, receiver: Receiver) -> Webhook:
    return stage.webhook(receiver.url)


@pytest.fixture
def delivery(stage: Stage, receiver: Receiver, webhook: Webhook) -> Delivery:
    receiver.manners.append(status(500, b"<b>oh no</b>"))
    stage.event(words="Ada <i>is</i> out.")
    stage.drain(webhook)
    return stage.only(webhook)


def test_making_one_shows_its_secret_once(
    stage: Stage, organiser: Client, receiver: Receiver
) -> None:
    assert "No webhooks yet" in words(organiser.get(at("list")))
    form = organiser.get(at("new"))
    assert form.status_code == 200
    answer = organiser.post(
        at("new"),
        {"flavour": "json", "name": "Mine", "url": receiver.url, "kinds": ["ruling"]},
    )
    (secret,) = re.findall(r'value="(gwhs_[\w-]+)"', answer.content.decode())
    assert "no-store" in answer["Cache-Control"]
    webhook = Webhook.objects.get()
    for page in (at("list"), at("detail", webhook.pk), at("edit", webhook.pk)):
        assert secret not in organiser.get(page).content.decode()
    assert "Mine" in words(organiser.get(at("list")))


def test_what_is_refused_stands_beside_its_field(stage: Stage, organiser: Client) -> None:
    answer = organiser.post(
        at("new"),
        {"flavour": "json", "name": "x", "url": "https://10.0.0.1/", "kinds": ["ruling"]},
    )
    assert answer.status_code == 422
    assert "does not lead to the public internet" in words(answer)
    answer = organiser.post(at("new"), {"flavour": "json", "name": "", "url": "", "kinds": []})
    assert answer.status_code == 422
    assert words(answer).count("This field is required.") == 3
    assert not Webhook.objects.exists()


def test_a_discord_address_is_not_shown_again(
    stage: Stage, organiser: Client, receiver: Receiver
) -> None:
    webhook = stage.webhook(receiver.discord_url, flavour="discord")
    for page in (at("list"), at("detail", webhook.pk), at("edit", webhook.pk)):
        assert "token-of-it" not in organiser.get(page).content.decode()
    answer = organiser.post(
        at("edit", webhook.pk), {"name": "Renamed", "url": "", "kinds": ["ruling"]}
    )
    assert answer.status_code == 302
    webhook.refresh_from_db()
    assert (webhook.name, webhook.url) == ("Renamed", receiver.discord_url)


def test_changing_one(stage: Stage, organiser: Client, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url)
    page = organiser.get(at("edit", webhook.pk)).content.decode()
    assert receiver.url in page
    data = {"name": "New", "url": receiver.url + "&c=d", "kinds": ["item.given", "ruling"]}
    assert organiser.post(at("edit", webhook.pk), data).status_code == 302
    webhook.refresh_from_db()
    assert (webhook.url, webhook.kinds) == (receiver.url + "&c=d", ["item.given", "ruling"])


def test_the_log(stage: Stage, organiser: Client, webhook: Webhook, delivery: Delivery) -> None:
    page = organiser.get(at("detail", webhook.pk))
    shown = words(page)
    assert "ruling" in shown
    assert "500" in shown
    assert "Failing since" in shown
    assert "Ada <i>is</i> out." in shown  # as text
    detail = organiser.get(at("delivery", webhook.pk, delivery.uid))
    assert "<b>oh no</b>" in words(detail)
    assert "gauntlet-webhook/1" in words(detail)
    assert "Redeliver" not in words(detail)
    stage.at = delivery.next_at
    stage.drain(webhook)
    assert "Redeliver" in words(organiser.get(at("delivery", webhook.pk, delivery.uid)))


def test_the_buttons(
    stage: Stage, organiser: Client, receiver: Receiver, webhook: Webhook, delivery: Delivery
) -> None:
    def press(name: str, *more: Any, **data: str) -> str:
        answer = organiser.post(at(name, webhook.pk, *more), data, follow=True)
        assert answer.status_code == 200
        return words(answer)

    assert "has not been delivered yet" in press("redeliver", delivery.uid)
    stage.at = delivery.next_at
    stage.drain(webhook)
    assert "on its way again" in press("redeliver", delivery.uid)
    assert "The test is on its way" in press("test")
    assert "still on its way" in press("test")
    stage.drain(webhook)
    assert len(receiver.taken) == 4
    assert "The secret of" in press("rotate")
    assert "The webhook is off." in press("switch", active="off")
    assert "Off" in words(organiser.get(at("list")))
    assert "The webhook is on." in press("switch", active="on")
    assert "The webhook is deleted." in press("delete")
    assert not Webhook.objects.exists()


def test_what_is_offered_is_what_the_services_let_pass(
    stage: Stage, receiver: Receiver, webhook: Webhook, delivery: Delivery, cleo: User
) -> None:
    def names(user: User, hook: Webhook) -> list[str]:
        return [offer.name for offer in WEBHOOK.offered(AtWebhook(user, hook))]

    whole = ["change", "test", "rotate", "switch-on", "switch-off", "delete"]
    assert names(stage.orla, webhook) == whole
    assert names(cleo, webhook) == []
    TEST.do(AtWebhook(stage.orla, webhook))
    assert names(stage.orla, webhook) == [each for each in whole if each != "test"]
    chat = stage.webhook(receiver.discord_url, flavour="discord", name="a channel")
    assert names(stage.orla, chat) == [each for each in whole if each != "rotate"]
    subject = AtDelivery(stage.orla, webhook, delivery)
    refusal = REDELIVER.refusal(subject)
    assert refusal is not None
    assert refusal.code == "webhook.still-pending"
    with pytest.raises(Refusal, match=r"webhook\.still-pending"):
        REDELIVER.do(subject)


def test_the_notice_of_one_that_was_given_up(
    stage: Stage, organiser: Client, receiver: Receiver, webhook: Webhook
) -> None:
    receiver.manners.append(status(410))
    stage.event()
    stage.drain(webhook)
    page = words(organiser.get(at("detail", webhook.pk)))
    assert "Switched off" in page
    assert "this address is gone (410)" in page
    assert "Given up" in words(organiser.get(at("list")))


GETS = ["list", "new", "detail", "edit", "delivery"]
POSTS = ["new", "edit", "test", "rotate", "switch", "delete", "redeliver"]


def address(name: str, webhook: Webhook, delivery: Delivery) -> str:
    more: list[Any] = [] if name in {"list", "new"} else [webhook.pk]
    return at(name, *more, *([delivery.uid] if name in {"delivery", "redeliver"} else []))


@pytest.mark.parametrize("name", sorted({*GETS, *POSTS}))
def test_others_see_and_do_nothing(
    name: str, stage: Stage, webhook: Webhook, delivery: Delivery, cleo: User, ada: User
) -> None:
    where = address(name, webhook, delivery)
    rows = list(Webhook.objects.values()), list(Delivery.objects.values())

    def ask(client: Client) -> Any:
        return client.get(where) if name in GETS else client.post(where)

    stranger = ask(Client())
    assert stranger.status_code == 302
    assert stranger["Location"].startswith("/accounts/login/")
    for user in (cleo, ada):
        client = Client()
        client.force_login(user)
        answer = ask(client)
        assert answer.status_code == 403
        assert "127.0.0.1" not in answer.content.decode()
    stage.season.visibility, stage.season.status = "draft", "enrolling"
    stage.season.started_at = None
    stage.season.save()
    assert ask(client).status_code == 404
    assert rows == (list(Webhook.objects.values()), list(Delivery.objects.values()))


@pytest.mark.parametrize("name", sorted({*GETS, *POSTS}))
def test_wrong_methods_and_wrong_numbers(
    name: str, stage: Stage, organiser: Client, webhook: Webhook, delivery: Delivery
) -> None:
    where = address(name, webhook, delivery)
    if name not in GETS:
        assert organiser.get(where).status_code == 405
    if name not in POSTS:
        assert organiser.post(where).status_code == 405
    assert organiser.put(where).status_code == 405
    ask = organiser.get if name in GETS else organiser.post
    assert ask(where.replace("autumn", "spring")).status_code == 404
    if name not in {"list", "new"}:
        assert ask(where.replace(f"/{webhook.pk}/", "/999999/")).status_code == 404
    if name in {"delivery", "redeliver"}:
        assert ask(where.replace(str(delivery.uid), str(uuid.uuid4()))).status_code == 404


def test_another_seasons_webhook_is_not_this_ones(
    stage: Stage, organiser: Client, webhook: Webhook
) -> None:
    from tournaments.models import Season, SeasonOrganiser

    other = Season.objects.create(
        slug="winter", name="Winter", format="swiss", visibility="listed", created_by=stage.orla
    )
    SeasonOrganiser.objects.create(season=other, user=stage.orla)
    where = reverse("webhooks:detail", args=["winter", webhook.pk])
    assert organiser.get(where).status_code == 404


def test_a_log_of_many_pages_costs_no_more(
    stage: Stage, organiser: Client, webhook: Webhook, django_assert_max_num_queries: Any
) -> None:
    for number in range(60):
        stage.event(words=f"Number {number}.")
    organiser.get(at("detail", webhook.pk))
    with django_assert_max_num_queries(14):
        page = organiser.get(at("detail", webhook.pk) + "?page=2")
    assert "Page 2 of 3" in words(page)
