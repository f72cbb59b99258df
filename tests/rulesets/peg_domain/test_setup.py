"""What happens before the first turn: rights, pallets, inspection, order, colours."""

from __future__ import annotations

import re
from typing import Any

import pytest

from games.engine.chance import RandomSource, evenly
from games.engine.course import MatchCourse
from games.engine.palette import GROUND
from games.rulesets.peg_domain import drawing
from games.rulesets.peg_domain import picture as pictures
from games.rulesets.peg_domain.boards import PALLET_NAME, PALLET_SQUARE, members, set_of
from games.rulesets.peg_domain.drawing import LEAST_REMOVABLE
from games.rulesets.peg_domain.state import removable_at_first
from tests.engine.helpers import cannot_add, to_move
from tests.rulesets.peg_domain.helpers import (
    CHANCE,
    NAMES,
    OTHER_PEGS,
    PEGS,
    RULES,
    add,
    begun,
    course,
    header,
    marks,
    owners,
    state,
    view,
)


def inspecting(
    variant: str = "gauntlet", items: tuple[tuple[int, str], ...] = (), **options: Any
) -> MatchCourse:
    return course(header(variant, items, **options), "0 take order", *CHANCE)


def kinds(now: MatchCourse) -> list[str]:
    return [slot.decision.kind for slot in now.table.open if slot is not None]


def test_the_advantage_takes_a_right_while_the_pallets_are_hidden() -> None:
    now = course(header(advantage=1))
    assert to_move(now.table) == [1]
    assert view(now)["pallets"] is None
    assert now.table.state.scores == (0, 0)
    assert not RULES.chance_due(state(now)), "the pallets are not even drawn"


@pytest.mark.parametrize(("right", "orders"), [("order", 1), ("colour", 0)])
def test_the_other_seat_gets_the_other_right(right: str, orders: int) -> None:
    now = course(header(advantage=1), f"1 take {right}", *CHANCE, "0 ready", "1 ready")
    assert (kinds(now), to_move(now.table)) == (["order"], [orders])
    add(now, f"{orders} first")
    assert (kinds(now), to_move(now.table)) == (["colour"], [1 - orders])


def test_both_pallets_are_revealed_after_the_right() -> None:
    now = inspecting()
    red, blue = view(now)["pallets"]
    assert (red["colour"], red["seat"], red["pegs"]) == ("red", None, 36)
    assert (blue["colour"], blue["left"]) == ("blue", 192)
    assert to_move(now.table) == [0, 1]


def test_the_pallets_may_come_in_either_order_and_only_once() -> None:
    now = course(header(), "0 take order", CHANCE[1])
    cannot_add("chance.not-due", now, CHANCE[1])
    add(now, CHANCE[0])
    assert kinds(now) == ["inspection", "inspection"]


def test_both_pallets_of_tempo_up_are_one_draw() -> None:
    now = course(header("tempo-up"), "0 take order")
    cannot_add("chance.not-due", now, CHANCE[0])
    add(now, f"chance pallet both {OTHER_PEGS}")
    red, blue = view(now)["pallets"]
    assert red["rows"] == blue["rows"]


@pytest.mark.parametrize(
    ("squares", "code"),
    [
        (NAMES[1:], "chance.pallet"),
        ([*NAMES[1:], "A2"], "chance.pallet"),
        ([*NAMES, "L16"], "chance.pallet"),
        ([*NAMES[1:], "M1"], "chance.square"),
        ([*NAMES[1:], "A17"], "chance.square"),
    ],
)
def test_a_supplied_pallet_is_checked(squares: list[str], code: str) -> None:
    cannot_add(code, course(header(), "0 take order"), f"chance pallet red {' '.join(squares)}")


def test_the_inspection_takes_180_seconds_of_both() -> None:
    now = inspecting()
    cannot_add("clock.not-out", now, "0 timeout @180")
    cannot_add("clock.over", now, "0 ready @180.001")
    add(now, "0 timeout @180.001")
    assert to_move(now.table) == [1]
    add(now, "1 timeout")
    assert kinds(now) == ["order"]


