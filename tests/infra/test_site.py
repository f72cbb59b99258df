"""The fixtures themselves: the real site comes up, and comes back after kill -9."""

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from script.lib.console import ROOT
from tests.support.site import Site

# No process can be nicer, however nice the tests are themselves.
NICEST = 19


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
    bots = int(site.env["GAUNTLET_BOT_NICE"])
    assert nice == [nice[0], nice[0], min(nice[0] + 10, NICEST), min(nice[0] + bots, NICEST)]


def test_a_worker_in_which_bots_think_stands_back_for_other_sessions_too(site: Site) -> None:
    """Each process has a session of its own, between which being nice counts for nothing where
    Linux weighs sessions."""
    told = Path(f"/proc/{site.bots.pid}/autogroup")
    if not told.exists():
        pytest.skip("this system does not share the processor out by session")
    assert told.read_text().split()[-1] == site.env["GAUNTLET_BOT_NICE"] != "0"
    assert Path(f"/proc/{site.web.pid}/autogroup").read_text().split()[-1] == "0"


@pytest.mark.parametrize(("queue", "threads"), [("bots", 2), ("deadlines", 5)])
def test_as_many_bots_think_at_a_time_as_may(site: Site, queue: str, threads: int) -> None:
    """Of the others there are as many as a worker has threads. A command of Celery's itself says
    how many it would have."""
    code = (
        "from celery.apps.worker import Worker\n"
        "from config.celery import app\n"
        f"worker = Worker(app=app, queues=['{queue}'], hostname='never@begun', concurrency=5)\n"
        "print(worker.pool.limit, worker.consumer.initial_prefetch_count)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**site.env, "GAUNTLET_BOT_THREADS": "2"},
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert done.stdout.split() == [str(threads), str(threads)]
