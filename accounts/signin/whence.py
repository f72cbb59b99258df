"""From where somebody asks, in as few words as tell one's own from a stranger's."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple

from allauth.account.adapter import get_adapter
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from accounts.announcing.devices import browser_of

_DEVICE_MAX = 60
# Of an address of the older and of the newer kind, what names the network: 24 and 48 bits.
_PARTS_OF_4 = 3
_PARTS_OF_6 = 3


class Whence(NamedTuple):
    """A browser and a system in words, and a network; each may be empty."""

    device: str = ""
    network: str = ""


def whence(request: HttpRequest | None) -> Whence:
    """From where a request comes; nothing where nobody has asked for it."""
    if request is None:
        return Whence()
    device = browser_of(request.headers.get("User-Agent", ""))[:_DEVICE_MAX]
    try:
        address = get_adapter(request).get_client_ip(request)
    except PermissionDenied:  # a proxy has said something that is none
        address = ""
    return Whence(device, network_of(address))


def network_of(address: str) -> str:
    """The network of an address, as people can compare it: 203.0.113.x or 2001:db8:1:x. Empty
    where it is none."""
    try:
        parsed: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    if isinstance(parsed, IPv4Address):
        return ".".join([*str(parsed).split(".")[:_PARTS_OF_4], "x"])
    parts = [part.lstrip("0") or "0" for part in parsed.exploded.split(":")[:_PARTS_OF_6]]
    return ":".join([*parts, "x"])
