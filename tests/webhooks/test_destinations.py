"""Nothing is sent into our own network, however the address is written or resolved."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from datetime import timedelta
from typing import Any

import pytest

from core.refusals import Refusal
from script.lib.console import ROOT
from tests.games.support import user_named
from tests.support.site import wait_for
from tests.webhooks.receiver import Receiver
from tests.webhooks.support import Stage
from tournaments.models import Season, SeasonOrganiser
from tournaments.webhooks import destinations, services
from tournaments.webhooks.destinations import destination_of
from tournaments.webhooks.models import Webhook


@pytest.fixture(autouse=True)
def in_production(settings: Any) -> None:
    settings.GAUNTLET_WEBHOOK_EXTRA_NETWORKS = []
    settings.GAUNTLET_WEBHOOK_PLAIN_HTTP = False


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """What names resolve to; addresses mean themselves."""
    known: dict[str, list[str]] = {"public.example": ["93.184.216.34"]}
    real = socket.getaddrinfo

    def resolve(host: str, port: int, **more: Any) -> Any:
        found = [each for name in known.get(host, [host]) for each in real(name, port, **more)]
        assert found
        return found

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return known


def code_of(url: str) -> str:
    with pytest.raises(Refusal) as caught:
        destination_of(url)
    return caught.value.code


INTERNAL = [
    "0.0.0.0",  # noqa: S104
    "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200",
    "127.0.0.1", "127.8.9.1", "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255",
    "192.0.0.8", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1",
    "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::ffff:127.0.0.1", "::ffff:93.184.216.34", "::127.0.0.1", "64:ff9b::7f00:1",
    "64:ff9b::a00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:10::1", "2001:db8::1", "2002:7f00:1::", "2002:a00:1::1", "3fff::1", "5f00::1",
    "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1",
]  # fmt: skip
PUBLIC = ["93.184.216.34", "1.1.1.1", "172.32.0.1", "192.167.1.1", "2606:4700:4700::1111"]


@pytest.mark.parametrize("address", INTERNAL)
def test_internal_addresses_are_refused(address: str, names: dict[str, list[str]]) -> None:
    names["rebound.example"] = [address]
    assert code_of("https://rebound.example/") == "webhook.url-internal"
    literal = f"[{address}]" if ":" in address else address
    assert code_of(f"https://{literal}/") == "webhook.url-internal"


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_taken(address: str, names: dict[str, list[str]]) -> None:
    names["public.example"] = [address]
    found = destination_of("https://public.example/a?b=c")
    assert found == ("https", "public.example", 443, "/a?b=c", (address,))


def test_one_internal_address_among_public_ones_is_enough(names: dict[str, list[str]]) -> None:
    names["both.example"] = ["93.184.216.34", "10.0.0.1"]
    assert code_of("https://both.example/") == "webhook.url-internal"


@pytest.mark.parametrize("host", ["localhost", "localhost.", "LOCALHOST", "127.0.0.1."])
def test_other_ways_to_write_this_machine(host: str) -> None:
    assert code_of(f"https://{host}/") == "webhook.url-internal"


@pytest.mark.parametrize(
    "host",
    [
        "127.1", "2130706433", "0x7f000001", "0X7F.1", "0x", "0177.0.0.1", "0", "010.010.010.010",
        "8.8.8.08", "8.8.8", "8.8.8.8.8", "256.1.1.1", "public.example.1", "08.8.8.8.",
    ],
)  # fmt: skip
def test_numbers_that_are_no_plain_address(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """010.010.010.010 is 8.8.8.8 to the resolver and nothing at all to the client."""
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_more: pytest.fail("asked"))
    assert code_of(f"https://{host}/") == "webhook.url"


@pytest.mark.parametrize("host", ["cafe.be", "1.example", "0x7f.example", "7.7.7.de"])
def test_names_with_digits_are_names(host: str, names: dict[str, list[str]]) -> None:
    names[host] = ["93.184.216.34"]
    assert destination_of(f"https://{host}/").host == host


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://public.example/", "webhook.url-https"),
        ("https://public.example:22/", "webhook.url-port"),
        ("https://public.example:80/", "webhook.url-port"),
        ("https://me@public.example/", "webhook.url-credentials"),
        ("https://me:secret@public.example/", "webhook.url-credentials"),
        ("https://public.example@10.0.0.1/", "webhook.url-credentials"),
        ("ftp://public.example/", "webhook.url"),
        ("file:///etc/passwd", "webhook.url"),
        ("gopher://public.example/", "webhook.url"),
        ("public.example/hook", "webhook.url"),
        ("https://", "webhook.url"),
        ("https:///hook", "webhook.url"),
        ("https://public.example:0/", "webhook.url"),
        ("https://public.example:99999/", "webhook.url"),
        ("https://public.example:x/", "webhook.url"),
        ("https://[fe80::1%25eth0]/", "webhook.url"),
        ("https://public.example/\r\nHost: other", "webhook.url"),
        ("https://public.example\\@10.0.0.1/", "webhook.url"),
        ("https://exämple.org/", "webhook.url"),
        ("https://[::1/", "webhook.url"),
        ("https://public.example/" + "a" * 500, "webhook.url"),
        ("", "webhook.url"),
    ],
)
def test_addresses_that_are_no_use(url: str, code: str, names: dict[str, list[str]]) -> None:
    assert code_of(url) == code


def test_a_name_that_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_args: Any, **_more: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert code_of("https://nowhere.example/") == "webhook.url-unknown-host"


class SlowNames:
    """Name servers that say nothing about any host of slow.example, until they are `freed`."""

    def __init__(self, patch: pytest.MonkeyPatch, settings: Any) -> None:
        self.settings = settings
        self.asked: list[str] = []
        self.freed = threading.Event()
        self.submit = destinations._RESOLVER.submit
        patch.setattr(socket, "getaddrinfo", self.resolve)
        patch.setattr(destinations._RESOLVER, "submit", self.begun)

    def begun(self, call: Callable[..., Any], *args: Any, **more: Any) -> Future[Any]:
        """A look-up that a thread has begun with: on a busy machine that may take longer than
        anybody here has patience for, and what nobody waits for any more is not begun."""
        begun = threading.Event()

        def run() -> Any:
            begun.set()
            return call(*args, **more)

        future = self.submit(run)
        assert begun.wait(20)
        return future

    def nobody_waits(self) -> None:
        """From now on nobody has the patience for a slow look-up."""
        self.settings.GAUNTLET_WEBHOOK_RESOLVE_SECONDS = 0.05

    def resolve(self, host: str, port: int, **_more: Any) -> Any:
        if host.endswith("slow.example"):
            self.asked.append(host)
            self.freed.wait(60)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", port))]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[SlowNames]:
    slow = SlowNames(monkeypatch, settings)
    yield slow
    slow.freed.set()
    wait_for(lambda: not destinations._in_flight, what="the look-ups to end")


def test_name_servers_that_say_nothing(slow: SlowNames) -> None:
    slow.nobody_waits()
    assert code_of("https://slow.example/") == "webhook.url-not-looked-up"


def test_name_servers_that_cannot_say_now(monkeypatch: pytest.MonkeyPatch) -> None:
    def unsure(*_args: Any, **_more: Any) -> Any:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", unsure)
    assert code_of("https://nowhere.example/") == "webhook.url-not-looked-up"


def test_slow_name_servers_keep_only_their_own_waiting(slow: SlowNames, settings: Any) -> None:
    """A look-up cannot be broken off; those of one owner, and of one host, take two of eight
    threads."""

    def refused(url: str, owner: int) -> None:
        with pytest.raises(Refusal) as caught:
            destination_of(url, owner)
        assert caught.value.code == "webhook.url-not-looked-up"

    slow.nobody_waits()
    for number in range(10):
        refused(f"https://h{number}.slow.example/", 1)
    assert slow.asked == ["h0.slow.example", "h1.slow.example"]
    for owner in range(2, 12):
        refused("https://same.slow.example/", owner)
    assert slow.asked[2:] == ["same.slow.example"] * 2
    refused("https://public.example/", 1)  # this owner has two under way

    settings.GAUNTLET_WEBHOOK_RESOLVE_SECONDS = 10
    assert destination_of("https://public.example/", 99).host == "public.example"
    slow.freed.set()
    assert destination_of("https://h9.slow.example/", 1).host == "h9.slow.example"


@pytest.mark.django_db
def test_many_seasons_of_one_owner_are_one_owners(stage: Stage, slow: SlowNames) -> None:
    """When a webhook is saved and when it is told something."""
    webhook = stage.webhook("https://public.example/")
    stage.event()
    slow.nobody_waits()
    for number in range(4):
        season = Season.objects.create(
            slug=f"s{number}", name="S", format="swiss", created_by=stage.orla
        )
        SeasonOrganiser.objects.create(season=season, user=stage.orla)
        with pytest.raises(Refusal):
            services.webhook_create(
                acting_user=stage.orla, season=season, name="x", flavour="json",
                url=f"https://h{number}.slow.example/", kinds=["ruling"],
            )  # fmt: skip
    assert slow.asked == ["h0.slow.example", "h1.slow.example"]
    Webhook.objects.update(url="https://h9.slow.example/")
    assert stage.drain(webhook) == 1
    assert "takes too long" in stage.only(webhook).fault
    assert len(slow.asked) == 2


@pytest.mark.django_db
def test_a_look_up_that_takes_too_long_is_not_the_receivers_failure(
    stage: Stage, slow: SlowNames
) -> None:
    webhook = stage.webhook("https://public.example/")
    stage.event()
    slow.nobody_waits()
    Webhook.objects.update(
        url="https://slow.example/", failures=50, failing_since=stage.at - timedelta(days=4)
    )
    assert stage.drain(webhook) == 1
    assert stage.drain(webhook) == 0  # tried again later, like everything
    delivery = stage.only(webhook)
    assert (delivery.status, delivery.attempts) == ("pending", 1)
    assert "takes too long" in delivery.fault
    assert delivery.next_at > stage.at
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.active) == (50, True)


def test_settings_open_a_network_and_plain_http_for_this_machine_only(
    settings: Any, names: dict[str, list[str]]
) -> None:
    settings.GAUNTLET_WEBHOOK_EXTRA_NETWORKS = ["127.0.0.0/8", "10.1.0.0/16"]
    assert code_of("http://127.0.0.1:9000/") == "webhook.url-https"
    settings.GAUNTLET_WEBHOOK_PLAIN_HTTP = True
    assert destination_of("http://127.0.0.1:9000/").port == 9000
    assert destination_of("https://10.1.2.3:9000/").port == 9000
    assert code_of("http://10.1.2.3:9000/") == "webhook.url-https"
    assert code_of("http://public.example/") == "webhook.url-https"
    assert code_of("https://10.2.0.1/") == "webhook.url-internal"


def test_a_receiver_in_development_is_as_the_documentation_says(settings: Any) -> None:
    text = (ROOT / "docs" / "webhooks.md").read_text()
    said = dict(re.findall(r"(GAUNTLET_WEBHOOK_\w+)=(\S+)", text))
    address = re.search(r"`(http://127\.0\.0\.1:\d+/hook)`", text)
    assert address
    assert code_of(address[1]) == "webhook.url-internal"
    settings.GAUNTLET_WEBHOOK_EXTRA_NETWORKS = said["GAUNTLET_WEBHOOK_EXTRA_NETWORKS"].split(",")
    assert code_of(address[1]) == "webhook.url-https"
    settings.GAUNTLET_WEBHOOK_PLAIN_HTTP = said["GAUNTLET_WEBHOOK_PLAIN_HTTP"] == "true"
    assert destination_of(address[1]).host == "127.0.0.1"


@pytest.mark.django_db
def test_a_webhook_is_checked_when_it_is_saved(stage: Stage) -> None:
    with pytest.raises(Refusal) as caught:
        stage.webhook("https://169.254.169.254/latest/meta-data/")
    assert caught.value.code == "webhook.url-internal"
    assert not stage.season.webhooks.exists()


@pytest.mark.django_db
def test_and_again_at_every_send(
    stage: Stage, receiver: Receiver, settings: Any, names: dict[str, list[str]]
) -> None:
    """DNS rebinding: a name that was public when the webhook was saved."""
    webhook = stage.webhook(f"https://public.example:8443/{receiver.port}")
    stage.event()
    names["public.example"] = ["127.0.0.1"]
    stage.drain(webhook)
    delivery = stage.only(webhook)
    assert delivery.status == "pending"
    assert "public internet" in delivery.fault
    assert receiver.taken == []


@pytest.mark.django_db
def test_the_connection_goes_to_the_address_that_was_checked(
    stage: Stage, receiver: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that answers differently once it has been checked gains nothing: it is not asked."""
    settings.GAUNTLET_WEBHOOK_EXTRA_NETWORKS = ["127.0.0.0/8"]
    settings.GAUNTLET_WEBHOOK_PLAIN_HTTP = True
    asked: list[str] = []
    real = socket.getaddrinfo

    def once(host: str, port: int, *args: Any, **more: Any) -> Any:
        if host == "fickle.example":
            asked.append(host)
            return real("127.0.0.1" if len(asked) <= 2 else "127.66.66.66", port, *args, **more)
        return real(host, port, *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", once)
    webhook = stage.webhook(f"http://fickle.example:{receiver.port}/")
    stage.event()
    stage.drain(webhook)
    assert stage.only(webhook).status == "delivered"
    assert asked == ["fickle.example"] * 2  # once when it was saved, once when it was sent
    assert receiver.taken[0].headers["host"] == f"fickle.example:{receiver.port}"


@pytest.mark.django_db
def test_only_organisers_make_this_server_resolve_names(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(destinations, "resolved", lambda *_args: pytest.fail("asked"))
    with pytest.raises(Refusal) as caught:
        services.webhook_create(
            acting_user=user_named("eve"), season=stage.season, name="x",
            url="https://public.example/", flavour="json", kinds=["ruling"],
        )  # fmt: skip
    assert caught.value.code == "webhook.not-allowed"