@pytest.mark.parametrize(
    "text", ["finish", "A1 D > E5 0", "red", "first", "take order", "remove A9"]
)
def test_nothing_else_is_said_during_the_inspection(text: str) -> None:
    cannot_add("move.wrong-kind", inspecting(), f"0 {text}")


def test_ready_may_be_ruled_out() -> None:
    now = inspecting(early_ready=False)
    cannot_add("ready.not-early", now, "0 ready")
    slot = now.table.open[0]
    assert slot is not None
    assert not RULES.any_legal(state(now), slot.decision)


def test_whoever_does_not_choose_takes_order_goes_first_and_plays_red() -> None:
    now = course(header(), "0 timeout", *CHANCE, "0 ready", "1 ready", "0 timeout", "1 timeout")
    shown = view(now)
    assert shown["rights"] == {"order": 0, "colour": 1}
    assert (shown["first"], shown["colours"]) == (0, ["blue", "red"])


def test_set_up_choices_have_sixty_seconds() -> None:
    cannot_add("clock.over", course(header()), "0 take order @60.001")
    add(course(header()), "0 take order @60")


@pytest.mark.parametrize(("said", "mover"), [("first", 0), ("second", 1)])
def test_the_order_is_what_was_said(said: str, mover: int) -> None:
    now = course(header(), "0 take order", *CHANCE, "0 ready", "1 ready", f"0 {said}", "1 red")
    assert to_move(now.table) == [mover]


def test_a_colour_brings_its_pallet_and_its_side() -> None:
    chance = (f"chance pallet red {PEGS}", f"chance pallet blue {OTHER_PEGS}")
    now = course(header(), "0 take order", *chance, "0 ready", "1 ready", "0 first", "1 red")
    assert marks(now, 1)["A1"] == "o"
    assert marks(now, 0)["B1"] == "o"
    mine = owners(now)
    assert {mine[f"{c}{r}"] for c in "ABCD" for r in range(1, 10)} == {"1"}
    assert {mine[f"{c}{r}"] for c in "FGHI" for r in range(1, 10)} == {"0"}
    assert {mine[f"E{r}"] for r in range(1, 10)} == {"."}
    assert view(now)["domain"]["pegs"] == []
    assert state(now).scores == (36, 36)


@pytest.mark.parametrize("colour", ["red", "blue"])
def test_red_is_drawn_red_whoever_plays_it(colour: str) -> None:
    """Seat 1 plays this colour, and owns the columns of its side."""
    now = course(header(), "0 take order", *CHANCE, "0 ready", "1 ready", "0 first", f"1 {colour}")
    svg = RULES.picture(view(now))
    at = pictures.DOMAIN.corner("A1" if colour == "red" else "F1")
    fill = GROUND[0 if colour == "red" else 1]
    (squares,) = re.findall(rf'<path d="([^"]*)" fill="{fill}"/>', svg)
    assert squares.startswith(f"M{at[0]} {at[1]}h")
    assert f'{squares}" fill="url(#peg-ground-1)"' in svg, "with seat 1's pattern"


# -- drawing -------------------------------------------------------------------------------------


def cycle(numbers: list[float]) -> RandomSource:
    source = iter(numbers)
    return lambda: next(source)


def numbers_of_shuffle(items: list[int], wanted: list[int]) -> list[float]:
    """What a shuffle from the top must be given to end in the wanted order."""
    deck, numbers = list(items), []
    for at in range(len(deck) - 1, 0, -1):
        found = deck.index(wanted[at])
        numbers.append((found + 0.5) / (at + 1))
        deck[at], deck[found] = deck[found], deck[at]
    return numbers


