"""Streams against the real site: what they begin with, what they bring, when they end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import pytest

from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.support.site import PATIENCE, Site

pytestmark = pytest.mark.site


class Listener:
    """Reads the frames of a stream; alive lines are counted, not given."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self.lines = answer.aiter_lines()
        self.alive = 0

    async def next(self, *kinds: str) -> dict[str, Any]:
        """The next frame, or the next of one of these types."""
        async for line in self.lines:
            if not line.strip():
                self.alive += 1
                continue
            frame: dict[str, Any] = json.loads(line)
            if not kinds or frame["type"] in kinds:
                return frame
        raise EOFError

    async def rest(self) -> list[dict[str, Any]]:
        """Everything up to the end."""
        return [json.loads(line) async for line in self.lines if line.strip()]


@asynccontextmanager
async def listening(
    site: Site, path: str, person: Person | None, token: str = ""
) -> AsyncIterator[Listener]:
    cookies = {} if person is None else {"sessionid": person.session}
    headers = {"authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx.AsyncClient(
            base_url=site.base_url, cookies=cookies, headers=headers, timeout=30
        ) as web,
        web.stream("GET", f"/api/v1{path}") as answer,
    ):
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["content-type"] == "application/x-ndjson"
        assert answer.headers["cache-control"] == "private, no-store"
        yield Listener(answer)


