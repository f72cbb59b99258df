"""How much one address may have: whose it counts as, who is refused, and who never is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect

from config.crowding import NAMED_TIMES, RequestsByAddress, SocketsByAddress, address_of
from games.sockets.limits import BELONGS
from tests.games.client import Reader
from tests.games.desk import Desk
from tests.support.site import PATIENCE, AnotherWeb, Site

HERE = "203.0.113.7"


@pytest.fixture
def behind_a_proxy(settings: Any) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}


def scope(kind: str = "http", *, address: str = HERE, path: str = "/", **headers: str) -> Any:
    """Something by way of a proxy."""
    given = {"x-forwarded-for": address, **headers}
    return {
        "type": kind,
        "path": path,
        "client": ["10.0.0.1", 1],
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }


# -- whose it is ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("proxies", "peer", "said", "expected"),
    [
        # Nobody has told of a proxy: what is said there is anybody's word.
        (0, "8.8.8.8", "1.2.3.4", "8.8.8.8"),
        (0, "::ffff:8.8.8.8", "", "8.8.8.8"),
        (0, "2606:4700:1:2:3::4", "", "2606:4700:1:2::/64"),
        # A peer nearby is a proxy all the same, or a test.
        (0, "127.0.0.1", "1.2.3.4", None),
        (0, "10.1.2.3", "", None),
        (0, "::1", "", None),
        (0, "", "", None),
        (1, "127.0.0.1", "6.6.6.6, 1.2.3.4", "1.2.3.4"),
        (2, "127.0.0.1", "6.6.6.6, 1.2.3.4, 5.6.7.8", "1.2.3.4"),
        (2, "127.0.0.1", "1.2.3.4", "1.2.3.4"),
        # Neighbours of the proxy are people here.
        (1, "127.0.0.1", "10.1.2.3", "10.1.2.3"),
        (1, "127.0.0.1", "", "127.0.0.1"),
        (1, "127.0.0.1", "2606:4700:1:2:3::4", "2606:4700:1:2::/64"),
        (1, "127.0.0.1", "whatever", "unknown"),
    ],
)
def test_the_address_is_as_the_settings_have_it(
    settings: Any, proxies: int, peer: str, said: str, expected: str | None
) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": proxies}
    headers = [(b"x-forwarded-for", said.encode())] if said else []
    given = {"client": [peer, 1] if peer else None, "headers": headers}
    assert address_of(given) == expected


# -- requests ------------------------------------------------------------------------------------


class Requests:
    """Requests that are begun and wait to be answered."""

    def __init__(self, most: int) -> None:
        self.application = RequestsByAddress(self._answer)
        self.most = most
        self.go_on = asyncio.Event()
        self.end = asyncio.Event()

    async def _answer(self, _scope: Any, _receive: Any, send: Any) -> None:
        await self.go_on.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await self.end.wait()
        await send({"type": "http.response.body", "body": b""})

    async def ask(self, given: Any) -> tuple[asyncio.Task[None], list[Any]]:
        """Begin one; what it is answered comes into the list."""
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        task = asyncio.create_task(self.application(given, None, send))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        return task, sent


@pytest.mark.usefixtures("behind_a_proxy")
async def test_requests_are_counted_until_their_answer_begins(settings: Any) -> None:
    settings.GAUNTLET_REQUESTS_PER_ADDRESS = 2
    requests = Requests(2)
    tasks = [await requests.ask(scope()) for _ in range(2)]
    refused, sent = await requests.ask(scope())
    await refused
    assert sent[0]["status"] == 429
    headers = dict(sent[0]["headers"])
    assert int(headers[b"retry-after"]) > 0
    assert b"no-store" in headers[b"cache-control"]
    page = sent[1]["body"].decode()
    assert "request.crowded" in page
    assert "Please try again" in page
    other, _ = await requests.ask(scope(address="203.0.113.8"))
    # A stream that has begun keeps no thread: it may last.
    requests.go_on.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    third, sent = await requests.ask(scope())
    await asyncio.sleep(0)
    assert sent[0]["status"] == 200
    requests.end.set()
    await asyncio.gather(other, third, *(task for task, _ in tasks))
    assert not requests.application.counted.there


@pytest.mark.usefixtures("behind_a_proxy")
async def test_programs_are_told_in_their_own_way(settings: Any) -> None:
    settings.GAUNTLET_REQUESTS_PER_ADDRESS = 1
    requests = Requests(1)
    first, _ = await requests.ask(scope(path="/api/v1/matches/"))
    _, sent = await requests.ask(scope(path="/api/v1/matches/"))
    await asyncio.sleep(0)
    said = json.loads(sent[1]["body"])
    assert dict(sent[0]["headers"])[b"content-type"] == b"application/problem+json"
    assert said["sentence"].endswith(".")
    assert {key: said[key] for key in ("title", "status", "code", "retry_after")} == {
        "title": "Request: crowded", "status": 429, "code": "request.crowded", "retry_after": 2,
    }  # fmt: skip
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert not requests.application.counted.there


@pytest.mark.usefixtures("behind_a_proxy")
@pytest.mark.parametrize("header", [{"authorization": "Bearer x"}, {"cookie": "sessionid=x"}])
async def test_a_crowd_of_strangers_keeps_nobody_out_who_signs_in(
    settings: Any, header: dict[str, str]
) -> None:
    settings.GAUNTLET_REQUESTS_PER_ADDRESS = 1
    requests = Requests(1)
    tasks = [await requests.ask(scope()) for _ in range(2)]
    tasks += [await requests.ask(scope(**header)) for _ in range(NAMED_TIMES + 1)]
    requests.go_on.set()
    requests.end.set()
    await asyncio.gather(*(task for task, _ in tasks))
    statuses = [sent[0]["status"] for _, sent in tasks]
    assert statuses == [200, 429, *[200] * NAMED_TIMES, 429]


@pytest.mark.parametrize("most", [0, 1])
async def test_no_limit_and_no_address_are_not_counted(settings: Any, most: int) -> None:
    settings.GAUNTLET_REQUESTS_PER_ADDRESS = most
    requests = Requests(most)
    requests.go_on.set()
    requests.end.set()
    answers = [await requests.ask(scope()) for _ in range(3)]  # by a peer nearby, and no proxy
    await asyncio.gather(*(task for task, _ in answers))
    assert [sent[0]["status"] for _, sent in answers] == [200] * 3


# -- sockets -------------------------------------------------------------------------------------


class Sockets:
    """Sockets without a server: each stays until it is ended, and says whose it is."""

    def __init__(self) -> None:
        self.middleware = SocketsByAddress(self._stay)
        self.tasks: list[asyncio.Task[None]] = []
        self.over = asyncio.Event()

    async def _stay(self, scope: Any, _receive: Any, _send: Any) -> None:
        scope["took"].append(scope[BELONGS])
        await self.over.wait()

    async def open(self, **headers: str) -> tuple[list[Callable[[int | None], bool]], list[Any]]:
        """One more: what tells whose it is, and what was sent to it where it was refused."""
        sent: list[Any] = []
        took: list[Callable[[int | None], bool]] = []
        messages = iter([{"type": "websocket.connect"}, {"type": "websocket.disconnect"}])

        async def receive() -> Any:
            return next(messages)

        async def send(message: Any) -> None:
            sent.append(message)

        given = {**scope("websocket", **headers), "took": took}
        self.tasks.append(asyncio.create_task(self.middleware(given, receive, send)))
        await asyncio.sleep(0)
        return took, sent

    async def end(self) -> None:
        self.over.set()
        await asyncio.gather(*self.tasks)
        assert not self.middleware.counted.there


@pytest.mark.usefixtures("behind_a_proxy")
async def test_a_socket_counts_for_its_address_until_it_is_known_whose_it_is(settings: Any) -> None:
    settings.GAUNTLET_SOCKETS_PER_ADDRESS = 2
    sockets = Sockets()
    strangers = [await sockets.open() for _ in range(2)]
    assert [took[0](None) for took, _ in strangers] == [True, True]
    took, sent = await sockets.open()
    assert not took
    assert [message["type"] for message in sent] == [
        "websocket.accept", "websocket.send", "websocket.close",
    ]  # fmt: skip
    frame = json.loads(sent[1]["text"])
    assert (frame["type"], frame["code"], sent[2]["code"]) == ("closing", "rate.sockets", 4429)
    assert frame["sentence"].endswith(".")
    assert frame["retry_after"] > 0
    # Those who are signed in come in all the same, as many as there are, and two of each.
    for account in (1, 1, 2, 2, 3, 3, 4, 4, 5, 5):
        (belongs,), _ = await sockets.open(cookie="sessionid=x")
        assert belongs(account)
    (belongs,), _ = await sockets.open(cookie="sessionid=x")
    assert not belongs(1)
    # Whoever only looked as if they were has no room beside the strangers.
    (belongs,), _ = await sockets.open(cookie="sessionid=x")
    assert not belongs(None)
    await sockets.end()


@pytest.mark.usefixtures("behind_a_proxy")
async def test_as_many_may_say_that_they_are_somebody(settings: Any) -> None:
    """Before anybody has looked."""
    settings.GAUNTLET_SOCKETS_PER_ADDRESS = 2
    sockets = Sockets()
    opened = [await sockets.open(cookie="sessionid=x") for _ in range(2 * NAMED_TIMES + 1)]
    assert [len(took) for took, _ in opened] == [*[1] * 2 * NAMED_TIMES, 0]
    await sockets.end()


# -- on the running site -------------------------------------------------------------------------


@pytest.fixture
def strict(site: Site, request: pytest.FixtureRequest) -> Iterator[AnotherWeb]:
    """A web process behind a proxy, that takes two sockets of an address and one request."""
    web = AnotherWeb(site, request.param)
    web.web.env = web.env = site.env | {
        "GAUNTLET_PROXIES": "1",
        "GAUNTLET_SOCKETS_PER_ADDRESS": "2",
        "GAUNTLET_REQUESTS_PER_ADDRESS": "1",
    }
    web.web.start()
    yield web
    web.stop()


async def opened(web: AnotherWeb, match: int, **headers: str) -> ClientConnection:
    return await connect(
        f"{web.ws_url}/ws/v1/matches/{match}/",
        origin=web.base_url,  # type: ignore[arg-type]
        additional_headers={"X-Forwarded-For": HERE, **headers},
        open_timeout=PATIENCE,
        proxy=None,
    )


@pytest.mark.parametrize("strict", ["daphne", "uvicorn"], indirect=True)
async def test_with_real_processes(site: Site, strict: AnotherWeb) -> None:
    desk = Desk(site)
    ada, ben = desk.person(), desk.person()
    match = desk.match(ada, ben)
    async with AsyncExitStack() as stack:

        async def reader(**headers: str) -> Reader:
            socket = await opened(strict, match, **headers)
            return Reader(await stack.enter_async_context(socket), match)

        strangers = [await reader(), await reader()]
        for stranger in strangers:
            await stranger.next("sync")
        code, frame = await (await reader()).closed()
        assert (code, frame and frame["code"]) == (4429, "rate.sockets")
        # Players, however many strangers share their address, and they only so often.
        for _ in range(2):
            assert (await (await reader(Cookie=ada.cookie)).next("sync"))["you"] == 0
        code, frame = await (await reader(Cookie=ada.cookie)).closed()
        assert (code, frame and frame["code"]) == (4429, "rate.sockets")
        assert (await (await reader(Cookie=ben.cookie)).next("sync"))["you"] == 1
        # A session that is nobody's is a stranger's.
        code, frame = await (await reader(Cookie="sessionid=nobody")).closed()
        assert (code, frame and frame["code"]) == (4429, "rate.sockets")
        await strangers[0].socket.close()
        async with asyncio.timeout(PATIENCE):
            while True:
                again = await reader()
                first = json.loads(await again.socket.recv())
                if first["type"] != "closing":
                    break
    async with httpx.AsyncClient(
        base_url=strict.base_url, headers={"X-Forwarded-For": HERE}, timeout=PATIENCE
    ) as client:
        answers = await asyncio.gather(*(client.get("/watch/") for _ in range(8)))
        assert {answer.status_code for answer in answers} == {200, 429}
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert refused.headers["Retry-After"] == "2"
        assert "request.crowded" in refused.text
