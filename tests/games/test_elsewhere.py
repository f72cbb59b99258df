"""One match through two web processes, each of which remembers how it left the match: the row is
what counts, and nobody can tell which process they are at."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.games.client import Frame, Reader
from tests.games.desk import Desk, Person
from tests.support.site import PATIENCE, AnotherWeb, Site, wait_for


@pytest.fixture
def doors(site: Site, another: AnotherWeb) -> tuple[Any, Any]:
    """The site's own web process, and another one beside it."""
    return site, another


@pytest.fixture
def players(desk: Desk) -> tuple[Person, Person]:
    return desk.person(), desk.person()


def versions(*, match: int) -> list[int]:
    """What each seat can know; runs on the site."""
    from games import store

    return list(store.read(match).readers.versions[:2])


def choice(*, match: int, seed: int) -> tuple[int, str] | None:
    """Whose turn it is, and a move of theirs; runs on the site."""
    from games import store

    held = store.read(match)
    table = held.live.table
    for seat in (0, 1):
        slot = table.open[seat]
        if slot is not None and not table.holds_back(seat):
            draw = random.Random(seed).random
            return seat, held.ruleset.print(held.ruleset.sample(table.state, slot.decision, draw))
    return None


async def at(stack: AsyncExitStack, door: Any, match: int, person: Person) -> Reader:
    """A socket of somebody's at one of the processes, with its first view."""
    reader = await stack.enter_async_context(await Reader.open(door, match, person))
    await reader.next("sync")
    return reader


async def caught_up(desk: Desk, *readers: tuple[int, Reader]) -> None:
    """Wait until readers, each with their seat, have heard how their match stands: by steps, or all
    of it at once, where their process has looked by itself."""
    for seat, reader in readers:
        newest = desk.hand.call(f"{__name__}:versions", match=reader.match)[seat]
        async with asyncio.timeout(PATIENCE):
            while reader.version < newest:
                await reader.hear()


@pytest.mark.parametrize("ruleset", ["tetronogo", "domino-wars"])
async def test_a_match_goes_on_wherever_its_turns_come_in(
    ruleset: str, desk: Desk, doors: tuple[Any, Any], players: tuple[Person, Person]
) -> None:
    """Each player has a socket at each process, and takes either for every turn."""
    match = desk.match(*players, ruleset=ruleset)
    lot = random.Random(4)
    async with AsyncExitStack() as stack:
        readers = [[await at(stack, door, match, person) for door in doors] for person in players]
        for number in range(40):
            chosen = desk.hand.call(f"{__name__}:choice", match=match, seed=number)
            if chosen is None:
                break
            seat, text = chosen
            own = readers[seat]
            await caught_up(desk, *((seat, reader) for reader in own))
            ack = await own[lot.randrange(2)].submit(text, id=f"turn-{number}")
            assert ack["type"] == "ack", ack
            # Sent again, wherever: it is there already.
            again = await own[lot.randrange(2)].submit(text, id=f"turn-{number}")
            assert again == ack
        if not desk.is_over(match):
            assert (await readers[0][1].submit("concede"))["type"] == "ack"
    entries = desk.rows(match)["entries"]
    assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
    assert desk.record(match)["ok"]


async def test_at_one_moment_through_both(
    desk: Desk, doors: tuple[Any, Any], players: tuple[Person, Person]
) -> None:
    """Both seats, each through both processes: every submission counts once."""
    for _ in range(5):
        match = desk.match(*players)
        async with AsyncExitStack() as stack:
            readers = [await at(stack, door, match, person) for person in players for door in doors]
            texts = ("pick T", "pick T", "pick L", "pick L")
            answers: list[Frame] = await asyncio.gather(
                *(r.submit(text, id="once") for r, text in zip(readers, texts, strict=True))
            )
            assert [answer["type"] for answer in answers] == ["ack"] * 4, answers
            assert answers[0] == answers[1]
            assert answers[2] == answers[3]
            await caught_up(desk, (0, readers[0]), (0, readers[1]))
            answers = await asyncio.gather(
                *(r.submit("first", id=f"{n}") for n, r in enumerate(readers[:2]))
            )
            kinds = sorted(answer["type"] for answer in answers)
            assert kinds == ["ack", "refused"], answers
        entries = desk.rows(match)["entries"]
        assert [entry["seq"] for entry in entries] == [1, 2, 3]


