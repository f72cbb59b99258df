"""Workers or beat are dead: web processes enforce deadlines, and leave off as soon as a worker is
there."""

from __future__ import annotations

import asyncio
import os
import signal
import time

import psycopg
import pytest

from tests.faults.support import (
    BOTH_RAN_OUT,
    SOON,
    actors,
    database_ms,
    dead,
    deadline,
    entries,
    has_sweepers_lock,
    ran_out,
    readiness,
    swept_by_web,
    wait_until_ran_out,
)
from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.support.site import AnotherWeb, Site, wait_for


@pytest.mark.parametrize("names", ["deadlines", "beat", "deadlines beat"])
def test_deadlines_are_enforced_without(
    names: str, site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    wait_for(lambda: readiness(site)[0] == 200, what="the site to be well")
    killed = dead(site, names)
    match = desk.match(*players, pick_time=5)
    due = deadline(site, match)
    wait_until_ran_out(site, match)
    assert actors(site, match) == BOTH_RAN_OUT
    assert entries(site, match)[0][2] > due
    # Somebody is to look after the workers, though no clock has to wait for that.
    status, parts = readiness(site)
    assert (status, parts["deadlines"], parts["workers"]) == (503, True, False)
    assert parts["swept_by"] == "web"
    site.web.wait_until_told("deadlines.no-worker")
    # From now on it is on time: with a long decision, too, of which no turn has told a worker.
    second = desk.match(*players, pick_time=4)
    due = deadline(site, second)
    wait_until_ran_out(site, second, "another deadline")
    assert 0 < entries(site, second)[0][2] - due < 10_000
    # Workers are back, and web processes stand back.
    for process in killed:
        process.start()
    wait_for(lambda: readiness(site)[0] == 200, timeout=SOON, what="workers to sweep")
    site.web.wait_until_told("deadlines.worker-again")
    before = swept_by_web(site)
    third = desk.match(*players, pick_time=2)
    wait_until_ran_out(site, third, "a worker's deadline")
    assert swept_by_web(site) == before


def test_an_arrival_is_given_up_without_workers(site: Site, desk: Desk) -> None:
    ana, ben = desk.person(), desk.person()
    killed = dead(site, "deadlines beat")
    seconds = "from django.conf import settings; settings.GAUNTLET_ARRIVAL_SECONDS = {}".format
    site.python(seconds(4))
    try:
        match = desk.accept(desk.challenge(ana, ben), ben)
    finally:
        site.python(seconds(180))
    assert not desk.is_over(match)
    wait_for(lambda: desk.is_over(match), timeout=SOON, what="the match to be given up")
    for process in killed:
        process.start()


async def test_nothing_runs_out_while_the_web_is_away_though_it_stands_in(
    site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    """It is stopped while it does the workers' work, with a deadline to come, and goes on with that
    work as soon as with anything else."""
    killed = dead(site, "deadlines beat")
    wait_for(lambda: readiness(site)[1]["swept_by"] == "web", timeout=SOON, what="it to stand in")
    match = desk.match(*players, pick_time=6, reserve=0)
    async with await Reader.open(site, match, players[0]) as reader:
        await reader.next("sync")
        assert (await reader.submit("pick T"))["type"] == "ack"
        before = deadline(site, match)
        os.kill(site.web.pid, signal.SIGSTOP)
        try:
            await asyncio.sleep(8)
            assert not ran_out(site, match)
        finally:
            os.kill(site.web.pid, signal.SIGCONT)
        wait_for(lambda: deadline(site, match) > before, what="the time to be given back")
        assert not ran_out(site, match)
        assert actors(site, match).count("service") == 1
    async with await Reader.open(site, match, players[1]) as other:
        await other.next("sync")
        assert (await other.submit("pick T"))["type"] == "ack"
    for process in killed:
        process.start()


def test_who_stands_still_in_the_midst_of_it_keeps_nobody_from_it(
    site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    """A web process has just gone through the matches in the workers' place, has the lock by which
    one alone does so, and stops before it lets go. Another one comes, and does it."""
    killed = dead(site, "deadlines worker beat")  # nobody else says that anything is done
    wait_for(lambda: readiness(site)[1]["swept_by"] == "web", timeout=SOON, what="it to stand in")
    wait_for(lambda: _is_stopped_in_the_midst_of_it(site), timeout=SOON, what="the lock")
    another = AnotherWeb(site)
    try:
        another.web.start()
        match = desk.match(*players, pick_time=3)
        wait_until_ran_out(site, match, "a deadline by the other")
        assert actors(site, match) == BOTH_RAN_OUT
        another.web.wait_until_told("deadlines.no-worker")
        # The first goes on, and nobody minds.
        resumed = database_ms(site)
        site.web.resume()
        alive = "SELECT at > %s FROM games_serviceprocess WHERE pid = %s"
        wait_for(lambda: site.sql(alive, resumed, site.web.pid) == [(True,)], what="it to answer")
        another.web.kill()
        last = desk.match(*players, pick_time=3)
        wait_until_ran_out(site, last, "a deadline by the first again")
        assert actors(site, last) == BOTH_RAN_OUT
    finally:
        site.web.resume()
        another.stop()
    for process in killed:
        process.start()


def _is_stopped_in_the_midst_of_it(site: Site) -> bool:
    """Stop the web process where it has the lock. False, and it goes on, where the machine was so
    slow that the database has taken the lock away meanwhile."""
    waits = "SELECT 1 FROM pg_locks WHERE relation = 'jobs_jobdone'::regclass AND NOT granted"
    with psycopg.connect(site.database_url) as holder:
        # What it says when it is done.
        holder.execute("LOCK TABLE jobs_jobdone IN SHARE MODE")
        wait_for(lambda: site.sql(waits), timeout=SOON, what="it to be in the midst of it")
        site.web.pause()
        holder.rollback()
    if has_sweepers_lock(site):
        return True
    site.web.resume()
    return False


def test_nobody_enforces_anything_without_a_web_process(
    site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    killed = dead(site, "deadlines beat web")
    match = desk.match(*players, pick_time=3)
    due = deadline(site, match)
    for process in killed:
        if process is not site.web:
            process.start()  # these are there
    time.sleep(6)
    assert not ran_out(site, match)
    site.web.start()
    wait_until_ran_out(site, match, "time that was given back to be over")
    assert actors(site, match)[0] == "service"
    assert entries(site, match)[1][2] > due + 3000
