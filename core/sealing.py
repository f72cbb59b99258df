"""Secrets that are stored and must be readable again: encrypted with a key derived from SECRET_KEY,
so that a stolen copy of the database alone is worth nothing.

    BOX = Box("gauntlet webhook secrets")
    BOX.sealed("…")

What is sealed for one purpose opens for no other. After a change of SECRET_KEY what was sealed
before opens as long as the old key is among SECRET_KEY_FALLBACKS.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes


class Unreadable(Exception):
    """What is stored cannot be read: the site's SECRET_KEY has changed since."""


@dataclass(frozen=True)
class Box:
    """Seals and opens secrets of one purpose, which is part of the key."""

    purpose: str

    def sealed(self, secret: str) -> str:
        """A secret as it is stored."""
        return self._fernet().encrypt(secret.encode()).decode()

    def opened(self, stored: str) -> str:
        """A stored secret. Raises Unreadable."""
        try:
            return self._fernet().decrypt(stored.encode()).decode()
        except InvalidToken:
            raise Unreadable from None

    def _fernet(self) -> MultiFernet:
        keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
        return MultiFernet([Fernet(self._key(key)) for key in keys])

    def _key(self, secret_key: str | bytes) -> bytes:
        derive = HKDF(SHA256(), length=32, salt=None, info=self.purpose.encode())
        return base64.urlsafe_b64encode(derive.derive(force_bytes(secret_key)))
