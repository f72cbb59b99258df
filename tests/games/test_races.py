"""Races, with real transactions in real threads: exactly one outcome, whoever is first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction

from accounts.models import AuditEntry, User
from core.refusals import Refusal
from games.models import Challenge, Match, MatchEntry
from games.remembered import remember
from games.services.challenges import challenge_accept, challenge_cancel, challenge_create
from games.services.chat import chat_post
from games.services.outage import beat_record
from games.services.turns import Ack, match_organise, match_submit
from games.services.waking import match_wake
from tests.games.support import SECOND, T0, Play, placing, record_holds, started
from tests.support.locks import own_pid, somebody_waits_for
from tests.support.site import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

SETTLE = settings.GAUNTLET_SETTLE_MS
TURN = 1 * SECOND  # and no reserve
OPENED = 3 * SECOND
DEADLINE = OPENED + TURN


class Threads:
    """A few threads with database connections of their own, started at one moment."""

    def __init__(self, count: int) -> None:
        self.pool = ThreadPoolExecutor(count)

    def at_once(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        """What the calls answered; a Refusal that was raised counts as an answer."""
        barrier = threading.Barrier(len(calls))

        def run(call: Callable[[], Any]) -> Any:
            connection.ensure_connection()
            barrier.wait(60)
            try:
                return call()
            except Refusal as refusal:
                return refusal

        return list(self.pool.map(run, calls))

    def close(self) -> None:
        size = self.pool._max_workers
        barrier = threading.Barrier(size)

        def end() -> None:
            connection.close()
            barrier.wait(60)

        for done in [self.pool.submit(end) for _ in range(size)]:
            done.result()
        self.pool.shutdown()


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads(4)
    yield threads
    threads.close()


def brisk(ada: User, ben: User) -> Play:
    """Seat 0 has a second to place, from 3 s on, and no reserve."""
    return placing(started((ada, ben), options={"turn_time": TURN / 1000, "reserve": 0}))


def submission(play: Play, seat: int, text: str, at: int, client_id: str) -> Callable[[], Any]:
    version = play.versions[seat]
    remember(play.held)  # so the turn first tries to write without having asked the row
    return lambda: match_submit(
        match_id=play.pk,
        seat=seat,
        acting_user=play.players[seat],
        client_id=client_id,
        text=text,
        version=version,
        at=T0 + at,
    )


def waking(play: Play, at: int) -> Callable[[], Any]:
    return lambda: match_wake(match_id=play.pk, at=T0 + at)


def consistent(play: Play) -> None:
    """Entries are numbered without gaps, and replaying them gives what is stored."""
    numbers = list(
        MatchEntry.objects.filter(match=play.pk).order_by("seq").values_list("seq", flat=True)
    )
    assert numbers == list(range(1, play.match.seq + 1))
    if not play.match.is_over:
        play.move(0, "concede", 100 * 60 * SECOND)
    record_holds(play.match)


# Instants around the deadline, to the millisecond; each with a worker at its own such instant.
AROUND = (-2, -1, 0, 1, 2, SETTLE - 1, SETTLE, SETTLE + 1, SETTLE + 2)


@pytest.mark.parametrize("offset", AROUND)
def test_a_submission_and_its_own_timeout(
    offset: int, ada: User, ben: User, threads: Threads
) -> None:
    for woken in AROUND:
        play = brisk(ada, ben)
        answer, *_ = threads.at_once(
            [
                submission(play, 0, "D4 90", DEADLINE + offset, "x"),
                waking(play, DEADLINE + woken),
                waking(play, DEADLINE + SETTLE + 1 if woken > 0 else DEADLINE + woken),
            ]
        )
        moves = [entry for entry in play.entries[3:] if entry[1] == "D4 90"]
        timeouts = [entry for entry in play.entries[3:] if entry[2]]
        counted = isinstance(answer, Ack)
        assert (len(moves), len(timeouts)) == ((1, 0) if counted else (0, 1)), play.entries
        if offset > 0:
            assert not counted
        elif woken <= 0:
            assert counted
        consistent(play)


def test_late_submission_task_and_sweep_find_one_timeout(
    ada: User, ben: User, threads: Threads
) -> None:
    for _ in range(12):
        play = brisk(ada, ben)
        late = DEADLINE + SETTLE + 5
        answers = threads.at_once(
            [
                submission(play, 0, "D4 90", late, "x"),
                waking(play, late),
                waking(play, late + 1),
                submission(play, 0, "D4 90", late + 2, "y"),
            ]
        )
        refusals = [answer.code for answer in answers if isinstance(answer, Refusal)]
        assert len(refusals) == 2
        assert set(refusals) <= {"clock.over", "version.stale", "move.wrong-kind"}
        assert [entry[2] for entry in play.entries].count(True) == 1
        assert play.decision(0) == "2.pick.0"
        consistent(play)


def test_the_same_submission_at_once_counts_once(ada: User, ben: User, threads: Threads) -> None:
    for _ in range(12):
        play = brisk(ada, ben)
        calls = [submission(play, 0, "D4 90", OPENED + at, "same") for at in (1, 2, 3, 4)]
        answers = threads.at_once(calls)
        assert all(isinstance(answer, Ack) for answer in answers), answers
        assert sorted(answer.resent for answer in answers) == [False, True, True, True]
        assert len({answer._replace(resent=False) for answer in answers}) == 1
        assert len(play.entries) == 4
        consistent(play)


def test_different_moves_at_once_one_is_made(ada: User, ben: User, threads: Threads) -> None:
    for _ in range(8):
        play = brisk(ada, ben)
        calls = [
            submission(play, 0, text, OPENED + 5, f"id-{text[:2]}")
            for text in ("D4 90", "A1 0", "F6 180", "A5 270")
        ]
        answers = threads.at_once(calls)
        refusals = [answer.code for answer in answers if isinstance(answer, Refusal)]
        assert refusals == ["decision.none"] * 3
        assert len(play.entries) == 4


def test_two_secret_picks_at_once(ada: User, ben: User, threads: Threads) -> None:
    for number in range(12):
        play = started((ada, ben))
        first, second = threads.at_once(
            [submission(play, 0, "pick T", 1000, "a"), submission(play, 1, "pick L", 1000, "a")]
        )
        assert isinstance(first, Ack), number
        assert isinstance(second, Ack), number
        assert play.decision(0) == "1.starter"
        assert play.held.live.table.state.frame.pieces == ("T", "L")
        consistent(play)


def test_two_concessions_at_once_have_one_winner(ada: User, ben: User, threads: Threads) -> None:
    for _ in range(8):
        play = started((ada, ben))
        answers = threads.at_once(
            [submission(play, 0, "concede", 1000, "a"), submission(play, 1, "concede", 1000, "a")]
        )
        (loser,) = [seat for seat in (0, 1) if isinstance(answers[seat], Ack)]
        assert answers[1 - loser].code == "match.over"
        assert play.match.winner == 1 - loser
        consistent(play)


def test_an_organisers_act_twice_at_once(
    ada: User, ben: User, orla: User, threads: Threads
) -> None:
    for _ in range(6):
        play = started((ada, ben))

        def act(play: Play = play) -> Any:
            return match_organise(
                match_id=play.pk, acting_user=orla, client_id="a", text="pause", why="w",
                at=T0 + 5,
            )  # fmt: skip

        answers = threads.at_once([act, act, act])
        assert sorted(answer.resent for answer in answers) == [False, True, True]
        assert AuditEntry.objects.filter(
            action="match.organise", target_id=str(play.pk)
        ).count() == 1  # fmt: skip


def test_a_pause_and_a_deadline(ada: User, ben: User, orla: User, threads: Threads) -> None:
    """Either the pause came first and nothing ran out, or the timeout did and was then paused."""
    for _ in range(8):
        play = brisk(ada, ben)
        late = DEADLINE + SETTLE + 1

        def pause(play: Play = play) -> Any:
            return match_organise(
                match_id=play.pk, acting_user=orla, client_id="a", text="pause", why="w",
                at=T0 + DEADLINE,
            )  # fmt: skip

        threads.at_once([pause, waking(play, late), waking(play, late)])
        assert play.match.paused
        timeouts = [entry[2] for entry in play.entries].count(True)
        assert timeouts in (0, 1)
        assert play.decision(0) == ("2.pick.0" if timeouts else "1.place.1")


@pytest.mark.parametrize("read", ["games_servicebeat", "games_serviceoutage"])
@pytest.mark.parametrize("waits", [False, True], ids=["decision", "arrival"])
def test_an_outage_that_ends_while_a_worker_looks_is_given_back_first(
    waits: bool, read: str, ada: User, ben: User, threads: Threads
) -> None:
    """Whatever of it the worker has read by then: it is held back at either table, and there finds
    both the outage and the sign of life that ends it."""
    play = started((ada, ben), waits=True) if waits else brisk(ada, ben)
    due = play.match.waits_until or play.match.deadline_at
    assert due is not None
    beat_record(at=due - 500)
    back = due + 20 * SECOND
    looks = waking(play, back - T0 + SETTLE)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {read} IN ACCESS EXCLUSIVE MODE")
        pid = own_pid()
        looked = threads.pool.submit(looks)
        wait_for(lambda: somebody_waits_for(pid), what="the worker to ask")
        beat_record(at=back)
    assert looked.result(60)
    assert not play.match.is_over
    assert [entry[0] for entry in play.entries][-1] == "service"
    due = play.match.waits_until or play.match.deadline_at
    assert due is not None
    assert due > back


def offered(by: User, to: User | None = None) -> Challenge:
    return challenge_create(acting_user=by, ruleset_id="tetronogo", variant="standard", opponent=to)


def test_one_challenge_taken_by_two(ada: User, ben: User, cleo: User, threads: Threads) -> None:
    for _ in range(6):
        challenge = offered(ada)
        answers = threads.at_once(
            [
                partial(challenge_accept, acting_user=user, challenge=challenge)
                for user in (ben, cleo, ben)
            ]
        )
        (match,) = [answer for answer in answers if isinstance(answer, Match)]
        codes = [answer.code for answer in answers if isinstance(answer, Refusal)]
        assert codes == ["challenge.not-open"] * 2
        challenge.refresh_from_db()
        assert challenge.match == match
    assert Match.objects.count() == 6


def test_accepting_while_it_is_cancelled(ada: User, ben: User, threads: Threads) -> None:
    for _ in range(6):
        challenge = offered(ada, ben)
        answers = threads.at_once(
            [
                partial(challenge_accept, acting_user=ben, challenge=challenge),
                partial(challenge_cancel, acting_user=ada, challenge=challenge),
            ]
        )
        assert [isinstance(answer, Refusal) for answer in answers].count(True) == 1
        challenge.refresh_from_db()
        assert challenge.status in ("accepted", "cancelled")
        assert (challenge.match is not None) == (challenge.status == "accepted")


def test_the_limit_on_open_challenges_holds_against_two_at_once(
    ada: User, threads: Threads
) -> None:
    for _ in range(settings.GAUNTLET_CHALLENGES_OPEN_AT_ONCE - 1):
        offered(ada)
    answers = threads.at_once([lambda: offered(ada)] * 3)
    assert [isinstance(answer, Challenge) for answer in answers].count(True) == 1


def test_a_chat_message_sent_twice_at_once_is_said_once(
    ada: User, ben: User, threads: Threads
) -> None:
    play = started((ada, ben))
    match = play.match

    def say() -> Any:
        return chat_post(
            acting_user=ada, match=match, room="players", client_id="a", text="hi", at=T0
        )

    answers = threads.at_once([say, say, say])
    assert answers[0] == answers[1] == answers[2]
    assert match.chat.count() == 1
