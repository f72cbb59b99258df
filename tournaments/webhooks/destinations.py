"""Where a webhook may be sent: to the public internet, never into our own network.

Whoever may create a webhook chooses an address that this server then speaks to. So the name is
resolved here, every address it resolves to must be public, and the connection is made to exactly
those addresses (`wire`): a name that answers differently the second time gains nothing.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import threading
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLong
from functools import lru_cache
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

from core.refusals import Refusal

LONGEST_URL: Final = 500
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# Everything of IPv4 that is not ordinary public unicast: the IANA special-purpose registry, and the
# two cloud services that answer on what looks like a public address.
_CLOSED_4: Final = tuple(
    ipaddress.IPv4Network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
        "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
        "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "168.63.129.16/32",  # Azure's host agent
    )
)  # fmt: skip
# Of IPv6 only what is handed out as global unicast; in there, what is special or carries IPv4.
_OPEN_6: Final = ipaddress.IPv6Network("2000::/3")
_CLOSED_6: Final = tuple(
    ipaddress.IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",
        "3fff::/20",
    )
)
# The code of a refusal that says nothing about an address: it could not be looked up in time.
NOT_LOOKED_UP: Final = "webhook.url-not-looked-up"

# A look-up cannot be broken off, however long it takes: so many go on at once in this process, and
# no more than so many for the same host or the same owner of seasons. Slow name servers keep their
# own webhooks waiting, not everybody's, however many seasons somebody opens.
_LOOKUPS: Final = 8
_LOOKUPS_EACH: Final = 2
_RESOLVER = ThreadPoolExecutor(max_workers=_LOOKUPS, thread_name_prefix="webhook-resolver")
_in_flight: Counter[str | int] = Counter()
_one_is_back = threading.Condition()


class Destination(NamedTuple):
    """A checked address of a webhook: what the URL says, and where the host is."""

    scheme: str
    host: str  # as it goes into the Host header and the TLS handshake
    port: int
    target: str  # path and query
    addresses: tuple[str, ...]


def destination_of(url: str, owner_id: int | None = None) -> Destination:
    """Take a URL apart, resolve its host and check where that is. ``owner_id``: the account
    whose season it is done for.

    Raises Refusal ``webhook.url`` (no usable web address), ``webhook.url-credentials``,
    ``webhook.url-https``, ``webhook.url-port``, ``webhook.url-unknown-host``,
    ``webhook.url-not-looked-up`` and ``webhook.url-internal``.
    """
    scheme, host, port, target = parts_of(url)
    addresses = resolved(host, port, owner_id)
    for address in addresses:
        if not may_reach(address):
            raise Refusal(
                "webhook.url-internal",
                "This address does not lead to the public internet, so nothing is sent there.",
            )
    extra = all(_is_extra(address) for address in addresses)
    if scheme == "http" and not (
        settings.GAUNTLET_WEBHOOK_PLAIN_HTTP and all(a.is_loopback for a in addresses)
    ):
        raise Refusal("webhook.url-https", "A webhook's address begins with https://.")
    if port not in settings.GAUNTLET_WEBHOOK_PORTS and not extra:
        ports = " or ".join(str(number) for number in settings.GAUNTLET_WEBHOOK_PORTS)
        raise Refusal("webhook.url-port", f"A webhook's port is {ports}.")
    return Destination(scheme, host, port, target, tuple(str(address) for address in addresses))


def parts_of(url: str) -> tuple[str, str, int, str]:
    """Scheme, host, port and target of a URL. Raises Refusal ``webhook.url`` and
    ``webhook.url-credentials``."""
    wrong = Refusal(
        "webhook.url", "Please give a whole web address, such as https://example.org/hook."
    )
    if len(url) > LONGEST_URL or not url.isascii() or any(c <= " " or c in "\\\x7f" for c in url):
        raise wrong
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise wrong from None
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme not in {"http", "https"} or not host or "%" in host or port == 0:
        raise wrong
    if ":" not in host and _ends_in_a_number(host) and not _is_plain_ipv4(host):
        # Resolvers read 010.8 and 0x7f000001 as addresses, clients refuse them or read others.
        raise Refusal(
            "webhook.url", "Please write a numeric address as four numbers, such as 198.51.100.7."
        )
    if parts.username is not None or parts.password is not None:
        raise Refusal(
            "webhook.url-credentials",
            "Please leave name and password out of the address; deliveries are signed instead.",
        )
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return parts.scheme, host, port or (443 if parts.scheme == "https" else 80), target


def _ends_in_a_number(host: str) -> bool:
    """Whether a host can only be meant as an IPv4 address: no top-level domain is a number
    (WHATWG URL Standard, "ends in a number")."""
    last = host.rpartition(".")[2]
    return re.fullmatch(r"[0-9]+|0[xX][0-9a-fA-F]*", last) is not None


def _is_plain_ipv4(host: str) -> bool:
    try:
        return str(ipaddress.IPv4Address(host)) == host
    except ValueError:
        return False


def is_numeric(host: str) -> bool:
    """Whether a host is an address by itself, which nobody need be asked for."""
    return ":" in host or _is_plain_ipv4(host)


def resolved(host: str, port: int, owner_id: int | None = None) -> tuple[Address, ...]:
    """Every address of a host. Raises Refusal ``webhook.url-unknown-host``, and
    ``webhook.url-not-looked-up`` when the name servers do not say in time."""
    deadline = time.monotonic() + settings.GAUNTLET_WEBHOOK_RESOLVE_SECONDS
    try:
        future = _lookup(host, port, owner_id, deadline)
        try:
            found = future.result(max(0, deadline - time.monotonic()))
        finally:
            future.cancel()  # what has not begun by now need not begin
    except (OSError, UnicodeError, TooLong) as error:
        if isinstance(error, TooLong) or getattr(error, "errno", None) == socket.EAI_AGAIN:
            raise Refusal(
                NOT_LOOKED_UP, f"Looking up {host} takes too long. Please try again later."
            ) from None
        raise Refusal("webhook.url-unknown-host", f"Nobody knows where {host} is.") from None
    # A scope ("fe80::1%eth0") names an interface of this machine: that is refused further on.
    texts = dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found)
    return tuple(ipaddress.ip_address(text) for text in texts)


def _lookup(host: str, port: int, owner_id: int | None, deadline: float) -> Future[Any]:
    """Begin to look a host up, as soon as neither it nor the owner has too many under way.
    Raises TimeoutError at the deadline."""
    whose: set[str | int] = {host.lower()}
    if owner_id is not None:
        whose.add(owner_id)
    with _one_is_back:
        free = _one_is_back.wait_for(
            lambda: all(_in_flight[each] < _LOOKUPS_EACH for each in whose),
            max(0, deadline - time.monotonic()),
        )
        if not free:
            raise TooLong
        _in_flight.update(whose)

    def back(_future: object) -> None:
        with _one_is_back:
            _in_flight.subtract(whose)
            for each in whose:
                if not _in_flight[each]:
                    del _in_flight[each]
            _one_is_back.notify_all()

    future = _RESOLVER.submit(
        socket.getaddrinfo, host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
    )
    future.add_done_callback(back)
    return future


def may_reach(address: Address) -> bool:
    """Whether a webhook may be sent to an address: ordinary public unicast, or in the networks
    that the settings allow besides."""
    return _is_extra(address) or _is_public(address)


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _CLOSED_4)
    # Outside of 2000::/3 lie, among others, IPv4-mapped addresses and NAT64's prefixes.
    return address in _OPEN_6 and not any(address in network for network in _CLOSED_6)


def _is_extra(address: Address) -> bool:
    networks = _networks(tuple(settings.GAUNTLET_WEBHOOK_EXTRA_NETWORKS))
    return any(address.version == network.version and address in network for network in networks)


@lru_cache(maxsize=8)
def _networks(texts: tuple[str, ...]) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(text) for text in texts)
