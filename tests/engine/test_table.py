"""The course of a match: submissions, sealed answers, timeouts, chance, concession, the end."""

import pytest

from games.engine import play, saving
from games.engine.chance import evenly
from games.engine.decisions import Draw, Outcome
from games.engine.errors import EngineFault
from games.engine.ruleset import HeldItem
from games.engine.table import Header, Table
from tests.engine.helpers import (
    UP_TO_TURNS,
    cannot_add,
    course,
    entry,
    header,
    refused,
    table,
    to_move,
)
from tests.toy.rules import TOY, Pick

TOY_HEADER = header()


# -- opening and the lot -------------------------------------------------------------------------


def test_a_stated_advantage_opens_the_match_at_once() -> None:
    now = table(TOY_HEADER)
    assert now.advantage == 1
    assert now.reserve_ms == (60_000, 60_000)
    assert to_move(now) == [0, 1]


def test_without_a_stated_advantage_the_lot_comes_first() -> None:
    toy = header(advantage=None)
    now = table(toy)
    assert now.state is None
    assert to_move(now) == []
    assert play.draws_due(TOY, now) == (Draw("lot"),)
    drawn = table(toy, "chance lot 0")
    assert drawn.advantage == 0
    assert drawn.reserve_ms == (60_000, 60_000)
    assert play.draws_due(TOY, drawn) == ()


@pytest.mark.parametrize("text", ["chance lot 1", "chance LOT  1", "chance  lot 1 "])
def test_the_lot_is_read_forgivingly(text: str) -> None:
    step = play.chanced(TOY, table(header(advantage=None)), text=entry(text).text)
    assert step.text == "lot 1"
    assert step.table.advantage == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("chance die 3", "chance.lot-first"),
        ("chance lot 2", "chance.lot-first"),
        ("chance lot", "chance.lot-first"),
        ("chance lot 1 0", "chance.lot-first"),
        ("0 ready", "decision.none"),
        ("0 concede", "chance.lot-first"),
        ("0 timeout", "decision.none"),
        ("organiser pause", "chance.lot-first"),
        ("organiser reserve 0 +5", "chance.lot-first"),
        ("organiser winner 0", "chance.lot-first"),
        ("organiser void", "chance.lot-first"),
        ("organiser take back", "organiser.nothing-to-take-back"),
    ],
)
def test_nothing_but_the_lot_can_come_first(text: str, code: str) -> None:
    cannot_add(code, course(header(advantage=None)), text)


@pytest.mark.parametrize("earlier", [(), UP_TO_TURNS])
def test_a_lot_for_a_settled_advantage_is_refused(earlier: tuple[str, ...]) -> None:
    cannot_add("chance.not-due", course(TOY_HEADER, *earlier), "chance lot 1")
    drawn = course(header(advantage=None), "chance lot 1", *earlier)
    cannot_add("chance.not-due", drawn, "chance lot 1")


def test_unknown_variants_and_items_are_refused() -> None:
    refused("setup.variant", play.opened, TOY, header("strange"))
    for variant, item in [("standard", "extra-peg"), ("standard", "cheap-picks")]:
        toy = header(variant, items=(HeldItem(0, item),))
        refused("setup.item", play.opened, TOY, toy)
    held = (HeldItem(0, "cheap-picks"), HeldItem(0, "tie-advantage"), HeldItem(1, "cheap-picks"))
    assert table(header("costly", items=held)).header.items == held


def test_a_ruleset_may_refuse_a_setup() -> None:
    refused("setup.unlucky", play.opened, TOY, header(turn_time=13))


# -- submissions ---------------------------------------------------------------------------------


def test_a_whole_match_is_a_fold_over_its_entries() -> None:
    now = table(
        TOY_HEADER,
        *UP_TO_TURNS,
        *("1 take 3", "0 take 3", "1 take 3"),
        *("0 pick 2", "1 pick 2", "1 second", "chance die 1"),
        *("0 take 3", "1 take all"),
    )
    assert now.result == Outcome(1, "points", (6, 9))
    assert to_move(now) == []


