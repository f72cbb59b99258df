"""The course of a match, sentence by sentence: pool, inspection, draft, placement, end."""

from __future__ import annotations

from typing import Any

import pytest

from core.refusals import Refusal
from games.rulesets.domain.rules import DomainOptions
from tests.rulesets.domain.helpers import BARE, RULES, SMALL, Game


def refused(game: Game, seat: int, text: str) -> str:
    before = game.table
    with pytest.raises(Refusal) as caught:
        game.say(seat, text)
    assert game.table is before
    return caught.value.code


# -- the pool ------------------------------------------------------------------------------------


def test_the_pool_is_drawn_before_anything_else() -> None:
    game = Game()
    assert game.to_move == []
    assert RULES.view(game.state, "room")["pool"] is None
    game.draw()
    assert [shape["id"] for shape in RULES.view(game.state, "room")["pool"]["shapes"]] == [
        "01", "02", "03", "04", "05", "06",
    ]  # fmt: skip
    assert game.to_move == [0, 1]


@pytest.mark.parametrize("text", ["pool small@1", "pool SMALL@1.0", "pool classic@1"])
def test_a_pool_that_was_handed_in_is_named_to_the_letter(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        Game().draw(text)
    assert caught.value.code == "chance.pool"


def test_without_one_a_built_in_pool_is_drawn() -> None:
    game = Game(pool=None).draw("pool classic@1")
    assert game.state.ready_pool.reference == "classic@1"
    assert len(game.state.ready_pool.forms) == 24
    for text in ("pool classic@2", "pool small@1.0"):
        with pytest.raises(Refusal) as caught:
            Game(pool=None).draw(text)
        assert caught.value.code == "chance.pool"


def test_the_advantage_seat_is_red() -> None:
    for advantage in (0, 1):
        assert RULES.view(Game(advantage).draw().state, "room")["red"] == advantage


# -- inspection and who picks first --------------------------------------------------------------


def test_both_inspect_for_themselves_until_both_are_ready() -> None:
    game = Game().draw()
    assert [game.decision(seat).kind for seat in (0, 1)] == ["inspect", "inspect"]
    game.say(1, "ready")
    assert game.to_move == [0]
    assert refused(game, 1, "ready") == "decision.none"
    game.say(0, "ready")
    assert (game.to_move, game.kind) == ([1], "first")


def test_inspection_ends_by_time_as_well() -> None:
    game = Game().draw().late(0)
    assert game.to_move == [1]
    game.late(1)
    assert game.kind == "first"
    assert game.reserve == (600, 600)


def test_where_it_is_so_agreed_nobody_is_ready_early() -> None:
    game = Game(early_ready=False).draw()
    assert refused(game, 0, "ready") == "inspect.not-early"
    assert not RULES.any_legal(game.state, game.decision(0))
    assert list(RULES.legal(game.state, game.decision(0))) == []
    assert game.late(0).late(1).kind == "first"


@pytest.mark.parametrize(
    ("advantage", "choice", "picker"), [(1, "first", 1), (1, "second", 0), (0, "first", 0)]
)
def test_the_advantage_seat_says_who_picks_first(advantage: int, choice: str, picker: int) -> None:
    game = Game(advantage).draw().say(0, "ready").say(1, "ready")
    assert game.to_move == [advantage]
    game.say(advantage, choice)
    assert (game.to_move, game.kind) == ([picker], "draft")


def test_whoever_does_not_choose_picks_first() -> None:
    game = Game().draw().late(0).late(1).late(1)
    assert (game.to_move, game.kind) == ([1], "draft")


# -- draft ---------------------------------------------------------------------------------------


def test_shapes_are_taken_in_turn_until_all_are_taken() -> None:
    game = Game().drafting()
    for number, shape in enumerate(("02", "01", "03", "04", "05")):
        assert game.to_move == [number % 2]
        game.say(number % 2, f"take {shape}")
        assert RULES.scores(game.state) == (BARE, BARE)
    assert game.kind == "draft"
    game.say(1, "take 06")
    assert game.kind == "place"
    view = RULES.view(game.state, "room")
    assert view["hands"] == [["02", "03", "05"], ["01", "04", "06"]]
    assert view["free"] == []


def test_a_shape_is_taken_once_and_must_be_in_the_pool() -> None:
    game = Game().drafting().say(0, "take 02")
    assert refused(game, 1, "take 02") == "take.gone"
    assert refused(game, 1, "take 07") == "shape.unknown"
    assert refused(game, 1, "first") == "move.wrong-kind"
    assert refused(game, 0, "take 03") == "decision.none"


def test_a_missed_pick_passes_the_turn_and_takes_nothing() -> None:
    game = Game().drafting().late(0)
    assert (game.to_move, game.kind) == ([1], "draft")
    assert len(RULES.view(game.state, 0)["free"]) == 6
    assert RULES.view(game.state, 0)["misses"] == [1, 0]
    # The other one's first miss does not hurt either.
    game.late(1)
    assert game.to_move == [0]
    assert not game.over


def test_the_second_miss_in_the_match_loses() -> None:
    game = Game().drafting().late(0).say(1, "take 01").say(0, "take 02").say(1, "take 03").late(0)
    assert game.table.result is not None
    assert (game.table.result.winner, game.table.result.reason) == (1, "missed-picks")
    assert game.table.result.scores == (BARE, BARE)


def test_with_a_miss_hands_differ_in_size_and_the_draft_goes_on_until_all_are_taken() -> None:
    game = Game().drafting().late(0)
    for number, shape in enumerate(("01", "02", "03", "04", "05", "06")):
        game.say(1 - number % 2, f"take {shape}")
    assert game.kind == "place"
    assert RULES.view(game.state, 0)["hands"] == [["02", "04", "06"], ["01", "03", "05"]]


# -- placement -----------------------------------------------------------------------------------


def test_whoever_took_start_places_first() -> None:
    assert Game().placing("01", "02", "03", "04", "05", "06").to_move == [0]
    assert Game().placing("02", "01", "03", "04", "05", "06").to_move == [1]


def test_own_shapes_are_placed_in_turn_on_either_domain() -> None:
    game = Game().placing().say(0, "01 > red 10,10 0")
    assert game.to_move == [1]
    # 100 pixels of red, which is seat 1's, are seat 0's now.
    assert RULES.scores(game.state) == (BARE + 100, BARE - 100)
    game.say(1, "02 > red 10,10 90")
    # A bar of 4 by 16 on top: 4 by 10 of it lie on the square.
    assert RULES.scores(game.state) == (BARE + 60, BARE - 60)
    assert game.to_move == [0]


def test_only_a_shape_in_hand_can_be_placed_and_only_once() -> None:
    game = Game().placing()
    assert refused(game, 0, "02 > red 10,10 0") == "shape.not-yours"
    assert refused(game, 0, "09 > red 10,10 0") == "shape.unknown"
    game.say(0, "01 > red 10,10 0").say(1, "discard 02")
    assert refused(game, 0, "01 > blue 10,10 0") == "shape.used"
    assert refused(game, 0, "discard 01") == "shape.used"


def test_a_shape_may_be_discarded_instead() -> None:
    game = Game().placing().say(0, "discard 01")
    assert RULES.scores(game.state) == (BARE, BARE)
    assert game.to_move == [1]
    assert RULES.view(game.state, 0)["hands"] == [["03", "05"], ["02", "04", "06"]]


def test_the_match_ends_when_all_shapes_are_placed() -> None:
    game = Game(refereeing="strict").placing()
    moves = [
        "01 > red 10,10 0",
        "02 > blue 15,10 0",
        "03 > red 30,10 0",
        "04 > blue 15,20 0",
        "05 > red 10,22 0",
        "06 > blue 30,20 0",
    ]
    for number, text in enumerate(moves):
        assert game.to_move == [number % 2]
        game.say(number % 2, text)
    # Red: 1200 - 100 - 144 - 36 for seat 1. Seat 0 has there 100 + 128 + 36, the void is nobody's.
    # Blue: 1200 - 64 - 144 - 128 for seat 0; seat 1 has there 64 + 64 + 128, the border nobody.
    assert game.table.result is not None
    assert game.table.result.scores == (864 + 264, 920 + 256)
    assert (game.table.result.winner, game.table.result.reason) == (1, "points")


def test_the_match_ends_when_the_player_to_move_has_no_shape_left() -> None:
    """Seat 0 missed a pick and so has two shapes less: 02 04 against 01 03 05 06."""
    game = Game(refereeing="strict").drafting("first")
    for seat, shape in ((1, "01"), (0, "02"), (1, "03")):
        game.say(seat, f"take {shape}")
    game.late(0).say(1, "take 05").say(0, "take 04").say(1, "take 06")
    assert RULES.view(game.state, 0)["hands"] == [["02", "04"], ["01", "03", "05", "06"]]
    for seat, shape in ((1, "01"), (0, "02"), (1, "03"), (0, "04")):
        game.say(seat, f"discard {shape}")
    assert not game.over
    game.say(1, "05 > blue 20,15 0")
    assert game.table.result is not None
    assert game.table.result.scores == (BARE - 36, BARE + 36)
    assert RULES.view(game.state, "all")["hands"] == [[], ["06"]]


def test_a_tie_goes_to_the_advantage_seat() -> None:
    for advantage in (0, 1):
        game = Game(advantage, refereeing="strict").draw().say(0, "ready").say(1, "ready")
        game.say(advantage, "first" if advantage == 0 else "second")
        for number, shape in enumerate(("01", "02", "03", "04", "05", "06")):
            game.say(number % 2, f"take {shape}")
        for number, shape in enumerate(("01", "02", "03", "04", "05", "06")):
            game.say(number % 2, f"discard {shape}")
        assert game.table.result is not None
        assert game.table.result.scores == (BARE, BARE)
        assert (game.table.result.winner, game.table.result.reason) == (advantage, "tie-break")


def test_out_of_reserve_loses() -> None:
    game = Game().placing().say(0, "01 > red 10,10 0", at=780)
    assert game.reserve == (0, 600)
    game.say(1, "02 > red 10,10 0", at=200)
    assert game.reserve == (0, 580)
    game.late(0)
    assert game.table.result is not None
    assert (game.table.result.winner, game.table.result.reason) == (1, "timeout")


# -- strict refereeing ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("01 > red 6,6 0", None),  # from column 1 and row 1 on
        ("01 > red 5,6 0", "place.frame"),
        ("01 > red 6,5 0", "place.frame"),
        ("01 > red 34,24 0", None),  # to column 38 and row 28
        ("01 > red 35,24 0", "place.frame"),
        ("01 > red 34,25 0", "place.frame"),
        ("01 > red 4,6 0", "place.outside"),
        ("01 > blue 36,10 0", "place.outside"),
        ("01 > blue 20,26 0", "place.outside"),
        ("01 > blue 20,99999 0", "place.outside"),
        ("01 > red 6,6 45", "place.outside"),  # 7.07 pixels to each corner: 7 pixels each way
        ("01 > red 7,7 45", "place.frame"),
        ("01 > red 8,8 45", None),
    ],
)
def test_a_shape_stays_inside_and_off_the_frame(text: str, code: str | None) -> None:
    game = Game(refereeing="strict").placing()
    if code is None:
        game.say(0, text)
    else:
        assert refused(game, 0, text) == code
    # By challenge anything is taken.
    Game().placing().say(0, text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("02 > red 20,10 0", "place.void"),  # right over it
        ("02 > red 20,6 0", None),  # rows 4 to 7; the void begins at row 8
        ("02 > red 20,7 0", "place.void"),
        ("02 > red 20,14 0", None),  # from row 12 on: beside the void is not on it
        ("02 > red 10,10 0", None),  # columns 2 to 17; the void begins at 18
        ("02 > red 11,10 0", "place.void"),
        ("02 > blue 20,10 0", None),  # the other domain
    ],
)
def test_a_void_zone_is_not_covered(text: str, code: str | None) -> None:
    game = Game(refereeing="strict").placing("01", "02", "03", "04", "05", "06")
    game.say(0, "discard 01").say(1, "discard 04").say(0, "03 > red 20,10 0")
    if code is None:
        game.say(1, text)
    else:
        assert refused(game, 1, text) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("05 > red 20,15 0", None),  # well inside the inner line, columns 17 to 22
        ("05 > red 21,15 0", "place.border"),  # to column 23: beside 24
        ("05 > red 20,27 0", "place.frame"),
        ("05 > red 20,24 0", "place.border"),  # from row 21 on: beside row 20
        ("05 > red 20,25 0", None),
        ("05 > red 10,15 0", None),  # to column 12: one free column before 14
        ("05 > red 11,15 0", "place.border"),  # to column 13: beside 14
        ("05 > red 11,6 0", None),  # only by a corner: columns to 13, rows to 8, and 9 is purple's
        ("05 > red 20,15 45", "place.border"),  # 4 pixels each way, on 4 pixels of room
    ],
)
def test_a_purple_border_is_not_touched(text: str, code: str | None) -> None:
    """Shape 04 at (20, 15) covers columns 14 to 25 and rows 9 to 20, purple but for 16 to 23 and
    11 to 18."""
    game = Game(refereeing="strict").placing("01", "05", "04", "02", "03", "06")
    game.say(0, "discard 01").say(1, "discard 02").say(0, "04 > red 20,15 0")
    if code is None:
        game.say(1, text)
    else:
        assert refused(game, 1, text) == code


