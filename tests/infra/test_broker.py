"""Clients of Redis that stop asking what does not answer, and what is done beside a turn."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from core import broker, queueing
from core.aside import ASIDE, AT_MOST, Aside
from core.broker import AsyncRedis, AwayError, Breaker
from games.publishing import publish as publishing
from games.publishing.publish import Frame
from games.services import settling
from tests.infra.test_outward import answering, silent

# How long somebody is waited for, in these tests; and what is much longer, on any machine.
PATIENCE_MS = 200
LONG_S = 30.0


@pytest.fixture
def hung(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Breaker]:
    """A Redis that takes connections and says nothing, and the breaker of its clients."""
    settings.GAUNTLET_REDIS_PATIENCE_MS = PATIENCE_MS
    with answering(silent) as port:
        settings.GAUNTLET_REDIS_ADDRESS = f"redis://127.0.0.1:{port}/0"
        breaker = Breaker(lambda: False)
        monkeypatch.setattr(broker, "breaker_of", lambda _url: breaker)
        yield breaker
        breaker.close()


def on_loop() -> AsyncRedis:
    # Its own patience would be far longer, as that of the clients of the site's loops.
    return broker.client_on_loop(at_once=8, socket_timeout=LONG_S)


def test_what_hangs_is_asked_once(hung: Breaker) -> None:
    client = broker.client()
    with pytest.raises(redis.RedisError) as given_up:
        client.get("a")
    assert not isinstance(given_up.value, AwayError)
    assert hung.is_open
    pipe = client.pipeline()
    pipe.get("a")
    for ask in (lambda: client.get("a"), pipe.execute):
        with pytest.raises(AwayError):
            ask()


async def test_a_loop_asks_once_and_all_who_wait_with_it_are_told(hung: Breaker) -> None:
    client = on_loop()
    began = time.monotonic()
    answers = await asyncio.gather(*[client.get("a") for _ in range(5)], return_exceptions=True)
    assert all(isinstance(answer, AwayError) for answer in answers)
    pipe = client.pipeline()
    pipe.get("a")
    with pytest.raises(AwayError):
        await pipe.execute()
    assert time.monotonic() - began < LONG_S / 2
    await client.aclose()


async def test_a_loop_that_is_late_does_not_blame_redis(hung: Breaker) -> None:
    client = on_loop()
    asking = asyncio.ensure_future(client.get("a"))
    for _ in range(6):
        await asyncio.sleep(0)
        time.sleep(PATIENCE_MS / 1000)  # noqa: ASYNC251  (the loop is to stand still)
    assert not hung.is_open
    with pytest.raises(AwayError):
        await asking
    await client.aclose()


async def test_what_is_away_is_not_asked(hung: Breaker) -> None:
    """Nobody even begins to, in a thread or on a loop."""
    asked: list[str] = []

    async def asks() -> None:
        asked.append("on a loop")

    hung.trip()
    with pytest.raises(AwayError):
        hung.ask(lambda: asked.append("in a thread"))
    with pytest.raises(AwayError):
        await hung.ask_on_loop(asks)
    assert asked == []


async def test_who_waits_on_a_loop_hears_that_others_were_not_answered(hung: Breaker) -> None:
    """Threads, say; however many others had an answer while it waited in a row."""
    client = on_loop()
    asking = asyncio.ensure_future(client.get("a"))
    await asyncio.sleep(0)
    hung.trip()
    async with asyncio.timeout(LONG_S / 2):
        while not asking.done():
            hung.answered += 1
            await asyncio.sleep(PATIENCE_MS / 1000 / 16)
    with pytest.raises(AwayError):
        await asking
    await client.aclose()


async def test_who_waits_in_a_row_does_not_blame_redis(hung: Breaker) -> None:
    client = on_loop()
    asking = asyncio.ensure_future(client.get("a"))
    for _ in range(20):
        hung.answered += 1  # somebody else's answer
        await asyncio.sleep(PATIENCE_MS / 1000 / 8)
    assert not hung.is_open
    assert not asking.done()
    with pytest.raises(AwayError):
        await asking
    await client.aclose()


def test_a_thread_looks_whether_it_is_back() -> None:
    looked, is_back = threading.Semaphore(0), threading.Event()

    def looks() -> bool:
        looked.release()
        return is_back.is_set()

    breaker = Breaker(looks)
    breaker.trip()
    breaker.trip()
    assert looked.acquire(timeout=LONG_S)
    assert looked.acquire(timeout=LONG_S)  # again and again
    with pytest.raises(AwayError):
        breaker.ask(lambda: 1)
    is_back.set()
    until = time.monotonic() + LONG_S
    while breaker.is_open:
        assert time.monotonic() < until
        time.sleep(0.01)
    assert breaker.ask(lambda: 1) == 1


def test_an_answer_that_is_an_error_is_an_answer() -> None:
    breaker = Breaker(lambda: False)
    for error in (redis.ResponseError(), redis.exceptions.ReadOnlyError(), AwayError()):
        with pytest.raises(type(error)):
            breaker.ask(lambda error=error: (_ for _ in ()).throw(error))  # type: ignore[misc]
    assert not breaker.is_open


# -- beside a turn -------------------------------------------------------------------------------


def test_calls_are_made_in_order_by_another_thread() -> None:
    aside, made = Aside(), []

    def call(number: int) -> None:
        made.append((number, threading.get_ident()))
        if number == 3:
            raise ValueError("and nobody minds")

    aside.soon(lambda: call(0))  # here, as there is no thread
    aside.begin()
    for number in range(1, 20):
        aside.soon(lambda number=number: call(number))  # type: ignore[misc]
    aside.finish()
    assert [number for number, _ in made] == list(range(20))
    assert made[0][1] == threading.get_ident()
    assert {thread for _, thread in made[1:]}.isdisjoint({threading.get_ident()})


def test_nobody_waits_for_a_call_that_takes_long() -> None:
    aside, goes_on, made = Aside(), threading.Event(), []
    aside.begin()
    aside.soon(lambda: goes_on.wait(LONG_S))
    for _ in range(AT_MOST + 10):
        aside.soon(lambda: made.append(1))
    goes_on.set()
    aside.finish()
    assert AT_MOST <= len(made) <= AT_MOST + 1


def test_a_turn_tells_the_broker_beside_what_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a web process: what it publishes, and what it hands to workers."""
    goes_on, told = threading.Event(), []

    def hangs(what: str) -> None:
        goes_on.wait(LONG_S)
        told.append(what)

    monkeypatch.setattr(publishing, "tell_elsewhere", lambda *_, **__: hangs("readers"))
    monkeypatch.setattr(settling, "wake_enqueue", lambda **_: hangs("a worker"))
    monkeypatch.setattr(queueing, "enqueue", lambda *_: hangs("another"))
    ASIDE.begin()
    try:
        publishing.publish([Frame("match.1.room", "{}")])
        settling._wake_soon(1, 0)
        queueing.enqueue_soon("task", 1)
        assert told == []  # and here we are
    finally:
        goes_on.set()
        ASIDE.finish()
    assert told == ["readers", "a worker", "another"]