async def test_a_match_from_its_sync_to_its_end(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    async with (
        listening(site, f"/matches/{match}/stream/", players[0]) as stream,
        listening(site, f"/matches/{match}/stream/", desk.person()) as room,
        await Reader.open(site, match, players[0]) as reader,
        await Reader.open(site, match, players[1]) as opponent,
    ):
        await reader.next("sync")
        await opponent.next("sync")
        first = await stream.next()
        assert (first["type"], first["you"], first["version"]) == ("sync", 0, 1)
        assert (await room.next())["you"] is None
        await reader.submit("pick T")
        step = await stream.next("step")
        assert step["version"] == 2
        assert step["view"]["decisions"][0]["sealed"] == "pick T"
        await opponent.submit("pick L")
        step = await stream.next("step")
        assert step["version"] == 3
        # The room is told of both picks at once, and of neither before.
        told = await room.next("step")
        assert [event["text"] for event in told["events"][0]["events"]] == ["picked T", "picked L"]
        await opponent.submit("concede")
        for listener in (stream, room):
            last = [frame for frame in await listener.rest() if frame["type"] != "presence"]
            assert last[-1]["type"] == "sync"
            assert last[-1]["view"]["result"]["winner"] == 0


async def test_a_match_that_is_over_is_one_line(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    async with await Reader.open(site, match, players[1]) as reader:
        await reader.next("sync")
        await reader.submit("concede")
    async with listening(site, f"/matches/{match}/stream/", players[0]) as stream:
        frames = await stream.rest()
    assert [frame["type"] for frame in frames] == ["sync"]
    assert frames[0]["view"]["phase"] == "over"


@pytest.mark.parametrize("why", ["opening", "begun", "over", "changed too often"])
async def test_a_commitment_that_is_not_taken_is_refused_in_a_line(
    site: Site, desk: Desk, why: str
) -> None:
    """And the stream goes on; one that is taken, or stands already, is followed by no such line."""
    players = (desk.person(), desk.person())
    match = desk.match(*players, waits=True, turn_time=86_400)

    async def begin(at: int, player: int = 0) -> list[dict[str, Any]]:
        path = f"/matches/{match}/stream/?commitment={at:064x}"
        async with listening(site, path, players[player]) as stream:
            sync = await stream.next()
            assert sync["type"] == "sync"
            if sync["view"]["phase"] == "over":
                return await stream.rest()
            # Something is always said of who is there.
            async with await Reader.open(site, match, players[player]) as reader:
                await reader.next("sync")
                return [await stream.next()]

    def refused(frames: list[dict[str, Any]]) -> list[str]:
        return [frame["code"] for frame in frames if frame["type"] == "refused"]

    assert refused(await begin(0)) == []
    assert refused(await begin(0)) == []
    if why == "changed too often":
        for at in (1, 2, 3):
            assert refused(await begin(at)) == []
        assert refused(await begin(4)) == ["draws.changes"]
        assert refused(await begin(3)) == []
        return
    async with AsyncExitStack() as stack:
        ada, ben = [
            await stack.enter_async_context(await Reader.open(site, match, each))
            for each in players
        ]
        await ada.next("step")
        if why != "opening":
            await ada.say("nonce", id="w", match=match, without=True)
            while (await ben.next("step"))["view"]["phase"] != "on":
                pass
        if why == "over":
            await ben.submit("concede")
        assert refused(await begin(0)) == []
        for player in (0, 1):
            assert refused(await begin(1, player)) == ["draws.late"]


async def test_events(site: Site, desk: Desk) -> None:
    ada, ben = desk.person(), desk.person()
    earlier = desk.match(ada, ben)
    async with listening(site, "/me/events/", ada) as events:
        started = await events.next()
        assert started["type"] == "match.started"
        assert (started["match"], started["seat"]) == (earlier, 0)
        assert (await events.next())["type"] == "caught-up"
        challenge = desk.challenge(ben, ada)
        received = await events.next()
        assert received["type"] == "challenge.received"
        assert (received["challenge"], received["ruleset"]) == (challenge, "tetronogo")
        match = desk.accept(challenge, ada)
        kinds = {frame["type"]: frame for frame in (await events.next(), await events.next())}
        assert kinds["challenge.closed"]["status"] == "accepted"
        assert (kinds["match.started"]["match"], kinds["match.started"]["seat"]) == (match, 1)
        async with await Reader.open(site, match, ben) as reader:
            # At a live pace it waits for both; who listens to it is there.
            assert (await reader.next("sync"))["view"]["phase"] == "waiting"
            assert (await reader.submit("concede"))["code"] == "match.waiting"
            async with listening(site, f"/matches/{match}/stream/", ada) as stream:
                assert (await stream.next("sync"))["view"]["phase"] == "waiting"
                for each in (reader, stream):
                    # What the log says of the draws, and the beginning.
                    phases = [(await each.next("step"))["view"]["phase"] for _ in range(2)]
                    assert phases == ["waiting", "on"]
            assert (await reader.submit("concede"))["type"] == "ack"
        ended = await events.next()
        assert (ended["type"], ended["match"]) == ("match.ended", match)
        assert ended["result"]["winner"] == 1


async def test_an_account_that_is_closed_hears_nothing_more(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    async with listening(site, f"/matches/{match}/stream/", players[0]) as stream:
        await stream.next("sync")
        desk.close_account(players[0])
        frames = await stream.rest()
    assert frames[-1]["type"] == "closing"
    assert frames[-1]["code"] == "account.changed"


async def test_a_stream_ends_with_its_token(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    _, token = desk.token(players[0], "read", seconds=4)
    async with listening(site, f"/matches/{match}/stream/", None, token) as stream:
        assert (await stream.next("sync"))["you"] == 0
        frames = await stream.rest()
    assert (frames[-1]["type"], frames[-1]["code"]) == ("closing", "token.refused")


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/me/events/", 401, "request.not-authenticated"),
        ("/matches/{match}/stream/", 401, "request.not-authenticated"),
        ("/matches/{match}/hints/", 401, "request.not-authenticated"),
    ],
)
async def test_nobody_is_sent_away(
    site: Site, desk: Desk, path: str, status: int, code: str
) -> None:
    match = desk.match(desk.person(), desk.person())
    async with httpx.AsyncClient(base_url=site.base_url, timeout=30) as web:
        answer = await web.get("/api/v1" + path.format(match=match))
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_too_many_streams(site: Site, desk: Desk) -> None:
    from games.bots.streams import OPEN_AT_ONCE

    ada = desk.person()
    cookies = {"sessionid": ada.session}
    limits = httpx.Limits(max_connections=OPEN_AT_ONCE + 2)
    async with httpx.AsyncClient(
        base_url=site.base_url, cookies=cookies, limits=limits, timeout=30
    ) as web:
        answers = []
        for _ in range(OPEN_AT_ONCE):
            request = web.build_request("GET", "/api/v1/me/events/")
            answers.append(await web.send(request, stream=True))
        listeners = [Listener(answer) for answer in answers]
        for listener in listeners:
            assert (await listener.next())["type"] == "caught-up"
        one_more = await web.get("/api/v1/me/events/")
        assert (one_more.status_code, one_more.json()["code"]) == (409, "stream.too-many")
        for answer in answers:
            await answer.aclose()


def test_a_stream_whose_reader_does_not_read_keeps_only_so_much() -> None:
    """Where the server waits for readers, what they are told waits as well."""
    from games.bots.streams import HEARD_AT_MOST, Ear
    from games.publishing.publish import Heard

    ear = Ear()
    for version in range(2 * HEARD_AT_MOST):
        ear.hear(Heard("match.frame", b"{}", version))
    assert ear.heard.qsize() == HEARD_AT_MOST


@pytest.mark.parametrize("way", ["socket", "stream"])
async def test_a_token_that_only_reads_is_nobody_there(site: Site, desk: Desk, way: str) -> None:
    """At an hour a turn or more, where having looked in once counts for good: not by itself, nor
    when the other player comes while it listens. With `play` it does."""
    players = (desk.person(), desk.person())
    match = desk.match(*players, waits=True, turn_time=86_400)

    async def ready() -> list[bool]:
        async with await Reader.open(site, match) as room:
            waiting: dict[str, Any] = (await room.next("sync"))["view"]["waiting"]
            return list(waiting["ready"])

    async with AsyncExitStack() as stack:

        async def comes(*scopes: str) -> dict[str, Any]:
            _, token = desk.token(players[0], *scopes)
            if way == "stream":
                opened = listening(site, f"/matches/{match}/stream/", None, token)
                return await (await stack.enter_async_context(opened)).next("sync")
            opening = await Reader.open(site, match, token=token)
            reader = await stack.enter_async_context(opening)
            sync = await reader.next("sync")
            await reader.say("ping", at=1)
            await reader.next("pong")
            return sync

        sync = await comes("read")
        assert (sync["you"], sync["presence"]["seats"]) == (0, [False, False])
        assert await ready() == [False, False]
        async with await Reader.open(site, match, players[1]) as other:
            await other.say("ping", at=1)
            assert (await other.next("pong"))["presence"]["seats"] == [False, True]
        assert await ready() == [False, True]
        async with await Reader.open(site, match) as room:
            await comes("read", "play")
            async with asyncio.timeout(PATIENCE):
                while (await room.look())["view"]["phase"] != "on":
                    pass
