"""Sessions as Django keeps them, and besides under which key one goes on that has got another: when
somebody signs in, confirms that it is they, or changes their password.

The old key is no good from then on: whoever has stolen it gets nothing by it. But what the same
browser had opened with it before is still its own, so those who look after that (sockets, streams,
and answers to requests that were under way) can ask what has become of it.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.backends import cached_db
from django.core.cache import caches

from core.clock import now_utc

#: For so long after the other one was given, a request with the old key counts as one that was sent
#: before the browser had it.
UNDER_WAY_S: Final = 20.0
_MOVED: Final = "accounts.session-moved:"
_KEY: Final = re.compile(r"[a-z0-9]{32}", re.ASCII)


class Moved(NamedTuple):
    """What has become of a session: its new key, when it got that, and what it knew of its owner's
    password until then. If it knows something else now, it is because all others were ended."""

    key: str
    at: float
    hash: str | None


class SessionStore(cached_db.SessionStore):
    """A session. (The class keeps the library's name: by it what is stored is read.)"""

    def cycle_key(self) -> None:
        """Go on under another key."""
        data, before = dict(self.items()), self.session_key
        self.create()
        self._session_cache = data
        if before:
            # First this: whoever finds the old one gone asks for the new one.
            gone_on = Moved(
                str(self.session_key), now_utc().timestamp(), data.get(HASH_SESSION_KEY)
            )
            caches[settings.SESSION_CACHE_ALIAS].set(
                f"{_MOVED}{before}", tuple(gone_on), settings.SESSION_COOKIE_AGE
            )
            self.delete(before)

    def delete(self, session_key: str | None = None) -> None:
        """End a session: that of a key, or this one.

        Raises whatever its cache refuses with, and then has changed nothing.
        """
        key = session_key or self.session_key
        if not key:
            return
        # First: where this is refused, the row stays as well, and whoever is still signed in has a
        # whole session. And after: another request may have read the row in between.
        caches[settings.SESSION_CACHE_ALIAS].delete(f"{self.cache_key_prefix}{key}")
        super().delete(key)

    def read_anew(self) -> None:
        """Have whoever asks next read it from the database, where it was changed."""
        caches[settings.SESSION_CACHE_ALIAS].delete(self.cache_key)


def moved(key: str | None) -> Moved | None:
    """What has become of the session that had a key; None where that is still its own, or it has
    ended."""
    # Browsers show what they like, and none of it need be asked for.
    if not key or not _KEY.fullmatch(key):
        return None
    found = caches[settings.SESSION_CACHE_ALIAS].get(f"{_MOVED}{key}")
    return None if found is None else Moved(*found)


def is_under_way(key: str, now: str | None) -> bool:
    """Whether the session of ``key`` has just gone on under another one, that is not ``now``."""
    first = after = moved(key)
    while after is not None and after.key != now:
        after = moved(after.key)
    if first is None or after is not None:
        return False
    return now_utc().timestamp() - first.at < UNDER_WAY_S
