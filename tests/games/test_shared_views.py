"""What spectators share of a match: the same that each would be told alone, made once; and what of
the log somebody is told who has some of it."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from channels.routing import URLRouter
from django.contrib.auth.models import AnonymousUser
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.connections.sockets import Visitor
from accounts.models import User
from core.clock import now_ms
from core.refusals import Refusal
from games import store
from games.audience import audience_of, may_organise
from games.bots import streams
from games.engine.decisions import Audience
from games.models import Match
from games.publishing import frames
from games.publishing.publish import encode
from games.reading import shared
from games.reading.known import Known, known_from
from games.reading.matches import match_for
from games.reading.readers import Reader
from games.reading.shared import RoomView, room_view
from games.remembered import forget_all
from games.sockets import admission, consumers, crowd
from games.sockets.crowd import Crowd
from games.sockets.incoming import Sync, incoming
from games.sockets.routing import websocket_urlpatterns
from tests.games.support import GAMES, SECOND, T0, Play, placing, started
from tests.support import depth
from tests.support.site import PATIENCE
from tests.support.sockets import KnownVisitor, LocalSocket, shared_view

Frame = dict[str, Any]


def plain(frame: Frame) -> Frame:
    """A frame as it goes over the line."""
    decoded: Frame = json.loads(encode(frame))
    return decoded


def told_alone(play: Play, user: User | None = None) -> Reader:
    """What somebody is told of whom nobody else is: made for them, and nothing of it kept."""
    match = match_for(play.pk, user or AnonymousUser())
    audience, organise = audience_of(match, user), may_organise(match, user)
    assert audience != "late"
    held = _held_of(match)
    log = frames.log_now(held, match, audience)
    sync = frames.sync_frame(held, match, audience, organise=organise, at=now_ms(), log=log)
    return Reader(audience, organise, held.is_over, sync, log.lasting)


# -- the same as alone ---------------------------------------------------------------------------


def moments(play: Play, rng: random.Random) -> Iterator[int]:
    """The instants (ms after `T0`) after each of a match's random moves, and between them."""
    at = 0
    while not play.match.is_over:
        at += SECOND
        table = play.held.live.table
        waiting = [s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s)]
        play.move(waiting[0], play.random_move(waiting[0], rng.random), at)
        yield at
        yield at + 400


@pytest.mark.parametrize(("ruleset", "variant"), depth.some(GAMES, 3))
def test_what_is_shared_is_what_each_would_be_told_alone(
    ruleset: str, variant: str, ada: User, ben: User, set_clock: Callable[[int], None],
    rng: random.Random,
) -> None:  # fmt: skip
    set_clock(0)
    play = started((ada, ben), ruleset, variant=variant, random=rng.random)
    view = room_view(play.pk)
    seen = 0
    for at in moments(play, rng):
        set_clock(at)
        view = room_view(play.pk)
        alone = told_alone(play)
        assert plain(view.sync(at=T0 + at, organise=False)) == plain(alone.sync)
        assert view.plain(at=T0 + at, organise=False) == alone.sync
        assert (view.version, view.over) == (alone.sync["version"], alone.over)
        seen += 1
    assert seen > 10
    assert view.over


def test_it_is_made_once_for_all_and_anew_once_something_has_changed(
    play: Play, ada: User, made: list[Match]
) -> None:
    view = room_view(play.pk)
    assert room_view(play.pk) is view
    assert len(made) == 1
    placing(play)
    after = room_view(play.pk)
    assert (after.version, len(made)) == (play.versions[2], 2)
    # What is not in the match's row, and shown all the same.
    ada.username = "lovelace"
    ada.save(update_fields=["username"])
    renamed = room_view(play.pk)
    header = renamed.sync(at=T0, organise=False)["header"]
    assert header["seats"][0] == {"name": "Ada", "username": "lovelace"}
    # Whatever writes to the row, by whatever way.
    Match.objects.filter(pk=play.pk).update(unrated="A friendly game.")
    again = room_view(play.pk)
    assert again.sync(at=T0, organise=False)["header"]["terms"] == "A friendly game."
    # The database may be another one, which counts anew.
    forget_all()
    assert room_view(play.pk) is not again


_held_of = store.held_of


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Match]:
    """The matches of which a view has been made, by whomever."""
    made: list[Match] = []

    def held_of(match: Match) -> store.Held:
        made.append(match)
        return _held_of(match)

    monkeypatch.setattr(store, "held_of", held_of)
    return made


