"""Every line that is logged says on whose account: which request or socket, which match, which
task; in whatever thread or process it is written."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import structlog
from celery.signals import before_task_publish
from channels.routing import URLRouter
from django.test import Client
from structlog.contextvars import (
    bind_contextvars,
    bound_contextvars,
    clear_contextvars,
    get_contextvars,
)

from accounts.connections.sockets import Visitor
from config.identified import HEADER, Identified, id_of
from config.operations import tasks
from core import on_loop
from core.jobs import guard
from core.queueing import REQUEST, enqueue
from games.audience import group_of
from games.publishing import publish as publishing
from games.publishing.publish import Frame, publish
from games.reading.shared import RoomView
from games.sockets import consumers, crowd, rooms
from games.sockets.counted import SOCKETS
from games.sockets.executor import in_turn_thread, in_turn_thread_soon
from games.sockets.routing import websocket_urlpatterns
from tests.games.desk import Desk
from tests.support.looping import LoopSide
from tests.support.site import Site, wait_for
from tests.support.sockets import LocalSocket, shared_view

log = structlog.get_logger("gauntlet.tested")


@pytest.fixture(autouse=True)
def _nobodys() -> Iterator[None]:
    clear_contextvars()
    yield
    clear_contextvars()


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """What is logged as `gauntlet.tested` and `gauntlet.request`, as the log would have it."""
    found: list[dict[str, Any]] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(record.msg if isinstance(record.msg, dict) else {"event": record.msg})

    kept = Kept()
    loggers = [logging.getLogger(name) for name in ("gauntlet.tested", "gauntlet.request")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.INFO)
        logger.addHandler(kept)
    yield found
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)
        logger.removeHandler(kept)


def about(line: dict[str, Any]) -> dict[str, Any]:
    return {key: line[key] for key in ("request", "socket", "match", "task") if key in line}


# -- requests ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("proxies", "given", "taken"),
    [
        (0, [b"from-nobody-1"], False),
        (1, [b"from-the-proxy-1"], True),
        (1, [b"short"], False),
        (1, [b"x" * 65], False),
        (1, [b"with space 1"], False),
        (1, [b"with\nanother line"], False),
        (1, [b"caf\xc3\xa9-caf\xc3\xa9"], False),
        (1, [b"first-of-two-1", b"second-of-two"], False),
        (1, [], False),
    ],
)
def test_an_id_is_taken_from_a_trusted_proxy_alone(
    proxies: int, given: list[bytes], taken: bool, settings: Any
) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": proxies}
    headers = [(HEADER, value) for value in given]
    name = id_of(headers)
    assert (name == given[0].decode()) if taken else re.fullmatch(r"[0-9a-f]{16}", name)
    assert taken or id_of(headers) != name


async def test_the_answer_has_the_id_and_two_requests_have_two() -> None:
    bound, sent = [], []

    async def application(_scope: Any, _receive: Any, send: Any) -> None:
        await asyncio.sleep(0)
        bound.append(get_contextvars())
        await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})
        await send({"type": "http.response.body", "body": b""})

    async def keep(message: Any) -> None:
        sent.append(message)

    identified = Identified(application)
    await asyncio.gather(
        *[identified({"type": "http", "headers": []}, None, keep) for _ in range(2)]  # type: ignore[arg-type]
    )
    names = [each["request"] for each in bound]
    assert len(set(names)) == 2
    answered = [dict(m["headers"]) for m in sent if m["type"] == "http.response.start"]
    assert {each[HEADER].decode() for each in answered} == set(names)
    assert all(each[b"a"] == b"b" for each in answered)
    assert get_contextvars() == {}


@pytest.mark.django_db
def test_a_request_about_a_match_says_which(lines: list[dict[str, Any]], client: Client) -> None:
    bind_contextvars(request="tested-1")
    client.get("/matches/987654/")
    client.get("/healthz")
    assert [about(line) for line in lines] == [
        {"request": "tested-1", "match": 987654},
        {"request": "tested-1"},
    ]


def lines_of(text: str, *parts: str) -> list[str]:
    return [line for line in text.splitlines() if all(part in line for part in parts)]


def test_every_line_of_a_request_has_its_id(site: Site) -> None:
    desk = Desk(site)
    match = desk.match(desk.person(), desk.person())
    for path, status in ((f"/matches/{match}/", 200), (f"/api/v1/matches/{match}/log/0/", 404)):
        answer = httpx.get(site.base_url + path, timeout=60)
        assert answer.status_code == status
        name = answer.headers["x-request-id"]
        written = wait_for(
            lambda name=name: lines_of(site.web.log(), f"request={name}"),  # type: ignore[misc]
            what="the request's line",
        )
        assert lines_of("\n".join(written), f"path={path}", f"status={status}")
        # Nothing was written about this path without its id, Django's own warning included.
        assert [line for line in lines_of(site.web.log(), path) if name not in line] == []
    # From somebody whom nobody trusts none is taken; static files have one, too.
    theirs = {"X-Request-ID": "theirs-not-ours"}
    for path in ("/healthz", "/favicon.ico", "/static/nothing.css"):
        answer = httpx.get(site.base_url + path, headers=theirs, timeout=60)
        assert answer.headers.get_list("x-request-id")[0] != "theirs-not-ours"


# -- threads and the loop ------------------------------------------------------------------------


async def test_turn_threads_know_on_whose_account(lines: list[dict[str, Any]]) -> None:
    done = asyncio.Event()
    loop = asyncio.get_running_loop()

    def soon() -> None:
        log.info("soon")
        loop.call_soon_threadsafe(done.set)

    async def one(name: str) -> None:
        with bound_contextvars(socket=name, match=1):
            await in_turn_thread(log.info, "in a thread")

    await asyncio.gather(*[one(f"socket-{number}") for number in range(8)])
    with bound_contextvars(socket="socket-8", match=2):
        in_turn_thread_soon(soon)
    await asyncio.wait_for(done.wait(), 30)
    found = {(line["event"], line["socket"], line["match"]) for line in lines}
    assert found == {("in a thread", f"socket-{n}", 1) for n in range(8)} | {
        ("soon", "socket-8", 2)
    }
    # And nothing stays behind in them.
    lines.clear()
    await asyncio.gather(*[in_turn_thread(log.info, "nobody's") for _ in range(16)])
    assert [about(line) for line in lines] == [{}] * 16


@pytest.mark.django_db(transaction=True)
def test_answers_of_the_database_are_on_account_of_whoever_asked(
    lines: list[dict[str, Any]],
) -> None:
    side = LoopSide(at_most=2)

    async def ask(name: str, sql: str) -> Any:
        with bound_contextvars(socket=name):
            answer: asyncio.Future[Any] = side.loop.create_future()

            def answered(rows: Any) -> None:
                log.info("answered")
                side.database.later(lambda: None)
                answer.set_result(rows)

            while not side.database.execute(sql, (), answered):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            return await answer

    async def both() -> Any:
        return await asyncio.gather(ask("a", "SELECT pg_sleep(0.05)::text"), ask("b", "SELECT 1"))

    try:
        side.run(both())
        assert sorted(line["socket"] for line in lines) == ["a", "b"]
        refused: list[dict[str, Any]] = []
        with pytest.MonkeyPatch.context() as patched:
            keeping = SimpleNamespace(
                info=lambda event, **more: refused.append({**get_contextvars(), "event": event})
            )
            patched.setattr(on_loop, "log", keeping)
            assert side.run(ask("c", "SELECT nothing_like_it()")) is None
        assert refused == [{"socket": "c", "event": "statement.refused"}]
    finally:
        side.close()


# -- sockets -------------------------------------------------------------------------------------


@pytest.fixture
async def opened() -> AsyncIterator[AsyncExitStack]:
    """Closes the sockets that a test has opened, however it ends."""
    async with AsyncExitStack() as stack:
        yield stack


async def test_what_a_socket_does_is_logged_with_its_id_and_its_match(
    lines: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, opened: AsyncExitStack
) -> None:
    def read(_match_id: int, **_late: bool) -> RoomView:
        log.info("read")
        return shared_view()

    async def hear(self: Any, heard: Any) -> None:
        log.info("heard" if b'"step"' in heard.data else "of presence")

    monkeypatch.setattr(publishing, "_nearby", [])
    monkeypatch.setattr(rooms, "versions_of", lambda _match: (0, 0, 0, 0))
    monkeypatch.setattr(consumers, "standing_of", lambda *_: ("room", False))
    monkeypatch.setattr(crowd, "room_view", read)
    monkeypatch.setattr(consumers.MatchSocket, "match_frame", hear)
    for match in (1, 2):
        bind_contextvars(request=f"request-{match}")
        one = LocalSocket(Identified(URLRouter(websocket_urlpatterns)), f"/ws/v1/matches/{match}/")
        one.scope["visitor"] = Visitor()
        one.scope["headers"] = []
        opened.push_async_callback(one.disconnect)
        assert (await one.connect())[0]
        while (await one.receive_output())["type"] != "websocket.send":
            pass
    clear_contextvars()
    named = {line["match"]: about(line) for line in lines}
    assert named.keys() == {1, 2}
    assert named[1]["socket"] != named[2]["socket"]
    assert named[1]["request"] != named[2]["request"]
    # What somebody else's turn tells them is theirs all the same, also while they do nothing.
    async with asyncio.timeout(30):
        while any(each.turn.locked() for each in SOCKETS._open):  # type: ignore[attr-defined]  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    lines.clear()
    with bound_contextvars(socket="somebody else's", match=3):
        publish([Frame(group_of(match, "room"), {"type": "step"}) for match in (1, 2)])
        async with asyncio.timeout(30):
            while sum(line["event"] == "heard" for line in lines) < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    assert {line["match"]: about(line) for line in lines if line["event"] == "heard"} == named


# -- tasks ---------------------------------------------------------------------------------------


@pytest.fixture
def handed_on() -> Iterator[list[dict[str, Any]]]:
    """The headers of tasks that are enqueued."""
    found: list[dict[str, Any]] = []

    def note(headers: Any = None, **_more: object) -> None:
        found.append(dict(headers))

    before_task_publish.connect(note, weak=False)
    yield found
    before_task_publish.disconnect(note)


async def test_a_task_carries_the_id_of_what_enqueued_it(
    handed_on: list[dict[str, Any]],
) -> None:
    with bound_contextvars(request="asked-1"):
        await in_turn_thread(enqueue, "games.tasks.nothing", 1)
    await in_turn_thread(enqueue, "games.tasks.nothing", 2)
    assert [headers[REQUEST] for headers in handed_on] == ["asked-1", None]


def taken(name: str, *arguments: Any, request: str | None = None) -> None:
    """A worker takes a task."""
    from config import celery_app

    celery_app.loader.import_default_modules()
    task = SimpleNamespace(
        name=name,
        run=celery_app.tasks[name].run,
        request=SimpleNamespace(eta=None, **{REQUEST: request}),
    )
    tasks._bind_names("id-1", task, arguments, {})


@pytest.mark.parametrize(
    ("name", "arguments", "match"),
    [
        ("games.tasks.wake", (7,), 7),
        ("games.tasks.follow_up", (8,), 8),
        ("games.tasks.sweep", (), None),
        ("tournaments.webhooks.tasks.drain", (9,), None),
        ("games.tasks.wake", (1, 2, 3, 4), None),  # which fails
    ],
)
def test_a_worker_says_which_task_it_is_at_and_of_which_match(
    name: str, arguments: tuple[Any, ...], match: int | None
) -> None:
    bind_contextvars(request="of the last one", match=99)
    taken(name, *arguments)
    more = {} if match is None else {"match": match}
    assert get_contextvars() == {"task": name, "task_id": "id-1", **more}
    taken(name, *arguments, request="asked-2")
    assert get_contextvars()["request"] == "asked-2"
    tasks._note_end("id-1", SimpleNamespace(name=name))
    assert get_contextvars() == {}


@pytest.mark.django_db
def test_each_row_of_a_job_is_named_while_it_is_dealt_with(lines: list[dict[str, Any]]) -> None:
    guard.each("tested", [5, 6], lambda _: log.info("row"), target="games.match")
    guard.attempt("tested", 7, lambda: log.info("row"), target="games.match")
    log.info("none")
    assert [line.get("match") for line in lines] == [5, 6, 7, None]


def test_lines_of_workers_say_which_request_they_come_from(site: Site) -> None:
    desk = Desk(site)
    match = desk.match(desk.person(), desk.person())
    site.sql("UPDATE games_match SET snapshot = '{}' WHERE id = %s", match)
    site.python(
        "from structlog.contextvars import bound_contextvars\n"
        "from core.queueing import enqueue\n"
        f"with bound_contextvars(request='chain-{match}'):\n"
        f"    enqueue('games.tasks.wake', {match})"
    )
    (line,) = wait_for(
        lambda: lines_of(site.deadlines.log(), "job.set-aside", f"chain-{match}"),
        what="the line",
    )[:1]
    for part in (f"match={match}", "task=games.tasks.wake", "task_id=", f"request=chain-{match}"):
        assert part in line
    site.sql("DELETE FROM jobs_setaside WHERE key = %s", str(match))
    site.sql(
        "UPDATE games_match SET wake_at = NULL, sweep_at = NULL, deadline_at = NULL WHERE id = %s",
        match,
    )
