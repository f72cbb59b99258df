"""There are two of what should be there once, by accident or because one stands in for another:
what they do is done once all the same."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Final

import psycopg
import pytest

from tests.faults.support import (
    BOTH_RAN_OUT,
    SOON,
    actors,
    dead,
    has_sweepers_lock,
    readiness,
    wait_until_ran_out,
)
from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.support.site import AnotherWeb, Process, Site, wait_for

# Longer than it takes until a match counts as overdue, so that every sweep meanwhile looks at it;
# shorter than one row of a job may take.
SLOW_S: Final = 2.5
SLOW: Final = f"""
CREATE FUNCTION slow_wake() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_sleep({SLOW_S}); RETURN NEW; END $$;
CREATE TRIGGER slow_wake BEFORE UPDATE ON games_match FOR EACH ROW
    WHEN (OLD.wake_at IS DISTINCT FROM NEW.wake_at AND OLD.id >= {{first}})
    EXECUTE FUNCTION slow_wake();
"""
FAST_AGAIN: Final = "DROP FUNCTION slow_wake() CASCADE"
# In which a web process that stands in looks a dozen times.
WATCHED_S: Final = 3.0


@pytest.fixture
def second_beat(site: Site) -> Iterator[Process]:
    with site.second_beat() as beat:
        yield beat


@contextmanager
def slow_wakes(site: Site, first: int) -> Iterator[None]:
    """Have whoever does what time asks of a match, of those from one on, stay in the midst of it,
    so that all others come to it meanwhile."""
    site.sql(SLOW.format(first=first))
    try:
        yield
    finally:
        site.sql(FAST_AGAIN)


def stand_in(site: Site, *webs: Site | AnotherWeb) -> None:
    """Wait until all web processes look after deadlines, since nobody else does."""
    for each in (site, *webs):
        each.web.wait_until_told("deadlines.no-worker")


def set_aside(site: Site, matches: list[int]) -> list[tuple[str, ...]]:
    """What a job has failed at of some matches, as where it met somebody who does the same."""
    # What other tests have torn on purpose may still lie there.
    query = "SELECT job, key, reason FROM jobs_setaside WHERE key = ANY(%s)"
    return site.sql(query, [str(match) for match in matches])


def test_of_two_web_processes_that_stand_in_one_sweeps_at_a_time(
    site: Site, another: AnotherWeb
) -> None:
    """The one that is at it cannot get to its end, and the other leaves it alone."""
    killed = dead(site, "deadlines beat")
    stand_in(site, another)
    waits = (
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'jobs_jobdone'::regclass"
    )
    with psycopg.connect(site.database_url) as holder:
        # Who has swept writes it down; who looks whether to sweep only reads.
        holder.execute("LOCK TABLE jobs_jobdone IN EXCLUSIVE MODE")
        wait_for(lambda: site.sql(waits) == [(1,)], timeout=SOON, what="one to have swept")
        until = time.monotonic() + WATCHED_S
        while time.monotonic() < until:
            assert site.sql(waits) == [(1,)]
            assert has_sweepers_lock(site)
            time.sleep(0.05)
        holder.rollback()
    for process in killed:
        process.start()


async def test_two_web_processes_do_everything_once(
    site: Site, another: AnotherWeb, desk: Desk, players: tuple[Person, Person]
) -> None:
    killed = dead(site, "deadlines beat")
    stand_in(site, another)
    await _is_done_once(site, desk, players, 1)
    # The one that did it dies, too.
    site.web.kill()
    last = desk.match(*players, pick_time=3)
    wait_until_ran_out(site, last, "a deadline by the other")
    assert actors(site, last) == BOTH_RAN_OUT
    site.web.start()
    for process in killed:
        process.start()


async def test_two_beats_do_everything_once(
    site: Site, desk: Desk, players: tuple[Person, Person], second_beat: Process
) -> None:
    await _is_done_once(site, desk, players, 3)
    site.beat.kill()  # either will do
    last = desk.match(*players, pick_time=5)
    wait_until_ran_out(site, last, "a deadline by the other's")
    # Nor has a web process had to do it.
    assert readiness(site)[1]["swept_by"] == "worker"
    assert actors(site, last) == BOTH_RAN_OUT
    site.beat.start()


async def _is_done_once(
    site: Site, desk: Desk, players: tuple[Person, Person], number: int
) -> None:
    """Reminders and what runs out, in so many matches at the same time: told once to everybody, and
    written down once, by whoever came first; whoever came second has not failed at it either."""
    # As long as it can be with one reminder: everybody must be there before it.
    matches = [desk.match(*players, pick_time=15) for _ in range(number)]
    with slow_wakes(site, matches[0]):
        async with AsyncExitStack() as stack:
            readers = [
                await stack.enter_async_context(await Reader.open(site, match, players[0]))
                for match in matches
            ]
            for reader in readers:
                await reader.next("sync")
            told = [_told_of(await reader.until("step", timeout=2 * SOON)) for reader in readers]
        for match in matches:
            wait_until_ran_out(site, match)
    assert [actors(site, match) for match in matches] == [BOTH_RAN_OUT] * len(matches)
    assert told == [Counter({("turn", 5000): 1})] * len(matches)
    assert set_aside(site, matches) == []


def _told_of(frames: list[dict[str, object]]) -> Counter[tuple[object, object]]:
    return Counter((each["kind"], each["left"]) for each in frames if each["type"] == "reminder")
