"""Cut-outs, placements, finishing, the end and its tie-breaks, and the interval reserve."""

from __future__ import annotations

import msgspec
import pytest

from games.engine import notation
from games.rulesets.peg_domain.boards import PALLET, PALLET_SQUARE, set_of
from games.rulesets.peg_domain.moves import PlaceCutOut
from tests.engine.helpers import cannot_add, to_move
from tests.rulesets.peg_domain.helpers import RULES, add, begun, marks, owners, state, view


def test_a_cut_out_leaves_the_pallet_and_takes_what_it_covers() -> None:
    now = begun("gauntlet", "0 A1 RRR > D5 0")
    left = marks(now, 0)
    assert [left[name] for name in ("A1", "B1", "C1", "D1", "E1")] == ["x", "-", "-", "x", "."]
    mine = owners(now)
    assert [mine[name] for name in ("D5", "E5", "F5", "G5", "H5")] == ["0", "0", "0", "0", "1"]
    assert view(now)["domain"]["pegs"] == ["D5", "G5"]
    assert state(now).scores == (39, 34)
    assert to_move(now.table) == [1]


def test_a_square_stays_used_when_its_cover_is_covered() -> None:
    now = begun("gauntlet", "0 A1 RRR > D5 0", "1 A1 D > E5 270")
    assert owners(now)["E5"] == owners(now)["F5"] == "1"
    assert marks(now, 0)["B1"] == "-"


@pytest.mark.parametrize(
    ("degrees", "covered"),
    [
        (0, ["E5", "F5", "G5", "G6"]),
        (90, ["E5", "E6", "E7", "D7"]),
        (180, ["E5", "D5", "C5", "C4"]),
        (270, ["E5", "E4", "E3", "F3"]),
    ],
)
def test_rotations_are_clockwise_about_the_anchor(degrees: int, covered: list[str]) -> None:
    """The cut-out goes two right and one down."""
    chosen = "A1 B1 C1 C2 B2 A2"
    now = begun("gauntlet")
    shape = RULES.parse(notation.tidy(f"{chosen} > E5 {degrees}"))
    assert isinstance(shape, PlaceCutOut)
    # Four of its squares, as a picture of the whole; the pallet has pegs on A1 and A2.
    add(now, f"0 {chosen} > E5 {degrees}")
    last = view(now)["last"]
    assert set(covered) <= set(last["covered"])
    assert len(last["covered"]) == 6


def test_a_path_and_its_squares_are_the_same_cut_out() -> None:
    one = begun("gauntlet", "0 A1 RRR > B5 90")
    other = begun("gauntlet", "0 A1 B1 C1 D1 > B5 90")
    assert owners(one) == owners(other)
    assert marks(one, 0) == marks(other, 0)


def test_squares_may_be_named_in_any_order_after_the_anchor() -> None:
    one = begun("gauntlet", "0 A1 D1 C1 B1 > B5 90")
    other = begun("gauntlet", "0 A1 B1 C1 D1 > B5 90")
    assert owners(one) == owners(other)
    assert view(one)["domain"] == view(other)["domain"]


def test_own_squares_may_be_covered_again() -> None:
    now = begun("gauntlet", "0 A1 D > A1 0", "1 A1 D > I1 0", "0 A3 RRR > A4 0")
    assert state(now).scores[0] == 36


CUTS = [
    ("A2 D > A5 0", "cut.gone", ("A2",)),
    ("B3 RR > A5 0", "cut.not-a-peg", ("B3",)),
    ("A3 R > A5 0", "cut.not-two-pegs", ("A3",)),
    ("A3 DD > A5 0", "cut.not-two-pegs", ("A3", "A4", "A5")),
    ("A3 DR > A5 0", "cut.goes-on", ("B4",)),
    ("A3 L > A5 0", "cut.off-pallet", ("A3",)),
    ("A3 RL > A5 0", "cut.twice", ("A3",)),
    ("A3 B3 B3 > A5 0", "cut.twice", ("B3",)),
    ("A3 M3 > A5 0", "cut.off-pallet", ()),
    ("A3 A17 > A5 0", "cut.off-pallet", ()),
    ("B3 A3 A4 > A5 0", "cut.not-a-peg", ("B3",)),
    ("A3 D3 > A5 0", "cut.not-connected", ("A3", "D3")),
    ("A3 A4 A5 > A5 0", "cut.not-two-pegs", ("A3", "A4", "A5")),
    ("A3 > A5 0", "cut.not-two-pegs", ("A3",)),
    ("A3 D > J1 0", "place.off-domain", ()),
    ("A3 D > A5 45", "notation.rotation", ()),
    ("A3 D > A9 0", "place.off-domain", ("A4",)),
    ("A3 RRR > H5 0", "place.off-domain", ("C3", "D3")),
    ("A3 D > D5 0", "place.on-peg", ("D5",)),
    ("A3 D > G4 0", "place.on-peg", ("G5",)),
    ("A3 D > A5 0 minus D5", "item.none", ()),
    ("A3", "notation.unreadable", ()),
    ("A3 RX > A5 0", "notation.unreadable", ()),
    ("A3 R > A5", "notation.unreadable", ()),
    ("first", "move.wrong-kind", ()),
    ("remove A16", "move.wrong-kind", ()),
    ("ready", "move.wrong-kind", ()),
]


