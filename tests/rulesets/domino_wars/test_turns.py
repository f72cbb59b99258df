"""A turn, sentence by sentence: the play, every effect and every pair of effects, the draw."""

from __future__ import annotations

from typing import Any

import pytest

from games.rulesets.domino_wars.board import NAMES
from games.rulesets.domino_wars.state import Side
from tests.rulesets.domino_wars.helpers import (
    RULES,
    asked,
    board,
    decision_of,
    position,
    refusal,
    say,
    shown,
    side,
    sizes,
    told,
)

IDLE = side("03 13", "23 35", "")  # the opponent, who can always play


def hand_of(state: object, seat: int = 0) -> list[str]:
    found: list[str] = shown(state)["sides"][seat]["hand"]  # type: ignore[arg-type]
    return found


def pile_of(state: object, seat: int = 0) -> list[str]:
    found: list[str] = shown(state)["sides"][seat]["order"]  # type: ignore[arg-type]
    return found


def discards_of(state: object, seat: int = 0) -> list[str]:
    found: list[str] = shown(state)["sides"][seat]["discards"]  # type: ignore[arg-type]
    return found


# -- the play ------------------------------------------------------------------------------------


def test_a_domino_covers_empty_squares_and_lower_numbers_and_takes_them() -> None:
    state = position(
        side("34", "12 35"), IDLE, "2b .. .. ..  3a .. .. ..  .. .. .. ..  .. .. .. .."
    )
    state = say(state, "34 A1:A2")
    assert board(state) == "3a .. .. .. 4a .. .. .. .. .. .. .. .. .. .. .."
    assert shown(state)["scores"] == [2, 0]
    assert shown(state)["last"] == {
        "seat": 0, "move": "34 A1:A2", "squares": ["A1", "A2"], "taken": ["A1"],
    }  # fmt: skip
    assert discards_of(state) == ["34"]


def test_either_end_first() -> None:
    state = position(side("34", "12 35"), IDLE)
    assert board(say(state, "34 B2:B3")).split()[5::4][:2] == ["3a", "4a"]
    assert board(say(state, "34 B3:B2")).split()[5::4][:2] == ["4a", "3a"]
    assert board(say(state, "43 B3:B2")) == board(say(state, "34 B2:B3"))


@pytest.mark.parametrize(
    ("text", "code", "squares"),
    [
        ("35 B1:B2", "play.not-in-hand", ()),
        ("34 A1:B1", "play.direction", ("A1", "B1")),
        ("34 A1:A2", "play.not-lower", ("A1",)),  # 3 on a 3
        ("34 C1:C2", "play.not-lower", ("C2",)),  # 4 on a 4
        ("34 D2:D1", "play.not-lower", ("D2", "D1")),
        ("return 34", "move.wrong-kind", ()),
        ("first", "move.wrong-kind", ()),
    ],
)
def test_plays_that_cannot_be(text: str, code: str, squares: tuple[str, ...]) -> None:
    state = position(side("34", "12"), IDLE, "3b .. 2a 5a  .. .. 4b 6b  .. .. .. ..  .. .. .. ..")
    refused = refusal(state, text)
    assert (refused.code, refused.squares) == (code, squares)


def test_the_second_player_plays_horizontally() -> None:
    state = position(IDLE, side("34", "12"), seat=1)
    assert refusal(state, "34 A1:A2").code == "play.direction"
    assert board(say(state, "34 B1:A1")).split()[:2] == ["4b", "3b"]
    # Whoever is the first player.
    state = position(IDLE, side("34", "12"), seat=1, first=1)
    assert refusal(state, "34 B1:A1").code == "play.direction"
    say(state, "34 A1:A2")


def test_own_squares_may_be_raised_too() -> None:
    state = position(side("34", "12"), IDLE, "2a .. .. ..  3a .. .. ..  " + ".. " * 8)
    assert shown(say(state, "34 A1:A2"))["scores"] == [2, 0]


# -- every pair of effects -----------------------------------------------------------------------

