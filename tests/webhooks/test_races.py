"""A ruling that is told of, and a webhook's own business, at the same time in real transactions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from core.clock import now_ms
from games.models import Match
from tests.games.support import Play
from tests.games.test_races import Threads
from tests.support.locks import own_pid, somebody_waits_for
from tests.support.site import wait_for
from tests.webhooks.receiver import Receiver, hanging, receiving
from tests.webhooks.support import Stage
from tournaments.models import Season, SeasonOrganiser
from tournaments.services.events import season_event
from tournaments.webhooks import outbox, sending, services
from tournaments.webhooks.following import following_refresh
from tournaments.webhooks.kinds import TURN
from tournaments.webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db(transaction=True)
SOON = 10  # seconds; nothing waits for as long unless something is wrong


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads(2)
    yield threads
    threads.close()


class Ruling:
    """Somebody holds a match, has written what is told of it, and commits once the other one has
    come as far as `other_is_in`; ``yields``: or waits for the ruling, which it may."""

    yields = False

    def __init__(self, stage: Stage, play: Play) -> None:
        self.stage, self.play = stage, play
        self.written = threading.Event()
        self.other_is_in = threading.Event()

    def __call__(self) -> str:
        with transaction.atomic():
            Match.objects.select_for_update().get(pk=self.play.pk)
            season_event(season=self.stage.season, kind="ruling", words="So be it.")
            pid = own_pid()
            self.written.set()
            wait_for(
                lambda: self.other_is_in.is_set() or (self.yields and somebody_waits_for(pid)),
                timeout=SOON,
            )
        return "ruled"

    def against(self, other: Callable[[], object]) -> Callable[[], str]:
        """The other one, who begins when the ruling is written."""

        def run() -> str:
            assert self.written.wait(SOON)
            other()
            self.other_is_in.set()
            return "done"

        return run


@pytest.fixture
def play(stage: Stage, set_clock: Callable[[int], None]) -> Play:
    set_clock(0)
    return stage.play()


@pytest.fixture
def ruling(stage: Stage, play: Play) -> Ruling:
    return Ruling(stage, play)


def test_a_turn_is_told_of_during_a_ruling(
    stage: Stage, receiver: Receiver, ruling: Ruling, threads: Threads
) -> None:
    webhook = stage.webhook(receiver.url)

    def tell() -> None:
        with transaction.atomic():
            outbox.turn_deliveries_write(match_id=ruling.play.pk, version=1)
            ruling.other_is_in.set()

    assert threads.at_once([ruling, ruling.against(tell)]) == ["ruled", "done"]
    assert sorted(each.kind for each in stage.deliveries(webhook)) == [TURN, "ruling"]


def test_a_clock_is_told_of_during_a_ruling(
    stage: Stage, receiver: Receiver, ruling: Ruling, threads: Threads
) -> None:
    stage.webhook(receiver.url)
    data = {"seat": 0, "kind": "turn", "left_ms": 30_000}

    def tell() -> None:
        with transaction.atomic():
            outbox.clock_deliveries_write(match_id=ruling.play.pk, data=data, at=now_ms())
            ruling.other_is_in.set()

    assert threads.at_once([ruling, ruling.against(tell)]) == ["ruled", "done"]


def test_a_webhook_is_changed_during_a_ruling(
    stage: Stage,
    receiver: Receiver,
    ruling: Ruling,
    threads: Threads,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its match is followed from now on, which is written into the row that the ruling holds."""
    webhook = stage.webhook(receiver.url, kinds=["ruling"])
    following = following_refresh

    def follow(**which: int | None) -> None:
        ruling.other_is_in.set()
        following(**which)

    monkeypatch.setattr(services, "following_refresh", follow)

    def change() -> None:
        services.webhook_update(acting_user=stage.orla, webhook=webhook, kinds=[TURN, "ruling"])

    assert threads.at_once([ruling, ruling.against(change)]) == ["ruled", "done"]
    assert ruling.play.match.followed
    assert set(Webhook.objects.get().kinds) == {TURN, "ruling"}
    assert Delivery.objects.filter(kind="ruling").count() == 1


def test_a_webhook_is_renamed_during_a_ruling(
    stage: Stage, receiver: Receiver, ruling: Ruling, threads: Threads
) -> None:
    """A webhook's name is a key of it: who changes that waits for the ruling."""
    ruling.yields = True
    webhook = stage.webhook(receiver.url, kinds=["ruling"])

    def rename() -> None:
        services.webhook_update(
            acting_user=stage.orla, webhook=webhook, name="renamed", kinds=[TURN, "ruling"]
        )

    assert threads.at_once([ruling, ruling.against(rename)]) == ["ruled", "done"]
    assert ruling.play.match.followed
    assert Webhook.objects.get().name == "renamed"
    assert stage.only(webhook).kind == "ruling"


