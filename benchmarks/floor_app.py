"""The floor for `live.py`: the same server, threads, database and channel layer, without a game.

`/echo` sends back what it gets. `/turn/<id>` locks a row, inserts one, updates a snapshot of 4 KB,
commits durably and tells both sockets of the pair.
"""

import gc
import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
django.setup()

from channels.generic.websocket import AsyncWebsocketConsumer
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application
from django.db import connection, transaction
from django.urls import path

from games.publishing.publish import Frame, publish
from games.sockets.executor import in_turn_thread
from games.sockets.socket import Socket

SNAPSHOT = "x" * 4096


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
        transaction.on_commit(lambda: publish([Frame(f"floor.{match}", text)]))


class Floor(AsyncWebsocketConsumer):
    """Both addresses; no limits, no checks."""

    dispatch = Socket.dispatch
    closed = False

    async def connect(self) -> None:
        self.match = self.scope["url_route"]["kwargs"].get("match")
        if self.match is not None:
            await self.channel_layer.group_add(f"floor.{self.match}", self.channel_name)
        await self.accept()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self.match is None:
            await self.send(text_data=text_data)
        else:
            await in_turn_thread(turn, self.match, text_data or "")

    async def match_frame(self, message: dict[str, str]) -> None:
        await self.send(text_data=message["text"])


application = ProtocolTypeRouter(
    {
        "http": get_asgi_application(),
        "websocket": URLRouter(
            [path("echo", Floor.as_asgi()), path("turn/<int:match>", Floor.as_asgi())]
        ),
    }
)
gc.collect()
gc.freeze()
