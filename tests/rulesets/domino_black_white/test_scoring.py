"""Scoring a placement: the letters H, V, D and B."""

import pytest

from tests.rulesets.domino_black_white import reference
from tests.rulesets.domino_black_white.helpers import RULES, at_random, met, play


def test_three_in_a_row_that_sum_to_5_score_h() -> None:
    # C, D and E of row Z: 1 + 1 + 3. D, E and F: 1 + 3 + 4 is 8.
    state = play("(1,1) CZ:DZ hide CZ", "(3,4) EZ:FZ hide EZ")
    assert met(state) == "H"
    assert state.scores() == (0, 1)


def test_three_in_a_column_that_sum_to_10_score_v() -> None:
    # X, Y and Z of column C: 2 + 3 + 5.
    state = play("(3,5) CY:CZ hide 3", "(1,2) CW:CX hide 1")
    assert met(state) == "V"
    assert state.scores() == (0, 1)


def test_a_diagonal_that_falls_to_the_right_scores_d() -> None:
    # BX, CY, DZ: 2 + 4 + 4; column B and row Y hold nothing else of the kind.
    state = play("(1,4) DY:DZ hide 1", "(4,4) CY:CZ hide CY", "(2,3) BX:BY hide 2")
    assert met(state) == "D"


def test_a_diagonal_that_rises_to_the_right_scores_d() -> None:
    # The same position mirrored: HX, GY, FZ.
    state = play("(1,4) FY:FZ hide 1", "(4,4) GY:GZ hide GY", "(2,3) HX:HY hide 2")
    assert met(state) == "D"


@pytest.mark.parametrize(
    ("texts", "letters"),
    [
        (("(0,0) CZ:DZ hide CZ", "(0,1) EZ:FZ hide 0"), "HB"),  # 0 + 0 + 0
        (("(0,1) CZ:DZ hide 0", "(4,0) EZ:FZ hide 0"), "H"),  # 0 + 1 + 4 = 5; 1 + 4 + 0 = 5
        (("(5,1) CZ:DZ hide 5", "(4,4) EZ:FZ hide EZ"), "H"),  # 5 + 1 + 4 = 10
        (("(5,5) CZ:DZ hide CZ", "(5,1) EZ:FZ hide 5"), "HB"),  # 5 + 5 + 5 = 15
        (("(1,1) CZ:DZ hide CZ", "(4,4) EZ:FZ hide EZ"), ""),  # 6, 9
        (("(5,5) CZ:DZ hide CZ", "(4,4) EZ:FZ hide EZ"), ""),  # 14, 13
    ],
)
def test_the_sums_0_5_10_and_15_score_and_0_and_15_score_b_besides(
    texts: tuple[str, ...], letters: str
) -> None:
    state = play(*texts)
    assert met(state) == letters
    assert state.scores() == (0, len(letters))


def test_a_letter_scores_once_however_many_lines_meet_it() -> None:
    # C-D-E is 0 + 1 + 4, D-E-F is 1 + 4 + 0: two lines, one point.
    state = play("(0,1) CZ:DZ hide 0", "(4,0) EZ:FZ hide 4")
    assert state.scores() == (0, 1)


def test_b_scores_once_however_many_lines_sum_to_0_or_15() -> None:
    # Row Z from C to F is all zeros but for what lies beyond: 0 0 0 is met twice over.
    state = play("(0,0) CZ:DZ hide CZ", "(0,0) EZ:FZ hide EZ")
    assert met(state) == "HB"
    assert state.scores() == (0, 2)


def test_several_letters_score_together() -> None:
    state = play(
        "(0,5) DY:DZ hide 0",
        "(3,3) CY:CZ hide CY",
        "(4,4) BX:BY hide BY",
        "(4,2) EZ:FZ hide 2",
    )
    assert state.scores() == (0, 0)
    # Row X: 4 + 1 + 0. Column D: 0 + 0 + 5. CX, DY, EZ: 1 + 0 + 4.
    state = play("(1,0) CX:DX hide 1", state=state)
    assert met(state) == "HVD"
    assert state.scores() == (3, 0)


