"""What can be typed, how it is read, and what is said where it cannot be."""

from __future__ import annotations

import pytest

from core.refusals import Refusal
from games.engine import notation
from tests.rulesets.domain.helpers import RULES


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("Ready", "ready"),
        (" first ", "first"),
        ("SECOND", "second"),
        ("take 07", "take 07"),
        ("Take.07", "take 07"),
        ("07 > red 120,85 45", "07 > red 120,85 45"),
        ("07>RED 120 , 85  45", "07 > red 120,85 45"),
        ("07 >blue 0,0 0", "07 > blue 0,0 0"),
        ("07 > blue 007,08 000", "07 > blue 7,8 0"),
        ("07 > red 99999,0 359", "07 > red 99999,0 359"),
        ("discard 24", "discard 24"),
        ("challenge.", "challenge"),
        ("Accept", "accept"),
    ],
)
def test_moves_are_read_forgivingly_and_printed_in_one_way(typed: str, canonical: str) -> None:
    move = RULES.parse(notation.tidy(typed))
    assert RULES.print(move) == canonical
    assert RULES.parse(notation.tidy(canonical)) == move


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("take 7", "notation.shape"),
        ("take 007", "notation.shape"),
        ("discard 123", "notation.shape"),
        ("7 > red 1,2 3", "notation.shape"),
        ("07 > green 1,2 3", "notation.domain"),
        ("07 > red -1,2 3", "notation.point"),
        ("07 > red 1,-2 3", "notation.point"),
        ("07 > red 100000,2 3", "notation.point"),
        ("07 > red 1,2 360", "notation.rotation"),
        ("07 > red 1,2 -90", "notation.rotation"),
        ("07 > red 1,2", "notation.unreadable"),
        ("07 > red 1.5,2 3", "notation.unreadable"),
        ("07 > red 1 2 3", "notation.unreadable"),
        ("07 red 1,2 3", "notation.unreadable"),
        ("take07", "notation.unreadable"),
        ("out of time", "notation.unreadable"),
        ("pass", "notation.unreadable"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(typed: str, code: str) -> None:
    with pytest.raises(Refusal) as caught:
        RULES.parse(notation.tidy(typed))
    assert caught.value.code == code
    assert caught.value.sentence.endswith(".")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("pool classic@1", "classic@1"),
        ("  Pool   Sunday League@2.0b ", "Sunday League@2.0b"),
        ("pool a@b@c", "a@b@c"),
    ],
)
def test_pools_are_named_to_the_letter(text: str, value: str) -> None:
    chance = RULES.parse_chance(text)
    assert (chance.kind, chance.value) == ("pool", (value,))
    assert RULES.print_chance(chance) == f"pool {value}"


@pytest.mark.parametrize("text", ["", "pool", "pool classic", "deck 0 1", "pool\nclassic@1\n2"])
def test_other_draws_are_refused(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        RULES.parse_chance(text)
    assert caught.value.code == "notation.chance"
