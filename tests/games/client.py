"""A reader of a match over a real socket."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import socket
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.games.desk import Person
from tests.support.site import PATIENCE, Address, Web

Frame = dict[str, Any]


class Reader:
    """One open socket. `frames` holds what has come and was not asked for yet."""

    def __init__(self, socket: ClientConnection, match: int) -> None:
        self.socket = socket
        self.match = match
        self.frames: list[Frame] = []
        self.version = 0
        self.ids = (f"sent-{number}" for number in itertools.count(1))

    @classmethod
    async def open(
        cls,
        site: Address,
        match: int | str,
        person: Person | None = None,
        *,
        origin: str | None = "",
        path: str = "",
        token: str = "",
    ) -> Reader:
        """Connect, as ``person``, by a ``token``, or anonymously. ``origin`` empty: the site's
        own."""
        headers = {} if person is None else {"Cookie": person.cookie}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        socket = await connect(
            site.ws_url + (path or f"/ws/v1/matches/{match}/"),
            origin=site.base_url if origin == "" else origin,  # type: ignore[arg-type]
            additional_headers=headers,
            max_size=None,
            open_timeout=PATIENCE,
            proxy=None,
            **site.dialling,
        )
        return cls(socket, match if isinstance(match, int) else 0)

    @property
    def upstream(self) -> str:
        """Which web process has this socket, where a proxy has said so."""
        assert self.socket.response is not None
        return self.socket.response.headers["X-Upstream"].rpartition(", ")[2]

    async def __aenter__(self) -> Reader:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()

    async def say(self, kind: str, **keys: Any) -> None:
        """Send a frame."""
        await self.socket.send(json.dumps({"type": kind, **keys}))

    async def next(self, kind: str, **keys: Any) -> Frame:
        """The next frame of this type, with these values; others are kept for later."""

        def fits(frame: Frame) -> bool:
            return frame["type"] == kind and all(frame.get(k) == v for k, v in keys.items())

        for frame in self.frames:
            if fits(frame):
                self.frames.remove(frame)
                return frame
        async with asyncio.timeout(PATIENCE):
            while True:
                frame = self._took(await self.socket.recv())
                if fits(frame):
                    return frame
                self.frames.append(frame)

    async def until(self, kind: str, *, timeout: float = PATIENCE) -> list[Frame]:  # noqa: ASYNC109
        """Everything that has come and was not asked for, up to the first frame of this type."""
        async with asyncio.timeout(timeout):
            while not any(frame["type"] == kind for frame in self.frames):
                await self.hear()
        heard, self.frames = self.frames, []
        return heard

    async def look(self) -> Frame:
        """Everything anew: the `sync`. As slowly as may be asked for it again and again, with a
        submission each time: sooner, the submission would be refused as one frame too many.

        What a `sync` said that nobody asked for is not how things stand now, whenever it came."""
        self.frames = [frame for frame in await self.pause(0.3) if frame["type"] != "sync"]
        await self.say("sync")
        while (frame := await self.next("sync"))["version"] < self.version:
            pass
        return frame

    async def hear(self) -> None:
        """Wait for a frame, whatever it is, and keep it for later."""
        self.frames.append(self._took(await self.socket.recv()))

    def _took(self, text: str | bytes) -> Frame:
        frame: Frame = json.loads(text)
        self.version = max(self.version, frame.get("version", 0))
        return frame

    async def pause(self, seconds: float) -> list[Frame]:
        """Listen for a while; returns everything that has come and was not asked for."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    self.frames.append(self._took(await self.socket.recv()))
        except TimeoutError:
            heard, self.frames = self.frames, []
            return heard

    async def submit(self, text: str, **more: Any) -> Frame:
        """Submit a move and return the answer."""
        frame = {
            "id": next(self.ids), "match": self.match, "version": self.version, "text": text, **more
        }  # fmt: skip
        await self.say("submit", **frame)
        return await self.answer(frame["id"])

    async def organise(self, text: str, why: str = "because") -> Frame:
        """Do an organiser's act and return the answer."""
        client_id = next(self.ids)
        await self.say("organise", id=client_id, text=text, why=why)
        return await self.answer(client_id)

    async def answer(self, client_id: str) -> Frame:
        """The ack or the refusal for an id."""
        while True:
            for frame in self.frames:
                if frame["type"] in ("ack", "refused") and frame["id"] == client_id:
                    self.frames.remove(frame)
                    return frame
            async with asyncio.timeout(PATIENCE):
                self.frames.append(self._took(await self.socket.recv()))

    async def closed(self) -> tuple[int, Frame | None]:
        """Wait until the server closes; returns the code and the `closing` frame, if any."""
        async with asyncio.timeout(PATIENCE):
            try:
                while True:
                    self.frames.append(self._took(await self.socket.recv()))
            except ConnectionClosed as error:
                code = error.rcvd.code if error.rcvd is not None else 1006
        last = self.frames[-1] if self.frames else None
        return code, last if last is not None and last["type"] == "closing" else None


def handshaken(web: Web, match: int) -> socket.socket:
    """A spectator's socket that does nothing by itself: it reads nothing and answers no ping, and
    the system has hardly room for what it does not read."""
    key = base64.b64encode(os.urandom(16)).decode()
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.connect(("127.0.0.1", web.port))
    raw.sendall(
        f"GET /ws/v1/matches/{match}/ HTTP/1.1\r\nHost: 127.0.0.1:{web.port}\r\n"
        f"Origin: {web.base_url}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    assert raw.recv(12) == b"HTTP/1.1 101"
    return raw


def spectators(web: Web, match: int) -> int:
    """How many sockets of the room count as present."""
    import redis

    with redis.Redis.from_url(web.env["REDIS_URL"]) as client:
        told = client.hvals(f"{web.env['GAUNTLET_REDIS_PREFIX']}:presence-room:{match}")
    return sum(int(each.split()[0]) for each in told)
