"""What is open ends with the sign-in that it was opened with: every way that a sign-in ends, and
every kind of socket and stream.

Who ends a sign-in says so, and everything that somebody has open hears it (the first half); and
what is open asks by itself now and then, since nobody says when a session runs out (the second).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from asgiref.sync import async_to_sync, sync_to_async
from channels.layers import get_channel_layer
from channels.routing import URLRouter
from django.conf import settings as configured
from django.contrib.auth.models import AnonymousUser
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.connections import validity
from accounts.connections.sockets import Found, SessionSockets
from accounts.connections.sockets import Visitor as Visited
from accounts.models import User, UserSession
from accounts.moderation.sanctions import user_suspend
from accounts.moderation.standing import Silence
from accounts.roles import Role
from accounts.services import role_grant, user_close
from accounts.tokens.services import token_create, token_revoke
from games.audience import group_of, user_group_of
from games.bots import streams
from games.publishing import frames
from games.reading.readers import Reader
from games.sockets import admission, consumers, crowd, rooms
from games.sockets import here as tallies
from games.sockets import socket as sockets
from games.sockets.routing import websocket_urlpatterns
from tests.games.support import Play, committing
from tests.pages.test_sign_out import messages
from tests.support.sockets import KnownVisitor, LocalSocket, shared_view

__all__ = ["messages"]

Visitor = Callable[..., Client]
OLD, NEW = "swordfish-77", "octopus-88"
PASSWORDS = {"password1": NEW, "password2": NEW}


class Ways:
    """Every way in which a sign-in ends, or what it allows changes, by an act of somebody."""

    def __init__(self, ada: User, root: User, own: Client) -> None:
        self.ada, self.root, self.own = ada, root, own
        self.admin = Client()
        self.admin.force_login(root, backend="accounts.signin.backends.NameBackend")

    def password_changed(self) -> None:
        self.own.post("/accounts/password/change/", {"oldpassword": OLD, **PASSWORDS})
        assert User.objects.get(pk=self.ada.pk).check_password(NEW)

    def password_reset(self) -> None:
        EmailAddress.objects.create(
            user=self.ada, email="ada@example.org", primary=True, verified=True
        )
        User.objects.filter(pk=self.ada.pk).update(email="ada@example.org")
        stranger = Client()
        stranger.post("/accounts/password/reset/", {"email": "ada@example.org"})
        link = re.search(r"/accounts/password/reset/key/\S+", str(mail.outbox[-1].body))
        assert link is not None
        form = stranger.get(link[0])
        stranger.post(form["Location"], PASSWORDS)
        assert User.objects.get(pk=self.ada.pk).check_password(NEW)

    def password_set(self) -> None:
        self.ada.set_unusable_password()
        self.ada.save()
        self.own.force_login(self.ada, backend="accounts.signin.backends.NameBackend")
        self.own.post("/accounts/password/set/", PASSWORDS)
        assert User.objects.get(pk=self.ada.pk).check_password(NEW)

    def password_set_by_an_administrator(self) -> None:
        form = {"usable_password": "true", **PASSWORDS}
        self.admin.post(f"/admin/accounts/user/{self.ada.pk}/password/", form)
        assert User.objects.get(pk=self.ada.pk).check_password(NEW)

    def password_taken_away_by_an_administrator(self) -> None:
        form = {"usable_password": "false", "unset-password": "1"}
        self.admin.post(f"/admin/accounts/user/{self.ada.pk}/password/", form)
        assert not User.objects.get(pk=self.ada.pk).has_usable_password()

    def rights_changed_by_an_administrator(self) -> None:
        form = {"display_name": "", "email": "", "time_zone": "", "theme": "auto", "is_staff": "on"}
        self.admin.post(f"/admin/accounts/user/{self.ada.pk}/change/", form)
        assert User.objects.get(pk=self.ada.pk).is_staff

    def signed_out(self) -> None:
        self.own.post("/accounts/logout/")

    def signed_out_of_the_admin_site(self) -> None:
        User.objects.filter(pk=self.ada.pk).update(is_staff=True)
        self.own.post("/admin/logout/")

    def closed(self) -> None:
        user_close(acting_user=self.root, user=self.ada, reason="abuse")

    def suspended(self) -> None:
        user_suspend(acting_user=self.root, user=self.ada, reason="abuse", until=None)

    def token_revoked(self) -> None:
        token, _text = token_create(
            acting_user=self.ada, name="x", scopes=["play"], lasts=timedelta(days=1)
        )
        token_revoke(acting_user=self.ada, token=token)

    def role_given(self) -> None:
        role_grant(acting_user=self.root, user=self.ada, role=Role.ORGANISER)


WAYS = [name for name in vars(Ways) if not name.startswith("_")]


@pytest.mark.parametrize("way", WAYS)
def test_everything_that_somebody_has_open_is_told(
    way: str, ada: User, root: User, visitor: Visitor, messages: Any
) -> None:
    ada.set_password(OLD)
    ada.save()
    ways = Ways(ada, root, visitor(ada))
    messages(ada)
    with committing():
        getattr(ways, way)()
    assert "user.changed" in messages(ada), way
    assert messages(root) == []


# -- every kind of socket and stream -------------------------------------------------------------

SOCKETS = {
    "player's": ("/ws/v1/matches/1/", 0),
    "spectator's": ("/ws/v1/matches/1/", "room"),
    "lobby": ("/ws/v1/lobby/", "room"),
}
STREAMS = ("match", "events")


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """Sockets and streams without a database, that ask at every opportunity; `stands` is what they
    are answered."""
    answer = {"stands": True}

    async def at_once(call: Callable[..., Any], *args: Any, **more: Any) -> Any:
        return call(*args, **more)

    for module in (consumers, sockets, streams):
        monkeypatch.setattr(module, "in_read_thread", at_once)
    monkeypatch.setattr(sockets, "STANDS_FOR_S", 0.0)
    monkeypatch.setattr(streams, "STANDS_EVERY_S", 0.0)
    for module in (consumers, streams):
        monkeypatch.setattr(module, "versions_of", lambda *_: (1, 1, 1, 1))
    sync = {"type": "sync", "version": 1, "view": {"phase": "play"}}
    there = Reader("room", False, False, sync)
    for module in (consumers, streams):
        monkeypatch.setattr(module, "reader_of", lambda *_: there)
    monkeypatch.setattr(crowd, "room_view", lambda *_, **__: shared_view())
    monkeypatch.setattr(streams, "_concerning", lambda *_: ({}, {}))
    monkeypatch.setattr(streams, "LOOK_EVERY_S", 0.05)
    monkeypatch.setattr(frames, "silence_of", lambda _user: Silence())
    monkeypatch.setattr(consumers, "matches_to_move", lambda _user: [])
    monkeypatch.setattr(sockets, "stands_of_socket", lambda _scope: lambda: answer["stands"])
    return answer


@pytest.mark.parametrize(
    ("kind", "how"),
    # What goes to others than the players is public.
    [
        *((kind, how) for kind in SOCKETS for how in ("told", "asks", "silent")),
        ("player's", "sent"),
        ("lobby", "sent"),
    ],
)
def test_every_kind_of_socket_ends(
    kind: str, how: str, here: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, audience = SOCKETS[kind]
    monkeypatch.setattr(consumers, "standing_of", lambda *_: (audience, False))
    if how == "silent":
        # Nor does anybody wait for the answer.
        monkeypatch.setattr(sockets, "STANDS_FOR_S", 100.0)
        monkeypatch.setattr(sockets, "STANDS_EVERY_S", 0.05)

    async def played() -> None:
        socket = LocalSocket(URLRouter(websocket_urlpatterns), path)
        socket.scope["visitor"] = KnownVisitor(User(pk=70_007))
        assert (await socket.connect())[0]
        await socket.send_to('{"type": "ping", "at": 1}')
        while json.loads(await socket.receive_from())["type"] != "pong":
            pass
        layer = get_channel_layer()
        if how == "told":
            await layer.group_send(user_group_of(70_007), {"type": "user.changed", "text": ""})
        else:
            here["stands"] = False
            if how == "asks":
                await socket.send_to('{"type": "ping", "at": 2}')
            elif how == "sent":
                text = {"type": "match.frame", "text": '{"type": "step"}'}
                group = user_group_of(70_007) if kind == "lobby" else group_of(1, 0)
                await layer.group_send(group, text)
        told = []
        while (output := await socket.receive_output())["type"] == "websocket.send":
            told.append(json.loads(output["text"]))
        assert output == {"type": "websocket.close", "code": 4401}
        assert told[-1]["code"] == "account.changed"
        assert not any(frame["type"] in ("pong", "step") for frame in told)
        await socket.disconnect()
        await layer.flush()

    async_to_sync(played)()


@pytest.mark.parametrize("how", ["told", "asks"])
@pytest.mark.parametrize("kind", STREAMS)
def test_every_kind_of_stream_ends(
    kind: str, how: str, here: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "standing_of", lambda *_: (0, False))
    known = [each.__name__ for each in streams.Stream.__subclasses__()]
    assert sorted(known) == ["EventStream", "MatchStream"]  # a new kind belongs in here
    opened: dict[str, Any] = {"stands": lambda: here["stands"]}
    user = User(pk=70_008)

    async def played() -> None:
        stream = (
            streams.MatchStream(user, 1, **opened)
            if kind == "match"
            else streams.EventStream(user, **opened)
        )
        lines = aiter(stream)
        await anext(lines)
        while await anext(lines) != b"\n":
            pass  # it looks for itself: it is listening
        if how == "told":
            message = {"type": "user.changed", "text": ""}
            await get_channel_layer().group_send(user_group_of(user.pk), message)
        else:
            here["stands"] = False
        rest = [json.loads(line) async for line in lines if line.strip()]
        assert rest[-1]["code"] == "account.changed"
        await get_channel_layer().flush()

    async_to_sync(played)()


# -- under another key ---------------------------------------------------------------------------

WHO = {"player's": "ada", "spectator's": "cleo", "lobby": "cleo"}


@pytest.mark.parametrize("kind", SOCKETS)
def test_whoever_confirms_that_it_is_they_keeps_what_they_have_open(
    kind: str,
    play: Play,
    people: dict[str, User],
    visitor: Visitor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their session has another key from then on, and sockets know the one that they came with.
    When the session ends, they end."""

    async def in_line(call: Callable[..., Any], *args: Any, **more: Any) -> Any:
        return await sync_to_async(call)(*args, **more)

    for module in (admission, consumers, rooms, sockets, tallies):
        monkeypatch.setattr(module, "in_read_thread", in_line)
    monkeypatch.setattr(consumers, "in_turn_thread", in_line)
    monkeypatch.setattr(sockets, "STANDS_FOR_S", 0.0)
    user = people[WHO[kind]]
    user.set_password(OLD)
    user.save()
    browser, elsewhere = visitor(user), visitor(user)
    path = SOCKETS[kind][0].replace("/1/", f"/{play.pk}/")

    def confirm() -> str:
        answer = browser.post("/accounts/reauthenticate/", {"password": OLD})
        assert answer.status_code == 302
        return str(browser.session.session_key)

    def end() -> None:
        row = UserSession.objects.get(session_key=browser.session.session_key)
        elsewhere.post(f"/accounts/settings/sessions/{row.pk}/end/")
        assert not UserSession.objects.filter(pk=row.pk).exists()

    async def answered(socket: LocalSocket) -> str:
        """By what a ping is."""
        await socket.send_to('{"type": "ping", "at": 1}')
        while True:
            output = await socket.receive_output()
            if output["type"] == "websocket.close":
                return str(output["code"])
            if json.loads(output["text"])["type"] == "pong":
                return "pong"

    async def played() -> None:
        keys = [str(await sync_to_async(lambda: browser.session.session_key)())]
        cookie = f"{configured.SESSION_COOKIE_NAME}={keys[0]}".encode()
        socket = LocalSocket(
            SessionSockets(URLRouter(websocket_urlpatterns)), path, headers=[(b"cookie", cookie)]
        )
        assert (await socket.connect())[0]
        assert await answered(socket) == "pong"
        for _ in range(2):
            keys.append(await sync_to_async(confirm)())
            assert await answered(socket) == "pong"
        assert len({*keys}) == 3
        await sync_to_async(end)()
        assert await answered(socket) == "4401"
        await socket.disconnect()
        await get_channel_layer().flush()

    async_to_sync(played)()


