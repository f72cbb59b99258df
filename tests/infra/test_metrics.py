"""What the site tells whoever watches it, and to whom."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import yaml
from django.conf import settings as configured
from django.core.cache import cache
from django.db import OperationalError
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from config.operations import exposition, standing
from config.operations.exposition import Asker, may_read
from config.operations.standing import FAMILIES, Figure, Part
from core import metrics
from script.lib.console import ROOT
from script.lib.ports import free_port
from script.lib.server import beat_command, bots_command, deadlines_command, worker_command
from tests.games.client import Reader
from tests.games.desk import Desk
from tests.support.site import Process, Site, wait_for

DEPLOY = ROOT / "deploy"
ALERTS = DEPLOY / "prometheus" / "alerts.yml"
BOARD = DEPLOY / "grafana" / "gauntlet.json"
PAGE = ROOT / "docs" / "metrics.md"
# Names that Prometheus itself gives.
OTHERS = re.compile(r"\b(?:gauntlet|process|python)_[a-z0-9_]+\b")
SUFFIXES = ("_bucket", "_count", "_sum")

Values = dict[tuple[str, frozenset[tuple[str, str]]], float]


def values_in(text: str) -> Values:
    """Every value that is told, by its name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(values: Values, name: str, **labels: str) -> float | None:
    return values.get((name, frozenset(labels.items())))


def names_in(text: str) -> set[str]:
    return {
        name
        for family in text_string_to_metric_families(text)
        for name in (family.name, f"{family.name}_total", *[s.name for s in family.samples])
    }


def read(address: str, **headers: str) -> httpx.Response:
    return httpx.get(address, headers=headers, timeout=60)


def told(address: str) -> Values:
    answer = read(address)
    assert answer.status_code == 200, answer.text
    return values_in(answer.text)


# -- who may read --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "headers", "proxies", "may"),
    [
        ("127.0.0.1", {}, 0, True),
        ("::1", {}, 0, True),
        ("::ffff:127.0.0.1", {}, 0, True),
        ("", {}, 0, False),  # a Unix socket says nothing
        ("10.0.0.7", {}, 0, False),
        ("not an address", {}, 0, False),
        # A proxy on this machine that nobody has told the site of.
        ("127.0.0.1", {"x-forwarded-for": "203.0.113.5"}, 0, False),
        ("127.0.0.1", {"x-forwarded-for": "127.0.0.1"}, 0, False),
        ("127.0.0.1", {"x-forwarded-proto": "https"}, 0, False),
        ("127.0.0.1", {"x-real-ip": "127.0.0.1"}, 0, False),
        ("127.0.0.1", {"forwarded": "for=127.0.0.1"}, 0, False),
        ("127.0.0.1", {"via": "1.1 somewhere"}, 0, False),
        # One that the settings name: whom it serves counts, and not what they say of themselves.
        ("127.0.0.1", {"x-forwarded-for": "203.0.113.5"}, 1, False),
        ("127.0.0.1", {"x-forwarded-for": "127.0.0.1, 203.0.113.5"}, 1, False),
        ("127.0.0.1", {"x-forwarded-for": "203.0.113.5, 127.0.0.1"}, 1, True),
        ("127.0.0.1", {"x-forwarded-for": "127.0.0.1, 203.0.113.5, 10.0.0.2"}, 2, False),
        ("10.0.0.2", {"x-forwarded-for": "127.0.0.1"}, 1, True),
        ("127.0.0.1", {"x-forwarded-proto": "https"}, 1, False),
        ("127.0.0.1", {}, 1, True),  # it came past the proxy
    ],
)
def test_without_a_token_whoever_asks_from_this_machine_may_read(
    address: str, headers: dict[str, str], proxies: int, may: bool, settings: Any
) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": proxies}
    settings.GAUNTLET_METRICS_TOKEN = ""
    assert may_read(Asker(address, headers)) is may


@pytest.mark.parametrize(
    ("shown", "may"),
    [
        ("Bearer right", True),
        ("bearer  right", True),
        ("Bearer wrong", False),
        ("Bearer ", False),
        ("Bearer", False),
        ("Basic right", False),
        ("right", False),
        ("Bearer r\xe9ght", False),
        (None, False),
    ],
)
@pytest.mark.parametrize("address", ["127.0.0.1", "203.0.113.5"])
def test_where_there_is_a_token_whoever_shows_it_may_read_and_nobody_else(
    address: str, shown: str | None, may: bool, settings: Any
) -> None:
    settings.GAUNTLET_METRICS_TOKEN = "right"
    headers = {} if shown is None else {"authorization": shown}
    assert may_read(Asker(address, headers)) is may


