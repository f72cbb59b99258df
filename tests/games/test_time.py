"""Deadlines, reminders, pauses, outages: each at its instant, to the millisecond."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings

from accounts.models import User
from core.refusals import Refusal
from games import tasks
from games.engine.chance import RandomSource
from games.jobs import TELL_TURN, WAKE
from games.models import Match, MatchEntry, ServiceBeat, ServiceOutage
from games.services.outage import beat_record, match_give_back
from games.services.turns import Ack
from tests.games.support import (
    GAMES,
    SECOND,
    T0,
    Play,
    Wire,
    committing,
    group,
    nothing_changes,
    placing,
    record_holds,
    started,
)
from tests.support.workers import Handed, Workers

SETTLE = settings.GAUNTLET_SETTLE_MS
MINUTE = 60 * SECOND


def run(play: Play, until: int) -> list[int]:
    """Be the worker: look at the match whenever it is due, up to ``until``; returns when it was."""
    looked: list[int] = []
    for _ in range(1000):
        due = play.match.wake_at
        if due is None or due - T0 > until:
            return looked
        looked.append(due - T0)
        play.wake(due - T0)
    raise AssertionError("the match keeps waking")


# -- reminders -----------------------------------------------------------------------------------


def test_reminders_come_at_their_instants_to_players_and_room(play: Play, wire: Wire) -> None:
    placing(play)  # opened at 3 s: 60 s of turn, 120 s of reserve
    wire.frames()
    run(play, 10 * MINUTE)
    # The bout's end is a step; what comes after it belongs to the next bout.
    frames = wire.frames()
    end = next(n for n, (_, frame) in enumerate(frames) if frame["type"] == "step")
    heard = [(to, frame) for to, frame in frames[:end] if frame["type"] == "reminder"]
    expected = [
        (33, "turn", 30),
        (48, "turn", 15),
        (58, "turn", 5),
        (63, "reserve-entered", 120),
        (93, "reserve", 90),
        (123, "reserve", 60),
        (153, "reserve", 30),
    ]
    for audience in (0, 1, "room"):
        mine = [frame for to, frame in heard if to == group(play.pk, audience)]
        assert [((f["at"] - T0) / SECOND, f["kind"], f["left"] / SECOND) for f in mine] == expected
        assert {frame["seat"] for frame in mine} == {0}
        assert {frame["match"] for frame in mine} == {play.pk}


def test_no_reminder_comes_twice_however_often_a_worker_looks(play: Play, wire: Wire) -> None:
    placing(play)
    wire.frames()
    for at in range(30 * SECOND, 65 * SECOND, 100):
        for _ in range(2):
            play.wake(at)
    heard = [frame for to, frame in wire.frames("reminder") if to == group(play.pk, "room")]
    assert [frame["at"] - T0 for frame in heard] == [33_000, 48_000, 58_000, 63_000]


def test_reminders_change_nothing_but_the_next_look(play: Play) -> None:
    before: dict[str, Any] = dict(Match.objects.filter(pk=play.pk).values().get())
    play.wake(30 * SECOND)
    after: dict[str, Any] = dict(Match.objects.filter(pk=play.pk).values().get())
    for column in ("wake_at", "sweep_at"):
        assert after.pop(column) == T0 + 45 * SECOND
        before.pop(column)
    assert after == before
    assert play.entries == []


def test_a_reminder_that_is_due_survives_a_submission(play: Play, wire: Wire) -> None:
    """The worker is a moment late, and a secret choice comes first: were the reminder lost, its
    absence would tell of the choice."""
    play.move(0, "pick T", 30 * SECOND + 2)
    play.wake(30 * SECOND + 4)
    heard = [to for to, _ in wire.frames("reminder")]
    assert sorted(heard) == sorted(group(play.pk, who) for who in (0, 1, "room"))


def test_a_reminder_too_late_to_be_true_is_not_given(play: Play, wire: Wire) -> None:
    late = 30 * SECOND + settings.GAUNTLET_REMINDER_LATENESS_MS
    play.wake(late)
    assert wire.frames("reminder") == []
    play.wake(45 * SECOND)
    assert len(wire.frames("reminder")) == 3


def test_who_of_two_secret_choosers_still_thinks_is_not_announced(play: Play, wire: Wire) -> None:
    play.move(0, "pick T", 1 * SECOND)
    wire.frames()
    run(play, 59 * SECOND)
    heard = wire.frames("reminder")
    assert {frame["seat"] for _, frame in heard} == {None}
    assert len(heard) == 9


# -- deadlines -----------------------------------------------------------------------------------


def test_a_submission_at_the_last_millisecond_counts(ada: User, ben: User) -> None:
    limit = 3 * SECOND + 180 * SECOND
    for at, counts in ((limit - 1, True), (limit, True), (limit + 1, False)):
        play = placing(started((ada, ben)))
        answer = play.submit(0, "D4 90", at)
        assert isinstance(answer, Ack) is counts
        if counts:
            assert play.entries[-1] == ("0", "D4 90", False)
        else:
            assert isinstance(answer, Refusal)
            assert answer.code == "clock.over"
            assert play.entries[-1] == ("0", "", True)
            assert play.decision(0) == "2.pick.0"


def test_the_reserve_is_what_was_left(play: Play) -> None:
    placing(play)
    play.move(0, "D4 90", 3 * SECOND + 60 * SECOND + 1_234)
    assert play.held.live.table.reserve_ms == (120 * SECOND - 1_234, 120 * SECOND)
    play.move(1, play.random_move(1, lambda: 0.5), 70 * SECOND)
    deadline = play.match.deadline_at
    assert deadline == T0 + 70 * SECOND + 60 * SECOND + 120 * SECOND - 1_234


def test_a_worker_ends_a_decision_a_moment_after_its_deadline(play: Play, wire: Wire) -> None:
    placing(play)
    wire.frames()
    deadline = 183 * SECOND
    play.wake(deadline)
    play.wake(deadline + SETTLE)
    assert play.entries[-1] == ("0", "first", False)
    play.wake(deadline + SETTLE + 1)
    assert play.entries[-1] == ("0", "", True)
    entry = MatchEntry.objects.get(match=play.pk, timeout=True)
    assert entry.reading_ms == 180 * SECOND + SETTLE + 1
    assert {to for to, _ in wire.frames("step")} == {group(play.pk, who) for who in (0, 1, "room")}
    with nothing_changes():  # whoever comes second finds it done
        play.wake(deadline + SETTLE + 2)


def test_a_submission_in_time_stands_though_the_worker_was_there_first(play: Play) -> None:
    """It was received at the deadline, and waited in the process while the worker looked."""
    placing(play)
    play.wake(183 * SECOND + SETTLE)
    assert isinstance(play.submit(0, "D4 90", 183 * SECOND), Ack)
    play.wake(183 * SECOND + SETTLE + 1)
    assert [entry[2] for entry in play.entries] == [False] * 4


def test_a_late_submission_makes_the_timeout_happen(play: Play, wire: Wire) -> None:
    placing(play)
    wire.frames()
    answer = play.submit(0, "D4 90", 183 * SECOND + 1)
    assert isinstance(answer, Refusal)
    assert answer.code == "clock.over"
    assert play.entries[-1] == ("0", "", True)
    assert len(wire.frames("step")) == 3
    with nothing_changes():
        play.wake(183 * SECOND + SETTLE + 1)


def test_a_missing_pick_is_drawn_and_stays_secret_until_both_are_in(
    play: Play, orla: User, wire: Wire
) -> None:
    play.act(orla, "extend 1 60", 1 * SECOND)
    play.wake(60 * SECOND + SETTLE + 1)
    assert [entry[:2] for entry in play.entries[1:]] == [("0", ""), ("chance", play.entries[2][1])]
    drawn = play.entries[2][1].removeprefix("pick 0 ")
    assert drawn in "OISZLJT"
    steps = {to: frame for to, frame in wire.frames("step") if frame["version"] > 2}
    assert list(steps) == [group(play.pk, 0)]  # its own seat learns that time was over
    play.move(1, "pick T", 61 * SECOND)
    assert play.held.live.table.state.frame.pieces == (drawn, "T")


@pytest.mark.parametrize(("ruleset", "variant"), GAMES)
def test_a_match_that_nobody_begins_ends_by_the_defaults(
    ruleset: str, variant: str, ada: User, ben: User, draws: RandomSource
) -> None:
    """Nobody ever comes. Set-up choices fall to their defaults, turns run out."""
    play = started((ada, ben), ruleset, variant=variant, random=draws)
    run(play, 200 * MINUTE)
    match = play.match
    assert match.is_over
    assert not any(entry[0] in "01" and not entry[2] for entry in play.entries)
    if ruleset == "tetronogo":
        # Each bout: two picks drawn, the chooser (the advantage, then the loser) goes first and
        # does not place. Ada twice: two in a row for Ben.
        assert (match.winner, match.reason) == (1, "two-in-a-row")
        assert [entry[0] for entry in play.entries[:6]] == ["0", "chance", "1", "chance", "0", "0"]
    elif ruleset == "domino-black-white":
        # The advantage goes first, and never moves.
        assert (match.winner, match.reason) == (1, "timeout")
        assert play.entries == [("0", "", True), ("0", "", True)]
    record_holds(match)


def test_what_is_drawn_when_time_is_over_is_drawn_from_what_was_handed_in(
    ada: User, ben: User
) -> None:
    one, two = (started((ada, ben), random=random.Random(7).random) for _ in range(2))
    for play in (one, two):
        run(play, 10 * MINUTE)
    assert [entry for entry in one.entries if entry[0] == "chance"]
    assert one.entries == two.entries


def test_times_are_the_matchs_own(ada: User, ben: User) -> None:
    """A league plays with days, a test with milliseconds."""
    day = 24 * 60 * MINUTE
    options = {"turn_time": 3 * 86_400, "reserve": 0, "pick_time": 0.05, "choice_time": 0.02}
    play = started((ada, ben), options=options)
    play.wake(50 + SETTLE + 1)
    play.wake(50 + SETTLE + 1 + 20 + SETTLE + 1)
    opened = 50 + SETTLE + 1 + 20 + SETTLE + 1
    assert play.match.deadline_at == T0 + opened + 3 * day
    assert play.match.wake_at == T0 + opened + 3 * day - 30 * SECOND


# -- pauses --------------------------------------------------------------------------------------


def test_a_pause_stops_every_clock_and_resuming_restores_what_was_left(
    play: Play, orla: User
) -> None:
    placing(play)
    play.move(0, "D4 90", 3 * SECOND + 61_500)  # a second and a half of the reserve
    opened = 64_500
    play.act(orla, "pause", opened + 7_777)
    match = play.match
    assert (match.paused, match.deadline_at, match.wake_at) == (True, None, None)
    reserve = play.held.live.table.reserve_ms
    assert play.reading(1, opened + 50 * MINUTE) == 7_777
    play.wake(opened + 50 * MINUTE)
    play.act(orla, "resume", opened + 60 * MINUTE)
    assert play.held.live.table.reserve_ms == reserve == (118_500, 120_000)
    assert play.reading(1, opened + 60 * MINUTE) == 7_777
    assert play.match.deadline_at == T0 + opened + 60 * MINUTE + 180_000 - 7_777
    play.move(1, play.random_move(1, lambda: 0.5), opened + 60 * MINUTE + 1)
    assert MatchEntry.objects.filter(match=play.pk).latest("seq").reading_ms == 7_778


def test_pausing_changes_no_reminder_but_its_instant(play: Play, orla: User, wire: Wire) -> None:
    placing(play)
    run(play, 40 * SECOND)
    play.act(orla, "pause", 40 * SECOND)
    play.act(orla, "resume", 100 * SECOND)
    wire.frames()
    run(play, 130 * SECOND)
    room = [frame for to, frame in wire.frames("reminder") if to == group(play.pk, "room")]
    assert [(f["at"] - T0, f["left"]) for f in room] == [(108_000, 15_000), (118_000, 5_000),
                                                         (123_000, 120_000)]  # fmt: skip


# -- outages -------------------------------------------------------------------------------------

AFTER = settings.GAUNTLET_OUTAGE_AFTER_MS
LEAST = settings.GAUNTLET_OUTAGE_GRACE_MS


def beat(at: int) -> bool:
    with committing():
        return beat_record(at=T0 + at)


def give_back(play: Play, at: int) -> bool:
    with committing():
        return match_give_back(match_id=play.pk, at=T0 + at)


def test_it_counts_as_away_after_three_seconds() -> None:
    assert AFTER <= 3000
    assert settings.GAUNTLET_BEAT_EVERY_MS * 3 <= AFTER


def test_what_clocks_ran_during_an_outage_is_given_back(
    play: Play, ada: User, ben: User, wire: Wire
) -> None:
    placing(play)  # opened at 3 s: the deadline is at 183 s
    over, paused = started((ada, ben)), started((ada, ben))
    over.move(0, "concede", 1 * SECOND)
    beat(150 * SECOND)
    play.wake(183 * SECOND + SETTLE + 1)  # nobody could have answered
    assert play.entries[-1] == ("0", "first", False)
    wire.frames()
    assert beat(600 * SECOND)
    with nothing_changes():
        assert not give_back(over, 600 * SECOND)
    assert give_back(play, 600 * SECOND)
    # 33 s were left, and are again.
    assert play.match.deadline_at == T0 + 633 * SECOND
    assert play.entries[-1] == ("service", "", False)
    told = wire.frames("step")
    assert {to for to, _ in told} == {group(play.pk, who) for who in (0, 1, "room")}
    for _, frame in told:
        (item,) = frame["events"]
        assert item["actor"] == "service"
        assert "450 s" in item["events"][0]["text"]
    with nothing_changes():  # once
        assert not give_back(play, 601 * SECOND)
        play.wake(601 * SECOND)
    assert not paused.match.is_over
    # A move within what was left stands, in the record too, and is charged as the clock shows.
    play.move(0, "D4 90", 633 * SECOND)
    assert play.held.live.table.reserve_ms[0] == 0
    play.move(1, "concede", 700 * SECOND)
    record = record_holds(play.match)
    assert [move["seat"] for move in record["moves"]] == [0, 1, 0, 0, 1]


def test_not_even_the_first_moments_of_an_outage_cost_a_decision(play: Play) -> None:
    """The deadline falls between the last sign of life and the moment from which its absence would
    be noticed."""
    placing(play)
    beat(183 * SECOND - 1)
    for late in (SETTLE + 1, AFTER, 60 * SECOND):
        play.wake(183 * SECOND + late)
    assert play.entries[-1] == ("0", "first", False)
    # A sign of life after the deadline, however soon nothing follows: they had their time.
    beat(183 * SECOND + 1)
    play.wake(183 * SECOND + SETTLE + 60 * SECOND)
    assert play.entries[-1] == ("0", "", True)


def test_a_short_outage_gives_back_what_it_took(play: Play) -> None:
    placing(play)
    beat(100 * SECOND)
    assert beat(100 * SECOND + AFTER + 1)
    give_back(play, 104 * SECOND)
    assert play.match.deadline_at == T0 + 183 * SECOND + AFTER + 1


@pytest.mark.parametrize("gap", [AFTER + 1, 9_000, 300_000])
def test_who_comes_first_gives_it_back(gap: int, ada: User, ben: User, orla: User) -> None:
    """A submission, an organiser's act, a worker: what they do finds the clocks set right."""
    plays = [placing(started((ada, ben))) for _ in range(3)]
    beat(182 * SECOND)
    back = 182 * SECOND + gap
    beat(back)
    plays[0].move(0, "D4 90", back + LEAST)
    plays[1].act(orla, "pause", back + LEAST)
    plays[2].wake(back + LEAST)
    for play in plays:
        kinds = [entry[0] for entry in play.entries[3:]]
        assert kinds[0] == "service"
        assert kinds.count("service") == 1
        assert not any(entry[2] for entry in play.entries)