@pytest.mark.parametrize("name", ["api:match", "api:match_log", "games:match"])
def test_who_asks_again_and_again_without_a_socket_shares_it_too(
    play: Play, cleo: User, made: list[Match], name: str
) -> None:
    """By the API and by the page, strangers and those with an account."""
    address = reverse(name, args=[play.pk])
    clients = [Client() for _ in range(3)]
    clients[2].force_login(cleo)
    for placed in (False, True):
        if placed:
            placing(play)
        made.clear()
        for _ in range(7):
            assert {client.get(address).status_code for client in clients} == {200}
        assert len(made) == 1


@pytest.mark.parametrize("name", ["api:match", "api:match_log"])
@pytest.mark.parametrize("who", ["nobody", "watching", "seated"])
def test_who_has_it_already_has_nobody_read_it(
    play: Play, cleo: User, made: list[Match], name: str, who: str
) -> None:
    address, client = reverse(name, args=[play.pk]), Client()
    if who != "nobody":
        client.force_login(cleo if who == "watching" else play.players[0])
    tag = client.get(address).headers["ETag"]
    forget_all()  # as in a process that has not been asked yet
    made.clear()
    for _ in range(3):
        assert client.get(address, headers={"If-None-Match": tag}).status_code == 304
    assert made == []
    placing(play)
    again = client.get(address, headers={"If-None-Match": tag})
    assert (again.status_code, len(made)) == (200, 1)
    assert again.json()["version"] == play.versions[0 if who == "seated" else 2]


