"""Secrets of webhooks, and the signatures made with them.

A signature is HMAC-SHA256 over ``<t>.<body>``, with the secret as its key: whoever knows the secret
can tell that a delivery comes from here, is unchanged, and is not an old one sent again.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes

SIGNATURE_HEADER = "Gauntlet-Signature"
PREFIX = "gwhs_"


class Unreadable(Exception):
    """A stored secret cannot be read: the site's SECRET_KEY has changed since."""


def new_secret() -> str:
    """A fresh secret: 256 random bits, with a prefix by which scanners for leaks know it."""
    return PREFIX + secrets.token_urlsafe(32)


def sealed(secret: str) -> str:
    """A secret as it is stored. It must be readable again, for signing; so it is encrypted with a
    key derived from SECRET_KEY, and worth nothing in a stolen copy of the database alone."""
    return _box().encrypt(secret.encode()).decode()


def opened(stored: str) -> str:
    """A stored secret. Raises Unreadable."""
    try:
        return _box().decrypt(stored.encode()).decode()
    except InvalidToken:
        raise Unreadable from None


def signature(body: bytes, *, secret_values: Iterable[str], at: int) -> str:
    """The value of the signature header for a body sent at ``at`` (seconds since 1970): one ``v1``
    for each secret, two of them while a secret is being replaced."""
    signed = f"{at}.".encode() + body
    parts = [
        f"v1={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"
        for secret in secret_values
    ]
    return ",".join([f"t={at}", *parts])


def _box() -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(_key(key)) for key in keys])


def _key(secret_key: str | bytes) -> bytes:
    derive = HKDF(SHA256(), length=32, salt=None, info=b"gauntlet webhook secrets")
    return base64.urlsafe_b64encode(derive.derive(force_bytes(secret_key)))