@pytest.mark.parametrize(("text", "code", "squares"), CUTS, ids=[each[0] for each in CUTS])
def test_every_refusal_names_its_reason_and_its_squares(
    text: str, code: str, squares: tuple[str, ...]
) -> None:
    """Pegs stand on D5 and G5 (seat 0's own), and A1 and A2 are used."""
    now = begun("gauntlet", "0 A1 D > D5 270", "1 A1 D > I1 0", "0 D1 D > G5 0", "1 A3 D > I3 0")
    assert view(now)["domain"]["pegs"] == ["I1", "I2", "I3", "I4", "D5", "E5", "G5", "G6"]
    assert cannot_add(code, now, f"0 {text}").squares == squares


def test_it_must_be_your_turn() -> None:
    cannot_add("decision.none", begun("gauntlet"), "1 A1 D > I1 0")


@pytest.mark.parametrize("variant", ["final", "tempo-up"])
def test_cut_outs_are_paths_only_elsewhere(variant: str) -> None:
    cannot_add("cut.path-only", begun(variant), "0 A1 B1 C1 D1 > B5 90")


# -- finishing and the end -----------------------------------------------------------------------


def test_after_a_finish_the_other_player_goes_on() -> None:
    now = begun("gauntlet", "0 finish", "1 A1 D > I1 0", "1 A3 D > I3 0")
    assert to_move(now.table) == [1]
    assert view(now)["finished"] == ["finish", None]


def test_the_match_ends_when_both_are_finished() -> None:
    now = begun("gauntlet", "0 A1 RRR > D5 0", "1 finish", "0 finish")
    result = now.table.result
    assert result is not None
    assert (result.winner, result.reason, result.scores) == (0, "points", (39, 34))


def test_running_out_of_reserve_is_a_finish() -> None:
    now = begun("gauntlet")
    cannot_add("clock.not-out", now, "0 timeout @600")
    add(now, "0 timeout @600.001")
    assert to_move(now.table) == [1]
    add(now, "1 finish")
    assert now.table.result is not None
    assert now.table.result.reason == "tie-break"


def test_a_level_domain_is_decided_by_the_squares_used() -> None:
    now = begun("gauntlet", "0 A1 D > A1 0", "1 A1 RRR > F1 0", "0 finish", "1 finish")
    result = now.table.result
    assert result is not None
    assert (result.winner, result.reason, result.scores) == (1, "tie-break", (36, 36))


@pytest.mark.parametrize("advantage", [0, 1])
def test_a_level_match_is_decided_by_the_advantage(advantage: int) -> None:
    """Both have used two squares."""
    now = begun("gauntlet", "0 A1 D > A1 0", "1 A1 D > I1 0")
    frame = msgspec.structs.replace(state(now).frame, advantage=advantage)
    level = msgspec.structs.replace(state(now), frame=frame, phase="over")
    found = RULES.outcome(level)
    assert found is not None
    assert (found.winner, found.reason) == (advantage, "tie-break")


def test_removed_squares_do_not_count_as_used() -> None:
    now = begun("final", "0 A1 D > A1 0", "1 remove A16", "1 A1 D > I1 0", "0 no removal")
    assert [state(now).used(seat).bit_count() for seat in (0, 1)] == [2, 2]


def test_a_player_without_two_connected_pegs_is_finished_at_the_start_of_the_turn() -> None:
    now = begun("gauntlet")
    before = state(now)
    lone = set_of([PALLET_SQUARE[name] for name in ("A1", "L16", "B1", "C1")])
    few = msgspec.structs.replace(before, left=(before.left[0], lone))
    move = RULES.parse("a1 d>a1 0")
    after = RULES.apply(few, ((0, move),))
    assert after.ended == (None, "stuck")
    assert (after.mover, after.turn) == (0, 2), "that was no turn, and no round"
    told = [event.kind for event in RULES.events(few, ((0, move),), after)]
    assert told == ["place", "stuck"]


def test_pegs_that_are_connected_through_squares_are_enough() -> None:
    before = state(begun("gauntlet"))
    joined = set_of([PALLET_SQUARE[name] for name in ("A1", "B1", "C1", "D1")])
    few = msgspec.structs.replace(before, left=(before.left[0], joined))
    after = RULES.apply(few, ((0, RULES.parse("a1 d>a1 0")),))
    assert (after.ended, after.mover) == ((None, None), 1)


def test_a_conceded_match_is_lost_whoever_is_ahead() -> None:
    now = begun("gauntlet", "0 A1 RRR > D5 0", "0 concede")
    assert now.table.result is not None
    assert (now.table.result.winner, now.table.result.reason) == (1, "concession")


# -- time ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reading", "left"),
    [
        ("120", 480_000),
        ("120.001", 470_000),
        ("130", 470_000),
        ("130.001", 460_000),
        ("599.999", 0),
        ("600", 0),
    ],
)
def test_the_reserve_goes_in_intervals_of_ten_seconds(reading: str, left: int) -> None:
    now = begun("gauntlet", f"0 A1 D > A1 0 @{reading}")
    assert now.table.reserve_ms == (left, 480_000)


def test_the_interval_is_an_option() -> None:
    now = begun("gauntlet", "0 A1 D > A1 0 @121.5", interval=0)
    assert now.table.reserve_ms[0] == 478_500


def test_the_whole_pallet_is_counted() -> None:
    assert PALLET.bit_count() == 192
