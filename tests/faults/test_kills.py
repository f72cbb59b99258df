"""Each process of the site killed or stopped while matches are played: whatever anybody was told is
so, and everything goes on."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import psycopg
import pytest

from tests.games.client import Reader
from tests.games.desk import Desk
from tests.infra.test_outward import answering
from tests.support.ground import Ground
from tests.support.ledger import Crowd
from tests.support.site import PATIENCE, Site, wait_for


@pytest.mark.parametrize("name", ["web", "deadlines", "worker", "beat"])
def test_a_process_is_killed(name: str, site: Site, crowd: Crowd) -> None:
    process = {each.name: each for each in site.processes}[name]
    crowd.begin(played=0, clocks=[2.5, 4])
    process.kill()
    if name == "web":
        time.sleep(4)  # nobody's time runs out, and then it is given back
    else:
        crowd.goes_on()  # nobody notices
    process.start()
    crowd.goes_on()
    crowd.clocks_ran_out()
    if name == "web":
        assert first_acts(site, crowd) == ["service"] * 2
    assert crowd.end() == []


def first_acts(site: Site, crowd: Crowd) -> list[str]:
    """What came first in each match that nobody plays: time that ran out, or was given back."""
    first = "SELECT actor FROM games_matchentry WHERE match_id = ANY(%s) AND seq = 1"
    return [actor for (actor,) in site.sql(first, crowd.clocks)]


def test_the_web_process_stands_still(site: Site, crowd: Crowd) -> None:
    """For longer than an outage takes, with submissions on their way into it."""
    crowd.begin(played=0, clocks=[2])
    site.web.pause()
    time.sleep(4)
    ran_out = "SELECT count(*) FROM games_matchentry WHERE match_id = ANY(%s) AND timeout"
    assert site.sql(ran_out, crowd.clocks) == [(0,)]  # nobody could have answered
    site.web.resume()
    crowd.goes_on()
    crowd.clocks_ran_out()
    assert crowd.end() == []


@pytest.mark.parametrize("name", ["deadlines", "worker"])
def test_a_worker_stands_still(name: str, site: Site, crowd: Crowd) -> None:
    process = {each.name: each for each in site.processes}[name]
    crowd.begin(played=0, clocks=[1.5])
    process.pause()
    crowd.goes_on()
    process.resume()
    crowd.clocks_ran_out()
    assert crowd.end() == []


def test_a_worker_is_killed_with_tasks_in_hand(ground: Ground, site: Site, crowd: Crowd) -> None:
    """As where the kernel ends it for want of memory, in the midst of what follows some ends: that
    is done by the next worker, and nothing is there twice. The broker has forgotten all of it, so
    it is the sweep that finds it."""
    desk = Desk(site)
    players = (desk.person(), desk.person())
    matches = [desk.match(*players) for _ in range(3)]

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


def test_a_worker_is_killed_with_a_task_that_stands_nowhere_else(site: Site) -> None:
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
        # The next one need not wait a minute until it is sure.
        site.worker.env = {**usual, "GAUNTLET_TASK_BACK_SECONDS": "2"}
        site.worker.start()
        wait_for(sent, timeout=60, what="the mail")
        assert len(sent()) == 1
    finally:
        site.worker.kill()
        site.worker.env = usual
        site.worker.start()


def test_everything_at_once(ground: Ground, site: Site, crowd: Crowd) -> None:
    crowd.begin(played=0, clocks=[6, 9])
    ground.kill_everything()
    time.sleep(3)  # a machine takes longer to be back
    ground.start_everything()
    crowd.goes_on()
    crowd.clocks_ran_out()
    assert first_acts(site, crowd) == ["service"] * 2
    assert crowd.end() == []
