"""Clients of a primary behind Sentinel and of a cluster: what they find, and what they do when the
server that they spoke to is no more. All of it by real servers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
import redis
from redis.exceptions import RedisError

from config.caches import SharedRedisCache
from config.operations import backups
from core import broker, pools
from core.broker import AwayError, breaker_of
from core.redis_addresses import address_of
from games import intake, presence
from script.lib.services import Valkey
from tests.support.site import wait_for
from tests.support.valkeys import Cluster, Guarded, client, kill, pause, resume

# What is much longer than the patience of a client, on any machine.
LONG_S = 3.0


@pytest.fixture(scope="module")
def cluster_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What a process keeps of its servers is gone before and after."""
    kept: list[Callable[[], Any]] = [
        presence.sync_client.cache_clear, presence._clients.clear, intake._client.cache_clear
    ]  # fmt: skip
    for forget in kept:
        forget()
    yield
    for forget in kept:
        forget()


@pytest.fixture
def cluster(cluster_once: Cluster, forgotten: None, settings: Any) -> Cluster:
    """A cluster that is whole, for all that is kept under keys."""
    settings.GAUNTLET_REDIS_ADDRESS = cluster_once.url
    return cluster_once


@pytest.fixture
def own_cluster(tmp_path_factory: pytest.TempPathFactory, forgotten: None) -> Iterator[Cluster]:
    """One that may be broken."""
    cluster = Cluster(tmp_path_factory.mktemp("own"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    guarded = Guarded(tmp_path_factory.mktemp("guarded"))
    try:
        guarded.start()
        yield guarded
    finally:
        guarded.stop()


def cache_at(url: str, prefix: str = "here") -> SharedRedisCache:
    patience = {"socket_timeout": 5, "socket_connect_timeout": 5}
    return SharedRedisCache([url], {"KEY_PREFIX": prefix, "OPTIONS": patience})


def answers(call: Callable[[], Any]) -> bool:
    """Whether something is answered, in the end."""
    with suppress(RedisError):
        call()
        return True
    return False


# -- a cluster -----------------------------------------------------------------------------------


def test_a_cache_in_a_cluster_does_all_that_a_cache_does(cluster: Cluster) -> None:
    cache, other = cache_at(cluster.url), cache_at(cluster.url, "other")
    data = {f"key-{number}": [number] for number in range(100)}
    assert cache.set_many(data, timeout=1000) == []
    other.set("kept", 1)
    assert cache.get_many([*data, "missing"]) == data
    slots = {pools.slot_of(cache.make_key(key)) for key in data}
    assert {cluster.node_of(slot) for slot in slots} == set(cluster.primaries)
    cache.delete_many(["key-1", "key-2"])
    assert cache.get("key-1") is None
    assert cache.add("count", 1)
    assert not cache.add("count", 5)
    assert cache.incr("count") == 2
    assert cache.has_key("count")
    assert cache.touch("count", 100)
    cache.set("gone", 1, timeout=0)
    assert cache.get("gone") is None
    cache.clear()
    assert cache.get_many(data) == {}
    assert other.get("kept") == 1
    other.clear()


def test_who_is_there_and_what_has_come_are_known_in_a_cluster(cluster: Cluster) -> None:
    presence.look(1, 0, "somebody")
    assert presence.look(1, 1, "other")["seats"] == [True, True]
    assert presence.seats_there(1) == (True, True)
    presence.forget_since()
    assert presence.away_of([1], for_s=60) == set()  # nobody knows yet
    broker.client().set(presence._since_key(), 0)
    for user in range(30):
        presence.seen_now(user)
    assert presence.away_of(range(32), for_s=60) == {30, 31}

    async def arrive() -> Any:
        first = await presence.arrive(2, "room", "socket")
        for number in range(40):  # wherever their keys are
            await presence.arrive(100 + number, 0, "socket")
        await presence.leave(2, "room", "socket")
        assert await presence.may_announce(3)
        await presence.client_here().aclose()
        return first

    assert asyncio.run(arrive()) == {"seats": [False, False], "spectators": 1}
    reporter = intake.Reporter(intake.Intake())
    reporter.start()
    wait_for(lambda: intake._client().hlen(intake._key()), what="a report")
    reporter.stop()
    assert intake._client().hlen(intake._key()) == 0


def test_a_restore_empties_a_cluster_of_this_site(cluster: Cluster, settings: Any) -> None:
    settings.CACHES = {"default": {"LOCATION": [cluster.url]}}
    there = broker.client(cluster.url)
    ours = [f"{settings.REDIS_PREFIX}:{number}" for number in range(50)]
    for key in [*ours, "another's"]:
        there.set(key, 1)
    assert backups._empty_valkey()
    assert [key for key in ours if there.get(key)] == []
    assert there.delete("another's") == 1


def published(cluster: Cluster) -> list[Valkey]:
    """By which nodes something has been published."""
    found = []
    for node in cluster.nodes:
        with client(node) as asked:
            stats: Any = asked.info("commandstats")
        if "cmdstat_publish" in stats:
            found.append(node)
    return found


def listening(cluster: Cluster) -> list[Valkey]:
    """By which nodes somebody listens."""
    found = []
    for node in cluster.nodes:
        with client(node) as asked:
            if asked.client_list(_type="pubsub"):
                found.append(node)
    return found


def test_what_is_published_goes_by_one_node_whatever_it_is_about(
    cluster: Cluster, settings: Any
) -> None:
    """So that it comes in the order in which it was said."""
    publisher = broker.publisher(cluster.url)
    pipe = publisher.pipeline(transaction=False)
    for number in range(20):
        pipe.publish(f"channel-{number}", "x")
    heard: list[str] = []
    listened: list[Valkey] = []

    async def listen() -> None:
        there = broker.publisher_on_loop(cluster.url, socket_timeout=5, max_connections=4)
        pubsub = there.pubsub()
        await pubsub.subscribe(*[f"channel-{number}" for number in range(20)])
        async with asyncio.timeout(30):
            while len(heard) < 20:
                message = await pubsub.get_message(timeout=5)
                if message is not None and message["type"] == "subscribe":
                    if message["channel"] == b"channel-19":
                        await asyncio.to_thread(pipe.execute)
                elif message is not None:
                    heard.append(message["channel"].decode())
        listened.extend(await asyncio.to_thread(listening, cluster))
        await pubsub.aclose()
        await there.aclose()
        await there.connection_pool.disconnect()

    asyncio.run(listen())
    assert heard == [f"channel-{number}" for number in range(20)]
    assert published(cluster) == [cluster.node_of(pools.slot_of(settings.REDIS_PREFIX))] == listened


def test_a_node_that_hangs_is_given_up_and_another_takes_its_place(
    own_cluster: Cluster, settings: Any
) -> None:
    cluster = own_cluster
    settings.GAUNTLET_REDIS_ADDRESS = cluster.url
    slot = pools.slot_of("a")
    old = cluster.node_of(slot)
    there, breaker = broker.client(), breaker_of(cluster.url)
    there.set("a", 1)
    pause(old)
    began = time.monotonic()
    with pytest.raises(RedisError):
        there.get("a")
    assert time.monotonic() - began < LONG_S
    assert breaker.is_open
    with pytest.raises(AwayError):
        there.get("b")
    kill(old)
    cluster.wait_for_another(old, slot)
    wait_for(lambda: answers(lambda: there.set("a", 2)), what="the other node to be asked")
    assert there.get("a") == b"2"
    pipe: Any = there.pipeline()
    assert pipe.get("a").get("b").execute() == [b"2", None]


def test_an_event_loop_goes_over_to_whoever_has_the_keys_now(
    own_cluster: Cluster, settings: Any
) -> None:
    cluster = own_cluster
    settings.GAUNTLET_REDIS_ADDRESS = cluster.url
    slot = pools.slot_of("a")
    old = cluster.node_of(slot)

    async def goes_on() -> Any:
        there = broker.client_on_loop(at_once=4, socket_timeout=3)
        pipe: Any = there.pipeline(transaction=False)
        await pipe.set("a", 1).set("b", 1).execute()
        kill(old)
        with pytest.raises(RedisError):
            await pipe.get("a").execute()
        await asyncio.to_thread(cluster.wait_for_another, old, slot)
        async with asyncio.timeout(60):
            while True:
                with suppress(RedisError):
                    pipe = there.pipeline(transaction=False)
                    found = await pipe.set("a", 3).get("a").execute()
                    await there.aclose()
                    return found
                await asyncio.sleep(0.1)

    assert asyncio.run(goes_on())[-1] == b"3"


def test_a_cluster_that_is_down_is_away_whatever_it_says(
    own_cluster: Cluster, settings: Any
) -> None:
    """First because a part of it has nobody left, then because nobody is there at all."""
    cluster = own_cluster
    settings.GAUNTLET_REDIS_ADDRESS = cluster.url
    slots = {name: cluster.node_of(pools.slot_of(name)) for name in "abcdefgh"}
    kept = next(name for name, node in slots.items() if node is not cluster.primaries[0])
    there, breaker = broker.client(), breaker_of(cluster.url)
    there.set(kept, 1)

    async def asked_on_loop(count: int) -> None:
        on_loop = broker.client_on_loop(at_once=4, socket_timeout=3)
        for _ in range(count):
            broker.ask_all_again()
            pipe: Any = on_loop.pipeline(transaction=False)
            for ask in (on_loop.get(kept), pipe.get(kept).execute()):
                with pytest.raises(redis.ConnectionError):
                    await ask
        await on_loop.aclose()

    def is_down() -> bool:
        with client(slots[kept]) as asked:
            return "cluster_state:fail" in str(asked.execute_command("CLUSTER", "INFO"))

    kill(cluster.nodes[3])  # the replica of the first
    kill(cluster.nodes[0])
    wait_for(is_down, what="the cluster to be down")
    broker.ask_all_again()
    with pytest.raises(redis.ConnectionError):
        there.get(kept)
    assert breaker.is_open
    assert not breaker.looks()
    asyncio.run(asked_on_loop(2))
    for node in cluster.nodes:
        kill(node)
    for ask in (lambda: there.get(kept), broker.client, lambda: there.mget([kept, "z"])):
        broker.ask_all_again()
        with pytest.raises(redis.ConnectionError):
            ask()
    asyncio.run(asked_on_loop(1))
    assert not breaker.looks()


# -- behind Sentinel -----------------------------------------------------------------------------


def test_a_primary_that_hangs_is_given_up_and_the_next_one_is_found(
    guarded: Guarded, settings: Any
) -> None:
    settings.GAUNTLET_REDIS_ADDRESS = guarded.url
    old = guarded.primary
    there, breaker = broker.client(), breaker_of(guarded.url)
    there.set("a", 1)
    pause(old)
    began = time.monotonic()
    with pytest.raises(RedisError):
        there.get("a")
    assert time.monotonic() - began < LONG_S
    assert breaker.is_open
    with pytest.raises(AwayError):
        there.get("a")
    guarded.wait_for_another(old)
    wait_for(lambda: answers(lambda: there.set("a", 2)), what="the new primary to be asked")
    resume(old)

    def follows() -> bool:
        with suppress(RedisError), client(old) as asked:
            state: Any = asked.info("replication")
            return bool(state["role"] == "slave")
        return False

    wait_for(follows, timeout=60, what="the old primary to follow the new one")
    for number in range(20):
        there.set("a", number)
    with client(guarded.primary, db=0) as asked:
        assert asked.get("a") == "19"


def test_an_event_loop_and_who_listens_there_go_over_to_the_next_primary(
    guarded: Guarded, settings: Any
) -> None:
    settings.GAUNTLET_REDIS_ADDRESS = guarded.url
    old = guarded.primary

    async def goes_on() -> None:
        there = broker.publisher_on_loop(
            guarded.url, socket_timeout=3, max_connections=4, timeout=3
        )
        keys = broker.client_on_loop(at_once=4, socket_timeout=3)
        pubsub = there.pubsub()
        await pubsub.subscribe("channel")
        await keys.set("a", 1)
        kill(old)
        await asyncio.to_thread(guarded.wait_for_another, old)
        heard: set[bytes] = set()
        async with asyncio.timeout(60):
            while b"said" not in heard:
                with suppress(RedisError, OSError):
                    message = await pubsub.get_message(timeout=0.2)
                    if message is not None and message["type"] == "message":
                        heard.add(message["data"])
                with suppress(RedisError):
                    await keys.set("a", 2)
                    await there.publish("channel", "said")
                await asyncio.sleep(0.05)
        assert await keys.get("a") == b"2"
        await pubsub.aclose()
        for each in (there, keys):
            await each.aclose()
            await each.connection_pool.disconnect()

    asyncio.run(goes_on())


def test_a_service_that_no_sentinel_knows_is_away(guarded: Guarded) -> None:
    url = guarded.url.replace("/gauntlet?", "/another?")
    with pytest.raises(redis.ConnectionError):
        broker.client(url).get("a")
    assert breaker_of(url).is_open
    assert not breaker_of(guarded.url).is_open
    assert breaker_of(guarded.url) is breaker_of(str(address_of(guarded.url).on(2)))
