"""A ruling that is told of, and the bot's own business, at the same time in real transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import transaction

from accounts.models import User
from core.clock import now_ms
from tests.games.support import Play
from tests.games.test_races import Threads
from tests.webhooks.support import Stage
from tests.webhooks.test_races import Ruling
from tournaments.models import DiscordChannel, DiscordPlace, DiscordPost
from tournaments.posts import outbox, roles, services
from tournaments.posts.kinds import CLOCKS, KINDS, MATCHES, RULINGS

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads(2)
    yield threads
    threads.close()


@pytest.fixture
def stage(orla: User, ada: User, ben: User, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(orla, ada, ben, monkeypatch)


@pytest.fixture
def channel(stage: Stage) -> DiscordChannel:
    """The season's channel, in which everything is told; nobody asks Discord here."""
    return DiscordChannel.objects.create(
        season=stage.season, channel_id="1", guild_id="2", name="matches",
        guild_name="The community", kinds=list(KINDS), contestant_role="3", created_by=stage.orla,
    )  # fmt: skip


@pytest.fixture
def ruling(stage: Stage, channel: DiscordChannel, set_clock: Callable[[int], None]) -> Ruling:
    set_clock(0)
    return Ruling(stage, stage.play())


def at_once(threads: Threads, ruling: Ruling, other: Callable[[], object]) -> None:
    """Do something once a ruling is written, which commits when that has been done."""
    assert threads.at_once([ruling, ruling.against(other)]) == ["ruled", "done"]
    assert DiscordPost.objects.filter(event__kind="ruling").count() == 1


def test_a_turn_is_told_of_during_a_ruling(ruling: Ruling, threads: Threads) -> None:
    before = DiscordPost.objects.get(kind="match").wanted
    at_once(threads, ruling, lambda: outbox.turn_write(match_id=ruling.play.pk))
    assert DiscordPost.objects.get(kind="match").wanted == before + 1


def test_a_clock_is_told_of_during_a_ruling(ruling: Ruling, threads: Threads) -> None:
    """It waits for whoever holds the match, and holds nothing that they need."""
    ruling.yields = True

    def tell() -> None:
        outbox.clock_write(
            match_id=ruling.play.pk, seat=0, kind="reserve-entered", left_ms=60_000, at=now_ms()
        )

    at_once(threads, ruling, tell)
    assert DiscordPost.objects.filter(kind="clock").count() == 1


def test_roles_are_worked_out_during_a_ruling(
    channel: DiscordChannel, ruling: Ruling, threads: Threads
) -> None:
    at_once(threads, ruling, lambda: roles.roles_work_out(channel_id=channel.pk))


def test_a_channel_is_changed_during_a_ruling(
    stage: Stage, channel: DiscordChannel, ruling: Ruling, threads: Threads
) -> None:
    ruling.yields = True

    def change() -> None:
        services.channel_update(
            acting_user=stage.orla, channel=channel, kinds=[MATCHES, CLOCKS, RULINGS]
        )

    at_once(threads, ruling, change)
    assert set(DiscordChannel.objects.get().kinds) == {MATCHES, CLOCKS, RULINGS}


def test_a_channel_is_switched_off_during_a_ruling(
    stage: Stage, channel: DiscordChannel, ruling: Ruling, threads: Threads
) -> None:
    ruling.yields = True

    def switch() -> None:
        services.channel_switch(acting_user=stage.orla, channel=channel, active=False)

    at_once(threads, ruling, switch)
    assert not DiscordChannel.objects.get().active


def test_a_channel_is_disconnected_during_a_ruling(
    stage: Stage, channel: DiscordChannel, ruling: Ruling, threads: Threads
) -> None:
    """The ruling stands."""
    ruling.yields = True

    def disconnect() -> None:
        services.channel_disconnect(acting_user=stage.orla, channel=channel)

    assert threads.at_once([ruling, ruling.against(disconnect)]) == ["ruled", "done"]
    assert stage.season.events.filter(kind="ruling").exists()
    assert not DiscordPost.objects.exists()
    assert not DiscordPlace.objects.exists()


def test_two_turns_at_the_same_time_leave_one_message(ruling: Ruling, threads: Threads) -> None:
    play: Play = ruling.play

    def turn() -> str:
        with transaction.atomic():
            outbox.turn_write(match_id=play.pk)
        return "told"

    before = DiscordPost.objects.get(kind="match").wanted
    calls: list[Any] = [turn, turn]
    assert threads.at_once(calls) == ["told", "told"]
    assert DiscordPost.objects.get(kind="match").wanted == before + 2
