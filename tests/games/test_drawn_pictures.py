"""Who draws the pictures of positions on the real site: a worker, once, for all web processes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

import httpx
import pytest

from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.support.site import AnotherWeb, Process, Site

pytestmark = pytest.mark.site

# What is asked for, and as which kind it is logged.
PICTURES = {
    "board.svg": "svg",
    "board.png": "png",
    "board/1.svg": "after-svg",
    "board/1.png": "after-png",
    "share.png": "share",
}
CROWD = 10


@pytest.fixture
def players(desk: Desk) -> tuple[Person, Person]:
    return desk.person(), desk.person()


@pytest.fixture
def match(desk: Desk, players: tuple[Person, Person]) -> int:
    return desk.match(*players)


@pytest.fixture
def webs(site: Site, request: pytest.FixtureRequest) -> Iterator[list[AnotherWeb]]:
    """Two web processes of the same release. They wait for a worker so long (ms) that they find one
    on a machine that is busy with others, unless the test says otherwise."""
    found = [AnotherWeb(site), AnotherWeb(site)]
    site.python("from django.core.cache import cache; cache.delete('pictures:unattended')")
    for number, web in enumerate(found):
        web.web.log_path = site.folder / f"web-of-pictures-{number}.log"
        web.web.env = {
            **site.env,
            "GAUNTLET_RELEASE": "of-the-pictures",
            "GAUNTLET_PICTURE_WAIT_MS": str(getattr(request, "param", 20_000)),
        }
        web.web.start()
    yield found
    for web in found:
        web.stop()


async def pick(site: Site, match: int, players: tuple[Person, Person]) -> None:
    """Both choose, and the room sees both."""
    for person, text in zip(players, ("pick T", "pick L"), strict=True):
        async with await Reader.open(site, match, person) as reader:
            await reader.next("sync")
            assert (await reader.submit(text))["type"] == "ack"


async def crowd(webs: list[AnotherWeb], match: int, *names: str) -> list[httpx.Response]:
    """What many are answered who ask for these at the same time, by every process."""
    async with httpx.AsyncClient(timeout=60) as client:
        return await asyncio.gather(
            *[
                client.get(f"{web.base_url}/matches/{match}/{name}")
                for _ in range(CROWD)
                for web in webs
                for name in names
            ]
        )


async def answer(web: AnotherWeb, match: int, tag: str = "") -> httpx.Response:
    """The board, for a reader who has what goes by this tag."""
    async with httpx.AsyncClient(timeout=60) as client:
        headers = {"If-None-Match": tag} if tag else {}
        return await client.get(f"{web.base_url}/matches/{match}/board.svg", headers=headers)


def drawn(process: Process, match: int) -> list[str]:
    """The kinds of pictures of a match that a process has drawn, in order."""
    lines = process.log(since_start=False).splitlines()
    said = [line for line in lines if "picture.drawn" in line]
    told = [dict(re.findall(r"(\w+)=(\S+)", line)) for line in said]
    return [each["kind"] for each in told if each["match"] == str(match)]


async def test_the_worker_draws_each_once_for_all_who_come_at_once(
    site: Site, webs: list[AnotherWeb], match: int, players: tuple[Person, Person]
) -> None:
    await pick(site, match, players)
    for name in PICTURES:
        answers = await crowd(webs, match, name)
        assert {each.status_code for each in answers} == {200}
        assert len({each.content for each in answers}) == 1, name
        assert len({each.headers["ETag"] for each in answers}) == 1
    assert drawn(site.worker, match) == list(PICTURES.values())
    for process in (webs[0].web, webs[1].web, site.web, site.deadlines):
        assert drawn(process, match) == []


async def test_another_position_is_another_picture(
    site: Site, webs: list[AnotherWeb], match: int, players: tuple[Person, Person]
) -> None:
    before = await answer(webs[0], match)
    tag = before.headers["ETag"]
    assert (await answer(webs[1], match, tag)).status_code == 304
    await pick(site, match, players)
    after = await answer(webs[0], match, tag)
    assert after.status_code == 200
    assert after.content != before.content
    assert (await answer(webs[1], match)).content == after.content
    assert drawn(site.worker, match) == ["svg", "svg"]
    assert [drawn(web.web, match) for web in webs] == [[], []]


@pytest.mark.parametrize("webs", [2_500], indirect=True)
async def test_without_a_worker_one_of_the_web_processes_draws(
    site: Site, webs: list[AnotherWeb], match: int, players: tuple[Person, Person]
) -> None:
    await pick(site, match, players)
    site.worker.kill()
    answers = await crowd(webs, match, *PICTURES)
    assert {each.status_code for each in answers} == {200}
    assert len({each.headers["ETag"] for each in answers}) == len(PICTURES)
    by_them = [kind for web in webs for kind in drawn(web.web, match)]
    assert sorted(by_them) == sorted(PICTURES.values())


async def test_a_worker_that_comes_back_draws_again(
    site: Site, webs: list[AnotherWeb], match: int
) -> None:
    site.worker.kill()
    asking = asyncio.create_task(answer(webs[0], match))
    await asyncio.sleep(0)
    await asyncio.to_thread(site.worker.start)
    assert (await asking).status_code == 200
    assert drawn(site.worker, match) == ["svg"]
