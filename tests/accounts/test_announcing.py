"""Announcements: to whom, once, by the ways that each has chosen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from smtplib import SMTPException
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail import EmailMessage
from django.db import transaction
from django.test import Client

from accounts.announcing import kinds
from accounts.announcing.delivering import (
    announcements_prune,
    deliveries_sweep,
    delivery_send,
    digest_send,
    digests_send,
    is_time_for_digest,
)
from accounts.announcing.kinds import Kind, Urgency, Way, When
from accounts.announcing.services import Told, announce, choices_of, choices_set
from accounts.announcing.tasks import deliver
from accounts.jobs import DELIVER
from accounts.models import (
    Announcement,
    AnnouncementChoice,
    AnnouncementDelivery,
    AuditEntry,
    User,
)  # fmt: skip
from accounts.services import guest_create
from core.clock import now_utc
from core.env import ROOT
from core.jobs.models import SetAside
from core.refusals import Refusal
from tests.games.support import committing, nothing_changes, user_named
from tests.support.workers import Workers

NEWS = "season.news"
URGENT = "episode.choice"


@pytest.fixture
def ada(db: None) -> User:
    return user_named("ada", display_name="Ada")


def confirmed(user: User, *, verified: bool = True) -> User:
    EmailAddress.objects.create(
        user=user, email=f"{user.username}@x.example", primary=True, verified=verified
    )
    return user


def told(user: User, kind: str = URGENT, key: str = "a", **more: Any) -> Told:
    given = {"subject": "Choose", "words": "You are the EC.", "path": "/seasons/one/", **more}
    return Told(user, kind, key, **given)


# -- the table -----------------------------------------------------------------------------------


def test_the_docs_have_the_table() -> None:
    text = (ROOT / "docs/announcements.md").read_text()
    words = {When.NOW: "at once", When.DIGEST: "once a day", When.OFF: "not"}
    lines = [
        f"| `{kind.key}` | {kind.what} | {kind.whom} | {kind.urgency} "
        f"| {words[kind.default(Way.MAIL)]} | {words[kind.default(Way.PUSH)]} "
        f"| {words[kind.default(Way.DISCORD)]} |"
        for kind in kinds.known().values()
    ]
    assert [line for line in lines if line not in text] == []
    assert text.count("\n| `") == len(lines)


def test_every_kind_has_a_default_that_can_be_chosen() -> None:
    for kind in kinds.known().values():
        for way in Way:
            assert kind.default(way) in kinds.CHOICES[way]
            assert (way, kind.default(way)) in kinds.WORDS
        assert len(kind.key) <= 40
    with pytest.raises(KeyError):
        kinds.kind_of("nothing")


# -- announcing ----------------------------------------------------------------------------------


def test_somebody_is_told_once(ada: User, workers: Workers) -> None:
    confirmed(ada)
    workers.at_once[DELIVER] = deliver
    with committing():
        assert len(announce([told(ada)])) == 1
    with committing():
        assert announce([told(ada)]) == []
    (row,) = Announcement.objects.all()
    assert (row.kind, row.subject, row.words, row.path) == (
        URGENT, "Choose", "You are the EC.", "/seasons/one/",
    )  # fmt: skip
    (letter,) = mail.outbox
    assert letter.to == ["ada@x.example"]
    assert letter.subject == "[Gauntlet] Choose"
    assert "You are the EC." in letter.body
    assert "/seasons/one/\n" in letter.body
    assert "/accounts/settings/announcements/" in letter.extra_headers["List-Unsubscribe"]


def test_nobody_is_told_who_has_no_account(ada: User, workers: Workers) -> None:
    closed = user_named("cleo")
    User.objects.filter(pk=closed.pk).update(is_active=False)
    closed.refresh_from_db()
    guest = guest_create()
    with nothing_changes((Announcement, AuditEntry)):
        assert announce([told(guest), told(closed)]) == []
    with pytest.raises(KeyError):
        announce([told(ada, "nothing")])


def test_what_is_taken_back_is_told_to_nobody(ada: User, workers: Workers) -> None:
    with committing(), transaction.atomic():
        announce([told(ada)])
        transaction.set_rollback(True)
    assert not Announcement.objects.exists()
    assert workers.handed == []


@pytest.mark.parametrize(
    ("way", "when", "new", "mails", "digests"),
    [
        (Way.MAIL, When.OFF, True, 0, 0),
        (Way.MAIL, When.DIGEST, True, 0, 1),
        (Way.MAIL, When.NOW, True, 1, 0),
        (Way.SITE, When.OFF, False, 1, 0),
    ],
)
def test_each_is_told_as_they_have_chosen(  # noqa: PLR0917
    ada: User, workers: Workers, way: Way, when: When, new: bool, mails: int, digests: int
) -> None:
    confirmed(ada)
    choices_set(acting_user=ada, chosen={(URGENT, way): when})
    with committing():
        announce([told(ada)])
    assert Announcement.objects.unread().exists() == new
    assert len(workers.of(DELIVER)) == mails
    assert AnnouncementDelivery.objects.filter(in_digest=True).count() == digests


# -- choosing ------------------------------------------------------------------------------------


def test_only_what_differs_is_kept(ada: User) -> None:
    choices_set(acting_user=ada, chosen={(URGENT, Way.MAIL): When.NOW, (NEWS, Way.MAIL): When.OFF})
    assert choices_of(ada) == {(NEWS, Way.MAIL): When.OFF}
    choices_set(acting_user=ada, chosen={(NEWS, Way.MAIL): When.DIGEST})
    assert not AnnouncementChoice.objects.exists()


def test_what_cannot_be_chosen_is_refused(ada: User) -> None:
    for code, chosen in (
        ("announcements.kind", {("nothing", Way.MAIL): When.NOW}),
        ("announcements.when", {(URGENT, Way.SITE): When.DIGEST}),
    ):
        with nothing_changes(), pytest.raises(Refusal) as raised:
            choices_set(acting_user=ada, chosen=chosen)
        assert raised.value.code == code


# -- delivering ----------------------------------------------------------------------------------


def test_an_address_that_is_not_confirmed_gets_nothing(ada: User, workers: Workers) -> None:
    confirmed(ada, verified=False)
    workers.at_once[DELIVER] = deliver
    with committing():
        announce([told(ada)])
    assert mail.outbox == []
    assert AnnouncementDelivery.objects.get().outcome == "unreached"


def test_a_broker_that_is_away_costs_the_time_until_the_sweep(ada: User, workers: Workers) -> None:
    confirmed(ada)
    workers.fault = ConnectionError()
    with committing():
        announce([told(ada)])
    workers.fault = None
    deliveries_sweep()
    assert mail.outbox == []  # somebody may still have it in hand
    AnnouncementDelivery.objects.update(at=now_utc() - timedelta(minutes=1))
    deliveries_sweep()
    deliveries_sweep()
    assert len(mail.outbox) == 1


def test_mail_that_cannot_be_handed_on_is_tried_again(
    ada: User, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirmed(ada)
    with committing():
        announce([told(ada)])
    (delivery,) = AnnouncementDelivery.objects.all()

    def broken(*_: object) -> None:
        raise SMTPException

    with monkeypatch.context() as patched:
        patched.setattr(EmailMessage, "send", broken)
        deliver(delivery.pk)
    assert SetAside.objects.count() == 1
    assert AnnouncementDelivery.objects.get().outcome == "waiting"
    assert delivery_send(delivery_id=delivery.pk)
    assert not delivery_send(delivery_id=delivery.pk)
    assert len(mail.outbox) == 1


# -- the digest ----------------------------------------------------------------------------------


def test_a_digest_has_all_that_waits_in_one_mail(ada: User, workers: Workers) -> None:
    confirmed(ada)
    with committing():
        announce([told(ada, NEWS, str(n), subject=f"News {n}") for n in range(3)])
    assert digest_send(user_id=ada.pk)
    (letter,) = mail.outbox
    assert letter.subject == "[Gauntlet] 3 announcements"
    assert all(f"News {n}" in letter.body for n in range(3))
    assert not digest_send(user_id=ada.pk)
    assert len(mail.outbox) == 1


def test_a_digest_comes_in_the_morning_of_its_reader(ada: User) -> None:
    noon = datetime(2026, 11, 28, 12, 5, tzinfo=UTC)
    ada.time_zone = "Asia/Tokyo"
    assert not is_time_for_digest(ada, noon, noon)
    assert is_time_for_digest(ada, noon, noon.replace(hour=23))
    assert is_time_for_digest(ada, noon - timedelta(hours=26), noon)
    ada.time_zone = ""
    assert is_time_for_digest(ada, noon, noon.replace(hour=8))
    ada.device_zone = "America/New_York"
    assert not is_time_for_digest(ada, noon, noon.replace(hour=8))
    assert is_time_for_digest(ada, noon, noon.replace(hour=13))


def test_digests_go_to_those_whose_morning_it_is(ada: User, workers: Workers) -> None:
    ben = confirmed(user_named("ben", time_zone="Asia/Tokyo"))
    confirmed(ada)
    with time_machine.travel(datetime(2026, 11, 28, 8, 10, tzinfo=UTC), tick=False):
        with committing():
            announce([told(ada, NEWS), told(ben, NEWS)])
        digests_send()
    assert [letter.to for letter in mail.outbox] == [["ada@x.example"]]
    with time_machine.travel(datetime(2026, 11, 28, 23, 10, tzinfo=UTC), tick=False):
        digests_send()
    assert [letter.to for letter in mail.outbox][1:] == [["ben@x.example"]]


# -- reading -------------------------------------------------------------------------------------


def test_whoever_sees_the_list_has_read_it(ada: User, workers: Workers) -> None:
    announce([told(ada)])
    client = Client()
    client.force_login(ada)
    assert b"data-news data-new" in client.get("/lobby/").content
    client.head("/accounts/announcements/")
    page = client.get("/accounts/announcements/").content
    assert b"You are the EC." in page
    assert b"New</span>" in page
    assert b"New</span>" not in client.get("/accounts/announcements/").content
    assert b"data-news data-new" not in client.get("/lobby/").content
    other = Client()
    other.force_login(user_named("ben"))
    assert b"You are the EC." not in other.get("/accounts/announcements/").content
    assert Client().get("/accounts/announcements/").status_code == 302


def test_the_page_of_choices_saves_them(ada: User) -> None:
    client = Client()
    client.force_login(ada)
    address = "/accounts/settings/announcements/"
    assert client.get(address).status_code == 200
    data = {
        f"{kind.key}-{way}": kind.default(way).value
        for kind in kinds.known().values()
        for way in Way
    }
    assert client.post(address, {**data, f"{NEWS}-mail": "off"}).status_code == 302
    assert choices_of(ada) == {(NEWS, Way.MAIL): When.OFF}
    with nothing_changes():
        assert client.post(address, {**data, f"{NEWS}-mail": "maybe"}).status_code == 422
        assert client.post(address, {f"{NEWS}-mail": "off"}).status_code == 422


def test_what_is_old_is_forgotten_once_it_has_gone_out(ada: User, workers: Workers) -> None:
    announce([told(ada, key="old"), told(ada, key="waits"), told(ada, key="fresh")])
    past = now_utc() - timedelta(days=181)
    Announcement.objects.exclude(key="fresh").update(at=past)
    AnnouncementDelivery.objects.exclude(announcement__key="waits").update(
        outcome="sent", settled_at=now_utc()
    )
    assert announcements_prune() == 1
    assert {*Announcement.objects.values_list("key", flat=True)} == {"waits", "fresh"}


def test_declaring_again_changes_nothing() -> None:
    before = dict(kinds.known())
    kinds.declare(Kind(**before[NEWS]._asdict()))
    assert dict(kinds.known()) == before
    assert before[NEWS].urgency is Urgency.NEWS