@pytest.mark.parametrize("kind", ["ruling", "death-match.turn"])
def test_a_webhook_is_deleted_during_a_ruling(
    kind: str, stage: Stage, receiver: Receiver, ruling: Ruling, threads: Threads
) -> None:
    """The ruling stands, whether the webhook wanted to hear of it or not."""
    ruling.yields = True
    webhook = stage.webhook(receiver.url, kinds=[kind])

    def delete() -> None:
        services.webhook_delete(acting_user=stage.orla, webhook=webhook)

    assert threads.at_once([ruling, ruling.against(delete)]) == ["ruled", "done"]
    assert stage.season.events.filter(kind="ruling").exists()
    assert not Webhook.objects.exists()
    assert not Delivery.objects.exists()


def test_a_ruling_during_a_deletion(
    stage: Stage, receiver: Receiver, threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other way round: the deletion is begun, and the ruling finds nobody to tell."""
    webhook = stage.webhook(receiver.url, kinds=["ruling"])
    begun = threading.Event()

    def delete() -> str:
        with transaction.atomic():
            services.webhook_delete(acting_user=stage.orla, webhook=webhook)
            pid = own_pid()
            begun.set()
            wait_for(lambda: somebody_waits_for(pid), timeout=SOON)
        return "deleted"

    def rule() -> str:
        assert begun.wait(SOON)
        with transaction.atomic():
            season_event(season=stage.season, kind="ruling", words="So be it.")
        return "ruled"

    assert threads.at_once([delete, rule]) == ["deleted", "ruled"]
    assert stage.season.events.filter(kind="ruling").exists()
    assert not Delivery.objects.exists()


def test_an_owner_with_slow_receivers_keeps_nobody_waiting(
    stage: Stage, receiver: Receiver, threads: Threads, settings: Any
) -> None:
    """Nobody else, and none of their own: three webhooks of Orla's are due at a receiver that never
    answers, a fourth, and one of Ada's, at another."""
    settings.GAUNTLET_WEBHOOK_STAGE_SECONDS = settings.GAUNTLET_WEBHOOK_TOTAL_SECONDS = 30
    slow = [stage.webhook(receiver.url, name=f"slow {number}") for number in range(3)]
    receiver.manners += [hanging, hanging]
    with receiving() as quick:
        own = stage.webhook(quick.url)
        stage.event()
        stage.season = Season.objects.create(
            slug="other", name="Another's", format="round-robin", visibility="listed",
            created_by=stage.ada,
        )  # fmt: skip
        SeasonOrganiser.objects.create(season=stage.season, user=stage.orla)
        other = stage.webhook(quick.url)
        stage.event()

        def send(webhook: Webhook) -> int:
            return sending.webhook_drain(webhook_id=webhook.pk)

        try:
            waiting = [threads.pool.submit(send, each) for each in slow[:2]]
            receiver.wait(2)
            assert send(slow[2]) == 0
            assert send(own) == send(other) == 1
            assert len(quick.taken) == 2
        finally:
            receiver.ending.set()
        assert [each.result(SOON) for each in waiting] == [1, 1]
    assert not sending._waiting
    assert send(slow[2]) == 1


def test_receivers_known_to_be_slow_leave_room_for_the_owners_others(
    stage: Stage, receiver: Receiver, threads: Threads, settings: Any
) -> None:
    """However many they are, and wherever: of an account's four threads they have two."""
    settings.GAUNTLET_WEBHOOK_STAGE_SECONDS = settings.GAUNTLET_WEBHOOK_TOTAL_SECONDS = 30
    receiver.manners += [hanging, hanging]
    with receiving() as another, receiving() as quick:
        another.manners += [hanging, hanging]
        slow = [
            stage.webhook(each.url, name=f"slow {number}")
            for number, each in enumerate((receiver, another, receiver, another))
        ]
        own = [stage.webhook(quick.url, name=f"quick {number}") for number in range(2)]
        Webhook.objects.filter(pk__in=[each.pk for each in slow]).update(
            latency_ms=sending.QUICK_MS
        )
        stage.event()
        # The quick ones first, whichever was made first.
        due = sending.webhooks_due(at=timezone.now())
        assert due == [each.pk for each in (*own, *slow)]

        def send(webhook: Webhook) -> int:
            return sending.webhook_drain(webhook_id=webhook.pk)

        try:
            waiting = [threads.pool.submit(send, each) for each in slow[:2]]
            receiver.wait(1)
            another.wait(1)
            assert [send(each) for each in slow[2:]] == [0, 0]
            assert [send(each) for each in own] == [1, 1]
        finally:
            receiver.ending.set()
            another.ending.set()
        assert [each.result(SOON) for each in waiting] == [1, 1]
    # It has been quick this time, or slow: that is what counts the next time.
    assert Webhook.objects.get(pk=own[0].pk).latency_ms is not None
