"""Sealed decisions that may be changed, that last as long as the other seat's, and that a certain
answer closes: seat 1 of the toy's variant ``guarded`` guesses while seat 0 picks."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import live as lives
from games.engine.acts import Act
from games.engine.course import MatchCourse
from games.engine.decisions import ROOM, Audience, seen_by
from games.engine.live import Live
from games.engine.saving import decode_table, encode_table
from games.engine.views import match_view
from tests.engine.helpers import cannot_add, course, entry, header, to_move
from tests.toy.rules import TOY

START = 1_000_000


def half() -> float:
    return 0.5


def guarded(*texts: str, **options: Any) -> MatchCourse:
    return course(header("guarded", **options), "0 ready", "1 ready", *texts)


def cards(now: MatchCourse) -> tuple[int, int]:
    """The cards once the picks are in; the order is asked for next."""
    assert now.table.state.phase == "order", "the barrier is still closed"
    found: tuple[int, int] = now.table.state.cards
    return found


# -- changing an answer --------------------------------------------------------------------------


def test_a_changeable_answer_leaves_its_decision_open() -> None:
    now = guarded("1 pick 2 @3")
    assert to_move(now.table) == [0, 1]
    assert now.table.holds_back(1)


def test_the_last_answer_counts() -> None:
    assert cards(guarded("1 pick 2 @3", "1 pick 4 @9", "1 pick 1 @9", "0 pick 3 @10")) == (3, 1)


def test_an_answer_that_cannot_be_changed_is_sealed() -> None:
    cannot_add("decision.sealed", guarded("0 pick 3 @5"), "0 pick 4 @6")


def test_readings_within_a_changeable_decision_only_rise() -> None:
    cannot_add("clock.backwards", guarded("1 pick 2 @9"), "1 pick 4 @8.999")


def test_a_change_is_judged_like_an_answer() -> None:
    cannot_add("pick.unknown", guarded("1 pick 2 @9"), "1 pick 9 @10")


def test_a_held_answer_survives_storage() -> None:
    table = guarded("1 pick 2 @3").table
    again = decode_table(TOY, table.header, encode_table(TOY, table))
    assert again == table


def test_taking_back_a_change_restores_the_answer_before_it() -> None:
    now = guarded("1 pick 2 @3", "1 pick 4 @9", "organiser take back", "0 pick 3 @10")
    assert cards(now) == (3, 2)


def test_an_extension_holds_for_a_held_answer_too() -> None:
    now = guarded("1 pick 2 @3", "organiser extend 1 7")
    assert {held.extension_ms for held in now.table.sealed} == {7_000}


def test_conceding_with_an_answer_held_back_is_charged_once() -> None:
    now = course(header("guarded"), "0 ready", "1 ready", "1 pick 2 @3", "1 concede @130")
    assert now.table.result is not None
    assert now.table.reserve_ms == (60_000, 60_000)
    assert now.table.sealed == ()


# -- when the barrier opens ----------------------------------------------------------------------


def test_it_opens_when_both_answers_are_in() -> None:
    assert cards(guarded("0 pick 3 @5", "1 pick 2 @6")) == (3, 2)
    assert cards(guarded("1 pick 2 @5", "0 pick 3 @6")) == (3, 2)


def test_an_early_answer_leaves_the_window_to_the_other_seat() -> None:
    now = guarded("0 pick 3 @19.999")
    assert to_move(now.table) == [1]
    assert cards(guarded("0 pick 3 @19.999", "1 pick 2 @20")) == (3, 2)
    cannot_add("clock.over", now, "1 pick 2 @20.001")


def test_the_window_runs_out_in_the_record() -> None:
    now = guarded("0 pick 3 @1")
    cannot_add("clock.not-out", now, "1 timeout @20")
    now.add(entry("1 timeout @20.001"))
    assert to_move(now.table) == []
    now.add(entry("chance pick 1 4"))
    assert cards(now) == (3, 4)


def test_after_the_window_the_other_answer_opens_it_at_once() -> None:
    assert cards(guarded("0 pick 3 @20")) == (3, 0)
    assert cards(guarded("0 pick 3 @95")) == (3, 0)


def test_the_organiser_may_extend_the_window() -> None:
    now = guarded("organiser extend 1 10", "0 pick 3 @25")
    assert to_move(now.table) == [1]
    now.add(entry("1 pick 2 @30"))
    assert cards(now) == (3, 2)


def test_while_the_other_seat_thinks_a_lingering_decision_does_not_run_out() -> None:
    cannot_add("clock.not-out", guarded(), "1 timeout")
    assert cards(guarded("1 pick 2 @150", "0 pick 3 @180")) == (3, 2)
    cannot_add("clock.over", guarded(), "1 pick 2 @180.001")


def test_a_certain_answer_closes_everything() -> None:
    assert cards(guarded("0 pick 5 @1")) == (5, 0)
    assert cards(guarded("1 pick 2 @1", "0 pick 5 @1")) == (5, 2)


def test_running_out_of_time_may_close_everything_and_is_then_public() -> None:
    now = guarded("1 pick 2 @1")
    step = now.add(entry("0 timeout @180.001"))
    assert cards(now) == (5, 2)
    assert now.table.reserve_ms == (0, 60_000)
    assert next(e.text for e in seen_by(step.events, ROOM)) == "ran out of time"


def test_the_clock_of_an_answer_stands_where_it_came_in() -> None:
    """Charged is the reading of the answer, not that of the moment at which the barrier opens."""
    now = guarded("0 pick 3 @121", "1 concede @1", window_time=150)
    assert now.table.reserve_ms == (59_000, 60_000)


# -- live ----------------------------------------------------------------------------------------


def begun(**options: Any) -> Live:
    live = lives.begin(TOY, header("guarded", **options), at=START, random=half).live
    for seat in (0, 1):
        live = lives.submit(TOY, live, seat=seat, text="ready", at=START, random=half).live
    return live


def submitted(live: Live, seat: int, text: str, at: int) -> Live:
    turn = lives.submit(TOY, live, seat=seat, text=text, at=at, random=half)
    assert turn.refusal is None, turn.refusal
    return turn.live


def test_deadlines_follow_what_is_held() -> None:
    live = begun()
    assert lives.deadline_of(TOY, live, 1) is None
    assert lives.next_deadline(TOY, live) == START + 180_000
    picked = submitted(live, 0, "pick 3", START + 4_000)
    assert lives.next_deadline(TOY, picked) == START + 20_000
    guessed = submitted(live, 1, "pick 2", START + 4_000)
    assert lives.next_deadline(TOY, guessed) == START + 180_000


def test_the_window_runs_out_by_itself() -> None:
    picked = submitted(begun(), 0, "pick 3", START + 4_000)
    assert lives.expire(TOY, picked, at=START + 20_000, random=half).happened == ()
    turn = lives.expire(TOY, picked, at=START + 20_001, random=half)
    assert [h.entry.actor for h in turn.happened] == [1, "chance"]
    assert turn.happened[0].entry.reading_ms == 20_001
    assert turn.live.table.state.phase == "order"


def test_a_guess_that_comes_after_the_others_time_is_too_late() -> None:
    turn = lives.submit(TOY, begun(), seat=1, text="pick 2", at=START + 180_001, random=half)
    assert [(h.entry.actor, h.entry.timeout) for h in turn.happened] == [(0, True)]
    assert turn.refusal is not None


def seen(live: Live, audience: Audience, at: int) -> bytes:
    view = match_view(TOY, live, audience, at=at)
    due = [r for r in lives.reminders(TOY, live, after=START) if r.at <= at]
    return msgspec.json.encode([view, due])


@given(after=st.integers(0, 170_000), later=st.integers(0, 9_000), card=st.integers(1, 5))
def test_nobody_else_sees_a_guess_or_its_change(after: int, later: int, card: int) -> None:
    before = begun()
    live = submitted(before, 1, f"pick {card}", START + after)
    changed = submitted(live, 1, "pick 1", START + after + later)
    at = START + after + later + 1
    for audience in (0, ROOM):
        assert seen(live, audience, at) == seen(before, audience, at)
        assert seen(changed, audience, at) == seen(before, audience, at)


@given(after=st.integers(0, 19_999), later=st.integers(0, 60_000))
def test_nobody_else_sees_that_the_pick_is_in(after: int, later: int) -> None:
    before = begun()
    live = submitted(before, 0, "pick 3", START + after)
    at = START + after + later
    for audience in (1, ROOM):
        assert seen(live, audience, at) == seen(before, audience, at)


@pytest.mark.parametrize(("seat", "others"), [(0, (1, ROOM)), (1, (0, ROOM))])
@pytest.mark.parametrize("down", [(10_000, 30_000), (150_000, 200_000)])
def test_an_outage_does_not_give_an_answer_away(
    seat: int, others: tuple[Audience, ...], down: tuple[int, int]
) -> None:
    before = begun()
    live = submitted(before, seat, "pick 3", START + 9_000)
    since, at = START + down[0], START + down[1]
    graced = [
        lives.given_back(TOY, each, outages=[(since, at)], at=at, least_ms=15_000)
        for each in (before, live)
    ]
    for audience in others:
        assert seen(graced[0], audience, at) == seen(graced[1], audience, at)


def test_a_clock_turned_back_by_grace_takes_a_change() -> None:
    live = submitted(begun(), 1, "pick 3", START + 19_000)
    at = START + 40_000
    live = lives.given_back(TOY, live, outages=[(START + 19_500, at)], at=at, least_ms=15_000)
    submitted(live, 1, "pick 4", at + 1)


def test_a_pause_does_not_give_an_answer_away() -> None:
    before = begun()
    live = submitted(before, 1, "pick 3", START + 3_000)
    for act, at in ((Act("pause"), START + 9_000), (Act("resume"), START + 99_000)):
        before, live = (
            lives.organise(TOY, each, act=act, by="", why="", at=at, random=half).live
            for each in (before, live)
        )
        for audience in (0, ROOM):
            assert seen(live, audience, at + 500) == seen(before, audience, at + 500)


def test_a_view_says_what_may_be_changed_and_what_lingers() -> None:
    live = submitted(begun(), 1, "pick 3", START + 3_000)
    theirs, own = match_view(TOY, live, 1, at=START + 4_000)["decisions"]
    assert "changeable" not in theirs
    assert "lingers" not in theirs["clock"]
    assert own["sealed"] == "pick 3"
    assert own["changeable"] is True
    assert own["clock"]["lingers"] is True
    assert own["clock"]["turn_ms"] == 20_000
