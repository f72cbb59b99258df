"""Whose a request is: one answer for all who ask, whatever a proxy or anybody else has said."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest
from allauth.core.internal import ratelimit
from django.test import Client, RequestFactory

from accounts.signin.whence import whence
from config.crowding import address_of as crowded_by
from config.operations.exposition import Asker
from core.addresses import UNKNOWN, client_of, client_of_request, network_of, network_shown
from core.api.limits import address_of as limited_by
from tests.accounts.conftest import PASSWORD, made_person, own_cache  # noqa: F401

ROOT: Final = Path(__file__).resolve().parents[2]
PEER: Final = "10.0.0.2"

# How many proxies there are, what is passed on, and whose it is.
SAID: Final = [
    # Nobody has told of a proxy: what is said there is anybody's word.
    (0, None, PEER),
    (0, "1.2.3.4", PEER),
    (0, "rubbish", PEER),
    # No header: it came past the proxies.
    (1, None, PEER),
    (1, "", PEER),
    (1, "  ", PEER),
    (3, None, PEER),
    (1, "1.2.3.4", "1.2.3.4"),
    (1, "6.6.6.6, 1.2.3.4", "1.2.3.4"),
    (2, "6.6.6.6, 1.2.3.4, 5.6.7.8", "1.2.3.4"),
    # Too few hops.
    (2, "1.2.3.4", "1.2.3.4"),
    (3, "1.2.3.4,5.6.7.8", "1.2.3.4"),
    # Rubbish, and words that proxies have for what they do not tell.
    (1, "rubbish", UNKNOWN),
    (1, "unknown", UNKNOWN),
    (1, "unix:", UNKNOWN),
    (1, ",", UNKNOWN),
    (1, "1.2.3.4,", UNKNOWN),
    (2, "6.6.6.6, , 5.6.7.8", UNKNOWN),
    (1, "1.2.3.4.5", UNKNOWN),
    (1, "<script>", UNKNOWN),
    (1, "\x001.2.3.4", UNKNOWN),
    (1, "1" * 5000, UNKNOWN),
    (1, "[", UNKNOWN),
    (1, "caf\xe9", UNKNOWN),
    (1, "rubbish, 1.2.3.4", "1.2.3.4"),
    # Some write down the port.
    (1, "1.2.3.4:4711", "1.2.3.4"),
    (1, "[2606:4700:1:2:3::4]:443", "2606:4700:1:2:3::4"),
    (1, "[2606:4700:1:2:3::4]", "2606:4700:1:2:3::4"),
    (1, "2606:4700:1:2:3::4", "2606:4700:1:2:3::4"),
    (1, "2606:4700:0001:0002:3::4", "2606:4700:1:2:3::4"),
    (1, "fe80::1%eth0", "fe80::1"),
    # One of IPv4 within IPv6 is that.
    (1, "::ffff:1.2.3.4", "1.2.3.4"),
    (1, "::ffff:102:304", "1.2.3.4"),
    (1, "[::FFFF:1.2.3.4]:80", "1.2.3.4"),
]


def counted_by(client: str) -> str:
    return "2606:4700:1:2::/64" if client.startswith("2606") else network_of(client)


@pytest.fixture(params=SAID, ids=lambda each: f"{each[0]}-{str(each[1])[:20]!r}")
def said(request: pytest.FixtureRequest, settings: Any) -> tuple[str | None, str]:
    proxies, passed_on, client = request.param
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": proxies}
    return passed_on, client


def test_everybody_who_asks_is_told_the_same(said: tuple[str | None, str], settings: Any) -> None:
    passed_on, client = said
    headers = {} if passed_on is None else {"x-forwarded-for": passed_on}
    request = RequestFactory(headers=headers).get("/", REMOTE_ADDR=PEER)
    assert client_of(PEER, passed_on or "") == client
    assert client_of_request(request) == client
    # The library leaves the length of the network out.
    assert ratelimit.get_ip(request) == counted_by(client).partition("/")[0]
    assert limited_by(request) == counted_by(client)
    assert whence(request).network == network_shown(client)
    scope = {
        "client": [PEER, 1],
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
    }
    trusts = bool(settings.REST_FRAMEWORK["NUM_PROXIES"])
    # A neighbour that nobody has told of is not counted.
    assert crowded_by(scope) == (counted_by(client) if trusts else None)
    if passed_on and passed_on.strip():
        assert Asker(PEER, headers).client == (client if trusts else "")


@pytest.mark.django_db
def test_whatever_was_passed_on_somebody_signs_in(said: tuple[str | None, str]) -> None:
    made_person("ada")
    passed_on, _client = said
    headers = {} if passed_on is None else {"x-forwarded-for": passed_on}
    browser = Client(headers=headers, REMOTE_ADDR=PEER)
    form = {"login": "ada", "password": "guess-1234"}
    assert browser.post("/accounts/login/", form).status_code == 200
    led = browser.post("/accounts/login/", form | {"password": PASSWORD})
    assert led.status_code == 302
    assert browser.get("/accounts/settings/").status_code == 200


@pytest.mark.parametrize("peer", ["", "not an address"])
def test_a_connection_without_an_address_is_nobodys(peer: str) -> None:
    assert client_of(peer, "") == UNKNOWN
    assert client_of_request(RequestFactory().get("/", REMOTE_ADDR=peer)) == UNKNOWN
    assert network_of(peer) == UNKNOWN
    assert network_shown(peer) == ""


# What tells whose a request is, in whichever way.
_ASKS: Final = re.compile(
    r"REMOTE_ADDR|HTTP_X_FORWARDED_FOR|Throttle\(\)\.get_ident|\bip_address\(|get_client_ip_from_xff"
)
# To where the site sends things by itself, which is another matter.
_ELSEWHERE: Final = frozenset({"core/addresses.py", "tournaments/webhooks/destinations.py"})


def test_nobody_else_reads_addresses_by_themselves() -> None:
    asking = {
        path.relative_to(ROOT).as_posix()
        for folder in ("accounts", "config", "core", "games", "tournaments")
        for path in (ROOT / folder).rglob("*.py")
        if "migrations" not in path.parts and _ASKS.search(path.read_text())
    }
    assert asking == _ELSEWHERE
