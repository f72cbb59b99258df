"""Who is in the lobby: who is shown, who is told, over real processes and a real Valkey."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from django.test import Client

from accounts.blocking.services import block_create
from accounts.models import User
from accounts.moderation.sanctions import user_suspend
from games import here
from games.ratings.models import OVERALL, Rating, RatingLadder
from games.reading.here import NAMED_AT_MOST, here_frames, here_now
from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.games.support import started, user_named
from tests.support.site import AnotherWeb, Site, Web

There = Callable[..., None]


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> There:
    """`there(*users)`: they have the lobby open."""
    found: set[int] = set()
    monkeypatch.setattr(here, "users_here", lambda: set(found))
    return lambda *users: found.update(user.pk for user in users)


def names() -> list[str]:
    return [each.user.username for each in here_now().people]


def signed(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="accounts.signin.backends.NameBackend")
    return client


@pytest.mark.django_db
def test_who_is_shown(there: There, ada: User, ben: User, cleo: User, mona: User) -> None:
    closed, shy = user_named("closed", is_active=False), user_named("shy", shown_in_lobby=False)
    there(ada, ben, cleo, closed, shy)
    user_suspend(acting_user=mona, user=cleo, reason="Shouting.", until=None)
    assert names() == ["ada", "ben"]
    assert here_now().count == 2


@pytest.mark.django_db
def test_whoever_is_free_and_strong_stands_first(there: There, ada: User, ben: User) -> None:
    strong, free = user_named("strong"), user_named("free")
    for ladder in ("tetronogo", OVERALL):
        RatingLadder.objects.create(id=ladder, method="x")
    for user, ladder, shown in ((strong, "tetronogo", 1700), (strong, OVERALL, 1500)):
        Rating.objects.create(
            user=user, ladder_id=ladder, mu=1, sigma=1, shown=shown, games=1, wins=1, peak=shown,
            last_played="2026-01-01T00:00Z",
        )  # fmt: skip
    started((ada, ben))
    there(ada, ben, strong, free)
    assert [(e.user.username, e.rating, e.playing) for e in here_now().people] == [
        ("strong", 1700, False), ("free", None, False), ("ada", None, True), ("ben", None, True),
    ]  # fmt: skip


@pytest.mark.django_db
def test_the_list_is_bounded_and_costs_the_same(there: There, assert_num_queries: Any) -> None:
    there(*(user_named(f"somebody{number}") for number in range(NAMED_AT_MOST + 12)))
    now = here_now()
    assert (len(now.people), now.count, now.more) == (NAMED_AT_MOST, NAMED_AT_MOST + 12, 12)
    assert "and 12 more" in json.loads(here_frames()[0].text)["list"]


@pytest.fixture
def assert_num_queries(django_assert_num_queries: Any) -> Any:
    return django_assert_num_queries


@pytest.mark.django_db
def test_two_queries_whoever_is_there(there: There, assert_num_queries: Any) -> None:
    there(*(user_named(f"somebody{number}") for number in range(30)))
    with assert_num_queries(2):
        here_now()


@pytest.mark.django_db
def test_names_are_for_those_with_an_account(there: There, ada: User, ben: User) -> None:
    there(ben)
    page = Client().get("/lobby/").content.decode()
    assert "1 person here now" in page
    assert "Ben" not in page
    hers = signed(ada).get("/lobby/").content.decode()
    assert 'data-username="ben"' in hers
    assert "/challenges/new/?opponent=ben" in hers
    frames = {frame.group: json.loads(frame.text) for frame in here_frames()}
    assert frames["lobby.count"] == {"type": "here", "count": 1}
    assert "Ben" in frames["lobby.here"]["list"]


@pytest.mark.django_db
def test_whom_one_has_blocked_is_not_in_ones_list(there: There, ada: User, ben: User) -> None:
    there(ada, ben)
    block_create(acting_user=ada, user=ben)
    assert (
        '<li class="here__one" data-username="ben"'
        not in signed(ada).get("/lobby/").content.decode()
    )
    assert (
        '<li class="here__one" data-username="ada"' in signed(ben).get("/lobby/").content.decode()
    )


@pytest.mark.django_db
def test_the_setting(ada: User) -> None:
    client = signed(ada)
    page = client.get("/accounts/settings/").content.decode()
    assert "Show me in the lobby" in page
    client.post("/accounts/settings/", {"display_name": "Ada", "time_zone": "", "theme": "auto"})
    ada.refresh_from_db()
    assert ada.shown_in_lobby is False
    client.post(
        "/accounts/settings/",
        {"display_name": "Ada", "time_zone": "", "theme": "auto", "shown_in_lobby": "on",
         "phrases_only": "on"},
    )  # fmt: skip
    ada.refresh_from_db()
    assert (ada.shown_in_lobby, ada.phrases_only) == (True, True)


# -- over real processes -------------------------------------------------------------------------


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def told(reader: Reader, wanted: Callable[[str], bool]) -> dict[str, Any]:
    """The first list of who is there that is as it should be."""
    async with asyncio.timeout(30):
        while True:
            frame = json.loads(await reader.socket.recv())
            if frame["type"] == "here" and wanted(frame.get("list", "")):
                found: dict[str, Any] = frame
                return found


@pytest.mark.site
async def test_two_processes_agree_on_who_is_there(
    site: Site, another: AnotherWeb, desk: Desk, stack: AsyncExitStack
) -> None:
    ada, ben = desk.person(), desk.person()

    async def opened(web: Web, person: Person | None, at: str = "?at=lobby") -> Reader:
        path = f"/ws/v1/lobby/{at}"
        return await stack.enter_async_context(await Reader.open(web, 0, person, path=path))

    here_ada = await opened(site, ada)
    here_ben = await opened(another, ben)
    elsewhere = desk.person()
    await opened(another, elsewhere, at="")  # another page's: not the lobby

    def both(text: str) -> bool:
        return f">{ada.name}<" in text and f">{ben.name}<" in text

    lists = [await told(each, both) for each in (here_ada, here_ben)]
    assert all(f">{elsewhere.name}<" not in each["list"] for each in lists)
    second = await opened(site, ben)  # another tab of the same person, by the other process
    await here_ben.socket.close()
    passing = await opened(another, None)
    third = await opened(another, desk.person())
    assert both((await told(third, both))["list"]), "one tab is closed, the other is not"
    await second.socket.close()
    gone = await told(here_ada, lambda text: f">{ben.name}<" not in text)
    assert f">{ada.name}<" in gone["list"]
    counted = await told(passing, lambda _text: True)
    assert counted.keys() == {"type", "count"}, "nobody is named to who has no account"
