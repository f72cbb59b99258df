"""Where a domino may be placed, and which domino."""

import pytest

from tests.rulesets.domino_black_white import reference
from tests.rulesets.domino_black_white.helpers import (
    RULES,
    at_random,
    legal_squares,
    numbers,
    play,
    refusal,
)

# -- the dominoes --------------------------------------------------------------------------------


def test_each_player_starts_with_all_21_dominoes_doubles_included() -> None:
    view = RULES.view(play(), "all")
    every = [[low, high] for low in range(6) for high in range(low, 6)]
    assert len(every) == 21
    assert view["hands"] == [every, every]
    assert view["left"] == [21, 21]


def test_a_domino_can_be_placed_once_by_each_player() -> None:
    state = play("(3,4) CY:CZ hide CY")
    assert [3, 4] not in RULES.view(state, "all")["hands"][0]
    state = play("(4,3) DY:DZ hide DY", state=state)
    again = refusal(state, "(3,4) EY:EZ hide EY")
    assert (again.code, again.sentence) == (
        "place.used",
        "You have already placed your domino (3,4).",
    )
    assert refusal(state, "(4,3) EY:EZ hide EY").code == "place.used"


@pytest.mark.parametrize("numbers", ["(3,6)", "(6,6)", "(0,10)", "(03,4)", "(00,1)"])
def test_numbers_go_from_0_to_5(numbers: str) -> None:
    refused = refusal(play(), f"{numbers} CY:CZ hide CY")
    assert refused.code == "notation.not-a-domino"
    assert numbers in refused.sentence


# -- two neighbouring empty squares --------------------------------------------------------------


@pytest.mark.parametrize("squares", ["CZ:EZ", "CY:DZ", "CX:CZ", "CZ:CZ", "AR:IR"])
def test_the_squares_must_be_neighbours(squares: str) -> None:
    refused = refusal(play(), f"(3,4) {squares} hide 3")
    assert refused.code == "notation.not-neighbours"
    assert refused.squares == tuple(dict.fromkeys(squares.split(":")))


@pytest.mark.parametrize("square", ["BZ", "HZ", "AS", "IS", "AZ", "JR", "C9", "Z", "CZZ"])
def test_the_squares_must_be_on_the_board(square: str) -> None:
    refused = refusal(play(), f"(3,4) {square}:CY hide 3")
    assert refused.code == "notation.no-such-square"
    assert square in refused.sentence


def test_the_squares_must_be_empty() -> None:
    state = play("(3,4) DZ:EZ hide DZ")
    both = refusal(state, "(1,2) DZ:EZ hide DZ")
    assert (both.code, both.squares) == ("place.occupied", ("DZ", "EZ"))
    one = refusal(state, "(1,2) CZ:DZ hide DZ")
    assert (one.code, one.squares) == ("place.occupied", ("DZ",))
    assert one.sentence == "DZ is occupied."


# -- support -------------------------------------------------------------------------------------


@pytest.mark.parametrize("squares", ["BX:BY", "HX:HY", *[f"{c}Y:{c}Z" for c in "CDEFG"]])
def test_a_domino_may_stand_on_the_floor(squares: str) -> None:
    play(f"(1,2) {squares} hide 1")


@pytest.mark.parametrize("squares", ["CZ:DZ", "FZ:GZ", "BY:CY", "GY:HY"])
def test_a_flat_domino_needs_support_under_one_half_only(squares: str) -> None:
    play(f"(1,2) {squares} hide 1")


def test_an_occupied_square_supports() -> None:
    state = play("(1,2) CY:CZ hide 1")
    assert ("CW", "CX") in legal_squares(state)
    assert ("CX", "DX") in legal_squares(state)
    play("(1,2) CX:DX hide 1", state=state)


@pytest.mark.parametrize("squares", ["CX:CY", "DY:EY", "BW:BX", "CR:DR", "BR:BS"])
def test_a_domino_cannot_hang_in_the_air(squares: str) -> None:
    refused = refusal(play(), f"(1,2) {squares} hide 1")
    assert refused.code == "place.unsupported"
    assert refused.squares == tuple(squares.split(":"))


# -- reach ---------------------------------------------------------------------------------------

# C is two high and wears a flat domino that sticks out over D.
OVERHANG = ("(1,2) CY:CZ hide 1", "(1,2) CX:DX hide 1")


def test_a_domino_may_slide_in_under_an_overhang() -> None:
    state = play(*OVERHANG)
    assert {("DY", "DZ"), ("DZ", "EZ")} <= legal_squares(state)
    play("(0,1) DY:DZ hide 0", state=state)
    play("(0,1) DZ:EZ hide 0", state=state)


def test_a_hole_that_is_closed_on_all_sides_cannot_be_reached() -> None:
    state = play(*OVERHANG, "(0,1) EY:EZ hide 0")
    refused = refusal(state, "(0,2) DY:DZ hide 0")
    assert refused.code == "place.unreachable"
    assert refused.squares == ("DY", "DZ")


def test_a_flat_domino_slides_through_a_gap_one_square_high() -> None:
    state = play("(1,2) CZ:DZ hide 1", "(1,2) DY:EY hide 1")
    play("(0,1) EZ:FZ hide 0", state=state)


def test_an_upright_domino_does_not() -> None:
    # The hole at D is two high, but the only way into it, EZ, is one high.
    state = play(*OVERHANG, "(0,1) FZ:GZ hide 0", "(0,1) EY:FY hide 0")
    assert refusal(state, "(4,5) DY:DZ hide 4").code == "place.unreachable"


