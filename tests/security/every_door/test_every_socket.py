"""Every socket, every role, every frame: each is answered as `every_door/sockets.txt` states.

A line is an address of a socket and what is sent there, and a cell as in `doors.txt`: what
everybody is answered, and who is answered otherwise. ``come`` is the opening itself, answered by
what the reader is in the match (``seat-0``, ``referee``, ``room``), or by the code with which the
socket closes; ``hello``: let in, and there is no match to tell of. Frames have nothing in their
hands, as the requests of `test_every_door.py` have not: who may do what with whole ones is the
table of tests/permissions.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, get_args

import msgspec
import pytest
from asgiref.sync import async_to_sync
from channels.routing import URLRouter
from django.conf import settings
from django.core.cache import cache

from accounts.connections.sockets import SessionSockets
from accounts.moderation.sanctions import user_suspend
from games.models import MatchCommentator
from games.sockets.incoming import Incoming
from games.sockets.routing import websocket_urlpatterns
from games.sockets.socket import Socket
from tests.permissions.world import Savepoint, Who, World, writes
from tests.security.every_door.doors import (
    WHO,
    Cell,
    browser_of,
    read_cell,
    users_of,
    write_cell,
)
from tests.support.sockets import LocalSocket

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

TABLE: Final = Path(__file__).with_name("sockets.txt")
COME: Final = "come"
FRAMES: Final = {each.__struct_config__.tag: each for each in get_args(Incoming)}
# What is written by coming, or by asking for something: when somebody was last seen.
NOTED: Final = {"accounts_user"}
# Frames that act, and so are refused where there is nothing in them.
ACTS: Final = {"submit", "nonce", "organise", "chat"}


def read_table() -> dict[tuple[str, str], Cell]:
    """By socket and what is sent there, what each is answered."""
    table: dict[tuple[str, str], Cell] = {}
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            socket, sent, cell = (each.strip() for each in line.split("|"))
            assert (socket, sent) not in table, f"{socket} has two lines of {sent}"
            table[socket, sent] = read_cell(cell)
    return table


def sockets() -> list[str]:
    """Every address that there is, as it is written in the routing."""
    return [str(each.pattern) or "anything else" for each in websocket_urlpatterns]


def empty(kind: str, match: int) -> dict[str, Any]:
    """A frame of that kind with nothing in it but a name and what it is about: the room is that of
    the two who play."""
    nothing, about = {int: 0, str: ""}, {"id": kind, "match": match, "room": "players"}
    fields = {
        field.encode_name: nothing[field.type]
        for field in msgspec.structs.fields(FRAMES[kind])
        if field.required
    }
    return {"type": kind, **fields, **{key: about[key] for key in fields.keys() & about.keys()}}


@async_to_sync
async def answers(path: str, cookie: str, frames: list[dict[str, Any]]) -> list[str]:
    """What is answered to coming, and to each frame."""
    headers = [(b"cookie", cookie.encode())]
    socket = LocalSocket(SessionSockets(URLRouter(websocket_urlpatterns)), path, headers)
    await socket.connect()
    found, heard = list[str](), list[dict[str, Any]]()
    for frame in ({"type": "ping", "at": -1.0}, *frames):
        # The answer to this one has come once that of the next has.
        await socket.send_to(json.dumps(frame))
        await socket.send_to(json.dumps({"type": "ping", "at": 1.0}))
        heard.clear()
        while not heard or not _ends(heard[-1]):
            heard.append(json.loads(await socket.receive_from()))
        found.append(_said(frame["type"], heard, first=not found))
        if heard[-1]["type"] == "closing":
            break
    await socket.disconnect()
    return found + found[:1] * (1 + len(frames) - len(found))


def _ends(frame: dict[str, Any]) -> bool:
    return frame["type"] == "closing" or (frame["type"], frame.get("at")) == ("pong", 1.0)


def _said(kind: str, heard: list[dict[str, Any]], *, first: bool) -> str:
    """What was answered, in a word."""
    by_type = {frame["type"]: frame for frame in heard}
    for wrong in ("closing", "refused", "error"):
        if wrong in by_type:
            return str(by_type[wrong]["code"])
    if first or kind == "sync":
        return _place(by_type["sync"]) if "sync" in by_type else "hello"
    mine = [frame["type"] for frame in heard[:-1] if frame["type"] != "presence"]
    return mine[-1] if mine else "nothing"


def _place(sync: dict[str, Any]) -> str:
    """As what somebody reads a match."""
    if sync["you"] is not None:
        return f"seat-{sync['you']}"
    return "referee" if sync["header"]["organise"] else "room"


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked whether they still stand while a test asks: that would look from outside of
    the transaction that holds the world."""

    async def stands(_self: Socket) -> bool:
        return True

    monkeypatch.setattr(Socket, "_still_stands", stands)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("name", WHO)
