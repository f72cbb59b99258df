"""Whether a request comes from Discord: it signs each with the key of the application."""

from __future__ import annotations

from functools import cache
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.conf import settings

# How old a request may be, in seconds, or how far ahead of this clock: Discord gives up on answers
# after three, so what is older was kept by somebody.
STALE_S: Final = 120


def is_switched_on() -> bool:
    """Whether this site takes Discord's requests at all."""
    return bool(settings.GAUNTLET_DISCORD_PUBLIC_KEY)


def is_discords(body: bytes, *, signature: str, stamp: str, at: int) -> bool:
    """Whether Discord has signed that body with that ``stamp`` (seconds since 1970, as text), not
    long before the instant ``at`` (ms)."""
    if not stamp.isascii() or not stamp.isdigit() or len(stamp) > 12:
        return False
    if abs(at / 1000 - int(stamp)) > STALE_S:
        return False
    try:
        _key(settings.GAUNTLET_DISCORD_PUBLIC_KEY).verify(
            bytes.fromhex(signature), stamp.encode() + body
        )
    except (InvalidSignature, ValueError):
        return False
    return True


@cache
def _key(public: str) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
