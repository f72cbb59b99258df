"""The channel layer as configured: idle readers stay, many readers fit, a restart is survived."""

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import pytest
import redis
from channels.layers import get_channel_layer
from django.conf import settings

SOCKETS = 150
SOON = 20  # seconds, on a machine that is busy with other tests
IDLE = 11  # seconds: twice the read timeout that redis-py has by default


@pytest.fixture
async def layer() -> AsyncIterator[Any]:
    layer = get_channel_layer()
    yield layer
    await layer.flush()


async def test_an_idle_reader_still_receives(layer: Any) -> None:
    channel = await layer.new_channel()
    await layer.group_add("idle", channel)
    waiting = asyncio.ensure_future(layer.receive(channel))
    await asyncio.sleep(IDLE)
    assert not waiting.done()
    await layer.group_send("idle", {"type": "note", "number": 7})
    assert await asyncio.wait_for(waiting, SOON) == {"type": "note", "number": 7}


async def test_more_readers_than_the_default_connection_cap(layer: Any) -> None:
    channels = [await layer.new_channel() for _ in range(SOCKETS)]
    for number, channel in enumerate(channels):
        await layer.group_add(f"match-{number % 50}", channel)
    waiting = [asyncio.ensure_future(layer.receive(channel)) for channel in channels]
    await asyncio.gather(
        *(layer.group_send(f"match-{number}", {"type": "note"}) for number in range(50))
    )
    got = await asyncio.wait_for(asyncio.gather(*waiting), SOON)
    assert len(got) == SOCKETS


async def test_senders_at_once_are_not_refused_connections(layer: Any) -> None:
    channel = await layer.new_channel()
    await asyncio.gather(*(layer.send(channel, {"n": n}) for n in range(300)))
    got = [await asyncio.wait_for(layer.receive(channel), SOON) for _ in range(300)]
    assert [message["n"] for message in got] == list(range(300))


async def test_a_cut_connection_is_made_again(layer: Any) -> None:
    """As when the server restarts: messages sent meanwhile are lost, later ones arrive."""
    channel = await layer.new_channel()
    await layer.group_add("cut", channel)
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as admin:
        # Only ours: other test processes may share the server.
        ours = [
            client["id"]
            for client in admin.client_list(_type="pubsub")
            if client["name"] == f"{settings.REDIS_PREFIX}-layer"
        ]
        assert ours
        for client in ours:
            admin.client_kill_filter(_id=client)

    async def until_received() -> dict[str, str]:
        while True:
            await layer.group_send("cut", {"type": "again"})
            try:
                return await asyncio.wait_for(asyncio.shield(waiting), 0.3)
            except TimeoutError:
                continue

    waiting = asyncio.ensure_future(layer.receive(channel))
    assert await asyncio.wait_for(until_received(), SOON) == {"type": "again"}


def test_the_settings_do_not_lean_on_library_defaults() -> None:
    layers: dict[str, Any] = settings.CHANNEL_LAYERS
    (host,) = layers["default"]["CONFIG"]["hosts"]
    assert host["socket_timeout"] is None
    assert host["max_connections"] >= 1000
    assert urlsplit(host["address"]).path == "/0"
