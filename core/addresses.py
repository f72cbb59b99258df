"""Network addresses: whose a request is, and which of them are one line's. Whoever asks either asks
here: limits, middlewares, the sign-in library, the notes of ways in, and who may read metrics.

Where the settings name proxies (`GAUNTLET_PROXIES`), a request is whose the outermost of them says
that it is. Whatever stands further left in `X-Forwarded-For` is anybody's word.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

Address = IPv4Address | IPv6Address

# Bits of an IPv6 address that name a line; whoever has it chooses the others as they like.
LINE: Final = 64
# Whoever comes from what is no address. They are counted together: nobody gets room of their own by
# making up a name.
UNKNOWN: Final = "unknown"
# Of an address of the older and of the newer kind, what people are shown: 24 and 48 bits.
_SHOWN_OF_4: Final = 3
_SHOWN_OF_6: Final = 3


def address_in(said: str) -> Address | None:
    """The address that somebody has written down, with a port or a zone or without; one of IPv4
    within IPv6 is that. None where it is none."""
    text = said.strip().partition("%")[0]
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        return address.ipv4_mapped or address
    return address


def client_of(peer: str, passed_on: str) -> str:
    """Whose a request is, by the address of the connection and by what `X-Forwarded-For` says:
    where fewer have passed it on than there are proxies, whoever is named first, and where nobody
    has, the peer."""
    proxies: int = settings.REST_FRAMEWORK["NUM_PROXIES"] or 0
    found = peer
    if proxies and passed_on.strip():
        path = passed_on.split(",")
        found = path[-min(proxies, len(path))]
    address = address_in(found)
    return UNKNOWN if address is None else str(address)


def client_of_request(request: HttpRequest | Request) -> str:
    """Whose a request to Django is."""
    said: dict[str, Any] = request.META
    return client_of(said.get("REMOTE_ADDR") or "", said.get("HTTP_X_FORWARDED_FOR") or "")


def network_of(found: str) -> str:
    """An address as it is counted: of IPv6 the network of one line."""
    address = address_in(found)
    if isinstance(address, IPv6Address):
        return str(IPv6Network((int(address), LINE), strict=False))
    return UNKNOWN if address is None else str(address)


def network_shown(found: str) -> str:
    """The network of an address, as people can compare it: 203.0.113.x or 2001:db8:1:x. Empty
    where it is none."""
    address = address_in(found)
    if address is None:
        return ""
    if isinstance(address, IPv4Address):
        return ".".join([*str(address).split(".")[:_SHOWN_OF_4], "x"])
    parts = [part.lstrip("0") or "0" for part in address.exploded.split(":")[:_SHOWN_OF_6]]
    return ":".join([*parts, "x"])
