"""Submissions that come in time and have to wait in the server: they count, whatever is in their
way, and no decision runs out over them. Those that come late are late all the same.

What is in their way is made to stand still, by a lock on a table that it needs, until the deadline
is well past; so nothing here depends on how fast a machine is.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any

import httpx
import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from tests.faults.support import wait_for_sweeps
from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.support.site import PATIENCE, Site, Web

# Both choose in secret within so many seconds: time to get ready in, and not much to wait for.
PICK_S = 8
# How long before its deadline something is sent, and how long after it the way is free again: when
# the grace for what is on its way is over four times.
BEFORE_MS = 1000
AFTER_MS = 1000
# How long before it the database begins to stand still: nobody waits for a lock longer than 10 s.
HELD_MS = 6000
# More than a web process has threads, or connections, for anything.
MANY = 16


class Duel:
    """A match in which one has chosen, and the other has yet to."""

    def __init__(self, site: Site, desk: Desk, pick_s: int = PICK_S) -> None:
        self.site = site
        self.pick_s = pick_s
        self.ada, self.ben = desk.person(), desk.person()
        self.pk = desk.match(self.ada, self.ben, pick_time=pick_s)
        ((self.deadline,),) = site.sql("SELECT deadline_at FROM games_match WHERE id = %s", self.pk)

    async def until(self, offset_ms: int) -> None:
        """Wait until so long after the deadline, or before it."""
        left = (self.deadline + offset_ms) / 1000 - time.time()
        assert left > 0, "this machine is too slow for this test: raise PICK_S"
        await asyncio.sleep(left)

    @property
    def entries(self) -> list[tuple[str, str, bool, int]]:
        """Actor, text, timeout, reading: in order."""
        return self.site.sql(
            "SELECT actor, text, timeout, reading_ms FROM games_matchentry WHERE match_id = %s"
            " AND actor IN ('0', '1') ORDER BY seq",
            self.pk,
        )

    def assert_in_time(self, text: str) -> None:
        """Ben's choice counts as of when he sent it, and nothing has run out."""
        assert [(actor, said, late) for actor, said, late, _ in self.entries] == [
            ("0", "pick T", False), ("1", text, False),
        ]  # fmt: skip
        assert self.entries[1][3] <= self.pick_s * 1000

    def opened_at(self) -> int:
        """When the decision that follows both choices began."""
        ((since,),) = self.site.sql(
            "SELECT max((watch ->> 'since')::bigint) FROM games_match,"
            " jsonb_array_elements(snapshot::jsonb -> 'live' -> 'watches') AS watch"
            " WHERE id = %s AND watch <> 'null'",
            self.pk,
        )
        return int(since)


@pytest.fixture
def duel(site: Site, desk: Desk) -> Duel:
    return Duel(site, desk)


@contextmanager
def standing_still(
    site: Site, table: str, account: Person | None = None
) -> Iterator[psycopg.Connection[Any]]:
    """Nobody gets at a table meanwhile, and nothing can be stored that an account has submitted;
    `rollback` lets them on. Workers that enforce deadlines need neither."""
    with psycopg.connect(site.database_url) as holder:
        holder.execute(SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(Identifier(table)))
        if account is not None:
            holder.execute("SELECT id FROM accounts_user WHERE id = %s FOR UPDATE", (account.pk,))
        yield holder


async def seated(stack: AsyncExitStack, web: Web, match: int, *people: Person) -> list[Reader]:
    """Open sockets of players, each with its first view."""
    readers = []
    for person in people:
        reader = await stack.enter_async_context(await Reader.open(web, match, person))
        await reader.next("sync")
        readers.append(reader)
    return readers


@pytest.fixture
async def sockets() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def submit(reader: Reader, text: str, client_id: str = "last") -> None:
    await reader.say("submit", id=client_id, match=reader.match, version=reader.version, text=text)


async def test_what_waits_behind_other_frames_counts_as_of_when_it_came(
    web: Web, site: Site, duel: Duel, sockets: AsyncExitStack
) -> None:
    """Its own socket asks for everything, thrice, and gets no answer: the submission is not even
    looked at before the deadline is past."""
    ada, ben = await seated(sockets, web, duel.pk, duel.ada, duel.ben)
    assert (await ada.submit("pick T"))["type"] == "ack"
    with standing_still(site, "games_matchreferee") as holder:
        for _ in range(3):
            await ben.say("sync")
        await duel.until(-BEFORE_MS)
        await submit(ben, "pick L")
        await duel.until(AFTER_MS)
        assert len(duel.entries) == 1, "it ran out, or was not held up"
        holder.rollback()
        assert (await ben.answer("last"))["type"] == "ack"
    duel.assert_in_time("pick L")
    # Nobody pays for what the server took: what follows began when it was carried out.
    step = await ada.next("step", version=3)
    assert step["at"] >= duel.deadline + AFTER_MS
    assert duel.opened_at() >= step["at"]


async def test_with_all_threads_and_connections_busy(
    web: Web, site: Site, desk: Desk, sockets: AsyncExitStack
) -> None:
    """Somebody's moves and syncs in other matches have all of them, and wait for the database."""
    duel = Duel(site, desk, pick_s=20)  # there is more to get ready
    ada, ben = await seated(sockets, web, duel.pk, duel.ada, duel.ben)
    assert (await ada.submit("pick T"))["type"] == "ack"
    players = (desk.person(), desk.person())
    others: list[Reader] = []
    for _ in range(MANY):
        others += await seated(sockets, web, desk.match(*players), players[0])
    await duel.until(-HELD_MS)
    with standing_still(site, "games_matchreferee", players[0]) as holder:
        for other in others:
            await submit(other, "pick T")
            await other.say("sync")
        await duel.until(-BEFORE_MS)
        await submit(ben, "pick L")
        await duel.until(AFTER_MS)
        assert len(duel.entries) == 1, "it ran out, or was not held up"
        holder.rollback()
        assert (await ben.answer("last"))["type"] == "ack"
    duel.assert_in_time("pick L")
    assert [(await other.answer("last"))["type"] for other in others] == ["ack"] * MANY