def test_in_production_there_is_no_token_and_no_port_unless_settings_say_so() -> None:
    assert (configured.GAUNTLET_METRICS_TOKEN, configured.GAUNTLET_METRICS_LISTEN) == ("", "")


def test_to_whoever_may_not_read_there_is_nothing_there(site: Site) -> None:
    nowhere = read(f"{site.base_url}/nowhere-at-all")
    passed_on = {"X-Forwarded-For": "127.0.0.1"}
    for method in ("GET", "HEAD", "POST", "OPTIONS"):
        answer = httpx.request(method, f"{site.base_url}/metrics", headers=passed_on, timeout=60)
        assert answer.status_code == 404, method
        assert "gauntlet_" not in answer.text
    answer = read(f"{site.base_url}/metrics", **passed_on)
    assert answer.text == nowhere.text.replace("/nowhere-at-all", "/metrics")
    # Nor at what only looks like that address, for those who may.
    for path in ("/metrics/", "/api/v1/metrics", "//metrics", "/Metrics", "/static/metrics"):
        assert "gauntlet_turn" not in read(site.base_url + path).text, path
    assert httpx.post(f"{site.base_url}/metrics", timeout=60).status_code in {403, 404}
    with pytest.raises(httpx.HTTPError):  # a page is no socket
        httpx.get(f"{site.base_url}/ws/v1/metrics", timeout=60).raise_for_status()


def test_whoever_may_reads_whatever_host_they_call_it_by(site: Site) -> None:
    answer = read(f"{site.base_url}/metrics", Host="10.1.2.3:8001")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    head = httpx.head(f"{site.base_url}/metrics", timeout=60)
    assert (head.status_code, head.content) == (200, b"")
    openmetrics = read(
        f"{site.base_url}/metrics", Accept="application/openmetrics-text; version=1.0.0"
    )
    assert openmetrics.text.endswith("# EOF\n")


# -- what they read ------------------------------------------------------------------------------


@pytest.fixture
def others(site: Site, tmp_path: Path) -> Iterator[Callable[..., tuple[Process, str]]]:
    """Workers and beat beside the site's own, which can be read: by their command; gives each
    process, and its address."""
    commands = {
        "deadlines": deadlines_command,
        "worker": worker_command,
        "bots": bots_command,
        "beat": beat_command,
    }
    begun: list[Process] = []

    def begin(role: str, port: int = 0, **environment: str) -> tuple[Process, str]:
        port = port or free_port()
        process = Process(
            f"another-{role}",
            commands[role](Path(sys.executable)),
            env={
                **site.env,
                "GAUNTLET_METRICS_LISTEN": f"127.0.0.1:{port}",
                "GAUNTLET_RELEASE": "tested",
                **environment,
            },
            log=tmp_path / f"{role}-{len(begun)}.log",
            ready=lambda it: f"{'beat' if role == 'beat' else 'worker'} ready" in it.log(),
        )
        begun.append(process)
        site.others.append(process)
        process.start()
        return process, f"http://127.0.0.1:{port}/metrics"

    yield begin
    for process in begun:
        process.kill()
        site.others.remove(process)


def rule_expressions() -> dict[str, str]:
    groups = yaml.safe_load(ALERTS.read_text())["groups"]
    return {rule["alert"]: rule["expr"] for group in groups for rule in group["rules"]}


def board_expressions() -> list[str]:
    panels = json.loads(BOARD.read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel.get("targets", ())]


