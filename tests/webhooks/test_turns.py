"""Turns and clocks: told where somebody listens, and free where nobody does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import hooks, store
from games.engine.errors import EngineFault
from games.models import Match
from tests.games.support import T0, Play, committing, started
from tests.webhooks.receiver import Receiver, status
from tests.webhooks.support import Stage
from tournaments.webhooks import following, outbox, services, tasks
from tournaments.webhooks.kinds import CLOCK, TURN

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def clock(set_clock: Callable[[int], None]) -> Callable[[int], None]:
    set_clock(0)
    return set_clock


def turns_of(stage: Stage, webhook: Any) -> list[tuple[int | None, str]]:
    return [(each.version, each.status) for each in stage.deliveries(webhook) if each.kind == TURN]


def next_wake(play: Play) -> int:
    """When a worker looks at the match next, in ms after `T0`."""
    at = play.match.wake_at
    assert at is not None
    return at - T0


def test_a_match_is_followed_while_a_webhook_wants_its_turns(
    stage: Stage, receiver: Receiver
) -> None:
    webhook = stage.webhook(receiver.url, kinds=["ruling"])
    play = stage.play()
    other = started((stage.ada, stage.ben))

    def followed() -> tuple[bool, bool]:
        return play.match.followed, other.match.followed

    assert followed() == (False, False)
    services.webhook_update(acting_user=stage.orla, webhook=webhook, kinds=[TURN])
    assert followed() == (True, False)
    services.webhook_update(acting_user=stage.orla, webhook=webhook, kinds=["ruling", CLOCK])
    assert followed() == (True, False)
    services.webhook_update(acting_user=stage.orla, webhook=webhook, active=False)
    assert followed() == (False, False)
    services.webhook_update(acting_user=stage.orla, webhook=webhook, active=True)
    assert followed() == (True, False)
    services.webhook_delete(acting_user=stage.orla, webhook=webhook)
    assert followed() == (False, False)
    assert store.read(play.pk).followed is False


def test_a_match_is_followed_from_its_start(stage: Stage, receiver: Receiver) -> None:
    stage.webhook(receiver.url, kinds=[TURN])
    assert stage.play().match.followed


def test_what_a_turn_costs(stage: Stage, receiver: Receiver) -> None:
    """Three statements, whether anybody listens or not: telling is a worker's business."""
    heard: list[Any] = []

    def listener(**told: Any) -> None:
        heard.append(told["version"])

    alone = started((stage.ada, stage.ben))
    hooks.match_turned.disconnect(dispatch_uid="tournaments.webhooks.turn")
    hooks.match_turned.connect(listener)
    try:
        with CaptureQueriesContext(connection) as quiet:
            assert_three(alone, quiet)
        assert heard == []
        stage.webhook(receiver.url, kinds=[TURN])
        play = stage.play()
        with CaptureQueriesContext(connection) as told:
            assert_three(play, told)
        assert heard == [2, 3]  # once both picks are in, and with the choice of who begins
    finally:
        hooks.match_turned.disconnect(listener)
        hooks.match_turned.connect(following.on_turn, dispatch_uid="tournaments.webhooks.turn")
    assert len(told) == len(quiet)


def assert_three(play: Play, captured: CaptureQueriesContext) -> None:
    """The statements of three turns: besides the test's own look at the versions."""
    for seat, text, at in ((0, "pick T", 1000), (1, "pick L", 2000), (0, "first", 3000)):
        version = play.versions[seat]
        before = len(captured)
        assert play.submit(seat, text, at, version=version)
        made = [q["sql"] for q in captured.captured_queries[before:] if "SAVEPOINT" not in q["sql"]]
        assert [sql.split()[0] for sql in made] == ["SELECT", "INSERT", "UPDATE"], made


def test_a_sealed_choice_is_no_turn(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url, kinds=[TURN])
    play = stage.play()
    play.move(0, "pick T", 1000)
    assert turns_of(stage, webhook) == []
    play.move(1, "pick L", 2000)
    assert turns_of(stage, webhook) == [(2, "pending")]


