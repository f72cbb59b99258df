"""From where somebody asks, in as few words as tell one's own from a stranger's."""

from __future__ import annotations

from typing import NamedTuple

from django.http import HttpRequest

from accounts.announcing.devices import browser_of
from core.addresses import client_of_request, network_shown

_DEVICE_MAX = 60


class Whence(NamedTuple):
    """A browser and a system in words, and a network; each may be empty."""

    device: str = ""
    network: str = ""


def whence(request: HttpRequest | None) -> Whence:
    """From where a request comes; nothing where nobody has asked for it."""
    if request is None:
        return Whence()
    device = browser_of(request.headers.get("User-Agent", ""))[:_DEVICE_MAX]
    return Whence(device, network_shown(client_of_request(request)))