def test_every_metric_that_is_named_anywhere_is_told_by_the_running_site(
    site: Site, others: Callable[..., tuple[Process, str]]
) -> None:
    _worker, address = others("worker")
    _beat, beats = others("beat")
    there = set()
    for each in (f"{site.base_url}/metrics", address, beats):
        there |= names_in(read(each).text)
    named = {
        "alerts": {name for text in rule_expressions().values() for name in OTHERS.findall(text)},
        "board": {name for text in board_expressions() for name in OTHERS.findall(text)},
        "page": {
            name
            for quoted in re.findall(r"`([^`\n]+)`", PAGE.read_text())
            for name in OTHERS.findall(quoted)
            if name == quoted
        },
    }
    for where, names in named.items():
        assert len(names) > 10, where
        # A series with labels begins with the first of its kind; the family is there from the
        # beginning.
        missing = {
            name
            for name in names
            if name not in there and not any(name.removesuffix(end) in there for end in SUFFIXES)
        }
        assert missing == set(), where
    # And all that is told is explained.
    ours = {
        family.name
        for each in (f"{site.base_url}/metrics", address)
        for family in text_string_to_metric_families(read(each).text)
        if family.name.startswith("gauntlet_")
    }
    explained = {name.removesuffix("_total") for name in named["page"]}
    assert ours - explained == set()


def test_a_turn_and_its_refusal_and_its_sockets_are_told(site: Site) -> None:
    desk = Desk(site)
    ana, ben = desk.person(), desk.person()
    match = desk.match(ana, ben)
    address = f"{site.base_url}/metrics"

    def counted(values: Values, part: str) -> float:
        return sum(
            value(values, "gauntlet_turn_seconds_count", way=way, part=part) or 0
            for way in ("loop", "thread")
        )

    async def play() -> tuple[Values, Values]:
        loop = asyncio.get_running_loop()
        before = await loop.run_in_executor(None, told, address)
        async with await Reader.open(site, match, ana) as reader:
            await reader.next("sync")
            assert (await reader.submit("nonsense"))["type"] == "refused"
            assert (await reader.submit("pick T"))["type"] == "ack"
            return before, await loop.run_in_executor(None, told, address)

    before, after = asyncio.run(play())
    for part in ("waited", "judged", "stored", "told", "whole"):
        assert counted(after, part) == counted(before, part) + 1, part
    parts = [
        sum(
            value(after, "gauntlet_turn_seconds_sum", way=w, part=p) or 0
            for w in ("loop", "thread")
        )
        for p in ("waited", "judged", "stored", "told", "whole")
    ]
    assert sum(parts[:4]) == pytest.approx(parts[4], rel=0.01)
    players = [
        value(each, "gauntlet_sockets_open", reader="player") or 0 for each in (before, after)
    ]
    assert players[1] == players[0] + 1
    refused = [
        sum(v for (name, _labels), v in each.items() if name == "gauntlet_refusals_total")
        for each in (before, after)
    ]
    assert refused[1] == refused[0] + 1
    for name in ("gauntlet_syncs_total", "gauntlet_frames_sent_total"):
        assert (value(after, name) or 0) > (value(before, name) or 0), name
    assert value(after, "gauntlet_up", part="database") == 1
    assert value(after, "gauntlet_up", part="broker") == 1
    assert any(
        name == "gauntlet_build_info" and dict(labels)["role"] == "web" for name, labels in after
    )
    assert value(after, "gauntlet_pool_connections", state="most") == 24
    wait_for(
        lambda: (value(told(address), "gauntlet_matches", state="running") or 0) >= 1,
        what="the match to be counted",
    )


def test_a_turn_over_http_is_told_apart(site: Site) -> None:
    desk = Desk(site)
    ana, ben = desk.person(), desk.person()
    match = desk.match(ana, ben)
    _pk, token = desk.token(ana, "play")
    address = f"{site.base_url}/metrics"

    def turns() -> float:
        found = told(address)
        return value(found, "gauntlet_turn_seconds_count", way="api", part="whole") or 0

    before = turns()
    auth = {"Authorization": f"Bearer {token}"}
    where = f"{site.base_url}/api/v1/matches/{match}"
    version = httpx.get(f"{where}/", headers=auth, timeout=60).json()["version"]
    submit = {"id": "a-1", "text": "pick T", "version": version}
    answer = httpx.post(f"{where}/submissions/", json=submit, headers=auth, timeout=60)
    assert answer.status_code == 201, answer.text
    assert turns() == before + 1


