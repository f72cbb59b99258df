"""Live play: instants, deadlines, timeouts, pauses, reminders, outages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import live as lives
from games.engine.acts import parse_act
from games.engine.clocks import Watch
from games.engine.course import MatchCourse
from games.engine.decisions import Seat
from games.engine.errors import EngineFault
from games.engine.live import Live, Reminder, Turn
from games.engine.table import Entry, Header
from tests.engine.helpers import UP_TO_TURNS, entries, header, refused, to_move
from tests.toy.rules import TOY

START = 1_000_000_000


def middle() -> float:
    return 0.5


class Game:
    """A live match that keeps its entries, as the server's rows do."""

    def __init__(self, toy: Header) -> None:
        self.header = toy
        self.entries: list[Entry] = []
        self.live = Live(MatchCourse(TOY, toy).table)
        self._keep(lives.begin(TOY, toy, at=START, random=middle))

    def _keep(self, turn: Turn) -> Turn:
        self.live = turn.live
        self.entries += [happened.entry for happened in turn.happened]
        if turn.happened:
            assert turn.happened[-1].table == turn.live.table
        return turn

    def submit(self, seat: Seat, text: str, at: int) -> Turn:
        turn = lives.submit(TOY, self.live, seat=seat, text=text, at=at, random=middle)
        return self._keep(turn)

    def must(self, seat: Seat, text: str, at: int) -> Turn:
        turn = self.submit(seat, text, at)
        assert turn.refusal is None, turn.refusal
        return turn

    def expire(self, at: int) -> Turn:
        return self._keep(lives.expire(TOY, self.live, at=at, random=middle))

    def organise(self, text: str, at: int) -> Turn:
        turn = lives.organise(
            TOY,
            self.live,
            act=parse_act(text),
            by="Cleo",
            why="because",
            at=at,
            random=middle,
            entries=self.entries,
        )
        return self._keep(turn)

    def deadline(self, seat: Seat) -> int | None:
        return lives.deadline_of(TOY, self.live, seat)

    def reading(self, seat: Seat, at: int) -> int:
        watch = self.live.watches[seat]
        assert watch is not None
        return watch.reading(at)

    @property
    def said(self) -> list[str]:
        return [_said(entry) for entry in self.entries]


def _said(entry: Entry) -> str:
    what = "timeout" if entry.timeout else entry.text
    t = "" if entry.reading_ms is None else f" @{entry.reading_ms / 1000:g}"
    return f"{entry.actor} {what}{t}"


def in_turns(**options: Any) -> Game:
    """A match whose first turn (seat 1's) began at ``START``: the heap is 8."""
    game = Game(header(**options))
    for seat, text in ((0, "ready"), (1, "ready"), (0, "pick 3"), (1, "pick 5"), (1, "first")):
        game.must(seat, text, START)
    assert game.live.table.state.heap == 8
    return game


# -- beginning -----------------------------------------------------------------------------------


def test_a_match_begins_with_running_clocks() -> None:
    game = Game(header())
    assert game.entries == []
    assert game.live.watches == (Watch(0, START), Watch(0, START))
    assert lives.next_deadline(TOY, game.live) == START + 180_000


def test_an_open_advantage_is_drawn_at_once() -> None:
    game = Game(header(advantage=None))
    assert game.said == ["chance lot 1"]
    assert game.live.table.advantage == 1
    assert game.live.watches[0] == Watch(0, START)


def test_a_setup_that_is_refused_does_not_begin() -> None:
    refused("setup.variant", lives.begin, TOY, header("strange"), at=START, random=middle)


# -- submitting ----------------------------------------------------------------------------------


def test_a_submission_is_kept_with_its_reading_and_canonical_text() -> None:
    game = in_turns()
    turn = game.must(1, " TAKE 3. ", START + 5_432)
    assert game.said[-1] == "1 take 3 @5.432"
    assert [event.kind for event in turn.happened[0].events] == ["take"]
    assert game.live.watches == (Watch(0, START + 5_432), None)


def test_chance_that_comes_due_is_drawn_in_the_same_call() -> None:
    game = Game(header())
    for seat, text in ((0, "ready"), (1, "ready"), (0, "pick 3"), (1, "pick 5")):
        game.must(seat, text, START)
    turn = game.must(1, "second", START + 3)
    assert [_said(h.entry) for h in turn.happened] == ["1 second @0.003", "chance die 4"]
    assert [[e.text for e in h.events] for h in turn.happened] == [["went on"], ["The heap is 8."]]


