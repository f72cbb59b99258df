"""The site with two web processes on a Redis that is more than one server: a primary behind
Sentinel, a cluster, shards of the channel layer. Matches are played while a part of it dies, and
what everybody was told is compared with the database."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from core import pools
from games.sockets.rooms import SETTLE_S
from script.lib.services import Valkey
from tests.faults.support import wait_for_sweeps
from tests.games.client import Reader
from tests.games.desk import Desk
from tests.support.ledger import Crowd
from tests.support.site import AnotherWeb, Site, wait_for
from tests.support.valkeys import PYTHON, Cluster, Guarded, kill

pytestmark = pytest.mark.xdist_group("redis-topologies")

# How long whoever asks for nothing may have to wait, on a machine with other work.
SOON_S = 45.0


class Two(NamedTuple):
    """A site and its second web process."""

    site: Site
    other: AnotherWeb

    def are_well(self) -> bool:
        """Whether both have database and Redis."""
        return self.site.answers() and self.other.answers()


@contextmanager
def two_webs(folder: Path, servers: Mapping[str, str]) -> Iterator[Two]:
    """Such a site, on these servers."""
    folder.mkdir()
    site = Site(folder, servers)
    other = None
    try:
        site.start()
        other = AnotherWeb(site)
        other.web.start()
        yield Two(site, other)
    except BaseException as error:
        error.add_note(site.logs()[-20_000:])
        raise
    finally:
        if other is not None:
            other.stop()
        site.stop()


class Watched:
    """A match that an organiser acts in by the one process and somebody watches by the other, who
    asks for nothing."""

    def __init__(self, act: Reader, watch: Reader) -> None:
        self.act = act
        self.watch = watch
        self.version = 1
        self.paused = False

    @classmethod
    async def open(cls, two: Two, match: int, stack: AsyncExitStack) -> Watched:
        orla = await asyncio.to_thread(Desk(two.site).person, role="organisers")
        act = await stack.enter_async_context(await Reader.open(two.site, match, orla))
        act.ids = (f"{match}-{number}" for number in count())
        return cls(act, await stack.enter_async_context(await Reader.open(two.other, match)))

    async def step(self) -> None:
        """The organiser acts, and it counts."""
        answer = await self.act.organise("resume" if self.paused else "pause")
        assert answer["type"] == "ack", answer
        self.version, self.paused = answer["version"], not self.paused

    async def is_told(self, seconds: float = SOON_S) -> bool:
        """Whether the other one has what is the newest within so long."""
        try:
            async with asyncio.timeout(seconds):
                while self.watch.version < self.version:
                    await self.watch.hear()
        except TimeoutError:
            return False
        return True

    async def is_told_live(self, seconds: float = SOON_S) -> bool:
        """The same, of the step itself: not of that there is something newer."""
        told = await self.is_told(seconds)
        steps = [each["version"] for each in self.watch.frames if each["type"] == "step"]
        return told and self.version in steps

    async def is_told_again(self) -> bool:
        """Whether what happens from now on reaches the other one live, sooner or later."""
        for _ in range(15):
            await self.step()
            if await self.is_told_live(SOON_S / 10):
                return True
        return False


async def told_again(two: Two, match: int) -> bool:
    """Whether one process tells the other what happens in a match."""
    async with AsyncExitStack() as stack:
        watched = await Watched.open(two, match, stack)
        return await watched.is_told_again()


def test_behind_sentinel_the_site_outlives_its_primary(tmp_path: Path) -> None:
    guarded = Guarded(tmp_path / "guarded")
    with ExitStack() as stack:
        stack.callback(guarded.stop)
        guarded.start()
        two = stack.enter_context(two_webs(tmp_path / "site", {"REDIS_URL": guarded.url}))
        crowd = stack.enter_context(Crowd(two.site, webs=two))
        crowd.begin(played=3)
        crowd.goes_on()
        old = guarded.primary
        kill(old)
        crowd.begin(played=0, clocks=[1, 2])
        crowd.goes_on()
        guarded.wait_for_another(old)
        wait_for(two.are_well, timeout=SOON_S, what="both to have the new primary")
        crowd.goes_on()
        crowd.clocks_ran_out()
        wait_for_sweeps(two.site)  # by workers, which have found it, too
        watched = Desk(two.site).match(*crowd.people)
        assert asyncio.run(told_again(two, watched))
        assert crowd.end() == []


def test_on_a_cluster_with_a_broker_beside_it(tmp_path: Path) -> None:
    cluster, broker = Cluster(tmp_path / "cluster"), Valkey(tmp_path / "broker", PYTHON)
    with ExitStack() as stack:
        for server in (cluster, broker):
            stack.callback(server.stop)
            server.start()
        servers = {"REDIS_URL": cluster.url, "GAUNTLET_BROKER_URL": broker.url}
        two = stack.enter_context(two_webs(tmp_path / "site", servers))
        prefix = two.site.env["GAUNTLET_REDIS_PREFIX"]
        crowd = stack.enter_context(Crowd(two.site, webs=two))
        crowd.begin(played=3, clocks=[1])
        crowd.goes_on()
        watched = Desk(two.site).match(*crowd.people)
        assert asyncio.run(told_again(two, watched))
        wait_for_sweeps(two.site)
        # The node by which everything is published; a third of the keys is there, too.
        slot = pools.slot_of(prefix)
        old = cluster.node_of(slot)
        kill(old)
        crowd.goes_on()
        cluster.wait_for_another(old, slot)
        wait_for(two.are_well, timeout=SOON_S, what="both to have the keys again")
        assert asyncio.run(told_again(two, watched))
        crowd.goes_on()
        crowd.clocks_ran_out()
        assert crowd.end() == []


def test_a_shard_that_dies_costs_only_what_goes_by_it(tmp_path: Path) -> None:
    shards = [Valkey(tmp_path / f"shard-{number}", PYTHON) for number in range(2)]
    with ExitStack() as stack:
        for shard in shards:
            stack.callback(shard.stop)
            shard.start()
        servers = {"GAUNTLET_LAYER_URLS": " ".join(shard.url for shard in shards)}
        two = stack.enter_context(two_webs(tmp_path / "site", servers))
        crowd = stack.enter_context(Crowd(two.site, webs=two))
        crowd.begin(played=4, clocks=[1])
        crowd.goes_on()
        by_shard = matches_by_shard(two.site, crowd)
        asyncio.run(one_shard_dies(two, by_shard, shards[1]))
        crowd.goes_on()
        crowd.clocks_ran_out()
        assert crowd.end() == []


def matches_by_shard(site: Site, crowd: Crowd) -> list[int]:
    """A match of which the room is told by the first shard, and one by the second."""
    desk, found = Desk(site), dict[int, int]()
    while len(found) < 2:
        match = desk.match(*crowd.people)
        said = site.python(
            "from games.audience import group_of\nfrom games.publishing.publish import shard_of\n"
            f"print(shard_of(group_of({match}, 'room')))"
        )
        found.setdefault(int(said), match)
    return [found[0], found[1]]


async def one_shard_dies(two: Two, by_shard: list[int], shard: Valkey) -> None:
    """Kill the second shard, and start it again."""
    async with AsyncExitStack() as stack:
        near, far = [await Watched.open(two, match, stack) for match in by_shard]
        for watched in (near, far):
            assert await watched.is_told_again()
        # Nobody looks any more after those who have just come.
        await asyncio.sleep(3 * SETTLE_S)
        await asyncio.to_thread(kill, shard)
        for _ in range(5):
            await near.step()
            assert await near.is_told_live(), "what goes by the other shard does not come"
            await far.step()  # and nobody has to wait for it
        before = far.watch.version
        assert not await far.is_told(1), "this came by a shard that is dead"
        # As a browser asks all the time.
        await far.watch.say("ping", at=0)
        pong = await far.watch.next("pong")
        assert pong["version"] == far.version > before
        await far.step()
        await asyncio.to_thread(shard.start)
        # Now they ask for nothing, and are told all the same that there is something new.
        assert await far.is_told(), "nobody has looked after those who were not told"
        assert await far.is_told_again()