async def test_by_the_api(web: Web, site: Site, desk: Desk, duel: Duel) -> None:
    """Who it is cannot be found out before the deadline is past."""
    _, token = desk.token(duel.ben, "play")
    async with client(web) as ada, client(web, token) as ben:
        ada.headers["Authorization"] = f"Bearer {desk.token(duel.ada, 'play')[1]}"
        assert (await choose(ada, duel, "pick T")).status_code == 201
        with standing_still(site, "accounts_apitoken") as holder:
            await duel.until(-BEFORE_MS)
            answer = asyncio.create_task(choose(ben, duel, "pick L"))
            await duel.until(AFTER_MS)
            assert len(duel.entries) == 1, "it ran out, or was not held up"
            assert not answer.done()
            holder.rollback()
            assert (await answer).status_code == 201
    duel.assert_in_time("pick L")


@pytest.fixture
def waits_for_long(site: Site) -> Iterator[None]:
    """The worker would wait for minutes for what has come in time."""
    usual = site.deadlines.env
    site.deadlines.kill()
    site.deadlines.env = {**usual, "GAUNTLET_HOLD_MS": "600000"}
    site.deadlines.start()
    wait_for_sweeps(site)
    yield
    site.deadlines.kill()
    site.deadlines.env = usual
    site.deadlines.start()


@pytest.mark.usefixtures("waits_for_long")
async def test_what_comes_late_is_late_and_holds_nothing_up(
    web: Web, site: Site, desk: Desk, sockets: AsyncExitStack
) -> None:
    """By a moment, while the grace for what is on its way is not over."""
    duel = Duel(site, desk)
    ada, ben = await seated(sockets, web, duel.pk, duel.ada, duel.ben)
    assert (await ada.submit("pick T"))["type"] == "ack"
    with standing_still(site, "games_matchreferee") as holder:
        await ben.say("sync")
        await duel.until(20)
        await submit(ben, "pick L")
        # While it waits: nobody lets it keep the match open.
        async with asyncio.timeout(PATIENCE):
            while len(duel.entries) == 1:  # noqa: ASYNC110  (the database tells nobody)
                await asyncio.sleep(0.05)
        assert duel.entries[1][::2] == ("1", True)
        told = {frame["type"] for frame in await ben.pause(0.2)}
        assert not {"sync", "error", "refused"} & told, "what came late was waited for"
        holder.rollback()
        answer = await ben.answer("last")
    assert answer["type"] == "refused"
    assert answer["code"] in {"clock.over", "version.stale", "decision.none"}
    assert [late for _, _, late, _ in duel.entries] == [False, True]


async def test_a_body_counts_as_of_its_last_byte(web: Web, desk: Desk, duel: Duel) -> None:
    """Who begins a request in time and ends it late has sent it late."""
    _, token = desk.token(duel.ben, "play")
    begun = asyncio.Event()

    one, two = b'{"id": "last", "text": "pick L", ', b'"version": 1}'

    async def slowly() -> AsyncIterator[bytes]:
        yield one
        begun.set()
        await duel.until(20)
        yield two

    async with client(web, token) as ben:
        headers = {"Content-Type": "application/json", "Content-Length": str(len(one + two))}
        answer = await within(ben.post(submissions(duel), content=slowly(), headers=headers))
    assert begun.is_set()
    assert answer.status_code == 409, answer.text
    assert answer.json()["code"] in {"clock.over", "version.stale", "decision.none"}


async def test_a_crowd_that_asks_for_everything_delays_no_turn(
    web: Web, site: Site, desk: Desk, duel: Duel, sockets: AsyncExitStack
) -> None:
    """None of it is answered, and turns are made, first by a thread and then without one."""
    ada, ben = await seated(sockets, web, duel.pk, duel.ada, duel.ben)
    crowd = [
        await sockets.enter_async_context(await Reader.open(web, duel.pk, desk.person()))
        for _ in range(MANY)
    ]
    for reader in crowd:
        await reader.next("sync")
    with standing_still(site, "games_matchreferee") as holder:
        for reader in (*crowd, ada):
            await reader.say("sync")
            await reader.say("chat.history", room="spectators")
        assert (await ben.submit("pick L"))["type"] == "ack"
        told = [frame["type"] for reader in crowd for frame in await reader.pause(0.01)]
        assert not {"sync", "chat.history"} & set(told), "the crowd was not held up"
        holder.rollback()
        for reader in crowd:
            await reader.next("sync")


def client(web: Web, token: str = "") -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.AsyncClient(base_url=web.base_url, headers=headers, timeout=PATIENCE)


def submissions(duel: Duel) -> str:
    return f"/api/v1/matches/{duel.pk}/submissions/"


async def choose(client: httpx.AsyncClient, duel: Duel, text: str) -> httpx.Response:
    sent = {"id": text.replace(" ", "-"), "text": text, "version": 1}
    return await client.post(submissions(duel), json=sent)


async def within(answer: Awaitable[httpx.Response]) -> httpx.Response:
    return await asyncio.wait_for(answer, PATIENCE)
