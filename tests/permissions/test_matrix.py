"""Every role, every action, every surface.

Whoever is asked about is made what they are called once for each scene, and then puts every ask of
it. What they may not do must write nothing at all, and so they put those asks one after the other;
where anything was written, each is put again by itself, to find out which. What they may do is
undone each time.

Everybody asks for an action on one surface, the next of them on the next, and the first who may on
all of theirs; in a whole run everybody does on all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

import pytest
from asgiref.sync import async_to_sync
from channels.routing import URLRouter
from django.core.cache import cache
from django.template.backends.django import Template
from django.urls import reverse

from accounts.signin.backends import NameBackend
from accounts.tokens.bearers import bearer_of
from games.models import Match, MatchPlayer
from games.sockets.routing import websocket_urlpatterns
from tests.permissions.table import PERMISSIONS, Api, Ask, Frame, Page, Permission
from tests.permissions.world import (
    BECOME,
    SCENES,
    SCOPES,
    Savepoint,
    Who,
    World,
    digest,
    seasons,
    writes,
)
from tests.support import depth
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


class Way(NamedTuple):
    """One way to ask for an action: as it is called in failures, what is asked, and what is sent;
    ``scopes``: of the token; ``session``: by who is signed in instead (sockets)."""

    name: str
    permission: Permission
    ask: Ask
    sent: Any
    scopes: tuple[str, ...] = SCOPES
    session: bool = False

    def needs(self, who: Who) -> str:
        """The scope that a token of theirs must have; a bot's account plays with `bot` only."""
        assert not isinstance(self.ask, Page)
        scope = self.ask.scope_of.get(who, self.ask.scope)
        return "bot" if who is Who.BOT and scope == "play" else scope

    def holds(self, who: Who, scope: str) -> bool:
        """Whether a token of that scope is enough."""
        needed = self.needs(who)
        return needed == scope if needed == "bot" else needed in _HELD[scope]


class Touched:
    """The tables in which something was written since, as they are now; the others are as they
    were."""

    def __init__(self, written: dict[str, tuple[int, ...]]) -> None:
        now = writes()
        self.tables = frozenset(table for table in now if now[table] != written.get(table))
        self.digest = digest(self.tables)

    def changed(self) -> bool:
        """Whether they were different, once it is undone."""
        return bool(self.tables) and digest(self.tables) != self.digest


class Asking:
    """Puts the asks about one scene, as anybody, and keeps what went wrong."""

    def __init__(self, world: World, scene: str) -> None:
        self.world, self.scene = world, world.scene(scene)
        self.wrong: list[str] = []
        # Filled in beforehand, by somebody who sees the form.
        self.ways = [
            Way(f"{name} ({_surface(ask)} {number})", permission, ask, self._sent(ask))
            for name, permission in PERMISSIONS.items()
            if permission.scene == scene
            for number, ask in enumerate(permission.asks)
        ]

    def _sent(self, ask: Ask) -> Any:
        if isinstance(ask, Page):
            return ask.form(self.scene)
        return ask.body(self.scene) if isinstance(ask, Api) else ask.frame(self.scene)

    def as_each(self) -> Iterator[Who]:
        """Everybody in turn, each made what they are called for as long."""
        for who in Who:
            changes = who in BECOME or self.scene.idle
            with Savepoint() if changes else nullcontext():
                if self.scene.idle:
                    MatchPlayer.objects.filter(match__in=Match.objects.running()).update(user=None)
                self.world.become(who, self.scene)
                yield who

    def all_refused(self, who: Who, ways: list[Way]) -> None:
        """None of this is done, and each answer says so."""
        with Savepoint():
            written = writes()
            answers = [self._answer(who, way) for way in ways]
            after = Touched(written)
        quiet = not after.changed()
        for way, answer in zip(ways, answers, strict=True):
            if answer not in self._refusals(way, who) or not (quiet or not self.done(who, way)):
                self.wrong.append(f"{who}: {way.name} {way.scopes}: {answer}, and may not")

    def is_done(self, who: Who, way: Way) -> None:
        """This is done, or shown, and the answer says so."""
        if not self.done(who, way):
            self.wrong.append(f"{who}: {way.name} {way.scopes}: refused, and may")

    def done(self, who: Who, way: Way) -> bool:
        """Whether it was done: a row has changed, or (of what is read) it was shown. Notes where
        the answer says something else than what happened, and where it is a fault."""
        with Savepoint():
            written, stood = writes(), seasons()
            answer = self._answer(who, way)
            after, stands = Touched(written), seasons()
        changed = after.changed()
        for pk in stood.keys() & stands.keys():
            (was, shown), (is_now, shows) = stood[pk], stands[pk]
            if shown != shows and is_now == was:
                self.wrong.append(f"{way.name}: a season shows something else as revision {was}")
            secrets = ("bring an item", "leave an item", "say what one wagers", "predict who")
            if is_now != was and way.name.startswith(secrets):
                self.wrong.append(f"{way.name}: a new revision tells of a secret")
        good, bad = self._successes(way), self._refusals(way, who)
        if way.permission.reads:
            if changed or (answer != 200 and answer not in bad):
                self.wrong.append(f"{who}: reads {way.name}: {answer}, changed: {changed}")
            return answer == 200
        if answer not in (good if changed else bad):
            self.wrong.append(f"{who}: {way.name}: {answer}, changed: {changed}")
        return changed

    def _successes(self, way: Way) -> set[int]:
        if isinstance(way.ask, Page):
            return {200, 302}
        return {200, 201, 202, 204} if isinstance(way.ask, Api) else {200}

    def _refusals(self, way: Way, who: Who) -> set[int]:
        if isinstance(way.ask, Page):
            return _REFUSED_PAGE
        if not isinstance(way.ask, Api):
            return {403}
        return _REFUSED_API | {400} if who in way.ask.faulty_of else _REFUSED_API

    def _answer(self, who: Who, way: Way) -> int:
        cache.clear()
        _reader[:] = [who]
        try:
            if isinstance(way.ask, Page):
                return self._page(way.ask, who, way.sent)
            if isinstance(way.ask, Api):
                return self._api(way.ask, who, way.sent, way.scopes)
            return self._frame(who, way)
        except Exception as error:
            error.add_note(f"{who}: {way.name}")
            raise

    def _page(self, page: Page, who: Who, form: Any) -> int:
        for value in form.values():
            if hasattr(value, "seek"):
                value.seek(0)
        address = reverse(page.name, args=page.args(self.scene))
        return int(getattr(self.world.clients[who], page.method)(address, form).status_code)

    def _api(self, api: Api, who: Who, body: Any, scopes: tuple[str, ...]) -> int:
        token = self.world.token(who, scopes)
        headers = {"authorization": f"Bearer {token}"} if token else {}
        address = reverse(api.name, args=api.args(self.scene))
        more = {} if api.method == "get" else {"content_type": "application/json"}
        client = self.world.api
        answer = getattr(client, api.method)(address, body, headers=headers, **more)
        client.cookies.clear()
        return int(answer.status_code)

    def _frame(self, who: Who, way: Way) -> int:
        """200 where it was taken, 403 where it was refused, also at the door."""
        user, credential = self.world.user(who), None
        if user is not None and way.session:
            user = NameBackend().get_user(user.pk)
        elif user is not None:
            bearer = bearer_of(self.world.token(who, way.scopes))
            if bearer is None:
                return 403
            user, credential = bearer
        # The socket runs beside, and its services in this thread.
        heard = async_to_sync(ask_socket)(self.scene.match.pk, way.sent, user, credential)
        assert "pong" in heard, (who, heard)
        return 403 if "refused" in heard else 200


