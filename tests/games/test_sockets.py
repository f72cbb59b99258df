"""Live play over real sockets to a real Daphne."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.support.site import Site


class Room(NamedTuple):
    """A match with both players and a spectator connected."""

    match: int
    players: tuple[Person, Person]
    first: Reader
    second: Reader
    guest: Reader


@pytest.fixture
async def readers() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


@pytest.fixture
async def room(site: Site, desk: Desk, readers: AsyncExitStack) -> Room:
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    opened = [
        await readers.enter_async_context(await Reader.open(site, match, person))
        for person in (*players, None)
    ]
    for reader in opened:
        await reader.next("sync")
    return Room(match, players, *opened)


# -- connecting ----------------------------------------------------------------------------------


async def test_connecting_as_everybody(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    expected = {
        players[0]: (0, False), players[1]: (1, False), None: (None, False),
        desk.person(): (None, False), desk.person(role="organisers"): (None, True),
    }  # fmt: skip
    for person, (you, organise) in expected.items():
        async with await Reader.open(site, match, person) as reader:
            sync = await reader.next("sync")
            assert set(sync) == {
                "type", "match", "version", "at", "you", "header", "view", "log", "presence",
            }  # fmt: skip
            assert (sync["match"], sync["version"], sync["you"]) == (match, 1, you)
            header = sync["header"]
            assert header["organise"] is organise
            assert header["options"]["turn_time"] == 60
            assert [seat["name"] for seat in header["seats"]] == [p.name for p in players]
            assert [decision["seat"] for decision in sync["view"]["decisions"]] == [0, 1]


@pytest.mark.parametrize(
    "path", ["/ws/v1/matches/999999/", f"/ws/v1/matches/{2**70}/", "/ws/v1/matches/x/", "/ws/", "/"]
)
async def test_where_there_is_nothing(site: Site, path: str) -> None:
    async with await Reader.open(site, 0, path=path) as reader:
        code, frame = await reader.closed()
        assert code == 4404
        assert frame is not None
        assert frame["sentence"]


@pytest.mark.parametrize(
    "origin", ["https://evil.example", None, "null", "http://127.0.0.1:1", "https://127.0.0.1"]
)
async def test_other_sites_cannot_connect(site: Site, origin: str | None) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await Reader.open(site, 1, origin=origin)
    assert refused.value.response.status_code == 403


async def test_within_another_sites_page_everybody_is_nobody(site: Site, desk: Desk) -> None:
    """Whatever their browser sends along; and the page of the other site itself opens none."""
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    path = f"/ws/v1/embed/matches/{match}/"
    for person in (*players, desk.person(role="organisers"), None):
        async with await Reader.open(site, match, person, path=path) as reader:
            sync = await reader.next("sync")
            assert (sync["you"], sync["header"]["organise"]) == (None, False)
            text = "pick T"
            await reader.say("submit", id="1", match=match, text=text, version=sync["version"])
            assert (await reader.next("refused"))["id"] == "1"
    async with await Reader.open(site, match, players[0]) as reader:
        assert (await reader.next("sync"))["version"] == 1
    with pytest.raises(InvalidStatus) as refused:
        await Reader.open(site, match, players[0], origin="https://forum.example", path=path)
    assert refused.value.response.status_code == 403


async def test_a_suspended_player_is_out_until_the_end(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    async with await Reader.open(site, match, players[0]) as reader:
        assert (await reader.next("sync"))["you"] == 0
        desk.suspend(players[0], seconds=10)
        code, frame = await reader.closed()
        assert (code, frame and frame["code"]) == (4401, "account.changed")
    async with await Reader.open(site, match, players[0]) as reader:
        assert (await reader.next("sync"))["you"] is None
        assert (await reader.submit("concede"))["code"] == "seat.none"
    # Nothing is needed to come back: the same session holds again.
    await asyncio.sleep(10.5)
    async with await Reader.open(site, match, players[0]) as reader:
        assert (await reader.next("sync"))["you"] == 0


async def test_a_closed_account_comes_back_as_a_spectator(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    async with await Reader.open(site, match, players[0]) as reader:
        assert (await reader.next("sync"))["you"] == 0
        desk.close_account(players[0])
        code, frame = await reader.closed()
        assert (code, frame and frame["code"]) == (4401, "account.changed")
    async with await Reader.open(site, match, players[0]) as reader:
        assert (await reader.next("sync"))["you"] is None
        assert (await reader.submit("concede"))["code"] == "seat.none"


async def test_signing_out_closes_the_socket(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    async with (
        await Reader.open(site, match, players[0]) as reader,
        httpx.AsyncClient(
            base_url=site.base_url, cookies={"sessionid": players[0].session}, timeout=30
        ) as web,
    ):
        await reader.next("sync")
        page = await web.get("/accounts/logout/")
        token = web.cookies["csrftoken"]
        answer = await web.post(
            "/accounts/logout/",
            data={"csrfmiddlewaretoken": token},
            headers={"Origin": site.base_url},
        )
        assert (page.status_code, answer.status_code) == (200, 302)
        code, _ = await reader.closed()
        assert code == 4401


# -- submitting ----------------------------------------------------------------------------------


async def test_a_move_is_acked_and_everybody_is_told(room: Room) -> None:
    ack = await room.first.submit("pick T", id="mine")
    assert (ack["type"], ack["id"], ack["match"], ack["version"]) == ("ack", "mine", room.match, 2)
    own = await room.first.next("step")
    assert own["view"]["decisions"][0]["sealed"] == "pick T"
    assert [f["type"] for f in await room.second.pause(0.3) if f["type"] != "presence"] == []
    assert (await room.second.submit("pick L", id="mine"))["type"] == "ack"
    for reader in (room.first, room.second, room.guest):
        step = await reader.next("step")
        assert step["version"] == reader.version
        assert [event["text"] for event in step["events"][0]["events"]] == ["picked T", "picked L"]
        assert step["view"]["game"]["pieces"] == ["T", "L"]


async def test_nobody_can_see_that_a_secret_choice_is_in(room: Room) -> None:
    """Not by a frame, not by a version, not in a sync."""
    seen = {}
    for when in ("before", "after"):
        for name, reader in (("second", room.second), ("guest", room.guest)):
            await reader.pause(0.2)
            await reader.say("sync")
            sync = await reader.next("sync")
            await reader.say("ping", at=5)
            pong = await reader.next("pong")
            sync.pop("at")
            for decision in sync["view"]["decisions"]:
                decision["clock"].pop("reading_ms")
            seen[name, when] = (sync, pong["version"])
        if when == "before":
            assert (await room.first.submit("pick T"))["type"] == "ack"
            await asyncio.sleep(2.1)  # longer than versions are kept for pongs
            for reader in (room.second, room.guest):
                assert [f for f in await reader.pause(0.1) if f["type"] != "presence"] == []
    assert seen["second", "before"] == seen["second", "after"]
    assert seen["guest", "before"] == seen["guest", "after"]


async def test_every_refusal_is_answered_and_changes_nothing(room: Room, desk: Desk) -> None:
    before = desk.rows(room.match)
    cases: list[tuple[Reader, dict[str, Any], str]] = [
        (room.first, {"text": "pick X"}, "notation.tetromino"),
        (room.first, {"text": "pick T", "version": 99}, "version.ahead"),
        (room.first, {"text": "pick T", "version": 0}, "version.stale"),
        (room.first, {"text": "pick T", "match": room.match + 1}, "match.wrong"),
        (room.first, {"text": "pick T", "id": "not an id"}, "frame.malformed"),
        (room.guest, {"text": "pick T"}, "seat.none"),
        (room.guest, {"text": "concede"}, "seat.none"),
    ]
    for reader, keys, code in cases:
        answer = await reader.submit(**keys)
        assert (answer["type"], answer["code"]) == ("refused", code)
        assert set(answer) == {"type", "id", "code", "sentence", "squares"}
    assert desk.rows(room.match) == before


async def test_a_whole_match_to_its_end(room: Room, desk: Desk) -> None:
    assert (await room.second.submit("concede"))["type"] == "ack"
    for reader in (room.first, room.second, room.guest):
        step = await reader.next("step")
        assert step["resync"]
        assert step["view"]["result"] == {"winner": 0, "reason": "concession", "scores": [0, 0]}
    before = desk.rows(room.match)
    assert (await room.first.submit("pick T"))["code"] == "match.over"
    assert (await room.first.submit("concede"))["code"] == "match.over"
    assert desk.rows(room.match) == before
    assert desk.record(room.match)["ok"]


async def test_a_resend_on_another_socket_gets_the_same_ack(
    room: Room, site: Site, desk: Desk
) -> None:
    ack = await room.first.submit("pick T", id="one", version=1)
    await room.first.socket.close()
    async with await Reader.open(site, room.match, room.players[0]) as again:
        await again.next("sync")
        assert await again.submit("pick T", id="one", version=1) == ack
    assert len(desk.rows(room.match)["entries"]) == 1


async def test_a_reader_that_missed_frames_finds_out_and_catches_up(
    room: Room, site: Site, desk: Desk
) -> None:
    for text, reader in (("pick T", room.first), ("pick L", room.second)):
        await reader.submit(text)
    have = (await room.guest.next("step"))["version"]
    await room.guest.socket.close()  # and comes back having missed this:
    await room.first.submit("first", version=(await room.first.next("step", version=3))["version"])
    async with await Reader.open(site, room.match) as guest:
        sync = await guest.next("sync")
        assert sync["version"] == have + 1
        assert [item["n"] for item in sync["log"]] == [1, 2]
        await asyncio.sleep(2.1)
        await guest.say("ping")
        assert (await guest.next("pong"))["version"] == sync["version"]


async def test_who_comes_back_is_told_what_they_lack(room: Room, site: Site) -> None:
    for text, reader in (("pick T", room.first), ("pick L", room.second)):
        await reader.submit(text)
    log = (await room.guest.next("step"))["events"]
    await room.guest.say("sync", known={"you": None, "version": room.guest.version, "log": 1})
    news = await room.guest.next("sync")
    assert (news["after"], news["log"]) == (1, [])
    await room.first.submit("first", version=(await room.first.next("step", version=3))["version"])
    address = f"/ws/v1/matches/{room.match}/?you=&version={room.guest.version}&log=1"
    for person, known in ((None, True), (room.players[0], False)):
        async with await Reader.open(site, room.match, person, path=address) as back:
            sync = await back.next("sync")
            assert [item["n"] for item in sync["log"]] == ([2] if known else [1, 2])
            assert sync.get("after") == (1 if known else None)
    async with await Reader.open(site, room.match) as new:
        whole = await new.next("sync")
        assert "after" not in whole
        assert whole["log"][:1] == log
    await room.first.say("sync", known={"you": 0, "version": -1, "log": 0})
    assert (await room.first.next("error"))["code"] == "frame.malformed"


async def test_an_end_that_reveals_nothing_has_nothing_told_again(room: Room) -> None:
    for text, reader in (("pick T", room.first), ("pick L", room.second), ("concede", room.first)):
        await reader.submit(text)
    end = await room.guest.next("step", resync=True)
    known = {"you": None, "version": end["version"] - 1, "log": 1}
    await room.guest.say("sync", known=known)
    sync = await room.guest.next("sync")
    assert (sync["after"], [item["n"] for item in sync["log"]]) == (1, [2])
    assert sync["view"]["result"] == end["view"]["result"]


# -- the rest of the protocol --------------------------------------------------------------------


async def test_pings_tell_the_time_and_who_is_there(room: Room) -> None:
    await room.guest.say("ping", at=123.5, received=1)
    pong = await room.guest.next("pong")
    assert set(pong) == {"type", "at", "now", "version", "presence"}
    assert pong["at"] == 123.5
    assert pong["presence"] == {"seats": [True, True], "spectators": 1}


async def test_presence_is_told_and_never_forfeits(room: Room, site: Site, desk: Desk) -> None:
    await room.guest.pause(0.3)
    before = desk.rows(room.match)
    await room.second.socket.close()
    gone = await room.first.next("presence", seats=[True, False])
    assert set(gone) == {"type", "match", "seats", "spectators"}
    async with await Reader.open(site, room.match, room.players[1]):
        await room.first.next("presence", seats=[True, True])
        # Two tabs are one player: closing one of them is no leaving.
        async with await Reader.open(site, room.match, room.players[1]) as tab:
            await tab.next("sync")
        await room.first.pause(0.3)
        await room.first.say("ping")
        assert (await room.first.next("pong"))["presence"]["seats"] == [True, True]
    assert desk.rows(room.match) == before


async def test_chat_reaches_whom_it_should(room: Room, site: Site, desk: Desk) -> None:
    async with await Reader.open(site, room.match, desk.person()) as fan:
        await fan.next("sync")
        await fan.say("chat", id="1", room="spectators", text="go \U0001f600\x00!")
        for reader in (fan, room.guest):
            chat = await reader.next("chat")
            assert (chat["room"], chat["message"]["text"]) == ("spectators", "go \U0001f600 !")
            assert chat["message"]["seat"] is None
        await room.first.say("chat", id="1", room="players", text="good luck")
        for reader in (room.first, room.second, fan, room.guest):
            assert (await reader.next("chat"))["message"]["seat"] == 0
        for reader in (room.first, room.second):
            heard = await reader.pause(0.3)
            assert [f for f in heard if f["type"] == "chat"] == []
            await reader.say("chat.history", room="spectators")
            assert (await reader.next("refused"))["code"] == "chat.not-your-room"
            await reader.say("chat", id="2", room="spectators", text="I hear you")
            assert (await reader.next("refused", id="2"))["code"] == "chat.not-your-room"
        await room.guest.say("chat", id="1", room="spectators", text="me too")
        assert (await room.guest.next("refused"))["code"] == "chat.not-your-room"
        await room.guest.say("chat.history", room="players")
        history = await room.guest.next("chat.history")
        assert [message["text"] for message in history["messages"]] == ["good luck"]
        # When it is over, players hear what was said, and what is said from then on.
        await room.first.submit("concede")
        await room.first.say("sync")
        await room.first.next("sync")
        await room.first.say("chat.history", room="spectators")
        history = await room.first.next("chat.history")
        assert [message["text"] for message in history["messages"]] == ["go \U0001f600 !"]
        await fan.say("chat", id="3", room="spectators", text="well played")
        assert (await room.first.next("chat"))["message"]["text"] == "well played"


async def test_chatting_too_much(room: Room) -> None:
    for number in range(20):
        await room.first.say("chat", id=f"{number}", room="players", text="spam")
    refusal = await room.first.next("refused")
    assert refusal["code"] == "rate.chat"
    assert any(letter.isdigit() for letter in refusal["sentence"])


async def test_the_organisers_desk(room: Room, site: Site, desk: Desk) -> None:
    async with await Reader.open(site, room.match, desk.person(role="organisers")) as orla:
        await orla.next("sync")
        ack = await orla.organise("pause", "a\x00 fire\ud83d\ude00 drill")
        assert (ack["type"], ack["version"]) == ("ack", 2)
        for reader in (room.first, room.second, room.guest, orla):
            step = await reader.next("step")
            assert step["view"]["paused"]
            assert step["events"][0]["events"][0]["data"]["why"] == "a  fire\U0001f600 drill"
        assert (await room.first.submit("pick T"))["code"] == "match.paused"
        assert (await orla.organise("resume"))["type"] == "ack"
        assert (await orla.organise("jump"))["code"] == "notation.organiser"
        assert (await orla.submit("pick T"))["code"] == "seat.none"
    assert (await room.first.organise("pause"))["code"] == "organiser.not-allowed"
    assert (await room.guest.organise("pause"))["code"] == "organiser.not-allowed"


async def test_a_reader_that_says_nothing_for_long_still_hears(room: Room) -> None:
    """Longer than the five seconds after which a Redis client gives up by default, and longer
    than everything else of the kind."""
    heard = await room.guest.pause(16)
    assert [frame["type"] for frame in heard if frame["type"] not in ("presence", "step")] == []
    assert (await room.first.submit("concede"))["type"] == "ack"
    assert (await room.guest.next("step"))["view"]["phase"] == "over"


async def test_the_lobby_hears_of_matches(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    async with await Reader.open(site, 0, path="/ws/v1/lobby/") as lobby:
        await lobby.say("ping", at=1)
        assert (await lobby.next("pong"))["at"] == 1
        match = desk.match(*players)
        assert (await lobby.next("match.started"))["match"] == match
        await lobby.say("sync")
        assert (await lobby.next("error"))["code"] == "frame.unknown-type"