def test_a_domino_is_not_turned_on_its_way() -> None:
    # EZ lies under a roof; D is a shaft one square wide. An upright domino can go down the shaft,
    # but cannot then be laid flat over DZ and EZ.
    state = play("(1,2) FZ:GZ hide 1", "(1,2) EY:FY hide 1", "(0,1) CY:CZ hide 0")
    assert ("DY", "DZ") in legal_squares(state)
    refused = refusal(state, "(3,4) DZ:EZ hide 3")
    assert refused.code == "place.unreachable"
    assert refused.squares == ("DZ", "EZ")


def test_a_domino_moves_sideways_several_squares_under_a_long_roof() -> None:
    # A roof in steps over D, E and F: the only way to DZ is down G and along the floor.
    state = play(*OVERHANG, "(0,1) DW:EW hide 0", "(0,1) EV:FV hide 0")
    assert {("DY", "DZ"), ("EY", "EZ"), ("DZ", "EZ")} <= legal_squares(state)
    play("(3,4) DY:DZ hide 3", state=state)
    walled = play("(3,4) GY:GZ hide 3", "(3,4) GW:GX hide 3", state=state)
    assert not {("DY", "DZ"), ("EY", "EZ"), ("DZ", "EZ")} & legal_squares(walled)


# -- the wings -----------------------------------------------------------------------------------

# C filled up to S; BS, CR, HS and GR are empty.
TOWER_C = ("(0,1) CY:CZ hide 0", "(0,1) CW:CX hide 0", "(0,2) CU:CV hide 0", "(0,2) CS:CT hide 0")
TOWER_G = tuple(text.replace("C", "G") for text in TOWER_C)
TOWER_B = ("(0,1) BX:BY hide 0", "(0,1) BV:BW hide 0", "(0,2) BT:BU hide 0")
TOWER_H = tuple(text.replace("B", "H") for text in TOWER_B)


@pytest.mark.parametrize(
    ("squares", "wing", "needs"),
    [("AR:BR", "AR", ("BS", "CR")), ("HR:IR", "IR", ("HS", "GR"))],
)
def test_a_wing_is_closed_at_first(squares: str, wing: str, needs: tuple[str, str]) -> None:
    refused = refusal(play(), f"(1,2) {squares} hide 1")
    assert refused.code == "place.wing"
    assert refused.squares == (wing, *needs)


@pytest.mark.parametrize(
    ("texts", "squares"),
    [
        ((*TOWER_C, "(3,4) CR:DR hide 3"), ("AR", "BR")),  # CR holds part of a domino
        ((*TOWER_B, "(3,4) BS:CS hide 3"), ("AR", "BR")),  # BS does
        ((*TOWER_G, "(3,4) FR:GR hide 3"), ("HR", "IR")),  # GR does
        ((*TOWER_H, "(3,4) GS:HS hide 3"), ("HR", "IR")),  # HS does
    ],
)
def test_a_wing_opens_once_one_of_its_two_squares_holds_part_of_a_domino(
    texts: tuple[str, ...], squares: tuple[str, str]
) -> None:
    before = play(*texts[:-1])
    assert squares not in legal_squares(before)
    state = play(texts[-1], state=before)
    assert squares in legal_squares(state)
    play(f"(5,5) {':'.join(squares)} hide {squares[0]}", state=state)


def test_each_wing_has_squares_of_its_own() -> None:
    state = play(*TOWER_C, "(3,4) CR:DR hide 3")
    assert ("HR", "IR") not in legal_squares(state)
    assert refusal(state, "(5,5) HR:IR hide HR").code == "place.wing"


def test_under_a_wing_there_is_floor() -> None:
    # BS is empty, so that BR hangs in the air; AR carries the domino.
    state = play(*TOWER_C, "(3,4) CR:DR hide 3")
    assert reference.square("BS") not in numbers(state)
    play("(5,5) AR:BR hide AR", state=state)


def test_a_domino_in_a_wing_cannot_itself_fill_the_square_that_the_wing_needs() -> None:
    for squares, needs in ((("AR", "BR"), ("BS", "CR")), (("HR", "IR"), ("HS", "GR"))):
        assert not set(squares) & set(needs)


# -- a turn --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["pass", "(3,4) CY:CZ", "(3,4) CY:CZ hide", "hide CY"])
def test_there_is_no_pass_and_no_placement_without_a_hidden_half(text: str) -> None:
    assert refusal(play(), text).code == "notation.unreadable"


def test_exactly_one_half_is_hidden() -> None:
    state = play("(3,4) CY:CZ hide CZ", "(1,1) DY:DZ hide DY")
    hidden = [cell["square"] for cell in RULES.view(state, "all")["cells"] if cell["hidden"]]
    assert hidden == ["CZ", "DY"]


def test_a_refused_placement_changes_nothing() -> None:
    state = play(*OVERHANG)
    before = RULES.encode(state)
    for text in ("(1,2) BX:BY hide 1", "(3,4) CR:DR hide 3", "(3,4) AR:BR hide 3", "first"):
        refusal(state, text)
    assert RULES.encode(state) == before


@pytest.mark.parametrize("seed", range(60))
def test_legal_spots_are_those_of_the_slow_reference_at_every_turn(seed: int) -> None:
    end = at_random(seed)
    for count in range(len(end.history) + 1):
        state = at_random(seed, count)
        assert legal_squares(state) == reference.legal(numbers(state))