async def test_what_is_done_at_one_counts_at_the_other(
    desk: Desk, doors: tuple[Any, Any], players: tuple[Person, Person]
) -> None:
    match = desk.match(*players)
    orla = desk.person(role="organisers")
    async with AsyncExitStack() as stack:
        one = await at(stack, doors[0], match, players[0])
        other = await at(stack, doors[0], match, players[1])
        desk_elsewhere = await at(stack, doors[1], match, orla)
        assert (await one.submit("pick T"))["type"] == "ack"
        assert (await desk_elsewhere.organise("pause"))["type"] == "ack"
        assert (await other.submit("pick L"))["code"] == "match.paused"
        assert (await desk_elsewhere.organise("resume"))["type"] == "ack"
        assert (await other.submit("pick L"))["type"] == "ack"
        await caught_up(desk, (0, one))
        assert (await one.submit("first"))["type"] == "ack"
        assert (await one.submit("D4 90"))["type"] == "ack"
        assert (await desk_elsewhere.organise("take back"))["type"] == "ack"
        await caught_up(desk, (0, one))
        assert (await one.submit("A1 0"))["type"] == "ack"
    texts = [entry["text"] for entry in desk.rows(match)["entries"]]
    assert texts[-3:] == ["D4 90", "take back", "A1 0"]


# Has whatever is appended to a match take a second in the database.
SLOW = """
CREATE FUNCTION take_seconds() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN PERFORM pg_sleep(CASE NEW.actor WHEN '1' THEN 6 ELSE 0 END); RETURN NEW; END $$
"""
ASLEEP = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE wait_event = 'PgSleep' AND datname = current_database()"
)


@pytest.fixture
def slowly(site: Site) -> Iterator[None]:
    """Turns of the second seat take the database seconds: longer than anybody takes to see it."""
    site.sql(SLOW)
    site.sql(
        "CREATE TRIGGER take_seconds BEFORE INSERT ON games_matchentry"
        " FOR EACH ROW EXECUTE FUNCTION take_seconds()"
    )
    yield
    site.sql("DROP TRIGGER take_seconds ON games_matchentry")
    site.sql("DROP FUNCTION take_seconds")


async def test_killed_between_the_commit_and_the_ack(
    site: Site, desk: Desk, players: tuple[Person, Person], slowly: None
) -> None:
    """The process stands still while the database makes the turn durable, and goes on no more."""
    match = desk.match(*players)
    async with AsyncExitStack() as stack:
        one = await at(stack, site, match, players[0])
        other = await at(stack, site, match, players[1])
        assert (await one.submit("pick T"))["type"] == "ack"
        frame = {"id": "once", "match": match, "version": other.version, "text": "pick L"}
        await other.say("submit", **frame)
        wait_for(lambda: site.sql(ASLEEP) == [(1,)], what="the turn to be on its way")
        os.kill(site.web.pid, signal.SIGSTOP)
        count = "SELECT count(*) FROM games_matchentry WHERE match_id = %s"
        wait_for(lambda: site.sql(count, match) == [(2,)], what="the turn to be durable")
        site.web.kill()
        await other.closed()
        assert [each for each in other.frames if each["type"] == "ack"] == []
    site.web.start()
    async with AsyncExitStack() as stack:
        other = await at(stack, site, match, players[1])
        acks = []
        for _ in range(2):
            await other.say("submit", **frame)
            acks.append(await other.answer("once"))
        assert acks[0] == acks[1]
        assert acks[0]["type"] == "ack"
    entries = [entry for entry in desk.rows(match)["entries"] if entry["actor"] != "service"]
    assert [(entry["actor"], entry["text"]) for entry in entries] == [
        ("0", "pick T"),
        ("1", "pick L"),
    ]
