"""Frames that no honest client sends: each gets a code or a close with a reason, the process lives
on, and nothing changes in the match."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.games.client import Reader, handshaken, spectators
from tests.games.desk import Desk, Person
from tests.support.site import Web, wait_for


class Target:
    """A match to throw things at, as one of its players."""

    def __init__(self, match: int, player: Person, reader: Reader) -> None:
        self.match = match
        self.player = player
        self.reader = reader


@pytest.fixture
async def target(web: Web, desk: Desk) -> AsyncIterator[Target]:
    player = desk.person()
    match = desk.match(player, desk.person())
    async with AsyncExitStack() as stack:
        reader = await stack.enter_async_context(await Reader.open(web, match, player))
        await reader.next("sync")
        yield Target(match, player, reader)


@pytest.fixture(autouse=True)
def all_is_well(web: Web, desk: Desk, target: Target) -> Iterator[None]:
    """After every test: nothing changed, the same process answers, and nothing was unexpected."""
    before, pid = desk.rows(target.match), web.web.pid
    printed = len(web.web.log())
    yield
    assert desk.rows(target.match) == before
    assert web.web.pid == pid
    assert web.web.alive
    assert web.answers()
    log = web.web.log()[printed:]
    assert "Traceback" not in log
    assert "Exception" not in log


def submission(number: int, **change: Any) -> dict[str, Any]:
    frame = {"type": "submit", "id": "x", "match": number, "text": "pick X", "version": 1}
    return {**frame, **change}


def cases(match: int) -> list[tuple[str, str]]:
    """Texts, and the code that each is answered with."""

    def of(**change: Any) -> str:
        return json.dumps(submission(match, **change))

    def without(key: str) -> str:
        frame = submission(match)
        del frame[key]
        return json.dumps(frame)

    deep = "[" * 8000 + "]" * 8000
    return [
        ("frame.not-json", ""),
        ("frame.not-json", "hello"),
        ("frame.not-json", '{"type": "sync"'),
        ("frame.not-json", '{"type": "sync"} {"type": "sync"}'),
        ("frame.not-json", '{"type": "submit", "id": "\\ud800"}'),
        ("frame.not-json", '{"type": "ping", "at": NaN}'),
        ("frame.not-json", '{"type": "ping", "at": 1e999}'),
        ("frame.not-json", "{'type': 'sync'}"),
        ("frame.not-json", deep),
        ("frame.not-object", "[]"),
        ("frame.not-object", "null"),
        ("frame.not-object", "17"),
        ("frame.not-object", '"sync"'),
        ("frame.not-object", '[{"type": "sync"}]'),
        ("frame.unknown-type", "{}"),
        ("frame.unknown-type", '{"type": "step"}'),
        ("frame.unknown-type", '{"type": "Sync"}'),
        ("frame.unknown-type", '{"type": null}'),
        ("frame.unknown-type", '{"type": []}'),
        ("frame.unknown-type", '{"type": {"sync": 1}}'),
        ("frame.unknown-type", '{"type": 5}'),
        ("frame.malformed", without("id")),
        ("frame.malformed", without("match")),
        ("frame.malformed", without("text")),
        ("frame.malformed", without("version")),
        ("frame.malformed", of(id=5)),
        ("frame.malformed", of(match=str(match))),
        ("frame.malformed", of(match=True)),
        ("frame.malformed", of(text=None)),
        ("frame.malformed", of(text=["pick T"])),
        ("frame.malformed", of(version="1")),
        ("frame.malformed", of(version=1.5)),
        ("frame.malformed", of(version=None)),
        ("frame.malformed", '{"type": "ping", "received": "1"}'),
        ("frame.malformed", '{"type": "ping", "at": "now"}'),
        ("frame.malformed", '{"type": "chat"}'),
        ("frame.malformed", '{"type": "chat.history", "room": 1}'),
        ("frame.malformed", '{"type": "organise", "id": "x", "text": "pause"}'),
    ]


async def test_frames_that_cannot_be_understood(target: Target, web: Web) -> None:
    number, reader = 0, target.reader
    for code, text in cases(target.match):
        if number == 20:  # one more would close the socket
            await reader.socket.close()
            reader = await Reader.open(web, target.match, target.player)
            await reader.next("sync")
            number = 0
        number += 1
        await reader.socket.send(text)
        error = await reader.next("error")
        assert (error["code"], set(error)) == (code, {"type", "code", "sentence"}), text
        await asyncio.sleep(0.05)  # stay below the limit on frames
    await reader.socket.close()


async def test_frames_that_are_understood_and_refused(target: Target) -> None:
    changes: list[tuple[str, dict[str, Any]]] = [
        ("version.ahead", {"version": 2**63}),
        ("version.ahead", {"version": 2**70}),
        ("version.stale", {"version": -1}),
        ("version.stale", {"version": -(2**70)}),
        ("match.wrong", {"match": 2**70}),
        ("match.wrong", {"match": -1}),
        ("notation.unreadable", {"text": ""}),
        ("notation.unreadable", {"text": "pick \u0000"}),
        ("notation.unreadable", {"text": "\U0001f600" * 100}),
        ("notation.unreadable", {"text": "pick T" + "\u0301"}),
        ("notation.unreadable", {"text": "x" * 10_000}),
        ("notation.unreadable", {"text": "'; DROP TABLE games_match; --"}),
        ("frame.malformed", {"id": ""}),
        ("frame.malformed", {"id": "\u0000"}),
        ("frame.malformed", {"id": "x" * 65}),
    ]
    for code, change in changes:
        answer = await target.reader.submit(**{"text": "pick T", **change})
        assert (answer["type"], answer["code"]) == ("refused", code), change
    await target.reader.say("organise", id="a", text="pause", why="\u0000")
    assert (await target.reader.answer("a"))["code"] == "organiser.not-allowed"
    await target.reader.say("chat", id="a", room="\u0000", text="x")
    assert (await target.reader.next("refused"))["code"] == "chat.not-your-room"
    await target.reader.say("chat", id="a", room="players", text="\u0000")
    assert (await target.reader.next("refused"))["code"] == "chat.empty"
    await target.reader.say("ping", at=-(2**80), received=2**80)
    await target.reader.next("pong")
    await target.reader.say("ping", received=-5, more={"unknown": ["keys"]})
    await target.reader.next("pong")


async def test_unknown_keys_are_ignored(target: Target) -> None:
    answer = await target.reader.submit("pick X", colour="red", seat=1, at=5, refused=False)
    assert answer["code"] == "notation.tetromino"


async def test_binary_frames(target: Target) -> None:
    await target.reader.socket.send(b"\x00\xff")
    assert (await target.reader.next("error"))["code"] == "frame.binary"
    await target.reader.socket.send(json.dumps({"type": "sync"}).encode())
    assert (await target.reader.next("error"))["code"] == "frame.binary"


async def test_too_many_frames_that_cannot_be_understood(target: Target) -> None:
    for _ in range(21):
        await target.reader.socket.send("?")
    code, frame = await target.reader.closed()
    assert code == 4400
    assert frame is not None
    assert frame["code"] == "frame.not-json"


@pytest.mark.parametrize("size", [16 * 1024 + 1, 1024 * 1024])
@pytest.mark.parametrize("binary", [False, True])
async def test_frames_that_are_too_large(target: Target, size: int, binary: bool) -> None:
    await target.reader.socket.send(b"x" * size if binary else "x" * size)
    code, frame = await target.reader.closed()
    assert code == 4413
    assert frame is not None
    assert frame["code"] == "frame.too-large"
    assert frame["sentence"] == "A frame has at most 16 KiB."


async def test_a_frame_is_measured_in_bytes(target: Target) -> None:
    await target.reader.socket.send(json.dumps({"type": "ping", "x": "\u20ac" * 6000}))
    await target.reader.socket.send(
        json.dumps({"type": "ping", "x": "\u20ac" * 6000}, ensure_ascii=False)
    )
    code, _ = await target.reader.closed()
    assert code == 4413


async def test_huge_frames_are_not_even_taken_in(target: Target, web: Web) -> None:
    """Closed as "message too big" while the first bytes arrive, not when memory is full."""
    before = _memory(web.web.pid)
    with contextlib.suppress(ConnectionClosed):
        await target.reader.socket.send("x" * 100 * 1024 * 1024)
    code, _ = await target.reader.closed()
    assert code == 1009
    assert _memory(web.web.pid) < before + 20


async def test_a_message_in_endless_fragments(target: Target, web: Web) -> None:
    before = _memory(web.web.pid)

    async def fragments() -> AsyncIterator[str]:
        for _ in range(100_000):
            yield "x" * 1000

    with contextlib.suppress(ConnectionClosed):
        await target.reader.socket.send(fragments())
    code, _ = await target.reader.closed()
    # Who keeps sending may be cut off before the code arrives.
    assert code in (1009, 1006)
    assert _memory(web.web.pid) < before + 20


async def test_a_flood_is_first_told_to_wait_and_then_closed(target: Target) -> None:
    for _ in range(60):
        await target.reader.say("ping", at=1)
    error = await target.reader.next("error")
    assert error["code"] == "rate.frames"
    assert 0 < error["retry_after"] < 5
    await asyncio.sleep(2.2)
    target.reader.frames.clear()
    await target.reader.say("ping", at=2)
    await target.reader.next("pong", at=2)

    async def flood() -> None:
        with contextlib.suppress(ConnectionClosed):
            for _ in range(2000):
                await target.reader.say("ping", at=1)
                await asyncio.sleep(0.001)

    # Whoever does not listen meanwhile may be cut off before the code arrives.
    flooding = asyncio.create_task(flood())
    code, frame = await target.reader.closed()
    await flooding
    assert (code, frame and frame["code"]) == (4429, "rate.flood")


async def test_asking_for_everything_all_the_time_costs_more(target: Target) -> None:
    for _ in range(20):
        await target.reader.say("sync")
    error = await target.reader.next("error")
    assert error["code"] == "rate.frames"
    syncs = [frame for frame in target.reader.frames if frame["type"] == "sync"]
    assert len(syncs) < 15


async def test_a_reader_that_never_says_what_it_has_read(target: Target, desk: Desk) -> None:
    desk.publish(target.match, "0", frames=501, size=10)
    code, frame = await target.reader.closed()
    assert (code, frame and frame["code"]) == (4408, "reader.slow")


async def test_a_reader_that_says_so_is_served_on(target: Target, desk: Desk) -> None:
    for _ in range(3):
        desk.publish(target.match, "0", frames=400, size=10)
        heard = 0
        while heard < 400:
            await target.reader.next("filler")
            heard += 1
        await target.reader.say("ping", received=10_000_000)
        await target.reader.next("pong")


def test_a_client_that_lies_about_reading_is_let_go(web: Web, desk: Desk, target: Target) -> None:
    """It never reads, and keeps saying that it has: what piles up for it is bounded."""
    with handshaken(web, target.match) as raw:
        ping = json.dumps({"type": "ping", "received": 10**9}).encode()
        frame = bytes([0x81, 0x80 | len(ping)]) + b"\0\0\0\0" + ping
        wait_for(lambda: spectators(web, target.match) == 1, what="the liar to be there")

        def gone() -> bool:
            desk.publish(target.match, "room", frames=5, size=100_000)
            try:
                raw.sendall(frame)
            except OSError:
                return True
            time.sleep(0.05)
            return spectators(web, target.match) == 0

        wait_for(gone, timeout=30, what="the liar to be let go")
    assert _memory(web.web.pid) < 400


def _memory(pid: int) -> float:
    """Resident memory in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