# The domino is played out of a hand with two more, a pile of three and two discards. What is
# asked, and how many are then in hand, in the pile and discarded.
PAIRS = {
    "01": (["return"], (4, 2, 2)),
    "02": (["return", "top"], (3, 3, 2)),
    "03": (["return"], (3, 3, 2)),
    "04": (["return", "discard"], (3, 2, 3)),
    "05": (["return"], (2, 4, 2)),
    "06": (["return"], (3, 3, 2)),
    "12": (["top"], (4, 1, 3)),
    "13": ([], (4, 1, 3)),
    "14": (["discard"], (4, 0, 4)),
    "15": ([], (3, 2, 3)),
    "16": ([], (4, 1, 3)),
    "23": (["top"], (3, 2, 3)),
    "24": (["top", "discard"], (3, 1, 4)),
    "25": (["top"], (2, 3, 3)),
    "26": (["top"], (3, 2, 3)),
    "34": (["discard"], (3, 1, 4)),
    "35": ([], (2, 3, 3)),
    "36": ([], (3, 2, 3)),
    "45": (["discard"], (2, 2, 4)),
    "46": (["discard"], (3, 1, 4)),
    "56": ([], (2, 3, 3)),
}
# The same with nothing but the domino itself.
ALONE = {
    "01": (1, 0, 0), "02": (1, 0, 0), "03": (1, 0, 0), "04": (1, 0, 0), "05": (0, 1, 0),
    "06": (1, 0, 0),
}  # fmt: skip


def full_side(domino: str) -> Side:
    others = [name for name in NAMES if name != domino]
    return side(
        f"{domino} {others[1]} {others[8]}",
        f"{others[3]} {others[12]} {others[15]}",
        f"{others[5]} {others[17]}",
    )


def test_all_pairs_are_there() -> None:
    assert list(PAIRS) == list(NAMES)


@pytest.mark.parametrize("domino", PAIRS)
def test_both_halves_take_effect_the_lower_one_first(domino: str) -> None:
    asks, counts = PAIRS[domino]
    state = say(position(full_side(domino), IDLE), f"{domino} A1:A2")
    for kind in asks:
        assert (asked(state), shown(state)["turn"]) == (kind, 0)
        # The same decision goes on, and so does its clock; it is not for the opponent.
        assert decision_of(state, 0).id == "turn-8"
        assert decision_of(state, 0).clock == "turn"
        choices = list(map(RULES.print, RULES.legal(state, decision_of(state, 0))))
        assert len(choices) > 1
        state = say(state, choices[-1])
    assert (asked(state), shown(state)["turn"]) == ("play", 1)
    assert sizes(state, 0) == counts
    assert shown(state)["sides"][0]["skip"] == ("6" in domino)
    assert sum(counts) == 8


@pytest.mark.parametrize("domino", PAIRS)
def test_effects_with_nothing_to_work_on(domino: str) -> None:
    state = say(position(side(domino), IDLE), f"{domino} A1:A2")
    assert (asked(state), shown(state)["turn"]) == ("play", 1)
    assert sizes(state, 0) == ALONE.get(domino, (0, 0, 1))
    assert shown(state)["sides"][0]["skip"] == ("6" in domino)


# -- one effect after the other ------------------------------------------------------------------


def test_0_puts_a_discarded_domino_at_the_bottom() -> None:
    state = say(position(side("03", "12 35", "46 56"), IDLE), "03 A1:A2")
    assert discards_of(state) == ["46", "56", "03"]
    assert refusal(state, "return 12").code == "effect.not-discarded"
    state = say(state, "return 56")
    assert (pile_of(state), discards_of(state)) == (["35", "56"], ["46", "03"])
    assert hand_of(state) == ["12"]  # the end of the turn


def test_0_may_return_the_domino_just_played_and_1_draws_it() -> None:
    state = say(position(side("01", "", "46"), IDLE), "01 A1:A2", "return 01")
    assert (hand_of(state), pile_of(state), discards_of(state)) == (["01"], [], ["46"])


def test_1_draws_before_anything_higher_happens() -> None:
    state = say(position(side("14", "23 35"), IDLE), "14 A1:A2")
    # The domino drawn is the only one in hand, and so it is discarded, and the next one drawn.
    assert (hand_of(state), discards_of(state)) == (["35"], ["14", "23"])


def test_2_brings_up_the_domino_that_is_drawn_next() -> None:
    state = say(position(side("23", "12 35 46"), IDLE), "23 A1:A2")
    assert refusal(state, "top 23").code == "effect.not-in-pile"
    state = say(state, "top 46")
    assert (hand_of(state), pile_of(state)) == (["46"], ["12", "35"])


def test_2_with_5_leaves_it_on_top() -> None:
    state = say(position(side("25", "12 35 46"), IDLE), "25 A1:A2", "top 35")
    assert pile_of(state) == ["35", "12", "46"]


def test_2_then_4_draws_what_was_brought_up() -> None:
    state = say(position(side("24 03 13", "12 35 46"), IDLE), "24 A1:A2", "top 46", "discard 03")
    assert (hand_of(state), pile_of(state)) == (["12", "13", "46"], ["35"])


def test_4_discards_first_and_draws_then() -> None:
    state = say(position(side("34 03 13", "12 35"), IDLE), "34 A1:A2")
    assert refusal(state, "discard 34").code == "effect.not-in-hand"
    state = say(state, "discard 13")
    assert (hand_of(state), discards_of(state)) == (["03", "12", "35"], ["34", "13"])