@pytest.mark.parametrize(
    ("seat", "text", "code"),
    [
        (0, "take 3", "decision.none"),
        (1, "take 9", "take.too-many"),
        (1, "grab", "notation.unreadable"),
        (1, "", "notation.unreadable"),
        (1, "take back", "notation.unreadable"),
    ],
)
def test_a_refused_submission_changes_nothing(seat: Seat, text: str, code: str) -> None:
    game = in_turns()
    before, kept = game.live, list(game.entries)
    turn = game.submit(seat, text, START + 99)
    assert turn.refusal is not None
    assert turn.refusal.code == code
    assert game.live == before
    assert game.entries == kept


def test_the_clock_runs_on_after_a_refusal() -> None:
    game = in_turns()
    game.submit(1, "take 9", START + 100_000)
    assert game.deadline(1) == START + 180_000
    game.must(1, "take 3", START + 130_000)
    assert game.live.table.reserve_ms == (60_000, 50_000)


def test_the_clock_runs_through_all_submissions_of_a_decision() -> None:
    game = in_turns()
    game.must(1, "take 1", START + 100_000)
    assert game.deadline(1) == START + 180_000
    game.must(1, "mark a", START + 125_000)
    assert game.said[-2:] == ["1 take 1 @100", "1 mark a @125"]
    assert game.live.table.reserve_ms == (60_000, 55_000)


# -- the boundary --------------------------------------------------------------------------------

LIMITS = [
    ({}, 180_000),
    ({"reserve": 0}, 120_000),
    ({"interval": 10}, 180_000),
    ({"interval": 7, "reserve": 20}, 140_000),
    ({"turn_time": 0.25, "reserve": 0.25}, 500),
]


@pytest.mark.parametrize(("options", "limit"), LIMITS)
def test_a_submission_at_the_limit_counts(options: dict[str, float], limit: int) -> None:
    game = in_turns(**options)
    assert game.deadline(1) == START + limit
    assert game.expire(START + limit).happened == ()
    game.must(1, "take 3", START + limit)
    assert game.live.table.reserve_ms[1] == 0
    assert game.live.table.result is None


@pytest.mark.parametrize(("options", "limit"), LIMITS)
def test_a_submission_after_the_limit_finds_the_timeout_done(
    options: dict[str, float], limit: int
) -> None:
    game = in_turns(**options)
    turn = game.submit(1, "take 3", START + limit + 1)
    assert turn.refusal is not None
    assert turn.refusal.code == "clock.over"
    assert game.said[-1] == f"1 timeout @{(limit + 1) / 1000:g}"
    assert game.live.table.result is not None
    assert game.live.table.result.reason == "timeout"


@given(first=st.integers(-3, 3), second=st.integers(-3, 3), submit_first=st.booleans())
def test_a_submission_and_its_timeout_never_both_take_effect(
    first: int, second: int, submit_first: bool
) -> None:
    game = in_turns(mild=True)
    limit = START + 180_000

    def submit(at: int) -> None:
        game.submit(1, "take 3", at)

    acts = [submit, game.expire] if submit_first else [game.expire, submit]
    for act, offset in zip(acts, (first, second), strict=True):
        act(limit + offset)
    own = [entry for entry in game.entries[6:] if entry.actor == 1]
    assert len(own) <= 1
    submitted_at = limit + (first if submit_first else second)
    if submitted_at <= limit and (submit_first or limit + first <= limit):
        assert [_said(entry).split(" @")[0] for entry in own] == ["1 take 3"]


def test_a_timeout_of_one_seat_does_not_stop_the_other_from_answering() -> None:
    game = Game(header(look_time=10))
    game.organise("extend 1 60", START)
    turn = game.must(1, "ready", START + 10_001)
    assert [_said(h.entry) for h in turn.happened] == ["0 timeout @10.001", "1 ready @10.001"]


def test_a_late_submission_answers_no_decision_that_its_timeout_opened() -> None:
    game = in_turns(mild=True)
    game.must(1, "take 3", START)
    # Seat 0 runs out and then, in the same call, it is seat 1's turn: not what it was asked.
    turn = game.submit(0, "take 3", START + 180_001)
    assert turn.refusal is not None
    assert to_move(game.live.table) == [1]