def test_a_deadline_that_is_enforced_tells_how_late_it_was_and_by_whom(
    site: Site, others: Callable[..., tuple[Process, str]]
) -> None:
    site.deadlines.terminate()
    _process, address = others("deadlines")
    desk = Desk(site)
    desk.match(desk.person(), desk.person(), pick_time=1)

    def enforced() -> tuple[float, float]:
        found = told(address)
        both = [("count", 0.0), ("sum", 0.0)]
        return tuple(  # type: ignore[return-value]
            sum(
                value(found, f"gauntlet_deadline_lateness_seconds_{what}", by=by) or 0
                for by in ("task", "sweep")
            )
            for what, _ in both
        )

    wait_for(lambda: enforced()[0] >= 1, timeout=60, what="a deadline to be told of")
    count, late = enforced()
    assert late / count >= 0.25  # the grace, at least
    found = told(address)
    waited = [
        v
        for (name, labels), v in found.items()
        if name == "gauntlet_task_waited_seconds_count"
        and dict(labels)["task"] == "games.tasks.sweep"
    ]
    assert waited
    assert waited[0] >= 1
    assert value(found, "gauntlet_build_info", release="tested", role="deadlines",
                 python=".".join(map(str, sys.version_info[:3]))) == 1  # fmt: skip
    assert (value(found, "gauntlet_job_seconds_count", task="games.tasks.sweep") or 0) >= 1
    site.deadlines.start()


def test_bots_have_a_worker_and_a_queue_that_are_told_of_as_theirs(
    site: Site, others: Callable[..., tuple[Process, str]]
) -> None:
    process, address = others("bots")
    assert value(told(address), "gauntlet_build_info", release="tested", role="bots",
                 python=".".join(map(str, sys.version_info[:3]))) == 1  # fmt: skip
    kinds = "SELECT kind FROM games_serviceprocess WHERE pid = %s"
    assert site.sql(kinds, process.pid) == [("bots",)]
    found = told(f"{site.base_url}/metrics")
    for name in ("gauntlet_queue_length", "gauntlet_queue_age_seconds"):
        assert value(found, name, queue="bots") is not None


def test_a_worker_is_read_only_by_those_who_may(
    others: Callable[..., tuple[Process, str]],
) -> None:
    _worker, address = others("worker", GAUNTLET_METRICS_TOKEN="right")
    assert read(address, Authorization="Bearer right").status_code == 200
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        answer = read(address, **headers)
        assert answer.status_code == 404
        assert "gauntlet_" not in answer.text
    elsewhere = address.removesuffix("/metrics")
    for path in ("/", "/metrics/", "/healthz"):
        assert read(elsewhere + path, Authorization="Bearer right").status_code == 404
    answer = httpx.post(address, headers={"Authorization": "Bearer right"}, timeout=60)
    assert answer.status_code == 501


def test_a_worker_whose_port_is_taken_works_all_the_same(
    others: Callable[..., tuple[Process, str]],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        worker, _address = others("worker", port=taken.getsockname()[1])
        assert worker.alive
        assert "metrics.not-served" in worker.log()


def test_who_asks_and_then_says_nothing_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    assert exposition._Reading.timeout == exposition.PATIENCE_S <= 10
    monkeypatch.setattr(exposition._Reading, "timeout", 0.5)
    settings.GAUNTLET_METRICS_LISTEN = f"127.0.0.1:{free_port()}"
    monkeypatch.setattr(exposition.this, "role", "command")
    exposition.listen("worker")
    host, port = settings.GAUNTLET_METRICS_LISTEN.split(":")
    with socket.create_connection((host, int(port)), timeout=60) as silent:
        assert silent.recv(1) == b""  # closed


# -- what is away --------------------------------------------------------------------------------


def by_name(text: bytes) -> set[str]:
    return {name for name, _labels in values_in(text.decode())}


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Part]]:
    """The parts of the site, looked up anew, in a registry of their own."""
    made = {
        "database": Part("database", lambda: [Figure("ratings_due", (), 3)]),
        "broker": Part("broker", lambda: [Figure("tasks_taken", (), 4)]),
    }
    registry = CollectorRegistry()
    registry.register(standing.Standing(made.values()))
    monkeypatch.setattr(metrics, "registry", registry)
    cache.clear()
    yield made
    cache.clear()


def test_a_database_that_is_away_breaks_nothing(parts: dict[str, Part]) -> None:
    asked = []

    def fail() -> list[Figure]:
        asked.append(1)
        raise OperationalError("gone")

    parts["database"].look = fail
    exposition.exposition()
    found = values_in(exposition.exposition()[1].decode())
    assert asked == [1]  # nor again each time, while it is
    assert value(found, "gauntlet_up", part="database") == 0
    assert value(found, "gauntlet_up", part="broker") == 1
    assert value(found, "gauntlet_tasks_taken") == 4
    assert value(found, "gauntlet_ratings_due") is None