def test_texts_are_recorded_in_their_canonical_form() -> None:
    now = table(TOY_HEADER, *UP_TO_TURNS)
    step = play.submitted(TOY, now, seat=1, text=" TAKE..3 ", reading_ms=0)
    assert step.text == "take 3"
    step = play.submitted(TOY, step.table, seat=0, text="take 3", reading_ms=0)
    # Only the state can tell how many "all" are.
    step = play.submitted(TOY, step.table, seat=1, text="Take All", reading_ms=0)
    assert step.text == "take 3"


def test_every_refusal_of_a_submission() -> None:
    begun = course(TOY_HEADER, *UP_TO_TURNS)
    cannot_add("decision.none", begun, "0 take 3")
    cannot_add("move.wrong-kind", begun, "1 first")
    cannot_add("take.too-many", begun, "1 take 4")
    cannot_add("notation.unreadable", begun, "1 grab 3")
    cannot_add("notation.unreadable", begun, "1 tàke 3")
    cannot_add("clock.over", begun, "1 take 3 @180.001")
    begun.add(entry("1 take 3 @180"))


def test_several_submissions_share_one_decision_and_are_charged_once() -> None:
    so_far = course(TOY_HEADER, *UP_TO_TURNS, "1 take 1 @130")
    slot = so_far.table.open[1]
    assert slot is not None
    assert slot.reading_ms == 130_000
    assert slot.decision.id == "1.turn.1"
    assert so_far.table.reserve_ms == (60_000, 60_000)
    cannot_add("clock.backwards", so_far, "1 mark a @129.999")
    cannot_add("clock.backwards", so_far, "1 mark a")  # no reading at all means 0
    cannot_add("clock.over", so_far, "1 mark a @180.001")
    so_far.add(entry("1 mark a @150"))
    assert so_far.table.reserve_ms == (60_000, 30_000)


def test_submissions_of_one_decision_may_share_a_reading() -> None:
    so_far = course(TOY_HEADER, *UP_TO_TURNS, "1 take 1 @130", "1 mark a @130")
    assert so_far.table.reserve_ms == (60_000, 50_000)
    without = course(TOY_HEADER, *UP_TO_TURNS, "1 take 1", "1 mark a")
    assert without.table.reserve_ms == (60_000, 60_000)


def test_a_decision_is_charged_at_its_last_reading_when_time_runs_out_within_it() -> None:
    toy = header(mild=True)
    now = table(toy, *UP_TO_TURNS, "1 take 1 @130", "1 timeout")
    assert now.reserve_ms == (60_000, 0)
    assert to_move(now) == [0]


def test_reserves_are_spent_by_seat_and_down_to_nothing() -> None:
    so_far = course(TOY_HEADER, *UP_TO_TURNS, "1 take 2 @150", "0 take 2 @120", "1 take 2 @149.5")
    assert so_far.table.reserve_ms == (60_000, 500)
    so_far.add(entry("0 take 2 @120.001"))
    assert so_far.table.reserve_ms == (59_999, 500)
    cannot_add("clock.over", so_far, "1 take 1 @120.501")
    so_far.add(entry("1 take 1 @120.5"))
    so_far.add(entry("1 mark b @120.5"))
    # The round is over: both reserves are full again.
    assert so_far.table.reserve_ms == (60_000, 60_000)


def test_interval_reserves_end_exactly_at_turn_and_reserve() -> None:
    toy = header(interval=10, reserve=25)
    so_far = course(toy, *UP_TO_TURNS, "1 take 2 @130")
    assert so_far.table.reserve_ms == (25_000, 15_000)
    so_far.add(entry("0 take 2 @130.001"))
    assert so_far.table.reserve_ms == (5_000, 15_000)
    so_far.add(entry("1 take 2"))
    cannot_add("clock.over", so_far, "0 take 2 @125.001")
    so_far.add(entry("0 take 2 @125"))
    assert so_far.table.reserve_ms == (0, 15_000)
    cannot_add("clock.not-out", course(toy, *UP_TO_TURNS), "1 timeout @145")


def test_decisions_side_by_side_are_answered_one_by_one() -> None:
    so_far = course(TOY_HEADER, "1 ready @5")
    assert to_move(so_far.table) == [0]
    cannot_add("decision.none", so_far, "1 ready @6")
    so_far.add(entry("0 timeout"))
    assert to_move(so_far.table) == [0, 1]