def test_conceding_is_never_late_while_the_match_is_on() -> None:
    game = in_turns(mild=True)
    turn = game.must(1, "concede", START + 180_001)
    assert [_said(h.entry) for h in turn.happened] == ["1 timeout @180.001", "1 concede"]
    assert game.live.table.result is not None
    assert game.live.table.result.winner == 0


def test_conceding_after_a_timeout_that_ended_the_match_is_refused() -> None:
    game = in_turns()
    turn = game.submit(1, "concede", START + 180_001)
    assert turn.refusal is not None
    assert turn.refusal.code == "match.over"
    assert game.said[-1] == "1 timeout @180.001"


def test_conceding_without_a_decision_states_no_reading() -> None:
    game = in_turns()
    game.must(0, "concede", START + 9)
    assert game.said[-1] == "0 concede"
    game = in_turns()
    game.must(1, "concede", START + 130_000)
    assert game.said[-1] == "1 concede @130"
    assert game.live.table.reserve_ms == (60_000, 50_000)


# -- expiring ------------------------------------------------------------------------------------


def test_nothing_runs_out_before_its_deadline() -> None:
    game = in_turns()
    before = game.live
    assert game.expire(START + 180_000).happened == ()
    assert game.live == before


@given(later=st.lists(st.integers(180_001, 10**7), min_size=1, max_size=4))
def test_expiring_is_idempotent(later: list[int]) -> None:
    game = in_turns()
    for at in sorted(later):
        game.expire(START + at)
    assert game.said[6:] == [f"1 timeout @{min(later) / 1000:g}"]


def test_expiring_twice_at_one_instant_does_nothing_more() -> None:
    game = in_turns(mild=True)
    at = START + 10**7
    first = game.expire(at)
    assert len(first.happened) == 1
    assert to_move(game.live.table) == [0]
    assert game.deadline(0) == at + 180_000  # it opened now and not in the past
    assert game.expire(at).happened == ()


def test_several_deadlines_may_have_passed() -> None:
    game = Game(header(look_time=10))
    turn = game.expire(START + 10_001)
    assert [_said(h.entry) for h in turn.happened] == ["0 timeout @10.001", "1 timeout @10.001"]
    turn = game.expire(START + 10_001 + 60_001)
    assert [_said(h.entry) for h in turn.happened] == [
        "0 timeout @60.001",
        "chance pick 0 3",
        "1 timeout @60.001",
        "chance pick 1 3",
    ]
    assert game.live.table.sealed == ()
    assert to_move(game.live.table) == [1]


def test_deadlines_expire_in_the_order_in_which_they_passed() -> None:
    game = Game(header(look_time=10))
    game.organise("extend 0 5", START)
    turn = game.expire(START + 60_000)
    assert [h.entry.actor for h in turn.happened] == [1, 0]


def test_a_timeout_that_ends_the_match_stops_there() -> None:
    game = in_turns()
    game.expire(START + 10**6)
    assert game.live.table.result is not None
    assert game.live.watches == (None, None)
    assert lives.next_deadline(TOY, game.live) is None
    assert game.expire(START + 10**9).happened == ()


# -- the organiser -------------------------------------------------------------------------------


def test_what_ran_out_before_an_act_happens_first() -> None:
    game = in_turns(mild=True)
    turn = game.organise("reserve 1 +60", START + 180_001)
    assert [_said(h.entry) for h in turn.happened] == [
        "1 timeout @180.001",
        "organiser reserve 1 +60",
    ]
    assert turn.happened[-1].entry.by == "Cleo"
    assert turn.happened[-1].entry.why == "because"


def test_a_refused_act_raises() -> None:
    game = in_turns()
    with pytest.raises(Exception, match=r"organiser\.not-paused"):
        game.organise("resume", START)


def test_acts_move_the_deadline() -> None:
    game = in_turns()
    game.organise("reserve 1 +60", START + 1)
    assert game.deadline(1) == START + 240_000
    game.organise("extend 1 30", START + 2)
    assert game.deadline(1) == START + 270_000
    game.organise("reserve 1 -500", START + 3)
    assert game.deadline(1) == START + 150_000


def test_taking_reserve_away_from_a_running_decision_may_end_it() -> None:
    game = in_turns()
    game.organise("reserve 1 -60", START + 150_000)
    turn = game.expire(START + 150_001)
    assert [_said(h.entry) for h in turn.happened] == ["1 timeout @150.001"]


