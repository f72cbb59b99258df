"""Matches of the site, driven by a ruleset that says in its folder how (`benchmark.py`)."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from driving import Measured, Pair, connected
from websockets.asyncio.client import ClientConnection

from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.engine.ruleset import Ruleset
from games.rulesets import REGISTRY
from tests.support.site import Site, Web

PREPARE = """
import json
from accounts.models import User
from games.services.matches import match_start
from tests.games.desk import session_of
users = [User.objects.get_or_create(username=name)[0] for name in ("bench-a", "bench-b")]
ids = [
    match_start(acting_user=None, players=tuple(users), ruleset_id={ruleset!r},
                variant={variant!r}, advantage=0, options={options!r}).pk
    for _ in range({count})
]
print(json.dumps({{"sessions": [session_of(user) for user in users], "matches": ids}}))
"""

# What somebody is told who has not seen yet what time did to the match.
STALE: Final = {"version.stale", "decision.none", "clock.over"}

Answer = Callable[[str, Seat, bytes, RandomSource], str]


class _Decision(msgspec.Struct):
    seat: int
    kind: str


class _View(msgspec.Struct):
    phase: str
    decisions: list[_Decision]
    game: msgspec.Raw


class _Frame(msgspec.Struct):
    """What the load generator reads of any frame; the rest is skipped while decoding."""

    type: str
    id: str = ""
    version: int = 0
    view: _View | None = None
    code: str = ""
    sentence: str = ""


_DECODER = msgspec.json.Decoder(_Frame)


def player_of(ruleset: Ruleset[Any, Any]) -> Answer | None:
    """How a load generator plays this game, or None where its folder does not say."""
    package = type(ruleset).__module__.rpartition(".")[0]
    if importlib.util.find_spec(f"{package}.benchmark") is None:
        return None
    answer: Answer = importlib.import_module(f"{package}.benchmark").answer
    return answer


PLAYED = {ruleset.id: player for ruleset in REGISTRY if (player := player_of(ruleset)) is not None}


class Prepared:
    """Matches that have begun, between two users, and the cookies of both. They are handed out once
    each. ``options`` are other ones than the game's own."""

    def __init__(
        self, site: Site, game: str, count: int, options: Mapping[str, Any] | None = None
    ) -> None:
        ruleset = REGISTRY.get(game)
        code = PREPARE.format(
            ruleset=ruleset.id,
            variant=ruleset.variants[0].id,
            count=count,
            options=dict(options or {}),
        )
        found = json.loads(site.python(code).strip().splitlines()[-1])
        self.site = site
        self.answer = PLAYED[game]
        self.cookies = [f"sessionid={session}" for session in found["sessions"]]
        self.matches: list[int] = found["matches"]

    def pairs(self, count: int, measured: Measured) -> list[OurPair]:
        """The next of them."""
        return [
            OurPair(self.site, self.matches.pop(), self.cookies, self.answer, measured)
            for _ in range(count)
        ]


async def watching(site: Web, match: int, cookie: str = "") -> tuple[ClientConnection, str]:
    """A socket of a match, and the frame that says how it stands."""
    socket = await connected(
        f"{site.ws_url}/ws/v1/matches/{match}/", cookie=cookie, origin=site.base_url
    )
    while True:
        text = str(await socket.recv())
        if _DECODER.decode(text).type == "sync":
            return socket, text


class OurPair(Pair):
    """A match of the site."""

    def __init__(
        self, site: Site, match: int, cookies: list[str], answer: Answer, measured: Measured
    ) -> None:
        super().__init__(measured, match)
        # Where either player is connected.
        self.sites: tuple[Web, Web] = (site, site)
        self.match = match
        self.cookies = cookies
        self.answer = answer
        self.number = 0
        self.mover = -1
        self.first: list[str] = []

    async def open(self) -> None:
        opened = await asyncio.gather(
            *[
                watching(site, self.match, cookie)
                for site, cookie in zip(self.sites, self.cookies, strict=True)
            ]
        )
        self.sockets = [socket for socket, _ in opened]
        self.first = [text for _, text in opened]

    async def play(self) -> None:
        await asyncio.gather(*[self._sit(seat) for seat in (0, 1)])

    def acked(self, client_id: str) -> None:
        """The server has said that a move is on disk."""

    async def _sit(self, seat: int) -> None:
        """Answer every frame that leaves the decision with ``seat``, until the match is over."""
        socket = self.sockets[seat]
        answered = await self._look(seat, _DECODER.decode(self.first[seat]), -1)
        async for message in socket:
            self.measured.received += len(message)
            frame = _DECODER.decode(message)
            if frame.type == "ack":
                self.acked(frame.id)
            if frame.code in STALE:
                # Clocks were given back after an outage, or ran out, as happens where the machine
                # is loaded: as a page does, look again, and then move.
                self.measured.refused += 1
                await socket.send('{"type":"sync"}')
                continue
            if frame.type in {"refused", "error", "closing"}:
                raise SystemExit(f"{frame.type}: {frame.code} {frame.sentence}")
            if frame.view is None:
                continue
            mine = any(decision.seat == seat for decision in frame.view.decisions)
            is_over = frame.view.phase == "over"
            # The last move leaves nobody to move: it has arrived when the other player has it.
            if frame.type == "step" and self.sent_at and (seat != self.mover if is_over else mine):
                self.arrived()
            if is_over:
                self.is_over = True
                return
            answered = await self._look(seat, frame, answered)
        raise SystemExit(f"match {self.match}: the socket was closed")

    async def _look(self, seat: int, frame: _Frame, answered: int) -> int:
        """Move, if it is this seat's turn; returns the version of what was answered last."""
        view = frame.view
        if view is None or frame.version <= answered:
            return answered
        decision = next((each for each in view.decisions if each.seat == seat), None)
        if decision is None:
            return answered
        text = self.answer(decision.kind, seat, view.game, self.source.random)
        await self.wait_turn()
        self.mover = seat
        await self._send(self.sockets[seat], text, frame.version)
        return frame.version

    async def _send(self, socket: ClientConnection, text: str, version: int) -> None:
        submit = {
            "type": "submit", "id": self._next_id(), "match": self.match,
            "text": text, "version": version,
        }  # fmt: skip
        await socket.send(msgspec.json.encode(submit).decode())

    def _next_id(self) -> str:
        self.number += 1
        return f"b{self.match}-{self.number}"