# -- sealed answers ------------------------------------------------------------------------------

PICKS = (TOY_HEADER, "0 ready", "1 ready")


def test_a_sealed_answer_waits_outside_the_state() -> None:
    so_far = course(*PICKS)
    state = so_far.table.state
    step = so_far.add(entry("0 pick 3 @7"))
    assert step.events == ()
    assert so_far.table.state == state
    assert [held.move for held in so_far.table.sealed] == [Pick(3)]
    assert to_move(so_far.table) == [1]
    cannot_add("decision.sealed", so_far, "0 pick 4 @8")
    cannot_add("decision.none", so_far, "0 timeout")


@pytest.mark.parametrize("order", [("0 pick 3", "1 pick 5"), ("1 pick 5", "0 pick 3")])
def test_sealed_answers_are_applied_together_by_seat(order: tuple[str, str]) -> None:
    so_far = course(*PICKS, order[0])
    step = so_far.add(entry(order[1]))
    assert so_far.table.state.cards == (3, 5)
    assert so_far.table.sealed == ()
    assert [event.text for event in step.events] == ["picked 3", "picked 5"]


def test_a_sealed_answer_is_refused_like_any_other() -> None:
    so_far = course(*PICKS, "0 pick 3")
    cannot_add("pick.unknown", so_far, "1 pick 9")
    cannot_add("move.wrong-kind", so_far, "1 ready")
    cannot_add("clock.over", so_far, "1 pick 5 @60.001")
    so_far.add(entry("1 pick 5 @60"))


@pytest.mark.parametrize(
    "order",
    [
        ("0 timeout", "chance pick 0 4", "1 pick 5"),
        ("0 timeout", "1 pick 5", "chance pick 0 4"),
        ("1 pick 5", "0 timeout", "chance pick 0 4"),
    ],
)
def test_a_missing_choice_is_drawn_before_or_after_the_other_comes_in(
    order: tuple[str, ...],
) -> None:
    now = table(*PICKS, *order)
    assert now.state.cards == (4, 5)
    assert to_move(now) == [1]


@pytest.mark.parametrize(
    "order",
    [
        ("0 timeout", "1 timeout", "chance pick 0 4", "chance pick 1 1"),
        ("0 timeout", "1 timeout", "chance pick 1 1", "chance pick 0 4"),
        ("1 timeout", "0 timeout", "chance pick 0 4", "chance pick 1 1"),
        ("1 timeout", "chance pick 1 1", "0 timeout", "chance pick 0 4"),
    ],
)
def test_both_choices_may_be_missing(order: tuple[str, ...]) -> None:
    assert table(*PICKS, *order).state.cards == (4, 1)


def test_draws_for_missing_choices_are_checked() -> None:
    so_far = course(*PICKS, "0 timeout")
    assert play.draws_due(TOY, so_far.table) == (Draw("pick", 0),)
    cannot_add("chance.not-due", so_far, "chance pick 1 4")
    cannot_add("chance.impossible", so_far, "chance pick 0 9")
    cannot_add("notation.chance", so_far, "chance card 4")
    cannot_add("chance.not-due", so_far, "chance die 4")
    so_far.add(entry("chance pick 0 4"))
    assert play.draws_due(TOY, so_far.table) == ()
    cannot_add("chance.not-due", so_far, "chance pick 0 4")


def test_a_missing_choice_may_have_a_default_instead() -> None:
    now = table(header("costly"), "0 ready", "1 ready", "0 timeout", "1 pick 5")
    assert now.state.cards == (1, 5)


def test_that_a_sealed_choice_ran_out_is_told_to_that_seat_only() -> None:
    so_far = course(*PICKS)
    (event,) = so_far.add(entry("0 timeout")).events
    assert event.seen_as(0) is not None
    assert event.seen_as(1) is None
    assert event.seen_as("room") is None
    assert event.seen_as("all") is not None


def test_a_sealed_answer_is_charged_when_the_barrier_opens() -> None:
    so_far = course(header("costly"), "0 ready", "1 ready", "0 pick 3 @130")
    assert so_far.table.reserve_ms == (60_000, 60_000)
    so_far.add(entry("1 pick 2 @121"))
    assert so_far.table.reserve_ms == (50_000, 59_000)


