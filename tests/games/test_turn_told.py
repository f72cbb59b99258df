"""Whoever is away from a match hears that it waits for them, and nobody who looks at it does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync, sync_to_async

from accounts.announcing.kinds import Way, When
from accounts.announcing.services import Told, announce, choices_set
from accounts.announcing.tasks import push
from accounts.jobs import PUSH
from accounts.models import Announcement, PushSubscription, User
from core.clock import now_ms, now_utc
from games import presence
from games.announcements import TURN
from games.jobs import TELL_TURN
from games.services.announcing import AWAY_FOR_S, sight_lose, turn_announce
from games.services.arrivals import match_attend
from games.services.practice import practice_start
from games.tasks import tell_turn
from tests.accounts.test_push import switched_on
from tests.games.support import SECOND, Play, committing, started
from tests.support.push_service import Browser, PushService, pushing
from tests.support.workers import Workers


@pytest.fixture
def service() -> Iterator[PushService]:
    with pushing() as there:
        yield there


@pytest.fixture
def device(ben: User, service: PushService) -> Browser:
    """Ben's."""
    browser = service.browser()
    switched_on(ben, browser)
    return browser


def at_once(workers: Workers) -> None:
    workers.at_once.update({TELL_TURN: tell_turn, PUSH: push})


def test_whoever_is_away_is_told_of_each_turn_and_of_the_last_in_the_list(
    ada: User, ben: User, device: Browser, workers: Workers
) -> None:
    at_once(workers)
    play = started((ada, ben))
    play.move(0, "pick T", 1 * SECOND)
    assert [each.countdown for each in workers.handed if each.task == TELL_TURN] == [
        AWAY_FOR_S
    ] * len(workers.of(TELL_TURN))
    (message,) = device.messages
    assert message.told["subject"] == "It is your turn against Ada"
    assert message.told["words"] == "Tetronogo."
    assert message.told["url"].endswith(f"/matches/{play.pk}/")
    assert message.told["kind"] == "match.turn"
    play.move(1, "pick L", 2 * SECOND)
    play.move(0, "second", 3 * SECOND)
    assert len(device.messages) == 2
    assert device.messages[0].topic == device.messages[1].topic
    # In the list the last one stands, as read; Ada has no device and is told nothing.
    row = Announcement.objects.get()
    assert row.user == ben
    assert row.read_at is not None


@pytest.mark.parametrize("where", ["nowhere", "in another process", "in this process"])
def test_nobody_is_told_who_looks_at_it(
    ada: User, ben: User, device: Browser, workers: Workers, monkeypatch: pytest.MonkeyPatch,
    where: str,
) -> None:  # fmt: skip
    play = started((ada, ben))
    play.move(0, "pick T", 1 * SECOND)
    play.move(1, "pick L", 2 * SECOND)
    workers.handed.clear()
    at_once(workers)
    if where == "in another process":
        presence.look(play.pk, 1, "elsewhere")
    if where == "in this process":
        monkeypatch.setattr(presence, "is_in_sight", lambda _match, _seat: True)
        monkeypatch.delattr(presence, "seats_in_sight")  # nobody need be asked
    play.move(0, "second", 3 * SECOND)
    assert len(device.messages) == len(workers.of(TELL_TURN)) == (where == "nowhere")


def test_a_socket_of_this_process_is_known_without_asking() -> None:
    async def there() -> list[bool]:
        before = presence.is_in_sight(77, 1)
        await presence.arrive(77, 1, "socket")
        during = presence.is_in_sight(77, 1), presence.is_in_sight(77, 0)
        await presence.leave(77, 1, "socket")
        return [before, *during, presence.is_in_sight(77, 1)]

    assert async_to_sync(there)() == [False, True, False, False]


def test_what_has_changed_meanwhile_is_told_to_nobody(
    ada: User, ben: User, device: Browser, workers: Workers
) -> None:
    play = started((ada, ben))
    play.move(0, "pick T", 1 * SECOND)
    _match, seat, since = workers.of(TELL_TURN)[-1]
    assert seat == 1
    presence.look(play.pk, 1, "back")
    assert not turn_announce(match_id=play.pk, seat=1, since=since)
    presence.forget_since()
    assert not turn_announce(match_id=play.pk, seat=1, since=since + 1)
    assert not turn_announce(match_id=play.pk, seat=0, since=since)
    play.move(1, "pick L", 2 * SECOND)
    assert not turn_announce(match_id=play.pk, seat=1, since=since)
    assert not Announcement.objects.exists()