# -- what they are answered ----------------------------------------------------------------------


def session_ended(way: str, client: Client, ada: User, root: User) -> None:
    """End it, or what it stands for. A form is sent as the page shows it."""
    if way == "deleted":
        client.session.delete()
    elif way == "run out":
        session = client.session
        session.set_expiry(-1)
        session.save()
    elif way == "password set on the command line":
        ada.set_password(NEW)
        ada.save()
    elif way == "password changed in another browser":
        other = Client()
        other.force_login(ada, backend="accounts.signin.backends.NameBackend")
        path = "/accounts/password/change/"
        form = other.get(path).context["form"]
        ticked = {name: "on" for name in form.fields if form[name].value() is True}
        with committing():
            other.post(path, {"oldpassword": OLD, **PASSWORDS, **ticked})
    elif way == "suspended":
        user_suspend(acting_user=root, user=ada, reason="abuse", until=None)
    elif way == "closed":
        user_close(acting_user=root, user=ada, reason="abuse")
    else:
        client.force_login(root, backend="accounts.signin.backends.NameBackend")


@pytest.mark.parametrize(
    "way",
    ["deleted", "run out", "password set on the command line",
     "password changed in another browser", "suspended", "closed", "somebody else signed in"],
)  # fmt: skip
def test_a_session_stands_until_it_ends(way: str, ada: User, root: User, visitor: Visitor) -> None:
    ada.set_password(OLD)
    ada.save()
    client = visitor(ada)
    key = client.session.session_key
    assert validity.session_stands(key, ada.pk)
    assert not validity.session_stands(key, root.pk)
    session_ended(way, client, ada, root)
    assert not validity.session_stands(key, ada.pk), way


