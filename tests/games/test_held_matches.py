"""Matches whose rows somebody holds keep nobody waiting but their own players."""

from __future__ import annotations

from contextlib import AsyncExitStack

import psycopg

from tests.games.client import Reader
from tests.games.desk import Desk
from tests.support.site import Site

# More than a process has threads for turns.
HELD = 8


async def test_held_matches_hold_no_other(site: Site) -> None:
    """With real processes: moves of matches that are held wait, those of another do not wait for
    them, and all are acknowledged in the end."""
    desk = Desk(site)
    players = (desk.person(), desk.person())
    matches = [desk.match(*players) for _ in range(HELD)]
    strange = desk.match(desk.person(), last := desk.person())
    async with AsyncExitStack() as open_sockets:
        readers = [
            await open_sockets.enter_async_context(await Reader.open(site, match, person))
            for match in matches
            for person in players
        ]
        stranger = await open_sockets.enter_async_context(await Reader.open(site, strange, last))
        for reader in (*readers, stranger):
            await reader.next("sync")
        with psycopg.connect(site.database_url) as holder:
            holder.execute("SELECT id FROM games_match WHERE id = ANY (%s) FOR UPDATE", (matches,))
            for reader in readers:
                await reader.say(
                    "submit", id="held", match=reader.match, version=reader.version, text="concede"
                )
            assert (await stranger.submit("concede"))["type"] == "ack"
            # And the first was not given up before: none of them has been answered.
            for reader in readers:
                assert [f for f in await reader.pause(0.05) if f.get("id") == "held"] == []
            holder.rollback()
        answers = [await reader.answer("held") for reader in readers]
    # Of the two of a match one was first.
    kinds = [answer["type"] for answer in answers]
    assert kinds.count("ack") == HELD
    assert {a["code"] for a in answers if a["type"] == "refused"} == {"match.over"}
