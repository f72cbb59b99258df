"""Hosts whose clocks are wrong, or are set while matches are on: no deadline moves, nor anything
else that time asks for."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from pathlib import Path

import httpx
import pytest
import redis
from django.conf import settings

from games.reading.processes import WORKERS_SWEEP
from tests.faults.seasons import GRACE, appointment
from tests.faults.support import (
    BOTH_RAN_OUT,
    SOON,
    actors,
    database_ms,
    deadline,
    entries,
    ran_out,
    readiness,
    wait_for_runs,
    wait_for_sweeps,
    wait_until_ran_out,
)
from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.support.ground import Ground
from tests.support.hostclock import HostClock, lacking
from tests.support.site import AnotherWeb, Process, Site, wait_for

pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking())

WRONG_S = 20.0
AN_HOUR_S = 3600.0
BY_AN_HOUR = pytest.mark.parametrize("ahead_s", [AN_HOUR_S, -AN_HOUR_S], ids=["ahead", "behind"])
EXPIRES_MS = 1000 * settings.CELERY_BEAT_SCHEDULE["games-sweep"]["options"]["expires"]


@pytest.fixture
def host(site: Site, tmp_path: Path) -> Iterator[HostClock]:
    """The clock of another host. Processes that were moved there come back."""
    usual = {each.name: each.env for each in site.processes}
    yield HostClock(tmp_path)
    for process in site.processes:
        if process.env is not usual[process.name]:
            process.kill()
            process.env = usual[process.name]
            process.start()


def skew_of(site: Site, process: Process) -> int | None:
    """What is reported of a process's host, in ms."""
    found = site.sql("SELECT skew_ms FROM games_serviceprocess WHERE pid = %s", process.pid)
    return None if not found or found[0][0] is None else int(found[0][0])


def wait_for_skew(site: Site, process: Process, ms: float) -> None:
    """Wait until that much is reported."""
    wait_for(lambda: abs((skew_of(site, process) or 0) - ms) < 1000, what="the skew")


@pytest.mark.parametrize("ahead_s", [WRONG_S, -WRONG_S], ids=["ahead", "behind"])
@pytest.mark.parametrize("names", ["deadlines", "beat", "deadlines beat", "web"])
def test_a_host_whose_clock_is_wrong(
    names: str, ahead_s: float, site: Site, host: HostClock, desk: Desk,
    players: tuple[Person, Person],
) -> None:  # fmt: skip
    host.set(ahead_s=ahead_s)
    moved = site.named(*names.split())
    for process in moved:
        host.move(process)
    wait_for_sweeps(site)
    # Each is asked for its deadline at once: on a busy machine the first may soon have another one.
    dues = {
        match: deadline(site, match)
        for match in (desk.match(*players, pick_time=seconds) for seconds in (4, 6, 8, 10))
    }
    for match, due in dues.items():
        while database_ms(site) <= due:
            assert not ran_out(site, match) or database_ms(site) > due
            time.sleep(0.1)
        wait_until_ran_out(site, match)
        assert actors(site, match) == BOTH_RAN_OUT
        assert 0 < entries(site, match)[0][2] - due < 1000 * WRONG_S - 8000
    # Workers did their part: nothing of theirs was thrown away as too old.
    wait_for_sweeps(site)
    wait_for(lambda: readiness(site)[0] == 200, timeout=SOON, what="the site to be well")
    # And somebody is told.
    for process in moved:
        wait_for_skew(site, process, 1000 * ahead_s)
        process.wait_until_told("clock.skew")
    assert abs(readiness(site)[1]["skew_ms"] - 1000 * ahead_s) < 1000


@BY_AN_HOUR
def test_what_beat_hands_on_is_worth_nothing_after_its_time(
    ahead_s: float, ground: Ground, site: Site, host: HostClock
) -> None:
    """By the service's time, not by its host's: sweeps that nobody has begun in time are not done
    later, and those that are new are. And they are handed on from the beginning."""
    host.set(ahead_s=ahead_s)
    host.move(site.beat)
    site.deadlines.kill()  # so they stay where they are
    key = f"{site.env['GAUNTLET_REDIS_PREFIX']}.celery.{settings.DEADLINES_QUEUE}"
    with redis.Redis.from_url(ground.valkey.url, db=2) as broker:
        before = len(_sweeps(broker, key))
        for number in range(before + 1, before + 4):
            wait_for(partial(_has, broker, key, number), what="beat's next sweep")
            newest = _sweeps(broker, key)[0]
            expires = datetime.fromisoformat(newest["expires"]).timestamp() * 1000
            assert abs(expires - EXPIRES_MS - database_ms(site)) < 10_000
    site.deadlines.start()
    wait_for_sweeps(site)