def test_4_with_an_empty_pile_still_discards() -> None:
    state = say(position(side("34 03 13"), IDLE), "34 A1:A2", "discard 13")
    assert (hand_of(state), discards_of(state)) == (["03"], ["34", "13"])


def test_4_with_an_empty_hand_does_nothing_at_all() -> None:
    state = say(position(side("34", "12 35"), IDLE), "34 A1:A2")
    assert (hand_of(state), pile_of(state)) == (["12"], ["35"])  # drawn at the end of the turn


def test_a_discarded_domino_has_no_effect() -> None:
    state = say(position(side("34 56 13", "12 35 46"), IDLE), "34 A1:A2", "discard 56")
    assert not shown(state)["sides"][0]["skip"]
    assert sizes(state, 0) == (3, 1, 2)


def test_4_and_5() -> None:
    """The 4 draws, the end of the turn does not."""
    state = say(position(side("45 03 13", "12 35"), IDLE), "45 A1:A2", "discard 03")
    assert hand_of(state) == ["12", "13"]


def test_one_draws_at_the_end_of_a_turn_while_there_is_a_pile() -> None:
    assert hand_of(say(position(side("36", "12 35"), IDLE), "36 A1:A2")) == ["12"]
    assert hand_of(say(position(side("36"), IDLE), "36 A1:A2")) == []


# -- choices with one possibility ----------------------------------------------------------------


def test_two_alike_dominoes_are_one_possibility() -> None:
    repeat: dict[str, Any] = {"repeats": (1, 0)}
    state = say(position(side("23", "12 12"), IDLE, **repeat), "23 A1:A2")
    assert shown(state)["turn"] == 1
    state = say(position(side("34 13 13", "12"), IDLE, **repeat), "34 A1:A2")
    assert (shown(state)["turn"], discards_of(state)) == (1, ["34", "13"])
    state = say(position(side("03", "12", "03"), IDLE, **repeat), "03 A1:A2")
    assert (shown(state)["turn"], discards_of(state)) == (1, ["03"])


def test_alike_dominoes_are_listed_once() -> None:
    state = say(position(side("34 13 13 23", "12"), IDLE, repeats=(1, 0)), "34 A1:A2")
    assert shown(state)["ask"] == "discard"
    moves = [RULES.print(move) for move in RULES.legal(state, decision_of(state, 0))]
    assert moves == ["discard 13", "discard 23"]
    assert RULES.view(state, 0)["choices"] == ["13", "23"]


def test_of_two_alike_in_the_pile_the_upper_one_goes_on_top() -> None:
    state = say(position(side("25", "46 12 35 12"), IDLE, repeats=(1, 0)), "25 A1:A2", "top 12")
    assert pile_of(state) == ["12", "46", "35", "12"]


# -- the log -------------------------------------------------------------------------------------


def test_the_log_of_a_whole_turn() -> None:
    state = position(side("24 03 13", "12 35 46"), IDLE, "1b .. .. .. " + ".. " * 12)
    assert told(state, "24 A1:A2") == ["played 24 A1:A2, taking A1 from the opponent"]
    state = say(state, "24 A1:A2")
    assert told(state, "top 46", 0) == ["put 46 on top of the draw pile"]
    assert told(state, "top 46", 1) == ["put a domino of the draw pile on top of it"]
    state = say(state, "top 46")
    assert told(state, "discard 03", 0) == ["discarded 03", "drew 46", "drew 12"]
    assert told(state, "discard 03", "room") == [
        "discarded 03",
        "drew a domino",
        "drew a domino",
    ]


def test_the_log_tells_why_nothing_happened() -> None:
    assert told(position(side("12"), IDLE), "12 A1:A2") == [
        "played 12 A1:A2",
        "has no draw pile left to draw from",
        "has no draw pile to choose from",
        "has no draw pile left to draw from",
    ]
    assert told(position(side("45"), IDLE), "45 A1:A2") == [
        "played 45 A1:A2",
        "has no domino in hand to discard",
        "does not draw at the end of this turn, because of the 5",
    ]
    assert told(position(side("06", "12"), IDLE), "06 A1:A2", 1) == [
        "played 06 A1:A2",
        "put 06 from the discard pile at the bottom of the draw pile, the only choice",
        "will have the next turn skipped, because of the 6",
        "drew a domino",
    ]
    assert told(position(side("26", "12"), IDLE), "26 A1:A2", 0) == [
        "played 26 A1:A2",
        "put 12 on top of the draw pile, the only choice",
        "will have the next turn skipped, because of the 6",
        "drew 12",
    ]