def test_one_that_hangs_is_not_waited_for_and_asked_once(
    parts: dict[str, Part], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standing, "PATIENCE_S", 0.1)
    go_on, asked = threading.Event(), []

    def hang() -> list[Figure]:
        asked.append(1)
        go_on.wait(60)
        return [Figure("ratings_due", (), 3)]

    parts["database"].look = hang
    for _ in range(3):
        found = values_in(exposition.exposition()[1].decode())
        assert value(found, "gauntlet_up", part="database") == 0
        assert value(found, "gauntlet_tasks_taken") == 4
    assert asked == [1]
    go_on.set()

    def is_back() -> bool:
        found = values_in(exposition.exposition()[1].decode())
        return value(found, "gauntlet_up", part="database") == 1

    wait_for(is_back, what="it to be back")


def test_it_is_looked_up_by_one_process_for_all(parts: dict[str, Part]) -> None:
    asked = []

    def look() -> list[Figure]:
        asked.append(1)
        return [Figure("rows_aside", ("matches.wake",), 2), Figure("ratings_due", (), 3)]

    here, there = Part("database", look), Part("database", look)
    assert here.figures() == there.figures() == look()
    assert len(asked) == 2  # one of them, and ours
    # What another release knows, and this one does not, is passed over.
    cache.set(here.key, [["of_tomorrow", [], 1.0], ["ratings_due", [], 5.0]], timeout=60)
    assert Part("database", look).figures() == [Figure("ratings_due", (), 5.0)]


def test_a_cache_that_is_away_costs_nothing(
    parts: dict[str, Part], monkeypatch: pytest.MonkeyPatch
) -> None:
    from redis.exceptions import ConnectionError as GoneError

    def gone(*_given: Any, **_more: Any) -> None:
        raise GoneError

    # Each thread has a cache of its own.
    monkeypatch.setattr(standing, "cache", SimpleNamespace(get=gone, set=gone))
    assert parts["database"].figures() == [Figure("ratings_due", (), 3)]


def test_whatever_cannot_be_looked_up_takes_nothing_else_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(metrics, "registry", CollectorRegistry())

    def fail() -> metrics.Figures:
        raise ValueError

    metrics.looked_up("broken", "Broken.", (), fail)
    metrics.looked_up("whole", "Whole.", (), lambda: {(): 7})
    assert by_name(exposition.exposition()[1]) == {"gauntlet_whole"}


@pytest.mark.django_db
def test_the_database_tells_of_every_family_in_a_few_statements(
    django_assert_max_num_queries: Any,
) -> None:
    from django.utils import timezone

    from accounts.models import AuditCheck
    from core.clock import now_ms
    from core.jobs.models import JobDone, SetAside
    from games.models import ServiceBeat, ServiceProcess

    JobDone.objects.create(task="games.tasks.sweep", at=timezone.now())
    ServiceBeat.objects.update_or_create(pk=1, defaults={"at": 1})
    at = now_ms()
    for pid, seen, skew_ms in ((1, at, 20), (2, at, -7000), (3, 1, 60_000)):
        ServiceProcess.objects.create(
            kind="web", host="one", pid=pid, started_at=1, at=seen, skew_ms=skew_ms
        )
    SetAside.objects.create(
        job="matches.wake", key="1", target_type="games.match", reason="x", next_at=timezone.now()
    )
    AuditCheck.objects.create(position=0, digest="0" * 64, fault="A place is gone.")
    with django_assert_max_num_queries(15):
        figures = standing.of_database()
    assert {figure.family for figure in figures} == set(FAMILIES["database"])
    for figure in figures:
        assert len(figure.labels) == len(FAMILIES["database"][figure.family].labels)
    assert {
        Figure("rows_aside", ("matches.wake",), 1),
        Figure("audit_holds", (), 0),
        Figure("processes", ("well",), 2),
        Figure("processes", ("silent",), 1),
        Figure("host_clock_ahead_seconds", (), -7.0),
    } <= set(figures)