@given(used=st.integers(0, 180_000), pause=st.integers(0, 10**9), then=st.integers(0, 180_000))
def test_a_pause_restores_exactly_what_was_left(used: int, pause: int, then: int) -> None:
    game = in_turns()
    game.organise("pause", START + used)
    assert game.deadline(1) is None
    assert lives.next_deadline(TOY, game.live) is None
    assert lives.reminders(TOY, game.live, after=0) == []
    assert game.expire(START + used + pause).happened == ()
    game.organise("resume", START + used + pause)
    assert game.deadline(1) == START + 180_000 + pause
    if used + then <= 180_000:
        game.must(1, "take 3", START + used + pause + then)
        assert game.live.table.reserve_ms[1] == 60_000 - max(0, used + then - 120_000)


def test_nothing_but_a_concession_is_taken_during_a_pause() -> None:
    game = in_turns()
    game.organise("pause", START + 5)
    turn = game.submit(1, "take 3", START + 6)
    assert turn.refusal is not None
    assert turn.refusal.code == "match.paused"
    game.must(0, "concede", START + 7)


def test_a_pause_stops_both_clocks() -> None:
    game = Game(header())
    game.organise("pause", START + 50)
    game.organise("resume", START + 1_050)
    assert game.deadline(0) == game.deadline(1) == START + 181_000


def test_a_decision_that_opens_during_a_pause_waits() -> None:
    game = in_turns()
    game.must(1, "dare", START + 5)
    game.organise("pause", START + 10)
    game.organise("rule valid", START + 20)
    assert to_move(game.live.table) == [0]
    assert game.deadline(0) is None
    game.organise("resume", START + 1_000)
    assert game.deadline(0) == START + 1_000 + 180_000


# -- taking back ---------------------------------------------------------------------------------


def test_the_clock_of_a_decision_that_is_open_again_shows_what_it_showed() -> None:
    game = in_turns()
    game.must(1, "take 3", START + 50_000)
    game.organise("take back", START + 70_000)
    assert game.reading(1, START + 70_000) == 50_000
    assert game.live.watches[0] is None
    assert game.deadline(1) == START + 70_000 + 130_000
    game.must(1, "take 2", START + 80_000)
    assert game.said[-1] == "1 take 2 @60"


def test_a_reserve_that_was_spent_is_there_again_and_spent_again() -> None:
    game = in_turns()
    game.must(1, "take 3", START + 150_000)
    assert game.live.table.reserve_ms == (60_000, 30_000)
    game.organise("take back", START + 200_000)
    assert game.live.table.reserve_ms == (60_000, 60_000)
    assert game.reading(1, START + 200_000) == 150_000
    assert game.deadline(1) == START + 230_000


def test_the_other_seats_clock_runs_on_when_its_decision_is_the_same() -> None:
    game = Game(header())
    game.must(0, "ready", START + 10_000)
    game.organise("take back", START + 50_000)
    assert game.reading(0, START + 50_000) == 10_000
    assert game.reading(1, START + 50_000) == 50_000


def test_an_extension_is_not_lost_with_another_seats_submission() -> None:
    game = Game(header(look_time=60))
    game.must(0, "ready", START + 10_000)
    game.organise("extend 1 60", START + 50_000)
    game.organise("take back", START + 70_000)
    assert game.expire(START + 71_000).happened == ()
    assert game.deadline(1) == START + 120_000


def test_a_decision_that_ran_out_after_the_undone_submission_has_its_time_again() -> None:
    game = Game(header(look_time=60))
    game.must(0, "ready", START + 10_000)
    game.expire(START + 60_001)
    assert to_move(game.live.table) == [0, 1]
    game.organise("take back", START + 61_000)
    assert game.reading(0, START + 61_000) == game.reading(1, START + 61_000) == 10_000
    assert game.expire(START + 61_000).happened == ()
    assert game.deadline(1) == START + 111_000


def test_a_sealed_answer_that_stands_has_a_running_clock_again() -> None:
    game = Game(header())
    for seat in (0, 1):
        game.must(seat, "ready", START)
    game.must(0, "pick 3", START + 5_000)
    game.must(1, "pick 5", START + 20_000)
    game.organise("take back", START + 30_000)
    assert game.live.table.holds_back(0)
    assert game.live.watches == (Watch(20_000, START + 30_000), Watch(20_000, START + 30_000))
    assert lives.deadline_of(TOY, game.live, 0) is None
    assert game.deadline(1) == START + 70_000