def test_a_session_stands_under_another_key_and_is_nobody_elses(
    ada: User, root: User, visitor: Visitor
) -> None:
    ada.set_password(OLD)
    ada.save()
    client = visitor(ada)
    session = client.session
    keys = [str(session.session_key)]
    for _ in range(3):
        session.cycle_key()
        keys.append(str(session.session_key))
    assert [validity.session_stands(key, ada.pk) for key in keys] == [True] * 4
    assert not any(validity.session_stands(key, root.pk) for key in keys)
    # Which is no way in for whoever has an old one.
    assert [validity.user_of_session(key) for key in keys] == [None, None, None, ada]
    client.cookies[configured.SESSION_COOKIE_NAME] = keys[-1]
    # What signs out everywhere else must do so also for whoever has had a key of this one.
    with committing():
        client.post("/accounts/settings/sessions/end/", {"others": "on"})
    keys.append(str(client.session.session_key))
    assert [validity.session_stands(key, ada.pk) for key in keys] == [False] * 4 + [True]
    client.post("/accounts/reauthenticate/", {"password": OLD})
    assert [validity.session_stands(key, ada.pk) for key in keys] == [False] * 4 + [True]
    client.post("/accounts/logout/")
    assert not any(validity.session_stands(key, ada.pk) for key in keys)