def test_a_turn_as_it_arrives(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url, kinds=[TURN])
    play = stage.play()
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    stage.drain(webhook)
    (taken,) = receiver.taken
    told = taken.json
    assert told["match"]["id"] == play.pk
    assert told["match"]["version"] == 2
    assert told["match"]["seats"] == ["Ada", "Ben"]
    assert told["match"]["board"].endswith(f"/matches/{play.pk}/board/1.png")
    assert "record" not in told["match"]
    assert told["death_match"]["id"] == stage.death_match.pk
    assert told["round"]["number"] == 1
    assert "event" not in told


def test_a_later_turn_overtakes_those_that_wait(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url, kinds=[TURN])
    play = stage.play()
    receiver.manners.append(status(500))
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    stage.drain(webhook)
    assert turns_of(stage, webhook) == [(2, "pending")]  # and failed once
    play.move(0, "first", 3000)
    assert turns_of(stage, webhook) == [(2, "superseded"), (3, "pending")]
    play.move(0, "E5 0", 4000)
    # Nobody was told of version 3, and nobody will be.
    assert turns_of(stage, webhook) == [(2, "superseded"), (4, "pending")]
    stage.drain(webhook)
    assert [taken.json["match"]["version"] for taken in receiver.taken] == [2, 4]


def test_words_that_come_late_or_twice_change_nothing(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url, kinds=[TURN])
    play = stage.play()
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    play.move(0, "first", 3000)
    for version in (3, 3, 2):
        outbox.turn_deliveries_write(match_id=play.pk, version=version)
    assert turns_of(stage, webhook) == [(3, "pending")]
    with pytest.raises(EngineFault):
        outbox.turn_deliveries_write(match_id=play.pk, version=4)


def test_what_no_worker_was_told_of_is_made_up_for(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url, kinds=[TURN])
    play = stage.play()
    tasks.repair()
    assert turns_of(stage, webhook) == []
    stage.workers.fault = ConnectionRefusedError()
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    stage.workers.fault = None
    assert turns_of(stage, webhook) == []
    tasks.repair()
    tasks.repair()
    assert turns_of(stage, webhook) == [(2, "pending")]
    # A mark that is missing is put back.
    Match.objects.update(followed=False)
    tasks.repair()
    assert play.match.followed


def test_clocks_for_those_who_want_them(
    stage: Stage, receiver: Receiver, clock: Callable[[int], None]
) -> None:
    wants = stage.webhook(receiver.url, kinds=[CLOCK], name="wants")
    turns = stage.webhook(receiver.url, kinds=[TURN], name="turns")
    play = stage.play()
    play.wake(next_wake(play))
    delivery = stage.only(wants)
    assert (delivery.kind, delivery.data["kind"]) == (CLOCK, "turn")
    assert delivery.data["seat"] is None  # both choose in secret: whose clock it is tells nothing
    assert stage.deliveries(turns) == []
    stage.drain(wants)
    assert receiver.taken[0].json["words"].startswith("Both players have ")


def test_a_clock_that_comes_too_late_is_not_told(stage: Stage, receiver: Receiver) -> None:
    webhook = stage.webhook(receiver.url, kinds=[CLOCK])
    play = stage.play()
    play.wake(next_wake(play))
    delivery = stage.only(webhook)
    stage.at = delivery.give_up_at
    stage.drain(webhook)
    assert stage.only(webhook).status == "abandoned"
    assert receiver.taken == []


def test_matches_of_nobody_tell_nobody(stage: Stage, receiver: Receiver) -> None:
    stage.webhook(receiver.url, kinds=[TURN, CLOCK])
    play = started((stage.ada, stage.ben))
    heard: list[Any] = []

    def listener(**told: Any) -> None:
        heard.append(told)

    hooks.match_turned.connect(listener)
    hooks.match_reminded.connect(listener)
    try:
        with committing():
            play.move(0, "pick T", 1000)
            play.move(1, "pick L", 2000)
        play.wake(next_wake(play))
    finally:
        hooks.match_turned.disconnect(listener)
        hooks.match_reminded.disconnect(listener)
    assert heard == []