@pytest.mark.parametrize("picks", [0, 1])
def test_a_take_back_cannot_tell_how_many_secret_answers_are_in(picks: int) -> None:
    """The last submission that everybody knows of goes, and the secret ones after it."""
    game = Game(header())
    for seat, after in ((0, 1_000), (1, 2_000)):
        game.must(seat, "ready", START + after)
    if picks:
        game.must(0, "pick 3", START + 5_000)
    turn = game.organise("take back", START + 30_000)
    assert turn.live.table == MatchCourse(TOY, header(), entries("0 ready @1")).table
    assert game.reading(1, START + 30_000) == 2_000
    assert [len(happened.events) for happened in turn.happened[:-1]] == [0] * (picks > 0)
    assert MatchCourse(TOY, header(), game.entries).table == turn.live.table


def test_secret_answers_alone_are_not_taken_back() -> None:
    for picks in ((), ("pick 3",)):
        game = Game(header(look_time=60))
        game.expire(START + 60_001)
        for text in picks:
            game.must(0, text, START + 61_000)
        refused("organiser.nothing-to-take-back", game.organise, "take back", START + 62_000)


def test_a_seat_takes_back_a_secret_answer_of_its_own() -> None:
    game = Game(header())
    for seat in (0, 1):
        game.must(seat, "ready", START)
    game.must(0, "pick 3", START + 5_000)
    before = game.live.table
    game.must(1, "pick 5", START + 20_000)
    turn = game.organise("take back 1", START + 30_000)
    assert turn.live.table == before
    assert [happened.entry.text for happened in turn.happened] == ["take back 1"]
    assert game.reading(1, START + 30_000) == 20_000
    game.must(1, "pick 4", START + 31_000)
    turn = game.organise("take back 0", START + 40_000)
    assert turn.live.table == MatchCourse(TOY, header(), entries("0 ready", "1 ready")).table
    assert game.reading(0, START + 40_000) == 5_000


def test_the_time_shown_does_not_tell_whether_an_answer_is_in() -> None:
    game = Game(header())
    for seat in (0, 1):
        game.must(seat, "ready", START)
    before = [lives.deadline_shown(TOY, game.live, seat) for seat in (0, 1)]
    game.must(0, "pick 3", START + 5_000)
    assert [lives.deadline_shown(TOY, game.live, seat) for seat in (0, 1)] == before


def test_a_take_back_during_a_pause_leaves_the_clocks_standing() -> None:
    game = in_turns()
    game.must(1, "take 3", START + 50_000)
    game.organise("pause", START + 60_000)
    game.organise("take back", START + 70_000)
    assert game.live.watches == (None, Watch(50_000, None))
    game.organise("resume", START + 90_000)
    assert game.deadline(1) == START + 90_000 + 130_000


def test_a_part_of_a_decision_taken_back_leaves_its_clock_where_it_was() -> None:
    game = in_turns()
    game.must(1, "take 1", START + 10_000)
    game.must(1, "mark a", START + 30_000)
    game.organise("take back", START + 50_000)
    assert game.reading(1, START + 50_000) == 30_000
    game.organise("take back", START + 60_000)
    assert game.reading(1, START + 60_000) == 10_000


def test_chance_is_drawn_anew_after_a_take_back() -> None:
    game = in_turns()
    game.organise("take back", START + 5)
    assert game.live.table.state.phase == "order"
    game.must(1, "second", START + 6)
    assert game.said[-2:] == ["1 second @0.001", "chance die 4"]


def test_there_may_be_nothing_to_take_back() -> None:
    game = Game(header())
    with pytest.raises(Exception, match=r"organiser\.nothing-to-take-back"):
        game.organise("take back", START + 5)


def test_a_timeout_that_came_due_is_part_of_what_a_take_back_sees() -> None:
    game = in_turns(mild=True)
    game.must(1, "take 3", START + 10_000)
    turn = game.organise("take back", START + 10_000 + 180_001)
    assert [_said(h.entry) for h in turn.happened] == [
        "0 timeout @180.001",
        "organiser take back",
    ]
    assert to_move(game.live.table) == [1]
    assert game.reading(1, START + 190_001) == 10_000


# -- reminders -----------------------------------------------------------------------------------


def _at(reminders: Sequence[Reminder]) -> list[tuple[int, int | None, str, int]]:
    return [(r.at - START, r.seat, r.kind, r.left_ms) for r in reminders]


