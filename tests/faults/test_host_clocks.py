"""Hosts whose clocks are wrong, or are set while matches are on: no deadline moves, nor anything
else that time asks for."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
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
from tests.support.site import Process, Site, wait_for

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
