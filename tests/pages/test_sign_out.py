"""Signing out, and losing an account, closes the sockets that were opened before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from channels.layers import get_channel_layer
from django.conf import settings
from django.test import Client

from accounts.models import User
from accounts.services import user_close, user_reopen
from games.audience import user_group_of
from games.publishing import publish as publishing
from tests.games.support import committing

Visitor = Callable[..., Client]


@pytest.fixture
def messages() -> Iterator[Callable[[User], list[str]]]:
    """`messages(user)`: the kinds of message that this user's sockets have got since the last
    call."""
    client = redis.Redis.from_url(settings.GAUNTLET_REDIS_ADDRESS)
    heard = client.pubsub()
    prefix = f"{settings.REDIS_PREFIX}__group__"
    heard.psubscribe(f"{prefix}*")
    heard.get_message(timeout=30)

    def since(user: User) -> list[str]:
        client.publish(f"{prefix}end", b"")
        found: list[str] = []
        while (message := heard.get_message(timeout=30))["channel"] != f"{prefix}end".encode():
            if message["channel"] == f"{prefix}{user_group_of(user.pk)}".encode():
                found.append(get_channel_layer().deserialize(message["data"])["type"])
        return found

    yield since
    heard.close()
    client.close()


def test_signing_out_tells_the_sockets_after_the_session_is_gone(
    visitor: Visitor, ada: User, messages: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.contrib.sessions.backends.cached_db import SessionStore

    from games import receivers

    client = visitor(ada)
    key = client.session.session_key or ""
    alive: list[bool] = []
    publish = publishing.publish

    def watched(*given: Any, **more: Any) -> None:
        alive.append(SessionStore().exists(key))
        publish(*given, **more)

    monkeypatch.setattr(receivers, "publish", watched)
    with committing():
        client.post("/accounts/logout/")
    assert messages(ada) == ["user.changed"]
    assert alive == [False]
    assert "_auth_user_id" not in client.session


def test_signing_out_as_nobody_tells_nobody(nobody: Client, ada: User, messages: Any) -> None:
    with committing():
        nobody.post("/accounts/logout/")
    assert messages(ada) == []


def test_closing_an_account_tells_its_sockets(ada: User, mona: User, messages: Any) -> None:
    with committing():
        user_close(acting_user=mona, user=ada, reason="abuse")
        assert messages(ada) == []  # not before it is certain
    assert messages(ada) == ["user.changed"]
    assert messages(mona) == []


def test_reopening_tells_nobody(ada: User, mona: User, messages: Any) -> None:
    with committing():
        user_close(acting_user=mona, user=ada, reason="abuse")
    messages(ada)
    with committing():
        user_reopen(acting_user=mona, user=ada, reason="a mistake")
    assert messages(ada) == []