def test_a_sealed_choice_that_ran_out_costs_the_whole_reserve_in_the_end() -> None:
    so_far = course(header("costly"), "0 ready", "1 ready", "0 timeout")
    assert so_far.table.reserve_ms == (60_000, 60_000)
    so_far.add(entry("1 pick 2"))
    assert so_far.table.reserve_ms == (0, 60_000)


@pytest.mark.parametrize("end", ["1 concede @5", "organiser void", "organiser winner 0"])
def test_a_sealed_answer_is_charged_when_the_match_ends_before_its_barrier_opens(end: str) -> None:
    now = table(header("costly"), "0 ready", "1 ready", "0 pick 3 @130", end)
    assert now.reserve_ms == (50_000, 60_000)
    assert now.sealed == ()


# -- timeouts ------------------------------------------------------------------------------------


def test_a_timeout_takes_the_rulesets_consequence() -> None:
    lost = table(TOY_HEADER, *UP_TO_TURNS, "1 timeout")
    assert lost.result == Outcome(0, "timeout", (0, 0))
    assert lost.reserve_ms == (60_000, 0)
    ordered = table(*PICKS, "0 pick 1", "1 pick 1", "1 timeout @60.001")
    assert ordered.state.mover == 1


@pytest.mark.parametrize(
    ("stands", "text"), [(False, "1 timeout @180"), (True, "1 timeout @180.001")]
)
def test_a_stated_reading_of_a_timeout_is_over_the_limit(stands: bool, text: str) -> None:
    so_far = course(TOY_HEADER, *UP_TO_TURNS)
    if stands:
        so_far.add(entry(text))
        assert so_far.table.result is not None
    else:
        cannot_add("clock.not-out", so_far, text)


def test_nobody_runs_out_of_time_without_a_decision() -> None:
    cannot_add("decision.none", course(TOY_HEADER, *UP_TO_TURNS), "0 timeout")


def test_a_timeout_is_charged_no_more_than_what_is_left() -> None:
    now = table(header(mild=True), *UP_TO_TURNS, "1 timeout @999")
    assert now.reserve_ms == (60_000, 0)


# -- chance --------------------------------------------------------------------------------------


def test_chance_stands_where_it_is_due_and_nowhere_else() -> None:
    due = course(TOY_HEADER, *UP_TO_TURNS[:-1])
    assert to_move(due.table) == []
    cannot_add("decision.none", due, "1 take 3")
    cannot_add("chance.impossible", due, "chance die 7")
    cannot_add("notation.chance", due, "chance dice 6")
    step = due.add(entry("chance die 6"))
    assert due.table.state.heap == 10
    assert step.text == "die 6"
    assert [event.text for event in step.events] == ["The heap is 10."]
    cannot_add("chance.not-due", due, "chance die 6")


def test_draws_are_made_from_numbers_alone() -> None:
    due = table(TOY_HEADER, *UP_TO_TURNS[:-1])
    assert play.drawn(TOY, due, Draw("die"), evenly(lambda: 0.0)) == "die 1"
    assert play.drawn(TOY, due, Draw("die"), evenly(lambda: 0.999999)) == "die 6"
    undrawn = table(header(advantage=None))
    assert play.drawn(TOY, undrawn, Draw("lot"), evenly(lambda: 0.49)) == "lot 0"
    assert play.drawn(TOY, undrawn, Draw("lot"), evenly(lambda: 0.5)) == "lot 1"


# -- concession ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("earlier", "text", "winner"),
    [
        ((), "0 concede", 1),
        (UP_TO_TURNS, "1 Concede. @20", 0),
        (UP_TO_TURNS, "0 concede", 1),  # without a decision
        (("0 ready", "1 ready", "0 pick 3"), "0 concede", 1),  # with a sealed answer
        (UP_TO_TURNS[:-1], "0 concede", 1),  # while chance is due
        ((*UP_TO_TURNS, "organiser pause"), "1 concede", 0),
        ((*UP_TO_TURNS, "1 dare"), "1 concede", 0),  # while nobody has a decision
    ],
)
def test_conceding_is_always_possible(earlier: tuple[str, ...], text: str, winner: int) -> None:
    now = table(TOY_HEADER, *earlier, text)
    assert now.result == Outcome(winner, "concession", (0, 0))
    assert now.open == (None, None)
    assert now.sealed == ()
    assert not now.paused


