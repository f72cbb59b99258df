"""Moves as text: what is read, what is refused, and what is printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.refusals import Refusal
from games.engine import notation
from games.rulesets.domino_black_white.moves import PLACES, ChooseOrder, PlaceDomino, TurnTimeout
from tests.rulesets.domino_black_white.helpers import RULES, read

CANONICAL = "(3,4) DZ:DY hide DY"


@pytest.mark.parametrize(
    "text",
    [
        "(3,4) DZ:DY hide DY",
        "(3,4) DZ:DY hide 4",
        "(4,3) DY:DZ hide 4",
        "(4,3) DY:DZ hide DY",
        "(3,4) dz:dy HIDE dy",
        " ( 3 , 4 )  DZ : DY   hide   DY ",
        "(3,4)dz:dy hide 4",
        "(3,4) DZ:DY. hide DY.",
        "(3,4) Domino, DZ:DY, Hide (4)",
        "(4,3) domino , dy:dz , hide(4)",
        "(3,4) Domino, DZ:DY, Hide (DY)",
    ],
)
def test_all_of_these_are_the_same_move(text: str) -> None:
    assert RULES.print(read(text)) == CANONICAL


def test_the_first_number_lies_on_the_first_square() -> None:
    move = read("(3,4) DZ:DY hide 4")
    assert isinstance(move, PlaceDomino)
    assert dict(zip(move.spot.squares, move.numbers, strict=True)) == {"DZ": 3, "DY": 4}
    assert move.hidden == "DY"
    assert move.domino == (3, 4)
    turned = read("(3,4) DY:DZ hide 4")
    assert isinstance(turned, PlaceDomino)
    assert dict(zip(turned.spot.squares, turned.numbers, strict=True)) == {"DY": 3, "DZ": 4}
    assert turned.hidden == "DZ"


def test_a_double_is_one_move_whichever_square_is_named_first() -> None:
    move = read("(3,3) DZ:DY hide DY")
    assert move == read("(3,3) DY:DZ hide DY")
    assert move != read("(3,3) DY:DZ hide DZ")
    assert RULES.print(move) == "(3,3) DY:DZ hide DY"
    assert RULES.print(read("(3,3) EZ:DZ hide EZ")) == "(3,3) DZ:EZ hide EZ"


@pytest.mark.parametrize("text", ["first", "First", " FIRST. "])
def test_first_and_second(text: str) -> None:
    assert read(text) == ChooseOrder(first=True)
    assert RULES.print(ChooseOrder(first=True)) == "first"
    assert read(text.lower().replace("first", "second")) == ChooseOrder(first=False)
    assert RULES.print(ChooseOrder(first=False)) == "second"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("(3,3) DZ:DY hide 3", "notation.hide-double"),
        ("(3,3) Domino, DZ:DY, Hide (3)", "notation.hide-double"),
        ("(3,4) DZ:DY hide 5", "notation.hide-number"),
        ("(3,4) DZ:DY hide 04", "notation.hide-number"),
        ("(3,3) DZ:DY hide 4", "notation.hide-number"),
        ("(3,4) DZ:DY hide 9", "notation.hide-number"),
        ("(3,4) DZ:DY hide CZ", "notation.hide-square"),
        ("(3,4) DZ:DY hide QQ", "notation.hide-square"),
        ("(3,4) DZ:DY hide D", "notation.hide-square"),
        ("(3,6) DZ:DY hide 3", "notation.not-a-domino"),
        ("(33,4) DZ:DY hide 4", "notation.not-a-domino"),
        ("(3,4) BZ:BY hide 3", "notation.no-such-square"),
        ("(3,4) DZ:D9 hide 3", "notation.no-such-square"),
        ("(3,4) DZ:EY hide 3", "notation.not-neighbours"),
        ("(3,4) DZ:DZ hide 3", "notation.not-neighbours"),
        ("(3,4) DZ:EX hide 3", "notation.not-neighbours"),
    ],
)
def test_what_can_be_read_but_is_no_placement_has_a_code_of_its_own(text: str, code: str) -> None:
    with pytest.raises(Refusal) as caught:
        read(text)
    assert caught.value.code == code
    assert caught.value.sentence.endswith(".")


@pytest.mark.parametrize(
    "text",
    [
        "3,4 DZ:DY hide DY",
        "(3 4) DZ:DY hide DY",
        "(3,4) DZ DY hide DY",
        "(3,4) DZ:DY",
        "(3,4) DZ:DY hide",
        "(3,4) DZ:DY hide (4)",
        "(3,4) DZ:DY hide DY DZ",
        "(3,4) DZ:DY show DY",
        "(3,4) DZ:DY, hide DY",
        "(3,4) Domino DZ:DY Hide (4)",
        "(3,4) Domino, DZ:DY, Hide 4",
        "(3,4) Domino, DZ:DY Hide (4)",
        "(3,4) D Z:D Y hide 4",
        "(-3,4) DZ:DY hide 4",
        "(3,4) DZ:DY hide DY; (1,2)",
        "(3,4,5) DZ:DY hide 4",
        "go first",
        "1st",
        "hide 4 (3,4) DZ:DY",
    ],
)
def test_nothing_else_is_read(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        read(text)
    assert caught.value.code == "notation.unreadable"


def test_digits_of_other_scripts_are_not_read() -> None:
    with pytest.raises(Refusal):
        read("(\u0663,\u0664) DZ:DY hide DY")
    with pytest.raises(Refusal):
        RULES.parse("(\u0663,\u0664)dz:dy hide dy")


def test_printing_and_reading_agree_for_every_move_there_is() -> None:
    texts = [RULES.print(move) for move in PLACES]
    assert len(set(texts)) == len(PLACES) == 108 * 72
    for move, text in zip(PLACES, texts, strict=True):
        assert read(text) is move


def test_printing_puts_the_lower_number_first() -> None:
    for move in PLACES:
        one, two = RULES.print(move)[1:4].split(",")
        assert int(one) <= int(two)


def test_running_out_of_time_has_a_text_that_cannot_be_read() -> None:
    with pytest.raises(Refusal):
        read(RULES.print(TurnTimeout()))


@given(st.text(alphabet="(),:0123456 abcdefghirstuvwxyzhideomn.DZ", max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        move = RULES.parse(notation.tidy(text))
    except Refusal as refusal:
        area, _, reason = refusal.code.partition(".")
        if area != "notation" or not reason:
            raise
    else:
        assert read(RULES.print(move)) == move