def test_reminders_are_due_at_fixed_points_of_turn_and_reserve() -> None:
    game = in_turns(reserve=90)
    assert _at(lives.reminders(TOY, game.live, after=START)) == [
        (90_000, 1, "turn", 30_000),
        (105_000, 1, "turn", 15_000),
        (115_000, 1, "turn", 5_000),
        (120_000, 1, "reserve-entered", 90_000),
        (150_000, 1, "reserve", 60_000),
        (180_000, 1, "reserve", 30_000),
    ]


def test_only_reminders_that_are_still_to_come_are_listed() -> None:
    game = in_turns(reserve=90)
    due = lives.reminders(TOY, game.live, after=START + 115_000)
    assert [r.kind for r in due] == ["reserve-entered", "reserve", "reserve"]
    assert lives.reminders(TOY, game.live, after=START + 10**7) == []


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        ({"reserve": 0}, ["turn", "turn", "turn"]),
        ({"turn_time": 30, "reserve": 0}, ["turn", "turn"]),
        ({"turn_time": 5, "reserve": 30}, ["reserve-entered"]),
        ({"turn_time": 5, "reserve": 30.001}, ["reserve-entered", "reserve"]),
        ({"turn_time": 0, "reserve": 10}, []),
    ],
)
def test_short_times_have_fewer_reminders(options: dict[str, float], kinds: list[str]) -> None:
    game = in_turns(**options)
    due = lives.reminders(TOY, game.live, after=START)
    assert [reminder.kind for reminder in due] == kinds


def test_sealed_choosers_are_reminded_together() -> None:
    game = Game(header())
    for seat in (0, 1):
        game.must(seat, "ready", START)
    assert _at(lives.reminders(TOY, game.live, after=START)) == [
        (30_000, None, "turn", 30_000),
        (45_000, None, "turn", 15_000),
        (55_000, None, "turn", 5_000),
    ]


@pytest.mark.parametrize("sealed", [(), (0,), (1,)])
def test_sealed_choosers_whose_times_differ_are_reminded_each(sealed: tuple[Seat, ...]) -> None:
    """Whose time is longer is no secret; whether they have chosen is, and changes nothing."""
    game = Game(header())
    for seat in (0, 1):
        game.must(seat, "ready", START)
    game.organise("extend 0 15", START)
    for seat in sealed:
        game.must(seat, "pick 3", START)
    assert _at(lives.reminders(TOY, game.live, after=START)) == [
        (30_000, 1, "turn", 30_000),
        (45_000, 0, "turn", 30_000),
        (45_000, 1, "turn", 15_000),
        (55_000, 1, "turn", 5_000),
        (60_000, 0, "turn", 15_000),
        (70_000, 0, "turn", 5_000),
    ]


def test_decisions_side_by_side_are_reminded_of_each() -> None:
    due = lives.reminders(TOY, Game(header()).live, after=START)
    assert [(r.at - START, r.seat) for r in due][:2] == [(150_000, 0), (150_000, 1)]


def test_reminders_follow_an_extension_and_a_pause() -> None:
    game = in_turns(reserve=0)
    game.organise("pause", START + 100_000)
    game.organise("resume", START + 200_000)
    game.organise("extend 1 10", START + 200_000)
    due = lives.reminders(TOY, game.live, after=START + 200_000)
    assert (
        _at(due)
        == [
            (200_000, 1, "turn", 30_000),
            (215_000, 1, "turn", 15_000),
            (225_000, 1, "turn", 5_000),
        ][1:]
    )


@given(st.integers(-1_000, 250_000), st.sampled_from([0, 10, 30, 90]))
def test_the_next_reminder_is_the_first_of_all(after: int, reserve: int) -> None:
    for live in (in_turns(reserve=reserve).live, Game(header()).live):
        due = lives.reminders(TOY, live, after=START + after)
        first = lives.next_reminder(TOY, live, after=START + after)
        assert first == (due[0].at if due else None)


# -- outages -------------------------------------------------------------------------------------


