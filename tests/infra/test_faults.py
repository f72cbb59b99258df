"""Real processes with a fault in them, while others play: one failure stops nothing else."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import psycopg
import pytest

from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.support.site import Site, wait_for

# Seconds within which a deadline happens: a second or two, on a machine that is busy with others.
SOON = 25.0


@pytest.fixture
def desk(site: Site) -> Desk:
    return Desk(site)


@pytest.fixture
def players(desk: Desk) -> tuple[Person, Person]:
    return desk.person(), desk.person()


def entries(site: Site, match: int) -> list[tuple[Any, ...]]:
    return site.sql(
        "SELECT actor, timeout FROM games_matchentry WHERE match_id = %s ORDER BY seq", match
    )


def ran_out(site: Site, match: int) -> bool:
    return any(timeout for _, timeout in entries(site, match))


def readiness(site: Site) -> tuple[int, Any]:
    answer = httpx.get(f"{site.base_url}/readyz", timeout=30)
    return answer.status_code, answer.json()


async def moves(site: Site, match: int, player: Person, text: str) -> None:
    """Somebody is there, and what they do counts."""
    async with await Reader.open(site, match, player) as reader:
        await reader.next("sync")
        assert (await reader.submit(text))["type"] == "ack"


def test_a_broken_match_and_a_locked_one_stop_no_clock_and_no_start(
    site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    broken, locked = desk.match(*players, pick_time=1), desk.match(*players, pick_time=1)
    playing = desk.match(*players)
    with psycopg.connect(site.database_url) as other:
        other.execute("SELECT 1 FROM games_match WHERE id = %s FOR UPDATE", [locked])
        snapshot = site.sql("SELECT snapshot FROM games_match WHERE id = %s", broken)[0][0]
        site.sql("UPDATE games_match SET snapshot = '{}' WHERE id = %s", broken)
        first = desk.match(*players, pick_time=1)
        asyncio.run(moves(site, playing, players[0], "pick T"))
        wait_for(lambda: ran_out(site, first), timeout=SOON, what="a deadline")
        assert not ran_out(site, locked)
        aside = "SELECT attempts FROM jobs_setaside WHERE key = %s AND job = 'matches.wake'"
        wait_for(lambda: site.sql(aside, str(broken)), what="the broken match to be set aside")
        other.rollback()
    wait_for(lambda: ran_out(site, locked), timeout=SOON, what="the deadline of what was locked")
    # The site starts again beside the broken match, takes moves, and lets decisions run out.
    site.web.kill()
    time.sleep(3.5)  # an outage, which concerns the broken match too
    site.web.start()
    asyncio.run(moves(site, playing, players[1], "pick T"))
    second = desk.match(*players, pick_time=1)
    wait_for(lambda: ran_out(site, second), timeout=SOON, what="a deadline after the start")
    status, parts = readiness(site)
    assert (status, parts["deadlines"]) == (200, True)
    assert parts["set_aside"] >= 1
    # Mended, and tried again: it goes on like any other.
    site.sql("UPDATE games_match SET snapshot = %s WHERE id = %s", snapshot, broken)
    site.sql("UPDATE jobs_setaside SET next_at = now() WHERE key = %s", str(broken))
    wait_for(lambda: ran_out(site, broken), timeout=SOON, what="the deadline of what was broken")


def test_without_a_worker_to_enforce_deadlines_the_site_is_not_ready(site: Site) -> None:
    """Though a web process enforces them: somebody has to look after the workers."""
    wait_for(lambda: readiness(site)[0] == 200, what="the first sweep")
    site.deadlines.kill()
    wait_for(lambda: readiness(site)[0] == 503, what="readiness to fail")
    assert readiness(site)[1]["workers"] is False
    wait_for(lambda: readiness(site)[1]["deadlines"], what="a web process to sweep")
    assert httpx.get(f"{site.base_url}/healthz", timeout=30).status_code == 200
    site.deadlines.start()
    wait_for(lambda: readiness(site)[0] == 200, what="readiness to be back")


@pytest.mark.parametrize("fault", ["killed", "stopped"])
def test_without_bots_the_site_is_ready_and_people_play_on(
    fault: str, site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    """For longer than anything may be away without the site not being ready."""
    wait_for(lambda: readiness(site)[0] == 200, what="the first sweep")
    if fault == "killed":
        site.bots.kill()
    else:
        site.bots.pause()
    try:
        until = time.monotonic() + 6
        playing, timed = desk.match(*players), desk.match(*players, pick_time=1)
        asyncio.run(moves(site, playing, players[0], "pick T"))
        wait_for(lambda: ran_out(site, timed), timeout=SOON, what="a deadline")
        while time.monotonic() < until:
            status, parts = readiness(site)
            assert (status, parts["workers"], parts["swept_by"]) == (200, True, "worker")
            time.sleep(0.5)
    finally:
        if fault == "killed":
            site.bots.start()
        else:
            site.bots.resume()


@contextmanager
def silent_mail_server() -> Iterator[tuple[int, list[socket.socket]]]:
    """Takes every connection and never says a word; gives its port, and who came."""
    taken: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    taken.append(server.accept()[0])
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1], taken
    for connection in taken:
        connection.close()


def test_a_mail_server_that_says_nothing_stops_no_deadline(
    site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    usual = site.worker.env
    done = "SELECT at FROM jobs_jobdone WHERE task = 'tournaments.tasks.sweep'"
    with silent_mail_server() as (port, came):
        try:
            site.worker.kill()
            site.worker.env = {**usual, "GAUNTLET_EMAIL_PORT": str(port)}
            site.worker.start()
            site.python(
                "from django.core.mail import send_mail\n"
                "for n in range(40): send_mail('s', 'b', 'us@example.org', ['you@example.org'])"
            )
            wait_for(lambda: came, what="the worker to speak to the mail server")
            playing, clock = desk.match(*players), desk.match(*players, pick_time=1)
            before = site.sql(done)
            asyncio.run(moves(site, playing, players[0], "pick T"))
            wait_for(lambda: ran_out(site, clock), timeout=SOON, what="a deadline")
            # Nor does it stop the other jobs of the same worker.
            wait_for(lambda: site.sql(done) != before, timeout=SOON, what="the seasons' sweep")
            assert readiness(site)[0] == 200
        finally:
            site.worker.kill()
            site.worker.env = usual
            site.worker.start()


@pytest.mark.parametrize("fault", ["stopped", "killed"])
async def test_an_outage_costs_nobody_a_decision(
    fault: str, site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    """The decision runs out a moment after the web service has gone, and nobody notices before
    it is back: for a few seconds, which is no long outage."""
    match = desk.match(*players, pick_time=8, reserve=0)
    (begun,) = site.sql("SELECT deadline_at FROM games_match WHERE id = %s", match)[0]
    reader = await Reader.open(site, match, players[0])
    await reader.next("sync")
    assert (await reader.submit("pick T"))["type"] == "ack"
    await asyncio.sleep(max(0, begun / 1000 - time.time() - 0.7))
    if fault == "stopped":
        os.kill(site.web.pid, signal.SIGSTOP)
    else:
        site.web.kill()
    await asyncio.sleep(5)
    assert not ran_out(site, match)
    if fault == "stopped":
        os.kill(site.web.pid, signal.SIGCONT)
    else:
        site.web.start()
    later = "SELECT deadline_at > %s FROM games_match WHERE id = %s"
    wait_for(lambda: site.sql(later, begun, match)[0][0], what="the time to be given back")
    assert not ran_out(site, match)
    assert [actor for actor, _ in entries(site, match)].count("service") == 1
    # The other player answers in time, and the match goes on.
    await moves(site, match, players[1], "pick T")
    assert not ran_out(site, match)
    while fault == "stopped":  # whoever was connected is told
        step = await reader.next("step")
        if "service" in [item["actor"] for item in step["events"]]:
            break
    await reader.socket.close()
