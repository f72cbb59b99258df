"""Secrets of webhooks, and the signatures made with them.

A signature is HMAC-SHA256 over ``<t>.<body>``, with the secret as its key: whoever knows the secret
can tell that a delivery comes from here, is unchanged, and is not an old one sent again.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Final

from core.sealing import Box

SIGNATURE_HEADER = "Gauntlet-Signature"
PREFIX = "gwhs_"
_BOX: Final = Box("gauntlet webhook secrets")


def new_secret() -> str:
    """A fresh secret: 256 random bits, with a prefix by which scanners for leaks know it."""
    return PREFIX + secrets.token_urlsafe(32)


def sealed(secret: str) -> str:
    """A secret as it is stored. It must be readable again, for signing; so it is encrypted."""
    return _BOX.sealed(secret)


def opened(stored: str) -> str:
    """A stored secret. Raises Unreadable."""
    return _BOX.opened(stored)


def signature(body: bytes, *, secret_values: Iterable[str], at: int) -> str:
    """The value of the signature header for a body sent at ``at`` (seconds since 1970): one ``v1``
    for each secret, two of them while a secret is being replaced."""
    signed = f"{at}.".encode() + body
    parts = [
        f"v1={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"
        for secret in secret_values
    ]
    return ",".join([f"t={at}", *parts])