def test_a_concession_keeps_the_scores_as_they_stand() -> None:
    now = table(TOY_HEADER, *UP_TO_TURNS, "1 take 3", "0 take 2", "0 concede")
    assert now.result == Outcome(1, "concession", (2, 3))


def test_a_concession_is_charged_like_any_submission() -> None:
    so_far = course(TOY_HEADER, *UP_TO_TURNS)
    cannot_add("clock.over", so_far, "1 concede @180.001")
    so_far.add(entry("1 concede @130"))
    assert so_far.table.reserve_ms == (60_000, 50_000)
    within = course(TOY_HEADER, *UP_TO_TURNS, "1 take 1 @20")
    cannot_add("clock.backwards", within, "1 concede @19.999")


def test_the_canonical_text_of_a_concession() -> None:
    step = play.submitted(TOY, table(TOY_HEADER), seat=0, text="CONCEDE ", reading_ms=0)
    assert step.text == "concede"


# -- the end -------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["0 concede", "organiser void", "organiser winner 1", "1 timeout"])
@pytest.mark.parametrize(
    "late",
    [
        "0 take 3",
        "1 take 3",
        "0 concede",
        "1 timeout",
        "1 timeout @999",
        "chance die 3",
        "chance lot 1",
        "organiser pause",
        "organiser resume",
        "organiser reserve 0 +5",
        "organiser extend 1 5",
        "organiser rule valid",
        "organiser take back",
        "organiser winner 0",
        "organiser void",
    ],
)
def test_no_entry_stands_after_the_end(end: str, late: str) -> None:
    cannot_add("match.over", course(TOY_HEADER, *UP_TO_TURNS, end), late)


# -- storage -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("toy", "so_far"),
    [
        (header(advantage=None), ()),
        (TOY_HEADER, ()),
        (TOY_HEADER, ("0 ready", "1 ready", "0 pick 3 @4")),
        (TOY_HEADER, ("0 ready", "1 ready", "0 timeout")),
        (header("costly"), ("0 ready", "1 ready", "organiser extend 1 9", "1 pick 3 @130")),
        (TOY_HEADER, (*UP_TO_TURNS, "1 take 1 @130", "organiser extend 1 30", "organiser pause")),
        (TOY_HEADER, (*UP_TO_TURNS, "organiser void")),
    ],
)
def test_a_table_survives_storage(toy: Header, so_far: tuple[str, ...]) -> None:
    now = table(toy, *so_far)
    data = saving.encode_table(TOY, now)
    assert saving.decode_table(TOY, toy, data) == now
    assert saving.decode_table(TOY, toy, data.decode()) == now


def test_a_table_is_stored_without_what_its_header_says() -> None:
    assert b"turn_time" not in saving.encode_table(TOY, table(TOY_HEADER))


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\xff", b'{"state": 3}'])
def test_what_is_no_table_is_a_fault(data: bytes) -> None:
    with pytest.raises(EngineFault):
        saving.decode_table(TOY, TOY_HEADER, data)


@pytest.mark.parametrize("broken", [(b'"pick 3"', b'"pack 3"'), (b'"phase":"pick"', b'"phase":1')])
def test_a_stored_table_that_was_tampered_with_is_a_fault(broken: tuple[bytes, bytes]) -> None:
    now = table(*PICKS, "0 pick 3")
    data = saving.encode_table(TOY, now)
    assert broken[0] in data
    with pytest.raises(EngineFault):
        saving.decode_table(TOY, TOY_HEADER, data.replace(*broken))


def test_tables_are_values() -> None:
    first, second = table(TOY_HEADER, *UP_TO_TURNS), table(TOY_HEADER, *UP_TO_TURNS)
    assert first == second
    assert isinstance(first, Table)
    with pytest.raises(AttributeError):
        first.paused = True  # type: ignore[misc]