# Seconds, as everywhere here since the start; in these games the decision runs out at 180 s.
@pytest.mark.parametrize(
    ("down_since", "at", "left"),
    [
        (100_000, 170_000, 80_000),  # the service was back in time
        (100_000, 180_000, 80_000),
        (100_000, 900_000, 80_000),  # it would have run out meanwhile
        (164_999, 200_000, 15_001),
        (165_001, 200_000, 15_000),  # they have to find back first
        (179_000, 300_000, 15_000),
        (180_000, 180_001, 15_000),  # the deadline was the first instant of the outage
        (180_001, 300_000, None),  # it ran out before
    ],
)
def test_what_clocks_ran_while_the_service_was_away_is_given_back(
    down_since: int, at: int, left: int | None
) -> None:
    game = in_turns()
    outages = [(START + down_since, START + at)]
    given = lives.given_back(TOY, game.live, outages=outages, at=START + at, least_ms=15_000)
    if left is None:
        assert given == game.live
        return
    assert lives.deadline_of(TOY, given, 1) == START + at + left
    assert given.table == game.live.table
    # It is the end of what the clock allowed: nothing is won by it.
    turn = lives.submit(TOY, given, seat=1, text="take 3", at=START + at + left, random=middle)
    assert turn.refusal is None
    assert turn.live.table.reserve_ms == (60_000, 0)


def test_an_outage_that_is_given_back_late_is_given_back_whole() -> None:
    """Whoever comes first gives it back: meanwhile the clock has run on, and that stays."""
    game = in_turns()
    outages = [(START + 100_000, START + 130_000)]
    given = lives.given_back(TOY, game.live, outages=outages, at=START + 140_000)
    assert lives.deadline_of(TOY, given, 1) == START + 210_000


def test_several_outages_are_given_back_together_and_what_lay_before_the_decision_is_not() -> None:
    game = in_turns()
    outages = [(START - 90_000, START + 10_000), (START + 20_000, START + 25_000)]
    given = lives.given_back(TOY, game.live, outages=outages, at=START + 30_000)
    assert lives.deadline_of(TOY, given, 1) == START + 180_000 + 10_000 + 5_000
    earlier = [(START - 90_000, START - 10_000)]
    assert lives.given_back(TOY, game.live, outages=earlier, at=START + 5_000) == game.live


def test_nobody_gets_more_than_the_decision_has() -> None:
    game = in_turns(turn_time=5, reserve=0)
    outages = [(START, START + 99_000)]
    given = lives.given_back(TOY, game.live, outages=outages, at=START + 99_000, least_ms=15_000)
    assert lives.deadline_of(TOY, given, 1) == START + 99_000 + 5_000


def test_no_clock_is_turned_back_behind_an_earlier_submission() -> None:
    game = in_turns(turn_time=20, reserve=0)
    game.must(1, "take 1", START + 18_000)
    outages = [(START + 19_000, START + 99_000)]
    given = lives.given_back(TOY, game.live, outages=outages, at=START + 99_000, least_ms=15_000)
    assert lives.deadline_of(TOY, given, 1) == START + 99_000 + 2_000
    turn = lives.submit(TOY, given, seat=1, text="mark a", at=START + 99_000, random=middle)
    assert turn.refusal is None


def test_a_paused_match_is_left_alone() -> None:
    game = in_turns()
    game.organise("pause", START + 100_000)
    outages = [(0, START + 10**9)]
    given = lives.given_back(TOY, game.live, outages=outages, at=START + 10**9, least_ms=15_000)
    assert given == game.live


# -- storage -------------------------------------------------------------------------------------


def test_a_live_match_survives_storage_at_every_step() -> None:
    game = Game(header(advantage=None, mild=True))
    steps: list[Callable[[], object]] = [
        lambda: game.must(0, "ready", START + 1),
        lambda: game.must(1, "ready", START + 2),
        lambda: game.must(1, "pick 2", START + 3),
        lambda: game.organise("pause", START + 4),
        lambda: game.organise("resume", START + 5),
        lambda: game.expire(START + 70_000),
        lambda: game.expire(START + 140_000),
        lambda: game.organise("void", START + 150_000),
    ]
    for step in steps:
        step()
        data = lives.encode_live(TOY, game.live)
        assert lives.decode_live(TOY, game.header, data) == game.live
        assert lives.decode_live(TOY, game.header, data.decode()) == game.live


@pytest.mark.parametrize("data", [b"", b"{}", b'{"table": null, "watches": [null, null]}', b"\xff"])
def test_what_is_no_live_match_is_a_fault(data: bytes) -> None:
    with pytest.raises(EngineFault):
        lives.decode_live(TOY, header(), data)


def test_the_entries_of_live_play_are_the_record() -> None:
    game = in_turns()
    assert game.entries[:5] == entries(*(f"{text} @0" for text in UP_TO_TURNS[:5]))
    assert MatchCourse(TOY, game.header, game.entries).table == game.live.table
