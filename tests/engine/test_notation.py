"""Reading is forgiving in the ways that the rules name, and in no other."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.notation import LONGEST, square_name, tidy
from tests.engine.helpers import refused


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("E5 90", "e5 90"),
        ("e5 90", "e5 90"),
        ("E5  90", "e5 90"),
        ("  E5 90 ", "e5 90"),
        ("E5.90", "e5 90"),
        ("E5. 90.", "e5 90"),
        ("...E5 ... 90", "e5 90"),
        ("C7 RRD>E5 90", "c7 rrd>e5 90"),
        ("C7 RRD > E5 90", "c7 rrd>e5 90"),
        ("(3,4) DZ:DY hide DY", "(3,4)dz:dy hide dy"),
        ("( 3 , 4 )DZ : DY  hide DY", "(3,4)dz:dy hide dy"),
        ("(3,4) Domino, DZ:DY, Hide (4)", "(3,4)domino,dz:dy,hide(4)"),
        ("07 > red 120 ,85 45", "07>red 120,85 45"),
        ("07. > .red 120.,85 45", "07>red 120,85 45"),
        ("CONCEDE", "concede"),
    ],
)
def test_case_full_stops_and_spaces_are_free(text: str, tidied: str) -> None:
    assert tidy(text) == tidied


@pytest.mark.parametrize("text", ["E590", "E5-90", "E5/90", "E5;90", "E5_90", "[3,4]", "E5 +90"])
def test_nothing_else_is_made_alike(text: str) -> None:
    assert tidy(text) == text.lower()


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ".",
        " . . ",
        "E5\t90",
        "E5\n90",
        "first\n",
        "first\r\n",
        "E5\u00a090",
        "\u212a",  # the Kelvin sign, whose lower case is a plain k
        "p\u0131ck t",
        "\uff11",
        "a\x00",
        "a\x7f",
        "a" * (LONGEST + 1),
    ],
)
def test_what_cannot_be_a_move_is_refused(text: str) -> None:
    refused("notation.unreadable", tidy, text)


def test_the_longest_text_is_read() -> None:
    assert tidy("A" * LONGEST) == "a" * LONGEST


texts = st.text(alphabet=string.ascii_letters + string.digits + " .>:,()+-", min_size=1)


@given(text=texts.filter(lambda text: text.strip(" .")))
def test_tidying_twice_is_tidying_once(text: str) -> None:
    assert tidy(tidy(text)) == tidy(text)


@given(words=st.lists(st.text(string.ascii_letters, min_size=1), min_size=2))
def test_words_stay_apart_and_in_order(words: list[str]) -> None:
    assert tidy(" ".join(words)).split(" ") == [word.lower() for word in words]
    assert tidy("".join(words)) == "".join(words).lower()


@pytest.mark.parametrize(("column", "row", "name"), [(0, 0, "A1"), (8, 8, "I9"), (11, 15, "L16")])
def test_squares_are_a_column_letter_and_a_row_from_the_top(
    column: int, row: int, name: str
) -> None:
    assert square_name(column, row) == name
