"""The peer: boardgame.io with PostgreSQL storage, run and driven as the site is.

`peer/` has its server and the lock file of what that needs. It keeps its matches on the same
PostgreSQL, durably, in a database of its own. It tells the players of a move before it is stored
(its own order of things), so that its times leave the commit out; a player's next move is taken
only after it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec
import psycopg
from driving import Measured, Pair, connected
from psycopg.sql import SQL, Identifier
from stand import Stand
from websockets.asyncio.client import ClientConnection

from script.lib import node
from script.lib.console import DATA, ROOT, Failure
from script.lib.ports import free_port
from tests.support.site import SiteError, wait_for

SOURCE: Final = ROOT / "benchmarks" / "peer"
# Where it runs, with its packages: others' code is no part of the checkout.
HOME: Final = DATA / "peer"
GAME: Final = "alternating"
DATABASE: Final = "peer"
PREFIX: Final = f"42/{GAME},"
LOBBY_AT_ONCE: Final = 8


class _Ctx(msgspec.Struct):
    currentPlayer: str  # noqa: N815  (the peer's names)
    turn: int
    gameover: Any = None


class _State(msgspec.Struct):
    ctx: _Ctx
    stateID: int = msgspec.field(name="_stateID")  # noqa: N815


class _Synced(msgspec.Struct):
    state: _State


_EVENT = msgspec.json.Decoder(tuple[str, msgspec.Raw, msgspec.Raw])


def peer_node() -> Path | None:
    """Its packages, installed; None, and said why, where there is no Node or no npm."""
    python = Path(sys.executable)
    try:
        found = node.node(python)
        HOME.mkdir(parents=True, exist_ok=True)
        for path in SOURCE.iterdir():
            shutil.copyfile(path, HOME / path.name)
        with redirect_stdout(sys.stderr):
            node.Packages(HOME, "The peer's server").ensure(python)
    except (Failure, OSError) as failure:
        print(f"boardgame.io is left out: {failure}", file=sys.stderr)
        return None
    return found


class Peer:
    """The peer while it runs."""

    def __init__(self, server: subprocess.Popen[bytes], port: int) -> None:
        self.pid = server.pid
        self.url = f"http://127.0.0.1:{port}"
        self.ws_url = f"ws://127.0.0.1:{port}/socket.io/?EIO=4&transport=websocket"

    def answers(self) -> bool:
        """Whether its lobby does."""
        try:
            return httpx.get(f"{self.url}/games").status_code == 200
        except httpx.HTTPError:
            return False

    async def pairs(self, lengths: Sequence[int], size: int, measured: Measured) -> list[PeerPair]:
        """Matches of so many moves each, with a state of about ``size`` bytes, and both players in
        their seats, by the lobby's own API."""
        limit = asyncio.Semaphore(LOBBY_AT_ONCE)
        async with httpx.AsyncClient(base_url=f"{self.url}/games/{GAME}") as client:

            async def ask(path: str, body: dict[str, Any]) -> Any:
                answer = await client.post(path, json=body)
                return answer.raise_for_status().json()

            async def one(number: int, turns: int) -> PeerPair:
                async with limit:
                    setup = {"turns": turns, "bytes": size}
                    made = await ask("/create", {"numPlayers": 2, "setupData": setup})
                    match = made["matchID"]
                    credentials = [
                        (await ask(f"/{match}/join", {"playerID": seat, "playerName": seat}))[
                            "playerCredentials"
                        ]
                        for seat in ("0", "1")
                    ]
                return PeerPair(self.ws_url, match, credentials, measured, number)

            return list(await asyncio.gather(*[one(*each) for each in enumerate(lengths)]))


