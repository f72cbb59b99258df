"""Each process of the site killed or stopped while matches are played: whatever anybody was told is
so, and everything goes on."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import psycopg
import pytest
import redis

from tests.faults.support import (
    BOTH_RAN_OUT,
    actors,
    deadline,
    entries,
    first_acts,
    ran_out,
    seconds_until_late,
    wait_for_sweeps,
)
from tests.games.client import Reader
from tests.games.desk import Desk
from tests.infra.test_outward import answering
from tests.support.ground import Ground
from tests.support.ledger import Crowd
from tests.support.site import PATIENCE, Site, wait_for

# How long after its deadline a decision may run out that others than usual see to: they notice in
# three seconds, on a machine that is busy with other tests.
LATE_MS = 10_000


@pytest.mark.parametrize("fault", ["killed", "stopped"])
@pytest.mark.parametrize("name", ["deadlines", "worker", "bots", "beat"])
def test_nobody_notices_that_one_is_away(name: str, fault: str, site: Site, crowd: Crowd) -> None:
    """Killed, or standing still with all that it has in hand: clocks run out on time while it is
    away, and nothing is done twice by what it does as soon as it is back."""
    process = {each.name: each for each in site.processes}[name]
    # No turn has told a worker of these: they are farther off than that, and so far that both have
    # been made before the first is over.
    crowd.begin(played=0, clocks=[8, 9])
    dues = {match: deadline(site, match) for match in crowd.clocks}
    if fault == "killed":
        process.kill()
    else:
        process.pause()
    crowd.goes_on()
    crowd.clocks_ran_out()
    if fault == "killed":
        process.start()
    else:
        process.resume()
    for match, due in dues.items():
        assert 0 < entries(site, match)[0][2] - due < LATE_MS
    wait_for_sweeps(site)
    crowd.begin(played=0, clocks=[3])
    crowd.goes_on()
    crowd.clocks_ran_out()
    wait_for(
        lambda: [actors(site, match) for match in crowd.clocks] == [BOTH_RAN_OUT] * 3,
        what="both to have run out in each, and nothing else",
    )
    assert crowd.end() == []


@pytest.mark.parametrize("fault", ["killed", "stopped"])
def test_nobodys_time_runs_out_while_the_web_process_is_away(
    fault: str, site: Site, crowd: Crowd
) -> None:
    """For longer than an outage takes, with submissions on their way into it. Then it is given
    back."""
    crowd.begin(played=0, clocks=[5, 6])
    until_late = seconds_until_late(site, crowd)
    if fault == "killed":
        site.web.kill()
    else:
        site.web.pause()
    time.sleep(max(4, until_late))
    assert not any(ran_out(site, match) for match in crowd.clocks)  # nobody could have answered
    if fault == "killed":
        site.web.start()
    else:
        site.web.resume()
    crowd.goes_on()
    crowd.clocks_ran_out()
    assert first_acts(site, crowd) == ["service"] * 2
    assert crowd.end() == []


def test_a_worker_is_killed_with_tasks_in_hand(ground: Ground, site: Site, crowd: Crowd) -> None:
    """As where the kernel ends it for want of memory, in the midst of what follows some ends: that
    is done by the next worker, and nothing is there twice. The broker has forgotten all of it, so
    it is the sweep that finds it."""
    desk = Desk(site)
    players = (desk.person(), desk.person())
    matches = [desk.match(*players) for _ in range(3)]
    for each in matches:
        desk.play(each)

    async def concede(match: int) -> None:
        async with await Reader.open(site, match, players[0]) as reader:
            await reader.next("sync")
            assert (await reader.submit("concede"))["type"] == "ack"

    async def concede_all() -> None:
        await asyncio.gather(*map(concede, matches))

    blocked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    with psycopg.connect(site.database_url) as other:
        # Whatever follows an end asks for a rating.
        other.execute("LOCK TABLE games_ratingrequest IN EXCLUSIVE MODE")
        asyncio.run(concede_all())
        wait_for(lambda: ground.sql(blocked)[0][0] > 0, what="the worker to be in the midst of it")
        site.worker.kill()
        ground.empty_valkey()
        other.rollback()
    due = "SELECT count(*) FROM games_match WHERE id = ANY(%s) AND aftermath_due"
    assert site.sql(due, matches) == [(3,)]
    site.worker.start()
    wait_for(lambda: site.sql(due, matches) == [(0,)], timeout=60, what="what follows the ends")
    rated = (
        "SELECT match_id, count(DISTINCT user_id), count(*) = 2 * count(DISTINCT ladder_id)"
        " FROM games_ratingpoint WHERE match_id = ANY(%s) GROUP BY 1 ORDER BY 1"
    )
    wait_for(
        lambda: site.sql(rated, matches) == [(match, 2, True) for match in sorted(matches)],
        timeout=60,
        what="the results to be rated, once for each player",
    )
    crowd.goes_on()
    assert crowd.end() == []


# For so long a task is a killed worker's: the next one need not wait a minute until it is sure.
BACK_S = 2


def is_given_up(ground: Ground, site: Site) -> bool:
    """Whether the broker has the oldest task that some worker has in hand for longer than that. A
    worker looks as it begins, and then not for long."""
    key = f"{site.env['GAUNTLET_REDIS_PREFIX']}.celery.unacked_index"
    with redis.Redis.from_url(ground.valkey.url, db=2) as broker:
        return bool(broker.zcount(key, 0, time.time() - BACK_S))


def test_a_worker_is_killed_with_a_task_that_stands_nowhere_else(
    ground: Ground, site: Site
) -> None:
    """A mail, to a server that says nothing: no row knows of it, so the broker has kept it until it
    is done, and hands it to the next worker."""
    usual, came = site.worker.env, threading.Event()
    mails = site.folder / "mail"
    subject = f"once-{site.worker.pid}"

    def sent() -> list[Path]:
        return [each for each in mails.glob("*") if subject in each.read_text()]

    try:
        with answering(lambda _connection: came.set()) as port:
            site.worker.kill()
            site.worker.env = {**usual, "GAUNTLET_EMAIL_PORT": str(port)}
            site.worker.start()
            site.python(
                "from django.core.mail import send_mail\n"
                f"send_mail('{subject}', 'b', 'us@example.org', ['you@example.org'])"
            )
            assert came.wait(PATIENCE), "the worker does not speak to the mail server"
            site.worker.kill()
        assert sent() == []
        wait_for(lambda: is_given_up(ground, site), what="the task to be nobody's any more")
        site.worker.env = {**usual, "GAUNTLET_TASK_BACK_SECONDS": str(BACK_S)}
        site.worker.start()
        wait_for(sent, timeout=60, what="the mail")
        assert len(sent()) == 1
    finally:
        site.worker.kill()
        site.worker.env = usual
        site.worker.start()


def test_everything_at_once(ground: Ground, site: Site, crowd: Crowd) -> None:
    crowd.begin(played=0, clocks=[9, 10])
    ground.kill_everything()
    time.sleep(3)  # a machine takes longer to be back
    ground.start_everything()
    crowd.goes_on()
    crowd.clocks_ran_out()
    assert first_acts(site, crowd) == ["service"] * 2
    assert crowd.end() == []