def test_a_refusal_names_pixels_that_are_to_blame() -> None:
    game = Game(refereeing="strict").placing()
    with pytest.raises(Refusal) as caught:
        game.say(0, "01 > red 5,6 0")
    assert caught.value.squares == tuple(f"0,{row}" for row in range(1, 11))


def test_zones_bind_even_where_something_covers_them() -> None:
    """By challenge seat 1 lays a square over the void of 03, which is not noticed. Under it the
    void still binds whoever comes next."""
    game = Game().placing("03", "01", "02", "05", "04", "06")
    assert game.to_move == [1]
    game.say(1, "01 > blue 10,10 0").say(0, "03 > red 20,10 0").say(1, "05 > red 20,10 0")
    game.say(0, "02 > red 20,10 0").say(1, "challenge")
    assert game.events[0].data["valid"] is False


def test_shapes_that_were_discarded_bind_no_more() -> None:
    game = Game().placing("03", "01", "02", "05", "04", "06")
    game.say(1, "01 > blue 10,10 0")
    game.say(0, "03 > red 5,10 0").say(1, "challenge")  # sticks out: struck
    game.say(1, "05 > red 5,10 0").say(0, "challenge")
    assert game.events[0].data["valid"] is True  # columns 2 to 7, over where the void was


# -- options -------------------------------------------------------------------------------------


def test_times_and_choices_are_options() -> None:
    options: Any = DomainOptions()
    assert (options.turn_time, options.reserve, options.choice_time) == (180, 600, 60)
    assert (options.inspection_time, options.pick_time, options.challenge_cost) == (600, 120, 60)
    assert (options.early_ready, options.refereeing, options.review) == (
        True,
        "challenge",
        "engine",
    )
    assert options.pool is None
    policies = RULES.policies(options)
    assert {name: policy.uses_reserve for name, policy in policies.items()} == {
        "inspection": False,
        "choice": False,
        "pick": False,
        "turn": True,
    }
    assert all(policy.interval_ms == 0 for policy in policies.values())


def test_the_domains_have_the_size_of_the_pool() -> None:
    document = {key: value for key, value in SMALL.items() if key != "size"}
    game = Game(pool=document).draw()
    assert RULES.view(game.state, 0)["pool"]["size"] == [480, 360]
    assert RULES.scores(game.state) == (172_800, 172_800)
