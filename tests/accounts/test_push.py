"""Push: what devices are told, by a push service that holds the site to the standards."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.conf import settings as configured
from django.core.management import call_command
from django.test import Client, override_settings

from accounts.announcing import delivering, kinds, push, taking
from accounts.announcing.delivering import (
    PUSHED,
    deliveries_sweep,
    push_send,
    push_test_send,
)
from accounts.announcing.devices import (
    browser_of,
    push_subscription_remove,
    push_subscription_renew,
    push_subscription_set,
    push_subscription_test,
)
from accounts.announcing.kinds import Kind, Urgency, Way, When
from accounts.announcing.push import Result, address_of
from accounts.announcing.services import Told, announce, announcements_move, choices_set
from accounts.announcing.taking import PutOff
from accounts.announcing.tasks import push as push_task
from accounts.announcing.tasks import push_test as push_test_task
from accounts.jobs import PUSH, PUSH_TEST
from accounts.models import Announcement, AnnouncementDelivery, PushSubscription, User
from accounts.services import user_close
from core.clock import now_utc
from core.jobs.models import SetAside
from tests.games.support import committing, refused, user_named
from tests.support.push_service import Browser, PushService, pushing
from tests.support.workers import Workers

URGENT = "episode.choice"
SETTINGS = "/accounts/settings/announcements/"


@pytest.fixture
def service() -> Iterator[PushService]:
    with pushing() as there:
        there.site_key = push.public_key()
        yield there


@pytest.fixture
def ada(db: None) -> User:
    return user_named("ada", display_name="Ada")


def switched_on(user: User, browser: Browser, **more: str) -> PushSubscription:
    given = {**browser.subscription, "browser": "Firefox on Linux", **more}
    return push_subscription_set(acting_user=user, **given)


def told(user: User, kind: str = URGENT, key: str = "a", **more: Any) -> Told:
    given = {"subject": "Choose", "words": "You are the EC.", "path": "/seasons/one/", **more}
    return Told(user, kind, key, **given)


def at_once(workers: Workers) -> None:
    workers.at_once[PUSH] = push_task


def signed_in(user: User, **more: Any) -> Client:
    client = Client(**more)
    client.force_login(user)
    return client


# -- what arrives --------------------------------------------------------------------------------


def test_every_kind_reaches_a_device_and_nothing_but_the_announcement_does(
    ada: User, service: PushService, workers: Workers
) -> None:
    browser = service.browser()
    switched_on(ada, browser)
    at_once(workers)
    every = list(kinds.known().values())
    choices_set(acting_user=ada, chosen={(kind.key, Way.PUSH): When.NOW for kind in every})
    for kind in every:
        with committing():
            announce(
                [told(ada, kind.key, kind.key, subject=kind.what, words=f"Of {kind.key}: “é”.")]
            )
        message = browser.messages[-1]
        assert message.told == {
            "subject": kind.what,
            "words": f"Of {kind.key}: “é”.",
            "url": f"{configured.GAUNTLET_ORIGIN}/seasons/one/",
            "tag": message.topic,
            "kind": kind.key,
        }
        worth = 600 if kind.replaces else push.TTL[kind.urgency]
        assert 0 <= worth - int(message.headers["ttl"]) <= 60
        high = kind.urgency is Urgency.NOW
        assert (message.headers["urgency"] == "high") == high
    assert len(browser.messages) == len(every)
    assert len({message.topic for message in browser.messages}) == len(every)
    assert {*AnnouncementDelivery.objects.filter(way="push").values_list("outcome", flat=True)} == {
        "sent"
    }
    device = PushSubscription.objects.get()
    assert device.reached_at is not None


def test_all_of_somebodys_devices_are_told_and_nobody_elses(
    ada: User, service: PushService, workers: Workers
) -> None:
    one, two, other = (service.browser(name) for name in ("one", "two", "other"))
    switched_on(ada, one)
    switched_on(ada, two)
    switched_on(user_named("ben"), other)
    at_once(workers)
    with committing():
        announce([told(ada)])
    assert [len(each.messages) for each in (one, two, other)] == [1, 1, 0]


def test_a_newer_one_takes_the_place_of_an_older_where_the_kind_says_so(
    ada: User, service: PushService, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = Kind("x.turn", "X", "It is your turn", "Both", Urgency.NOW, replaces=True)
    monkeypatch.setattr(kinds, "_kinds", {**kinds._kinds, kind.key: kind})
    browser = service.browser()
    switched_on(ada, browser)
    at_once(workers)
    for about, key, path in (
        (kind.key, "1", "/matches/1/"),
        (kind.key, "2", "/matches/1/"),
        (kind.key, "3", "/matches/2/"),
        (URGENT, "4", "/matches/1/"),
        (URGENT, "5", "/matches/1/"),
    ):
        with committing():
            announce([told(ada, about, key, path=path)])
    topics = [message.topic for message in browser.messages]
    assert topics[0] == topics[1]
    assert len({*topics}) == 4
    kept = Announcement.objects.order_by("key").values_list("key", flat=True)
    assert [*kept] == ["2", "3", "4", "5"]


def test_what_is_long_is_shortened_to_what_a_service_takes(
    ada: User, service: PushService, workers: Workers
) -> None:
    browser = service.browser()
    switched_on(ada, browser)
    at_once(workers)
    with committing():
        announce([told(ada, words="€" * 2000, subject="é" * 250)])
    (message,) = browser.messages
    assert message.size < 4096
    assert message.told["words"].endswith("€…")
    assert len(message.told["words"]) > 500
    assert message.told["subject"] == "é" * 250


# -- who is told nothing -------------------------------------------------------------------------


def test_nothing_is_sent_to_whoever_has_chosen_not_to(
    ada: User, service: PushService, workers: Workers
) -> None:
    switched_on(ada, service.browser())
    choices_set(acting_user=ada, chosen={(URGENT, Way.PUSH): When.OFF})
    with committing():
        announce([told(ada), told(ada, "season.news", "news")])
    assert workers.of(PUSH) == []
    assert not AnnouncementDelivery.objects.filter(way="push").exists()


def test_without_a_device_or_a_key_nothing_is_kept_to_be_sent(
    ada: User, service: PushService, workers: Workers, settings: Any
) -> None:
    with committing():
        announce([told(ada)])
    switched_on(ada, service.browser())
    settings.GAUNTLET_VAPID_PRIVATE_KEY = ""
    with committing():
        announce([told(ada, key="b")])
    assert not AnnouncementDelivery.objects.filter(way="push").exists()
    page = signed_in(ada).get(SETTINGS).content.decode()
    assert "This site sends nothing to devices." in page
    assert "data-push-on" not in page


def test_whoever_has_gone_meanwhile_is_not_reached(
    ada: User, service: PushService, workers: Workers
) -> None:
    device = switched_on(ada, service.browser())
    with committing():
        announce([told(ada), told(ada, key="b"), told(ada, key="c")])
    first, second, third = AnnouncementDelivery.objects.filter(way="push").order_by("pk")
    with override_settings(GAUNTLET_VAPID_PRIVATE_KEY=""):
        assert push_send(delivery_id=first.pk)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert push_send(delivery_id=second.pk)
    User.objects.filter(pk=ada.pk).update(is_active=True)
    device.delete()
    assert push_send(delivery_id=third.pk)
    assert service.requests == 0
    assert {*AnnouncementDelivery.objects.filter(way="push").values_list("outcome", flat=True)} == {
        "unreached"
    }


# -- what a service answers ----------------------------------------------------------------------


@pytest.mark.parametrize("status", [404, 410])
def test_a_device_that_is_gone_is_forgotten(
    ada: User, service: PushService, workers: Workers, status: int
) -> None:
    switched_on(ada, service.browser("gone"))
    there = service.browser("there")
    switched_on(ada, there)
    service.answers = [status]
    at_once(workers)
    with committing():
        announce([told(ada)])
    assert len(there.messages) == 1
    assert [each.endpoint for each in PushSubscription.objects.all()] == [
        there.subscription["endpoint"]
    ]
    assert AnnouncementDelivery.objects.get(way="push").outcome == "sent"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_is_put_off_is_tried_again_where_it_was_not_taken(
    ada: User, service: PushService, workers: Workers, status: int
) -> None:
    one, two = service.browser("one"), service.browser("two")
    switched_on(ada, one)
    switched_on(ada, two)
    service.answers = [status]
    at_once(workers)
    with committing():
        announce([told(ada)])
    assert (len(one.messages), len(two.messages)) == (0, 1)
    assert SetAside.objects.get().job == PUSHED
    row = AnnouncementDelivery.objects.get(way="push")
    assert row.outcome == "waiting"
    AnnouncementDelivery.objects.update(at=now_utc() - timedelta(minutes=1))
    deliveries_sweep()  # set aside: not yet
    assert len(one.messages) == 0
    SetAside.objects.update(next_at=now_utc())
    deliveries_sweep()
    deliveries_sweep()
    assert (len(one.messages), len(two.messages)) == (1, 1)
    assert AnnouncementDelivery.objects.get(way="push").outcome == "sent"
    assert not SetAside.objects.exists()


def test_a_service_that_cannot_be_reached_is_tried_as_long_as_it_is_worth_it(
    ada: User, service: PushService, workers: Workers
) -> None:
    device = switched_on(ada, service.browser())
    PushSubscription.objects.update(endpoint="http://127.0.0.1:1/send/one")
    with committing():
        announce([told(ada)])
    row = AnnouncementDelivery.objects.get(way="push")
    with pytest.raises(PutOff):
        push_send(delivery_id=row.pk)
    AnnouncementDelivery.objects.update(at=now_utc() - timedelta(hours=2))
    assert push_send(delivery_id=row.pk)
    row.refresh_from_db()
    assert row.outcome == "unreached"
    device.refresh_from_db()
    assert device.failures == 0


def test_a_device_that_is_refused_again_and_again_is_forgotten(
    ada: User, service: PushService, workers: Workers
) -> None:
    browser = service.browser()
    device = switched_on(ada, browser)
    at_once(workers)
    service.answers = [400, 403, 413, 307, 201, 400, 400, 400, 400]
    for n in range(9):
        with committing():
            announce([told(ada, key=str(n))])
    device.refresh_from_db()
    assert device.failures == 4
    service.answers = [400]
    with committing():
        announce([told(ada, key="last")])
    assert not PushSubscription.objects.exists()
    # Where a service leads elsewhere nobody goes.
    assert (service.requests, browser.messages) == (10, [])


def test_a_key_of_another_site_is_refused(ada: User, service: PushService, settings: Any) -> None:
    device = switched_on(ada, service.browser())
    settings.GAUNTLET_VAPID_PRIVATE_KEY = push.key_make()
    assert push_test_send(device_id=device.pk) is Result.REFUSED
    assert service.faults == ["the signature is of another site"]
    service.faults.clear()


def test_what_somebody_is_at_is_left_to_them_unless_they_were_killed(
    ada: User, service: PushService, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = service.browser()
    switched_on(ada, browser)
    with committing():
        announce([told(ada)])
    row = AnnouncementDelivery.objects.get(way="push")
    AnnouncementDelivery.objects.update(taken_at=now_utc())
    assert not push_send(delivery_id=row.pk)
    AnnouncementDelivery.objects.update(taken_at=now_utc() - timedelta(minutes=4))
    monkeypatch.setattr(delivering.PUSH_SENDERS, "busy", configured.GAUNTLET_PUSH_SENDERS)
    push_task(row.pk)
    assert workers.handed[-1][1:] == ((row.pk,), taking.BUSY_PAUSE_S)
    # An old one is found by the sweep, so it is not handed on for ever; nor is one that is done.
    AnnouncementDelivery.objects.update(at=now_utc() - timedelta(minutes=1))
    workers.handed.clear()
    push_task(row.pk)
    assert workers.handed == []
    deliveries_sweep()
    assert workers.of(PUSH) == [(row.pk,)]
    monkeypatch.setattr(delivering.PUSH_SENDERS, "busy", 0)
    push_task(row.pk)
    assert not push_send(delivery_id=row.pk)
    assert len(browser.messages) == 1
    workers.handed.clear()
    monkeypatch.setattr(delivering.PUSH_SENDERS, "busy", configured.GAUNTLET_PUSH_SENDERS)
    AnnouncementDelivery.objects.update(at=now_utc())
    push_task(row.pk)
    assert workers.handed == []


# -- devices -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("endpoint", "known"),
    [
        ("https://fcm.googleapis.com/fcm/send/abc:def?x=1", True),
        ("https://updates.push.services.mozilla.com/wpush/v2/abc", True),
        ("https://web.push.apple.com/abc", True),
        ("https://wns2-am3p.notify.windows.com/w/?token=abc", True),
        ("https://fcm.googleapis.com:443/x", True),
        ("https://fcm.googleapis.com:8443/x", False),
        ("http://fcm.googleapis.com/x", False),
        ("https://evil.example/x", False),
        ("https://fcm.googleapis.com.evil.example/x", False),
        ("https://evilfcm.googleapis.com/x", False),
        ("https://push.services.mozilla.com.evil.example/", False),
        ("https://evil.example\\@fcm.googleapis.com/x", False),
        ("https://fcm.googleapis.com@evil.example/x", False),
        ("https://me@fcm.googleapis.com/x", False),
        ("https://fcm.googleapis.com/ x", False),
        ("https://fcm.googleapis.com:x/", False),
        ("https://10.0.0.1/", False),
        ("http://10.0.0.1/", False),
        ("file:///etc/passwd", False),
        ("nothing", False),
        ("", False),
        (f"https://fcm.googleapis.com/{'x' * 1000}", False),
    ],
)
def test_nothing_is_sent_but_to_push_services_that_the_settings_name(
    endpoint: str, known: bool
) -> None:
    assert (address_of(endpoint) is not None) == known


def test_this_machine_is_a_push_service_for_tests_alone(settings: Any) -> None:
    assert address_of("http://127.0.0.1:4000/x") == (
        "http://127.0.0.1:4000", "http://127.0.0.1:4000/x",
    )  # fmt: skip
    settings.GAUNTLET_PUSH_PLAIN_HTTP = False
    assert address_of("http://127.0.0.1:4000/x") is None
    assert address_of("https://127.0.0.1:443/x") is None


def test_a_host_that_is_known_no_more_is_spoken_to_no_more(
    ada: User, service: PushService, settings: Any
) -> None:
    device = switched_on(ada, service.browser())
    settings.GAUNTLET_PUSH_PLAIN_HTTP = False
    assert push_test_send(device_id=device.pk) is Result.REFUSED
    assert service.requests == 0


def test_what_no_browser_would_say_is_refused(
    ada: User, service: PushService, settings: Any
) -> None:
    given = {"acting_user": ada, "browser": "Firefox", **service.browser().subscription}
    point = given["p256dh"]
    for code, wrong in (
        ("push.endpoint", {"endpoint": "https://evil.example/"}),
        ("push.keys", {"p256dh": ""}),
        ("push.keys", {"p256dh": "é"}),
        ("push.keys", {"p256dh": "!" * 87}),
        ("push.keys", {"p256dh": "B" + "A" * 86}),
        ("push.keys", {"p256dh": str(point)[:60]}),
        ("push.keys", {"auth": "AAAA"}),
        ("push.keys", {"auth": ""}),
    ):
        refused(code, push_subscription_set, **{**given, **wrong})
    settings.GAUNTLET_PUSH_DEVICES = 1
    switched_on(ada, service.browser("first"))
    refused("push.too-many", push_subscription_set, **given)
    settings.GAUNTLET_VAPID_PRIVATE_KEY = ""
    refused("push.off", push_subscription_set, **given)
    refused("push.off", push_subscription_test, acting_user=ada, device_id=1)


def test_a_browser_is_whoevers_it_was_last_switched_on_by(
    ada: User, service: PushService, workers: Workers, settings: Any
) -> None:
    settings.GAUNTLET_PUSH_DEVICES = 1
    browser = service.browser()
    device = switched_on(ada, browser)
    PushSubscription.objects.update(failures=3)
    assert switched_on(ada, browser).pk == device.pk
    assert PushSubscription.objects.get().failures == 0
    ben = user_named("ben")
    assert switched_on(ben, browser).pk == device.pk
    assert PushSubscription.objects.get().user == ben


def test_devices_are_ones_own(ada: User, service: PushService, workers: Workers) -> None:
    device = switched_on(ada, service.browser())
    ben = user_named("ben")
    for act in (push_subscription_remove, push_subscription_test):
        refused("push.no-device", act, acting_user=ben, device_id=device.pk)
    workers.fault = ConnectionError()
    refused("push.not-now", push_subscription_test, acting_user=ada, device_id=device.pk)
    push_subscription_remove(acting_user=ada, device_id=device.pk)
    assert not PushSubscription.objects.exists()
    assert push_test_send(device_id=device.pk) is None


def test_an_address_that_its_service_gives_anew_is_known_by_the_old_one(
    ada: User, service: PushService
) -> None:
    old, new, third = (service.browser(name) for name in ("old", "new", "third"))
    switched_on(ada, old)
    switched_on(ada, third)
    before = {"before": old.subscription["endpoint"], "secret": old.subscription["auth"]}
    for code, wrong in (
        ("push.no-device", {"secret": "AAAAAAAAAAAAAAAAAAAAAA"}),
        ("push.no-device", {"before": new.subscription["endpoint"]}),
        ("push.no-device", {"endpoint": third.subscription["endpoint"]}),
        ("push.endpoint", {"endpoint": "https://evil.example/"}),
        ("push.keys", {"auth": ""}),
    ):
        refused(code, push_subscription_renew, **{**before, **new.subscription, **wrong})
    address = "/accounts/settings/devices/renew/"
    client = Client(enforce_csrf_checks=True)
    assert client.post(address, {**before, **new.subscription}).status_code == 204
    assert client.post(address, {**before, **new.subscription}).status_code == 404
    for odd in ({"before": "\0"}, {"secret": "a\0"}, {"secret": ""}):
        assert client.post(address, {**before, **new.subscription, **odd}).status_code == 404
    endpoints = {*PushSubscription.objects.values_list("endpoint", flat=True)}
    assert endpoints == {new.subscription["endpoint"], third.subscription["endpoint"]}


# -- the pages -----------------------------------------------------------------------------------


def test_a_device_is_switched_on_tested_and_removed_by_its_pages(
    ada: User, service: PushService, workers: Workers
) -> None:
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    client = signed_in(ada, headers={"User-Agent": agent})
    browser = service.browser()
    set_at = "/accounts/settings/devices/"
    answer = client.post(set_at, {**browser.subscription, "endpoint": "https://evil.example/"})
    assert (answer.status_code, answer.json()["code"]) == (400, "push.endpoint")
    assert client.post(set_at, browser.subscription).status_code == 204
    device = PushSubscription.objects.get()
    page = client.get(SETTINGS).content.decode()
    assert "Firefox on Linux" in page
    assert "This one" in page
    assert push.public_key() in page
    for secret in browser.subscription.values():
        assert secret not in page
    workers.at_once[PUSH_TEST] = push_test_task
    assert client.post(f"{set_at}{device.pk}/test/").status_code == 302
    (message,) = browser.messages
    assert message.told["url"].endswith("/accounts/announcements/")
    other = signed_in(user_named("ben"))
    for act in ("test", "remove"):
        other.post(f"{set_at}{device.pk}/{act}/")
        assert client.get(f"{set_at}{device.pk}/{act}/").status_code == 405
        assert "login" in Client().post(f"{set_at}{device.pk}/{act}/")["Location"]
    assert "Firefox" not in other.get(SETTINGS).content.decode()
    assert len(browser.messages) == 1
    assert PushSubscription.objects.exists()
    assert client.post(f"{set_at}{device.pk}/remove/").status_code == 302
    assert not PushSubscription.objects.exists()


def test_whoever_signs_out_is_told_nothing_there(ada: User, service: PushService) -> None:
    client = signed_in(ada)
    client.post("/accounts/settings/devices/", service.browser().subscription)
    switched_on(ada, service.browser("elsewhere"))
    client.post("/accounts/logout/")
    endpoints = PushSubscription.objects.values_list("endpoint", flat=True)
    assert [each.rpartition("/")[2] for each in endpoints] == ["elsewhere"]


def test_nobody_is_told_where_somebody_else_has_signed_in(ada: User, service: PushService) -> None:
    """The session is over, and the browser still is whose it was."""
    ben = user_named("ben")
    for person in (ada, ben):
        person.set_password("two-enter-one-goes")
        person.save()
    client = signed_in(ada)
    client.post("/accounts/settings/devices/", service.browser().subscription)
    client.cookies.pop(configured.SESSION_COOKIE_NAME)
    sign_in = {"login": "ada", "password": "two-enter-one-goes"}
    assert client.post("/accounts/login/", sign_in).status_code == 302
    assert PushSubscription.objects.get().user == ada
    client.cookies.pop(configured.SESSION_COOKIE_NAME)
    assert client.post("/accounts/login/", {**sign_in, "login": "ben"}).status_code == 302
    assert not PushSubscription.objects.exists()


def test_an_account_that_is_closed_or_merged_has_no_devices(
    ada: User, service: PushService
) -> None:
    root = User.objects.create_superuser("root")
    switched_on(ada, service.browser())
    user_close(acting_user=root, user=ada, reason="Gone.")
    assert not PushSubscription.objects.exists()
    keep, duplicate = user_named("keep"), user_named("twice")
    switched_on(duplicate, service.browser())
    announcements_move(keep, duplicate)
    assert not PushSubscription.objects.exists()


WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
CHROME = f"{WEBKIT} Chrome/140.0.0.0"
HEADLESS = f"{WEBKIT} HeadlessChrome/140.0.0.0"
SAFARI = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0"
A_PHONE = "(iPhone; CPU iPhone OS 18_0 like Mac OS X)"


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("(X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        (f"(Windows NT 10.0) {CHROME} Safari/537.36 Edg/140.0.0.0", "Edge on Windows"),
        (f"(Linux; Android 10; K) {CHROME} Mobile Safari/537.36", "Chrome on Android"),
        (f"{A_PHONE} {SAFARI} Mobile/15E148 Safari/604.1", "Safari on an iPhone"),
        (f"(Macintosh; Intel Mac OS X 10_15_7) {SAFARI} Safari/605.1.15", "Safari on a Mac"),
        (f"(iPad; CPU OS 18_0 like Mac OS X) {SAFARI} Mobile/15E148 Safari/604.1",
         "Safari on an iPad"),
        (f"(X11; CrOS x86_64 14541.0.0) {CHROME} Safari/537.36", "Chrome on ChromeOS"),
        # None of these is the browser that it also names.
        (f"(X11; Linux x86_64) {HEADLESS} Safari/537.36", "Headless Chrome on Linux"),
        (f"(Windows NT 10.0) {HEADLESS} Safari/537.36 Edg/140.0.0.0", "Edge on Windows"),
        (f"(X11; Linux x86_64) {WEBKIT} Ubuntu Chromium/140.0 Chrome/140.0 Safari/537.36",
         "Chromium on Linux"),
        (f"(Windows NT 10.0) {CHROME} Safari/537.36 Edge/18.19045", "Edge on Windows"),
        (f"(Linux; Android 10; K) {CHROME} Mobile Safari/537.36 EdgA/140.0.0.0",
         "Edge on Android"),
        (f"{A_PHONE} {SAFARI} EdgiOS/140.0.0.0 Mobile/15E148 Safari/604.1", "Edge on an iPhone"),
        (f"(Windows NT 10.0) {CHROME} Safari/537.36 OPR/120.0.0.0", "Opera on Windows"),
        (f"{A_PHONE} {SAFARI} Mobile/15E148 Safari/604.1 OPT/6.1.2", "Opera on an iPhone"),
        (f"(Linux; Android 10; K) {WEBKIT} SamsungBrowser/28.0 Chrome/130.0 Safari/537.36",
         "Samsung Internet on Android"),
        (f"(Windows NT 10.0) {CHROME} Safari/537.36 Vivaldi/7.5", "Vivaldi on Windows"),
        (f"(Windows NT 10.0) {CHROME} YaBrowser/25.6 Safari/537.36", "Yandex Browser on Windows"),
        (f"(Macintosh; Intel Mac OS X 10_15_7) {SAFARI} Safari/605.1.15 Ddg/18.0",
         "DuckDuckGo on a Mac"),
        (f"{A_PHONE} {SAFARI} Mobile/15E148 DuckDuckGo/7 Safari/605.1.15",
         "DuckDuckGo on an iPhone"),
        (f"{A_PHONE} {WEBKIT} CriOS/140.0 Mobile/15E148 Safari/604.1", "Chrome on an iPhone"),
        (f"{A_PHONE} {WEBKIT} FxiOS/140.0 Mobile/15E148 Safari/605.1.15", "Firefox on an iPhone"),
        (f"{A_PHONE} {WEBKIT} GSA/380.0 Mobile/15E148 Safari/604.1", "A browser on an iPhone"),
        (f"{A_PHONE} {WEBKIT} Mobile/15E148 [FBAN/FBIOS;FBAV/500.0]", "A browser on an iPhone"),
        (f"(X11; Linux x86_64) {SAFARI} Safari/605.1.15", "A browser on Linux"),
        (f"(Linux; U; Android 4.3) {WEBKIT} Version/4.0 Mobile Safari/534.30",
         "A browser on Android"),
        ("<b>", "A browser"), ("", "A browser"),
    ],
)  # fmt: skip
def test_a_browser_is_named_for_the_list(agent: str, words: str) -> None:
    assert browser_of(f"Mozilla/5.0 {agent}") == words


def test_a_key_is_made_that_the_settings_take(settings: Any) -> None:
    said = StringIO()
    call_command("vapid_key", stdout=said)
    name, _, key = said.getvalue().strip().partition("=")
    setattr(settings, name, key)
    assert len(push.from_text(push.public_key())) == 65
    settings.GAUNTLET_VAPID_PRIVATE_KEY = "c2hvcnQ"
    with pytest.raises(ValueError, match="PRIVATE_KEY"):
        push.public_key()
