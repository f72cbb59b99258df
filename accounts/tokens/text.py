"""What a personal token looks like, and what is kept of one.

A token reads `gnt_`, 30 characters of chance, and a checksum of 6, all of them letters and digits:
whoever scans public code for secrets can tell one without asking us.
"""

import hashlib
import secrets
import string
import zlib
from typing import Final

PREFIX: Final = "gnt_"
_LETTERS: Final = string.digits + string.ascii_uppercase + string.ascii_lowercase
_CHANCE_LENGTH: Final = 30
_CHECK_LENGTH: Final = 6
_LENGTH: Final = len(PREFIX) + _CHANCE_LENGTH + _CHECK_LENGTH


def new_token() -> str:
    """A new token."""
    chance = "".join(secrets.choice(_LETTERS) for _number in range(_CHANCE_LENGTH))
    return PREFIX + chance + _checksum(chance)


def is_well_formed(token: str) -> bool:
    """Whether this could be one of our tokens: prefix, length and checksum are right."""
    if len(token) != _LENGTH or not token.startswith(PREFIX) or not token.isascii():
        return False
    rest = token.removeprefix(PREFIX)
    return _checksum(rest[:_CHANCE_LENGTH]) == rest[_CHANCE_LENGTH:]


def _checksum(text: str) -> str:
    number = zlib.crc32(text.encode())
    digits = []
    for _position in range(_CHECK_LENGTH):
        number, digit = divmod(number, len(_LETTERS))
        digits.append(_LETTERS[digit])
    return "".join(reversed(digits))


def digest_of(token: str) -> str:
    """What is kept of a token: its SHA-256, in hexadecimal digits."""
    return hashlib.sha256(token.encode()).hexdigest()
