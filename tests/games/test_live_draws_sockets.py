"""What players add to a match's draws, brought and opened over real sockets."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from typing import Any

import httpx

from games.engine import records
from games.engine.draws import nonce_commitment
from games.rulesets import REGISTRY
from tests.games.client import Frame, Reader
from tests.games.desk import Desk, Person
from tests.support.site import Site

NONCES = ("20" * 32, "a1" * 32)


async def came(site: Site, match: int, person: Person, seat: int, nonce: str) -> Reader:
    """A player who brings a commitment with the address of the socket."""
    commitment = nonce_commitment(1 if seat else 0, nonce)
    path = f"/ws/v1/matches/{match}/?commitment={commitment}"
    return await Reader.open(site, match, person, path=path)


async def told(reader: Reader, phase: str, *, opens: bool = False) -> Frame:
    """The first step in which the match is in that phase, and numbers are opened or not."""
    while True:
        frame = await reader.next("step")
        view: dict[str, Any] = frame["view"]
        if view["phase"] == phase and ("opens_until" in view.get("waiting", {})) == opens:
            return frame


def recorded(site: Site, match: int) -> dict[str, Any]:
    """The draws of a match's record, all of which the checker has verified."""
    data = httpx.get(f"{site.base_url}/api/v1/matches/{match}/record/").content
    verdict = records.check(REGISTRY, data)
    assert verdict["ok"], verdict
    assert verdict["draws"]["unverifiable"] == 0
    found: dict[str, Any] = json.loads(data)["draws"]
    return found


async def test_both_bring_a_number_and_open_it_and_a_killed_server_loses_nothing(
    site: Site, desk: Desk
) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players, waits=True)
    commitments = [nonce_commitment(0, NONCES[0]), nonce_commitment(1, NONCES[1])]
    async with AsyncExitStack() as stack:
        ada = await stack.enter_async_context(await came(site, match, players[0], 0, NONCES[0]))
        sync = await ada.next("sync")
        assert sync["view"]["draws"]["nonces"][0] == {
            "commitment": commitments[0],
            "opened": False,
        }
        await ada.say("nonce", id="n", match=match, nonce=NONCES[0])
        assert (await ada.next("refused", id="n"))["code"] == "draws.early"
        # Another device of the same player: what it brings takes the place of what was there.
        async with await came(site, match, players[0], 0, "ff" * 32) as other:
            again = await other.next("sync")
            anew = nonce_commitment(0, "ff" * 32)
            assert again["view"]["draws"]["nonces"][0]["commitment"] == anew
        site.web.kill()
        site.web.start()
    async with AsyncExitStack() as stack:
        ada = await stack.enter_async_context(await came(site, match, players[0], 0, NONCES[0]))
        ben = await stack.enter_async_context(await came(site, match, players[1], 1, NONCES[1]))
        step = await told(ada, "waiting", opens=True)
        assert [each["commitment"] for each in step["view"]["draws"]["nonces"]] == commitments
        for reader, nonce in ((ada, NONCES[0]), (ben, NONCES[1])):
            await reader.say("nonce", id="n", match=match, nonce=nonce)
            await reader.next("ack", id="n")
        await told(ada, "on")
        await told(ben, "on")
        await ben.submit("concede")
    assert [each["nonce"] for each in recorded(site, match)["nonces"]] == [*NONCES]


async def test_who_never_opens_it_is_not_waited_for_long(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players, waits=True)
    async with AsyncExitStack() as stack:
        ada = await stack.enter_async_context(await came(site, match, players[0], 0, NONCES[0]))
        ben = await stack.enter_async_context(await Reader.open(site, match, players[1]))
        await told(ada, "waiting", opens=True)
        begun = await told(ada, "on")
        log = (await ada.look())["log"]
        lines = [event["text"] for item in log for event in item["events"]]
        assert "did not open their number in time: a constant stands for it" in lines
        assert begun["view"]["draws"]["nonces"][0]["opened"] is False
        await told(ben, "on")
        await ben.submit("concede")
    assert recorded(site, match)["nonces"] == [{"commitment": nonce_commitment(0, NONCES[0])}, {}]


async def test_who_has_lost_a_number_begins_without_it(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players, waits=True, turn_time=86_400)
    async with AsyncExitStack() as stack:
        ada = await stack.enter_async_context(await came(site, match, players[0], 0, NONCES[0]))
        await ada.next("sync")
        ben = await stack.enter_async_context(await came(site, match, players[1], 1, NONCES[1]))
        await told(ada, "waiting", opens=True)
        await ben.say("nonce", id="n", match=match, nonce=NONCES[1])
        await ben.next("ack", id="n")
        await ben.say("nonce", id="w", match=match, without=True)
        assert (await ben.next("refused", id="w"))["code"] == "draws.opened"
        await ada.say("nonce", id="w", match=match, without=True)
        await ada.next("ack", id="w")
        await told(ben, "on")
        await told(ada, "on")
        await ada.say("nonce", id="again", match=match, without=True)
        await ada.next("ack", id="again")
        await ben.submit("concede")
    assert "nonce" not in recorded(site, match)["nonces"][0]


async def test_whoever_watches_adds_nothing_and_opens_nothing(site: Site, desk: Desk) -> None:
    match = desk.match(desk.person(), desk.person(), waits=True)
    async with await came(site, match, desk.person(), 0, NONCES[0]) as reader:
        sync = await reader.next("sync")
        assert sync["view"]["draws"]["nonces"] == [{"commitment": None, "opened": False}] * 2
        await reader.say("nonce", id="n", match=match, nonce=NONCES[0])
        assert (await reader.next("refused", id="n"))["code"] == "seat.none"
