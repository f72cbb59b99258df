"""Each process by itself: one of two that hangs is told of, and one whose turn threads hang is no
sign of life."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from contextlib import AsyncExitStack

import psycopg

from tests.faults.support import (
    SOON,
    actors,
    database_ms,
    deadline,
    ran_out,
    readiness,
    wait_until_ran_out,
)
from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.support.site import AnotherWeb, Site, wait_for

# Turn threads of a web process, and some more than that.
MANY = 9


def rows(site: Site, pid: int) -> int:
    """How many rows a process has."""
    found = site.sql("SELECT count(*) FROM games_serviceprocess WHERE pid = %s", pid)
    return int(found[0][0])


def is_told(site: Site, what: str, pid: int) -> bool:
    """Whether the site's own web process has told that of another one."""
    lines = site.web.log().splitlines()
    return any(what in line and re.search(rf"\bpid\W+{pid}\b", line) for line in lines)


def test_every_process_is_known_until_it_ends(site: Site, another: AnotherWeb) -> None:
    processes = [*site.processes, another.web]
    wait_for(lambda: all(rows(site, each.pid) == 1 for each in processes), what="all rows")
    kinds = site.sql(
        "SELECT kind, pid, abs(skew_ms) <= 1000, ahead_ms FROM games_serviceprocess"
        " WHERE pid = ANY(%s)",
        [each.pid for each in processes],
    )
    assert sorted(kinds) == sorted(
        ("web" if each is another.web else each.name, each.pid, True, 0) for each in processes
    )
    ended = [another.web, site.deadlines]
    pids = [each.pid for each in ended]
    for process in ended:
        process.terminate()
    assert [rows(site, pid) for pid in pids] == [0, 0]


async def test_one_of_two_web_processes_stands_still(
    site: Site, another: AnotherWeb, desk: Desk, players: tuple[Person, Person]
) -> None:
    stopped = another.web.pid
    wait_for(lambda: rows(site, stopped) == 1, what="its row")
    outages = site.sql("SELECT count(*) FROM games_serviceoutage")
    os.kill(stopped, signal.SIGSTOP)
    try:
        wait_for(lambda: is_told(site, "process.silent", stopped), what="it to be missed")
        assert readiness(site)[1]["silent"] >= 1
        # The service was there all along: decisions are taken, and run out.
        match = desk.match(*players, pick_time=8)
        async with await Reader.open(site, match, players[0]) as reader:
            await reader.next("sync")
            assert (await reader.submit("pick T"))["type"] == "ack"
        wait_until_ran_out(site, match, "the other's deadline")
    finally:
        os.kill(stopped, signal.SIGCONT)
    wait_for(lambda: is_told(site, "process.answers-again", stopped), what="it to be back")
    assert actors(site, match)[:2] == ["0", "1"]
    assert site.sql("SELECT count(*) FROM games_serviceoutage") == outages


SLOW_BEATS = """
CREATE FUNCTION slow_beat() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_sleep(1); RETURN NEW; END $$;
CREATE TRIGGER slow_beat BEFORE UPDATE ON games_servicebeat
    FOR EACH ROW EXECUTE FUNCTION slow_beat();
"""
FAST_BEATS = "DROP FUNCTION IF EXISTS slow_beat CASCADE"
BEATING = """
SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'
    AND query ~ 'games_servicebeat'
"""


async def test_one_that_stands_still_in_its_sign_of_life_keeps_nobody_from_theirs(
    site: Site, another: AnotherWeb, desk: Desk, players: tuple[Person, Person]
) -> None:
    """It holds nothing that others wait for, so their turns go on as before."""
    match = desk.match(*players, pick_time=600)
    site.web.pause()
    site.sql(SLOW_BEATS)
    try:
        wait_for(lambda: bool(site.sql(BEATING)), what="a sign of life")
        another.web.pause()
        wait_for(lambda: not site.sql(BEATING), what="it to be done")
        # Its transaction has ended with it, though it has not been told so.
        site.sql(f"SET LOCAL lock_timeout = '5s'; {FAST_BEATS}")
        site.web.resume()
        async with await Reader.open(site, match, players[0]) as reader:
            await reader.next("sync")
            assert (await reader.submit("pick T"))["type"] == "ack"
            assert "error" not in [frame["type"] for frame in reader.frames]
    finally:
        site.web.resume()
        another.web.resume()
        site.sql(FAST_BEATS)


async def test_turn_threads_that_hang_are_no_sign_of_life(
    site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    """Somebody holds a table that every act of an organiser asks: the event loop answers as ever,
    and so do workers, who need that table for nothing. But nobody could submit a thing."""
    organiser = desk.person(role="organisers")
    matches = [desk.match(*players) for _ in range(MANY)]
    async with AsyncExitStack() as stack:
        readers = []
        for each in matches:
            readers.append(await Reader.open(site, each, organiser))
            await stack.enter_async_context(readers[-1])
            await readers[-1].next("sync")
        match = desk.match(*players, pick_time=5)
        due = deadline(site, match)
        with psycopg.connect(site.database_url) as holder:
            holder.execute("LOCK TABLE games_matchreferee IN ACCESS EXCLUSIVE MODE")
            for reader in readers:
                await reader.say("organise", id="once", text="pause", why="because")
            while database_ms(site) < due + 2500:
                assert not ran_out(site, match)
                await asyncio.sleep(0.2)
            holder.rollback()
        wait_for(lambda: deadline(site, match) > due, timeout=SOON, what="the time given back")
        assert actors(site, match) == ["service"]
        site.web.wait_until_told("beat.turns-stand-still")
        async with await Reader.open(site, match, players[0]) as mine:
            await mine.next("sync")
            assert (await mine.submit("pick T"))["type"] == "ack"
    site.web.wait_until_told("beat.turns-go-on")
