"""The organiser's acts: texts, effects, refusals; and taking back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import acts, limits
from games.engine.acts import Act, is_take_back, parse_act
from games.engine.decisions import Outcome
from games.engine.errors import EngineFault
from games.engine.limits import shown
from games.engine.play import is_concession
from games.engine.table import Entry
from tests.engine.helpers import (
    UP_TO_TURNS,
    cannot_add,
    course,
    entries,
    entry,
    header,
    refused,
    table,
    to_move,
)
from tests.toy.rules import TOY

TOY_HEADER = header()
ACTS = [
    ("pause", Act("pause")),
    ("resume", Act("resume")),
    ("reserve 0 +60", Act("reserve", 0, 60_000)),
    ("reserve 1 -60", Act("reserve", 1, -60_000)),
    ("reserve 1 +0", Act("reserve", 1, 0)),
    ("extend 1 30", Act("extend", 1, 30_000)),
    ("rule valid", Act("rule valid")),
    ("rule invalid", Act("rule invalid")),
    ("take back", Act("take back")),
    ("take back 0", Act("take back", 0)),
    ("take back 1", Act("take back", 1)),
    ("winner 0", Act("winner", 0)),
    ("winner 1", Act("winner", 1)),
    ("void", Act("void")),
]


# -- texts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "act"), ACTS)
def test_acts_are_read_and_printed(text: str, act: Act) -> None:
    assert parse_act(text) == act
    assert act.text == text
    assert parse_act(f" {text.upper().replace(' ', '. ')} ") == act


@pytest.mark.parametrize(
    ("text", "canonical"), [("reserve 0 -0", "reserve 0 +0"), ("reserve 0 +007", "reserve 0 +7")]
)
def test_amounts_have_one_form(text: str, canonical: str) -> None:
    assert parse_act(text).text == canonical


@given(
    st.builds(
        Act,
        st.sampled_from(["reserve", "extend"]),
        st.integers(0, 1),
        st.integers(0, 10**9 - 1).map(lambda seconds: seconds * 1000),
    )
)
def test_every_amount_survives_its_text(act: Act) -> None:
    assert parse_act(act.text) == act


@pytest.mark.parametrize(
    "text",
    [
        "stop",
        "pause 0",
        "resume now",
        "reserve +60",
        "reserve 0 60",
        "reserve 0+60",
        "reserve 2 +60",
        "reserve 0 + 60",
        "reserve 0 +1.5",
        "reserve 0 +1e3",
        "reserve 0 +",
        "reserve 0 +1234567890",
        "extend 1",
        "extend 1 -30",
        "extend 1 +30",
        "extend 2 30",
        "rule",
        "rule maybe",
        "takeback",
        "take back 2",
        "winner",
        "winner 2",
        "winner -1",
        "void 1",
        "concede",
    ],
)
def test_anything_else_is_no_act(text: str) -> None:
    refused("notation.organiser", parse_act, text)


@pytest.mark.parametrize("text", ["", "páuse", "pause\n", "x" * 5000])
def test_what_cannot_be_read_is_no_act(text: str) -> None:
    refused("notation.unreadable", parse_act, text)


def test_who_and_why_are_kept_with_the_event() -> None:
    step = acts.organised(
        TOY, table(TOY_HEADER), act=parse_act("reserve 0 +60"), by="Cleo", why="slow line"
    )
    (event,) = step.events
    assert event.data == {"act": "reserve 0 +60", "by": "Cleo", "why": "slow line"}
    assert event.seat == 0
    assert event.text == "The organiser added 60 s of reserve."
    assert {audience for audience in (0, 1, "room") if event.seen_as(audience)} == {0, 1, "room"}


@pytest.mark.parametrize(("text", "act"), [each for each in ACTS if each[0][:-1] != "take back "])
def test_every_act_is_told_to_everybody_in_a_sentence(text: str, act: Act) -> None:
    needs = {"resume": ("organiser pause",), "take back": ("0 ready",)}
    earlier: tuple[str, ...] = needs.get(act.kind, ())
    if act.kind.startswith("rule"):
        earlier = (*UP_TO_TURNS, "1 dare")
    (event,) = course(TOY_HEADER, *earlier).add(entry(f"organiser {text}")).events
    assert event.kind == "organiser"
    assert event.text[0].isupper()
    assert event.text.endswith(".")
    assert event.data["act"] == text
    for audience in (0, 1, "room", "all"):
        assert event.seen_as(audience) is not None


# -- pause ---------------------------------------------------------------------------------------


def test_a_pause_stops_play_until_it_is_over() -> None:
    so_far = course(TOY_HEADER, *UP_TO_TURNS)
    cannot_add("organiser.not-paused", so_far, "organiser resume")
    so_far.add(entry("organiser pause"))
    assert so_far.table.paused
    assert to_move(so_far.table) == [1]
    cannot_add("organiser.paused", so_far, "organiser pause")
    cannot_add("match.paused", so_far, "1 take 3")
    cannot_add("match.paused", so_far, "1 timeout")
    so_far.add(entry("organiser resume"))
    assert so_far.table == table(TOY_HEADER, *UP_TO_TURNS)


def test_the_organiser_may_correct_during_a_pause() -> None:
    now = table(
        TOY_HEADER,
        *UP_TO_TURNS,
        *("1 take 2", "organiser pause", "organiser reserve 0 +5", "organiser take back"),
        *("organiser extend 1 30", "organiser resume"),
    )
    assert now.reserve_ms == (65_000, 60_000)
    assert limits.limit_of(TOY, now, 1) == 210_000


# -- reserve and extension -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reserve"),
    [
        ("organiser reserve 0 +60", (120_000, 60_000)),
        ("organiser reserve 1 -59", (60_000, 1_000)),
        ("organiser reserve 1 -60", (60_000, 0)),
        ("organiser reserve 1 -61", (60_000, 0)),
        ("organiser reserve 0 +999999999", (999_999_999_000 + 60_000, 60_000)),
    ],
)
def test_reserve_is_added_and_taken_but_never_below_nothing(
    text: str, reserve: tuple[int, int]
) -> None:
    assert table(TOY_HEADER, text).reserve_ms == reserve


def test_a_changed_reserve_moves_the_limit_at_once() -> None:
    so_far = course(TOY_HEADER, *UP_TO_TURNS, "organiser reserve 1 -59")
    cannot_add("clock.over", so_far, "1 take 3 @121.001")
    so_far.add(entry("organiser reserve 1 +9"))
    so_far.add(entry("1 take 3 @130"))
    assert so_far.table.reserve_ms == (60_000, 0)


def test_an_extension_adds_to_the_turn_time_of_this_decision_only() -> None:
    so_far = course(TOY_HEADER, *UP_TO_TURNS, "organiser extend 1 30", "organiser extend 1 5")
    cannot_add("clock.over", so_far, "1 take 2 @215.001")
    cannot_add("clock.not-out", so_far, "1 timeout @215")
    so_far.add(entry("1 take 2 @165"))
    assert so_far.table.reserve_ms == (60_000, 50_000)
    so_far.add(entry("0 take 2"))
    cannot_add("clock.over", so_far, "1 take 2 @170.001")


def test_an_extension_lasts_through_the_submissions_of_one_decision() -> None:
    so_far = course(TOY_HEADER, *UP_TO_TURNS, "organiser extend 1 30", "1 take 1 @10")
    so_far.add(entry("1 mark a @150"))
    assert so_far.table.reserve_ms == (60_000, 60_000)


@pytest.mark.parametrize(
    ("earlier", "text"),
    [
        (UP_TO_TURNS, "organiser extend 0 30"),
        (UP_TO_TURNS[:-1], "organiser extend 1 30"),
        (("0 ready",), "organiser extend 0 30"),  # it is answered already, as everybody knows
    ],
)
def test_only_a_running_decision_can_be_extended(earlier: tuple[str, ...], text: str) -> None:
    cannot_add("organiser.no-decision", course(TOY_HEADER, *earlier), text)


@pytest.mark.parametrize("pick", [(), ("0 pick 3 @4",)])
def test_an_extension_cannot_tell_whether_a_secret_answer_is_in(pick: tuple[str, ...]) -> None:
    so_far = course(TOY_HEADER, "0 ready", "1 ready", *pick, "organiser extend 0 30")
    assert shown(so_far.table, 0) == shown(
        course(TOY_HEADER, "0 ready", "1 ready", "organiser extend 0 30").table, 0
    )


def test_secret_submissions_are_those_that_nobody_else_knows_of() -> None:
    so_far = course(TOY_HEADER, "0 ready", "1 ready")
    assert so_far.secret_submissions == 0
    so_far.add(entry("1 pick 5 @3"))
    assert so_far.secret_submissions == 1
    so_far.add(entry("0 pick 2 @4"))
    assert so_far.secret_submissions == 0
    # Both have been shown: the one that is held back again is no secret any more.
    so_far.add(entry("organiser take back"))
    assert so_far.secret_submissions == 0
    so_far.add(entry("organiser take back"))
    so_far.add(entry("0 pick 2 @4"))
    assert so_far.secret_submissions == 1


# -- rulings and the end -------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "points"), [("rule valid", (0, 2)), ("rule invalid", (0, 0))])
def test_a_ruling_settles_what_waits_for_it(text: str, points: tuple[int, int]) -> None:
    so_far = course(TOY_HEADER, *UP_TO_TURNS)
    cannot_add("organiser.nothing-to-rule", so_far, f"organiser {text}")
    so_far.add(entry("1 dare @130"))
    assert to_move(so_far.table) == []
    assert so_far.table.reserve_ms == (60_000, 50_000)
    so_far.add(entry(f"organiser {text}"))
    assert so_far.table.state.points == points
    assert to_move(so_far.table) == [0]
    cannot_add("organiser.nothing-to-rule", so_far, f"organiser {text}")


@pytest.mark.parametrize(
    ("text", "winner"),
    [("organiser winner 0", 0), ("organiser winner 1", 1), ("organiser void", None)],
)
def test_the_organiser_may_end_the_match(text: str, winner: int | None) -> None:
    now = table(TOY_HEADER, *UP_TO_TURNS, "1 take 3", "organiser pause", text)
    assert now.result == Outcome(winner, "ruling", (0, 3))
    assert to_move(now) == []
    assert not now.paused


def test_a_take_back_needs_the_course() -> None:
    with pytest.raises(EngineFault):
        acts.organised(TOY, table(TOY_HEADER), act=Act("take back"))


# -- taking back ---------------------------------------------------------------------------------


def test_what_is_a_take_back_and_what_a_concession() -> None:
    assert is_take_back(entry("organiser Take. Back"))
    assert not is_take_back(entry("organiser void"))
    assert not is_take_back(Entry(actor=0, text="take back"))
    assert is_concession("CONCEDE.")
    assert not is_concession("concede now")
    assert not is_concession("")


def test_the_last_submission_is_undone() -> None:
    so_far = course(TOY_HEADER, *UP_TO_TURNS, "1 take 3 @150", "0 take 2 @130")
    so_far.add(entry("organiser take back"))
    assert so_far.table == table(TOY_HEADER, *UP_TO_TURNS, "1 take 3 @150")
    assert so_far.standing == list(range(7))
    so_far.add(entry("organiser take back"))
    assert so_far.table == table(TOY_HEADER, *UP_TO_TURNS)
    so_far.add(entry("1 take 2 @180"))
    assert so_far.standing == [*range(6), 10]


@pytest.mark.parametrize("later", [(), ("0 take 2 @130",)])
def test_a_seat_takes_its_own_last_submission_back(later: tuple[str, ...]) -> None:
    so_far = course(TOY_HEADER, *UP_TO_TURNS, "1 take 3 @150", *later)
    step = so_far.add(entry("organiser take back 1"))
    assert so_far.table == table(TOY_HEADER, *UP_TO_TURNS)
    assert so_far.standing == list(range(6))
    assert [(event.seat, event.text) for event in step.events] == [(1, "took a move back")]


def test_a_seat_without_a_submission_has_nothing_to_take_back() -> None:
    so_far = course(TOY_HEADER, "0 ready")
    cannot_add("practice.nothing-to-take-back", so_far, "organiser take back 1")
    so_far.add(entry("organiser take back 0"))
    assert so_far.table == table(TOY_HEADER)
    cannot_add("practice.nothing-to-take-back", so_far, "organiser take back 0")


def test_chance_that_followed_is_undone_with_it() -> None:
    so_far = course(TOY_HEADER, *UP_TO_TURNS, "organiser take back")
    assert so_far.table == table(TOY_HEADER, *UP_TO_TURNS[:-2])
    so_far.add(entry("1 second"))
    so_far.add(entry("chance die 1"))
    assert so_far.table.state.mover == 0


def test_taking_back_to_the_very_beginning() -> None:
    toy = header(advantage=None)
    so_far = course(toy, "chance lot 0", "1 ready", "organiser take back")
    assert so_far.table == table(toy, "chance lot 0")
    cannot_add("organiser.nothing-to-take-back", so_far, "organiser take back")


@pytest.mark.parametrize(
    "earlier",
    [
        (),
        ("0 timeout",),
        ("organiser pause",),
        ("organiser reserve 0 +5",),
        ("0 ready", "organiser take back"),
        ("0 timeout", "1 timeout", "0 timeout", "chance pick 0 3"),
    ],
)
def test_there_may_be_nothing_to_take_back(earlier: tuple[str, ...]) -> None:
    so_far = course(TOY_HEADER, *earlier)
    cannot_add("organiser.nothing-to-take-back", so_far, "organiser take back")


def test_timeouts_that_came_later_are_undone() -> None:
    mild = header(mild=True)
    so_far = course(mild, *UP_TO_TURNS, "1 take 2", "0 timeout", "1 timeout", "organiser take back")
    assert so_far.table == table(mild, *UP_TO_TURNS)


def test_timeouts_that_came_earlier_stand() -> None:
    so_far = course(TOY_HEADER, "0 timeout", "1 ready", "organiser take back")
    assert so_far.table == table(TOY_HEADER, "0 timeout")


def test_a_part_of_a_decision_is_taken_back_alone() -> None:
    so_far = course(TOY_HEADER, *UP_TO_TURNS, "1 take 1 @10", "1 mark a @20", "organiser take back")
    assert so_far.table == table(TOY_HEADER, *UP_TO_TURNS, "1 take 1 @10")
    cannot_add("clock.backwards", so_far, "1 mark b @9.999")


def test_sealed_answers_are_taken_back_one_by_one() -> None:
    picking = ("0 ready", "1 ready")
    so_far = course(TOY_HEADER, *picking, "1 pick 5 @3", "0 pick 2 @4", "organiser take back")
    assert so_far.table == table(TOY_HEADER, *picking, "1 pick 5 @3")
    cannot_add("decision.sealed", so_far, "1 pick 4")
    so_far.add(entry("organiser take back"))
    assert so_far.table == table(TOY_HEADER, *picking)


def test_reserve_and_pause_outlive_the_submission_before_them() -> None:
    so_far = course(
        TOY_HEADER,
        *UP_TO_TURNS,
        *("1 take 3 @150", "organiser reserve 1 -40", "organiser pause", "organiser take back"),
    )
    # Back to a full reserve, of which the 40 s that were taken away stay away.
    assert so_far.table.reserve_ms == (60_000, 20_000)
    assert so_far.table.paused
    assert so_far.standing == [0, 1, 2, 3, 4, 5, 7, 8]


def test_a_pause_that_is_over_stays_over() -> None:
    more = ("1 take 3", "organiser pause", "organiser resume", "organiser take back")
    now = table(TOY_HEADER, *UP_TO_TURNS, *more)
    assert now == table(TOY_HEADER, *UP_TO_TURNS)


def test_a_ruling_is_undone_with_the_submission_it_was_about() -> None:
    more = ("1 dare", "organiser rule valid", "organiser take back")
    assert table(TOY_HEADER, *UP_TO_TURNS, *more) == table(TOY_HEADER, *UP_TO_TURNS)


def test_an_extension_of_a_decision_that_is_gone_goes_with_it() -> None:
    more = ("1 take 3", "organiser extend 0 30", "organiser take back")
    assert table(TOY_HEADER, *UP_TO_TURNS, *more) == table(TOY_HEADER, *UP_TO_TURNS)


def test_an_extension_does_not_move_to_an_earlier_decision_of_the_same_seat() -> None:
    mild = header(mild=True)
    more = ("1 take 3", "0 timeout", "organiser extend 1 30", "organiser take back")
    assert table(mild, *UP_TO_TURNS, *more) == table(mild, *UP_TO_TURNS)


@pytest.mark.parametrize(
    ("earlier", "submission", "extended"),
    [
        ((), "0 ready @9", 1),  # side by side
        (("0 ready", "1 ready"), "0 pick 3 @9", 1),  # behind the same barrier
        (UP_TO_TURNS, "1 take 1 @9", 1),  # within the same decision
    ],
)
def test_an_extension_of_a_decision_that_is_still_open_stays(
    earlier: tuple[str, ...], submission: str, extended: int
) -> None:
    extend = f"organiser extend {extended} 30"
    so_far = course(TOY_HEADER, *earlier, submission, extend, "organiser take back")
    assert so_far.table == table(TOY_HEADER, *earlier, extend)
    assert so_far.standing == [*range(len(earlier)), len(earlier) + 1]
    so_far.add(entry(submission))
    so_far.add(entry("organiser take back"))
    assert so_far.table == table(TOY_HEADER, *earlier, extend)


def test_an_extension_from_before_the_submission_stays() -> None:
    more = ("organiser extend 1 30", "1 take 3 @160", "organiser take back")
    now = table(TOY_HEADER, *UP_TO_TURNS, *more)
    assert now == table(TOY_HEADER, *UP_TO_TURNS, "organiser extend 1 30")


def test_replaying_only_what_stands_gives_the_same_table() -> None:
    texts = (
        *UP_TO_TURNS,
        *("1 take 3 @130", "organiser reserve 0 +7", "0 take 2", "organiser take back"),
        *("organiser extend 0 9", "0 take 1 @3", "organiser pause", "organiser take back"),
        *("organiser resume", "0 take 3 @128"),
    )
    so_far = course(TOY_HEADER, *texts)
    every = entries(*texts)
    standing = [every[index] for index in so_far.standing]
    replayed = course(TOY_HEADER)
    for each in standing:
        replayed.add(each)
    assert replayed.table == so_far.table
    assert so_far.table.reserve_ms == (67_000, 50_000)