def test_nobody_gets_more_than_the_decision_has(ada: User, ben: User) -> None:
    play = started((ada, ben), options={"pick_time": 4})
    beat(1 * SECOND)
    beat(90 * SECOND)
    give_back(play, 90 * SECOND)
    assert play.match.deadline_at == T0 + 94 * SECOND


def test_time_given_back_that_is_not_used_runs_out(play: Play) -> None:
    placing(play)
    beat(170 * SECOND)
    beat(600 * SECOND)
    give_back(play, 600 * SECOND)
    run(play, 600 * SECOND + 13 * SECOND)
    play.wake(600 * SECOND + 13 * SECOND + SETTLE + 1)
    assert play.entries[-1] == ("service", "", False)  # it has not been heard of since
    beat(600 * SECOND + AFTER)
    beat(600 * SECOND + 2 * AFTER)
    beat(600 * SECOND + 13 * SECOND - 1)  # as if it had been there all along
    beat(600 * SECOND + 13 * SECOND + 1)
    ServiceOutage.objects.filter(back_at__gt=T0 + 600 * SECOND).delete()
    play.wake(600 * SECOND + 13 * SECOND + SETTLE + 1)
    assert play.entries[-1] == ("0", "", True)


def test_a_pause_in_beats_that_is_no_outage_changes_nothing(play: Play) -> None:
    placing(play)
    beat(175 * SECOND)
    with nothing_changes():
        assert not beat(175 * SECOND + AFTER)
        assert not give_back(play, 180 * SECOND)
    assert ServiceBeat.objects.get().at == T0 + 175 * SECOND + AFTER
    assert not ServiceOutage.objects.exists()


