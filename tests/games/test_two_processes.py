"""Two web processes and one match: who plays or watches by which is all the same."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import count

import pytest

from games.sockets.rooms import LISTEN_S
from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.support.site import AnotherWeb, Site, Web

pytestmark = pytest.mark.site

# Until each of them keeps what nobody reads elsewhere from the broker.
SETTLED_S = LISTEN_S + 2


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def newest(reader: Reader, version: int, *, patience: float = 4) -> None:
    """Return once a reader who asks for nothing has what is the newest; what came has risen."""
    async with asyncio.timeout(patience):
        while reader.version < version:
            reader.frames.append(reader._took(await reader.socket.recv()))
    told = [frame["version"] for frame in reader.frames if frame["type"] in ("sync", "step")]
    assert told == sorted(set(told)), "a version went backwards, or came twice"


async def test_everybody_is_told_by_whichever_process(
    site: Site, another: AnotherWeb, desk: Desk, stack: AsyncExitStack
) -> None:
    """First while the processes do not know each other well, then when they do; then one of them is
    killed, and its readers come back."""
    players = (desk.person(), desk.person())
    organisers = [desk.person(role="organisers") for _ in range(3)]
    match = desk.match(*players)

    async def opened(web: Web, person: Person | None) -> Reader:
        reader = await stack.enter_async_context(await Reader.open(web, match, person))
        reader.ids = (f"{id(reader)}-{number}" for number in count())  # organisers share theirs
        await newest(reader, 1)
        return reader

    desks = [await opened(site, organisers[0]), await opened(another, organisers[1])]
    readers = [
        await opened(site, players[0]), await opened(another, players[1]),
        await opened(site, None), await opened(another, None),
    ]  # fmt: skip
    versions = 1

    async def act(times: int) -> None:
        nonlocal versions
        for number in range(times):
            act = "resume" if versions % 2 == 0 else "pause"
            answer = await desks[number % 2].organise(act)
            assert answer["type"] == "ack", answer
            versions += 1
            if number % 3 == 0:
                await asyncio.gather(*[newest(each, versions) for each in [*desks, *readers]])
        await asyncio.gather(*[newest(each, versions) for each in [*desks, *readers]])

    await act(7)  # an odd number: whenever nothing happens here, the clocks stand still
    await asyncio.sleep(SETTLED_S)
    await act(8)
    for reader in readers:
        told = [frame["version"] for frame in reader.frames if frame["type"] in ("sync", "step")]
        # Each comes, but for one that the next has overtaken, where that was told at once by the
        # process in which it was done: what comes then is the newer one.
        assert told[-1] == versions
        assert len(told) > versions * 2 / 3
    another.web.kill()
    another.web.start()
    desks[1] = await opened(another, organisers[2])
    readers[1], readers[3] = await opened(another, players[1]), await opened(another, None)
    await act(6)


async def test_who_comes_at_the_moment_of_a_turn_by_the_other_process(
    site: Site, another: AnotherWeb, desk: Desk, stack: AsyncExitStack
) -> None:
    source = random.Random(13)
    orla = desk.person(role="organisers")
    matches = [desk.match(desk.person(), desk.person()) for _ in range(8)]
    desks = [
        await stack.enter_async_context(await Reader.open(site, match, orla)) for match in matches
    ]
    await stack.enter_async_context(await Reader.open(another, 0, path="/ws/v1/lobby/"))
    await asyncio.sleep(SETTLED_S)

    async def one(match: int, organiser: Reader, number: int) -> None:
        async def come() -> Reader:
            await asyncio.sleep(source.uniform(0, 0.05))
            return await stack.enter_async_context(await Reader.open(another, match, None))

        coming = asyncio.create_task(come())
        await asyncio.sleep(source.uniform(0, 0.12))
        ack = await organiser.organise("resume" if number % 2 else "pause")
        assert ack["type"] == "ack"
        reader = await coming
        await newest(reader, number + 2, patience=6)
        await reader.socket.close()

    for number in range(6):
        await asyncio.gather(
            *[
                one(match, organiser, number)
                for match, organiser in zip(matches, desks, strict=True)
            ]
        )
