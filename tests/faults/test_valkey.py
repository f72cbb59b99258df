"""Valkey emptied, hung, killed, full or a replica of nothing, while matches are played."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from math import inf
from statistics import median
from typing import Literal

import httpx
import pytest
import redis
from django.conf import settings

from config.returning import INTERVALS
from tests.faults.support import wait_for_sweeps
from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.support.ground import Ground
from tests.support.ledger import Crowd
from tests.support.site import PATIENCE, AnotherWeb, Site, wait_for

# A turn waits no more than a quarter of a second for a Valkey that hangs, and the rest is the
# machine's, which is busy with other tests. Whoever waits for it waits for three seconds, and more.
SOON_S = 1.5
# By how much the middle of all turns may then be slower than before or afterwards, of the quarter.
LITTLE_S = 0.12
# What a page may take then: it asks for several things, of which the first is given up.
PAGE_S = 2.5
# After how many attempts in vain Celery itself would wait for longer than we do.
TRIES = 2
# What a page says to nobody but those who are.
SIGNED_IN = "Sign out"


def test_it_forgets_everything(ground: Ground, site: Site, crowd: Crowd) -> None:
    """Tasks, too, again and again: the sweep finds what is due. And whoever was signed in still
    is."""
    person = Desk(site).person()
    crowd.begin(played=0, clocks=[1.5, 2, 3])
    for _ in range(5):
        ground.empty_valkey()
        time.sleep(0.3)
    page = httpx.get(f"{site.base_url}/lobby/", headers={"Cookie": person.cookie}, timeout=60)
    assert SIGNED_IN in page.text
    crowd.goes_on()
    crowd.clocks_ran_out()
    assert crowd.end() == []


def test_it_is_killed(ground: Ground, site: Site, crowd: Crowd) -> None:
    """Workers try for it every second, however often they have tried in vain, and not less and less
    often: so they are back as soon as it is."""
    crowd.begin(played=0, clocks=[2])
    before = {worker: len(worker.log()) for worker in (site.deadlines, site.worker)}
    ground.kill_valkey()
    crowd.goes_on()

    def pauses() -> list[list[float]]:
        return [pauses_of(worker.log()[start:]) for worker, start in before.items()]

    wait_for(
        lambda: all(len(each) > TRIES for each in pauses()), what="workers to try again and again"
    )
    ground.start_valkey()
    crowd.goes_on()
    crowd.clocks_ran_out()
    wait_for_sweeps(site)  # workers and beat are at it again
    assert max(pause for each in pauses() for pause in each) <= INTERVALS["interval_max"]
    assert crowd.end() == []


def pauses_of(log: str) -> list[float]:
    """How long a worker has said that it waits until it tries for its broker again (s)."""
    said = re.findall(r"Trying again (?:now|in ([\d.]+) seconds?)\.\.\.", log)
    return [float(each or 0) for each in said]


async def test_readers_at_another_process_catch_up_once_it_is_back(
    ground: Ground, site: Site, another: AnotherWeb
) -> None:
    """They ask for nothing. What happened meanwhile their process looks for, and it hears again
    whatever happens after that."""
    desk = Desk(site)
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    async with (
        await Reader.open(site, match, desk.person(role="organisers")) as organiser,
        await Reader.open(another, match, players[0]) as player,
        await Reader.open(another, match) as spectator,
    ):
        everybody = (organiser, player, spectator)
        for reader in everybody:
            await reader.next("sync")
        first = organiser.version
        ground.kill_valkey()
        assert (await organiser.organise("pause"))["type"] == "ack"
        ground.start_valkey()
        await _know(everybody, first + 1)
        assert (await organiser.organise("resume"))["type"] == "ack"
        await _know(everybody, first + 2)


async def _know(readers: Sequence[Reader], version: int) -> None:
    """Wait until all have heard of a version."""
    for reader in readers:
        async with asyncio.timeout(PATIENCE):
            while reader.version < version:
                await reader.hear()


def test_it_hangs_and_no_turn_waits_for_it(ground: Ground, site: Site, crowd: Crowd) -> None:
    """Its connections are open, and nothing answers. Turns go on as before, by socket and by the
    API; whoever comes is let in; pages are answered; and who has time left keeps it."""
    desk = Desk(site)
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    _, token = desk.token(players[1], "read", "play")
    crowd.goes_on(turns=4)
    crowd.begin(played=0, clocks=[2])
    with ground.hung_valkey():
        began = time.monotonic()
        crowd.goes_on(turns=4)
        took = asyncio.run(used(site, match, players, token))
        crowd.goes_on(turns=4)
        ended = time.monotonic()
    crowd.goes_on(turns=4)
    crowd.clocks_ran_out()
    acked = waits(crowd, began, ended, "acked")
    seen = waits(crowd, began, ended, "seen")
    assert len(acked) > 20
    assert max(acked) < SOON_S
    assert max(seen) < SOON_S
    # One waits, by which all others know: they wait no longer than they do without that.
    quiet = waits(crowd, 0, began, "acked"), waits(crowd, ended, inf, "acked")
    usual = max(median(each) for each in quiet if each)
    assert median(acked) < usual + LITTLE_S
    assert {what: s for what, s in took.items() if s > PAGE_S} == {}
    assert crowd.end() == []


def waits(crowd: Crowd, since: float, until: float, what: Literal["acked", "seen"]) -> list[float]:
    """How long turns took that were sent between two instants (s)."""
    sent = [each for each in crowd.ledger.waits if since < each.at < until]
    took = [each.acked if what == "acked" else each.seen for each in sent]
    return [each for each in took if each is not None]


async def used(
    site: Site, match: int, players: tuple[Person, Person], token: str
) -> dict[str, float]:
    """What people do, and how long it takes (s): all of it works."""
    took = {}

    def note(what: str, began: float) -> None:
        took[what] = time.monotonic() - began

    began = time.monotonic()
    async with await Reader.open(site, match, players[0]) as reader:
        await reader.next("sync")
        note("sync", began)
        began = time.monotonic()
        assert (await reader.submit("pick T"))["type"] == "ack"
        note("submit", began)
        began = time.monotonic()
        await reader.say("chat", id="c", room="players", text="hello")
        await reader.next("chat")
        note("chat", began)
        began = time.monotonic()
        await reader.say("ping", at=1)
        await reader.next("pong")
        note("ping", began)
        async with httpx.AsyncClient(base_url=site.base_url, timeout=60) as client:
            for path in ("/", "/lobby/", f"/matches/{match}/", f"/matches/{match}/board.svg"):
                began = time.monotonic()
                answer = await client.get(path, headers={"Cookie": players[0].cookie})
                note(path, began)
                assert answer.status_code == 200, path
            bearer = {"Authorization": f"Bearer {token}"}
            began = time.monotonic()
            answer = await client.get(f"/api/v1/matches/{match}/", headers=bearer)
            note("api", began)
            assert answer.status_code == 200
            began = time.monotonic()
            answer = await client.post(
                f"/api/v1/matches/{match}/submissions/",
                json={"id": "a", "text": "pick L", "version": answer.json()["version"]},
                headers=bearer,
            )
            note("api submission", began)
            assert answer.status_code == 201, answer.text
            began = time.monotonic()
            await reader.next("step")
            note("step", began)
    return took


def signs_out(site: Site, person: Person) -> tuple[int, bool]:
    """Somebody signs out, in a browser that they have signed in with; how that is answered, and
    whether they are still somebody afterwards."""
    with httpx.Client(base_url=site.base_url, timeout=60) as client:
        client.cookies.set("sessionid", person.session)
        assert SIGNED_IN in client.get("/accounts/logout/").text
        token = client.cookies["csrftoken"]
        answer = client.post("/accounts/logout/", data={"csrfmiddlewaretoken": token})
        # Another browser, with the session that this one had.
        after = httpx.get(f"{site.base_url}/lobby/", headers={"Cookie": person.cookie}, timeout=60)
    return answer.status_code, SIGNED_IN in after.text


Fault = Callable[[Ground], AbstractContextManager[None]]
# What a worker says that cannot note down which task it has just taken, and begins anew.
LOST = "Connection to broker lost"


@contextmanager
def tasks_waiting(ground: Ground, site: Site) -> Iterator[None]:
    """Have tasks wait for the worker that enforces deadlines, which stands still."""
    key = f"{site.env['GAUNTLET_REDIS_PREFIX']}.celery.{settings.DEADLINES_QUEUE}"
    site.deadlines.pause()
    try:
        with redis.Redis.from_url(ground.valkey.url, db=2) as broker:
            # The first that comes has been handed to it already.
            wait_for(lambda: int(broker.llen(key)) > 1, what="tasks to wait")
        yield
    finally:
        site.deadlines.resume()


@pytest.mark.parametrize("fault", [Ground.read_only_valkey, Ground.full_valkey])
def test_it_takes_nothing_new(fault: Fault, ground: Ground, site: Site, crowd: Crowd) -> None:
    """It answers, and refuses to write. Nothing fails but what stands on it alone: signing in, of
    which wrong attempts could not be counted, is put off; and so is signing out, where what is kept
    there of a session cannot be deleted: it would be found again. Nor does a worker end that finds
    tasks there, and cannot note down that it has taken one."""
    desk = Desk(site)
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    _, token = desk.token(players[1], "read", "play")
    leaving = desk.person()
    before = len(site.web.log())
    crowd.begin(played=0, clocks=[1.5, 3])
    taking = len(site.deadlines.log())
    with tasks_waiting(ground, site), fault(ground):
        site.deadlines.resume()
        wait_for(lambda: LOST in site.deadlines.log()[taking:], what="the worker to be refused")
        crowd.goes_on()
        asyncio.run(used(site, match, players, token))
        with httpx.Client(base_url=site.base_url, timeout=60) as client:
            page = client.get("/accounts/login/")
            assert page.status_code == 200
            answer = client.post(
                "/accounts/login/",
                data={
                    "login": "nobody",
                    "password": "wrong",
                    "csrfmiddlewaretoken": client.cookies["csrftoken"],
                },
            )
        assert answer.status_code == 503
        assert answer.headers["Retry-After"]
        # One that is full still deletes.
        told = signs_out(site, leaving)
        assert told == ((302, False) if fault is Ground.full_valkey else (503, True))
    if told[1]:
        assert signs_out(site, leaving) == (302, False)
    crowd.goes_on()
    crowd.clocks_ran_out()
    for process in site.processes:
        assert process.alive, process.name
    statuses = re.findall(r"\bstatus=(\d+)", site.web.log()[before:])
    assert "503" in statuses  # who wanted to sign in
    assert "500" not in statuses
    assert crowd.end() == []