def _sweeps(broker: redis.Redis, key: str) -> list[dict[str, str]]:
    """The headers of the sweeps that wait, the newest first. Looks at single matches may wait among
    them, which others ask for."""
    waiting = [json.loads(each)["headers"] for each in broker.lrange(key, 0, -1)]
    return [each for each in waiting if each["task"] == WORKERS_SWEEP]


def _has(broker: redis.Redis, key: str, number: int) -> bool:
    """Whether so many sweeps wait."""
    return len(_sweeps(broker, key)) >= number


async def test_clocks_are_set_during_a_match(
    site: Site, host: HostClock, desk: Desk, players: tuple[Person, Person]
) -> None:
    """Of all processes at once, forward and back, as where all run on one host."""
    for process in site.processes:
        host.move(process)
    wait_for_sweeps(site)
    for ahead_s in (WRONG_S, -WRONG_S, 0):
        match = desk.match(*players, pick_time=6)
        due = deadline(site, match)
        async with await Reader.open(site, match, players[0]) as reader:
            await reader.next("sync")
            await reader.say("ping", at=1)
            first = (await reader.next("pong"))["now"]
            host.set(ahead_s=ahead_s)
            await reader.say("ping", at=2)
            then = (await reader.next("pong"))["now"]
            assert first <= then < first + 5000
            assert (await reader.submit("pick T"))["type"] == "ack"
        wait_until_ran_out(site, match)
        assert actors(site, match)[0] == "0"
        assert 0 < entries(site, match)[-1][2] - due < 1000 * WRONG_S - 6000
    wait_for(lambda: readiness(site)[0] == 200, timeout=SOON, what="the site to be well")


# -- what else time asks for ---------------------------------------------------------------------


PAUSED_S = 15.0


def aheads(site: Site, processes: Iterable[Process]) -> list[int | None]:
    """By how much processes say to be ahead of the database, in ms."""
    found = dict(site.sql("SELECT pid, ahead_ms FROM games_serviceprocess"))
    return [found.get(each.pid) for each in processes]


async def test_a_machine_that_was_paused(
    site: Site, another: AnotherWeb, host: HostClock, desk: Desk, players: tuple[Person, Person]
) -> None:
    """Its clocks stood still with it, the steady one as well. No other process did, so it shows at
    once what they do: what it opens has all its time, and who begins then is right."""
    another.web.env = host.env(another.web.env)
    another.web.kill()
    another.web.start()
    wait_for(lambda: aheads(site, [another.web]) == [0], what="its clock")
    another.web.pause()
    await asyncio.sleep(PAUSED_S)
    host.set(ahead_s=-PAUSED_S, steady_s=-PAUSED_S)
    another.web.resume()
    another.web.wait_until_told("clock.stood-still")
    match = desk.match(*players, pick_time=600, choice_time=600)
    async with (
        await Reader.open(another, match, players[0]) as one,
        await Reader.open(another, match, players[1]) as two,
    ):
        await one.next("sync")
        await two.next("sync")
        assert (await one.submit("pick T"))["type"] == "ack"
        assert (await two.submit("pick L"))["type"] == "ack"
    assert deadline(site, match) - database_ms(site) > 1000 * (600 - PAUSED_S / 2)
    site.deadlines.restart()
    started = [another.web, site.deadlines]
    wait_for(lambda: aheads(site, started) == [0, 0], what="both to be right")
    assert not any("clock.stood-still" in each.log() for each in site.processes)


@pytest.fixture
def nobody_else(site: Site) -> Iterator[None]:
    """Whoever begins afterwards takes over nobody's clock."""
    yield
    for process in site.processes:
        process.kill()
    site.sql("DELETE FROM games_serviceprocess")


