"""The text forms: forgiving where the rules say so, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.refusals import Refusal
from games.engine import notation
from games.engine.decisions import Chance
from games.rulesets.tetronogo.moves import LETTERS, Move, OutOfTime, Pick, PlaceTetromino, Start
from tests.rulesets.tetronogo.helpers import RULES, read

moves = (
    st.builds(Pick, st.sampled_from(LETTERS))
    | st.builds(Start, st.sampled_from(["first", "second"]))
    | st.builds(PlaceTetromino, st.integers(0, 143), st.integers(0, 3))
)


@given(moves)
def test_what_is_printed_reads_back_as_the_same_move(move: Move) -> None:
    printed = RULES.print(move)
    assert read(printed) == move
    assert RULES.print(read(printed)) == printed


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("pick T", Pick("T")),
        ("PICK t", Pick("T")),
        ("  pick   o ", Pick("O")),
        ("pick.L", Pick("L")),
        ("first", Start("first")),
        ("Second.", Start("second")),
        ("D4 90", PlaceTetromino(39, 1)),
        ("d4 90", PlaceTetromino(39, 1)),
        ("D4.90", PlaceTetromino(39, 1)),
        ("  a1   0 ", PlaceTetromino(0, 0)),
        ("L12 270", PlaceTetromino(143, 3)),
    ],
)
def test_case_full_stops_and_spaces_are_free(text: str, move: Move) -> None:
    assert read(text) == move


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("pick X", "notation.tetromino"),
        ("pick TT", "notation.tetromino"),
        ("pick", "notation.unreadable"),
        ("pickT", "notation.unreadable"),
        ("pick T T", "notation.unreadable"),
        ("T", "notation.unreadable"),
        ("third", "notation.unreadable"),
        ("first second", "notation.unreadable"),
        ("D4", "notation.unreadable"),
        ("D490", "notation.unreadable"),
        ("D 4 90", "notation.unreadable"),
        ("T D4 90", "notation.unreadable"),
        ("D4 90 0", "notation.unreadable"),
        ("D4 -90", "notation.unreadable"),
        ("D4 +90", "notation.unreadable"),
        ("D4, 90", "notation.unreadable"),
        ("44 90", "notation.unreadable"),
        ("out of time", "notation.unreadable"),
        ("M1 0", "notation.square"),
        ("A0 0", "notation.square"),
        ("A13 0", "notation.square"),
        ("A04 0", "notation.square"),
        ("A123 0", "notation.square"),
        ("D4 45", "notation.rotation"),
        ("D4 360", "notation.rotation"),
        ("D4 090", "notation.rotation"),
        ("D4 00", "notation.rotation"),
        ("D\u0664 90", "notation.unreadable"),
        ("", "notation.unreadable"),
    ],
)
def test_anything_else_is_refused_with_a_reason(text: str, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        read(text)
    assert refused.value.code == code
    assert refused.value.sentence.endswith(".")


def test_parsing_itself_reads_ascii_digits_only() -> None:
    """Even where a text did not go through `tidy`."""
    for text in ("d\u0664 90", "d4 \u0669\u0660", "d\u00b2 0"):
        with pytest.raises(Refusal):
            RULES.parse(text)


@given(st.text(max_size=20))
def test_no_text_whatever_breaks_the_reader(text: str) -> None:
    try:
        move = read(text)
    except Refusal:
        return
    assert read(RULES.print(move)) == move


def test_running_out_of_time_cannot_be_typed() -> None:
    with pytest.raises(Refusal):
        read(RULES.print(OutOfTime()))


# -- chance ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["pick 0 T", "PICK 0 t", " pick  0 T", "pick.0.t"])
def test_a_drawn_pick_is_read_forgivingly(text: str) -> None:
    assert RULES.parse_chance(notation.tidy(text)) == Chance("pick", 0, ("T",))
    assert RULES.parse_chance(text) == Chance("pick", 0, ("T",))


@given(st.sampled_from([0, 1]), st.sampled_from(LETTERS))
def test_a_drawn_pick_prints_and_reads_back(seat: int, letter: str) -> None:
    chance = Chance("pick", seat, (letter,))
    assert RULES.print_chance(chance) == f"pick {seat} {letter}"
    assert RULES.parse_chance(notation.tidy(RULES.print_chance(chance))) == chance


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("pick 2 T", "notation.chance"),
        ("pick T", "notation.chance"),
        ("pick 0 T T", "notation.chance"),
        ("pick \u0660 T", "notation.unreadable"),
        ("deck 0 T", "notation.chance"),
        ("pick 0 Q", "notation.tetromino"),
        ("", "notation.unreadable"),
    ],
)
def test_any_other_draw_is_refused(text: str, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        RULES.parse_chance(text)
    assert refused.value.code == code