def test_any_process_that_is_alive_is_a_sign_of_life(play: Play) -> None:
    """One of two has stood still: there was no outage."""
    beat(100 * SECOND)
    for at in range(100, 140):
        beat(at * SECOND)
    assert not beat(140 * SECOND)
    assert not ServiceOutage.objects.exists()


def test_a_beat_from_a_slow_clock_does_not_turn_time_back(db: None) -> None:
    """Several processes beat; one of them may be a little behind."""
    beat(10 * SECOND)
    beat(9 * SECOND)
    assert ServiceBeat.objects.get().at == T0 + 10 * SECOND


def test_a_process_that_stood_still_beats_before_it_judges(
    play: Play, set_clock: Callable[[int], None]
) -> None:
    """It was stopped with a submission in it, and goes on with that before its heartbeat does."""
    placing(play)
    beat(180 * SECOND)
    set_clock(600 * SECOND)
    play.move(0, "D4 90", 600 * SECOND)
    assert [entry[0] for entry in play.entries[3:]] == ["service", "0"]


def test_a_match_that_began_after_an_outage_has_nothing_to_get_back(ada: User, ben: User) -> None:
    beat(0)
    beat(100 * SECOND)
    play = started((ada, ben), at=T0 + 100 * SECOND)
    with nothing_changes():
        assert not give_back(play, 101 * SECOND)