def test_all_that_differ_alike_follow_the_database_slowly(
    site: Site, host: HostClock, nobody_else: None
) -> None:
    """Nobody alone is wrong where the one machine of all was paused, or the database's clock was
    set forward, which is the same to them; the others catch up with nobody."""
    for process in site.processes:
        host.move(process)
    wait_for(lambda: aheads(site, site.processes) == [0] * len(site.processes), what="all clocks")
    behind_ms = 0
    for paused_s in (6.0, 1.5):
        for process in site.processes:
            process.pause()
        time.sleep(paused_s)
        behind_ms += round(1000 * paused_s)
        host.set(ahead_s=-behind_ms / 1000, steady_s=-behind_ms / 1000)
        for process in site.processes:
            process.resume()
        wait_for(partial(_all_behind, site, behind_ms), what="all to be behind")
        time.sleep(5)  # they ask again and again whether they are alone
        assert _all_behind(site, behind_ms)
    assert not any("clock.stood-still" in each.log() for each in site.processes)


def _all_behind(site: Site, ms: int) -> bool:
    """By so much, or a little less: they are on the way."""
    return all(0.8 * ms < -(each or 0) < 1.2 * ms for each in aheads(site, site.processes))


def test_beat_that_begins_before_the_database_hands_out_what_is_due(
    ground: Ground, site: Site, host: HostClock
) -> None:
    """On a host that is an hour ahead: it waits until it knows the time."""
    host.set(ahead_s=AN_HOUR_S)
    wait_for_sweeps(site)
    ground.kill_postgres()
    site.beat.kill()
    site.beat.env = host.env(site.beat.env)
    site.beat.launch()
    site.beat.wait_until_told("process.not-recorded")
    ground.start_postgres()
    site.beat.wait_until_told("beat ready")
    wait_for_sweeps(site)


@pytest.mark.parametrize("ahead_s", [0.0, WRONG_S], ids=["right", "ahead"])
def test_a_web_process_that_begins_before_the_database_takes_nothing(
    ahead_s: float, ground: Ground, site: Site, host: HostClock, desk: Desk,
    players: tuple[Person, Person],
) -> None:  # fmt: skip
    """Before it knows that the service was away, and what time it is: nobody's time has run out
    meanwhile, though submissions wait for the database at that moment."""
    _, token = desk.token(players[0], "play", "read")
    matches = [desk.match(*players, pick_time=6) for _ in range(8)]
    due = max(deadline(site, match) for match in matches)
    left_s = (due - database_ms(site)) / 1000
    ground.kill_postgres()
    site.web.kill()
    host.set(ahead_s=ahead_s)
    site.web.env = host.env(site.web.env)
    site.web.launch()
    site.web.wait_until_told("beat.failed")
    time.sleep(left_s + 1)
    begun = threading.Barrier(len(matches) + 1)

    def submit(match: int) -> int:
        begun.wait()
        with httpx.Client(base_url=site.base_url, timeout=60) as client:
            while True:
                answer = client.post(
                    f"/api/v1/matches/{match}/submissions/",
                    headers={"Authorization": f"Bearer {token}"},
                    json={"id": "one", "text": "pick T", "version": 1},
                )
                if answer.status_code != 503:
                    return answer.status_code
                time.sleep(0.1)

    with ThreadPoolExecutor(len(matches)) as pool:
        asked = [pool.submit(submit, match) for match in matches]
        begun.wait()
        time.sleep(1)
        ground.start_postgres()
        assert [each.result() for each in asked] == [201] * len(matches)
    now = database_ms(site)
    for match in matches:
        done = entries(site, match)
        assert [actor for actor, _, _ in done if actor in "01"] == ["0"]
        assert not ran_out(site, match)
        assert max(at for _, _, at in done) <= now


def expiring(site: Site, desk: Desk, players: tuple[Person, Person], *, minutes: int) -> int:
    """A challenge that lapses so many minutes from now."""
    challenge = desk.challenge(*players)
    site.sql(
        "UPDATE games_challenge SET expires_at = clock_timestamp() + make_interval(mins => %s)"
        " WHERE id = %s",
        minutes,
        challenge,
    )
    return challenge


