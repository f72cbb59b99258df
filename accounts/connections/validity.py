"""Whether the sign-in that something was opened with still stands.

Sockets and streams stay open for hours. Those who end a sign-in say so (`hooks.rights_changed` and
its like), and what is open closes at once. That is a hint, as everything that goes over the channel
layer: sessions also run out, are deleted, or lose their password to an administrator's command, and
a message can be lost. So whatever stays open asks here now and then, too.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any, cast

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, get_user
from django.http import HttpRequest

from accounts.models import User
from accounts.signin.store import moved
from accounts.tokens.bearers import bearer_of

Stands = Callable[[], bool]


class _Held(dict[str, Any]):
    """What a session holds, for whoever only looks. The library ends one that is no good, and gives
    others a new key; its browser would not hear of that, and it may be about to be made good by the
    request that changes the password."""

    def flush(self) -> None:
        """Nothing."""

    def cycle_key(self) -> None:
        """Nothing."""


def _held(session_key: str) -> _Held:
    return _Held(import_module(settings.SESSION_ENGINE).SessionStore(session_key).items())


def _user_of(held: _Held) -> User | None:
    user = get_user(cast(HttpRequest, SimpleNamespace(session=held)))
    return user if isinstance(user, User) else None


def user_of_session(session_key: str) -> User | None:
    """Whom a session signs in: it is there, has not run out, knows their password of today, and
    they may come in."""
    return _user_of(_held(session_key))


def session_stands(session_key: str | None, user_id: int) -> bool:
    """Whether a session still signs this person in. It may have another key by now, as after they
    have confirmed that it is they: but not where all others were ended by that, since one of these
    may have had its key."""
    held, key, known = _held(session_key or ""), session_key, set()
    while not held and (after := moved(key)) is not None:
        held, key = _held(after.key), after.key
        known.add(after.hash)
    if known and known != {held.get(HASH_SESSION_KEY)}:
        return False
    user = _user_of(held)
    return user is not None and user.pk == user_id


def token_stands(token: str, user_id: int) -> bool:
    """Whether the token is still good, and still this person's."""
    bearer = bearer_of(token)
    return bearer is not None and bearer.user.pk == user_id


def stands_of_socket(scope: Any) -> Stands | None:
    """How to ask for a socket; None for nobody, who has nothing to lose."""
    user = scope["user"]
    if not user.is_authenticated:
        return None
    if "token" in scope:
        return partial(token_stands, scope["token"], user.pk)
    if "session" in scope:
        return partial(session_stands, scope["session"].session_key, user.pk)
    return None


def stands_of_request(request: HttpRequest, user_id: int) -> Stands:
    """How to ask for an answer that stays open."""
    scheme, _space, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return partial(token_stands, token.strip(), user_id)
    return partial(session_stands, request.session.session_key, user_id)