def test_grace_of_a_secret_choice_leaves_it_looking_open(play: Play, wire: Wire) -> None:
    """Both clocks are turned back together, whoever has chosen."""
    play.move(0, "pick T", 1 * SECOND)
    beat(50 * SECOND)
    beat(100 * SECOND)
    assert give_back(play, 100 * SECOND)
    told = {to: frame for to, frame in wire.frames("step") if to != group(play.pk, 0)}
    for frame in told.values():
        clocks = [decision["clock"] for decision in frame["view"]["decisions"]]
        assert len(clocks) == 2
        assert clocks[0] == clocks[1]


def test_the_sweep_gives_every_match_its_time_back(
    ada: User, ben: User, set_clock: Callable[[int], None]
) -> None:
    near, far = started((ada, ben)), started((ada, ben), options={"pick_time": 3600})
    beat(10 * SECOND)
    beat(30 * SECOND)
    set_clock(30 * SECOND)
    with committing():
        tasks.sweep()
    assert near.match.deadline_at == T0 + 80 * SECOND
    assert far.match.deadline_at == T0 + 3620 * SECOND
    with nothing_changes(), committing():
        tasks.sweep()


# -- the tasks -----------------------------------------------------------------------------------


@pytest.fixture
def enqueued(workers: Workers) -> list[Handed]:
    """What was handed to the broker, but for telling those who are away."""
    workers.unnoted.add(TELL_TURN)
    return workers.handed


