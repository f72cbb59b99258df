"""One address does its worst, and matches of others go on: nobody's time runs out, and what
everybody was told is what is stored. `benchmarks/hostile.py` says how long turns take meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.support.hostile import Hostile, Numbers
from tests.support.ledger import Crowd
from tests.support.site import AnotherWeb, Site

pytestmark = pytest.mark.timeout(600)

LIMIT = 60
# More than the limit of each, and of all kinds at once.
WORST = Numbers(idle=100, flooding=3, asking=12, slow=100, deaf=5)
TURNS = 10


@pytest.fixture
def web(site: Site, request: pytest.FixtureRequest) -> Iterator[AnotherWeb]:
    """A web process behind a proxy, which so tells addresses apart."""
    web = AnotherWeb(
        site,
        request.param,
        environment={
            "GAUNTLET_PROXIES": "1",
            "GAUNTLET_SOCKETS_PER_ADDRESS": str(LIMIT),
            "GAUNTLET_REQUESTS_PER_ADDRESS": "8",
        },
    )
    web.web.start()
    yield web
    web.stop()


async def until(hostile: Hostile, kind: str, number: int = 1) -> None:
    """Wait until so many were told that."""
    try:
        async with asyncio.timeout(120):
            while hostile.told[kind] < number:  # noqa: ASYNC110  (a counter tells nobody)
                await asyncio.sleep(0.1)
    except TimeoutError:
        raise AssertionError(f"{kind} {number}, and there are {dict(hostile.told)}") from None


@pytest.mark.parametrize("web", ["daphne", "uvicorn"], indirect=True)
async def test_matches_go_on(site: Site, web: AnotherWeb) -> None:
    with Crowd(site, webs=[web]) as crowd:
        crowd.begin(played=2)
        crowd.goes_on(turns=2)
        watched = crowd.players[0].match
        hostile = Hostile(web.base_url, watched)
        told = hostile.told
        async with hostile.at_it(WORST):
            await until(hostile, "idle: in", LIMIT - 20)
            await asyncio.to_thread(crowd.goes_on, turns=TURNS)
            for kind in ("idle: refused", "asking: 200", "asking: 429", "flooding: let go"):
                await until(hostile, kind)
            await until(hostile, "slow: 408", WORST.slow)
            await asyncio.to_thread(crowd.goes_on, turns=TURNS)
        assert not [kind for kind in told if kind.startswith("asking: 5")], told
        assert crowd.end() == []
    assert web.web.alive
    assert web.answers()
    log = web.web.log()
    assert "Traceback" not in log
    assert "connection.too-slow" in log
    ran_out = site.sql(
        "SELECT count(*) FROM games_matchentry WHERE match_id = ANY(%s) AND timeout",
        sorted({player.match for player in crowd.players}),
    )
    assert ran_out == [(0,)]


HEADS = {
    "a header of a megabyte": b"GET /watch/ HTTP/1.1\r\nHost: x\r\nX-Large: " + b"x" * 2**20,
    "thousands of headers": b"GET /watch/ HTTP/1.1\r\nHost: x\r\n" + b"X-Many: x\r\n" * 100_000,
    "an address of a megabyte": b"GET /" + b"x" * 2**20 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "no request at all": b"\x16\x03\x01" + b"\x00" * 5000 + b"\r\n\r\n",
}


@pytest.mark.parametrize("web", ["daphne", "uvicorn"], indirect=True)
async def test_huge_heads_are_not_read(site: Site, web: AnotherWeb) -> None:
    for name, head in HEADS.items():
        reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
        answer = b""
        try:
            async with asyncio.timeout(60):
                writer.write(head)
                answer = await reader.read(4096)
                while await reader.read(4096):
                    pass
        except ConnectionError:
            pass  # closed while it was still being sent
        finally:
            writer.transport.abort()
        assert answer[9:12] in (b"", b"400", b"404", b"414", b"431"), (name, answer[:80])
        assert web.answers(), name
    assert "Traceback" not in web.web.log()
