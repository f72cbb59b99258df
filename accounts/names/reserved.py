"""The usernames of accounts that were deleted: kept as digests, and taken by nobody.

What is kept is a digest of what the name looks like (`accounts.names.confusables`), made with the
site's key: whoever has the table alone cannot try names against it, and neither can a site with
another key. So a key that is changed stays among `SECRET_KEY_FALLBACKS`, or the names are free.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.conf import settings
from django.utils.crypto import salted_hmac

from accounts.models import ReservedName
from accounts.names import confusables

_SALT: Final = "accounts.names.reserved"


def name_reserve(username: str) -> None:
    """Keep a name from being taken again. Call it inside the transaction that frees it."""
    rows = [
        ReservedName(digest=_digest(look, settings.SECRET_KEY))
        for look in confusables.skeletons_of(username)
    ]
    ReservedName.objects.bulk_create(rows, ignore_conflicts=True)


def looks_reserved(skeletons: Iterable[str]) -> set[str]:
    """Those of these looks that a name has which was reserved."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    by_digest = {_digest(look, key): look for look in skeletons for key in keys}
    found = ReservedName.objects.filter(digest__in=list(by_digest))
    return {by_digest[digest] for digest in found.values_list("digest", flat=True)}


def _digest(look: str, key: str | bytes) -> str:
    return salted_hmac(_SALT, look, secret=key, algorithm="sha256").hexdigest()
