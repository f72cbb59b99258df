"""Web processes and workers are restarted one after the other, as a deploy does, while two people
play: nothing that was acknowledged is lost, nobody's time runs out, and no clock is charged more
than its player had to wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, WebSocketException

from config.shutdown import SERVICE_RESTART
from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.support.site import AnotherWeb, Site, Web

pytestmark = pytest.mark.site

TURNS = 3  # between two restarts
ROUNDED_MS = 20  # one clock's milliseconds are not another's
CUT_OFF = 1006


@dataclass
class Player:
    """Somebody who plays by whichever process answers, as a browser does."""

    seat: int
    person: Person
    webs: list[Web]
    match: int
    # When they last sent something: none of their decisions has been open for longer. By decision,
    # that of the one before it. In ms.
    sent: float
    since: dict[str, float] = field(default_factory=dict)
    reader: Reader | None = None
    codes: list[int] = field(default_factory=list)
    # What was acknowledged, and how long there was for it at most.
    acked: list[tuple[str, float]] = field(default_factory=list)

    async def connected(self) -> Reader:
        """A socket that has synced. Whoever is told to come back does so at once, elsewhere."""
        while self.reader is None:
            try:
                reader = await Reader.open(self.webs[0], self.match, self.person)
                await reader.next("sync")
            except (OSError, WebSocketException, TimeoutError) as error:
                self._lost(error)
                await asyncio.sleep(0.05)
            else:
                self.reader = reader
        return self.reader

    def _lost(self, error: BaseException) -> None:
        if isinstance(error, ConnectionClosed):
            self.codes.append(CUT_OFF if error.rcvd is None else error.rcvd.code)
        self.reader = None
        self.webs.append(self.webs.pop(0))

    async def view(self) -> dict[str, Any]:
        """What this player sees now."""
        while True:
            reader = await self.connected()
            try:
                view: dict[str, Any] = (await reader.look())["view"]
            except ConnectionClosed as error:
                self._lost(error)
            else:
                return view

    async def submit(self, decision: str, text: str) -> None:
        """Submit, with the same id until there is an answer."""
        client_id = f"{self.seat}-{len(self.acked)}"
        began = self.since.setdefault(decision, self.sent)
        self.sent = now()
        while True:
            reader = await self.connected()
            try:
                await reader.say(
                    "submit", id=client_id, match=self.match, text=text, version=reader.version
                )
                answer = await reader.answer(client_id)
            except ConnectionClosed as error:
                self._lost(error)
            else:
                assert answer["type"] == "ack", answer
                self.acked.append((text, now() - began))
                return


def now() -> float:
    return time.monotonic() * 1000


async def turns(site: Site, players: Sequence[Player], number: int) -> None:
    """So many submissions, each by whoever is to move."""
    for turn in range(number):
        for player in players:
            view = await player.view()
            assert view["result"] is None, "it was over too soon to tell"
            mine = [
                each
                for each in view["decisions"]
                if each["seat"] == player.seat and each["sealed"] is None
            ]
            if mine:
                text = site.hand.call(
                    "tests.operations.filled:random_move",
                    match=player.match, seat=player.seat, seed=turn,
                )  # fmt: skip
                await player.submit(mine[0]["id"], text)
                break
        else:
            raise AssertionError("nobody is to move")


async def test_a_rolling_deploy_harms_nobody(site: Site, another: AnotherWeb, desk: Desk) -> None:
    began, people = now(), (desk.person(), desk.person())
    match = desk.match(*people)
    outages = site.sql("SELECT count(*) FROM games_serviceoutage")
    players = (
        Player(0, people[0], [site, another], match, began),
        Player(1, people[1], [another, site], match, began),
    )
    ours = (site.web, another.web, site.deadlines, site.worker, site.bots, site.beat)
    for process in ours:
        await turns(site, players, TURNS)
        ending = asyncio.create_task(asyncio.to_thread(process.terminate))
        await turns(site, players, TURNS)
        await ending
        process.start()
    await turns(site, players, TURNS)
    entries = desk.rows(match)["entries"]
    # Each ack is there, once, and in order; nothing ran out, and the service was never away.
    for player in players:
        mine = [entry for entry in entries if entry["actor"] == str(player.seat)]
        assert [entry["text"] for entry in mine] == [text for text, _ in player.acked]
        assert len(mine) > TURNS
        # Told to come back, never cut off.
        assert set(player.codes) == {SERVICE_RESTART}, player.codes
        for entry, (_, at_most) in zip(mine, player.acked, strict=True):
            assert entry["reading_ms"] <= at_most + ROUNDED_MS
    assert [entry for entry in entries if entry["timeout"] or entry["actor"] == "service"] == []
    assert site.sql("SELECT count(*) FROM games_serviceoutage") == outages
    for player in players:
        await (await player.connected()).socket.close()
