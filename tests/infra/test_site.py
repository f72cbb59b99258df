"""The fixtures themselves: the real site comes up, and comes back after kill -9."""

import os

import httpx

from tests.support.site import Site


def test_health_names_both_parts(site: Site) -> None:
    answer = httpx.get(f"{site.base_url}/healthz", timeout=30)
    assert answer.status_code == 200
    assert answer.json() == {"database": True, "redis": True}


def test_a_killed_web_process_comes_back_on_the_same_port(site: Site) -> None:
    before = site.web.pid
    site.web.kill()
    assert not site.web.alive
    site.web.start()
    assert site.web.pid != before
    assert site.answers()


def test_killed_workers_and_beat_come_back(site: Site) -> None:
    for process in (site.deadlines, site.worker, site.bots, site.beat):
        process.restart()
        assert process.alive


def test_workers_stand_back_for_players_but_not_those_that_enforce_deadlines(site: Site) -> None:
    nice = [
        os.getpriority(os.PRIO_PROCESS, process.pid)
        for process in (site.web, site.deadlines, site.worker, site.bots)
    ]
    assert nice == [nice[0], nice[0], nice[0] + 10, nice[0] + 15]