def test_everybody_is_answered_as_the_table_states(name: str, world: World) -> None:
    running = world.scene("running").match
    match = running.pk
    users_of(world)  # before what is undone
    table, wrong = read_table(), list[str]()
    frames = [empty(kind, match) for kind in FRAMES]
    with Savepoint():
        if WHO[name] is Who.SUSPENDED:
            user_suspend(
                acting_user=world.root, user=world.users["paul"], reason="Rude", until=None
            )
        if name == "commentator":
            MatchCommentator.objects.create(
                match=running, user=users_of(world)[name], named_by=world.root
            )
        session = browser_of(world, name).cookies.get(settings.SESSION_COOKIE_NAME)
        cookie = f"{settings.SESSION_COOKIE_NAME}={session.value if session else ''}"
        for socket in sockets():
            cache.clear()
            path = "/" + socket.replace("<int:match_id>", str(match)).replace("anything else", "x")
            before = writes()
            found = answers(path, cookie, frames)
            written = {each for each, n in writes().items() if n != before.get(each)} - NOTED
            if written:
                wrong.append(f"{socket}: writes {sorted(written)}")
            for sent, answer in zip((COME, *FRAMES), found, strict=True):
                expected = table.get((socket, sent), {}).get(name, "a line in sockets.txt")
                if answer != expected:
                    wrong.append(f"{socket} | {sent}: {answer}, not {expected}")
    assert wrong == []


def test_every_socket_has_a_line_for_every_frame_and_nothing_else() -> None:
    expected = [(socket, sent) for socket in sockets() for sent in (COME, *FRAMES)]
    assert sorted(read_table()) == sorted(expected)
    assert len(expected) >= 4 * 8


def test_a_socket_or_a_frame_that_nobody_judged_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FRAMES, "new", FRAMES["submit"])
    with pytest.raises(AssertionError):
        test_every_socket_has_a_line_for_every_frame_and_nothing_else()


# -- the table itself, judged ---------------------------------------------------------------------


def test_who_is_suspended_is_nobody() -> None:
    for line, cell in read_table().items():
        assert cell["nobody"] == cell["suspended"], line


def test_what_acts_is_done_by_nobody_with_empty_hands() -> None:
    for (socket, sent), cell in read_table().items():
        if sent in ACTS:
            assert not {status for status in cell.values() if "." not in status}, (socket, sent)


def test_nobody_plays_or_rules_but_those_who_do() -> None:
    for (socket, sent), cell in read_table().items():
        here = socket.startswith("ws/v1/matches/") and sent in (COME, "sync")
        for place, who in (("seat-", {"seat"}), ("referee", {"organiser", "helper", "admin"})):
            found = {name for name, status in cell.items() if status.startswith(place)}
            assert found == (who if here else set()), (socket, sent)


def test_in_another_sites_page_everybody_is_nobody() -> None:
    for (socket, sent), cell in read_table().items():
        if "/embed/" in socket:
            assert set(cell.values()) == {cell["nobody"]}, (socket, sent)


def test_the_lines_can_be_read_and_written() -> None:
    for (socket, sent), cell in read_table().items():
        assert cell.keys() == WHO.keys()
        assert f"{socket} | {sent} | {write_cell(cell)}" in TABLE.read_text().splitlines()
