"""The final: removals in secret, their window, and the items with their rounds."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from games.engine import live as lives
from games.engine.course import MatchCourse
from games.engine.live import Live
from games.engine.views import match_view
from games.rulesets.peg_domain.boards import around
from tests.engine.helpers import cannot_add, entry, to_move
from tests.rulesets.peg_domain.helpers import (
    CHANCE,
    RULES,
    add,
    begun,
    header,
    marks,
    state,
    view,
)

ITEMS = ((1, "rapid-removal"), (0, "peg-subtraction"))


def rounds(now: MatchCourse, until: int) -> MatchCourse:
    """Turns of two squares each, seat 0 down column A and seat 1 down its own, up to a round."""
    at = {0: ["A1", "A3", "A5", "A7", "C1", "C3"], 1: ["I1", "I3", "I5", "I7", "G1", "G3"]}
    cuts = ["A1", "A3", "A5", "A7", "D1", "D3"]
    taken = [0, 0]
    while state(now).turn < until:
        seat = state(now).mover
        index = taken[seat]
        taken[seat] += 1
        add(now, f"{seat} {cuts[index]} D > {at[seat][index]} 0 @30")
    return now


# -- what can be removed -------------------------------------------------------------------------


def test_a_square_goes_at_the_end_of_the_turn() -> None:
    now = begun("final", "1 remove F12 @3")
    assert marks(now, 0)["F12"] == "."
    add(now, "0 A1 D > A1 0 @4")
    assert marks(now, 0)["F12"] == "#"
    assert marks(now, 1)["F12"] == "."
    assert view(now)["last"]["gone"] == ["F12"]


def test_only_the_rows_without_pegs_nearby_can_be_removed() -> None:
    """Column L and the rows from 11 on are out of reach of every peg."""
    assert view(begun("final"))["removable"] == [
        *(f"L{row}" for row in range(1, 11)),
        *(f"{column}{row}" for row in range(11, 17) for column in "ABCDEFGHIJKL"),
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("remove D9", "remove.peg"),
        ("remove C10", "remove.near-peg"),
        ("remove G13", "remove.near-removed"),
        ("remove F12", "remove.gone"),
        ("remove B6", "remove.near-peg"),
        ("remove M1", "remove.off-pallet"),
        ("remove 3x3 F12", "item.used"),
        ("finish", "turn.not-yours"),
        ("A1 D > I1 0", "turn.not-yours"),
        ("ready", "move.wrong-kind"),
    ],
)
def test_what_cannot_be_removed(text: str, code: str) -> None:
    now = begun(
        "final", "1 remove F12", "0 A1 D > A1 0", "1 A1 D > I1 0", "0 no removal",
        "1 remove 3x3 K16", "0 A3 D > A3 0 @1", "1 A3 D > I3 0", "0 no removal",
        items=ITEMS,
    )  # fmt: skip
    cannot_add(code, now, f"1 {text}")


def test_squares_gone_by_cut_outs_do_not_limit_removals() -> None:
    now = begun("final")
    everything = "0 A9 DDRRRUU > A1 0"
    add(now, everything, "1 no removal", "1 A1 D > I1 0", "0 no removal")
    assert marks(now, 0)["C11"] == "-"
    add(now, "1 remove C12", "0 A1 D > E1 0")
    assert marks(now, 0)["C12"] == "#"


def test_it_is_judged_on_the_pallet_as_the_turn_began() -> None:
    """A10 touches the peg on A9, which goes in this very turn."""
    cannot_add("remove.near-peg", begun("final"), "1 remove A10")
    cannot_add("remove.near-peg", begun("final", "0 A9 U > A9 0"), "1 remove A10")


def test_a_square_that_is_used_in_the_turn_stays_used() -> None:
    now = begun("final", "1 remove B11", "0 A9 DDRRRUU > A1 0")
    assert marks(now, 0)["B11"] == "-"
    assert view(now)["pallets"][0]["removed"] == 0
    assert view(now)["last"]["gone"] == []


def test_nothing_is_removed_from_a_finished_player() -> None:
    now = begun("final", "1 remove F12", "0 finish")
    assert marks(now, 0)["F12"] == "."
    assert to_move(now.table) == [0, 1], "a finished player may still remove"
    add(now, "0 remove F12", "1 A1 D > I1 0")
    assert marks(now, 1)["F12"] == "#"


# -- the window ----------------------------------------------------------------------------------


def test_the_turn_is_over_when_both_are_in() -> None:
    assert state(begun("final", "0 A1 D > A1 0 @1", "1 remove F12 @2")).turn == 2
    assert state(begun("final", "1 remove F12 @1", "0 A1 D > A1 0 @2")).turn == 2


def test_a_fast_mover_cannot_take_the_removal_away() -> None:
    now = begun("final", "0 A1 D > A1 0 @1")
    assert (state(now).turn, to_move(now.table)) == (1, [1])
    cannot_add("clock.over", now, "1 remove F12 @20.001")
    add(now, "1 remove F12 @20")
    assert marks(now, 0)["F12"] == "#"


def test_a_window_that_runs_out_stands_in_the_record() -> None:
    now = begun("final", "0 A1 D > A1 0 @1")
    cannot_add("clock.not-out", now, "1 timeout @20")
    add(now, "1 timeout @20.001")
    assert state(now).turn == 2


@pytest.mark.parametrize("reading", ["20", "75"])
def test_after_the_window_the_turn_resolves_at_once(reading: str) -> None:
    now = begun("final", f"0 A1 D > A1 0 @{reading}")
    assert state(now).turn == 2
    assert view(now)["last"]["removal"] is None


def test_while_the_mover_thinks_the_removal_stays_open_and_can_be_changed() -> None:
    now = begun("final")
    cannot_add("clock.not-out", now, "1 timeout")
    add(now, "1 remove F12 @30", "1 no removal @100", "1 remove H14 @590", "0 A1 D > A1 0 @599")
    assert (marks(now, 0)["F12"], marks(now, 0)["H14"]) == (".", "#")


def test_finish_resolves_at_once() -> None:
    assert state(begun("final", "0 finish @1")).turn == 2


def test_running_out_of_time_resolves_at_once_and_is_told() -> None:
    now = begun("final", "1 remove F12 @9")
    step = now.add(entry("0 timeout @600.001"))
    assert state(now).ended == ("finish", None)
    assert state(now).turn == 2
    told = [event.text for event in step.events if "room" in event.seen_by]
    assert told[:2] == ["ran out of time", "is finished and places no more"]
    assert marks(now, 0)["F12"] == "."


def test_the_movers_clock_stops_with_the_submission() -> None:
    now = begun("final", "0 A1 D > A1 0 @121", removal_window=150)
    assert now.table.reserve_ms[0] == 480_000, "it waits for the removal"
    now = begun("final", "0 A1 D > A1 0 @121", "1 remove F12 @149", removal_window=150)
    assert now.table.reserve_ms == (470_000, 480_000)


def test_with_nothing_to_remove_the_turn_does_not_wait() -> None:
    before = state(begun("final"))
    near = around(before.frame.pegs[0]) & before.left[0]
    bare = msgspec.structs.replace(before, left=(near, before.left[1]))
    assert [each.kind for each in RULES.decisions(bare)] == ["turn"]
    assert RULES.decisions(bare)[0].barrier is None
    held = state(begun("final", items=ITEMS))
    bare = msgspec.structs.replace(held, left=bare.left)
    assert [each.kind for each in RULES.decisions(bare)] == ["turn", "removal"]
    late = msgspec.structs.replace(bare, turn=11)
    assert [each.kind for each in RULES.decisions(late)] == ["turn"]


# -- items ---------------------------------------------------------------------------------------


def test_rapid_removal_takes_what_touches_no_peg() -> None:
    now = begun("final", "1 remove 3x3 B10", "0 D1 D > A1 0", items=ITEMS)
    assert view(now)["last"]["gone"] == ["A11", "B11", "C11"]


def test_rapid_removal_is_clipped_at_the_edges() -> None:
    now = begun("final", "1 remove 3x3 L16", "0 D1 D > A1 0", items=ITEMS)
    assert view(now)["last"]["gone"] == ["K15", "L15", "K16", "L16"]


def test_rapid_removal_may_touch_removed_squares_and_counts_as_removed() -> None:
    now = begun(
        "final", "1 remove F12", "0 A1 D > A1 0", "1 A1 D > I1 0", "0 no removal",
        "1 remove 3x3 F12", "0 A3 D > A3 0", items=ITEMS,
    )  # fmt: skip
    assert len(view(now)["last"]["gone"]) == 8
    add(now, "1 A3 D > I3 0", "0 no removal")
    cannot_add("remove.near-removed", now, "1 remove H12")


def test_a_rapid_removal_that_takes_nothing_is_spent() -> None:
    now = begun("final", "1 remove 3x3 B5", "0 D1 D > A1 0", items=ITEMS)
    assert view(now)["last"]["gone"] == []
    assert view(now)["items"][1] == {"rapid-removal": [0, 1]}


def test_a_rapid_removal_from_a_player_who_finishes_is_spent() -> None:
    now = begun("final", "1 remove 3x3 F13", items=ITEMS)
    step = now.add(entry("0 finish"))
    told = [event.text for event in step.events]
    assert "used Rapid Removal around F13 and removed nothing" in told
    assert view(now)["items"][1] == {"rapid-removal": [0, 1]}


def test_a_changed_removal_spends_nothing() -> None:
    now = begun("final", "1 remove 3x3 F13", "1 remove F13", "0 A1 D > A1 0", items=ITEMS)
    assert view(now)["items"][1] == {"rapid-removal": [1, 1]}


def test_peg_subtraction_goes_before_the_placement() -> None:
    now = begun(
        "final", "0 A1 D > A1 0", "1 no removal", "1 A1 D > I1 0", "0 no removal", items=ITEMS
    )
    cannot_add("place.on-peg", now, "0 A3 D > I2 0")
    cannot_add("minus.no-peg", now, "0 A3 D > I2 0 minus E5")
    cannot_add("minus.off-domain", now, "0 A3 D > I2 0 minus L5")
    cannot_add("place.on-peg", now, "0 A3 D > I1 0 minus I2")
    add(now, "0 A3 D > I2 0 minus I2", "1 no removal")
    assert view(now)["domain"]["pegs"] == ["A1", "I1", "A2", "I2", "I3"]
    assert view(now)["items"][0] == {"peg-subtraction": [0, 1]}


def test_the_square_of_a_subtracted_peg_keeps_its_owner() -> None:
    now = begun(
        "final", "0 A1 D > A1 0", "1 no removal", "1 A1 D > I1 0", "0 no removal",
        "0 A3 D > A3 0 minus I1", "1 no removal", items=ITEMS,
    )  # fmt: skip
    assert "I1" not in view(now)["domain"]["pegs"]
    assert view(now)["domain"]["rows"][0][8] == "1"


def test_an_item_is_used_once_and_twice_with_two_copies() -> None:
    twice = (*ITEMS, (0, "peg-subtraction"))
    so_far = (
        "0 A1 D > A1 0", "1 no removal", "1 A1 D > I1 0", "0 no removal",
        "0 A3 D > A3 0 minus I1", "1 no removal", "1 A3 D > I3 0", "0 no removal",
    )  # fmt: skip
    cannot_add("item.used", begun("final", *so_far, items=ITEMS), "0 A5 D > A5 0 minus I2")
    add(begun("final", *so_far, items=twice), "0 A5 D > A5 0 minus I2")


def test_items_can_be_used_up_to_round_ten() -> None:
    tenth = rounds(begun("final", items=ITEMS), 10)
    assert state(tenth).mover == 1
    eleventh = rounds(begun("final", items=ITEMS), 11)
    cannot_add("item.too-late", eleventh, "0 D5 D > C6 0 minus A1")
    cannot_add("item.too-late", eleventh, "1 remove 3x3 F13")
    ninth = rounds(begun("final", items=ITEMS), 9)
    add(ninth, "1 remove 3x3 F13", "0 D1 D > C1 0 minus A1")


def test_a_finish_is_a_round_and_its_player_has_none_from_then_on() -> None:
    now = begun("final", "0 finish", items=ITEMS)
    assert state(now).turn == 2
    add(now, "1 A1 D > I1 0 @30")
    assert (state(now).turn, state(now).mover) == (3, 1)


# -- live ----------------------------------------------------------------------------------------

START = 10_000_000


def half() -> float:
    return 0.5


def playing() -> Live:
    """Seat 0 faces its first turn since ``START``, seat 1 may remove."""
    live = lives.begin(RULES, header("final"), at=START, random=half).live
    for seat, text in ((0, "take order"), (0, "ready"), (1, "ready"), (0, "first"), (1, "blue")):
        turn = lives.submit(RULES, live, seat=seat, text=text, at=START, random=Numbers())
        assert turn.refusal is None, turn.refusal
        live = turn.live
    return live


class Numbers:
    """Numbers that make an ordinary pallet."""

    def __init__(self) -> None:
        self.last = 0.1

    def __call__(self) -> float:
        self.last = (self.last * 997 + 0.317) % 1
        return self.last


def placement(live: Live) -> str:
    found = RULES.sample(live.table.state, live.table.open[0].decision, Numbers())  # type: ignore[union-attr]
    return RULES.print(found)


def seen(live: Live, audience: Any, at: int) -> bytes:
    reminders = [each for each in lives.reminders(RULES, live, after=START) if each.at <= at]
    return msgspec.json.encode([match_view(RULES, live, audience, at=at), reminders])


@pytest.mark.parametrize("after", [0, 5_000, 19_999, 60_000])
def test_a_removal_changes_nothing_for_anybody_else(after: int) -> None:
    before = playing()
    names = RULES.view(before.table.state, 1)["removable"]
    lived = []
    for text in (f"remove {names[0]}", f"remove {names[-1]}", "no removal"):
        turn = lives.submit(RULES, before, seat=1, text=text, at=START + after, random=half)
        assert turn.refusal is None
        assert [event for each in turn.happened for event in each.events] == []
        lived.append(turn.live)
    at = START + after + 500
    for audience in (0, "room"):
        assert {seen(live, audience, at) for live in lived} == {seen(before, audience, at)}


def test_a_fast_placement_changes_nothing_for_anybody_else() -> None:
    before = playing()
    at = START + 4_000
    turn = lives.submit(RULES, before, seat=0, text=placement(before), at=at, random=half)
    assert turn.refusal is None
    for audience in (1, "room"):
        assert seen(turn.live, audience, at + 900) == seen(before, audience, at + 900)
    assert lives.next_deadline(RULES, turn.live) == START + 20_000
    late = lives.expire(RULES, turn.live, at=START + 20_001, random=half)
    assert [(each.entry.actor, each.entry.timeout) for each in late.happened] == [(1, True)]
    assert late.live.table.state.turn == 2


def test_the_pallets_before_their_reveal_are_in_no_state() -> None:
    """Two matches that will draw different pallets are one and the same until they are drawn."""
    now = MatchCourse(RULES, header("final"))
    assert state(now).frame.drawn == (0, 0)
    assert len({RULES.encode(state(MatchCourse(RULES, header("final")))) for _ in CHANCE}) == 1


@pytest.mark.parametrize("until", ["inspection", "order", "colour"])
def test_an_additional_peg_is_a_secret_until_colours_are_settled(until: str) -> None:
    later = {
        "inspection": (),
        "order": ("0 ready", "1 ready"),
        "colour": ("0 ready", "1 ready", "0 first"),
    }
    matches = []
    for named in (("red A16",), ("red L16",), ("blue A16", "red C14"), ("red A16", "red F12")):
        extra = [f"0 extra peg {each}" for each in named]
        texts = ("0 take order", *CHANCE, *extra, *later[until])
        matches.append(
            MatchCourse(
                RULES, header("final", ((0, "additional-peg"),)), [entry(each) for each in texts]
            )
        )
    for audience in (1, "room"):
        assert len({msgspec.json.encode(view(each, audience)) for each in matches}) == 1
    assert len({msgspec.json.encode(view(each, 0)) for each in matches}) == 4
    secret = matches[0]
    step = MatchCourse(RULES, header("final", ((0, "additional-peg"),)), [])
    add(step, "0 take order", *CHANCE)
    told = step.add(entry("0 extra peg red A16")).events
    assert [event.seen_as("room") for event in told] == [None]
    assert view(secret, "all")["extra"][0] == [["A16"], []]
