"""Which addresses are one line's."""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final

# Bits of an IPv6 address that name a line; whoever has it chooses the others as they like.
LINE: Final = 64


def network_of(found: str) -> str:
    """An address as it is counted: of IPv6 the network of one line, and one of IPv4 within IPv6 as
    that. What is no address stays as it is."""
    try:
        address = ip_address(found)
    except ValueError:
        return found
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return str(IPv6Network((address, LINE), strict=False))
        address = address.ipv4_mapped
    return str(address)
