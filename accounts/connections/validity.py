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
from django.contrib.auth import get_user
from django.http import HttpRequest

from accounts.tokens.bearers import bearer_of

Stands = Callable[[], bool]


def session_stands(session_key: str | None, user_id: int) -> bool:
    """Whether the session still signs this person in: it is there, has not run out, knows their
    password of today, and they may come in."""
    store = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    return get_user(cast(HttpRequest, SimpleNamespace(session=store))).pk == user_id


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