@BY_AN_HOUR
def test_who_is_late_and_what_lapses(
    ahead_s: float, site: Site, host: HostClock, desk: Desk, players: tuple[Person, Person]
) -> None:
    """Legs of a season and challenges: the worker's host does not say when."""
    site.worker.kill()
    organiser = desk.person(role="organisers").pk
    late = appointment(site, organiser=organiser, in_minutes=-GRACE - 20)
    not_yet = appointment(site, organiser=organiser, in_minutes=20)
    lapsed = expiring(site, desk, players, minutes=-20)
    is_open = expiring(site, desk, (desk.person(), players[1]), minutes=20)
    host.set(ahead_s=ahead_s)
    host.move(site.worker)
    tasks = ("tournaments.tasks.sweep", "games.tasks.sweep_challenges")
    for task in tasks:
        wait_for_runs(site, task, times=2)
    ago = ("SELECT extract(epoch FROM clock_timestamp() - no_show_at) FROM tournaments_leg"
           " WHERE id = %s")  # fmt: skip
    assert -60 < site.sql(ago, late)[0][0] < 60
    assert site.sql(ago, not_yet) == [(None,)]
    became = "SELECT status FROM games_challenge WHERE id = %s"
    assert site.sql(became, lapsed) == [("expired",)]
    assert site.sql(became, is_open) == [("open",)]


@BY_AN_HOUR
def test_what_may_still_be_done(
    ahead_s: float, site: Site, host: HostClock, desk: Desk, players: tuple[Person, Person]
) -> None:
    """A token and a challenge are good until their time is over, not the web process's host's."""
    site.worker.kill()  # which would note what has lapsed
    lapsed = expiring(site, desk, players, minutes=-20)
    is_open = expiring(site, desk, (desk.person(), players[1]), minutes=20)
    _, good = desk.token(players[1], "play", seconds=1200)
    row, over = desk.token(players[1], "play", seconds=1200)
    site.sql("UPDATE accounts_apitoken SET created_at = created_at - make_interval(mins => 40),"
             " expires_at = expires_at - make_interval(mins => 40) WHERE id = %s", row)  # fmt: skip
    given = f"{__name__}:give"
    application, too_old = (
        site.hand.call(given, user=players[1].pk, minutes=minutes) for minutes in (20, -20)
    )
    host.set(ahead_s=ahead_s)
    host.move(site.web)
    wait_for(site.answers, what="the site to answer")

    def accept(challenge: int, token: str) -> tuple[int, str]:
        answer = httpx.post(
            f"{site.base_url}/api/v1/challenges/{challenge}/accept/",
            headers={"Authorization": f"Bearer {token}"}, timeout=60,
        )  # fmt: skip
        return answer.status_code, answer.json().get("code", "")

    for old in (over, too_old):
        assert accept(is_open, old)[0] == 401
    assert accept(lapsed, application) == (409, "challenge.expired")
    assert accept(lapsed, good) == (409, "challenge.expired")
    assert accept(is_open, good)[0] == 201
    site.worker.start()


@BY_AN_HOUR
def test_a_match_that_fails_is_tried_again_soon(
    ahead_s: float, site: Site, host: HostClock, desk: Desk, players: tuple[Person, Person]
) -> None:
    host.set(ahead_s=ahead_s)
    host.move(site.deadlines)
    wait_for_sweeps(site)
    match = desk.match(*players, pick_time=4)
    snapshot = site.sql("SELECT snapshot FROM games_match WHERE id = %s", match)[0][0]
    write = "UPDATE games_match SET snapshot = %s WHERE id = %s"
    site.sql(write, "{}", match)
    aside = ("SELECT extract(epoch FROM next_at - clock_timestamp()) FROM jobs_setaside"
             " WHERE key = %s AND target_type = 'games.match'")  # fmt: skip
    in_s = wait_for(lambda: site.sql(aside, str(match)), what="it to be set aside")[0][0]
    assert -60 < in_s < 60
    site.sql(write, snapshot, match)
    wait_until_ran_out(site, match)
    assert actors(site, match) == BOTH_RAN_OUT
    assert site.sql(aside, str(match)) == []


# -- on the site ---------------------------------------------------------------------------------


def give(*, user: int, minutes: int) -> str:
    """The token of an application, good for so many minutes from now."""
    from datetime import timedelta

    from oauth2_provider.models import AccessToken, Application

    from core.clock import now_utc

    application = Application.objects.create(
        name="tested", client_type="public", authorization_grant_type="authorization-code",
        redirect_uris="https://example.org/",
    )  # fmt: skip
    row = AccessToken.objects.create(
        user_id=user, application=application, scope="play", token=f"tested-{application.pk}",
        expires=now_utc() + timedelta(minutes=minutes),
    )  # fmt: skip
    return str(row.token)