def test_a_site_whose_redis_is_away_tells_of_itself_all_the_same(site: Site) -> None:
    """Not away in truth, since other tests use it: the process knows it by a dead address."""
    from tests.support.site import AnotherWeb

    there = AnotherWeb(site)
    address = f"{there.base_url}/metrics"
    there.web.env = {**site.env, "REDIS_URL": f"redis://127.0.0.1:{free_port()}"}
    there.web.ready = lambda _web: _answers(address)
    there.web.start()
    try:
        found = told(address)
        assert value(found, "gauntlet_up", part="database") == 1
        assert value(found, "gauntlet_up", part="broker") == 0
        assert value(found, "gauntlet_queue_length", queue="default") is None
        assert value(found, "gauntlet_sockets_open", reader="player") == 0
    finally:
        there.stop()


def _answers(address: str) -> bool:
    try:
        return httpx.get(address, timeout=30).status_code == 200
    except httpx.HTTPError:
        return False


# -- labels --------------------------------------------------------------------------------------


def test_of_codes_so_many_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "registry", CollectorRegistry())
    monkeypatch.setattr(metrics, "VALUES_AT_MOST", 3)
    codes = metrics.Codes("things", "Things.", ("kind", "code"))
    for number in range(10):
        codes.inc("a", f"code-{number}")
    codes.inc("a", "code-1")
    found = values_in(exposition.exposition()[1].decode())
    assert value(found, "gauntlet_things_total", kind="a", code="code-1") == 2
    assert value(found, "gauntlet_things_total", kind="a", code="other") == 7
    assert len(found) == 4
    assert len(codes._known) == 4  # nothing is kept of the others but that they are others


def test_what_is_noted_at_once_is_told_as_the_library_tells_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registry = CollectorRegistry()
    monkeypatch.setattr(metrics, "registry", registry)
    buckets = (0.1, 0.5, 1)
    ours = metrics.Timings("ours", "Ours.", ("way", "part"), buckets=buckets)
    theirs = metrics.histogram("theirs", "Theirs.", ("way", "part"), buckets=buckets)
    for took in (0.05, 0.1, 0.11, 0.5, 0.7, 3):
        ours.observe("loop", parts={"judged": took, "stored": 2 * took})
        theirs.labels("loop", "judged").observe(took)
        theirs.labels("loop", "stored").observe(2 * took)
    found = values_in(exposition.exposition()[1].decode())

    def of(name: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        return {(n.removeprefix(name), on): v for (n, on), v in found.items() if n.startswith(name)}

    assert of("gauntlet_ours") == of("gauntlet_theirs")
    assert len(of("gauntlet_ours")) == 12


# -- rules and the board -------------------------------------------------------------------------


def test_every_alert_is_explained_and_every_explanation_is_of_one() -> None:
    explained = set(re.findall(r"^\| `(Gauntlet\w+)` \| \S", PAGE.read_text(), re.MULTILINE))
    assert explained == set(rule_expressions())


def test_alerts_are_whole() -> None:
    groups = yaml.safe_load(ALERTS.read_text())["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules) > 10
    for rule in rules:
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert rule["annotations"]["summary"].endswith(".")
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        for opening, closing in ("()", "{}", "[]"):
            assert rule["expr"].count(opening) == rule["expr"].count(closing), rule["alert"]


def test_prometheus_itself_takes_the_rules() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("there is no promtool here to check deploy/prometheus/alerts.yml with")
    done = subprocess.run(
        [promtool, "check", "rules", ALERTS], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_board_is_whole() -> None:
    board = json.loads(BOARD.read_text())
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    variables = {each["name"] for each in board["templating"]["list"]}
    assert set(re.findall(r"\$(?!__)(?:\{(\w+)\}|(\w+))", BOARD.read_text())) == {
        ("datasource", ""),
        ("", "job"),
    }
    assert variables == {"datasource", "job"}
    places = {(p["gridPos"]["x"], p["gridPos"]["y"]) for p in panels}
    assert len(places) == len(panels)
    for panel in panels:
        assert panel["type"] == "row" or panel["targets"], panel["title"]


def test_a_scrape_takes_little(site: Site) -> None:
    """Of the interpreter that turns share: a tenth of a second would be ten turns."""
    address = f"{site.base_url}/metrics"
    told(address)
    began = time.perf_counter()
    for _ in range(10):
        text = read(address).text
    assert len(text) < 200_000
    assert time.perf_counter() - began < 60