def test_the_sweep_enqueues_what_is_near_and_settles_what_is_overdue(
    ada: User, ben: User, set_clock: Callable[[int], None], enqueued: list[Handed]
) -> None:
    starts = itertools.count(step=SECOND)
    plays = [started((ada, ben), at=T0 + next(starts)) for _ in range(6)]  # reminders at 30 s…35 s
    set_clock(32 * SECOND)
    tasks.sweep()
    # 30 s is past helping by a task, 31 and 32 s are due now, 33 and 34 s are near, 35 s is not.
    assert [match for _, (match,), _ in enqueued] == [play.pk for play in plays[1:5]]
    assert [round(each.countdown or 0, 1) for each in enqueued] == [0, 0, 1, 2]
    assert plays[0].match.wake_at == T0 + 45 * SECOND
    tasks.sweep()
    assert len(enqueued) == 4  # once for each instant


def test_a_near_deadline_is_enqueued_with_the_move_that_makes_it(
    ada: User, ben: User, set_clock: Callable[[int], None], enqueued: list[Handed]
) -> None:
    play = started((ada, ben), options={"choice_time": 2, "pick_time": 3600})
    set_clock(5 * SECOND)
    play.move(0, "pick T", 5 * SECOND)
    assert enqueued == []
    play.move(1, "pick L", 5 * SECOND)
    assert enqueued == [(WAKE, (play.pk,), (2000 + SETTLE + 1 + 2) / 1000)]


def test_tasks_for_matches_that_need_nothing_do_nothing(
    play: Play, set_clock: Callable[[int], None]
) -> None:
    set_clock(10 * SECOND)
    with nothing_changes():
        tasks.wake(play.pk)
        tasks.wake(play.pk + 1)
    play.move(0, "concede", 11 * SECOND)
    set_clock(100 * MINUTE)
    with nothing_changes():
        tasks.wake(play.pk)
        tasks.sweep()


def test_a_reserve_of_years_costs_no_more_than_another(ada: User, ben: User, wire: Wire) -> None:
    """Thirty million announcements lie ahead, and many behind: none of them is counted out."""
    years = 10**9
    play = placing(started((ada, ben), options={"reserve": years, "turn_time": 60}))
    wire.frames()
    entered = 63 * SECOND
    after = 20_000_000 * 30 * SECOND
    began = time.thread_time()  # of this thread alone, whatever else the machine does
    play.wake(entered + after)
    heard = [frame for to, frame in wire.frames("reminder") if to == group(play.pk, "room")]
    assert [(f["at"] - T0 - entered, f["left"]) for f in heard] == [(after, years * SECOND - after)]
    assert play.match.wake_at == T0 + entered + after + 30 * SECOND
    assert time.thread_time() - began < 2