def test_many_at_the_same_moment_have_one_of_them_make_it(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As threads that answer requests at a time. A new reading is asked for the version only."""
    made: list[int] = []
    told, match = shared_view().plain(at=0, organise=False), play.match
    monkeypatch.setattr(shared, "_mark_of", lambda *_: (0, "one"))

    def slow(match_id: int, _user: object) -> Match:
        made.append(match_id)
        time.sleep(0.3)
        return match

    monkeypatch.setattr(shared, "match_for", slow)
    monkeypatch.setattr(frames, "log_now", lambda *_: frames.Log([], frames.Lasting()))
    monkeypatch.setattr(frames, "sync_frame", lambda *_, **__: told)
    with ThreadPoolExecutor(8) as threads:
        views = set(threads.map(room_view, [play.pk] * 8))
    assert (len(views), made) == (1, [play.pk])


def test_only_so_many_are_kept(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "AT_MOST", 3)
    monkeypatch.setattr(shared, "_places", OrderedDict())  # nothing of other tests
    places = [shared._place_of(match, False) for match in range(10)]
    assert [shared._place_of(match, False) is places[match] for match in (9, 8, 7)] == [True] * 3
    assert shared._place_of(0, False) is not places[0]


def test_what_is_one_readers_own_stays_theirs(play: Play) -> None:
    view = room_view(play.pk)
    before = plain(view.sync(at=T0, organise=False))
    assert view.sync(at=T0 + 5, organise=True)["header"]["organise"] is True
    assert plain(view.sync(at=T0, organise=False)) == before


def test_nothing_of_a_seat_is_in_it(play: Play, set_clock: Callable[[int], None]) -> None:
    """Neither what was chosen nor that something was."""
    set_clock(5 * SECOND)
    view = room_view(play.pk)
    before = encode(view.sync(at=T0 + 5 * SECOND, organise=False))
    play.move(0, "pick T", 2 * SECOND)
    view = room_view(play.pk)
    assert encode(view.sync(at=T0 + 5 * SECOND, organise=False)) == before
    assert told_alone(play, play.players[0]).sync["view"]["decisions"][0]["sealed"] == "pick T"


def test_there_is_nothing_to_share_of_no_match(db: None) -> None:
    with pytest.raises(Refusal, match="no such match"):
        room_view(987_654)


# -- hundreds at the same moment -----------------------------------------------------------------


class Source:
    """Readings that end when they may."""

    def __init__(self) -> None:
        self.begun = 0
        self.may_end = asyncio.Event()
        self.error: Exception | None = None

    async def run(self, _call: Any) -> RoomView:
        self.begun += 1
        version = self.begun
        await self.may_end.wait()
        if self.error is not None:
            raise self.error
        return shared_view(version)


def ask(views: Crowd, source: Source, count: int) -> list[asyncio.Task[RoomView]]:
    loop = asyncio.get_running_loop()
    now = time.monotonic()
    return [loop.create_task(views.view(7, since=now, run=source.run)) for _ in range(count)]


async def test_a_crowd_costs_one_reading_and_whoever_comes_meanwhile_another() -> None:
    views, source = Crowd(), Source()
    first = ask(views, source, 500)
    await asyncio.sleep(0.01)
    assert source.begun == 1
    # A turn may have been committed since that was begun: what it brings is too old for these.
    later = ask(views, source, 500)
    await asyncio.sleep(0.01)
    source.may_end.set()
    assert {view.version for view in await asyncio.gather(*first)} == {1}
    assert {view.version for view in await asyncio.gather(*later)} == {2}
    assert source.begun == 2


async def test_a_database_that_is_away_is_asked_once_for_all() -> None:
    views, source = Crowd(), Source()
    source.error = OperationalError("away")
    source.may_end.set()
    answers = await asyncio.gather(*ask(views, source, 200), return_exceptions=True)
    assert {type(answer) for answer in answers} == {OperationalError}
    assert source.begun == 1
    source.error = None
    (answer,) = await asyncio.gather(*ask(views, source, 1))
    assert answer.version == 2


async def test_one_who_leaves_while_reading_keeps_nobody_out() -> None:
    views, source = Crowd(), Source()
    first, *others = ask(views, source, 3)
    await asyncio.sleep(0.01)
    first.cancel()
    await asyncio.sleep(0.01)
    source.may_end.set()
    assert {view.version for view in await asyncio.gather(*others)} == {2}


async def test_only_so_many_views_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowd, "AT_MOST", 3)
    views, source = Crowd(), Source()
    source.may_end.set()
    for match in range(10):
        assert not views.knows(match)
        views.note(match, "room")
        await views.view(match, since=0.0, run=source.run)
    assert [match for match in range(10) if views.knows(match)] == [7, 8, 9]


def arrive(match: int, count: int, user: User | None = None) -> list[Frame]:
    """So many come at once; the `sync` of each."""

    async def come(socket: LocalSocket) -> Frame:
        socket.scope["visitor"] = Visitor() if user is None else KnownVisitor(user)
        assert (await socket.connect(PATIENCE))[0]
        frame: Frame = {}
        while frame.get("type") != "sync":
            frame = json.loads(await socket.receive_from())
        return frame

    @async_to_sync
    async def all_of_them() -> list[Frame]:
        path = f"/ws/v1/matches/{match}/"
        sockets = [LocalSocket(URLRouter(websocket_urlpatterns), path) for _ in range(count)]
        came = await asyncio.gather(*map(come, sockets))
        await asyncio.gather(*[socket.disconnect() for socket in sockets])
        return came

    return all_of_them()


@pytest.fixture
def in_this_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    async def here(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return await sync_to_async(call, thread_sensitive=True)(*args, **kwargs)

    for module in (admission, consumers, streams):
        monkeypatch.setattr(module, "in_read_thread", here)


def test_streams_of_spectators_share_it_and_are_told_the_same(
    play: Play, cleo: User, in_this_thread: None, made: list[Match]
) -> None:
    opened = [streams.MatchStream(cleo, play.pk) for _ in range(20)]

    @async_to_sync
    async def told() -> list[Frame]:
        return [plain(each) for each in await asyncio.gather(*[one._sync() for one in opened])]

    for placed in (False, True):
        if placed:
            placing(play)
        alone = plain(told_alone(play, cleo).sync)
        made.clear()
        for frame in told():
            assert {**frame, "at": 0, "presence": None} == {**alone, "at": 0, "presence": None}
        assert len(made) == 1


def test_what_a_crowd_that_arrives_asks_of_the_database(
    play: Play, cleo: User, in_this_thread: None
) -> None:
    asked = {}
    for count in (10, 60):
        with CaptureQueriesContext(connection) as queries:
            came = arrive(play.pk, count)
        asked[count] = len(queries)
        assert len(came) == count
        assert {frame["version"] for frame in came} == {1}
    # Who comes first asks what there is to ask, and for some who come meanwhile it is asked again.
    assert asked[60] <= asked[10] + 10
    assert asked[60] < 30
    # Who has an account is asked what they may do here: where they sit, and their roles.
    with CaptureQueriesContext(connection) as queries:
        arrive(play.pk, 20, User.objects.get(pk=cleo.pk))
    assert len(queries) < 20 * 2 + 15


# -- from a version on ---------------------------------------------------------------------------


class Watcher:
    """A client of one audience: what it knows, as docs/protocol.md has it."""

    def __init__(self, play: Play, audience: Audience) -> None:
        self.play = play
        self.user = play.players[audience] if audience in (0, 1) else None
        self.kept: list[tuple[Known, list[Frame]]] = []
        self.after: list[int] = []

    def sync(self, known: Known | None) -> Frame:
        """What the server sends to one who says this."""
        if self.user is not None:
            return plain(told_alone(self.play, self.user).lacking(known))
        return plain(room_view(self.play.pk).sync(at=T0, organise=False, known=known))

    def look(self) -> None:
        """Whatever it has known at any time, it can go on from, or is told everything."""
        whole = self.sync(None)
        assert "after" not in whole
        for known, log in self.kept:
            news = self.sync(known)
            after = news.get("after", 0)
            assert after in (0, known.log)
            assert [*log[:after], *news["log"]] == whole["log"]
            self.after.append(after)
        self.kept.append((Known(whole["you"], whole["version"], len(whole["log"])), whole["log"]))


@pytest.mark.parametrize("audience", [0, 1, "room"])
@pytest.mark.parametrize("ruleset", depth.some([r for r, v in dict(GAMES).items()], 3))
def test_a_log_goes_on_from_wherever_somebody_was(
    ruleset: str, audience: Audience, ada: User, ben: User, orla: User, rng: random.Random
) -> None:
    """At every moment of a match, for whatever was known at any earlier one: through moves, secret
    ones, take-backs, and the end."""
    play = started((ada, ben), ruleset, random=rng.random)
    watcher = Watcher(play, audience)
    at = 0
    for number in range(14):
        watcher.look()
        at += SECOND
        table = play.held.live.table
        waiting = [s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s)]
        if number in (6, 7, 11):
            play.organise(orla, "take back", at)
        elif waiting and not play.match.is_over:
            play.move(waiting[-1], play.random_move(waiting[-1], rng.random), at)
    if not play.match.is_over:
        play.move(1, "concede", at + SECOND)
    watcher.look()
    # It is no comparison of everything with everything.
    assert sum(after > 0 for after in watcher.after) > 10
    assert play.match.is_over


def test_who_is_up_to_date_is_told_nothing_anew(play: Play) -> None:
    placing(play)
    watcher = Watcher(play, "room")
    log = watcher.sync(None)["log"]
    news = watcher.sync(Known(None, play.versions[2], len(log)))
    assert (news["after"], news["log"]) == (len(log), [])
    assert news["view"] == watcher.sync(None)["view"]


@pytest.mark.parametrize(
    "known",
    [
        Known(0, 2, 1),  # somebody else by now
        Known(None, 99, 2),
        Known(None, 3, 99),
        Known(None, 3, 1),  # two items with that version
        Known(None, 1, 0),
    ],
)
def test_what_cannot_be_is_not_built_upon(play: Play, known: Known) -> None:
    placing(play)
    assert play.versions[2] == 3
    watcher = Watcher(play, "room")
    whole = watcher.sync(None)
    assert watcher.sync(known) == whole
    assert len(whole["log"]) == 2


def test_what_a_player_kept_is_no_spectators_to_build_upon(play: Play) -> None:
    placing(play)
    player, guest = Watcher(play, 0), Watcher(play, "room")
    log = player.sync(None)["log"]
    known = Known(0, play.versions[0], len(log))
    assert player.sync(known)["after"] == len(log)
    assert "after" not in guest.sync(known)


@pytest.mark.parametrize(
    ("query", "known"),
    [
        (b"", None),
        (b"you=&version=12&log=30", Known(None, 12, 30)),
        (b"you=1&version=12&log=0&more=1", Known(1, 12, 0)),
        (b"you=2&version=12&log=30", None),
        (b"you=0&version=-1&log=30", None),
        (b"you=0&version=x&log=30", None),
        (b"version=12&log=30", None),
        (b"you=0&version=1e3&log=\xff", None),
    ],
)
def test_what_an_address_says(query: bytes, known: Known | None) -> None:
    assert known_from(query) == known


def test_it_is_no_frame_that_says_what_cannot_be() -> None:
    assert incoming('{"type": "sync"}') == Sync(None)
    told = '{"type": "sync", "known": {"you": null, "version": 3, "log": 2}}'
    assert incoming(told) == Sync(Known(None, 3, 2))
    for known in ('{"you": 0, "version": -1, "log": 0}', '"all"', '{"you": 0}'):
        with pytest.raises(Refusal, match="not as it should be"):
            incoming(f'{{"type": "sync", "known": {known}}}')
