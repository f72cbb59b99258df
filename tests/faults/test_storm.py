"""Hundreds of sockets at the same moment: they open, come back after a kill -9, return while others
play, and are told of an end.

Hardly anything here is bound to a time: a machine that is busy with other tests takes longer, and
must only never get stuck. `benchmarks/storm.py` prints how long it takes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from statistics import median
from typing import Any, Final, NamedTuple

import pytest
import redis

from tests.games.client import Frame, Reader
from tests.games.desk import Desk, Person
from tests.support.ground import Ground
from tests.support.ledger import Crowd
from tests.support.site import PATIENCE, AnotherWeb, Site, Web
from tests.support.storm import Storm, Visitor

SOCKETS = 500
MATCHES = 50
PATIENCE_S = 600.0
# How often each may come until it is in: those that are dropped while they wait, and begin from the
# beginning, are what keeps all others out.
ATTEMPTS = 3


@pytest.mark.timeout(1500)  # seconds: to hang is what must not happen, and CI may be slow
async def test_everybody_comes_in_and_players_first(site: Site, desk: Desk) -> None:
    one, two, signed_in = desk.person(), desk.person(), desk.person()
    matches = [desk.match(one, two, pick_time=600) for _ in range(MATCHES)]
    paths = [f"/ws/v1/matches/{match}/" for match in matches]
    # Players come last, so that being first is no matter of having come first.
    watching = [
        Visitor(paths[number % 5], signed_in.cookie if number % 3 == 0 else None)
        for number in range(SOCKETS - 2 * MATCHES)
    ]
    playing = [Visitor(path, person.cookie, plays=True) for path in paths for person in (one, two)]
    async with Storm(site.base_url, [*watching, *playing]) as storm:
        await storm.everybody(PATIENCE_S)
        assert_players_first(watching, playing)
        assert not [why for why in storm.failures if why != "dropped"], "some lost patience"

        site.web.kill()
        storm.forget()
        site.web.start()
        await storm.everybody(PATIENCE_S)
        assert_players_first(watching, playing)
        assert max(visitor.attempts for visitor in storm.visitors) <= ATTEMPTS
        assert sum(visitor.attempts for visitor in storm.visitors) <= 1.5 * SOCKETS
    ended = site.sql(
        "SELECT match_id, events FROM games_matchentry"
        " WHERE match_id = ANY(%s) AND actor <> 'service'",
        matches,
    )
    assert ended == [], "decisions ran out meanwhile"


def assert_players_first(watching: list[Visitor], playing: list[Visitor]) -> None:
    """Nine of ten are in before half of the spectators: the first few find nobody waiting, whoever
    they are."""

    def places(visitors: list[Visitor]) -> list[int]:
        return sorted(visitor.place for visitor in visitors if visitor.place is not None)

    assert places(playing)[9 * len(playing) // 10] < median(places(watching))


RETURNING: Final = 300
# What half of the turns take at most while a crowd returns (s). A quarter of that is asked of two
# idle cores, which here are busy with other tests as well.
TURN_S: Final = 2.0


async def test_turns_go_on_while_a_crowd_returns(site: Site, desk: Desk, crowd: Crowd) -> None:
    """Every connection but those of some who play breaks at once, as where a proxy restarts."""
    crowd.rest_all(rests=True)  # or their matches are over before everybody has come
    matches = {player.match for player in crowd.players}
    signed_in = desk.person()
    paths = [f"/ws/v1/matches/{match}/" for match in matches]
    visitors = [
        Visitor(paths[number % len(paths)], signed_in.cookie if number % 3 == 0 else None)
        for number in range(RETURNING)
    ]
    async with Storm(site.base_url, visitors) as storm:
        await storm.everybody(PATIENCE_S)
        began = time.monotonic()
        crowd.rest_all(rests=False)
        storm.drop()
        await storm.everybody(PATIENCE_S)
        until = time.monotonic()
        await asyncio.to_thread(crowd.goes_on)
    waits = [each for each in crowd.ledger.waits if began < each.at < until]
    took = [each.acked for each in waits if each.acked is not None]
    assert len(took) > len(matches)
    assert median(took) < TURN_S
    assert crowd.end() == []


# How often a match's log has been read.
READ: Final = (
    "SELECT seq_scan + idx_scan FROM pg_stat_user_tables WHERE relname = 'games_matchentry'"
)


async def test_an_end_costs_no_more_readings_for_many_who_watch(
    site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    """All of them ask for everything at that moment, for the end reveals what was secret."""
    few, many = [await readings_of_an_end(site, desk, players, number) for number in (5, 150)]
    assert few > 0
    assert many < few + 30


async def readings_of_an_end(
    site: Site, desk: Desk, players: tuple[Person, Person], watching: int
) -> int:
    """How often logs are read because a match ends that so many watch."""
    match = desk.match(*players, pick_time=600)
    async with AsyncExitStack() as stack:
        room = [
            await stack.enter_async_context(await Reader.open(site, match)) for _ in range(watching)
        ]
        for each in room:
            await each.next("sync")
        player = await stack.enter_async_context(await Reader.open(site, match, players[0]))
        await player.next("sync")
        before = await read(site)
        assert (await player.submit("concede"))["type"] == "ack"
        await asyncio.gather(*map(see_the_end, room))
        return await read(site) - before


async def see_the_end(reader: Reader) -> None:
    """Hear of it, and ask for everything, as a page does."""
    assert (await reader.next("step"))["resync"]
    await reader.say("sync")
    assert (await reader.next("sync"))["view"]["phase"] == "over"


async def read(site: Site) -> int:
    """The same, once it has been counted: whoever has read says so a moment later."""
    counts: list[object] = []
    async with asyncio.timeout(PATIENCE):
        while len(counts) < STILL or len(set(counts[-STILL:])) > 1:
            ((count,),) = site.sql(READ)
            counts.append(count)
            await asyncio.sleep(0.5)
    return int(str(counts[-1]))


# For so many looks in a row nothing more has been counted.
STILL: Final = 8


async def test_what_the_broker_is_asked_does_not_grow_with_the_crowd(
    ground: Ground, site: Site, desk: Desk, players: tuple[Person, Person]
) -> None:
    """Who is there is known in two web processes, and each of those who watch pings."""
    another = AnotherWeb(site)
    try:
        another.web.start()
        match = desk.match(*players, pick_time=600)
        few, many = [await asked_of(ground, [site, another], match, n) for n in (4, 120)]
    finally:
        another.stop()
    assert few.commands > 0
    # Thirty times as many pings, by whom as many are there.
    assert many.commands < 2 * few.commands
    assert many.sent < 3 * few.sent


class Asked(NamedTuple):
    """What Valkey did in a second: commands, and bytes that it sent."""

    commands: float
    sent: float


# For how long, in seconds.
PINGING: Final = 5.0


async def asked_of(ground: Ground, webs: Sequence[Web], match: int, watching: int) -> Asked:
    """What Valkey is asked while so many watch a match, and each of them pings once a second."""
    async with AsyncExitStack() as stack:
        room = [
            await stack.enter_async_context(await Reader.open(webs[number % len(webs)], match))
            for number in range(watching)
        ]
        for each in room:
            await each.next("sync")
        # Both processes know of all of them.
        for each in room[: len(webs)]:
            await told_of(each, watching)
        with ground.valkey_client() as valkey:
            before, began = figures(valkey), time.monotonic()
            while time.monotonic() - began < PINGING:
                await asyncio.gather(*map(ping, room), asyncio.sleep(1))
            took, after = time.monotonic() - began, figures(valkey)
    return Asked(*((then - now) / took for now, then in zip(before, after, strict=True)))


async def told_of(reader: Reader, watching: int) -> None:
    """Ping until so many are there."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if (await ping(reader))["presence"]["spectators"] == watching:
                return
            await asyncio.sleep(0.2)


async def ping(reader: Reader) -> Frame:
    """Say that one is still there; returns the answer."""
    await reader.say("ping", at=1)
    return await reader.next("pong")


def figures(valkey: redis.Redis) -> Asked:
    """How many commands there were ever, and how much it has sent."""
    told: Any = valkey.info("stats")
    return Asked(told["total_commands_processed"], told["total_net_output_bytes"])
