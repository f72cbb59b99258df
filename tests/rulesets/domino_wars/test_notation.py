"""How moves are written, read and printed."""

from __future__ import annotations

import pytest

from core.refusals import Refusal
from games.engine import notation
from games.rulesets.domino_wars.board import PLAYS
from games.rulesets.domino_wars.moves import ReserveTimeout
from tests.rulesets.domino_wars.helpers import RULES, read


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("first", "first"),
        ("SECOND.", "second"),
        ("Mulligan", "mulligan"),
        ("keep", "keep"),
        ("34 B2:B3", "34 B2:B3"),
        ("43 b3 : b2", "34 B2:B3"),
        ("34 B3:B2", "34 B3:B2"),
        (" 34.b2:c2. ", "34 B2:C2"),
        ("return 21", "return 12"),
        ("top 54", "top 45"),
        ("DISCARD  06", "discard 06"),
        ("deck 01 12 23 34 45 56 06 16", "deck 01 06 12 16 23 34 45 56"),
        ("deck 61 60 65 54 43 32 21 10", "deck 01 06 12 16 23 34 45 56"),
    ],
)
def test_texts_are_read_forgivingly_and_printed_in_one_way(text: str, canonical: str) -> None:
    move = read(text)
    assert RULES.print(move) == canonical
    assert read(canonical) == move


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("34 B2 B3", "notation.unreadable"),
        ("34B2:B3", "notation.unreadable"),
        ("34", "notation.unreadable"),
        ("return", "notation.unreadable"),
        ("return 12 34", "notation.unreadable"),
        ("out of time", "notation.unreadable"),
        ("deck", "notation.unreadable"),
        ("33 B2:B3", "notation.not-a-domino"),
        ("37 B2:B3", "notation.not-a-domino"),
        ("345 B2:B3", "notation.not-a-domino"),
        ("top 4", "notation.not-a-domino"),
        ("34 E1:E2", "notation.no-such-square"),
        ("34 A1:A5", "notation.no-such-square"),
        ("34 A0:A1", "notation.no-such-square"),
        ("34 A1:A3", "notation.not-neighbours"),
        ("34 A1:B2", "notation.not-neighbours"),
        ("34 A1:A1", "notation.not-neighbours"),
        ("34 D1:A2", "notation.not-neighbours"),
        ("deck 01 12 23 34 45 56 06", "notation.deck-size"),
        ("deck 01 12 23 34 45 56 06 16 26", "notation.deck-size"),
        ("deck 01 12 23 34 45 56 06 77", "notation.not-a-domino"),
    ],
)
def test_texts_that_are_no_moves(text: str, code: str) -> None:
    with pytest.raises(Refusal) as caught:
        read(text)
    assert caught.value.code == code
    assert caught.value.sentence.endswith(".")


def test_squares_of_a_refusal() -> None:
    with pytest.raises(Refusal) as caught:
        read("34 A1:B2")
    assert caught.value.squares == ("A1", "B2")


def test_every_play_is_read_as_it_is_printed() -> None:
    texts = set()
    for plays in PLAYS:
        assert len(plays) == 21 * 24
        for play in plays:
            assert read(RULES.print(play)) is play
            texts.add(RULES.print(play))
    assert len(texts) == 2 * 21 * 24


def test_running_out_of_time_has_words_but_cannot_be_typed() -> None:
    assert RULES.print(ReserveTimeout()) == "out of time"


@pytest.mark.parametrize(
    "text",
    [
        "pile 0 34 01 12 23 45 56 06 16",
        "deck 1 01 02 03 04 05 06 12 13",
        "mulligan 0 hand 12 34 56 pile 01 02 03 04 05",
    ],
)
def test_chance_is_read_as_it_is_printed(text: str) -> None:
    chance = RULES.parse_chance(text)
    assert RULES.print_chance(chance) == text
    swapped = " ".join(word[::-1] if word.isdigit() else word for word in text.split())
    assert RULES.parse_chance(notation.tidy(swapped).upper()) == chance