# Who reads now, and who has read which page that only says no.
_reader: list[Who] = []
_has_read: set[tuple[str, Who]] = set()
_SAY_NO = {"games/problem.html", "404.html", "403.html"}


@pytest.fixture(autouse=True)
def refusals_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody reads each page that only says no once, and later gets an empty one: what counts
    here is that it is this page, and its status."""
    render = Template.render

    def drawn(self: Template, context: Any = None, request: Any = None) -> Any:
        name = str(self.template.name)
        if name in _SAY_NO and _reader:
            if (name, _reader[0]) in _has_read:
                return ""
            _has_read.add((name, _reader[0]))
        return render(self, context, request)

    monkeypatch.setattr(Template, "render", drawn)


def in_turn(ways: list[Way], number: int) -> list[Way]:
    """Of the ways to one action the next one, or all in a whole run."""
    if depth.whole:
        return ways
    by_permission: dict[int, list[Way]] = {}
    for way in ways:
        by_permission.setdefault(id(way.permission), []).append(way)
    return [its[(number + place) % len(its)] for place, its in enumerate(by_permission.values())]


def expected(permission: Permission, ask: Ask) -> set[Who]:
    """Who may, on this surface."""
    return set((permission.allowed | ask.also) & ask.door)


def test_every_action_has_a_scene() -> None:
    assert {permission.scene for permission in PERMISSIONS.values()} <= set(SCENES)


ASKED_ABOUT = sorted({permission.scene for permission in PERMISSIONS.values()})
TOKENS_ASK_ABOUT = sorted(
    {
        permission.scene
        for permission in PERMISSIONS.values()
        for ask in permission.asks
        if not isinstance(ask, Page)
    }
)


@pytest.mark.parametrize("scene", ASKED_ABOUT)
def test_only_those_of_the_table_may(scene: str, world: World) -> None:
    """Everybody asks for every action of the scene. Who may not comes with a token of all scopes;
    who may, with one of the scope that is needed alone. Sockets: those who are signed in, too."""
    asking = Asking(world, scene)
    signed_in = [way._replace(session=True) for way in asking.ways if isinstance(way.ask, Frame)]
    taken: set[str] = set()
    for number, who in enumerate(asking.as_each()):
        granted: list[Way] = []
        refused: list[Way] = []
        for way in (*asking.ways, *signed_in):
            if who not in expected(way.permission, way.ask):
                refused.append(way)
            elif isinstance(way.ask, Page) or way.session:
                granted.append(way)
            else:
                granted.append(way._replace(scopes=(way.needs(who),)))
        chosen = in_turn(granted, number)
        for way in granted:
            kind = f"{way.name} {way.session}"
            if kind not in taken or way in chosen:
                asking.is_done(who, way)
            taken.add(kind)
        asking.all_refused(who, in_turn(refused, number))
    assert asking.wrong == []


@pytest.mark.parametrize("scene", TOKENS_ASK_ABOUT)
def test_a_token_does_what_its_scope_says(scene: str, world: World) -> None:
    """Everybody who may, with tokens of one other scope each; the one that is needed is asked with
    above."""
    asking = Asking(world, scene)
    for number, who in enumerate(asking.as_each()):
        enough: list[Way] = []
        refused: list[Way] = []
        for way in asking.ways:
            if isinstance(way.ask, Page) or who not in expected(way.permission, way.ask):
                continue
            for scope in SCOPES:
                if scope != way.needs(who):
                    other = way._replace(scopes=(scope,))
                    (enough if way.holds(who, scope) else refused).append(other)
        for way in in_turn(enough, number):
            asking.is_done(who, way)
        asking.all_refused(who, in_turn(refused, number))
    assert asking.wrong == []
