"""Matches that spectators see late. That nobody is told before its time, at any address, is in
`tests/secrecy/test_late.py`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games.engine import live as lives
from games.engine.decisions import ROOM
from games.engine.views import match_view
from games.hooks import match_turned
from games.models import LateView, Match
from games.options.late import DELAYS
from games.reading.matches import versions_of
from games.reading.readers import Reader, reader_of
from games.services.challenges import challenge_accept, challenge_create
from games.services.hosting import hosted_accept, hosted_create
from games.services.late import late_views_show
from games.services.matches import match_start
from tests.games.client import Reader as Socket
from tests.games.desk import Desk
from tests.games.support import (
    SECOND,
    T0,
    Play,
    Wire,
    committing,
    placing,
    refused,
    started,
)
from tests.support.site import PATIENCE, Site, Web

LATE_S = 60


@pytest.fixture
def play(ada: User, ben: User) -> Play:
    return started((ada, ben), late_s=LATE_S)


def test_lists_say_how_late_it_is_seen(play: Play, ada: User, cleo: User) -> None:
    challenge_create(acting_user=cleo, ruleset_id="tetronogo", variant="standard", late_s=30)
    reader = Client()
    reader.force_login(ada)
    for address in ("/", "/watch/", "/lobby/"):
        assert "seen 1 minute late" in reader.get(address).content.decode(), address
    assert "seen 30 seconds late" in reader.get("/lobby/").content.decode()


def watching(play: Play) -> Reader:
    return reader_of(play.pk, AnonymousUser())


def show(at: int) -> int:
    """What a worker does at an instant after `T0`."""
    with committing():
        return late_views_show(now=T0 + at)


@pytest.mark.django_db
def test_spectators_see_what_was_so_long_ago(
    play: Play, orla: User, set_clock: Callable[[int], None]
) -> None:
    begun = watching(play).sync
    assert (begun["version"], begun["log"]) == (1, [])
    placing(play)  # turns at 1, 2 and 3 s
    picked = play.versions[2]
    assert watching(play).sync["log"] == []
    assert show(61 * SECOND) == 0, "a choice that is secret is nothing to be shown"
    assert show(62 * SECOND) == 1
    after = watching(play)
    assert (after.audience, after.organise) == ("late", False)
    assert [item["at"] - T0 for item in after.sync["log"]] == [2000]
    assert after.sync["version"] < picked
    show(63 * SECOND)
    assert watching(play).sync["version"] == picked
    # It goes on from there as it did: three seconds into what opened 60 s before.
    set_clock(66 * SECOND)
    (decision,) = watching(play).sync["view"]["decisions"]
    assert decision["clock"]["reading_ms"] == 3000
    assert play.reading(0, 66 * SECOND) == 63_000
    # Whoever plays or rules sees it as it is.
    assert reader_of(play.pk, play.players[1]).sync["version"] == play.versions[1]
    ruling = reader_of(play.pk, orla)
    assert (ruling.audience, ruling.organise) == ("room", True)
    assert ruling.sync["view"]["decisions"][0]["clock"]["reading_ms"] == 63_000


@pytest.mark.django_db
def test_only_the_latest_that_is_old_enough_is_kept(play: Play) -> None:
    placing(play)
    assert LateView.objects.filter(shown=False).count() == 2
    show(600 * SECOND)
    assert [view.shown for view in LateView.objects.all()] == [True]
    assert show(601 * SECOND) == 0


@pytest.mark.django_db
def test_with_the_end_everybody_sees_it(play: Play, wire: Wire) -> None:
    placing(play)
    wire.texts()
    play.move(1, "concede", 5 * SECOND)
    assert not LateView.objects.exists()
    after = watching(play)
    assert after.over
    assert after.sync["view"]["result"]["winner"] == 0
    assert versions_of(play.pk)[3] == after.sync["version"] == play.versions[2]
    assert [text for group, text in wire.texts() if group == f"match.{play.pk}.late"] == [""]
    assert show(600 * SECOND) == 0


@pytest.mark.django_db
def test_pictures_show_no_more_than_that(play: Play, client: Client) -> None:
    def got(name: str, *more: int) -> bytes:
        answer = client.get(reverse(f"games:{name}", args=[play.pk, *more]))
        return answer.content if answer.status_code == 200 else b""

    def all_of_it() -> list[bytes]:
        return [got("board"), *(got("board_after_svg", number) for number in range(6))]

    began = all_of_it()
    placing(play)
    play.move(0, play.random_move(0, lambda: 0.5), 4 * SECOND)
    assert all_of_it() == began
    show(600 * SECOND)
    assert all_of_it() != began


@pytest.mark.django_db
def test_whoever_follows_turns_is_told_when_spectators_are(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    Match.objects.filter(pk=play.pk).update(followed=True)
    told: list[int] = []

    def hear(*, version: int, **_more: object) -> None:
        told.append(version)

    match_turned.connect(hear, dispatch_uid="late")
    try:
        placing(play)
        assert told == []
        show(600 * SECOND)
        assert told == [play.versions[2]]
    finally:
        match_turned.disconnect(dispatch_uid="late")


@pytest.mark.django_db
def test_clocks_go_on_from_there(play: Play) -> None:
    placing(play)
    held = play.held
    later = lives.later(held.live, by_ms=LATE_S * SECOND)
    for seconds in (0, 5, 50):
        at = T0 + seconds * SECOND
        was = match_view(held.ruleset, held.live, ROOM, at=at)
        assert match_view(held.ruleset, later, ROOM, at=at + LATE_S * SECOND) == was


@pytest.mark.django_db
def test_it_is_agreed_beforehand(ada: User, ben: User, orla: User) -> None:
    game: dict[str, Any] = {"ruleset_id": "tetronogo", "variant": "standard"}
    challenge = challenge_create(acting_user=ada, opponent=ben, late_s=180, **game)
    match = challenge_accept(acting_user=ben, challenge=challenge)
    assert match.late_s == 180
    hosted = hosted_create(acting_user=orla, first=ada, second=ben, late_s=30, **game)
    for player in (ada, ben):
        hosted = hosted_accept(acting_user=player, hosted=hosted)
    assert hosted.match is not None
    assert hosted.match.late_s == 30


@pytest.mark.django_db
@pytest.mark.parametrize("late_s", [-30, 1, 61, 86_400])
def test_no_other_delay(ada: User, ben: User, orla: User, late_s: int) -> None:
    game: dict[str, Any] = {"ruleset_id": "tetronogo", "variant": "standard", "late_s": late_s}
    refused("setup.late", match_start, acting_user=ada, players=(ada, ben), **game)
    refused("setup.late", challenge_create, acting_user=ada, **game)
    refused("setup.late", hosted_create, acting_user=orla, first=ada, second=ben, **game)
    assert late_s not in DELAYS


async def test_sockets_of_spectators_hear_of_it_in_time(web: Web, site: Site, desk: Desk) -> None:
    """Real processes: the worker that sweeps shows it, and every web process hears of it."""
    ada, ben = desk.person(), desk.person()
    pk = desk.match(ada, ben, late_s=30)
    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(await Socket.open(web, pk, who))
                  for who in (ada, ben, None, desk.person())]  # fmt: skip
        for each in opened:
            await each.next("sync")
        first, second, *watching = opened
        assert (await first.submit("pick T"))["type"] == "ack"
        assert (await second.submit("pick L"))["type"] == "ack"
        await first.next("step")
        ((due,),) = site.sql(
            "SELECT due_at FROM games_lateview WHERE match_id = %s AND NOT shown", pk
        )
        for each in watching:
            assert not {frame["type"] for frame in await each.pause(0.5)} & {"step", "sync"}
        site.sql("UPDATE games_lateview SET due_at = 1 WHERE match_id = %s AND NOT shown", pk)
        async with asyncio.timeout(PATIENCE):
            for each in watching:
                sync = await each.next("sync")
                assert len(sync["log"]) == 1
        assert due > 0
