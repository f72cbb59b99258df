"""What has come in and is not dealt with: nothing runs out over it, and not for ever."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec
import pytest
import redis
from django.conf import settings
from redis.exceptions import RedisError

from accounts.models import User
from core import broker, instants
from core.broker import AwayError
from core.clock import now_ms
from core.refusals import Refusal
from games import intake
from games.intake import INTAKE, Intake, Report, Reporter, StillComingError, may_still_come
from games.services.turns import Ack, match_organise
from games.sockets.executor import in_turn_thread
from games.store import without_waiting
from tests.games.support import SECOND, T0, Play, committing, placing, started
from tests.infra.test_outward import answering, silent
from tests.support.site import wait_for

# Of a placement that begins at 3 s, and when it runs out.
LIMIT = 3 * SECOND + 180 * SECOND
DUE = LIMIT + settings.GAUNTLET_SETTLE_MS + 1


@pytest.fixture
def valkey() -> Iterator[Any]:
    """Where processes say what they have."""
    client: Any = redis.Redis.from_url(settings.GAUNTLET_REDIS_ADDRESS)
    client.delete(intake._key())
    yield client
    client.delete(intake._key())
    client.close()


def say(valkey: Any, at: int, waiting: dict[int, int] | None = None, *, who: str = "other") -> None:
    """As another process, at an instant (ms after `T0`)."""
    report = Report(T0 + at, {match: T0 + came for match, came in (waiting or {}).items()})
    valkey.hset(intake._key(), who, msgspec.json.encode(report))


def ran_out(play: Play) -> bool:
    return play.entries[-1] == ("0", "", True)


# -- letting decisions run out -------------------------------------------------------------------


@pytest.mark.usefixtures("valkey")
def test_nothing_runs_out_over_what_waits_here(play: Play) -> None:
    ticket = INTAKE.take(placing(play).pk)
    try:
        play.wake(DUE)
        assert not ran_out(play)
    finally:
        ticket.done()
        ticket.done()
    play.wake(DUE)
    assert ran_out(play)


@pytest.mark.parametrize(
    ("said_at", "waiting", "held_back"),
    [
        (LIMIT, {}, True),  # nobody knows what it got after that
        (LIMIT + 1, {}, False),
        (LIMIT + 1, {"this": LIMIT}, True),
        (LIMIT + 1, {"this": LIMIT + 1}, False),  # it is late itself
        (LIMIT + 1, {"another": LIMIT}, False),
        (DUE - settings.GAUNTLET_INTAKE_SILENT_MS - 1, {"this": LIMIT}, False),  # it may be dead
    ],
)
def test_what_another_process_has_is_waited_for(
    play: Play, valkey: Any, said_at: int, waiting: dict[str, int], held_back: bool
) -> None:
    numbers = {"this": placing(play).pk, "another": play.pk + 1}
    say(valkey, LIMIT + 5, who="idle")
    say(valkey, said_at, {numbers[which]: came for which, came in waiting.items()})
    play.wake(DUE)
    assert ran_out(play) is not held_back


def test_nobody_can_hold_a_match_open(play: Play, valkey: Any) -> None:
    placing(play)
    most = LIMIT + settings.GAUNTLET_HOLD_MS
    for at, over in ((most, False), (most + 1, True)):
        say(valkey, at, {play.pk: LIMIT})
        play.wake(at)
        assert ran_out(play) is over


@pytest.fixture
def hung(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """A Redis that takes connections and says nothing; grows with each of them."""
    asked: list[int] = []

    def noted(connection: socket.socket) -> None:
        asked.append(1)
        silent(connection)

    with answering(noted) as port:
        monkeypatch.setattr(settings, "GAUNTLET_REDIS_ADDRESS", f"redis://127.0.0.1:{port}/0")
        breaker = broker.breaker_of(settings.GAUNTLET_REDIS_ADDRESS)
        monkeypatch.setattr(breaker, "looks", lambda: False)
        intake._client.cache_clear()
        yield asked
        breaker.close()
    intake._client.cache_clear()


def test_without_redis_the_fixed_grace_is_all_there_is(play: Play, hung: list[int]) -> None:
    placing(play)
    play.wake(DUE - 1)
    assert not ran_out(play)
    assert hung == []
    play.wake(DUE)
    assert ran_out(play)
    assert hung
    # And it is not asked again: to wait for it would delay everybody.
    asked = len(hung)
    for _ in range(20):
        assert not may_still_come(play.pk, until=T0 + LIMIT, now=T0 + DUE)
    assert len(hung) == asked


@pytest.mark.usefixtures("hung")
def test_it_is_waited_for_once_and_not_for_long() -> None:
    assert not may_still_come(1, until=T0, now=T0 + settings.GAUNTLET_SETTLE_MS + 1)
    waits = intake._client().connection_pool.connection_kwargs["socket_timeout"]
    assert waits == settings.GAUNTLET_REDIS_PATIENCE_MS / 1000
    assert broker.breaker_of(settings.GAUNTLET_REDIS_ADDRESS).is_open


def test_what_is_no_more_is_forgotten(valkey: Any) -> None:
    say(valkey, -1, {1: 0}, who="dead")
    say(valkey, intake.FORGET_AFTER_MS, who="alive")
    at = T0 + intake.FORGET_AFTER_MS
    assert not may_still_come(1, until=at - 1, now=at)
    assert valkey.hkeys(intake._key()) == [b"alive"]


# -- what somebody else sends meanwhile ----------------------------------------------------------


def submit(play: Play, seat: int, text: str, at: int) -> Ack | Refusal:
    """Where nobody may wait, as in the threads of a socket."""
    with without_waiting():
        return play.submit(seat, text, at)


@pytest.mark.django_db(transaction=True)
class Placing:
    """Somebody places in a match that is committed: what is sent has a transaction of its own."""

    @pytest.fixture
    def play(self, ada: User, ben: User) -> Play:
        return placing(started((ada, ben)))


@pytest.mark.usefixtures("valkey")
class TestMeanwhile(Placing):
    """Whatever is sent lets run out what had run out before it, but not over what came in time."""

    def test_the_late_one_is_refused_at_once(self, play: Play) -> None:
        ticket = INTAKE.take(play.pk)
        before = play.entries
        try:
            answer = submit(play, 0, "D4 90", LIMIT + 1)
        finally:
            ticket.done()
        assert isinstance(answer, Refusal)
        assert (answer.code, play.entries) == ("clock.over", before)
        # What came in time, and was only now dealt with, counts.
        play.move(0, "D4 90", LIMIT)
        assert play.entries[-1] == ("0", "D4 90", False)

    def test_the_other_player_comes_after_what_came_before(self, play: Play) -> None:
        ticket = INTAKE.take(play.pk)
        before = play.entries
        try:
            with pytest.raises(StillComingError):
                submit(play, 1, "concede", LIMIT + 1)
            assert play.entries == before
        finally:
            ticket.done()
        assert isinstance(submit(play, 1, "concede", LIMIT + 1), Ack)
        assert play.entries[-2:] == [("0", "", True), ("1", "concede", False)]

    def test_so_does_an_organiser(self, play: Play, orla: User) -> None:
        ticket = INTAKE.take(play.pk)
        before = play.entries
        try:
            with without_waiting(), pytest.raises(StillComingError):
                play.organise(orla, "pause", LIMIT + 1)
            assert play.entries == before
        finally:
            ticket.done()
        play.move(0, "D4 90", LIMIT)
        play.act(orla, "pause", LIMIT + 1)
        assert play.entries[-2:] == [("0", "D4 90", False), ("organiser", "pause", False)]

    def test_whoever_may_wait_does(self, play: Play) -> None:
        """As in the API."""
        ticket = INTAKE.take(play.pk)
        threading.Timer(0.2, ticket.done).start()
        assert isinstance(play.submit(1, "concede", LIMIT + 1), Ack)
        assert not INTAKE.has(play.pk, until=T0)
        assert play.entries[-2:] == [("0", "", True), ("1", "concede", False)]


@pytest.mark.usefixtures("hung")
class TestMeanwhileWithoutRedis(Placing):
    """Nobody knows what others have: the fixed grace is for what both players send, too."""

    @pytest.mark.parametrize("after", [1, settings.GAUNTLET_SETTLE_MS])
    def test_without_redis_the_other_player_comes_after_the_grace(
        self, play: Play, orla: User, after: int
    ) -> None:
        before = play.entries
        with pytest.raises(StillComingError):
            submit(play, 1, "concede", LIMIT + after)
        with without_waiting(), pytest.raises(StillComingError):
            play.organise(orla, "pause", LIMIT + after)
        assert play.entries == before
        assert isinstance(submit(play, 1, "concede", DUE), Ack)
        assert play.entries[-2:] == [("0", "", True), ("1", "concede", False)]

    def test_nobody_waits_for_longer_than_a_decision_is_held(
        self, play: Play, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whose clock stands still, as that of a simulation does."""
        monkeypatch.setattr(settings, "GAUNTLET_HOLD_MS", settings.GAUNTLET_SETTLE_MS + 50)
        assert isinstance(play.submit(1, "concede", LIMIT + 1), Ack)
        assert play.entries[-2:] == [("0", "", True), ("1", "concede", False)]