def test_a_pallet_has_36_pegs_drawn_from_all_squares() -> None:
    now = course(header(), "0 take order")
    draw = RULES.chance_due(state(now))[0]
    first = RULES.draw(state(now), draw, evenly(lambda: 0.0))
    last = RULES.draw(state(now), draw, evenly(lambda: 1 - 2**-53))
    # Shuffled from the top with the lowest numbers, the first square ends up last.
    assert first.value[:2] == ("B1", "C1")
    # With the highest ones nothing moves.
    assert last.value == tuple(PALLET_NAME.values())[:36]
    assert len(set(first.value)) == len(set(last.value)) == 36


def test_a_pallet_of_the_final_with_too_little_to_remove_is_drawn_again() -> None:
    """The first 36 numbers spread the pegs so that everything touches one; then they bunch up."""
    spread = [
        f"{column}{row}"
        for row in (2, 5, 8, 11, 14, 16)
        for column in ("A", "B", "D", "G", "J", "L")
    ]
    wanted = [PALLET_SQUARE[name] for name in spread]
    assert removable_at_first(set_of(wanted)).bit_count() < LEAST_REMOVABLE
    rest = [square for square in PALLET_NAME if square not in wanted]
    numbers = numbers_of_shuffle(list(PALLET_NAME), [*wanted, *rest])
    frame = state(course(header("final"), "0 take order")).frame
    draw = drawing.due(frame)[0]
    drawn = drawing.draw(frame, draw, evenly(cycle([*numbers, *[0.0] * 191])))
    assert drawn.value[:3] == ("B1", "C1", "D1")
    plain = state(course(header("gauntlet"), "0 take order")).frame
    assert set(drawing.draw(plain, draw, evenly(cycle(numbers))).value) == set(spread)


# -- Additional Peg ------------------------------------------------------------------------------

EXTRA = ((0, "additional-peg"),)


def test_an_additional_peg_counts_on_the_pallet_that_becomes_ones_own() -> None:
    now = begun("final", items=EXTRA, extra=("0 extra peg red A16", "0 extra peg blue L16"))
    assert marks(now, 0)["A16"] == "o"
    assert marks(now, 0)["L16"] == marks(now, 1)["L16"] == marks(now, 1)["A16"] == "."
    assert len(members(state(now).frame.pegs[0])) == 37


def test_a_second_square_of_a_colour_replaces_the_first() -> None:
    now = begun("final", items=EXTRA, extra=("0 extra peg red A16", "0 extra peg red C16"))
    assert (marks(now, 0)["A16"], marks(now, 0)["C16"]) == (".", "o")


def test_two_copies_add_two_pegs_that_do_not_touch() -> None:
    items = (*EXTRA, *EXTRA)
    now = inspecting("final", items)
    add(now, "0 extra peg red A16")
    cannot_add("extra.near-peg", now, "0 extra peg red B15")
    add(now, "0 extra peg red C16", "0 ready", "1 ready", "0 first", "1 blue")
    assert (marks(now, 0)["A16"], marks(now, 0)["C16"]) == ("o", "o")


def test_a_peg_on_the_other_pallet_is_lost() -> None:
    now = begun("final", items=EXTRA, extra=("0 extra peg blue L16",))
    assert len(members(state(now).frame.pegs[0])) == 36


@pytest.mark.parametrize(
    ("seat", "text", "code"),
    [
        (0, "extra peg red A9", "extra.peg"),
        (0, "extra peg red B10", "extra.near-peg"),
        (0, "extra peg red M3", "extra.off-pallet"),
        (1, "extra peg red A16", "item.none"),
        (0, "ready", "ready.extra-first"),
    ],
)
def test_what_additional_peg_cannot_do(seat: int, text: str, code: str) -> None:
    cannot_add(code, inspecting("final", EXTRA), f"{seat} {text}")


def test_without_a_square_the_inspection_runs_out() -> None:
    now = inspecting("final", EXTRA)
    add(now, "1 ready", "0 timeout", "0 first", "1 blue")
    assert len(members(state(now).frame.pegs[0])) == 36


@pytest.mark.parametrize("variant", ["gauntlet", "tempo-up"])
def test_items_belong_to_the_final(variant: str) -> None:
    with pytest.raises(Exception, match=r"setup\.item"):
        course(header(variant, EXTRA))