def test_b_needs_a_line_that_scored_with_0_or_15() -> None:
    # A zero was laid, and a line scored, but with a sum of 5.
    state = play("(0,1) CZ:DZ hide 0", "(4,0) EZ:FZ hide 4")
    assert met(state) == "H"


def test_a_line_with_an_empty_square_does_not_count() -> None:
    # 5 at C and 5 at E, nothing at D between them.
    state = play("(5,5) CY:CZ hide CY", "(5,5) EY:EZ hide EY")
    assert met(state) == ""


def test_a_line_without_a_new_square_does_not_count_again() -> None:
    state = play("(1,1) CZ:DZ hide CZ", "(3,4) EZ:FZ hide EZ", "(2,4) HX:HY hide 2")
    assert met(state) == ""
    assert state.scores() == (0, 1)


def test_the_placer_scores_whoever_laid_the_rest_of_the_line() -> None:
    state = play("(1,1) CZ:DZ hide CZ", "(3,4) EZ:FZ hide EZ", "(1,2) GY:GZ hide 1")
    # E, F and G: 3 + 4 + 2 is 9; nothing. Seat 1 keeps the point that seat 0 had prepared.
    assert state.scores() == (0, 1)


@pytest.mark.parametrize("hide", ["CZ", "DZ"])
@pytest.mark.parametrize("hide_next", ["EZ", "FZ"])
def test_hidden_numbers_count(hide: str, hide_next: str) -> None:
    state = play(f"(1,1) CZ:DZ hide {hide}", f"(3,4) EZ:FZ hide {hide_next}")
    assert met(state) == "H"


def test_a_line_through_a_wing_counts() -> None:
    state = play(
        "(0,1) CY:CZ hide 0",
        "(0,1) CW:CX hide 0",
        "(0,2) CU:CV hide 0",
        "(0,2) CS:CT hide 0",
        "(3,4) CR:DR hide 3",
    )
    # A, B and C of row R: 1 + 1 + 3; B, C and D: 1 + 3 + 4.
    state = play("(1,1) AR:BR hide AR", state=state)
    assert met(state) == "H"


def test_letters_are_told_in_the_order_hvdb() -> None:
    found = {met(at_random(seed, count)) for seed in range(60) for count in range(5, 24)}
    assert {"H", "V", "D", "HV", "HD", "VD", "HVD", "HB", "VB", "DB"} <= found
    assert all("".join(sorted(letters, key="HVDB".index)) == letters for letters in found)


@pytest.mark.parametrize("seed", range(60))
def test_letters_and_scores_are_those_of_the_slow_reference(seed: int) -> None:
    end = at_random(seed)
    points = [0, 0]
    board: reference.Board = {}
    for index, placed in enumerate(end.history):
        new = [reference.square(name) for name in placed.place.spot.squares]
        board.update(zip(new, placed.place.numbers, strict=True))
        letters = reference.met(board, (new[0], new[1]))
        assert met(at_random(seed, index + 1)) == letters
        points[end.placer(index)] += len(letters)
    assert RULES.scores(end) == tuple(points)


def test_everyone_is_told_the_letters_but_never_the_line() -> None:
    before = play("(1,1) CZ:DZ hide CZ")
    state = play("(3,4) EZ:FZ hide EZ", state=before)
    move = state.last
    assert move is not None
    (event,) = RULES.events(before, ((1, move.place),), state)
    for audience in (0, 1, "room"):
        seen = event.seen_as(audience)
        assert seen is not None
        assert seen.data["met"] == "H"
        assert seen.text.endswith("scored 1 (H)")
        assert set(seen.data) - {"move"} == {"domino", "met", "points", "halves"}
        assert RULES.view(state, audience)["met"] == ["", "H"]