async def test_a_socket_tries_again_without_a_thread() -> None:
    calls = 0

    def waits() -> str:
        nonlocal calls
        calls += 1
        if calls < 4:
            raise StillComingError
        return "done"

    assert await in_turn_thread(waits) == "done"


# -- what is said --------------------------------------------------------------------------------


def test_a_report_has_the_earliest_of_each_match() -> None:
    ours = Intake()
    before = now_ms()
    first, second, other = ours.take(1), ours.take(1), ours.take(2)
    report = ours.report()
    assert report.waiting.keys() == {1, 2}
    assert before - 2 <= report.waiting[1] <= report.at
    first.done()
    assert ours.report().waiting.keys() == {1, 2}
    second.done()
    other.done()
    assert ours.report().waiting == {}


def test_no_report_comes_between_coming_and_being_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would say that nothing came until then."""
    ours = Intake()
    looked: list[bool] = []

    def look() -> int:
        looked.append(ours._lock.acquire(blocking=False))
        return 1

    monkeypatch.setattr(intake, "reading", look)
    monkeypatch.setattr(intake, "now_ms", look)
    ours.take(1)
    ours.report()
    assert looked == [False, False]


def test_a_process_says_what_it_has_until_it_ends(valkey: Any) -> None:
    reporter = Reporter(Intake())
    ticket = reporter.intake.take(7)
    reporter.start()

    def said() -> Report | None:
        text = valkey.hget(intake._key(), reporter.intake.id)
        return None if text is None else msgspec.json.decode(text, type=Report)

    try:
        assert wait_for(said, what="a report").waiting.keys() == {7}
        at = said()
        ticket.done()
        wait_for(lambda: (now := said()) and not now.waiting and at and now.at > at.at)
    finally:
        reporter.stop()
    assert said() is None


def test_forked_processes_are_not_one_another(valkey: Any) -> None:
    """What was set up before a fork is the same in both: names are given when one begins."""
    one, two = Reporter(Intake()), Reporter(Intake())
    assert one.intake.id == two.intake.id == INTAKE.id == ""
    for reporter in (one, two):
        reporter.start()
    try:
        wait_for(lambda: valkey.hlen(intake._key()) == 2, what="two reports")
    finally:
        for reporter in (one, two):
            reporter.stop()


def test_one_that_cannot_say_anything_goes_on(monkeypatch: pytest.MonkeyPatch, valkey: Any) -> None:
    real = intake._client()
    failures: list[Exception] = [RedisError("full"), AwayError("away"), ValueError("whatever")]

    class Client:
        def hset(self, *given: Any) -> None:
            if failures:
                raise failures.pop()
            real.hset(*given)

        def hdel(self, *given: Any) -> None:
            real.hdel(*given)

    monkeypatch.setattr(intake, "_client", Client)
    reporter = Reporter(Intake())
    reporter.start()
    try:
        wait_for(lambda: valkey.hlen(intake._key()), what="a report")
    finally:
        reporter.stop()
    assert failures == []


# -- when it came --------------------------------------------------------------------------------


def test_an_instant_is_that_of_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = instants.reading()
    ago = [taken + ms * 1_000_000 for ms in (0, 1500)]
    for reading, expected in zip(ago, (T0, T0 - 1500), strict=True):
        monkeypatch.setattr(instants, "now_ms", lambda: T0)
        monkeypatch.setattr(instants, "reading", lambda now=reading: now)
        assert expected - 1 <= instants.instant_of_reading(taken) <= expected


def test_a_wall_clock_that_is_set_changes_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set back by ten seconds between the two: what came first is earlier all the same."""
    wall, steady = T0, 0
    monkeypatch.setattr(instants, "now_ms", lambda: wall)
    monkeypatch.setattr(instants, "reading", lambda: steady)
    first, steady = steady, 500_000_000
    wall -= 9_500
    second = steady
    steady += 500_000_000
    wall += 500
    assert instants.instant_of_reading(first) < instants.instant_of_reading(second)
    assert instants.instant_of_reading(second) <= wall - 500


def test_acts_count_as_of_when_they_came(play: Play, orla: User) -> None:
    """An act that waited stops the clocks where they stood when it came, and what it starts begins
    when it is carried out."""
    placing(play)
    with committing():
        for text, at, now in (("pause", 10, 12), ("resume", 20, 23)):
            ack = match_organise(
                match_id=play.pk,
                acting_user=orla,
                client_id=text,
                text=text,
                why="because",
                at=T0 + at * SECOND,
                clock=partial(int, T0 + now * SECOND),
            )
            assert ack.at == T0 + now * SECOND
    assert play.reading(0, 23 * SECOND) == 7 * SECOND
    assert play.reading(0, 24 * SECOND) == 8 * SECOND
