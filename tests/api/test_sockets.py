"""Sockets that are opened with a token, on the running site."""

from __future__ import annotations

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.games.client import Reader
from tests.games.desk import Desk
from tests.support.site import PATIENCE, Site


async def opened(site: Site, match: int, token: str, **headers: str) -> Reader:
    """A socket as a program opens it: a token, and no `Origin`."""
    socket = await connect(
        f"{site.ws_url}/ws/v1/matches/{match}/",
        additional_headers={"Authorization": f"Bearer {token}", **headers},
        open_timeout=PATIENCE,
        proxy=None,
    )
    return Reader(socket, match)


async def test_a_program_plays_with_a_token(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    _id, token = desk.token(players[0], "play")
    async with await opened(site, match, token) as reader:
        sync = await reader.next("sync")
        assert sync["you"] == 0
        assert (await reader.submit("pick T"))["type"] == "ack"


async def test_a_token_that_may_only_read(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person(role="organisers"))
    match = desk.match(*players)
    _id, token = desk.token(players[0], "read")
    async with await opened(site, match, token) as reader:
        assert (await reader.next("sync"))["you"] == 0
        refused = await reader.submit("pick T")
        assert (refused["code"], refused["sentence"]) == (
            "scope.missing",
            "This token lacks the scope 'play'.",
        )
        await reader.say("chat", id="two", match=match, room="players", text="Hello")
        assert (await reader.next("refused", id="two"))["code"] == "scope.missing"
    third = desk.person(role="organisers")
    _id, token = desk.token(third, "play")
    async with await opened(site, match, token) as reader:
        assert (await reader.next("sync"))["header"]["organise"]
        assert (await reader.organise("pause"))["code"] == "scope.missing"
    _id, token = desk.token(third, "organise")
    async with await opened(site, match, token) as reader:
        await reader.next("sync")
        assert (await reader.organise("pause"))["type"] == "ack"


async def test_a_revoked_token_closes_what_it_opened(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    number, token = desk.token(players[0], "play")
    async with await opened(site, match, token) as reader:
        await reader.next("sync")
        desk.revoke_token(number)
        code, _frame = await reader.closed()
        assert code == 4401
    with pytest.raises(InvalidStatus) as caught:
        await opened(site, match, token)
    assert caught.value.response.status_code == 403


async def test_a_token_that_expires_meanwhile(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    _id, token = desk.token(players[0], "play", seconds=5)
    async with await opened(site, match, token) as reader:
        await reader.next("sync")
        await reader.pause(5.1)
        await reader.say("ping", at=1)
        code, frame = await reader.closed()
        assert code == 4401
        assert frame is not None
        assert frame["code"] == "token.refused"


@pytest.mark.parametrize(
    ("token", "headers"),
    [("", {}), ("nonsense", {}), ("gnt_" + "0" * 36, {}), ("é", {})],
)
async def test_tokens_that_open_nothing(
    token: str, headers: dict[str, str], site: Site, desk: Desk
) -> None:
    match = desk.match(desk.person(), desk.person())
    with pytest.raises(InvalidStatus) as caught:
        await opened(site, match, token, **headers)
    assert caught.value.response.status_code == 403


async def test_a_session_does_not_come_along_with_a_bad_token(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    with pytest.raises(InvalidStatus):
        await opened(site, match, "nonsense", Cookie=players[0].cookie)