def test_whoever_looks_ends_nothing(ada: User, visitor: Visitor) -> None:
    """The password may be in the midst of being changed, and the session about to be told."""
    client = visitor(ada)
    key = str(client.session.session_key)
    User.objects.filter(pk=ada.pk).update(password="another")
    assert not validity.session_stands(key, ada.pk)
    assert Visited(session_key=key).found() == Found(None)
    User.objects.filter(pk=ada.pk).update(password=ada.password)
    assert validity.session_stands(key, ada.pk)


@pytest.mark.parametrize("way", ["revoked", "run out", "closed", "suspended"])
def test_a_token_stands_until_it_ends(way: str, ada: User, root: User) -> None:
    token, text = token_create(acting_user=ada, name="x", scopes=["play"], lasts=timedelta(days=1))
    assert validity.token_stands(text, ada.pk)
    assert not validity.token_stands(text, root.pk)
    if way == "revoked":
        token_revoke(acting_user=ada, token=token)
    elif way == "run out":
        past = timezone.now() - timedelta(days=2)
        type(token).objects.filter(pk=token.pk).update(
            created_at=past, expires_at=past + timedelta(days=1)
        )
    else:
        session_ended(way, Client(), ada, root)
    assert not validity.token_stands(text, ada.pk)


def test_sockets_and_streams_ask_for_what_they_were_opened_with(
    ada: User, play: Play, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert validity.stands_of_socket({"user": AnonymousUser()}) is None
    session = visitor(ada).session
    token, text = token_create(
        acting_user=ada, name="x", scopes=["bot", "play"], lasts=timedelta(days=1)
    )
    asked = {
        "session": validity.stands_of_socket({"user": ada, "session": session}),
        "token": validity.stands_of_socket({"user": ada, "session": session, "token": text}),
    }
    made: list[Any] = []

    def noted(self: Any, user: User, *_match: int, **opened: Any) -> None:
        made.append(opened["stands"])
        raise RuntimeError("enough")

    for kind in (streams.MatchStream, streams.EventStream):
        monkeypatch.setattr(kind, "__init__", noted)
    client = visitor(ada, raise_request_exception=False)
    bearer = Client(headers={"authorization": f"Bearer {text}"}, raise_request_exception=False)
    for path in (f"/api/v1/matches/{play.pk}/stream/", "/api/v1/me/events/"):
        client.get(path)
        bearer.get(path)
    assert len(made) == 4
    for stands in (*asked.values(), *made):
        assert stands is not None
        assert stands()
    token_revoke(acting_user=ada, token=token)
    assert [stands() for stands in made] == [True, False, True, False]
    assert asked["session"] is not None
    assert asked["token"] is not None
    assert asked["session"]()
    assert not asked["token"]()
