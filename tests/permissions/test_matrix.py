"""Every role, every deed, every surface."""

from __future__ import annotations

import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from channels.routing import URLRouter
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.backends import NameBackend
from accounts.tokens import bearer_of
from games.routing import websocket_urlpatterns
from tests.permissions.table import DEEDS, Api, Ask, Deed, Frame, Page
from tests.permissions.world import SCOPES, Savepoint, Who, World, everything, writes
from tests.support.sockets import KnownVisitor, LocalSocket

pytestmark = pytest.mark.django_db

# What a refusal may look like; anything else is a fault, or an ask that the table has wrong.
_REFUSED_PAGE = {302, 403, 404, 409, 422}
_REFUSED_API = {401, 403, 404, 409, 422}
# What a token of one scope may do besides: whoever may do something may look at it, and a bot's
# token plays.
_HELD = {
    "read": {"read"}, "play": {"read", "play"}, "organise": {"read", "organise"},
    "bot": {"read", "play", "bot"},
}  # fmt: skip


def _surface(ask: Ask) -> str:
    if isinstance(ask, Page):
        return "admin" if ask.name.startswith("admin:") else "page"
    return "API" if isinstance(ask, Api) else "socket"


async def ask_socket(match_id: int, frame: Any, user: Any, credential: Any) -> list[str]:
    """The types of the frames that come back."""
    socket = LocalSocket(URLRouter(websocket_urlpatterns), f"/ws/v1/matches/{match_id}/")
    socket.scope["visitor"] = KnownVisitor(user, credential)
    await socket.connect()
    await socket.send_to(json.dumps(frame))
    await socket.send_to(json.dumps({"type": "ping"}))
    heard: list[str] = []
    while not heard or heard[-1] not in ("pong", "closing"):
        heard.append(json.loads(await socket.receive_from())["type"])
    await socket.disconnect()
    return heard


class Asking:
    """Puts one ask of a deed, as anybody."""

    def __init__(self, world: World, deed: Deed, ask: Ask) -> None:
        self.world, self.deed, self.ask = world, deed, ask
        self.scene = world.scene(deed.scene)
        self.before = everything()

    def done_by(self, who: Who, scopes: tuple[str, ...] = SCOPES, *, session: bool = False) -> bool:
        """Whether it was done: a row has changed, or (of what is read) it was shown. Fails where
        the answer says something else than what happened, and where it is a fault."""
        cache.clear()
        scene, ask = self.scene, self.ask
        with Savepoint():
            # Filled in beforehand, by somebody who sees the form.
            form = ask.form(scene) if isinstance(ask, Page) else None
            became = self.world.become(who, scene)
            before = everything() if became else self.before
            written = writes()
            if isinstance(ask, Page):
                good, bad = {200, 302}, _REFUSED_PAGE
                answer = self._page(ask, who, form)
            elif isinstance(ask, Api):
                good, bad = {200, 201, 202, 204}, _REFUSED_API
                answer = self._api(ask, who, scopes)
            else:
                good, bad = {200}, {403}
                answer = self._frame(ask, who, scopes, session)
            changed = writes() != written and everything() != before
        if self.deed.reads:
            assert not changed, f"{who}: reading has changed something"
            assert answer == 200 or answer in bad, f"{who}: {answer}"
            return answer == 200
        assert answer in (good if changed else bad), f"{who}: {answer}, changed: {changed}"
        return changed

    def _page(self, page: Page, who: Who, form: Any) -> int:
        address = reverse(page.name, args=page.args(self.scene))
        return int(getattr(self.world.clients[who], page.method)(address, form).status_code)

    def _api(self, api: Api, who: Who, scopes: tuple[str, ...]) -> int:
        token = self.world.token(who, scopes)
        client = Client(headers={"authorization": f"Bearer {token}"} if token else {})
        address = reverse(api.name, args=api.args(self.scene))
        more = {} if api.method == "get" else {"content_type": "application/json"}
        answer = getattr(client, api.method)(address, api.body(self.scene), **more)
        return int(answer.status_code)

    def _frame(self, ask: Frame, who: Who, scopes: tuple[str, ...], session: bool) -> int:
        """200 where it was taken, 403 where it was refused, also at the door."""
        user, credential = self.world.user(who), None
        if user is not None and session:
            user = NameBackend().get_user(user.pk)
        elif user is not None:
            bearer = bearer_of(self.world.token(who, scopes))
            if bearer is None:
                return 403
            user, credential = bearer
        frame = ask.frame(self.scene)
        # The socket runs beside, and its services in this thread.
        heard = async_to_sync(ask_socket)(self.scene.match.pk, frame, user, credential)
        assert "pong" in heard, (who, heard)
        return 403 if "refused" in heard else 200


def asks(*kinds: type) -> list[Any]:
    """Every way to ask for every deed, or those of some kinds: deed and number."""
    return [
        pytest.param(name, number, id=f"{name} ({_surface(ask)} {number})")
        for name, deed in DEEDS.items()
        for number, ask in enumerate(deed.asks)
        if isinstance(ask, kinds or object)
    ]


def expected(deed: Deed, ask: Ask) -> set[Who]:
    """Who may, on this surface."""
    return set((deed.allowed | ask.also) & ask.door)


@pytest.mark.parametrize(("name", "number"), asks())
def test_only_those_of_the_table_may(name: str, number: int, world: World) -> None:
    deed = DEEDS[name]
    asking = Asking(world, deed, deed.asks[number])
    may = {who for who in Who if asking.done_by(who)}
    wanted = expected(deed, deed.asks[number])
    assert sorted(may) == sorted(wanted)


@pytest.mark.parametrize(("name", "number"), asks(Frame))
def test_sockets_of_people_who_are_signed_in(name: str, number: int, world: World) -> None:
    deed = DEEDS[name]
    asking = Asking(world, deed, deed.asks[number])
    may = {who for who in Who if asking.done_by(who, session=True)}
    assert sorted(may) == sorted(expected(deed, deed.asks[number]))


@pytest.mark.parametrize(("name", "number"), asks(Api, Frame))
def test_a_token_does_what_its_scope_says(name: str, number: int, world: World) -> None:
    """Everybody who may, with tokens of one scope each."""
    deed = DEEDS[name]
    ask = deed.asks[number]
    assert isinstance(ask, Api | Frame)
    asking = Asking(world, deed, ask)
    for who in sorted(expected(deed, ask)):
        needed = ask.scope_of.get(who, ask.scope)
        for scope in SCOPES:
            # A bot's account plays with the scope `bot` only.
            held = _HELD[scope] - ({"play"} if who is Who.BOT and scope != "bot" else set())
            assert asking.done_by(who, (scope,)) == (needed in held), (who, scope)
