"""The floor for `live.py`: the same server, threads, database and channel layer, without a game.

`/echo` sends back what it gets. `/turn/<id>` locks a row, inserts one, updates a snapshot of 4 KB,
commits durably and tells both sockets of the pair through the channel layer.

It is what a turn is measured by, so it must stay as it is: nothing here is the site's own. Its
settings, its threads, its statements and its publishing are written down here, and what makes a
turn of the site cheaper leaves them alone.
"""

import asyncio
import gc
import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import django
import redis
from django.conf import settings

DATABASE = urlsplit(os.environ["DATABASE_URL"])
LAYER: Final = urlsplit(os.environ["REDIS_URL"])._replace(path="/0").geturl()
PREFIX: Final = "floor"
THREADS: Final = 6
SNAPSHOT: Final = "x" * 4096

settings.configure(
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(DATABASE.path.lstrip("/")),
            "USER": unquote(DATABASE.username or ""),
            "PASSWORD": unquote(DATABASE.password or ""),
            "HOST": unquote(DATABASE.hostname or ""),
            "PORT": str(DATABASE.port or ""),
            "OPTIONS": {"options": "-c synchronous_commit=on", "pool": {"max_size": 24}},
        }
    },
    CHANNEL_LAYERS={
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {
                "hosts": [{"address": LAYER, "socket_timeout": None, "max_connections": 4096}],
                "prefix": PREFIX,
            },
        }
    },
)
django.setup()

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from channels.routing import ProtocolTypeRouter, URLRouter
from django.db import connection, transaction
from django.urls import path

THREAD_POOL = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="floor-turn")


def turn(match: int, text: str) -> None:
    """One durable transaction of a turn's shape, then a broadcast."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT seq, snapshot FROM floor_match WHERE id = %s FOR UPDATE", (match,)
            )
            seq = cursor.fetchone()[0] + 1
            cursor.execute("INSERT INTO floor_move VALUES (%s, %s, %s)", (match, seq, text))
            cursor.execute(
                "UPDATE floor_match SET seq = %s, snapshot = %s WHERE id = %s",
                (seq, SNAPSHOT, match),
            )
        transaction.on_commit(lambda: publish(f"floor.{match}", text))


def publish(group: str, text: str) -> None:
    """One message to a group, in the layer's wire format, from a plain thread."""
    message = get_channel_layer().serialize({"type": "match.frame", "text": text})
    pipe = client().pipeline(transaction=False)
    pipe.publish(f"{PREFIX}__group__{group}", message)
    pipe.execute()


@cache
def client() -> redis.Redis:
    """The threads' way to Redis."""
    return redis.Redis.from_url(LAYER, socket_timeout=3, max_connections=64)


class Floor(AsyncWebsocketConsumer):
    """Both addresses; no limits, no checks."""

    async def dispatch(self, message: dict[str, Any]) -> None:
        # Not the inherited one, which hops to a thread shared by all sockets before each message.
        await getattr(self, get_handler_name(message))(message)

    async def connect(self) -> None:
        self.match = self.scope["url_route"]["kwargs"].get("match")
        if self.match is not None:
            await self.channel_layer.group_add(f"floor.{self.match}", self.channel_name)
        await self.accept()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self.match is None:
            await self.send(text_data=text_data)
            return
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(THREAD_POOL, turn, self.match, text_data or "")

    async def match_frame(self, message: dict[str, str]) -> None:
        await self.send(text_data=message["text"])


application = ProtocolTypeRouter(
    {
        "websocket": URLRouter(
            [path("echo", Floor.as_asgi()), path("turn/<int:match>", Floor.as_asgi())]
        ),
    }
)
gc.collect()
gc.freeze()