def test_each_is_told_as_they_have_chosen(
    ada: User, ben: User, device: Browser, workers: Workers
) -> None:
    play = started((ada, ben))
    play.move(0, "pick T", 1 * SECOND)
    since = play.held.readers.since[1]
    told = {"match_id": play.pk, "seat": 1, "since": since}
    choices_set(acting_user=ben, chosen={(TURN.key, Way.PUSH): When.OFF})
    assert not turn_announce(**told)
    choices_set(acting_user=ben, chosen={(TURN.key, Way.PUSH): When.NOW})
    PushSubscription.objects.all().delete()
    assert not turn_announce(**told)
    assert not Announcement.objects.exists()
    choices_set(acting_user=ben, chosen={(TURN.key, Way.SITE): When.NOW})
    with committing():
        assert turn_announce(**told)
        assert not turn_announce(**told)
    assert Announcement.objects.get().read_at is None
    assert not workers.of(PUSH)


def test_after_a_pause_it_is_told_again(
    ada: User, ben: User, orla: User, device: Browser, workers: Workers
) -> None:
    """The clock begins to run anew, and whoever is away does not see it."""
    at_once(workers)
    play = started((ada, ben))
    play.move(0, "pick T", 1 * SECOND)
    play.act(orla, "pause", 4 * SECOND)
    assert len(device.messages) == 1
    play.act(orla, "resume", 9 * SECOND)
    assert len(device.messages) == 2


def test_who_has_just_heard_that_it_begins_is_not_told_so_again(
    ada: User, ben: User, device: Browser, workers: Workers
) -> None:
    play = started((ada, ben), waits=True)
    _match, seat, since = [each for each in workers.of(TELL_TURN) if each[1] == 1][-1]
    path = play.match.get_absolute_url()
    begun = Told(ben, "death-match.started", "one", "It waits for you", "…", path)
    with committing():
        announce([begun])
        assert not turn_announce(match_id=play.pk, seat=seat, since=since)
    Announcement.objects.update(at=now_utc() - timedelta(minutes=2))
    with committing():
        assert turn_announce(match_id=play.pk, seat=seat, since=since)


def test_who_has_heard_that_a_match_waits_is_told_once_it_has_begun(
    ada: User, ben: User, device: Browser, workers: Workers
) -> None:
    """Their clock runs from then on."""
    play = started((ada, ben), waits=True)
    path = play.match.get_absolute_url()
    with committing():
        announce([Told(ben, "death-match.started", "one", "It waits for you", "…", path)])
    workers.handed.clear()
    with committing():
        assert match_attend(match_id=play.pk, there=(True, True), at=2 * SECOND)
    _match, seat, since = [each for each in workers.of(TELL_TURN) if each[1] == 1][-1]
    with committing():
        assert turn_announce(match_id=play.pk, seat=seat, since=since)


def test_a_page_that_is_hidden_is_there_and_not_in_sight() -> None:
    async def there() -> list[object]:
        await presence.arrive(79, 1, "hidden", hidden=True)
        found: list[object] = [presence.is_in_sight(79, 1), await seen()]
        await presence.arrive(79, 1, "shown")
        found += [presence.is_in_sight(79, 1), await seen()]
        await presence.arrive(79, 1, "shown", hidden=True)
        found += [presence.is_in_sight(79, 1), await seen()]
        assert (await presence.arrive(79, 1, "shown", hidden=True))["seats"] == [False, True]
        await presence.leave(79, 1, "shown")
        await presence.leave(79, 1, "hidden")
        return found

    async def seen() -> tuple[bool, bool]:
        return await sync_to_async(presence.seats_in_sight)(79)

    nobody, ben = (False, False), (False, True)
    assert async_to_sync(there)() == [False, nobody, True, ben, False, nobody]


def test_whoever_leaves_or_hides_the_page_at_their_turn_is_told_once(
    ada: User, ben: User, device: Browser, workers: Workers
) -> None:
    play = started((ada, ben))
    play.move(0, "pick T", 1 * SECOND)
    workers.handed.clear()
    at_once(workers)
    for _ in range(2):
        with committing():
            sight_lose(match_id=play.pk, seat=1)
    assert [message.told["subject"] for message in device.messages] == [
        "It is your turn against Ada"
    ]
    with committing():
        sight_lose(match_id=play.pk, seat=0)  # whose answer is in
    assert len(device.messages) == 1


def test_a_socket_that_says_nothing_any_more_is_not_in_sight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def later() -> bool:
        await presence.arrive(78, 1, "socket")
        now = now_ms()
        monkeypatch.setattr(presence, "now_ms", lambda: now + presence.PRESENT_FOR_MS + 1)
        return presence.is_in_sight(78, 1)

    assert not async_to_sync(later)()


def test_practice_waits_without_telling(ada: User, workers: Workers, play: Play) -> None:
    workers.handed.clear()
    with committing():
        practice_start(acting_user=ada, ruleset_id="tetronogo", variant="standard", level="novice")
    assert workers.of(TELL_TURN) == []