@contextmanager
def running_peer(stand: Stand, program: Path) -> Iterator[Peer]:
    """The peer's server on the stand's PostgreSQL."""
    name = Identifier(DATABASE)
    with psycopg.connect(stand.site.admin_url, autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {}").format(name))
    port = free_port()
    address = stand.site.admin_url.rpartition("/")[0] + f"/{DATABASE}"
    env = {**os.environ, "DATABASE_URL": address, "PORT": str(port), "NODE_ENV": "production"}
    log_path = stand.folder / "peer.log"
    with log_path.open("wb") as log:
        server = subprocess.Popen([program, "server.js"], cwd=HOME, env=env, stdout=log, stderr=log)
    try:
        peer = Peer(server, port)
        try:
            wait_for(peer.answers, what="the peer's server")
        except SiteError:
            print(log_path.read_text(), file=sys.stderr)
            raise
        yield peer
    finally:
        server.terminate()
        server.wait(10)
        with psycopg.connect(stand.site.admin_url, autocommit=True) as connection:
            connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(name))


class PeerPair(Pair):
    """A match of the peer's: Socket.IO, spoken over the same client's sockets."""

    def __init__(
        self, url: str, match: str, credentials: list[str], measured: Measured, seed: int
    ) -> None:
        super().__init__(measured, seed)
        self.url = url
        self.match = match
        self.credentials = credentials
        self.first: list[_State] = []

    async def open(self) -> None:
        opened = await asyncio.gather(*[self._arrive(seat) for seat in (0, 1)])
        self.sockets = [socket for socket, _ in opened]
        self.first = [state for _, state in opened]

    async def _arrive(self, seat: int) -> tuple[ClientConnection, _State]:
        socket = await connected(self.url)
        await socket.recv()  # the transport is open
        await socket.send(f"40/{GAME},")
        await socket.recv()  # the game's namespace, too
        await self._emit(socket, ["sync", self.match, str(seat), self.credentials[seat]])
        while True:
            text = await self._next(socket)
            if text.startswith(f'{PREFIX}["sync"'):
                _, _, info = _EVENT.decode(text.removeprefix(PREFIX))
                return socket, msgspec.json.decode(info, type=_Synced).state

    async def play(self) -> None:
        await asyncio.gather(*[self._sit(seat) for seat in (0, 1)])

    async def _sit(self, seat: int) -> None:
        socket = self.sockets[seat]
        await self._look(seat, self.first[seat])
        while True:
            text = await self._next(socket)
            self.measured.received += len(text)
            if not text.startswith(f'{PREFIX}["update"'):
                continue
            _, _, state, *_ = msgspec.json.decode(
                text.removeprefix(PREFIX), type=tuple[str, str, _State, msgspec.Raw]
            )
            is_over = state.ctx.gameover is not None
            mover = (state.ctx.turn - 1 - (0 if is_over else 1)) % 2
            if seat != mover:
                self.arrived()
            if is_over:
                self.is_over = True
                return
            await self._look(seat, state)

    async def _look(self, seat: int, state: _State) -> None:
        """Move, if it is this seat's turn."""
        if state.ctx.currentPlayer != str(seat):
            return
        await self.wait_turn()
        low, high = self.source.randint(1, 6), self.source.randint(1, 6)
        payload = {
            "type": "place", "args": [state.ctx.turn - 1, low, high], "playerID": str(seat),
            "credentials": self.credentials[seat],
        }  # fmt: skip
        action = {"type": "MAKE_MOVE", "payload": payload}
        await self._emit(
            self.sockets[seat], ["update", action, state.stateID, self.match, str(seat)]
        )

    @staticmethod
    async def _emit(socket: ClientConnection, event: list[Any]) -> None:
        await socket.send(PREFIX + msgspec.json.encode(event).decode())

    @staticmethod
    async def _next(socket: ClientConnection) -> str:
        """The next message that is not a heartbeat."""
        while True:
            text = str(await socket.recv())
            if text != "2":
                return text
            await socket.send("3")


def bytes_kept(stand: Stand) -> int:
    """How large the peer's states are in the database, on average."""
    address = stand.site.admin_url.rpartition("/")[0] + f"/{DATABASE}"
    with psycopg.connect(address) as connection:
        found = connection.execute('SELECT avg(octet_length(state::text))::int FROM "Games"')
        row = found.fetchone()
    return int(row[0]) if row and row[0] else 0


def settle() -> None:
    """Wait until what was told is stored as well."""
    time.sleep(0.5)
